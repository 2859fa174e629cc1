"""The shuffled start of English–Hindi: what shuffling keeps and what it destroys, and a tiny run."""

import json

import pytest
import torch
from torch import nn

from attention_book.experiments.verdict import english_hindi, english_hindi_shuffled
from attention_book.translation.translator import Translator

from .tiny_hindi import tiny


def tied_pair():
    torch.manual_seed(3)
    embedding, output = nn.Embedding(7, 5), nn.Linear(5, 7)
    output.weight = embedding.weight
    return nn.Sequential(embedding, nn.LayerNorm(5), output)


def test_shuffling_keeps_the_numbers_of_each_matrix_and_moves_them():
    model, before = tied_pair(), tied_pair().state_dict()
    english_hindi_shuffled.shuffle_(model, 4)
    after = model.state_dict()
    for name in before:
        assert torch.equal(before[name].flatten().sort().values, after[name].flatten().sort().values), name
    assert not torch.equal(before["0.weight"], after["0.weight"])
    assert model[0].weight is model[2].weight


def test_a_seed_shuffles_alike_and_another_seed_otherwise():
    first, again, other = tied_pair(), tied_pair(), tied_pair()
    for model, seed in ((first, 1), (again, 1), (other, 2)):
        english_hindi_shuffled.shuffle_(model, seed)
    assert torch.equal(first[0].weight, again[0].weight) and not torch.equal(first[0].weight, other[0].weight)


def test_only_the_starts_differ_from_the_experiment_that_is_controlled():
    mine, theirs = english_hindi_shuffled.CONFIGURATION, english_hindi.CONFIGURATION
    assert {name for name in mine if mine[name] != theirs.get(name)} == {"starts"}
    assert mine["starts"]["shuffled"] == theirs["starts"]["all layers"]
    assert set(english_hindi_shuffled.SEEDS) <= set(english_hindi.SEEDS)


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """A tiny configuration, its parent, and what a run of it found."""
    folder = tmp_path_factory.mktemp("parent")
    with pytest.MonkeyPatch.context() as patch:
        parent, configuration = tiny(english_hindi_shuffled.CONFIGURATION, folder, patch)
        kept = Translator.from_pretrained(folder).model.state_dict()
        found = english_hindi_shuffled.run_seed(3, configuration)
        straight = english_hindi.run_point(3, "shuffled", configuration)
        yield parent, found, straight, kept, Translator.from_pretrained(folder).model.state_dict()


def test_a_run_has_its_start_and_leaves_the_parent_as_it_was(run):
    parent, found, _, before, after = run
    assert json.loads(json.dumps(found)) == found
    assert [point["taken"] for point in found["starts"].values()] == [sum(p.numel() for p in parent.parameters())]
    assert found["tokens"] == sum(point["tokens"] for point in found["starts"].values())
    assert all(torch.equal(before[name], after[name]) for name in before)


def test_the_shuffled_start_is_not_that_of_the_layers_in_order(run):
    _, found, straight, *_ = run
    assert found["starts"]["shuffled"]["taken"] == straight["taken"]
    assert found["starts"]["shuffled"]["curve"][0] != straight["curve"][0]
