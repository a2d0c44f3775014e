"""Prediction and learning on several machines, with Dask (extra ``dask``)."""

try:
    import dask
    import distributed
except ImportError as error:
    raise ImportError(
        "topictemper.dask needs dask and distributed: pip install 'topictemper[dask]'"
    ) from error

from ._estimator import TemperedLDA

__all__ = ["TemperedLDA"]
