"""Words counted in other processes are those counted in one."""

import multiprocessing
import os
import signal
import subprocess
import sys
import textwrap
from threading import Lock
from types import SimpleNamespace

import numpy as np
import pytest
from joblib import wrap_non_picklable_objects
from numpy.testing import assert_array_equal
from sklearn.feature_extraction.text import CountVectorizer

from topictemper import TemperedLDA, TopicModel
from topictemper.text import _batches, _processes, _vocabulary
from topictemper.text._counting import count_by_vocabulary, learn_vocabulary
from topictemper.text._long_texts import LONG
from topictemper.text._processes import in_processes
from topictemper.text._unknown import UnknownWords


@pytest.fixture(autouse=True)
def soon(monkeypatch):
    """Let other processes start after one batch of five documents."""
    monkeypatch.setattr(_processes, "_FIRST_HERE", 1)
    monkeypatch.setattr(_batches, "_MOST_DOCUMENTS", 5)


@pytest.fixture
def forks(monkeypatch):
    """Let other processes be forks of one that has the package, and so start at once.

    Those of users take a second to import it. Tests without this fixture start such processes.
    """
    if "forkserver" in multiprocessing.get_all_start_methods():
        context = multiprocessing.get_context("forkserver")
        context.set_forkserver_preload(["pytest", "topictemper.text"])
        monkeypatch.setattr("joblib.externals.loky.backend.get_context", lambda _: context)


def texts(n=60):
    rng = np.random.default_rng(0)
    words = np.array([f"word{i}" for i in range(30)])
    return [" ".join([*rng.choice(words, 6), f"new{row % 40}"]) for row in range(n)]


def functions():
    """Functions that other processes get as a whole: they cannot import these tests."""

    def process_of(number):
        return number, os.getpid()

    def failing(number):
        if number == 2:
            raise ValueError("two")
        return number

    def ended(number):
        os._exit(1)

    def interrupted(number):
        os.kill(os.getpid(), signal.SIGINT)
        return number

    return map(wrap_non_picklable_objects, (process_of, failing, ended, interrupted))


process_of, failing, ended, interrupted = functions()


def test_results_are_in_order_and_from_other_processes():
    numbers, processes = zip(*in_processes(process_of, range(12), 2), strict=True)
    assert numbers == tuple(range(12))
    assert processes[0] == os.getpid()
    assert os.getpid() not in processes[1:]


def test_few_parts_need_no_other_process(monkeypatch):
    monkeypatch.setattr(_processes, "_FIRST_HERE", 3)
    assert {process for _, process in in_processes(process_of, range(3), 2)} == {os.getpid()}


def test_a_daemon_works_alone(monkeypatch):
    monkeypatch.setattr(_processes, "current_process", lambda: SimpleNamespace(daemon=True))
    assert {process for _, process in in_processes(process_of, range(5), 2)} == {os.getpid()}


def test_a_process_without_standard_output_works_alone(monkeypatch):
    monkeypatch.setattr(sys, "stdout", None)
    assert {process for _, process in in_processes(process_of, range(5), 2)} == {os.getpid()}


@pytest.mark.skipif(os.name != "posix", reason="Ctrl-C is no signal to a process there")
def test_ctrl_c_is_left_to_the_first_process(forks, monkeypatch):
    monkeypatch.setattr(_processes, "_FIRST_HERE", 0)
    assert list(in_processes(interrupted, range(4), 2)) == [0, 1, 2, 3]


def test_an_error_comes_after_the_results_before_it(forks):
    def source():
        yield from range(4)
        raise OSError("the stream broke off")

    results = in_processes(process_of, source(), 2)
    assert [next(results)[0] for _ in range(4)] == [0, 1, 2, 3]
    with pytest.raises(OSError, match="broke off"):
        next(results)

    results = in_processes(failing, range(9), 2)
    assert [next(results), next(results)] == [0, 1]
    with pytest.raises(ValueError, match="two"):
        next(results)


def test_a_process_that_ends_is_an_error(forks, monkeypatch):
    monkeypatch.setattr(_processes, "_FIRST_HERE", 0)
    with pytest.raises(ChildProcessError, match=r"ended early; was memory short.+n_jobs=1"):
        list(in_processes(ended, range(4), 2))


@pytest.mark.filterwarnings("ignore:the texts have more than 50 different words")
@pytest.mark.parametrize("on_disk", [False, True])
def test_counts_are_those_of_one_process(forks, monkeypatch, tmp_path, on_disk):
    monkeypatch.setattr(_vocabulary, "MOST_WORDS", 50)  # on disk words are forgotten
    found = []
    for n_jobs in (1, 2):
        folder = tmp_path / str(n_jobs) if on_disk else None
        vectorizer = CountVectorizer(stop_words=["word3"])
        counted = learn_vocabulary(texts(), vectorizer, folder, n_jobs=n_jobs)
        found.append((counted.counts.toarray(), counted.words, counted.unknown_share))
    (one, *rest_of_one), (two, *rest_of_two) = found
    assert_array_equal(one, two)
    assert rest_of_one == rest_of_two


def test_unknown_words_and_long_texts_are_those_of_one_process(forks):
    long = "word1 word2 unknown\n" * (LONG // 19 + 1)
    documents = [*texts(20), long, *texts(20)]
    vectorizer = CountVectorizer(vocabulary=[f"word{i}" for i in range(20)]).fit([])
    found = []
    for n_jobs in (None, 2):
        unknown = UnknownWords()
        parts = count_by_vocabulary(documents, vectorizer, unknown, n_jobs)
        found.append((list(parts), list(unknown.most_common(99).items())))
    (parts, *rest), (others, *rest_of_others) = found
    assert len(parts) == len(others)
    for part, other in zip(parts, others, strict=True):
        for array, same in zip(part, other, strict=True):
            assert_array_equal(array, same)
            assert array.dtype == same.dtype
    assert rest == rest_of_others


def test_the_document_that_is_no_text_is_named(forks):
    documents = [text.encode() for text in texts()]
    documents[33] = b"caf\xe9 word1"
    with pytest.raises(ValueError, match="document 33 is not utf-8"):
        learn_vocabulary(documents, CountVectorizer(), None, n_jobs=2)


class LinkedString(str):
    """Like the strings of Beautiful Soup, which know their page."""


def test_texts_may_be_strings_that_hold_more(forks):
    documents = [LinkedString(text) for text in texts()]
    for document in documents:
        document.page = Lock()  # which cannot be sent to a process
    one, two = (
        learn_vocabulary(documents, CountVectorizer(), None, n_jobs=n).counts.toarray()
        for n in (1, 2)
    )
    assert_array_equal(one, two)


def test_warnings_are_given_by_the_first_process_only(capfd):
    vectorizer = CountVectorizer(stop_words=["isn't"])
    with pytest.warns(UserWarning, match="stop_words may be inconsistent"):
        learn_vocabulary(texts(), vectorizer, None, n_jobs=2)
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize("name", ["tokenizer", "preprocessor", "analyzer", "strip_accents"])
def test_functions_are_called_in_this_process(name):
    processes = set()

    def function(text):
        processes.add(os.getpid())
        return text if name in ("preprocessor", "strip_accents") else text.split()

    learn_vocabulary(texts(), CountVectorizer(**{name: function}), None, n_jobs=2)
    assert processes == {os.getpid()}


@pytest.mark.filterwarnings("ignore:60 of 480 words")
def test_models_of_any_n_jobs_are_the_same(forks):
    lda = TemperedLDA(3, max_iter=4)
    one, two = (
        TopicModel(vectorizer=CountVectorizer(), lda=lda, random_state=0, n_jobs=n).fit(texts())
        for n in (1, 2)
    )
    assert_array_equal(one.lda_.components_, two.lda_.components_)
    assert_array_equal(one.transform(texts()), two.transform(texts()))
    more = [text + " more" for text in texts()]
    one.update(iter(more))
    two.update(iter(more))
    assert_array_equal(one.lda_.components_, two.lda_.components_)
    assert one.unknown_share_ == two.unknown_share_
    assert one.unknown_words_.word.tolist() == two.unknown_words_.word.tolist()


def run_script(folder, end):
    """Run a script that counts in other processes, and wait for all processes that write."""
    script = folder / "script.py"
    script.write_text(
        textwrap.dedent("""
            import os, signal
            from topictemper.text import _batches, _processes
            from topictemper.text._counting import count_by_vocabulary
            from sklearn.feature_extraction.text import CountVectorizer

            print("begun")
            _processes._FIRST_HERE, _batches._MOST_DOCUMENTS = 1, 1
            vectorizer = CountVectorizer(vocabulary=["word"]).fit([])
            parts = count_by_vocabulary(20 * ["a word"], vectorizer, n_jobs=2)
            print(sum(int(next(parts).counts.sum()) for _ in range(5)), flush=True)
        """)
        + end
    )
    command = [sys.executable, "-W", "error", script]
    return subprocess.run(command, capture_output=True, text=True, timeout=300)


@pytest.mark.parametrize("end", ["del parts", ""])
def test_scripts_need_no_guard_and_leave_nothing(tmp_path, end):
    run = run_script(tmp_path, end)
    assert (run.stdout, run.stderr, run.returncode) == ("begun\n5\n", "", 0)


@pytest.mark.skipif(os.name != "posix", reason="needs SIGKILL")
def test_a_killed_script_leaves_no_process(tmp_path):
    run = run_script(tmp_path, "os.kill(os.getpid(), signal.SIGKILL)")
    assert (run.stdout, run.stderr, run.returncode) == ("begun\n5\n", "", -signal.SIGKILL)
