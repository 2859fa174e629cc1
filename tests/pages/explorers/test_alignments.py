"""The Python side of the explorer *alignments*: its readings against the model step by step, its words, its traits."""

import math

import numpy as np
import pytest
import torch
import traitlets
from tiny_translator import tiny_translator

from attention_book.attention.probability import entropy
from attention_book.data import corpora
from attention_book.models.recurrent import RecurrentEncoderDecoder
from attention_book.models.recurrent_config import RecurrentConfig
from attention_book.pages.explorers.alignments import SENTENCES, Alignments, as_json, reading
from attention_book.translation.decoding import beam_search
from attention_book.translation.translator import InputTooLong, Translator

OWN = {
    "target": "a bc", "pieces": ["▁a", "▁b", "c", "</s>"], "log_probs": [-0.25, -1.5, -0.5, 0.0],
    "first": [["▁a", -0.25], ["▁z", -1.0], ["c", -0.5], ["</s>", 0.0]],
    "weights": [[0.5, 0.5, 0.0], [0.25, 0.7, 0.05], [0.0, 1.0, 0.0], [0.05, 0.02, 0.93]],
}  # fmt: skip
FORCED = {
    "target": "d", "pieces": ["▁d", "</s>"], "log_probs": [-7.0, -0.125],
    "first": [["▁a", -0.25], ["</s>", -0.125]], "weights": [[0.3, 0.3, 0.4], [0.0001, 0.0004, 0.9995]],
}  # fmt: skip
EXAMPLES = [
    {"source": "x y", "pieces": ["▁x", "▁y", "</s>"], "readings": {"own": OWN, "reference": FORCED}},
    {"source": "z", "pieces": ["▁z", "</s>"], "readings": {"own": {
        "target": "é", "pieces": ["▁é", "</s>"], "log_probs": [-0.0004, -2.0], "first": [["▁é", -0.0004], ["s", -1.0]],
        "weights": [[1.0, 0.0], [0.5, 0.5]]}}},
]  # fmt: skip


@pytest.fixture(scope="module")
def translator():
    """Random weights: what is kept must be the model's, whatever they are."""
    subwords = tiny_translator().subwords
    with torch.random.fork_rng():
        torch.manual_seed(3)
        model = RecurrentEncoderDecoder(RecurrentConfig.tiny(len(subwords), max_len=40))
    for parameter in model.parameters():
        parameter.data *= 2  # so that neither weights nor probabilities are even
    return Translator(model.eval(), subwords)


@pytest.fixture
def explorer():
    return Alignments(examples=EXAMPLES)


def steps(translator, source, out):
    """All log-probabilities of each place, from the model's own steps, one token at a time."""
    model, subwords = translator.model, translator.subwords
    state = model.start(model.encode(torch.tensor([[*subwords.encode(source), subwords.eos_id]])))
    found, last = [], subwords.bos_id
    with torch.no_grad():
        for token in out:
            log_probs, state = model.step(torch.tensor([last]), state)
            found.append(log_probs[0])
            last = token
    return torch.stack(found)


def test_a_forced_target_is_scored_as_the_search_would_step_by_step(translator):
    source, target = "I like cats.", "El perro duerme."
    subwords = translator.subwords
    out = [*subwords.encode(target), subwords.eos_id]
    found, wanted = reading(translator, source, target), steps(translator, source, out)
    assert found["target"] == target and found["pieces"] == subwords.tokens(out)
    assert np.allclose(found["log_probs"], wanted[range(len(out)), out], rtol=0, atol=2e-5)
    best = wanted.max(dim=1)
    assert [piece for piece, _ in found["first"]] == subwords.tokens(best.indices.tolist())
    assert np.allclose([x for _, x in found["first"]], best.values, rtol=0, atol=2e-5)


def test_its_own_translation_is_the_beam_searchs(translator):
    source = "The dog sleeps."
    subwords = translator.subwords
    (wanted,) = beam_search(translator.model, torch.tensor([[*subwords.encode(source), subwords.eos_id]]), 4)
    found = reading(translator, source)
    assert found["pieces"] == subwords.tokens(wanted.tokens)
    assert sum(found["log_probs"]) == pytest.approx(wanted.log_prob, abs=1e-3)
    assert found["target"] == translator.translate(source, split=False)


def test_a_row_belongs_to_the_piece_that_it_helps_to_choose(translator):
    """The state before the step asks, and has not yet read the piece before: two targets share a row more than that."""
    source, subwords = "I like cats.", translator.subwords
    targets = "El gato.", "El perro."
    gato, perro = (np.array(reading(translator, source, target)["weights"]) for target in targets)
    differ = [a != b for a, b in zip(*map(subwords.encode, targets), strict=False)].index(True)
    assert np.allclose(gato[: differ + 2], perro[: differ + 2], rtol=0, atol=2e-5)
    assert not np.allclose(gato[differ + 2], perro[differ + 2], rtol=0, atol=1e-4)
    assert np.allclose(gato.sum(axis=1), 1, rtol=0, atol=1e-4)
    assert gato.shape == tuple(len(subwords.encode(text)) + 1 for text in ("El gato.", source))


def test_what_cannot_be_read_is_refused(translator):
    with pytest.raises(ValueError, match="no word in ' '"):
        reading(translator, " ")
    with pytest.raises(InputTooLong, match="more than the 39"):
        reading(translator, "cats " * 100)
    without = RecurrentEncoderDecoder(RecurrentConfig.tiny(len(translator.subwords), score=None)).eval()
    for model in (without, tiny_translator().model):  # no table of weights, and several
        with pytest.raises(ValueError, match="one table of weights"):
            reading(Translator(model, translator.subwords), "I like cats.", "Me gustan.")


def test_words_tell_the_reading_the_piece_and_how_the_context_was_mixed(explorer):
    assert explorer.in_words() == (
        "“x y” and “a bc”, the model's own translation: 4 pieces, log-probability −2.250; the least expected is “▁b”, "
        "−1.500. Piece 2, “▁b”, log-probability −1.500, is not the model's first choice, which is “▁z”, −1.000. Its "
        "row gives 0.250 to “▁x”, 0.700 to “▁y” and 0.050 to “</s>”. The context is 0.700 h₂ (▁y) + 0.250 h₁ (▁x) + "
        "0.050 of the other 1. The largest weight is on “▁y”; the entropy is 0.746 nats, that of 2.109 even weights."
    )
    explorer.piece = 3
    assert "Piece 3, “c”, log-probability −0.500, is the model's first choice. Its row" in explorer.in_words()
    assert "The context is 1.000 h₂ (▁y) + 0.000 of the other 2." in explorer.in_words()
    assert explorer.in_words().endswith("the entropy is 0.000 nats, that of 1.000 even weights.")


def test_a_piece_beyond_the_last_is_the_last_and_a_sentence_without_a_reference_shows_its_own(explorer):
    explorer.reading, explorer.piece = "reference", 9
    words = explorer.in_words()
    assert "“d”, our translation, forced through" in words and "Piece 2, “</s>”" in words
    explorer.example = 1
    assert "“z” and “é”, the model's own translation" in explorer.in_words()
    assert explorer.weights.tolist() == [[1.0, 0.0], [0.5, 0.5]]


def test_the_entropy_is_the_packages(explorer):
    for explorer.reading in ("own", "reference"):
        for n, row in enumerate(explorer.weights, start=1):
            explorer.piece = n
            wanted = float(entropy(torch.tensor(row) / row.sum()))
            told = explorer.in_words().split("the entropy is ")[1].split(" nats")[0]
            assert float(told) == pytest.approx(wanted, abs=6e-4)
            assert f"that of {math.exp(wanted):.2f}"[:-1] in explorer.in_words()


@pytest.mark.parametrize(
    "traits", [{"example": 2}, {"example": -1}, {"reading": "ours"}, {"piece": 0}, {"examples": []}, {"text": 3}]
)
def test_what_does_not_fit_is_refused(traits):
    with pytest.raises(traitlets.TraitError):
        Alignments(**{"examples": EXAMPLES, **traits})


class TestASentenceOfOnesOwn:
    @pytest.fixture
    def explorer(self, translator):
        return Alignments(translator, [("I like cats.", "Me gustan los gatos.")])

    def test_text_is_translated_and_shown(self, explorer, translator):
        explorer.piece = 3
        explorer.set_state({"text": " Where  is the cat? "})
        assert (explorer.example, explorer.piece, explorer.problem) == (1, 1, "")
        assert explorer.examples[1] == as_json(translator, "Where is the cat?")
        assert explorer.in_words().startswith("“Where is the cat?” and “")
        explorer.text = "I like cats."  # is there already
        assert explorer.example == 0 and len(explorer.examples) == 2

    def test_what_cannot_be_translated_is_said_and_the_figure_stays(self, explorer):
        before = explorer.in_words()
        explorer.text = "cats " * 100
        assert "more than the 39 that this model reads" in explorer.problem
        assert explorer.in_words() == before
        explorer.text = "I like dogs."
        assert explorer.problem == "" and explorer.example == 1
        explorer.text = ""
        assert explorer.problem == "" and len(explorer.examples) == 2

    def test_a_reference_of_ones_own_is_forced_through(self, explorer, translator):
        explorer.add("I like dogs.", "Me gustan los perros.")
        explorer.reading = "reference"
        assert "“Me gustan los perros.”, our translation, forced through" in explorer.in_words()
        assert explorer.weights.tolist() == reading(translator, "I like dogs.", "Me gustan los perros.")["weights"]


@pytest.mark.corpora
def test_the_sentences_are_ours():
    corpus = corpora.load("tatoeba-en-es")
    pairs = [*corpus.train, *corpus.validation, *corpus.test]
    known = {text.lower() for pair in pairs for text in (pair.source, pair.target)}
    assert corpus.train[0].source.lower() in known
    assert not [text for pair in SENTENCES for text in pair if text.lower() in known]


@pytest.fixture(scope="module")
def of_the_book():
    return Alignments()


class TestTheShippedModel:
    """It comes with the book, so the page can be built with the network off."""

    def test_it_shows_every_sentence_twice(self, of_the_book):
        assert [one["source"] for one in of_the_book.examples] == [source for source, _ in SENTENCES]
        forced = [one["readings"]["reference"]["target"] for one in of_the_book.examples]
        assert forced == [target for _, target in SENTENCES]

    def test_its_weights_follow_the_words_of_the_running_sentence(self, of_the_book):
        shown = of_the_book.examples[0]["readings"]["reference"]
        places = {piece: of_the_book.examples[0]["pieces"][int(np.argmax(row))]
                  for piece, row in zip(shown["pieces"], shown["weights"], strict=True)}  # fmt: skip
        assert places["▁gatos"] == "▁cats"
        assert places["▁gustan"] == "▁like"
