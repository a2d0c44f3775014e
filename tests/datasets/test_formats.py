import bz2
import gzip
import lzma

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.testing import assert_array_equal
from scipy.io import mmwrite
from sklearn.datasets import dump_svmlight_file

from topictemper.datasets import (
    from_gensim,
    iter_parquet_text,
    open_corpus,
    read_corpus,
    save_corpus,
    to_gensim,
    write_corpus,
)
from topictemper.datasets.formats._formats import _FORMATS, FORMATS, format_of

NAMES = {kind: f"x{each.suffixes[0]}" for kind, each in _FORMATS.items()} | {"uci": "docword.x.txt"}
COUNTS = np.array([[3, 0, 1, 0], [0, 0, 0, 0], [0, 2, 0, 0]])
counts = hnp.arrays(
    np.int32,
    st.tuples(st.integers(1, 8), st.integers(1, 6)),
    elements=st.one_of(st.just(0), st.integers(0, 3), st.just(2**31 - 1)),
)


@pytest.mark.parametrize("kind", FORMATS)
@settings(max_examples=25, deadline=None)
@given(dense=counts)
def test_round_trip(tmp_path_factory, kind, dense):
    path = tmp_path_factory.mktemp("formats") / NAMES[kind]
    words = [f"wört{v}" for v in range(dense.shape[1])]
    write_corpus(path, dense, feature_names=words)
    corpus = read_corpus(path)
    assert_array_equal(corpus.counts.toarray(), dense)
    assert corpus.counts.dtype == np.int32
    assert corpus.feature_names.tolist() == words
    assert len(list(path.parent.iterdir())) == 2


@pytest.mark.parametrize(("suffix", "pack"), [(".gz", gzip), (".bz2", bz2), (".XZ", lzma)])
@pytest.mark.parametrize("kind", [kind for kind in FORMATS if kind != "npz"])
def test_packed_files_are_known_by_their_names(tmp_path, kind, suffix, pack):
    path, words = tmp_path / NAMES[kind], ["a", "b", "c"]
    write_corpus(path, [[1, 0, 2], [0, 3, 1]], feature_names=words)
    packed = path.with_name(path.name + suffix)
    packed.write_bytes(pack.compress(path.read_bytes()))
    corpus = read_corpus(packed)
    assert corpus.counts.toarray().tolist() == [[1, 0, 2], [0, 3, 1]]
    assert corpus.feature_names.tolist() == words


def test_dense_and_symmetric_matrix_market(tmp_path):
    path, symmetric = tmp_path / NAMES["mtx"], COUNTS.T @ COUNTS
    mmwrite(path, COUNTS, symmetry="general")
    assert_array_equal(read_corpus(path).counts.toarray(), COUNTS)
    mmwrite(path, sp.coo_array(symmetric), symmetry="symmetric")
    assert_array_equal(read_corpus(path).counts.toarray(), symmetric)


def test_gensim_reads_matrix_market(tmp_path):
    gensim = pytest.importorskip("gensim.corpora")
    large = [[1, 0, 10**15], [0, 3, 2**31]]
    write_corpus(tmp_path / "x.mm", large)
    assert_array_equal(from_gensim(gensim.MmCorpus(str(tmp_path / "x.mm"))).toarray(), large)
    assert_array_equal(read_corpus(tmp_path / "x.mm").counts.toarray(), large)


@settings(max_examples=25, deadline=None)
@given(dense=counts)
def test_round_trip_through_gensim(dense):
    X = sp.csr_array(dense)
    corpus = to_gensim(X)
    assert len(corpus) == len(dense)
    assert list(corpus) == list(corpus)
    back = from_gensim(corpus, dense.shape[1])
    assert_array_equal(back.toarray(), dense)
    assert back.dtype == np.int32


@pytest.mark.parametrize("kind", ["mtx", "svmlight", "npz"])
def test_fractions(tmp_path, kind):
    path = tmp_path / NAMES[kind]
    write_corpus(path, COUNTS / 8)
    X = read_corpus(path).counts
    assert_array_equal(X.toarray()[:, :3], COUNTS[:, :3] / 8)
    assert from_gensim(to_gensim(X), X.shape[1]).dtype == np.float64


@pytest.mark.parametrize("kind", ["mtx", "svmlight", "npz"])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_all_digits_are_kept(tmp_path, kind, dtype):
    X = np.random.default_rng(0).gamma(1.0, size=(20, 10)).astype(dtype)
    write_corpus(tmp_path / NAMES[kind], X)
    assert_array_equal(read_corpus(tmp_path / NAMES[kind]).counts.toarray(), X)


@pytest.mark.parametrize("dtype", ["float16", "longdouble", ">f8", ">i4"])
def test_types_that_files_and_scipy_do_not_have(tmp_path, dtype):
    X = COUNTS.astype(dtype)
    write_corpus(tmp_path / "x.npz", X)
    assert_array_equal(read_corpus(tmp_path / "x.npz").counts.toarray(), X)
    assert_array_equal(from_gensim(to_gensim(X), X.shape[1]).toarray(), X)


@pytest.mark.parametrize("kind", ["csr", "csc", "bsr", "coo", "dia"])
def test_every_format_that_scipy_saves(tmp_path, kind):
    X = getattr(sp, f"{kind}_array")(COUNTS)
    for part in {"indices", "indptr", "offsets"} & set(vars(X)):
        setattr(X, part, getattr(X, part).astype(np.int64))
    sp.save_npz(tmp_path / "x.npz", X)
    counts = read_corpus(tmp_path / "x.npz").counts
    assert_array_equal(counts.toarray(), COUNTS)
    assert counts.indices.dtype == counts.indptr.dtype == np.int32


@pytest.mark.parametrize("kind", ["uci", "ldac", "mtx", "svmlight"])
def test_gzip_and_no_words(tmp_path, kind):
    path, packed = tmp_path / NAMES[kind], tmp_path / (NAMES[kind] + ".gz")
    write_corpus(path, COUNTS[:, :3])
    packed.write_bytes(gzip.compress(path.read_bytes()))
    for file in (path, packed):
        corpus = read_corpus(file)
        assert_array_equal(corpus.counts.toarray(), COUNTS[:, :3])
        assert corpus.feature_names is None
    packed.write_bytes(packed.read_bytes()[:-9])
    with pytest.raises(ValueError, match="damaged gzip"):
        read_corpus(packed)


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("docword.nips.txt", "uci"), ("docword.nips.txt.gz", "uci"), ("ap.dat", "ldac"),
        ("x.mtx.gz", "mtx"), ("x.mm", "mtx"), ("x.lda-c", "ldac"), ("x.libsvm", "svmlight"),
        ("X.npz", "npz"), ("docs.txt", None),
    ],
)  # fmt: skip
def test_formats_by_name(tmp_path, name, kind):
    assert format_of(tmp_path / name) == kind


def test_format_that_the_name_does_not_say(tmp_path):
    path = tmp_path / "x.txt"
    with pytest.raises(ValueError, match="give the format, one of uci, ldac"):
        write_corpus(path, COUNTS)
    with pytest.raises(ValueError, match="gz: compressed files cannot be written"):
        write_corpus(tmp_path / "x.txt.gz", COUNTS, "uci")
    write_corpus(path, COUNTS, "uci")
    with pytest.raises(ValueError, match="give the format, one of uci, ldac"):
        read_corpus(path)
    assert_array_equal(read_corpus(path, "uci").counts.toarray(), COUNTS)
    with pytest.raises(ValueError, match="format must be one of"):
        read_corpus(path, "csv")


@pytest.mark.parametrize("words", [None, list("abcd")])
def test_counts_do_not_take_the_place_of_words(tmp_path, words):
    with pytest.raises(ValueError, match="is the file of the words of its folder"):
        write_corpus(tmp_path / "vocab.txt", COUNTS, "uci", feature_names=words)
    assert not list(tmp_path.iterdir())


def test_folder(tmp_path):
    save_corpus(tmp_path / "corpus", COUNTS)
    found = read_corpus(tmp_path / "corpus").counts
    assert_array_equal(found.toarray(), open_corpus(tmp_path / "corpus").counts.toarray())
    with pytest.raises(ValueError, match=r"zero_based .* with a folder it must be None"):
        read_corpus(tmp_path / "corpus", zero_based=True)


@pytest.mark.parametrize("zero_based", [True, False])
def test_svmlight_from_0_or_1(tmp_path, zero_based):
    path = tmp_path / "x.svm"
    dump_svmlight_file(COUNTS, [1, 0, 1], str(path), zero_based=zero_based)
    assert_array_equal(read_corpus(path).counts.toarray(), COUNTS[:, :3])


def test_svmlight_from_zero(tmp_path):
    X = np.array([[0, 2, 0, 1], [0, 1, 3, 0]])
    dump_svmlight_file(X, np.zeros(2), str(tmp_path / "a.svm"))
    (tmp_path / "vocab.txt").write_text("a\nb\nc\nd\n")
    counts = read_corpus(tmp_path / "a.svm", zero_based=True).counts
    assert_array_equal(counts.toarray(), X)
    dump_svmlight_file(X[:, 1:], np.zeros(2), str(tmp_path / "b.svm"))
    with pytest.raises(ValueError, match="there is a column 0"):
        read_corpus(tmp_path / "b.svm", zero_based=False)
    with pytest.raises(ValueError, match="zero_based is for format='svmlight'"):
        read_corpus(tmp_path / "c.mtx", zero_based=True)


def test_words_twice_in_a_document_are_added_up(tmp_path):
    (tmp_path / "x.ldac").write_text("3 4:1 0:2 4:5\n0\n")
    assert_array_equal(read_corpus(tmp_path / "x.ldac").counts.toarray()[0], [2, 0, 0, 0, 6])
    (tmp_path / "docword.x.txt").write_text("1\n2\n2\n1 2 1\n1 2 4\n")
    assert_array_equal(read_corpus(tmp_path / "docword.x.txt").counts.toarray(), [[0, 5]])


UCI, LDAC = "docword.x.txt", "x.ldac"
MTX_OF = "%%MatrixMarket matrix {}\n"
MTX, ARRAY, SYMMETRIC = map(
    MTX_OF.format, ("coordinate integer general", "array real general", "coordinate real symmetric")
)


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        (UCI, "", r"x\.txt, line 1: no number of documents, but ''"),
        (UCI, "9" * 2**16, r"line 1: longer than 65536 bytes"),
        (UCI, "2\nmany\n", "line 2: no number of words, but 'many'"),
        (UCI, "2\n3\n-1\n", "line 3: no number of entries, but '-1'"),
        (UCI, "2\n3\n2\n1 1 1\n2 2\n", "line 5: not 'document word count', but '2 2'"),
        (UCI, "2\n3\n2\n1 1 1\n2 2 1 4\n", "line 5: not 'document word count', but '2 2 1 4'"),
        (UCI, "2\n3\n2\n1 1 1\n2 2 x\n", "line 5: not 'document word count', but '2 2 x'"),
        (UCI, "2\n3\n2\n1 1 1\n\n3 2 1\n", "line 6: document 3 is not from 1 to 2"),
        (UCI, "2\n3\n1\n1 0 1\n", "line 4: word 0 is not from 1 to 3"),
        (UCI, "2\n3\n1\n1 1 1000000000000001", "line 4: count 1000000000000001 is not from 0"),
        (UCI, "2\n3\n2\n1 1 1\n", "line 3: promises 2 entries, but there are 1"),
        (LDAC, "1 0:1\n\n", "line 2: no number of words; write an empty document as 0"),
        (LDAC, "1 0:1\nx 0:1\n", "line 2: not a number of words and .*, but 'x 0:1'"),
        (LDAC, "1 0:1\n2 0:1 5\n", "line 2: not a number .* but '2 0:1 5'"),
        (LDAC, "1 0:1\n2 0:1 5:-2\n", "line 2: not a number .* but '2 0:1 5:-2'"),
        (LDAC, "1 0:1\n2 0:1\n", "line 2: 2 distinct words are announced, but there are 1"),
        (LDAC, "1 0:1\n1 99999999999:1\n", "line 2: word 99999999999 is not from 0 to 2147483646"),
        (LDAC, "1 0:9999999999999999\n", "line 1: count .* is not from 0"),
        ("x.mtx", MTX + "2 3 2\n1 1 1\n2 2 x\n", "line 4: not 'row column count', but '2 2 x'"),
        ("x.mtx", MTX + "2 3 2\n1 1 1\n2 4 1\n", "line 4: column 4 is not from 1 to 3"),
        ("x.mtx", MTX + "2 3 2\n1 1 1\n", "line 2: promises 2 entries, but there are 1"),
        ("x.mtx", "2 3 2\n1 1 1\n", "line 1: not '%%MatrixMarket .*, but '2 3 2'"),
        ("x.mtx", MTX + "2 3 1\n1 1 -1\n", "line 3: not 'row column count', but '1 1 -1'"),
        ("x.mtx", MTX.replace("integer", "complex"), "'complex' is not supported; use one of"),
        ("x.mtx", MTX_OF.format("array pattern general"), "an array must hold numbers"),
        ("x.mtx", ARRAY + "1 2\n3\n1 2\n", "line 4: not a count, but '1 2'"),
        ("x.mtx", ARRAY + "1 2\n\n3\n1e16\n", "line 5: count '1e16' is not from 0"),
        ("x.mtx", ARRAY + "1 2\n3\n", "line 2: promises 2 counts, but there are 1"),
        ("x.mtx", SYMMETRIC + "2 3 0\n", "a symmetric matrix of 2 rows and 3 columns"),
        ("x.mtx", SYMMETRIC + "2 2 2\n1 1 1\n1 2 1\n", "row 1, column 2 is above the diagonal"),
        ("x.svm", "1 1:1\n0 2:x\n", "line 2: not a label and pairs 'column:count', but"),
        ("x.svm", "1 1:1\n0 2:1 1:1\n", "line 2: columns must increase in '0 2:1 1:1'"),
        ("x.svm", "1 1:1\nspam 2:1\n", "line 2: not a label and pairs 'column:count', but"),
        ("x.svm", "1 1:-1\n", "line 1: count -1 is not from 0 to"),
        ("x.svm", "1 1:nan\n", "line 1: not a label .* but '1 1:nan'"),
        ("x.npz", "no archive", "not a sparse matrix"),
    ],
)
def test_malformed_files(tmp_path, name, text, message):
    (tmp_path / name).write_text(text)
    with pytest.raises(ValueError, match=message) as caught:
        read_corpus(tmp_path / name)
    assert name in str(caught.value)


def test_malformed_line_far_down(tmp_path, monkeypatch):
    from topictemper.datasets.formats import _lines

    monkeypatch.setattr(_lines, "_BYTES_AT_ONCE", 100)
    lines = [f"{d} 1 1" for d in range(1, 101)]
    lines[70] = "71 1 1 1"
    (tmp_path / UCI).write_text("\n".join(["100", "1", "100", *lines]))
    with pytest.raises(ValueError, match="line 74: "):
        read_corpus(tmp_path / UCI)


@pytest.mark.parametrize("name", NAMES.values())
def test_words_that_do_not_fit(tmp_path, name):
    write_corpus(tmp_path / name, COUNTS, feature_names=list("abcd"))
    words = tmp_path / ("vocab.x.txt" if name == UCI else "vocab.txt")
    words.write_text("a\nb\n")
    with pytest.raises(ValueError, match=r"words"):
        read_corpus(tmp_path / name)
    words.write_text("a\nb\nc\nd\n")
    other = words.rename(tmp_path / "elsewhere")
    corpus = read_corpus(tmp_path / name, vocabulary=other)
    assert corpus.feature_names.tolist() == list("abcd")


@pytest.mark.parametrize(
    ("name", "text"),
    [(UCI, "2\n12\n3\n1 1 200\n1 12 7\n2 12 10\n"), (LDAC, "2 0:200 11:7\n1 11:10\n")],
)
def test_numbers_have_no_zeros_in_front(tmp_path, name, text):
    X = np.zeros((2, 12), int)
    X[:, 11], X[0, 0] = (7, 10), 200
    write_corpus(tmp_path / name, X)
    assert (tmp_path / name).read_text() == text


@pytest.mark.parametrize("name", NAMES.values())
def test_what_is_written_stays_as_it_is(tmp_path, name):
    X = sp.csr_array((np.array([3, 0, 1], np.int32), [0, 1, 2], [0, 2, 3]), shape=(2, 4))
    write_corpus(tmp_path / name, X)
    assert X.data.tolist() == [3, 0, 1]
    assert read_corpus(tmp_path / name).counts.nnz == 2


@pytest.mark.parametrize("name", [UCI, LDAC])
@pytest.mark.parametrize(
    ("X", "names", "message"),
    [
        (COUNTS / 2, None, "integers only"),
        (-COUNTS, None, "Negative values"),
        (COUNTS, ["a"], "feature_names must have 4 names"),
        (COUNTS, ["\ufeffa", "b", "c", "d"], "cannot be written one per line"),
    ],
)
def test_what_cannot_be_written(tmp_path, name, X, names, message):
    with pytest.raises(ValueError, match=message):
        write_corpus(tmp_path / name, X, feature_names=names)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("words", "hint"),
    [("a b", "write the transpose"), ("word a b c", "one per line, without a header")],
)
def test_other_numbers_of_words_have_a_hint(tmp_path, words, hint):
    (tmp_path / "vocab.txt").write_text(words.replace(" ", "\n"))
    (tmp_path / "corpus.mtx").write_text(
        "%%MatrixMarket matrix coordinate real general\n2 3 1\n1 3 1\n"
    )
    with pytest.raises(ValueError, match=hint):
        read_corpus(tmp_path / "corpus.mtx")


def test_words_themselves_are_refused(tmp_path):
    write_corpus(tmp_path / "corpus.mtx", [[1, 2]])
    with pytest.raises(TypeError, match=r"vocabulary must be a file of words.* got list.* to fit"):
        read_corpus(tmp_path / "corpus.mtx", vocabulary=["a", "b"])


def test_words_of_a_folder_with_a_damaged_archive(tmp_path):
    path, archive = tmp_path / "x.mtx", tmp_path / "y.npz"
    write_corpus(path, COUNTS, feature_names=list("abcd"))
    sp.save_npz(archive, sp.csr_array(COUNTS))
    content = archive.read_bytes()
    with pytest.raises(ValueError, match="has other words"):
        write_corpus(path, COUNTS, feature_names=list("dcba"))
    # Its last bytes say that it is an archive; the list of its members is none.
    archive.write_bytes(content.replace(b"PK\x01\x02", b"PK\x01\x00"))
    write_corpus(path, COUNTS, feature_names=list("dcba"))
    assert read_corpus(path).feature_names.tolist() == list("dcba")


@pytest.mark.parametrize("name", ["x.npz", "docword.x.txt"])
def test_corpora_do_not_share_words(name, tmp_path):
    words, others = ["a", "b", "c", "d"], ["e", "f", "g", "h"]
    write_corpus(tmp_path / name, COUNTS, feature_names=words)
    with pytest.raises(ValueError, match="has words, which would be those of"):
        write_corpus(tmp_path / name, COUNTS[:, ::-1])
    assert read_corpus(tmp_path / name).feature_names.tolist() == words
    write_corpus(tmp_path / name, COUNTS, feature_names=others)
    assert read_corpus(tmp_path / name).feature_names.tolist() == others


def test_new_corpora_do_not_change_words_of_others(tmp_path):
    words = ["a", "b", "c", "d"]
    write_corpus(tmp_path / "x.npz", COUNTS, feature_names=words)
    write_corpus(tmp_path / "y.ldac", COUNTS, feature_names=words)
    for name in ("z.npz", "x.npz"):
        with pytest.raises(ValueError, match="those of another corpus"):
            write_corpus(tmp_path / name, COUNTS, feature_names=words[::-1])
    assert read_corpus(tmp_path / "x.npz").feature_names.tolist() == words
    assert not (tmp_path / "z.npz").exists()


# gensim


def test_gensim_itself_takes_and_gives_it():
    matutils = pytest.importorskip("gensim.matutils")
    X = sp.csr_array(COUNTS)
    assert_array_equal(matutils.corpus2csc(to_gensim(X), num_terms=4).toarray().T, COUNTS)
    assert_array_equal(from_gensim(matutils.Sparse2Corpus(X.T.tocsc()), 4).toarray(), COUNTS)
    corpora = pytest.importorskip("gensim.corpora")
    dictionary = corpora.Dictionary([["a"], ["b"], ["c"], ["d"]])
    assert from_gensim([[(0, 1)]], dictionary).shape == (1, 4)


@pytest.mark.parametrize(
    ("corpus", "message"),
    [
        ([[(0, 1)], [(0, 1), (1,)]], "document 1 of corpus must be pairs"),
        ([[(0, 1)], [("a", 1)]], "document 1 of corpus must be pairs"),
        ([[(0, 1)], 3], "document 1 of corpus must be pairs"),
        ([[0, 1, 2]], "document 0 of corpus must be pairs"),
        ([["01", "12"]], "document 0 of corpus must be pairs"),
        ([[(0.5, 1)]], "document 0 of corpus has words"),
        ([[(0, 1)], [], [(1, 1), (4, 1)], [(5, 1)]], "document 2 .* above 3, .* not have grown"),
        ([(0, 1), (2, 1)], r"0 .* must be pairs .* a single document as \[document\]"),
        ([[(4, 1)]], "document 0 of corpus has words above 3"),
        ([[(-1, 1)]], "document 0 of corpus has words"),
        ([[(0, -1)]], "document 0 of corpus has counts"),
        ([[(0, float("nan"))]], "document 0 of corpus has counts"),
    ],
)
def test_malformed_gensim(corpus, message):
    with pytest.raises(ValueError, match=message):
        from_gensim(corpus, 4)


# Parquet


def test_parquet(tmp_path):
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    path = tmp_path / "x.parquet"
    texts = ["one", None, "drei vier", ""] * 700
    pq.write_table(pa.table({"text": texts, "id": range(len(texts))}), path)
    assert list(iter_parquet_text(path)) == [text or "" for text in texts]
    assert list(iter_parquet_text(path, "text")) == list(iter_parquet_text(path))
    with pytest.raises(ValueError, match=r"x.parquet: 'id' is not one of its columns of text"):
        next(iter_parquet_text(path, "id"))
    pq.write_table(pa.table({"a": texts, "b": texts}), path)
    with pytest.raises(ValueError, match=r"name one of its columns of text: \['a', 'b'\]"):
        next(iter_parquet_text(path))
    for type in (pa.dictionary(pa.int32(), pa.string()), pa.string_view()):
        pq.write_table(pa.table({"text": pa.array(texts).cast(type)}), path)
        assert list(iter_parquet_text(path)) == [text or "" for text in texts]
    pq.write_table(pa.table([texts, texts], names=["a", "a"]), path)
    with pytest.raises(ValueError, match="two of its columns are 'a'"):
        next(iter_parquet_text(path, "a"))
    path.write_text("no parquet")
    with pytest.raises(ValueError, match="not a Parquet file"):
        next(iter_parquet_text(path))


def test_parquet_files_that_others_wrote_badly(tmp_path):
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    path = tmp_path / "x.parquet"
    pq.write_table(pa.table({"text": ["a boat", "a river"]}), path, compression="none")
    content = path.read_bytes()
    place = content.index(b"\x06\0\0\0a boat")  # a text, with its length
    path.write_bytes(content[:place] + b"\xff" + content[place + 1 :])
    with pytest.raises(ValueError, match=r"x.parquet: not a Parquet file, or damaged"):
        list(iter_parquet_text(path))
    path.write_bytes(content[:4] + bytes(50) + content[54:])
    with pytest.raises(ValueError, match=r"x.parquet: not a Parquet file, or damaged .*\)\.$") as e:
        list(iter_parquet_text(path))
    assert "\n" not in str(e.value)
    bytes_of_texts = pa.array([b"boat", b"caf\xe9"])
    pq.write_table(pa.table({"text": bytes_of_texts}), path)
    with pytest.raises(ValueError, match=r"no column of text \(string\), but \{'text': 'binary'\}"):
        list(iter_parquet_text(path))
    latin = pa.StringArray.from_buffers(2, *bytes_of_texts.buffers()[1:])
    pq.write_table(pa.table({"text": latin}), path)
    with pytest.raises(ValueError, match=r"x.parquet: a text that is not UTF-8 \(b'caf\\xe9'\)"):
        list(iter_parquet_text(path))


def test_parquet_files_without_a_text(tmp_path):
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    for name, texts in (("a", ["boat", None]), ("b", [None, None])):
        pq.write_table(pa.table({"text": texts, "n": [1, 2]}), tmp_path / f"{name}.parquet")
    assert list(iter_parquet_text(tmp_path, "text")) == ["boat", "", "", ""]


def test_parquet_files_of_a_folder(tmp_path):
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    for day in ("day=2", "day=1", "_temporary"):
        (tmp_path / day).mkdir()
        for part in ("b", "a", ".c"):
            table = pa.table({"text": [f"{day} {part}"]})
            pq.write_table(table, tmp_path / day / f"{part}.snappy.parquet")
    (tmp_path / "_SUCCESS").touch()
    assert list(iter_parquet_text(tmp_path, "text")) == ["day=1 a", "day=1 b", "day=2 a", "day=2 b"]
    with pytest.raises(ValueError, match=r"a\.snappy\.parquet: 'body' is not one of its columns"):
        next(iter_parquet_text(tmp_path, "body"))
    (tmp_path / "none").mkdir()
    with pytest.raises(ValueError, match="none: a folder without"):
        next(iter_parquet_text(tmp_path / "none"))


def test_without_pyarrow(tmp_path, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "pyarrow", None)
    with pytest.raises(ImportError, match=r"topictemper\[parquet\]"):
        next(iter_parquet_text(tmp_path / "x.parquet"))
