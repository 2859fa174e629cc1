"""English to Hindi: two tables in one model, what a start takes over, which sentences the parent read; a tiny run."""

import json

import pytest
import torch

from attention_book.data import corpora
from attention_book.data.normalisation import Pair
from attention_book.data.subwords import Subwords
from attention_book.experiments.verdict import english_hindi as experiment
from attention_book.models.config import TransformerConfig
from attention_book.models.transformer import Transformer
from attention_book.translation.evaluation import bleu_and_chrf
from attention_book.translation.translator import Translator


def pair(source, target):
    return Pair(source, target, (target,))


SPANISH = tuple(pair(f"I see {n} cats.", f"Veo {n} gatos.") for n in range(30))
HINDI = tuple(pair(f"I see {n} dogs.", f"मैं {n} कुत्ते देखता हूँ।") for n in range(30))
TEST = (pair("I SEE 3 cats.", "मैं 3 बिल्लियाँ देखता हूँ।"), pair("I see 3 dogs now.", "मैं अब 3 कुत्ते देखता हूँ।"))


def test_the_target_has_a_table_of_its_own_that_embeds_and_scores():
    config = TransformerConfig.tiny(50, d_model=8, n_heads=2, n_layers=1, d_ff=8)
    model = experiment.with_target_table(config, 20).eval()
    logits = model(torch.tensor([[49, 48, 2]]), torch.tensor([[1, 19]]))
    assert logits.shape == (1, 2, 20)
    assert model.output.weight is model.tgt_embedding.weight is not model.src_embedding.weight
    more = sum(p.numel() for p in model.parameters()) - sum(p.numel() for p in Transformer(config).parameters())
    assert more == 20 * 8


def test_a_sentence_that_the_parent_read_in_other_letters_is_not_unread():
    assert experiment.unread(TEST, SPANISH) == [1]
    assert experiment.unread(TEST, ()) == [0, 1]


def test_exact_translations_are_counted():
    assert experiment.exact([TEST[0].target, "no"], TEST) == 1


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """A tiny configuration, its parent, and what a run of it found."""
    folder = tmp_path_factory.mktemp("parent")
    configuration = experiment.CONFIGURATION | {
        "corpus": "hindi",
        "parent": {"corpus": "spanish", "model": str(folder)},
        "vocabulary": 300,
        "training": {"tokens": 600, "tokens_per_batch": 200, "peak_rate": 1e-2, "validate_every": 200},
        "translated": 2,
        "bootstrap": 5,
    }
    made = {
        "spanish": corpora.Corpus("spanish", SPANISH, (), (), "en", "es", ""),
        "hindi": corpora.Corpus("hindi", HINDI, TEST, TEST, "en", "hi", ""),
    }
    subwords = Subwords.train((text for p in SPANISH for text in (p.source, p.target)), 270)
    torch.manual_seed(5)
    parent = Transformer(TransformerConfig.tiny(270, d_model=8, n_heads=2, n_layers=1, d_ff=8))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(corpora, "load", made.__getitem__)
        Translator(parent, subwords).save(folder)
        yield configuration, parent, experiment.run_seed(3, configuration)


def test_a_run_has_every_start_and_the_look_up(run):
    configuration, _, found = run
    assert json.loads(json.dumps(found)) == found
    assert list(found["starts"]) == list(configuration["starts"])
    assert (found["pairs"], found["sentences"], found["unread"]) == (30, 2, 1)
    assert found["tokens"] == sum(point["tokens"] for point in found["starts"].values())
    nearest = [HINDI[3].target, HINDI[3].target]  # "3" is the rarest word of both
    assert found["memory"]["chrf"] == bleu_and_chrf(nearest, [p.references for p in TEST]).chrf
    assert found["memory"]["unread"]["chrf"] == bleu_and_chrf(nearest[1:], [TEST[1].references]).chrf


def test_a_start_takes_over_the_parts_that_it_names(run):
    _, parent, found = run
    parts = {name: sum(p.numel() for p in getattr(parent, name).parameters()) for name in ("encoder", "decoder")}
    table = parent.src_embedding.weight.numel()
    taken = {name: point["taken"] for name, point in found["starts"].items()}
    assert taken == {
        "alone": 0,
        "encoder": table + parts["encoder"],
        "all layers": table + parts["encoder"] + parts["decoder"],
    }


def test_starts_differ_from_the_first_validation_on(run):
    _, _, found = run
    first = {tuple(point["curve"][0]) for point in found["starts"].values()}
    assert len(first) == 3
