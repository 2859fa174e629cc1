"""The models before the Transformer stand on one side of two."""

from attention_book.studies.heads.earlier_models import BEFORE, predecessors


def test_every_model_stands_on_the_side_that_it_is_on():
    found = predecessors()
    assert found["without_attention"] == ["Kalchbrenner and Blunsom 2013", "Cho et al. 2014", "Sutskever et al. 2014"]
    assert "Bahdanau et al. 2014" in found["with_attention"] and sum(map(len, found.values())) == len(BEFORE)
