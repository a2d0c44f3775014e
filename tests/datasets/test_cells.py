import gzip

import pytest

from topictemper.datasets import read_corpus


@pytest.mark.parametrize("prefix", ["", "GSM1_"])
@pytest.mark.parametrize("suffix", ["", ".gz"])
def test_genes_in_rows_are_refused(tmp_path, prefix, suffix):
    pack = gzip.compress if suffix else bytes
    mtx = b"%%MatrixMarket matrix coordinate integer general\n3 2 2\n1 2 4\n3 1 1\n"
    path = tmp_path / f"{prefix}matrix.mtx{suffix}"
    barcodes = tmp_path / f"{prefix}barcodes.tsv{suffix}"
    path.write_bytes(pack(mtx))
    barcodes.write_bytes(pack(b"AAAC-1\nAAAG-1\n"))
    for vocabulary in (None, barcodes):
        with pytest.raises(ValueError, match=r"genes in rows.* each of its 2 columns.*10x_mtx"):
            read_corpus(path, vocabulary=vocabulary)


@pytest.mark.parametrize("layout", ["coordinate", "array"])
def test_genes_in_rows_are_refused_before_entries_are_read(tmp_path, layout):
    sizes = "3 2 2" if layout == "coordinate" else "3 2"
    (tmp_path / "matrix.mtx").write_text(
        f"%%MatrixMarket matrix {layout} integer general\n{sizes}\nno entry\n"
    )
    (tmp_path / "barcodes.tsv").write_text("AAAC-1\nAAAG-1\n")
    with pytest.raises(ValueError, match="genes in rows"):
        read_corpus(tmp_path / "matrix.mtx")


@pytest.mark.parametrize(
    ("barcodes", "shape"),
    [
        (b"A\nB\nC\n", "3 2"),  # cells are in rows
        (b"A\nB\n", "2 2"),  # which may be, too
        (b"A\n", "3 2"),  # those of another matrix
        (b"\x1f\x8b damaged", "3 2"),
    ],
)
def test_barcodes_that_do_not_tell_of_genes_in_rows(tmp_path, barcodes, shape):
    path = tmp_path / "matrix.mtx"
    path.write_text(f"%%MatrixMarket matrix coordinate integer general\n{shape} 1\n1 2 4\n")
    (tmp_path / "barcodes.tsv").write_bytes(barcodes)
    assert read_corpus(path).counts.sum() == 4
