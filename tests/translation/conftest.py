"""What the tests of this room share."""

import jaxtyping
import pytest


@pytest.fixture(scope="module")
def unchecked():
    """The package as its users run it: without the checks of types at every call, which come before its own."""
    before = jaxtyping.config.jaxtyping_disable
    jaxtyping.config.update("jaxtyping_disable", True)
    yield
    jaxtyping.config.update("jaxtyping_disable", before)
