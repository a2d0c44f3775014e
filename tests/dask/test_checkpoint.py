"""The folder of a checkpoint, whatever the model."""

import numpy as np
import pytest

from topictemper.dask._checkpoint import Checkpoint, State, as_json
from topictemper.dask._executors import Local


def test_the_last_round_and_the_best_one_stay(tmp_path):
    checkpoint = Checkpoint(tmp_path, {"seed": 0})
    assert checkpoint.begin() is None
    for n, best in ((1, 1), (2, 1), (3, 1), (4, 4)):
        written = State(n, {"n": n}, [np.full(2, n)], [np.full(2, -n)])
        read = checkpoint.write(Local(), written, {"best_round": best})
        assert (read.n_rounds, read.tree) == (n, {"n": n})
        assert (read.blocks[0].tolist(), read.averages[0].tolist()) == ([n, n], [-n, -n])
        rounds = {path.name for path in tmp_path.glob("round-*")}
        assert rounds == {f"round-{k:06d}" for k in (n, best)}
    assert Checkpoint(tmp_path, {"seed": 0}).begin() == {"best_round": 4}
    with pytest.raises(ValueError, match="of another fit: seed was 0 and is 1 now"):
        Checkpoint(tmp_path, {"seed": 1}).begin()
    with pytest.raises(FileExistsError, match="checkpoint of an earlier fit"):
        Checkpoint.check_new(tmp_path)


def test_parameters_with_other_arrays_are_others():
    array = np.arange(6.0)
    same = [as_json({"prior": [1, 2], "init": value}) for value in (array, array.copy())]
    assert same[0] == same[1]
    for other in (array.reshape(2, 3), array.astype(np.float32), array + 1, array.view(np.int64)):
        assert as_json({"prior": [1, 2], "init": other}) != same[0]
