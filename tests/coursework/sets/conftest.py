"""What the tests of every problem set share: its solutions as functions, and the numbers of one variant.

A module says in `NAME`, `VARIANT` and `SEED` which set it tests, with which numbers, and where its drawing begins.
"""

import runpy
from types import SimpleNamespace

import numpy as np
import pytest

from coursework.building.course import SETS
from coursework.building.grader_file import write_grader_file
from coursework.building.master import read_master
from coursework.building.variants import draw, with_variant


@pytest.fixture(scope="module")
def master(request):
    return read_master(SETS / request.module.NAME / "master.md")


@pytest.fixture(scope="module")
def answers(request, tmp_path_factory):
    """The solutions, as functions, with the numbers of one variant: no hidden test is drawn for them."""
    name = request.module.NAME
    varied = with_variant(read_master(SETS / name / "master.md"), request.module.VARIANT)
    names = runpy.run_path(str(write_grader_file(varied, tmp_path_factory.mktemp(name))))
    return SimpleNamespace(**{name: names[name] for name in names if callable(names[name])})


@pytest.fixture(scope="module")
def numbers(request, master):
    return SimpleNamespace(**draw(master, request.module.VARIANT))


@pytest.fixture
def rng(request):
    return np.random.default_rng(request.module.SEED)
