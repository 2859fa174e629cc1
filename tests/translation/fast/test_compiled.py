"""Compiled steps against the readable model, and the law that no result depends on what is computed beside it."""

import copy
import math
import pickle
import platform

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from attention_book.translation import decoding
from attention_book.translation.fast import compiling
from attention_book.translation.fast.compiled import PANEL, CompiledSearch, CompiledTransformer, _in_panels
from attention_book.translation.fast.fast_translator import search
from attention_book.translation.fast.searching import beam_search, greedy_decode
from translation.fast.models import SHAPES, random_model, random_sources

pytestmark = [
    pytest.mark.skipif(compiling.library() is None, reason="there is no C compiler"),
    pytest.mark.usefixtures("unchecked"),
]


def log_probabilities(model, src, prefixes, rows):
    """Of the next token, from the readable model: −∞ for what no search generates."""
    with torch.no_grad():
        memory = model.encode(src).reorder(torch.tensor(rows))
        found = model.decode(torch.tensor(prefixes), memory)[:, -1].log_softmax(dim=1)
    found[:, [model.config.pad_id, model.config.bos_id]] = -torch.inf
    return found


@pytest.mark.parametrize("shape", SHAPES)
def test_prefixes_that_are_repeated_dropped_and_crossed(shape):
    model = random_model(1, **SHAPES[shape])
    config, src = model.config, random_sources(model, rows=3)
    found, generator = CompiledSearch(CompiledTransformer(model), src, 4), torch.Generator().manual_seed(0)
    words = torch.tensor([one for one in range(config.vocab_size) if one not in (config.pad_id, config.bos_id)])
    prefixes, sources = [[[config.bos_id]] for _ in src], [0, 1, 2]
    for width in (3, 4, 2, 4):
        last = [[one[-1] for one in row] for row in prefixes]
        before = torch.randn(len(prefixes), len(prefixes[0]), generator=generator)
        totals, parents, tokens = found.largest(last, before.tolist(), 5)
        rows = [source for source in sources for _ in prefixes[0]]
        wanted = log_probabilities(model, src, [one for row in prefixes for one in row], rows)
        wanted = (wanted.view(*before.shape, -1) + before[:, :, None]).flatten(1).topk(5)
        assert torch.allclose(torch.tensor(totals), wanted.values, atol=1e-4)
        places = torch.tensor(parents) * config.vocab_size + torch.tensor(tokens)
        assert places.equal(wanted.indices)

        chosen = torch.randint(len(prefixes[0]), (len(prefixes), width), generator=generator)
        added = words[torch.randint(len(words), chosen.shape, generator=generator)]
        if width == 2:  # the last source takes the place of the first, and the second goes
            found.keep([2, 0])
            prefixes, sources = [prefixes[2], prefixes[0]], [sources[2], sources[0]]
            chosen, added = chosen[:2], added[:2]
        found.choose(chosen.tolist())
        prefixes = [
            [[*row[parent], token] for parent, token in zip(*two, strict=True)]
            for row, *two in zip(prefixes, chosen.tolist(), added.tolist(), strict=True)
        ]


@pytest.mark.parametrize("scores", [True, False])
def test_the_best_of_each_source(scores):
    model = random_model(3)
    src = random_sources(model)
    numbers, tokens = CompiledSearch(CompiledTransformer(model), src).best([model.config.bos_id] * len(src), scores)
    wanted = log_probabilities(model, src, [[model.config.bos_id]] * len(src), range(len(src))).max(dim=1)
    assert tokens == wanted.indices.tolist()
    assert torch.allclose(torch.tensor(numbers), wanted.values, atol=1e-5) == scores


@settings(max_examples=20)
@given(st.integers(0, 100), st.permutations(range(9)), st.integers(1, 9), st.sampled_from(sorted(SHAPES)))
def test_a_sentence_is_translated_the_same_in_every_batch_bit_for_bit(seed, order, count, shape):
    model = random_model(seed, **SHAPES[shape])
    packed, src = CompiledTransformer(model), random_sources(model, seed=seed)
    some = list(order)[:count]
    for find in (greedy_decode, beam_search):
        together = find(packed, src)
        assert find(packed, src[some]) == [together[place] for place in some]
    alone = src[some[0]]
    assert beam_search(packed, alone[alone != model.config.pad_id][None]) == [together[some[0]]]


def test_a_search_that_is_wider_after_its_first_slots_are_full():
    model = random_model(4, max_len=40)
    src = random_sources(model, rows=9, longest=2)
    found, prefixes = CompiledSearch(CompiledTransformer(model), src, 4), [[[model.config.bos_id]] for _ in src]
    for step in range(14):
        width = 1 if step < 9 else 4
        totals, _, tokens = found.largest([[one[-1] for one in row] for row in prefixes],
                                          [[0.0] * len(row) for row in prefixes], 4)  # fmt: skip
        rows = [source for source in range(9) for _ in prefixes[source]]
        wanted = log_probabilities(model, src, [one for row in prefixes for one in row], rows)
        assert torch.allclose(torch.tensor(totals), wanted.view(9, -1).topk(4).values, atol=1e-4)
        found.choose([[0] * width for _ in src])
        prefixes = [[[*row[0], token] for token in new[:width]] for row, new in zip(prefixes, tokens, strict=True)]


def test_padding_inside_a_sentence_and_before_it():
    model = random_model(6)
    src = random_sources(model)
    src[0, 2], src[1, 0] = model.config.pad_id, model.config.pad_id
    found, wanted = beam_search(CompiledTransformer(model), src), decoding.beam_search(model, src)
    assert [one.tokens for one in found] == [one.tokens for one in wanted]


def test_a_copy_and_a_pickle_do_the_same():
    model = random_model(2)
    src, packed = random_sources(model), CompiledTransformer(model)
    before = beam_search(packed, src)
    with torch.no_grad():
        model.output.weight.zero_()
    for other in (copy.deepcopy(packed), pickle.loads(pickle.dumps(packed))):
        assert beam_search(other, src) == before


def test_what_a_step_before_was_given_is_forgotten():
    model = random_model(2)
    src, packed = random_sources(model), CompiledTransformer(model)
    fresh, other = (CompiledSearch(packed, src) for _ in range(2))
    other.largest([[model.config.bos_id]] * 9, [[-5.0]] * 9, 4)
    fresh.best([model.config.bos_id] * 9, True)
    other.choose([[0]] * 9)
    assert fresh.best([7] * 9, True) == other.best([7] * 9, True)


def test_threads_share_the_batches_and_change_nothing():
    model = random_model(2)
    sentences = [row[row != model.config.pad_id].tolist() for row in random_sources(model, rows=13)]
    packed = CompiledTransformer(model)
    for beam_size in (1, 4):
        alone, shared = (
            [one.tokens for one in search(packed, sentences, beam_size, 0.6, 2, threads)] for threads in (1, 3)
        )
        assert alone == shared


FLAGS_OF = {"x86_64": ["-march=x86-64", "-march=haswell"], "aarch64": ["-march=armv8-a"]}


@pytest.mark.parametrize("flag", FLAGS_OF.get(platform.machine(), []))
def test_registers_of_every_width(flag, tmp_path, monkeypatch):
    """A processor has registers of 4, 8 or 16 numbers; most of those that test this have the widest."""
    flags = [flag if one == compiling.NATIVE else one for one in compiling.FLAGS]
    narrow = compiling.load(compiling.built(["cc"], tmp_path, flags))
    monkeypatch.setattr("attention_book.translation.fast.compiled.library", lambda: narrow)
    for shape in SHAPES:
        model = random_model(5, **SHAPES[shape])
        src, packed = random_sources(model, rows=13), CompiledTransformer(model)
        for found, wanted in (
            (greedy_decode(packed, src), decoding.greedy_decode(model, src)),
            (beam_search(packed, src), decoding.beam_search(model, src)),
        ):
            assert [one.tokens for one in found] == [one.tokens for one in wanted]
            assert [one.log_prob for one in found] == pytest.approx([one.log_prob for one in wanted], abs=1e-4)


def test_a_matrix_in_panels():
    matrix = torch.arange(3.0 * (PANEL + 2)).view(3, PANEL + 2)
    panels = _in_panels(matrix)
    assert panels.shape == (2, 3, PANEL)
    assert panels[0].equal(matrix[:, :PANEL]) and panels[1, :, :2].equal(matrix[:, PANEL:])
    assert not panels[1, :, 2:].any()


def test_a_later_change_of_the_model_changes_nothing():
    model = random_model()
    src, packed = random_sources(model), CompiledTransformer(model)
    before = beam_search(packed, src)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.zero_()
    assert beam_search(packed, src) == before


NAMES = [name for name, _ in random_model(tie_embeddings=False, positions="learned").named_parameters()]


@pytest.mark.parametrize("name", NAMES)
def test_no_weight_that_is_not_a_number_goes_unnoticed(name):
    model = random_model(tie_embeddings=False, positions="learned")
    with torch.no_grad():
        model.get_parameter(name).fill_(math.nan)
    src, packed = random_sources(model), CompiledTransformer(model)
    assert all(refused(find, packed, src, FloatingPointError) for find in (greedy_decode, beam_search))


def refused(call, packed, src, error):
    try:
        call(packed, src)
    except error:
        return True
    return False


class TestRefusals:
    def test_ids_that_are_in_no_vocabulary(self):
        packed = CompiledTransformer(random_model())
        ids = (-1, 0, 60, 61)
        assert [one for one in ids if refused(CompiledSearch, packed, torch.tensor([[7, one]]), IndexError)] == [-1, 61]

    def test_ids_and_prefixes_of_a_step(self):
        found = CompiledSearch(CompiledTransformer(random_model()), torch.tensor([[7, 2]]), 2)
        for wrong in (-1, 61):
            with pytest.raises(IndexError, match="must be 0 to 60"):
                found.best([wrong], scores=False)
        found.best([7], scores=False)
        with pytest.raises(IndexError, match="prefixes must be 0 to 0"):
            found.choose([[1]])

    @pytest.mark.parametrize(
        ("src", "error", "said"),
        [
            (torch.ones(3, dtype=torch.int64), ValueError, r"\(batch, length\), got \(3,\)"),
            (torch.ones(1, 3), TypeError, "whole numbers of 32 or 64 bits, got torch.float32"),
            (torch.ones(1, 25, dtype=torch.int32), ValueError, "25 tokens are more than the max_len=24"),
        ],
    )
    def test_what_is_no_batch(self, src, error, said):
        with pytest.raises(error, match=said):
            CompiledSearch(CompiledTransformer(random_model()), src)

    def test_a_step_behind_the_last_position(self):
        model = random_model(max_len=4)
        found = CompiledSearch(CompiledTransformer(model), random_sources(model, longest=2))
        for _ in range(4):
            found.best([3] * 9, scores=False)
        with pytest.raises(IndexError, match="no position 4"):
            found.best([3] * 9, scores=False)

    def test_no_transformer_and_no_compiler(self, monkeypatch):
        with pytest.raises(TypeError, match="fast decoding is for Transformers"):
            CompiledTransformer(torch.nn.Linear(2, 2))
        monkeypatch.setattr("attention_book.translation.fast.compiled.library", lambda: None)
        with pytest.raises(OSError, match="need a C compiler"):
            CompiledTransformer(random_model())
