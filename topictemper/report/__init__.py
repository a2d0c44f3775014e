"""Reports: topics of any model as one HTML file that works offline."""

from ._saved_labels import read_labels
from ._write import write

__all__ = ["read_labels", "write"]
