"""Single steps of one sentence against the readable model."""

import torch

from attention_book.translation.fast.large_pages import PagedTransformer
from attention_book.translation.fast.one_sentence import OneSource, best, largest
from translation.fast.models import random_model, random_sources


def test_steps_follow_prefixes_that_are_repeated_dropped_and_crossed():
    model = random_model(1)
    src, packed = random_sources(model, rows=1), PagedTransformer(model)
    generator = torch.Generator().manual_seed(0)
    with torch.no_grad():
        memory, source = model.encode(src), OneSource(packed, src, 4)
        prefixes, parents = [[model.config.bos_id]], None
        for width in (3, 4, 2, 4):
            source.step(torch.tensor([one[-1] for one in prefixes]), parents)
            parents = torch.randint(len(prefixes), (width,), generator=generator)
            tokens = torch.randint(3, 60, (width,), generator=generator)
            prefixes = [[*prefixes[p], t] for p, t in zip(parents.tolist(), tokens.tolist(), strict=True)]
        found = packed.output(source.step(tokens, parents))
        wanted = model.decode(torch.tensor(prefixes), memory.reorder(torch.zeros(4, dtype=torch.int64)))[:, -1]
    assert torch.allclose(found[:, :61], wanted, atol=1e-4)


def test_the_best_are_those_of_a_full_softmax():
    packed = PagedTransformer(random_model())
    states = torch.randn(3, 32, generator=torch.Generator().manual_seed(1))
    probabilities = torch.mm(states, packed.output.turned[:, :61]).log_softmax(dim=1)
    probabilities[:, [0, 1]] = -torch.inf
    totals = torch.tensor([0.0, -1.0, -torch.inf])
    numbers, parents, tokens = largest(packed, states, totals, 5)
    wanted = (probabilities + totals[:, None]).flatten().topk(5)
    assert torch.allclose(torch.tensor(numbers), wanted.values, atol=1e-5)
    assert [61 * parent + token for parent, token in zip(parents, tokens, strict=True)] == wanted.indices.tolist()
    number, token = best(packed, states[:1], scores=True)
    assert token == probabilities[0].argmax() and abs(number - float(probabilities[0].max())) < 1e-5
