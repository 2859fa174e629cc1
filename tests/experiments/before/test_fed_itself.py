"""The experiment on exposure: what can be right is told by the grammar, and both ways are counted as they say."""

import pytest
import torch

from attention_book.experiments.before import fed_itself as experiment
from attention_book.little_language import language as little_language

WORDS = little_language.word_vocabulary("es")
SMALL = experiment.CONFIGURATION | {
    "drawn": 60,
    "clauses": {"1": 1.0, "2": 0.0},
    "training": experiment.CONFIGURATION["training"] | {"tokens": 600},
    "model": experiment.CONFIGURATION["model"] | {"width": 16},
    "examined": 8,
    "places": 6,
    "after": 3,
}


def test_the_model_is_that_of_the_bottleneck():
    from attention_book.experiments.before import bottleneck

    theirs = bottleneck.CONFIGURATION
    assert experiment.CONFIGURATION["model"] == theirs["common"] | theirs["settings"]["128"]
    assert experiment.CONFIGURATION["training"] == theirs["training"]
    assert experiment.SEEDS == bottleneck.SEEDS
    for name in ("drawn", "clauses", "longest", "target"):
        assert experiment.CONFIGURATION[name] == theirs[name]


def continuations(source):
    return experiment.Continuations(little_language.pair_for(source, "es"), WORDS, 500)


def test_whether_a_word_can_be_right_is_told_by_the_grammar():
    """Against the language's own probability of whole sentences."""
    source = "I like cats."
    follow, ids = continuations(source), [*WORDS.encode("Me gustan los gatos."), WORDS.eos_id]
    for place, token in enumerate(ids):
        assert follow.allow(ids[:place], token)
        for other in WORDS.encode("Me gustan los perros."):
            begun = [text for text, _ in little_language.translations(source, "es")]
            possible = any([*WORDS.encode(text), WORDS.eos_id][: place + 1] == [*ids[:place], other] for text in begun)
            assert follow.allow(ids[:place], other) == possible
    assert not follow.allow(WORDS.encode("Me gustan los perros"), ids[-2])  # no translation begins like this
    assert not follow.allow(ids[:2], WORDS.eos_id)


def test_too_many_translations_are_refused():
    with pytest.raises(ValueError, match="limit"):
        experiment.Continuations(little_language.pair_for("I like cats.", "es"), WORDS, 0)


def test_places_are_counted_up_to_the_first_mistake():
    source = "I like cats."
    follow, ids = continuations(source), [*WORDS.encode("Me gustan los gatos."), WORDS.eos_id]
    wrong = [*ids[:3], *WORDS.encode("perros"), *ids[4:]]
    chosen = [(None, follow)] * 2
    favourites = [ids, [ids[0], wrong[3], *ids[2:]]]
    found = experiment._by_place(chosen, [ids, ids], favourites, [ids, wrong], 6)
    assert found["truth"] == [1.0, 0.5, 1.0, 1.0, 1.0, 1.0]
    assert found["itself"] == [1.0, 1.0, 1.0, 0.5, 1.0, 1.0]
    assert found["itself_n"] == [2, 2, 2, 2, 1, 1]
    assert found["truth_same"] == [1.0, 0.5, 1.0, 1.0, 1.0, 1.0]
    assert found["truth_n"] == [2] * 6
    assert found["whole"] == found["forced"] == 0.5


@pytest.mark.slow
def test_a_run_reports_what_it_says_and_repeats():
    metrics = experiment.run_seed(1, SMALL)
    assert metrics == experiment.run_seed(1, SMALL)
    assert len(metrics["truth"]) == len(metrics["itself"]) == SMALL["places"]
    assert len(metrics["loss_before"]) == len(metrics["loss_after"]) == SMALL["after"]
    assert metrics["truth_n"][0] == metrics["itself_n"][0] == SMALL["examined"]
    assert metrics["itself"][0] == metrics["truth"][0]  # both begin with <s>
    assert metrics["tokens"] >= 600


def test_the_wrong_word_is_fed_where_it_says_and_nothing_before_it_changes(monkeypatch):
    fed = []
    record = experiment.scores_fed

    def scores_fed(model, src, inputs):
        fed.append([list(row) for row in inputs])
        return record(model, src, inputs)

    monkeypatch.setattr(experiment, "scores_fed", scores_fed)
    experiment.run_seed(1, SMALL)
    true, wrong = fed
    differing = [
        [i for i, pair in enumerate(zip(a, b, strict=True)) if len(set(pair)) > 1]
        for a, b in zip(true, wrong, strict=True)
    ]
    assert all(len(places) == 1 for places in differing)


def test_the_loss_of_places_before_a_change_is_unchanged():
    pairs = experiment.training_pairs(0, SMALL)
    model, _ = experiment.train(SMALL["model"], pairs, 0, "es", SMALL["training"])
    src = torch.tensor([[*WORDS.encode("I like cats."), WORDS.eos_id]])
    ids = WORDS.encode("Me gustan los gatos.")
    changed = [*ids[:2], ids[0], *ids[3:]]
    a, b = (experiment.scores_fed(model, src, [row]) for row in (ids, changed))
    torch.testing.assert_close(a[:, :3], b[:, :3], rtol=0, atol=1e-6)
    assert not torch.allclose(a[:, 3], b[:, 3])
