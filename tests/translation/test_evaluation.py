"""Scores against sacreBLEU called directly, and the cases that sacreBLEU alone lets through."""

import json

import pytest
import sacrebleu

from attention_book.data.normalisation import Pair
from attention_book.translation.evaluation import AlignmentScores, alignment_error_rate, bleu_and_chrf, evaluate

HYPOTHESES = ["Me gustan mucho los gatos.", "El perro duerme en la casa.", "¿Dónde vive tu hermana ahora?"]
ONE_EACH = [["Me gustan los gatos."], ["El perro duerme en casa."], ["¿Dónde vive ahora tu hermana?"]]
VARYING = [
    ["Me gustan los gatos.", "A mí me gustan mucho los gatos."],
    ["El perro duerme en casa."],
    ["¿Dónde vive ahora tu hermana?", "¿En qué sitio vive tu hermana ahora?", "¿Dónde vive tu hermana ahora?"],
]


def test_one_reference_as_sacrebleu_called_directly():
    scores = bleu_and_chrf(HYPOTHESES, ONE_EACH)
    stream = [[accepted[0] for accepted in ONE_EACH]]
    assert scores.bleu == sacrebleu.corpus_bleu(HYPOTHESES, stream).score
    assert scores.chrf == sacrebleu.corpus_chrf(HYPOTHESES, stream).score
    assert 0 < scores.bleu < 100
    for signature in (scores.bleu_signature, scores.chrf_signature):
        assert "nrefs:1|" in signature
        assert f"version:{sacrebleu.__version__}" in signature
    assert "tok:13a" in scores.bleu_signature


def test_capitals_count():
    scores = bleu_and_chrf([text.lower() for text in HYPOTHESES], ONE_EACH)
    exact = bleu_and_chrf(HYPOTHESES, ONE_EACH)
    assert scores.bleu < exact.bleu and scores.chrf < exact.chrf
    assert "case:mixed" in scores.bleu_signature and "case:mixed" in scores.chrf_signature


def test_several_references_as_sacrebleu_called_directly():
    two = [[*accepted, "Otra cosa."] for accepted in ONE_EACH]
    scores = bleu_and_chrf(HYPOTHESES, two)
    streams = [list(stream) for stream in zip(*two, strict=True)]
    assert scores.bleu == sacrebleu.corpus_bleu(HYPOTHESES, streams).score
    assert scores.chrf == sacrebleu.corpus_chrf(HYPOTHESES, streams).score
    assert "nrefs:2|" in scores.bleu_signature


def test_a_varying_number_of_references_is_named_and_invents_none():
    scores = bleu_and_chrf(HYPOTHESES, VARYING)
    assert "nrefs:var|" in scores.bleu_signature
    assert "nrefs:var|" in scores.chrf_signature
    # To repeat a reference adds nothing, so the same must come out as with lists of one length.
    filled = [(accepted * 3)[:3] for accepted in VARYING]
    assert scores.bleu == pytest.approx(bleu_and_chrf(HYPOTHESES, filled).bleu)
    assert scores.chrf == pytest.approx(bleu_and_chrf(HYPOTHESES, filled).chrf)
    assert scores.bleu > bleu_and_chrf(HYPOTHESES, ONE_EACH).bleu


def test_an_empty_translation_counts_as_a_failure():
    complete = bleu_and_chrf(HYPOTHESES, ONE_EACH)
    with_a_gap = bleu_and_chrf([*HYPOTHESES[:2], ""], ONE_EACH)
    assert 0 < with_a_gap.bleu < complete.bleu
    assert 0 < with_a_gap.chrf < complete.chrf
    nothing = bleu_and_chrf(["", "", ""], ONE_EACH)
    assert (nothing.bleu, nothing.chrf) == (0, 0)


def test_the_references_themselves_score_100():
    scores = bleu_and_chrf([accepted[-1] for accepted in VARYING], VARYING)
    assert (scores.bleu, scores.chrf) == pytest.approx((100, 100))


@pytest.mark.parametrize(
    ("hypotheses", "references", "error", "message"),
    [
        ([], [], ValueError, "no translations"),
        (["a", "b"], [["a"]], ValueError, "2 translations but references for 1"),
        (["a", "b"], [["a"], []], ValueError, "sentence 2 has no reference"),
        (["a"], ["a"], TypeError, "references of sentence 1 must be a list"),
    ],
)
def test_what_sacrebleu_would_let_through_or_explain_badly(hypotheses, references, error, message):
    with pytest.raises(error, match=message):
        bleu_and_chrf(hypotheses, references)


class Parrot:
    """Answers from a table and remembers how it was asked."""

    def __init__(self, answers):
        self.answers, self.asked = answers, None

    def translate(self, text, *, beam_size, length_penalty):
        self.asked = (beam_size, length_penalty)
        return [self.answers[one] for one in text]


def test_evaluate_scores_all_references_and_the_first_alone():
    sources = ["I like cats a lot.", "The dog sleeps in the house.", "Where does your sister live now?"]
    pairs = [Pair(source, accepted[0], tuple(accepted)) for source, accepted in zip(sources, VARYING, strict=True)]
    parrot = Parrot(dict(zip(sources, [*HYPOTHESES[:2], ""], strict=True)))
    result = evaluate(parrot, pairs, beam_size=3, length_penalty=1.0)
    assert parrot.asked == (3, 1.0)
    assert result["sentences"] == 3
    assert result["empty_translations"] == 1
    assert result["decoding"] == {"search": "beam", "beam_size": 3, "length_penalty": 1.0}
    for key, references in (("all_references", VARYING), ("first_reference", ONE_EACH)):
        assert result[key] == vars(bleu_and_chrf([*HYPOTHESES[:2], ""], references))
    assert json.loads(json.dumps(result)) == result
    assert evaluate(parrot, pairs, beam_size=1)["decoding"]["search"] == "greedy"
    with pytest.raises(ValueError, match="no sentences"):
        evaluate(parrot, [])


class TestAlignmentErrorRate:
    def test_by_hand(self):
        """Three links predicted: one sure, one possible, one wrong; two are sure. 1 - (1 + 2) / (3 + 2)."""
        scores = alignment_error_rate([{(0, 0), (1, 2), (2, 1)}], [{(0, 0), (3, 3)}], [{(1, 2)}])
        assert (scores.precision, scores.recall) == (2 / 3, 1 / 2)
        assert scores.error_rate == pytest.approx(1 - 3 / 5)

    def test_links_are_summed_over_the_corpus(self):
        scores = alignment_error_rate([{(0, 0)}, {(0, 1), (1, 0)}], [{(0, 0)}, {(0, 0), (1, 1)}])
        assert scores.precision == scores.recall == pytest.approx(1 / 3)
        assert scores.error_rate == pytest.approx(2 / 3)

    def test_the_gold_alignment_is_perfect_and_all_sure_makes_it_one_minus_the_f_score(self):
        gold = [frozenset({(0, 0), (1, 1), (1, 2)}), frozenset({(0, 1)})]
        assert alignment_error_rate(gold, gold) == AlignmentScores(1.0, 1.0, 0.0)
        got = alignment_error_rate([{(0, 0)}, {(0, 1), (2, 2)}], gold)
        f = 2 * got.precision * got.recall / (got.precision + got.recall)
        assert got.error_rate == pytest.approx(1 - f)

    def test_nothing_predicted_is_an_error_of_one(self):
        assert alignment_error_rate([set()], [{(0, 0)}]) == AlignmentScores(1.0, 0.0, 1.0)

    def test_bad_input_is_named(self):
        with pytest.raises(ValueError, match="1 predicted, 2 sure"):
            alignment_error_rate([set()], [set(), set()])
        with pytest.raises(ValueError, match="no link to score"):
            alignment_error_rate([set()], [set()])
