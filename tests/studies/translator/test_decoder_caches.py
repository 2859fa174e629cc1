"""What the page of the caches says of the translator, and a beam that forgets them."""

import pytest
import torch
from translation.fast.models import random_model, random_sources

from attention_book.analysis.costs import counted
from attention_book.studies.translator.decoder_caches import (
    HELD_HEADER,
    NAMES,
    WAYS,
    WORK_HEADER,
    Forgetful,
    ForgetfulState,
    Forgotten,
    held_rows,
    positions,
    work_numbers,
    work_rows,
    written,
)
from attention_book.translation.decoding import beam_search, greedy_decode
from attention_book.translation.fast.step_costs import sentence_multiply_adds
from attention_book.translation.forced_decoding import steps_keeping
from attention_book.translation.translator import Translator


@pytest.fixture(scope="module")
def translator():
    return Translator.from_pretrained("en-es")


def test_positions_by_hand():
    assert [positions(3, 5, *kept) for kept in WAYS.values()] == [6 + 15, 6 + 5, 3 + 15, 3 + 5]
    assert list(NAMES) == list(WAYS)


@pytest.mark.parametrize("way", WAYS)
def test_the_work_in_the_table_is_what_torch_counts(translator, way):
    model, (own, source) = translator.model, WAYS[way]
    memory, tgt = model.encode(torch.full((1, 5), 5)), torch.full((1, 6), 5)
    with torch.nn.attention.sdpa_kernel(torch.nn.attention.SDPBackend.MATH):  # attention computed in the open
        wanted = counted(steps_keeping, model, memory, tgt, own, source)
    assert sentence_multiply_adds(model.config, 6, 5, own, source) == wanted


def test_the_table_of_work(translator):
    rows = work_rows(translator.model.config, 6, 5)
    assert [row[1] for row in rows] == ["51", "26", "36", "11"] and all(len(row) == len(WORK_HEADER) for row in rows)
    numbers = work_numbers(translator.model.config, 6, 5)
    assert numbers["per_position"] == 3 * 4 * 128 and numbers["bytes_per_position"] == 6144
    assert numbers["even_positions"] == pytest.approx(numbers["step_weights"] / 1536)
    assert float(rows[0][2]) / float(rows[3][2]) == pytest.approx(numbers["work_saved"], rel=0.03)


def test_what_the_caches_hold_is_what_the_formula_says(translator):
    rows = held_rows(translator, "I like cats.")
    src, tgt = written(translator, "I like cats.")
    assert [row[0] for row in rows] == [str(n) for n in range(1, tgt.shape[1] + 1)]
    for number, row in enumerate(rows, start=1):
        assert row[1] == row[2] == f"{6144 * number:,}" and row[3] == row[4] == f"{6144 * src.shape[1]:,}"
        assert len(row) == len(HELD_HEADER)


def test_the_written_tokens_are_those_of_the_translation(translator):
    _, tgt = written(translator, "I like cats.")
    assert translator.subwords.decode(tgt[0, 1:].tolist()) == translator.translate("I like cats.")


def test_a_forgetful_state_keeps_every_cache_in_its_place():
    model = random_model()
    forgetful = Forgetful(model)
    with torch.no_grad():
        state = forgetful.start(model.encode(random_sources(model, rows=1)))
        _, state = forgetful.step(torch.tensor([1]), state)
        wide = state.reorder(torch.tensor([0, 0, 0]))
        _, wide = forgetful.step(torch.tensor([7, 8, 9]), wide)
        keys = wide.cache.self_attention[0].keys
        crossed = wide.reorder(torch.tensor([2, 1]))
    assert isinstance(crossed, ForgetfulState)
    assert torch.equal(crossed.cache.self_attention[0].keys, keys[:2])
    assert not torch.equal(keys[:2], keys[[2, 1]])


def test_a_beam_of_one_has_nothing_to_forget():
    model = random_model(3)
    src = random_sources(model, rows=1)
    assert greedy_decode(Forgetful(model), src) == greedy_decode(model, src)


@pytest.mark.slow
def test_a_beam_that_forgets_reports_probabilities_that_the_model_does_not_give(translator):
    """The log-probability of a beam is that of one pass, if its caches are reordered; a beam of one has no choice."""
    sentences = ("That was a piece of cake.", "She was very tired, so she went to bed early.")
    right, other = Forgotten(translator, sentences).wrong_scores()
    assert right == 0 < other
    assert Forgotten(translator, sentences, beam_size=1).wrong_scores() == (0, 0)


@pytest.mark.slow
def test_a_changed_translation_can_have_a_right_score_because_its_rival_was_spoiled(translator, monkeypatch):
    """What the page says of *She was very tired*: the winner never leaves row 0, the better one does."""
    found = Forgotten(translator, ("She was very tired, so she went to bed early.",))
    (both,) = found._found
    assert both[0][0].endswith("se fue pronto a la cama.") and both[1][0].endswith("se fue a la cama temprano.")
    assert len(found.changed()) == 1 and found.wrong_scores() == (0, 0)

    fed, parents, reorder = [], [], ForgetfulState.reorder

    class Watched(Forgetful):
        def step(self, tokens, state):
            fed.append(tokens.tolist())
            return super().step(tokens, state)

    def watched(state, rows):
        parents.append(rows.tolist())
        return reorder(state, rows)

    monkeypatch.setattr(ForgetfulState, "reorder", watched)
    src, _ = written(translator, found.sentences[0])
    (winner,) = beam_search(Watched(translator.model), src, 4)
    assert [row[0] for row in fed[: len(winner.tokens)]] == [translator.subwords.bos_id, *winner.tokens[:-1]]
    wide = [rows for rows in parents if len(rows) == 4]
    assert all(rows[0] == 0 for rows in wide) and any(rows[2] != 2 for rows in wide)


def test_changes_are_told_with_both_translations(translator):
    found = Forgotten(translator, ("I like cats.", "She likes the red car more than the blue one."))
    assert [right for right, _ in found.texts] == [translator.translate(s) for s in found.sentences]
    assert all(right != other and s in found.sentences for s, right, other in found.changed())
    assert found.numbers()["n_sentences"] == 2 and found.numbers()["n_changed"] == len(found.changed())
