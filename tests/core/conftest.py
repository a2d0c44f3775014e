from collections.abc import Iterator

import pytest

from topictemper._core import _lda as _kernels


@pytest.fixture(params=_kernels.available_isas())
def isa(request: pytest.FixtureRequest) -> Iterator[str]:
    """Every instruction set of this machine in turn; afterwards the one there was before."""
    before = _kernels.isa()
    _kernels.use_isa(request.param)
    yield request.param
    _kernels.use_isa(before)
