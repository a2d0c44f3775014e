"""Prediction and learning on several machines with Dask (extra ``dask``)."""

from importlib.util import find_spec

if find_spec("dask") is None or find_spec("distributed") is None:
    raise ImportError(
        "topictemper.dask needs dask and distributed: pip install 'topictemper[dask]'"
    )

from ._estimator import TemperedLDA
from ._prediction import document_temperatures, perplexity, score, transform
from ._topic_model import TopicModel

__all__ = [
    "TemperedLDA",
    "TopicModel",
    "document_temperatures",
    "perplexity",
    "score",
    "transform",
]
