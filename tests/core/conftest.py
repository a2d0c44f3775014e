from collections.abc import Iterator

import pytest

from topictemper import available_isas, get_isa, set_isa


@pytest.fixture(params=available_isas())
def isa(request: pytest.FixtureRequest) -> Iterator[str]:
    """Every instruction set of this machine in turn; afterwards the one there was before."""
    before = get_isa()
    set_isa(request.param)
    yield request.param
    set_isa(before)
