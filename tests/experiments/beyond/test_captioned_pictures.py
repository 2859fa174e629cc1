"""Captions and pictures: they are what they say, the stream is shifted by one, a run reports."""

import itertools

import pytest
import torch

from attention_book.experiments.beyond import captioned_pictures as experiment
from attention_book.models.config import TransformerConfig
from attention_book.models.one_stack.decoder_only import DecoderOnly

SMALL = experiment.CONFIGURATION | {
    "arms": {"few": 3, "many": 4},
    "model": {"n_layers": 1, "d_model": 8, "n_heads": 2, "d_ff": 8, "dropout": 0.0, "norm": "pre"},
    "batch": 4,
    "steps": 2,
    "drawn": 2,
}
RED_BAR_LEFT = "R...R...R...R..."


def test_pictures_by_hand():
    assert experiment.pictures(("red", "bar", "left")) == [RED_BAR_LEFT]
    assert experiment.pictures(("green", "pair", "top")) == [".GG............."]
    assert experiment.pictures(("blue", "dot", "bottom")) == [
        "............B...",
        ".............B..",
        "..............B.",
        "...............B",
    ]


def test_every_token_has_an_id_of_its_own():
    assert len(set(experiment.VOCABULARY)) == len(experiment.VOCABULARY) == 6 + 12 + 3 + 4 + 1 + 12
    assert len(experiment.captions()) == 36 and len(experiment.captions(12)) == 144


@pytest.mark.parametrize("colours", [3, 12])
def test_a_third_is_left_out_and_any_two_of_its_words_are_seen(colours):
    everything = experiment.captions(colours)
    unseen = [caption for caption in everything if experiment.is_unseen(caption)]
    assert 3 * len(unseen) == len(everything) and ("red", "bar", "left") in unseen
    seen = {pair for caption in set(everything) - set(unseen) for pair in itertools.combinations(caption, 2)}
    assert all(pair in seen for caption in unseen for pair in itertools.combinations(caption, 2))


def test_a_stream_is_the_caption_then_the_pixels():
    caption = ("red", "bar", "left")
    told = [experiment.VOCABULARY[i] for i in experiment.caption_ids([caption])[0].tolist()]
    assert told == ["a", "red", "bar", "at", "the", "left", "</s>"]
    read, asked = experiment.shifted([RED_BAR_LEFT])
    assert [experiment.VOCABULARY[i] for i in asked[0].tolist()] == list(RED_BAR_LEFT)
    assert [experiment.VOCABULARY[i] for i in read[0].tolist()] == ["<s>", *RED_BAR_LEFT[:-1]]


@pytest.mark.parametrize(
    ("picture", "fault"),
    [
        (RED_BAR_LEFT, ""),
        ("B...B...B...B...", "colour"),
        ("....R...R.......", "shape"),
        ("RRRR............", "side"),
        ("R...R...R.......", "more"),
        ("BBBB............", "more"),
    ],
)
def test_what_is_wrong_is_named(picture, fault):
    assert experiment.differs_in(("red", "bar", "left"), picture) == fault


class Dots(DecoderOnly):
    """What the model should have learned of red dots at the left, in place of its weights."""

    def forward(self, src, tgt):
        red, empty = experiment.IDS["R"], experiment.IDS["."]
        probabilities = torch.zeros(*tgt.shape, len(experiment.VOCABULARY))
        for row, tokens in enumerate(tgt.tolist()):
            for place in range(16):
                chance = 1 / (4 - place // 4) if place % 4 == 0 and red not in tokens[: place + 1] else 0.0
                probabilities[row, place, red], probabilities[row, place, empty] = chance, 1 - chance
        return probabilities.log()


def test_the_chances_of_a_dot_are_those_by_hand_for_a_model_that_knows():
    found = experiment.dot_chances(
        Dots(TransformerConfig.tiny(n_layers=1)), [("red", "dot", "left"), ("red", "bar", "left")]
    )
    assert found == pytest.approx([1 / 4, 1 / 3, 1 / 2, 1], abs=1e-6)


def test_it_draws_what_the_model_gives_all_probability_to():
    model = experiment.new_model(SMALL, 0).eval()
    wanted = iter(RED_BAR_LEFT)

    def step(token, state):
        certain = torch.full((len(token), len(experiment.VOCABULARY)), -torch.inf)
        certain[:, experiment.IDS[next(wanted)]] = 0.0
        return certain, state

    model.step = step
    assert experiment.draw(model, [("red", "bar", "left")] * 2, seed=0) == [RED_BAR_LEFT] * 2


def test_a_run_reports():
    threads = torch.get_num_threads()
    found = experiment.run_seed(0, SMALL)
    assert torch.get_num_threads() == threads and found["tokens"] == 2 * 2 * 4 * 16
    for arm in ("few", "many"):
        assert found[f"{arm}_unseen"] + sum(found[f"{arm}_wrong"]) == pytest.approx(1)
        assert len(found[f"{arm}_drawn"]) == 12 and {len(picture) for picture in found[f"{arm}_drawn"]} == {16}
    assert found == experiment.run_seed(0, SMALL) != experiment.run_seed(1, SMALL)
