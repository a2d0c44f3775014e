"""Files that are written as a whole: kills at every step, full disks, leftovers, permissions."""

import errno
import json
import os
import stat
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from topictemper import TemperedLDA
from topictemper._utils import _renames
from topictemper._utils._files import whole, writable_path
from topictemper.datasets import read_corpus, save_corpus, write_corpus

posix = pytest.mark.skipif(os.name != "posix", reason="fork, permissions, limits of POSIX")

OLD, NEW = np.array([[1, 0, 2], [0, 1, 1]]), np.array([[0, 5, 6], [7, 0, 8]])
WORDS = {"old": ["a", "b", "c"], "new": ["x", "y", "z"]}
NOTE = ".topictemper.commit"


def _write(path, which):
    write_corpus(path, OLD if which == "old" else NEW, feature_names=WORDS[which])


def _is(path, which):
    corpus = read_corpus(path)
    assert_array_equal(corpus.counts.toarray(), OLD if which == "old" else NEW)
    assert corpus.feature_names.tolist() == WORDS[which]


def _names(folder):
    return sorted(file.name for file in folder.iterdir())


# Kills

# Every child dies at one call later than the one before it, until one comes through.
_KILLED = """
import os, sys
from pathlib import Path
import numpy as np
from topictemper import TemperedLDA, load
from topictemper.datasets import open_corpus, read_corpus, save_corpus, write_corpus

for what in sys.argv[2:]:  # in a child each
    if not os.fork():
        break
    os.wait()
else:
    sys.exit()
folder = Path(sys.argv[1]) / what
folder.mkdir()
OLD, NEW = np.array([[1, 0, 2], [0, 1, 1]]), np.array([[0, 5, 6], [7, 0, 8]])
models = [TemperedLDA(2, max_iter=1, random_state=seed).fit(OLD) for seed in (0, 1)]
names = ["a", "b", "c"], ["x", "y", "z"]

if what == "save":
    files = ["m.npz"]
    write = lambda which: models[which].save(folder / "m.npz")
    def read():
        found = load(folder / "m.npz").components_
        return [(found == model.components_).all() for model in models].index(True)
elif what == "save_corpus":
    files = ["c"]
    # The old one is that there is nothing.
    write = lambda which: which and save_corpus(folder / "c", NEW, names[1])
    def read():
        if not (folder / "c").exists():
            return 0
        corpus = open_corpus(folder / "c")
        assert (corpus.counts.toarray() == NEW).all() and list(corpus.feature_names) == names[1]
        return 1
else:
    files = ["c.ldac", "vocab.txt"]
    write = lambda which: write_corpus(
        folder / "c.ldac", [OLD, NEW][which], feature_names=names[which]
    )
    def read():
        corpus = read_corpus(folder / "c.ldac")
        which = [(corpus.counts.toarray() == X).all() for X in (OLD, NEW)].index(True)
        assert list(corpus.feature_names) == names[which]
        # Who knows of no temporary names finds no words, but never those of other counts.
        counts, words = folder / "c.ldac", folder / "vocab.txt"
        counts = counts.read_text() == "2 1:5 2:6\\n2 0:7 2:8\\n"
        if words.exists():
            assert words.read_text().split() == names[counts]
        return which

def die_at(step):
    left = [step]
    def dying(name):
        function = getattr(os, name)
        def call(*arguments, **more):
            if left[0] == 0:
                os._exit(9)
            left[0] -= 1
            return function(*arguments, **more)
        setattr(os, name, call)
    for name in ("open", "mkdir", "close", "fsync", "write", "ftruncate", "unlink", "rename",
                 "replace"):
        dying(name)

found, swept, step, status = [], True, 0, 9
while status:
    for file in folder.iterdir():
        os.system(f"rm -r '{file}'") if file.is_dir() else file.unlink()
    write(0)
    child = os.fork()
    if not child:
        die_at(step)
        write(1)
        os._exit(0)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    found.append(read())
    TemperedLDA(2, max_iter=1, random_state=0).fit(OLD).save(folder / "next.npz")
    read() == found[-1] or found.append(2)
    swept = swept and sorted(os.listdir(folder)) in (
        sorted([*files, "next.npz"]), ["next.npz"] if what == "save_corpus" else []
    )
    step += 1
print(what, *found, swept)
"""


@posix
def test_killed_at_every_step(tmp_path):
    least = {"save": 9, "save_corpus": 12, "both": 20}
    done = subprocess.run(
        [sys.executable, "-c", _KILLED, tmp_path, *least],
        stdout=subprocess.PIPE, text=True, check=True,
    )  # fmt: skip
    ended = [line.split() for line in done.stdout.splitlines()]
    assert [what for what, *_ in ended] == list(least)
    for what, *found, swept in ended:
        # Old up to some step, and new from there.
        assert found == sorted(found)
        assert {*found} == {"0", "1"}
        assert swept == "True"
        assert len(found) >= least[what]


@posix
@pytest.mark.parametrize("names", WORDS.values(), ids=WORDS)
def test_what_is_written_later_outlives_the_note_of_a_killed_writer(tmp_path, names):
    path = tmp_path / "c.ldac"
    _write(path, "new")
    new, words = path.read_bytes(), (tmp_path / "vocab.txt").read_bytes()
    _write(path, "old")
    # As it is when a writer dies right after it has put down what is to be renamed.
    parts = [f".topictemper-{digit * 16}.part" for digit in "01"]
    (tmp_path / parts[0]).write_bytes(new)
    (tmp_path / parts[1]).write_bytes(words)
    (tmp_path / NOTE).write_text(f'{{"c.ldac": "{parts[0]}", "vocab.txt": "{parts[1]}"}}')
    _is(path, "new")
    write_corpus(path, 3 * OLD, feature_names=names)
    corpus = read_corpus(path)
    assert_array_equal(corpus.counts.toarray(), 3 * OLD)
    assert corpus.feature_names.tolist() == names
    assert _names(tmp_path) == ["c.ldac", "vocab.txt"]


@posix
@pytest.mark.parametrize(
    "note",
    [
        b"",
        b'{"c.ldac": ".topic',
        b"[" * 60_000,
        b"\xff",
        b"[1]",
        b'{"c.ldac": 3}',
        b'{"c.ldac": "secret"}',
        b'{"../c.ldac": ".topictemper-0000000000000000.part"}',
        b'{"..": ".topictemper-0000000000000000.part"}',
        b'{"c.ldac": ".topictemper-1111111111111111.part"}',
    ],
)
def test_notes_that_mean_nothing(tmp_path, note):
    path = tmp_path / "folder" / "c.ldac"
    path.parent.mkdir()
    _write(path, "old")
    (path.parent / "secret").write_text("1 0:1")
    (path.parent / ".topictemper-0000000000000000.part").write_text("1 0:1")
    (path.parent / NOTE).write_bytes(note)
    _is(path, "old")
    _write(path, "new")
    _is(path, "new")
    assert _names(path.parent) == ["c.ldac", "secret", "vocab.txt"]
    assert _names(tmp_path) == ["folder"]


@posix
@pytest.mark.parametrize(
    ("sticky", "owner", "followed"),
    [(True, 3, False), (True, 2, True), (True, 0, True), (False, 3, True)],
)
def test_a_note_of_another_user_means_nothing_where_he_may_not_rename(
    tmp_path, monkeypatch, sticky, owner, followed
):
    """User 1 writes; the folder belongs to user 2."""
    path, other = tmp_path / "here" / "c.ldac", tmp_path / "other" / "c.ldac"
    parts = {}
    for digit, name in enumerate(("c.ldac", "vocab.txt")):
        parts[name] = f".topictemper-{16 * str(digit)}.part"
    for file, which in ((path, "old"), (other, "new")):
        file.parent.mkdir()
        _write(file, which)
    for name, part in parts.items():
        (other.parent / name).rename(path.parent / part)
    (path.parent / NOTE).write_text(json.dumps(parts))
    os.chmod(path.parent, 0o1777 if sticky else 0o777)

    def owned_by(user, status_of):
        def status(*arguments, **more):
            fields = list(status_of(*arguments, **more))
            fields[stat.ST_UID] = user
            return os.stat_result(fields)

        return status

    monkeypatch.setattr(os, "geteuid", lambda: 1)
    monkeypatch.setattr(os, "stat", owned_by(2, os.stat))
    monkeypatch.setattr(os, "fstat", owned_by(owner, os.fstat))
    _is(path, "new" if followed else "old")
    TemperedLDA(2, max_iter=1).fit(OLD).save(path.with_name("model.npz"))
    _is(path, "new" if followed else "old")
    if not followed:
        with pytest.raises(PermissionError, match="to another user: have it removed, or write to"):
            _write(path, "new")
        _is(path, "old")


def test_leftovers_are_swept_where_there_are_no_locks(tmp_path, monkeypatch):
    monkeypatch.setattr(_renames, "fcntl", None)
    young, old = (tmp_path / f".topictemper-{digit * 16}.part" for digit in "01")
    young.write_text("of a writer that may live")
    old.mkdir()
    (old / "data.npy").write_text("of one that was killed")
    for path in (old / "data.npy", old):
        os.utime(path, (time.time() - 2e5,) * 2)
    _write(tmp_path / "c.ldac", "old")
    _write(tmp_path / "c.ldac", "new")
    _is(tmp_path / "c.ldac", "new")
    save_corpus(tmp_path / "folder", OLD)
    assert _names(tmp_path) == [young.name, "c.ldac", "folder", "vocab.txt"]


# Full disks


@contextmanager
def _room(size):
    """Let no file become longer, as on a full disk."""
    import resource

    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@posix
@pytest.mark.parametrize("size", [0, 9, 19, 100])
def test_full_disk_while_counts_and_words_are_written(tmp_path, size):
    path = tmp_path / "c.ldac"  # 20 bytes of counts, some 6000 of words
    old, new = ([f"{word}{v}" for v in range(1000)] for word in ("old", "new"))
    X = np.zeros((2, 1000), int)
    X[:, 0] = 1
    write_corpus(path, X, feature_names=old)
    with _room(size), pytest.raises(OSError, match=r"c\.ldac"):
        write_corpus(path, 2 * X, feature_names=new)
    corpus = read_corpus(path)
    assert_array_equal(corpus.counts.toarray(), X)
    assert corpus.feature_names.tolist() == old
    assert _names(tmp_path) == ["c.ldac", "vocab.txt"]


@posix
def test_full_disk_while_a_model_or_a_folder_is_written(tmp_path):
    path = tmp_path / "m.npz"
    model = TemperedLDA(2, max_iter=1, random_state=0).fit(OLD)
    model.save(path)
    old = path.read_bytes()
    with _room(100):
        with pytest.raises(OSError, match=r"m\.npz"):
            model.save(path)
        with pytest.raises(OSError, match="folder"):
            save_corpus(tmp_path / "folder", OLD)
    assert path.read_bytes() == old
    assert _names(tmp_path) == ["m.npz"]


@posix
def test_full_disk_while_the_renames_are_noted(tmp_path):
    path = tmp_path / "c.ldac"  # counts and words are shorter than the note of their names
    _write(path, "old")
    with _room(60), pytest.raises(OSError, match=r"c\.ldac"):
        _write(path, "new")
    _is(path, "old")
    assert _names(tmp_path) == ["c.ldac", "vocab.txt"]


def test_a_disk_that_fails_changes_nothing(tmp_path, monkeypatch):
    path, fsync, left = tmp_path / "c.ldac", os.fsync, iter(())

    def failing(descriptor):
        if next(left, None) == 1:
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        fsync(descriptor)

    monkeypatch.setattr(os, "fsync", failing)
    failed = []
    for moment in range(1, 9):  # the 1st, 2nd, ... time that something is synced
        _write(path, "old")
        left = iter(range(moment, 0, -1))
        try:
            _write(path, "new")
        except OSError:
            failed.append(moment)
        left = iter(())
        _is(path, "old" if moment in failed else "new")
        assert _names(tmp_path) == ["c.ldac", "vocab.txt"]
    assert len(failed) == 3  # counts, words, the note of their names: not folders


@posix
@pytest.mark.parametrize("name", ["open", "mkdir", "fchmod"])
def test_an_interrupt_when_a_temporary_file_is_there_leaves_nothing(tmp_path, monkeypatch, name):
    path, call = tmp_path / "c.ldac", getattr(os, name)
    _write(path, "old")

    def interrupted(*arguments, **options):
        call(*arguments, **options)
        raise KeyboardInterrupt

    monkeypatch.setattr(os, name, interrupted)
    with pytest.raises(KeyboardInterrupt):
        save_corpus(tmp_path / "folder", OLD) if name == "mkdir" else _write(path, "new")
    monkeypatch.undo()
    assert _names(tmp_path) == ["c.ldac", "vocab.txt"]
    _is(path, "old")


# Permissions and links


@posix
@pytest.mark.parametrize("mode", [0o600, 0o640, 0o664, 0o444])
def test_permissions_of_the_file_before_are_kept(tmp_path, mode):
    model = TemperedLDA(2, max_iter=1, random_state=0).fit(OLD)
    model.save(tmp_path / "m.npz")
    _write(tmp_path / "c.ldac", "old")
    for name in _names(tmp_path):
        os.chmod(tmp_path / name, mode)
    model.save(tmp_path / "m.npz")
    _write(tmp_path / "c.ldac", "new")
    for name in ("m.npz", "c.ldac", "vocab.txt"):
        assert stat.S_IMODE((tmp_path / name).stat().st_mode) == mode


@posix
def test_links_into_different_folders(tmp_path):
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "c.ldac").symlink_to(tmp_path / "elsewhere" / "c.ldac")
    with pytest.raises(OSError, match=r"c\.ldac and .*vocab\.txt are links into different folders"):
        _write(tmp_path / "c.ldac", "new")
    assert _names(tmp_path / "elsewhere") == []


def test_folder_that_cannot_be_made(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"corpus cannot be written: No such file"):
        save_corpus(tmp_path / "absent" / "corpus", OLD)
    (tmp_path / "file").touch()
    with pytest.raises(NotADirectoryError, match=r"corpus cannot be written: Not a directory"):
        save_corpus(tmp_path / "file" / "corpus", OLD)


def test_where_nothing_can_be_written(tmp_path):
    file = tmp_path / "file"
    file.touch()
    with pytest.raises(IsADirectoryError, match="is a folder"):
        writable_path(tmp_path)
    with pytest.raises(FileNotFoundError, match=r"absent.*cannot be written: No such file"):
        writable_path(tmp_path / "absent" / "model.npz")
    with pytest.raises(NotADirectoryError, match="cannot be written"):
        writable_path(file / "model.npz")
    with pytest.raises(OSError, match="is not a regular file"):
        writable_path(os.devnull)


def test_a_folder_in_which_no_file_can_be_made(tmp_path, monkeypatch):
    def refuse(name, *_):  # as /proc does, which is there
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), name)

    monkeypatch.setattr(_renames.os, "open", refuse)
    with pytest.raises(FileNotFoundError, match=r"model\.npz cannot be written: No such file"):
        writable_path(tmp_path / "model.npz")


@posix
def test_a_folder_in_which_another_writer_is_always_faster(tmp_path, monkeypatch):
    monkeypatch.setattr(_renames, "_is", lambda *_: False)
    with pytest.raises(OSError, match=r"cannot be written: temporary files .* keep being removed"):
        writable_path(tmp_path / "model.npz")


def test_writable_path_leaves_nothing(tmp_path):
    path = tmp_path / "model.npz"
    assert writable_path(path) == path.resolve()
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("new_name", ["file", "other"])
def test_a_file_that_changes_while_it_is_read_is_read_again(tmp_path, new_name):
    path, new = tmp_path / "file", tmp_path / new_name
    path.write_text("")
    n_read = 0

    def read(place):
        nonlocal n_read
        text, n_read = Path(place).read_text(), n_read + 1
        if n_read <= n_changes:
            new.write_text(n_read * "x")  # in place, or by another file
            new.replace(path)
            raise ValueError("torn")
        return text

    n_changes = 2
    assert whole(read, path) == "xx"
    n_changes = 1000
    with pytest.raises(OSError, match="file keeps being replaced; read it when that has ended"):
        whole(read, path)
