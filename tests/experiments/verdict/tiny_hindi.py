"""A tiny English–Hindi corpus, a tiny parent that read English and Spanish, and a configuration of a few steps."""

import torch

from attention_book.data import corpora
from attention_book.data.normalisation import Pair
from attention_book.data.subwords import Subwords
from attention_book.models.config import TransformerConfig
from attention_book.models.transformer import Transformer
from attention_book.translation.translator import Translator


def pair(source, target):
    return Pair(source, target, (target,))


SPANISH = tuple(pair(f"I see {n} cats.", f"Veo {n} gatos.") for n in range(30))
HINDI = tuple(pair(f"I see {n} dogs.", f"मैं {n} कुत्ते देखता हूँ।") for n in range(30))
TEST = (pair("I SEE 3 cats.", "मैं 3 बिल्लियाँ देखता हूँ।"), pair("I see 3 dogs now.", "मैं अब 3 कुत्ते देखता हूँ।"))


def tiny(configuration, folder, patch, tokens=200):
    """A configuration of the experiments made tiny, and its parent, which is saved in a folder.

    Args:
        configuration: of the experiment.
        folder: where the parent goes.
        patch: pytest's `monkeypatch`; the two corpora are what `corpora.load` gives then.
        tokens: budget of a run.
    """
    made = {
        "spanish": corpora.Corpus("spanish", SPANISH, (), (), "en", "es", ""),
        "hindi": corpora.Corpus("hindi", HINDI, TEST, TEST, "en", "hi", ""),
    }
    patch.setattr(corpora, "load", made.__getitem__)
    subwords = Subwords.train((text for p in SPANISH for text in (p.source, p.target)), 270)
    torch.manual_seed(5)
    parent = Transformer(TransformerConfig.tiny(270, d_model=8, n_heads=2, n_layers=1, d_ff=8))
    Translator(parent, subwords).save(folder)
    return parent, configuration | {
        "corpus": "hindi",
        "parent": {"corpus": "spanish", "model": str(folder)},
        "vocabulary": 300,
        "training": {"tokens": tokens, "tokens_per_batch": 200, "peak_rate": 1e-2, "validate_every": 200},
        "translated": 2,
        "bootstrap": 5,
    }
