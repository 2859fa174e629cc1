"""The encoder and single steps against the readable model."""

import torch

from attention_book.translation.fast.packing import PackedTransformer
from attention_book.translation.fast.stepping import Sources, encode, start, step
from translation.fast.models import random_model, random_sources


def test_the_encoder_gives_the_states_of_the_real_tokens():
    model = random_model()
    src = random_sources(model)
    with torch.no_grad():
        wanted = model.encode(src).states[src != model.config.pad_id]
        packed = PackedTransformer(model)
        assert torch.allclose(encode(packed, Sources(packed, src)), wanted, atol=1e-5)


def test_steps_follow_prefixes_that_are_repeated_dropped_and_crossed():
    model = random_model(1)
    src = random_sources(model, rows=3)
    packed = PackedTransformer(model)
    generator = torch.Generator().manual_seed(0)
    with torch.no_grad():
        memory, state = model.encode(src), start(packed, src, 4)
        prefixes = [[[model.config.bos_id]] for _ in src]
        for width in (3, 4, 2, 4):
            step(packed, torch.tensor([[one[-1] for one in row] for row in prefixes]), state)
            parents = torch.randint(len(prefixes[0]), (3, width), generator=generator)
            tokens = torch.randint(3, 60, (3, width), generator=generator)
            state.choose(parents)
            prefixes = [
                [[*row[parent], token] for parent, token in zip(*chosen, strict=True)]
                for row, *chosen in zip(prefixes, parents.tolist(), tokens.tolist(), strict=True)
            ]
        state.keep([2, 1])
        found = step(packed, torch.tensor([[one[-1] for one in row] for row in (prefixes[2], prefixes[1])]), state)
        whole = torch.tensor([*prefixes[2], *prefixes[1]])
        rows = torch.tensor([2, 2, 2, 2, 1, 1, 1, 1])
        wanted = model.decode(whole, memory.reorder(rows))[:, -1]
    assert torch.allclose(found[:, :61], wanted, atol=1e-4)
    assert (found[:, 61:] == -torch.inf).all()
