"""Links by hand: what is fed, how counts come about, and that the result on record is that of the shipped models."""

import numpy as np
import pytest
import torch

from attention_book import experiments
from attention_book.counting.hand_linked import linked_pairs
from attention_book.experiments.link_study import READINGS
from attention_book.experiments.reading import links_by_hand as experiment
from attention_book.translation.translator import Translator


def test_counts_by_hand():
    pair = linked_pairs()[3]  # We like quiet streets. / Nos gustan las calles tranquilas.
    assert pair.source == "We like quiet streets."
    chosen = [0, 1, 3, 2, 5, 4]  # las with streets is possible, calles with quiet is wrong, tranquilas has no link
    assert experiment.counts_of([chosen], [pair]) == [[5, 3, 4, 5]]


def test_each_word_can_be_linked_rightly_where_it_has_a_link():
    for pair in linked_pairs():
        for j, i in enumerate(experiment._gold(pair)):
            assert (i, j) in pair.sure | pair.possible
            assert (i, j) in pair.sure or not any(linked == j for _, linked in pair.sure)


def test_the_last_word_is_written_by_the_row_before_the_end():
    translator, pair = Translator.from_pretrained("en-es"), linked_pairs()[7]
    looks = experiment.forced_words(translator, pair)
    assert looks["to come"].shape[-2:] == (len(pair.target_words), len(pair.source_words) + 1)
    subwords = translator.subwords
    src = torch.tensor([[*subwords.encode(pair.source), subwords.eos_id]])
    fed = torch.tensor([[subwords.bos_id, *subwords.encode(pair.target)]])
    with torch.no_grad():
        rows = translator.model.attention_weights(src, fed)["cross"][:, 0]
    torch.testing.assert_close(looks["to come"][..., -1, -1], rows[..., -2, -1])  # the full stop is one piece
    torch.testing.assert_close(looks["just read"][..., -1, -1], rows[..., -1, -1])


@pytest.mark.parametrize("part", ["translator", "recurrent"])
def test_the_result_on_record_is_that_of_the_shipped_models(part):
    result = experiments.read("links-by-hand")
    found = experiment.read_translator(result["configuration"][part], linked_pairs())
    again = "a model was exchanged: run `python -m attention_book experiment links-by-hand` again"
    for reading in READINGS:
        now, then = (np.array(one["heads"][reading]) for one in (found, result["seeds"]["0"][part]))
        assert now.shape == then.shape and np.abs(now - then).sum() <= 0.002 * then.sum(), again
