"""What all result readers share, on a made-up result."""

import inspect
from importlib import import_module
from pkgutil import walk_packages

import pytest

from attention_book import readers
from attention_book.readers.reader import ResultReader


@pytest.fixture
def made_up():
    seeds = {"3": {"loss": 1.0, "curve": [4.0, 1.0], "pairs": 7}, "5": {"loss": 2.0, "curve": [6.0, 2.0], "pairs": 7}}
    return ResultReader({"configuration": {"steps": 10}, "seeds": seeds})


def test_what_was_chosen_and_how_many_seeds_were_run(made_up):
    assert made_up.setting == {"steps": 10} and made_up.n_seeds == 2
    assert [seed["loss"] for seed in made_up.seeds] == [1.0, 2.0]


def test_a_metric_has_a_row_per_seed_and_a_spread_of_the_kind_asked_for(made_up):
    assert made_up.of("loss").tolist() == [1, 2] and made_up.of("curve").tolist() == [[4, 1], [6, 2]]
    assert f"{made_up.measured('loss'):.2f}" == "1.50\xa0±\xa00.71"  # √(2 · ¼)
    error = made_up.measured("loss", "error")
    assert (error.value, error.spread, error.kind) == (1.5, pytest.approx(0.5), "error")
    with pytest.raises(KeyError, match="accuracy"):
        made_up.of("accuracy")


def test_only_what_is_equal_in_all_seeds_is_shared(made_up):
    assert made_up.shared("pairs") == 7
    with pytest.raises(ValueError, match=r"loss differs between seeds: \[1.0, 2.0\]"):
        made_up.shared("loss")


def test_what_was_found_is_that_of_the_one_seed(made_up):
    with pytest.raises(ValueError):
        _ = made_up.found
    assert ResultReader({"configuration": {}, "seeds": {"0": {"loss": 1.0}}}).found == {"loss": 1.0}


def test_whoever_reads_a_result_does_so_through_the_common_reader():
    modules = [
        import_module(found.name)
        for found in walk_packages(readers.__path__, f"{readers.__name__}.")
        if not found.ispkg and "experiments.read(" in inspect.getsource(import_module(found.name))
    ]
    assert len(modules) > 15
    for module in modules:
        assert isinstance(module.read(), ResultReader), module.__name__
