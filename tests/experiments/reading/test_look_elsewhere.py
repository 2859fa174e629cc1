"""Looking elsewhere: which sentences, what each arm pays for, and what is counted when vectors are exchanged."""

import pytest
import torch
import torch.nn.functional as F
from global_state import unchanged_state

from attention_book.experiments.pointed_attention import even, one_row_transformer, overlap, pointed
from attention_book.experiments.reading import look_elsewhere as experiment
from attention_book.little_language.language import conditional_entropy
from attention_book.models.transformer import Memory
from attention_book.training.trainer import TrainingSettings

FULL = experiment.CONFIGURATION
SHORT = FULL | {"trained": 60, "examined": 12, "training": FULL["training"] | {"tokens": 1500, "tokens_per_batch": 100}}
ARMS = FULL["arms"]


@pytest.fixture(scope="module")
def drawn():
    return experiment.sentences(0, SHORT)


def test_sentences_have_one_translation_and_no_seed_is_examined_on_what_it_was_trained_on(drawn):
    pairs, new, words = drawn
    assert len(pairs) == 60 and len(new) == 12
    assert not {pair.source for pair in pairs} & {pair.source for pair in new}
    assert SHORT["example"] not in {pair.source for pair in (*pairs, *new)}
    assert all(conditional_entropy(pair) == 0 for pair in (*pairs, *new))
    other = experiment.sentences(1, SHORT)[1]
    assert {pair.source for pair in other} != {pair.source for pair in new}
    assert all(words.decode(words.encode(pair.target)) == pair.target for pair in new)


def test_the_push_is_paid_for_by_overlap_and_lowers_it(drawn):
    pairs, new, words = drawn
    first = one_row_transformer("tiny", len(words), 0, dropout=0.0, max_len=64).eval()
    apart = {}
    for push in (0.0, 5.0):
        model, _ = experiment.train({"push": push}, pairs, words, 0, SHORT, first)
        apart[push] = experiment.compare(first, model, new, words).weights
    assert apart[5.0] > apart[0.0] + 0.1


def test_a_step_without_a_push_is_the_trainers_own(drawn):
    pairs, _, words = drawn
    settings = TrainingSettings(seed=0, **SHORT["training"])
    models = []
    for kind in (experiment.Trainer, experiment.PushedTrainer):
        model = one_row_transformer("tiny", len(words), 0, dropout=0.0, max_len=64)
        trainer = kind(model, experiment.encoded(pairs, words), settings)
        batch = next(experiment.examined_batches(pairs, words))
        trainer.train_step(batch)
        models.append(model)
    assert all(torch.allclose(p, q) for p, q in zip(*(m.parameters() for m in models), strict=True))


def test_a_model_is_at_no_distance_from_itself_and_even_weights_are_even(drawn):
    pairs, new, words = drawn
    model, tokens = experiment.train(ARMS["first"], pairs, words, 0, SHORT, None)
    assert tokens >= 1500
    same = experiment.compare(model, model, new, words)
    assert same == pytest.approx((0, 0, 1, 1), abs=1e-4)
    plain = experiment.token_losses(model, new, words).nanmean().item()
    assert experiment.loss_with_weights(model, new, words, model) == pytest.approx(plain, abs=1e-4)
    assert experiment.loss_with_weights(model, new, words, None) != pytest.approx(plain, abs=1e-4)
    assert pointed(model).given is None
    spread, _ = experiment.train(ARMS["even"], pairs, words, 0, SHORT, None)
    assert pointed(spread).given is even
    batch = next(experiment.examined_batches(new, words))
    weights = experiment.weights_of(spread, batch)
    assert overlap(weights, even(weights, (batch.src != 0)[:, None, None])).min() > 0.999


def test_an_exchange_names_the_noun_its_place_and_both_translations(drawn):
    _, new, words = drawn
    found = experiment.exchanges(new, words, FULL["nouns"])
    assert len(found) == len(new)  # every sentence has one of the nouns
    for exchange in found:
        (group,) = [group for group in FULL["nouns"] if exchange.source[exchange.place] in group]
        assert group[exchange.source[exchange.place]] == exchange.kept != exchange.changed == group[exchange.word]
        assert exchange.kept not in exchange.target


def copying(words, away):
    """A model whose decoder reads the noun from the vectors; the noun's vector stands ``away`` places behind it."""
    model = one_row_transformer("tiny", len(words), 0, dropout=0.0, max_len=64).eval()
    pointed(model).seen = torch.zeros(1, 1, 1, 20)

    def encode(src):
        states = F.one_hot(torch.roll(src, away, dims=1), len(words)).float()
        return Memory(states, (src != 0)[:, None, None])

    def decode(tgt, memory):
        seen = memory.states[0].amax(dim=0)
        logits = torch.zeros(1, tgt.shape[1], len(words))
        for source, target in ((s, t) for group in FULL["nouns"] for s, t in group.items()):
            logits[..., words.encode(target)[0]] = seen[words.encode(source)[0]]
        return logits

    model.encode, model.decode = encode, decode
    return model


@pytest.mark.parametrize(("away", "own", "others"), [(0, 1.0, 0.0), (1, 0.0, 1.0), (-1, 0.0, 1.0)])
def test_the_vector_that_tells_the_noun_is_found_wherever_it_is(drawn, away, own, others):
    _, new, words = drawn
    exchanged = experiment.exchanges(new, words, FULL["nouns"])
    known = set(words.tokens(range(len(words))))
    exchanged = [one for one in exchanged if {one.word, one.kept, one.changed} <= known]
    found = experiment.who_tells(copying(words, away), exchanged, words)
    assert found["counted"] == len(exchanged) > 0
    assert (found["own"], found["others"]) == (own, others)


@pytest.mark.slow
def test_a_run_reports_every_arm_and_repeats_itself():
    with unchanged_state():
        first, second = (experiment.run_seed(0, SHORT) for _ in range(2))
    assert first == second and first["tokens"] >= 4 * 1500 and first["floor"] == 0
    for arm in ARMS:
        assert first[f"{arm}/loss"] > 0 and 0 <= first[f"{arm}/right"] <= 1
    assert set(first["looks"]) == {"first", "away"}
    assert all(len(look["words"]) == len(look["weights"]) for look in first["looks"].values())
