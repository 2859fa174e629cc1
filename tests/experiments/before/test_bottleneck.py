"""The width of a state: a small run holds what it promises, and every setting is the model that its name says."""

import copy

import pytest

from attention_book.experiments.before import bottleneck
from attention_book.experiments.recurrent_study import shape


@pytest.mark.slow
def test_a_small_run_holds_every_setting_and_floor():
    configuration = copy.deepcopy(bottleneck.CONFIGURATION)
    configuration["settings"] = {name: configuration["settings"][name] for name in ("32", "128 once")}
    configuration |= {"drawn": 300, "examined": 4}
    configuration["training"] |= {"tokens": 400}
    found = bottleneck.run_seed(0, configuration)
    groups = configuration["groups"]
    for name in configuration["settings"]:
        assert len(found[f"{name}/loss"]) == len(found[f"{name}/right"]) == len(groups)
        assert all(loss > floor for loss, floor in zip(found[f"{name}/loss"], found["floor"], strict=True))
        assert set(found[f"{name}/right"]) == {0.0}  # 400 tokens teach nobody
    assert 800 <= found["tokens"] < 1600
    assert found["128 once/parameters"] > found["32/parameters"]


@pytest.mark.parametrize("name", bottleneck.CONFIGURATION["settings"])
def test_a_setting_is_what_it_is_called(name):
    configuration = bottleneck.CONFIGURATION
    config = shape({**configuration["common"], **configuration["settings"][name]}, 50)
    assert config.score is None
    assert not config.bidirectional
    assert config.decoder_width == config.encoder_width == int(name.split()[0])
    assert config.reverse_source == ("reversed" in name)
    assert config.reminds == ("once" if "once" in name else "always")
