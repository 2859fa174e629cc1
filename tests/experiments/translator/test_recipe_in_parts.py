"""The recipe in parts: every arm differs from the first by what it says, pupils alone have a lesson, in a tiny run."""

import pytest
import torch

from attention_book.data import corpora
from attention_book.data.normalisation import Pair
from attention_book.data.subwords import Subwords
from attention_book.experiments.translator import recipe_in_parts as experiment
from attention_book.training.together.loop import Shelves

TRAIN = tuple(Pair(f"I see {n} cats.", f"Veo {n} gatos.", ("",)) for n in range(40))
TEST = (Pair("I see dogs.", "Veo perros.", ("Veo perros.",)), Pair("I see 3.", "Veo 3.", ("Veo 3.", "Los veo.")))
PUPIL = {"tokens": 600, "attention_dropout": 0.1}
TINY = experiment.CONFIGURATION | {
    "pairs": 30,
    "vocabulary": 300,
    "models": 2,
    "model": {"d_model": 8, "n_heads": 2, "n_layers": 1, "d_ff": 8, "dropout": 0.1, "max_len": 80},
    "training": {"tokens": 300, "tokens_per_batch": 100, "peak_rate": 1e-3, "smoothing": 0.1},
    "arms": {
        "old": {},
        "longer": {"tokens": 600},
        "cut": {"subword_dropout": 0.5},
        "teachers": {"tokens": 600, "dropout": 0.2, "attention_dropout": 0.1},
    },
    "pupils": {"untaught": PUPIL, "agreeing": PUPIL | {"agreement": 2.0}, "taught": PUPIL | {"taught": 0.7}},
    "examined": 2,
    "seen": 5,
}


@pytest.fixture(scope="module")
def tiny():
    """What a run of the tiny configuration found, twice."""
    with pytest.MonkeyPatch.context() as patch:
        corpus = corpora.Corpus("made-up", TRAIN, (), TEST, "en", "es", "")
        patch.setattr(corpora, "load", lambda name: corpus)
        return experiment.run_seed(1, TINY), experiment.run_seed(1, TINY)


def test_a_run_repeats_itself_where_no_merge_is_left_out(tiny):
    one, two = tiny
    for found in tiny:
        assert list(found["arms"]) == [*TINY["arms"], *TINY["pupils"]]
    assert all(one["arms"][name] == two["arms"][name] for name in one["arms"] if name != "cut")


def test_arms_keep_their_budgets_and_their_number_of_models(tiny):
    found, _ = tiny
    for name, arm in found["arms"].items():
        wanted = 300 if name in ("old", "cut") else 600
        assert wanted <= arm["tokens"] < wanted + 150, name
        assert len(arm["models"]) == 2 and arm["models"][0] != arm["models"][1], name
        assert set(arm) == {"tokens", "steps", "models"} | ({"together"} if name == "teachers" else set())
    assert found["tokens"] == sum(2 * arm["tokens"] for arm in found["arms"].values())
    assert found["pairs"] == 30 and found["examined"] == 2
    assert found["parameters"] == 300 * 8 + 8 * 8 * 12 + 8 * 12 + 2 * (2 * 64 + 16) + 7 * 16


def test_every_change_changes_something(tiny):
    found, _ = tiny
    losses = {name: arm["models"][0]["loss"] for name, arm in found["arms"].items()}
    assert len(set(losses.values())) == len(losses)


def test_the_ensemble_is_no_worse_than_its_members_on_average(tiny):
    teachers = tiny[0]["arms"]["teachers"]
    assert teachers["together"]["loss"] <= sum(one["loss"] for one in teachers["models"]) / 2


def test_the_sample_holds_each_pair_once_and_depends_on_the_seed():
    drawn = experiment.drawn_pairs(TRAIN, 30, 1)
    assert len({pair.source for pair in drawn}) == 30
    assert drawn == experiment.drawn_pairs(TRAIN, 30, 1) != experiment.drawn_pairs(TRAIN, 30, 2)


@pytest.fixture
def shelves():
    subwords = Subwords.train((text for pair in TRAIN for text in (pair.source, pair.target)), 260)
    return Shelves(TRAIN, subwords, 80, "cpu")


def nearly_untrained(name, shelves, **changes):
    """An arm after a single step at a rate near 0, so that it stands where it began."""
    training = TINY["training"] | {"tokens": 1, "peak_rate": 1e-12}
    arms = {part: {key: arm | {"tokens": 1} for key, arm in TINY[part].items()} for part in ("arms", "pupils")}
    return experiment.train_arm(name, shelves, 1, TINY | arms | {"training": training} | changes).stack.matrices


def test_arms_begin_alike_and_pupils_with_other_weights_than_their_teachers(shelves):
    starts = {name: nearly_untrained(name, shelves) for name in ("old", "teachers", "untaught", "agreeing")}
    assert torch.allclose(starts["old"], starts["teachers"], atol=1e-9)
    assert torch.allclose(starts["untaught"], starts["agreeing"], atol=1e-9)
    assert not torch.allclose(starts["old"], starts["untaught"], atol=1e-2)


def test_every_arm_is_told_its_own_dropout(shelves):
    told = {}
    for name in ("old", "teachers", "taught"):
        teachers = experiment.train_arm("old", shelves, 1, TINY).stack if name == "taught" else None
        config = experiment.train_arm(name, shelves, 1, TINY, teachers).stack.config
        told[name] = config.dropout, config.attention_dropout
    assert told == {"old": (0.1, 0.0), "teachers": (0.2, 0.1), "taught": (0.1, 0.1)}


def test_a_pupil_with_a_lesson_needs_teachers(shelves):
    with pytest.raises(ValueError, match="teachers"):
        experiment.train_arm("taught", shelves, 1, TINY)


def test_a_score_of_a_known_pair_is_its_loss_without_smoothing_and_dropout(shelves):
    stack = experiment.train_arm("old", shelves, 1, TINY).stack
    model = stack.model(0).eval()
    (pair,) = TRAIN[:1]
    found = experiment.scores(model, shelves.subwords, TEST, [pair])
    src, tgt = (shelves.subwords.encode(text) for text in (pair.source, pair.target))
    logits = model(torch.tensor([[*src, 2]]), torch.tensor([[1, *tgt]]))[0]
    by_torch = torch.nn.functional.cross_entropy(logits, torch.tensor([*tgt, 2]))
    assert found["seen_loss"] == pytest.approx(by_torch.item(), abs=2e-5)
    assert 0 <= found["bleu"] <= 100 and found["loss"] != found["seen_loss"]
