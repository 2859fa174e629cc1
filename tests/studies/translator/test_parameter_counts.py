"""The parameters of a model by part, and of the paper's models."""

import pytest

from attention_book.experiments.recurrent_study import parameters
from attention_book.models.config import TransformerConfig
from attention_book.models.transformer import Transformer
from attention_book.studies.translator.parameter_counts import paper_counts, parts_of


def test_the_parts_of_a_tied_model_are_all_of_it():
    model = Transformer(TransformerConfig.tiny(vocab_size=11, tie_embeddings=True))
    parts = parts_of(model)
    assert parts["embedding"] == 11 * model.config.d_model
    assert sum(parts.values()) == parameters(model)


def test_a_model_of_more_parts_is_refused():
    with pytest.raises(ValueError, match="not tied"):
        parts_of(Transformer(TransformerConfig.tiny(vocab_size=11, tie_embeddings=False)))


def test_the_papers_models_have_the_parameters_of_a_count_by_hand():
    def by_hand(config):
        d, ff, vocabulary = config.d_model, config.d_ff, config.vocab_size
        attention, forward, norm = 4 * (d * d + d), 2 * d * ff + d + ff, 2 * d
        layers = config.n_layers * (3 * attention + 2 * forward + 5 * norm)
        last_norms = 2 * 2 * d if config.norm == "pre" else 0
        return vocabulary * d + layers + last_norms

    assert paper_counts() == {name: by_hand(getattr(TransformerConfig, name)()) for name in ("base", "big")}
