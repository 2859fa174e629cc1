"""The parameters of a model by part, and of the paper's models."""

import pytest

from attention_book.experiments.recurrent_study import parameters
from attention_book.models.config import TransformerConfig
from attention_book.models.transformer import Transformer
from attention_book.studies.translator import parameter_counts as study
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


@pytest.mark.parametrize("norm", ["pre", "post"])
@pytest.mark.parametrize(
    "changes", [{}, {"n_layers": 1}, {"d_model": 24, "n_heads": 2}, {"d_ff": 7}, {"vocab_size": 11}]
)
def test_the_formula_is_the_machine(norm, changes):
    config = TransformerConfig.tiny(**{"norm": norm, **changes})
    assert study.by_formula(config) == study.by_machine(config)
    assert study.by_formula(config)["all"] == parameters(Transformer(config))


@pytest.mark.parametrize(
    "changes", [{"tie_embeddings": False}, {"bias": False}, {"positions": "learned"}, {"d_k": 4}, {"d_v": 4}]
)
def test_what_the_formula_is_not_for_is_refused(changes):
    config = TransformerConfig.tiny(**changes)
    with pytest.raises(ValueError, match="the formula is for"):
        study.by_formula(config)


def test_vocabularies_that_fit_give_the_papers_millions_and_their_neighbours_do_not():
    for size, millions in (("base", 65), ("big", 213)):
        low, high = study.fitting_vocabularies(size)

        def rounded(vocabulary, size=size):
            return round(study.by_machine(getattr(TransformerConfig, size)(vocab_size=vocabulary))["all"] / 1e6)

        assert rounded(low) == rounded(high) == millions
        assert rounded(low - 1) == millions - 1 and rounded(high + 1) == millions + 1


def test_no_one_vocabulary_fits_both():
    numbers = study.fit_numbers()
    assert numbers["most_big"] < numbers["least_base"]
    assert numbers["millions_base"] == paper_counts()["base"] / 1e6


def test_the_table_has_a_column_for_each_model_and_ends_with_the_paper():
    rows = study.count_rows()
    assert {len(row) for row in rows} == {len(study.COUNT_HEADER)}
    assert rows[-1][2:] == ("65 million", "213 million")
    base = {row[0]: int(row[2].replace("\N{NARROW NO-BREAK SPACE}", "")) for row in rows[:-1]}
    assert base == study.by_machine(TransformerConfig.base())
