"""The fast searches against the readable ones: equal tokens, equal scores but for rounding."""

import math

import pytest
import torch
from tiny_translator import KNOWN, tiny_translator

from attention_book.translation import decoding
from attention_book.translation.fast.compiled import CompiledTransformer
from attention_book.translation.fast.compiling import library
from attention_book.translation.fast.packing import PackedTransformer
from attention_book.translation.fast.searching import WIDEST, beam_search, greedy_decode
from translation.fast.models import SHAPES, random_model, random_sources

pytestmark = pytest.mark.usefixtures("unchecked")  # the checks of types take most of the time of so many steps


@pytest.fixture(params=["torch", "compiled"])
def pack(request):
    """What lays a model out for fast steps."""
    if request.param == "compiled" and library() is None:
        pytest.skip("there is no C compiler")
    return {"torch": PackedTransformer, "compiled": CompiledTransformer}[request.param]


def assert_same(found, wanted):
    assert [one.tokens for one in found] == [one.tokens for one in wanted]
    for one, other in zip(found, wanted, strict=True):
        assert one.log_prob == pytest.approx(other.log_prob, abs=1e-4, rel=1e-5)
        assert one.score == pytest.approx(other.score, abs=1e-5, rel=1e-5)


class TestEquality:
    @pytest.mark.parametrize("shape", SHAPES)
    def test_models_of_every_shape(self, pack, shape):
        for seed in range(2):
            model = random_model(seed, **SHAPES[shape])
            src, packed = random_sources(model, seed=seed), pack(model)
            assert_same(greedy_decode(packed, src), decoding.greedy_decode(model, src))
            for beam_size in (1, 4):
                assert_same(beam_search(packed, src, beam_size), decoding.beam_search(model, src, beam_size))

    def test_the_random_models_are_hard_enough(self):
        model = random_model()
        lengths = {len(one.tokens) for one in decoding.greedy_decode(model, random_sources(model, rows=30))}
        assert len(lengths) > 5

    @pytest.mark.parametrize(("beam_size", "penalty"), [(3, 0.0), (4, 2.5), (WIDEST, 0.6)])
    def test_beams_and_penalties(self, pack, beam_size, penalty):
        for seed in (1, 3, 4):  # a stop rule that is too eager shows with seed 1 and penalty 2.5
            model = random_model(seed)
            src = random_sources(model, seed=seed)
            found = beam_search(pack(model), src, beam_size, penalty)
            assert_same(found, decoding.beam_search(model, src, beam_size, penalty))

    def test_more_rows_than_one_block_of_memory_and_lengths_beyond_the_first_slots(self, pack):
        model = random_model(7, max_len=40)
        src, packed = random_sources(model, rows=20, longest=4), pack(model)
        assert_same(greedy_decode(packed, src, 30), decoding.greedy_decode(model, src, 30))
        assert_same(beam_search(packed, src, 4, 0.6, 30), decoding.beam_search(model, src, 4, 0.6, 30))

    def test_a_translator(self, pack):
        translator = tiny_translator()
        rows = [torch.tensor([*translator.subwords.encode(text), translator.subwords.eos_id]) for text in KNOWN]
        src = torch.nn.utils.rnn.pad_sequence(rows, batch_first=True)
        packed = pack(translator.model)
        assert_same(greedy_decode(packed, src), decoding.greedy_decode(translator.model, src))
        assert_same(beam_search(packed, src), decoding.beam_search(translator.model, src))

    def test_equal_probabilities_go_the_same_way(self, pack):
        model = random_model(1, tie_embeddings=False)
        with torch.no_grad():  # every token but </s> has twins: equal logits at every step
            weight = model.output.weight
            weight[30:60] = weight[3:33].clone()
            weight[2] *= 0.5
        src, packed = random_sources(model), pack(model)
        found = beam_search(packed, src, 4, 0.6, 10)
        assert [one.tokens for one in found] == [one.tokens for one in decoding.beam_search(model, src, 4, 0.6, 10)]
        assert_same(greedy_decode(packed, src, 10), decoding.greedy_decode(model, src, 10))

    @pytest.mark.parametrize("max_len", [1, 2, None])
    def test_short_limits_leave_unfinished_sentences(self, pack, max_len):
        model = random_model(2)
        src, packed = random_sources(model), pack(model)
        assert_same(greedy_decode(packed, src, max_len), decoding.greedy_decode(model, src, max_len))
        assert_same(beam_search(packed, src, 4, 0.6, max_len), decoding.beam_search(model, src, 4, 0.6, max_len))

    def test_a_tiny_vocabulary_has_fewer_continuations_than_the_beam_is_wide(self, pack):
        model = random_model(3, vocab_size=5)
        src = random_sources(model, rows=3, longest=4)
        assert_same(beam_search(pack(model), src, 8), decoding.beam_search(model, src, 8))


class TestEdges:
    def test_no_rows(self, pack):
        model = random_model()
        packed, none = pack(model), torch.zeros(0, 3, dtype=torch.int64)
        assert greedy_decode(packed, none) == beam_search(packed, none) == []

    def test_a_batch_of_one_and_a_row_by_itself(self, pack):
        model = random_model(4)
        src, packed = random_sources(model), pack(model)
        together = greedy_decode(packed, src)
        for row, wanted in zip(src, together, strict=True):
            assert_same(greedy_decode(packed, row[row != 0][None]), [wanted])

    def test_a_source_of_padding_alone_and_one_of_no_columns(self, pack):
        model = random_model(5)
        src, packed = random_sources(model), pack(model)
        src[3] = model.config.pad_id
        assert_same(beam_search(packed, src), decoding.beam_search(model, src))
        nothing = src[:2, :1].clone().fill_(model.config.pad_id)
        assert_same(greedy_decode(packed, src[:2, :0]), decoding.greedy_decode(model, nothing))

    def test_without_scores_the_tokens_are_the_same(self, pack):
        model = random_model(6)
        src, packed = random_sources(model), pack(model)
        found = greedy_decode(packed, src, scores=False)
        assert [one.tokens for one in found] == [one.tokens for one in decoding.greedy_decode(model, src)]
        assert all(math.isnan(one.log_prob) and math.isnan(one.score) for one in found)

    def test_logits_too_large_for_a_sum_of_exponentials(self, pack):
        model = random_model(8, tie_embeddings=False)
        with torch.no_grad():
            model.output.weight *= 60
        src, packed = random_sources(model), pack(model)
        found, wanted = greedy_decode(packed, src, 8), decoding.greedy_decode(model, src, 8)
        assert [one.tokens for one in found] == [one.tokens for one in wanted]
        assert [one.log_prob for one in found] == pytest.approx([one.log_prob for one in wanted], abs=2e-2)

    @pytest.mark.parametrize("search", [greedy_decode, beam_search])
    def test_weights_that_are_not_finite_are_refused(self, pack, search):
        model = random_model()
        with torch.no_grad():
            model.decoder.layers[0].feed_forward.w_1.bias.fill_(math.nan)
        with pytest.raises(FloatingPointError, match="NaN"):
            search(pack(model), random_sources(model))

    def test_bad_settings_are_refused(self, pack):
        model = random_model()
        src, packed = random_sources(model), pack(model)
        with pytest.raises(ValueError, match=f"at most {WIDEST} wide"):
            beam_search(packed, src, WIDEST + 1)
        with pytest.raises(ValueError, match="length_penalty"):
            beam_search(packed, src, 4, -1.0)
        with pytest.raises(ValueError, match="max_len=25 exceeds"):
            greedy_decode(packed, src, 25)
        with pytest.raises(ValueError, match="more than the max_len=24"):
            greedy_decode(packed, torch.full((1, 25), 7))
        with pytest.raises(TypeError, match="whole numbers"):
            greedy_decode(packed, src.float())
