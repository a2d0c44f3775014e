"""Files of --output: models, and proportions of documents as CSV, Parquet and .npz."""

from __future__ import annotations

import csv
import io
import shutil
import sys
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryFile, mkdtemp
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._utils._files import replacing, writable_path
from .._utils._ranking import largest_in_rows
from .._utils._tables import printable
from ..datasets.formats._packed import InputError
from ..datasets.formats._parquet import pyarrow
from ._decoding import encodable
from ._inputs import STANDARD_INPUT, Document
from ._printing import message_of

_FORMATS = ("csv", "parquet", "npz")
# Six digits: single precision has seven.
_NUMBER = "%.6g"
# Bytes of an array of text in an .npz, and how many times those of the texts. NumPy pads all to the
# longest, so one long text among very many documents would take more than the memory.
_MOST_PADDED, _MOST_TIMES = 1 << 30, 8

#: Writes documents with their proportions; NaN for a document without a word.
Write = Callable[[Sequence[Document], NDArray[Any]], None]


class Labels(NamedTuple):
    """What the columns are."""

    topics: Sequence[str]
    #: Fields of `Document` that are columns of the output beside its name.
    beside: Sequence[str]
    #: Rows for each document, one for a topic; None: one row, with a column for each topic.
    n_top: int | None

    def of_documents(self, documents: Sequence[Document]) -> dict[str, list[str]]:
        """Return the columns of the documents themselves."""
        columns = {"document": [encodable(document.name) for document in documents]}
        for name in self.beside:
            columns[name] = [encodable(getattr(document, name) or "") for document in documents]
        return columns

    def rows(
        self, documents: Sequence[Document], theta: NDArray[Any]
    ) -> dict[str, list[Any] | NDArray[Any]]:
        """Return the columns of a table."""
        columns: dict[str, Any] = dict(self.of_documents(documents))
        if self.n_top is None:
            columns |= {f"topic{k}": theta[:, k] for k in range(theta.shape[1])}
            return columns
        top = largest_in_rows(theta, self.n_top)
        shown, empty = np.ones(top.shape, dtype=bool), np.isnan(theta[:, 0])
        # One row, of topic -1: the last one, where such a document has NaN as everywhere.
        top[empty], shown[empty, 1:] = -1, False
        rows, topics = np.nonzero(shown)[0], top[shown]
        places = rows.tolist()
        columns = {name: [column[row] for row in places] for name, column in columns.items()}
        columns["topic"] = topics
        labels = [*self.topics, ""]
        columns["label"] = [labels[topic] for topic in topics.tolist()]
        columns["share"] = theta[rows, topics]
        return columns


def file_to_write(output: Path, what: str, *inputs: Path | None) -> Path:
    """Return where --output leads: a file that can be written, and none of the inputs."""
    if output == STANDARD_INPUT:
        raise InputError(f"--output: {what} is written to a file, not to standard output.")
    target = writable_path(output)
    if any(given is not None and target == given.resolve() for given in inputs):
        raise InputError(f"{output}: this would overwrite the input.")
    return target


def of_interrupted(output: Path) -> Path:
    """Return the file of a model that has not learned all it should; a whole one stays."""
    # Where a link leads to, files can be written. The folder of the link may be another one.
    file = output.resolve() if output.is_symlink() else output
    return file.with_name(f"{file.name}.interrupted")


def save_learned(model: Any, target: Path) -> None:
    """Save a model that may have taken hours to learn.

    Raises
    ------
    OSError
        If the file cannot be written. The error says where the model is instead: in the temporary
        folder of the system, if there is room.
    """
    try:
        model.save(target)
    except OSError as error:
        why = message_of(error).rstrip(".")
        raise OSError(f"{why}; {_saved_elsewhere(model, target.name)}.") from error


def _saved_elsewhere(model: Any, name: str) -> str:
    """Save a model in the temporary folder of the system, and say what came of it."""
    folder = None
    try:
        folder = Path(mkdtemp(prefix="topictemper-"))
        model.save(folder / name)
    except BaseException as error:
        if folder is not None:
            shutil.rmtree(folder, ignore_errors=True)
        if not isinstance(error, OSError):
            raise
        why = message_of(error).rstrip(".")
        return f"it cannot be saved in the temporary folder either ({why})"
    return f"the model is saved as {folder / name}"


def format_of_output(path: Path, n_top: int | None) -> str:
    """Return the format that the name of an output implies."""
    if path == STANDARD_INPUT:
        return "csv"
    format = path.suffix.lower().removeprefix(".")
    if format not in _FORMATS:
        raise InputError(f"--output: {path} must end with .csv, .parquet or .npz.")
    if format == "npz" and n_top is not None:
        raise InputError("--top is for .csv and .parquet; an .npz has all proportions.")
    return format


@contextmanager
def opened_output(path: Path, format: str, labels: Labels) -> Iterator[Write]:
    """Give a function that writes. The file appears when it is complete."""
    if path == STANDARD_INPUT:
        if sys.stdout is None:
            raise InputError("there is no standard output; write to a file, with --output.")
        yield _csv_writer(sys.stdout, labels)
        return
    with replacing(path) as [file]:
        if format == "csv":
            text = io.TextIOWrapper(file, encoding="utf-8", newline="", write_through=True)
            yield _csv_writer(text, labels)
            text.detach()
        elif format == "parquet":
            with _parquet_writer(file, labels) as write:
                yield write
        else:
            with _npz_writer(file, labels, path.resolve().parent) as write:
                yield write


def _csv_writer(file: Any, labels: Labels) -> Write:
    first = True

    def write(documents: Sequence[Document], theta: NDArray[Any]) -> None:
        nonlocal first
        if labels.n_top is None:
            columns, numbers = dict(labels.of_documents(documents)), theta
            names = [*columns, *(f"topic{k}" for k in range(theta.shape[1]))]
        else:
            table = labels.rows(documents, theta)
            numbers = np.asarray(table.pop("share"))[:, None]
            columns = {name: [str(value) for value in values] for name, values in table.items()}
            names = [*columns, "share"]
        if first:
            csv.writer(file, lineterminator="\n").writerow(names)
            first = False
        # One format for all numbers is several times faster than a call for each.
        row = ",".join([_NUMBER] * numbers.shape[1])
        text = "\n".join([row] * len(numbers)) % tuple(numbers.ravel().tolist())
        lines = text.replace("nan", "").split("\n")
        starts = _quoted(columns)
        if file.isatty():  # which would follow control characters in names
            starts = list(map(printable, starts))
        file.writelines(f"{start},{line}\n" for start, line in zip(starts, lines, strict=True))

    return write


def _quoted(columns: dict[str, list[str]]) -> list[str]:
    """Return the start of each row."""
    lines: list[str] = []
    # The writer calls `write` once for each row. It quotes the characters of its line terminator,
    # which may be in a name: both ends of lines.
    rows = SimpleNamespace(write=lines.append)
    csv.writer(rows, lineterminator="\r\n").writerows(zip(*columns.values(), strict=True))
    return [line.removesuffix("\r\n") for line in lines]


@contextmanager
def _parquet_writer(file: Any, labels: Labels) -> Iterator[Write]:
    pa, pq = pyarrow()
    writer: Any = None

    def write(documents: Sequence[Document], theta: NDArray[Any]) -> None:
        nonlocal writer
        table = pa.table(labels.rows(documents, theta))
        if writer is None:
            writer = pq.ParquetWriter(file, table.schema)
        writer.write_table(table)

    try:
        yield write
    finally:
        if writer is not None:
            writer.close()


class _Padding:
    """What the texts of an .npz take, so that a long one is refused before the memory is full."""

    def __init__(self) -> None:
        self._n = 0
        self._characters: Counter[str] = Counter()
        self._longest: Counter[str] = Counter()

    def add(self, part: dict[str, list[str]]) -> None:
        """Check some more documents, which have a text in each column."""
        self._n += len(part["document"])
        for name, texts in part.items():
            self._characters[name] += sum(map(len, texts))
            longest = max([self._longest[name], *map(len, texts)])
            self._longest[name] = longest
            padded = 4 * longest * self._n
            if padded > max(_MOST_PADDED, _MOST_TIMES * 4 * self._characters[name]):
                raise InputError(
                    f"--output: one {name} has {longest:,} characters, and an .npz would pad those "
                    "of all documents to this length; write a .csv or .parquet."
                )


@contextmanager
def _npz_writer(file: Any, labels: Labels, folder: Path) -> Iterator[Write]:
    """Write arrays: `proportions`, `labels`, and those of `Labels.of_documents`.

    An array begins with its length, which is known at the end. Until then proportions wait in a
    temporary file in the folder: all of them may be more than the memory. They are not compressed,
    which would save a tenth of the space, and take minutes.
    """
    parts: list[dict[str, NDArray[Any]]] = []
    padding, n_rows = _Padding(), 0
    rows = np.empty((0, len(labels.topics)))

    def write(documents: Sequence[Document], theta: NDArray[Any]) -> None:
        nonlocal n_rows, rows
        columns = labels.of_documents(documents)
        padding.add(columns)
        parts.append({name: np.array(values) for name, values in columns.items()})
        waiting.write(np.ascontiguousarray(theta).data)
        n_rows, rows = n_rows + len(theta), theta[:0]

    with TemporaryFile(dir=folder) as waiting:
        yield write
        waiting.seek(0)
        with zipfile.ZipFile(file, "w") as archive:
            with _new_member(archive, "proportions", zipfile.ZIP_STORED) as content:
                header = np.lib.format.header_data_from_array_1_0(rows)
                header["shape"] = n_rows, rows.shape[1]
                np.lib.format.write_array_header_1_0(content, header)
                shutil.copyfileobj(waiting, content, 1 << 20)
            texts = {"labels": np.array(labels.topics)}
            for name in list(parts[0]):
                texts[name] = np.concatenate([part.pop(name) for part in parts])
            for name, array in texts.items():
                with _new_member(archive, name, zipfile.ZIP_DEFLATED) as content:
                    np.lib.format.write_array(content, array, allow_pickle=False)


def _new_member(archive: zipfile.ZipFile, name: str, compression: int) -> Any:
    member = zipfile.ZipInfo(f"{name}.npy")
    member.compress_type = compression
    # How long it gets is not known to zipfile: it may be more than 4 GB.
    return archive.open(member, "w", force_zip64=True)
