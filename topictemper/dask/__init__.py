"""Prediction and learning on several machines with Dask (extra ``dask``)."""

try:
    import dask as _dask
    import distributed as _distributed
except ImportError as error:
    raise ImportError(
        "topictemper.dask needs dask and distributed: pip install 'topictemper[dask]'"
    ) from error

from ._estimator import TemperedLDA
from ._prediction import document_temperatures, perplexity, score, transform

__all__ = ["TemperedLDA", "document_temperatures", "perplexity", "score", "transform"]
