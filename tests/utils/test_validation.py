import numpy as np
import pytest

from topictemper._utils import _validation as check


def test_tables_include_the_ends_of_their_range():
    ends = [1.0, 2.0]
    assert check.table("it", ends, [(2,)], 1.0, 2.0).tolist() == ends
    for wrong in (0.999, 2.001, np.nan, np.inf):
        with pytest.raises(
            ValueError, match=rf"it must hold .* from 1 to 2, got {wrong} at \(1,\)"
        ):
            check.table("it", [1.5, wrong], [(2,)], 1.0, 2.0)


@pytest.mark.parametrize("flag", [True, np.False_])
def test_a_flag_is_no_number(flag):
    for kind, wanted in ((check.integer, "int"), (check.number, "float")):
        with pytest.raises(TypeError, match=f"it must be an instance of {wanted}, not bool"):
            kind("it", flag, 0)
