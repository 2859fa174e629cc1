"""One token exchanged: every mark against a pass of its own, the chain against its own steps, the page's sentences."""

import re
from pathlib import Path

import numpy as np
import pytest
import torch
from tiny_translator import KNOWN, tiny_translator

from attention_book.counting.hand_linked import linked_pairs
from attention_book.data.subwords import SPECIALS
from attention_book.studies.training.one_wrong_token import (
    CUP,
    Chain,
    Exchanged,
    by_hand,
    chain,
    example,
    exchange,
    settles,
)
from attention_book.translation.translator import Translator

PAGE = Path(__file__).parents[3] / "chapters/before/exposure-bias.md"


def likeliest(translator, source, fed):
    """The likeliest token after each place of what is fed, and all tokens there from the likeliest on."""
    subwords = translator.subwords
    with torch.no_grad():
        scores = translator.model(
            torch.tensor([[*subwords.encode(source), subwords.eos_id]]), torch.tensor([[subwords.bos_id, *fed]])
        )[0]
    return scores.argmax(-1).tolist(), scores.argsort(dim=-1, descending=True).tolist()


@pytest.mark.parametrize(
    "source, target", [*KNOWN.items(), ("I like cats.", "El perro duerme."), ("Come in!", "gatos")]
)
def test_each_mark_is_that_of_a_pass_of_its_own(source, target):
    translator = tiny_translator()
    ids = translator.subwords.encode(target)
    asked = [*ids, translator.subwords.eos_id]
    marks = exchange(translator, source, target)
    truth, ranked = likeliest(translator, source, ids)
    assert marks.truth.tolist() == [own != true for own, true in zip(truth, asked, strict=True)]
    after, later = [], []
    for place, token in enumerate(ids):
        mistake = next(one for one in ranked[place] if one >= len(SPECIALS) and one != token)
        own, _ = likeliest(translator, source, [*ids[:place], mistake, *ids[place + 1 :]])
        assert own[: place + 1] == truth[: place + 1]  # the mistake is not seen before it stands
        after.append(own[place + 1] != asked[place + 1])
        later.extend([own[place + 2] != asked[place + 2]] if place + 2 < len(asked) else [])
    assert marks.after.tolist() == after and marks.later.tolist() == later


def test_the_chain_settles_where_its_steps_end_and_stays_there():
    for p, q in ((0.1, 0.5), (0.2, 0.6), (0.3, 0.1), (0.5, 1.0), (0.0, 0.9)):
        e = p
        for _ in range(2000):
            e = p * (1 - e) + q * e
        assert settles(p, q) == pytest.approx(e, abs=1e-9)
    assert settles(0.1, 0.5) == pytest.approx(1 / 6)  # the page's by hand
    with pytest.raises(ValueError, match="stays"):
        settles(0.0, 1.0)


def test_shares_by_hand():
    yes, no = True, False
    pairs = [
        Exchanged(np.array([yes, no, yes]), np.array([yes, yes]), np.array([no])),
        Exchanged(np.array([no, yes, no, no]), np.array([yes, no, no]), np.array([yes, no])),
    ]
    found = chain(pairs)
    assert found.p.value == pytest.approx(2 / 5)  # without the first place: it has no token before it
    assert found.q.value == pytest.approx(3 / 5)
    assert found.q_own.value == pytest.approx(1 / 2)  # after the first token of the one pair, the second of the other
    assert found.later.value == pytest.approx(1 / 3)
    assert {one.kind for one in found} == {"error"} and {one.n for one in found} == {2}
    assert found.numbers()["real_settles"] == "50\xa0%"  # 0.4 / (1 − 0.6 + 0.4)


@pytest.fixture(scope="module")
def translator() -> Translator:
    return Translator.from_pretrained("en-es")


@pytest.fixture(scope="module")
def real(translator) -> Chain:
    return by_hand(translator)


def test_the_example_is_what_passes_of_their_own_find(translator):
    source, target, place = CUP
    words = [*target.rstrip(".").split(), "."]
    ids = translator.subwords.encode(target)
    assert [translator.subwords.decode([one]).strip() for one in ids] == words  # a token each, so *una* is at place 1
    assert any((pair.source, pair.target) == (source, target) for pair in linked_pairs())
    found = example(translator, *CUP)
    (fed,) = translator.subwords.encode(target.replace("una", found.fed))[place : place + 1]
    truth, ranked = likeliest(translator, source, ids)
    assert fed == next(one for one in ranked[place] if one >= len(SPECIALS) and one != ids[place])
    own, _ = likeliest(translator, source, [*ids[:place], fed, *ids[place + 1 :]])
    decoded = [translator.subwords.decode([own[place + later]]).strip() for later in (1, 2)]
    assert (found.true, found.after, found.later) == ("una", *decoded)
    assert truth[place] == ids[place]  # fed the truth, the translator is right there


def test_the_pages_example_is_wrong_right_after_and_right_one_token_later(translator):
    found = example(translator, *CUP)
    _, target, place = CUP
    assert (found.fed, found.after) == ("un", "vaso") and found.later == target.split()[place + 2] == "de"
    assert set(found.numbers().values()) == {"un", "vaso", "de"}


def test_the_pages_sentences_hold(real):
    assert abs(real.q.value - 2 / 3) < 2 * real.q.spread < 1 / 6  # about ⅔, and neither ⅓ nor nearly 1
    assert real.later.value - real.p.value < 2 * real.later.spread  # not far from p
    assert real.q_own.value > real.q.value
    for q in (real.q, real.q_own):
        assert 2 < settles(real.p.value, q.value) / real.p.value < 4


def test_the_page_says_it_with_these_words():
    page = re.sub(r"\s+", " ", PAGE.read_text("utf-8"))
    assert "**About ⅔: q =" in page and "between two and four times p" in page
    assert f"In *{CUP[1]}* ({CUP[0]}), *una*" in page
