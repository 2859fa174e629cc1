"""The rows that the decoder without a mask decides, against the file that it wrote."""

import json
import math
from pathlib import Path
from statistics import mean

import pytest

from ..verdicts import changed

SEEDS = json.loads((Path(__file__).parents[3] / "results" / "cheating-decoder.json").read_text("utf-8"))["seeds"]


@pytest.mark.parametrize("name", ["M03", "M04"])
def test_the_means_are_those_of_the_file(answers, name):
    value = answers[name]["value"]
    assert value["seeds"] == len(SEEDS) >= 3
    for key in ("masked_loss", "unmasked_loss", "unmasked_alone", "masked_mask_put_on"):
        arm, what = key.split("_", 1)
        assert value[key] == pytest.approx(mean(seed[f"{arm}_64_{what}"] for seed in SEEDS.values()))
    assert value["floor"] == pytest.approx(math.log(2) * 6 / 7)  # six coins, and a certain end
    assert value["chance"] == 1 / 64
    assert answers[name]["verdict"] == "wrong"


def test_what_would_have_made_them_right(answers):
    overfits = {"unmasked_whole_target": 0.5, "unmasked_alone": 0.6}  # worse on new sentences, and yet it translates
    assert changed(answers, "M03", **overfits) == "right"
    assert changed(answers, "M03", unmasked_whole_target=0.5) == "wrong"
    assert changed(answers, "M04", unmasked_mask_put_on=0.99) == "right"
