import json
import sys
from types import ModuleType

import pytest

from attention_book import experiments, paths
from attention_book.experiments import runner
from attention_book.models.checkpoints import CheckpointError
from attention_book.provenance import code_digest, environment

WRITTEN = sorted(experiments.results_folder().glob("*.json"), key=lambda path: path.stem)


@pytest.fixture
def coin(monkeypatch):
    """A made-up experiment: each seed's metric is the seed itself."""
    module = ModuleType("attention_book.experiments.coin")
    module.QUESTION = "Which side is up?"
    module.CONFIGURATION = {"sides": 2}
    module.SEEDS = (3, 5)
    module.run_seed = lambda seed, configuration: {"up": seed / configuration["sides"], "tokens": 10}
    monkeypatch.setitem(sys.modules, module.__name__, module)
    monkeypatch.setattr(runner, "_homes", lambda: {"coin": ".coin"})
    monkeypatch.setattr(runner, "digest", lambda name: "0" * 16)
    monkeypatch.setattr(runner, "seed_digest", lambda name: f"{module.CONFIGURATION['sides']:016d}")
    return module


def test_a_result_tells_what_was_run_where_and_when(coin, tmp_path):
    path = experiments.run("coin", tmp_path, progress=False)
    result = json.loads(path.read_text(encoding="utf-8"))
    assert path.name == "coin.json"
    assert result["seeds"] == {"3": {"up": 1.5, "tokens": 10}, "5": {"up": 2.5, "tokens": 10}}
    assert result["tokens"] == 20
    assert result["configuration"] == coin.CONFIGURATION and result["question"] == coin.QUESTION
    assert result["command"].endswith("experiment coin")
    assert result["machine"] == environment.machine() and result["versions"] == environment.versions()
    assert experiments.read("coin", tmp_path) == result


def counted(module, monkeypatch):
    """The seeds that are run from now on, in a list that grows."""
    ran, before = [], module.run_seed
    monkeypatch.setattr(module, "run_seed", lambda seed, configuration: ran.append(seed) or before(seed, configuration))
    return ran


def test_a_resumed_run_computes_only_the_seeds_that_are_missing_and_ends_as_a_whole_one(coin, tmp_path, monkeypatch):
    first, second = tmp_path / "first", tmp_path / "second"
    experiments.run("coin", first, progress=False)
    monkeypatch.setattr(coin, "SEEDS", (3, 5, 7))
    ran = counted(coin, monkeypatch)
    resumed = experiments.run("coin", first, progress=False, resume=True)
    assert ran == [7]
    whole = experiments.run("coin", second, progress=False)
    both = [json.loads(path.read_text(encoding="utf-8")) for path in (resumed, whole)]
    assert list(both[0]["seeds"]) == ["3", "5", "7"] and both[0]["tokens"] == 30
    assert {**both[0], "seconds": 0} == {**both[1], "seconds": 0}


def test_a_resumed_run_starts_anew_if_its_code_has_changed_or_nobody_asks_it_to_resume(coin, tmp_path, monkeypatch):
    experiments.run("coin", tmp_path, progress=False)
    ran = counted(coin, monkeypatch)
    experiments.run("coin", tmp_path, progress=False)
    assert ran == [3, 5]
    coin.CONFIGURATION["sides"] = 4
    experiments.run("coin", tmp_path, progress=False, resume=True)
    assert ran == [3, 5, 3, 5]
    assert experiments.read("coin", tmp_path)["seeds"]["3"]["up"] == 0.75


def test_a_run_that_may_be_resumed_keeps_each_seed_as_it_comes(coin, tmp_path, monkeypatch):
    def dies(seed, configuration):
        if seed == 5:
            raise KeyboardInterrupt
        return {"up": seed, "tokens": 1}

    monkeypatch.setattr(coin, "run_seed", dies)
    with pytest.raises(KeyboardInterrupt):
        experiments.run("coin", tmp_path, progress=False, resume=True)
    kept = experiments.read("coin", tmp_path)
    assert kept["seeds"] == {"3": {"up": 3, "tokens": 1}}
    assert experiments.missing_seeds("coin", kept["seeds"]) == ["5"]
    assert kept["code_digest"] == "" != kept["seed_digest"]
    monkeypatch.setattr(coin, "run_seed", lambda seed, configuration: {"up": seed, "tokens": 1})
    experiments.run("coin", tmp_path, progress=False, resume=True)
    whole = experiments.read("coin", tmp_path)
    assert whole["code_digest"] == experiments.runner.digest("coin")
    assert experiments.missing_seeds("coin", whole["seeds"]) == []


def test_a_failed_write_keeps_the_earlier_result(coin, tmp_path, monkeypatch):
    path = experiments.run("coin", tmp_path, progress=False)
    before = path.read_bytes()

    def full(self, *args, **kwargs):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("pathlib.Path.write_text", full)
    with pytest.raises(CheckpointError, match="No space left"):
        experiments.run("coin", tmp_path, progress=False)
    assert path.read_bytes() == before
    assert [p.name for p in tmp_path.iterdir()] == ["coin.json"]


def test_an_unknown_experiment_is_refused_with_the_list_of_known_ones():
    with pytest.raises(experiments.UnknownExperiment, match=r"no experiment 'nope'; there are: \w"):
        experiments.run("nope")


def test_a_missing_result_names_the_command(tmp_path):
    with pytest.raises(FileNotFoundError, match="python -m attention_book experiment coin"):
        experiments.read("coin", tmp_path)


def test_without_a_checkout_the_books_results_are_read_and_ones_own_are_written_and_come_first(
    coin, tmp_path, monkeypatch
):
    installed, here = tmp_path / "site-packages" / "attention_book", tmp_path / "here"
    here.mkdir()
    monkeypatch.setattr(paths, "PACKAGE", installed)
    monkeypatch.chdir(here)
    assert experiments.results_folder() == installed / "results"
    experiments.run("coin", installed / "results", progress=False)
    assert experiments.read("coin")["seeds"].keys() == {"3", "5"}
    monkeypatch.setattr(coin, "SEEDS", (7,))
    assert experiments.run("coin", progress=False) == here / "results" / "coin.json"
    assert experiments.read("coin")["seeds"].keys() == {"7"}
    assert experiments.read("coin", installed / "results")["seeds"].keys() == {"3", "5"}


@pytest.mark.parametrize("path", WRITTEN, ids=lambda path: path.stem)
def test_no_committed_result_is_older_than_its_code(path):
    result = json.loads(path.read_text(encoding="utf-8"))
    missing = experiments.missing_seeds(path.stem, result["seeds"])
    assert not missing, f"{path.name} lacks seed {', '.join(missing)}: run `{result['command']} --resume`"
    assert result["code_digest"] == experiments.digest(path.stem), (
        f"the code behind {path.name} has changed since {result['date']}: run `{result['command']}` again"
    )


def test_every_experiment_has_a_committed_result():
    assert [path.stem for path in WRITTEN] == experiments.names()


def test_the_digest_moves_with_code_and_not_with_docstrings(tmp_path, monkeypatch):
    package = tmp_path / "attention_book"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "parts.py").write_text('def part():\n    """One."""\n    return 1\n')
    (package / "whole.py").write_text("from .parts import part\n\nVALUE = part()\n")
    (package / "aside.py").write_text("ASIDE = 1\n")
    monkeypatch.setattr(code_digest, "PACKAGE", package)
    first = code_digest.code_digest("attention_book.whole")
    (package / "parts.py").write_text('def part():\n    """Another sentence."""\n    return 1  # and a comment\n')
    (package / "aside.py").write_text("ASIDE = 2\n")
    assert code_digest.code_digest("attention_book.whole") == first
    (package / "parts.py").write_text("def part():\n    return 2\n")
    assert code_digest.code_digest("attention_book.whole") != first
    with pytest.raises(ValueError, match="no such module"):
        code_digest.code_digest("attention_book.nothing")
