"""A decoder-only model is causal, does not feel its padding, and says step by step what it says in one pass."""

import math

import pytest
import torch

from attention_book.attention.masks import leak
from attention_book.models.blocks import Encoder
from attention_book.models.config import TransformerConfig
from attention_book.models.one_stack.decoder_only import DecoderOnly, stream_labels, stream_mask
from attention_book.models.transformer import Transformer
from attention_book.translation.decoding import SearchModel, beam_search, exhaustive_search, greedy_decode

SRC = torch.tensor([[5, 6, 2, 0, 0], [7, 8, 9, 10, 2]])
TGT = torch.tensor([[1, 11, 12], [1, 8, 0]])


def model(prefix=False, seed=0, **changes):
    torch.manual_seed(seed)
    sizes = {"d_model": 16, "n_heads": 2, "d_ff": 32, "n_layers": 2, "dropout": 0.0, "max_len": 40} | changes
    return DecoderOnly(TransformerConfig(20, **sizes), prefix).double().eval()


def test_the_mask_by_hand():
    assert stream_mask(2, 2).int().tolist() == [[1, 0, 0, 0], [1, 1, 0, 0], [1, 1, 1, 0], [1, 1, 1, 1]]
    assert stream_mask(2, 2, prefix=True).int().tolist() == [[1, 1, 0, 0], [1, 1, 0, 0], [1, 1, 1, 0], [1, 1, 1, 1]]
    assert stream_mask(0, 3).equal(torch.ones(3, 3).tril().bool()) and stream_mask(3, 0, prefix=True).all()


def test_the_labels_by_hand():
    src, tgt_out = torch.tensor([[5, 6, 2], [7, 2, 0]]), torch.tensor([[8, 9, 2], [8, 2, 0]])
    assert stream_labels(src, tgt_out, 0, 1, 2).tolist() == [[6, 2, 1, 8, 9, 2], [2, 1, 0, 8, 2, 0]]


def felt(machine, prefix):
    """Which logits of a stream depend on which embedded token, by derivatives."""
    places, real = torch.arange(8), torch.ones(1, 8, dtype=torch.bool)
    x = machine._embed(places[None] + 3, real)[0].detach()
    flow = torch.autograd.functional.jacobian(lambda x: machine.stack(x[None], stream_mask(5, 3, prefix))[0][0], x)
    return flow.abs().amax(dim=(1, 3)) != 0


def test_no_row_depends_on_a_later_token():
    machine = model()
    assert felt(machine, False).equal(torch.ones(8, 8).tril().bool())
    x = torch.randn(8, 16, generator=torch.Generator().manual_seed(1)).double()
    assert leak(lambda x: machine.stack(x[None], stream_mask(5, 3))[0][0], x) == 0
    tokens = torch.arange(3, 11)[None]
    before = machine.stream(tokens[:, :5], tokens[:, 5:])
    changed = tokens.clone()
    changed[0, 4] = 15
    after = machine.stream(changed[:, :5], changed[:, 5:])
    assert torch.equal(before[:, :4], after[:, :4]) and not torch.allclose(before[:, 4:], after[:, 4:])


def test_with_a_prefix_the_source_feels_all_of_itself_and_nothing_of_the_target():
    found = felt(model(prefix=True), True)
    assert found[:5, :5].all() and not found[:5, 5:].any()
    assert found[5:, :5].all() and found[5:, 5:].equal(torch.ones(3, 3).tril().bool())


@pytest.mark.parametrize("prefix", [False, True])
def test_padding_in_the_middle_of_the_stream_changes_nothing(prefix):
    machine = model(prefix)
    together = machine(SRC, TGT)
    torch.testing.assert_close(together[0], machine(SRC[:1, :3], TGT[:1])[0])
    torch.testing.assert_close(together[1, :2], machine(SRC[1:], TGT[1:, :2])[0])
    weights = machine.weights(SRC, TGT)
    assert weights.shape == (2, 2, 2, 8, 8) and weights[:, 0, :, :, 3:5].abs().max() == 0


@pytest.mark.parametrize("prefix", [False, True])
def test_steps_with_a_cache_say_what_one_pass_says(prefix):
    machine = model(prefix)
    state = machine.start(machine.encode(SRC))
    wanted = machine(SRC, TGT).log_softmax(-1)
    for place in range(2):
        before = state
        found, state = machine.step(TGT[:, place], state)
        torch.testing.assert_close(found, wanted[:, place])
        again, _ = machine.step(TGT[:, place], before)
        assert torch.equal(found, again)  # stepping leaves the earlier state as it was
    swapped, _ = machine.step(TGT[[1, 0, 0], 2], state.reorder(torch.tensor([1, 0, 0])))
    torch.testing.assert_close(swapped[1], wanted[0, 2])
    assert torch.equal(swapped[1], swapped[2])


def test_every_search_takes_it():
    machine = model(prefix=True, seed=3)
    assert isinstance(machine, SearchModel)
    found = greedy_decode(machine, SRC, max_len=4)
    for row, hypothesis in enumerate(found):
        given = torch.tensor([[1, *hypothesis.tokens[:-1]]])
        log_probs = machine(SRC[row : row + 1], given).log_softmax(-1)[0]
        total = log_probs.gather(1, torch.tensor(hypothesis.tokens)[:, None]).sum().item()
        assert math.isclose(total, hypothesis.log_prob, rel_tol=1e-9)
    beam = beam_search(machine, SRC, beam_size=400, length_penalty=0.0, max_len=3)
    best = exhaustive_search(machine, SRC, max_len=3, length_penalty=0.0)
    assert [h.tokens for h in beam] == [h.tokens for h in best]


def test_its_layers_are_those_of_the_encoder():
    machine = model()
    assert type(machine.stack) is Encoder and not any("cross" in name for name, _ in machine.named_modules())
    tokens = torch.cat([SRC, TGT], dim=1)
    own = machine._embed(tokens[1:, :7], torch.ones(1, 7, dtype=torch.bool))
    wanted = machine.stack(own, torch.ones(7, 7).tril().bool())[0] @ machine.embedding.weight.T
    torch.testing.assert_close(machine.stream(SRC[1:], TGT[1:, :2])[0], wanted[0])


def test_seven_layers_have_as_many_matrices_as_three_and_three():
    config = {"d_model": 48, "n_heads": 4, "d_ff": 192}
    two, one = (
        Transformer(TransformerConfig(20, n_layers=3, **config)),
        DecoderOnly(TransformerConfig(20, n_layers=7, **config)),
    )
    count = lambda module: sum(p.numel() for p in module.parameters() if p.dim() == 2)  # noqa: E731
    assert count(two) == count(one)


def test_what_it_refuses():
    with pytest.raises(ValueError, match="sinusoidal positions and tied"):
        model(positions="rotary")
    with pytest.raises(ValueError, match="sinusoidal positions and tied"):
        model(tie_embeddings=False)
    with pytest.raises(ValueError, match="longer than the max_len=6"):
        model(max_len=6)(SRC, TGT)
