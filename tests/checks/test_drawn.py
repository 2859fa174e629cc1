"""Random inputs: the same for every reader, and nothing of the reader's own changed by drawing them."""

import torch

from attention_book.checks.drawn import Normal, seeded


def test_a_seed_gives_the_same_numbers_as_torch_one_draw_after_the_other():
    normal, generator = Normal(3), torch.Generator().manual_seed(3)
    for shape in ((2, 3), (4,), (1, 2, 2)):
        assert torch.equal(normal(*shape), torch.randn(shape, generator=generator, dtype=torch.float64))
    assert torch.equal(torch.rand(5, generator=normal.generator), torch.rand(5, generator=generator))
    assert not torch.equal(Normal(3)(20), Normal(4)(20))


def test_drawing_leaves_the_readers_random_numbers_alone():
    torch.manual_seed(0)
    wanted = torch.rand(3)
    torch.manual_seed(0)
    Normal(1)(5)
    with seeded(7):
        first = torch.rand(4)
    assert torch.equal(torch.rand(3), wanted)
    with seeded(7):
        assert torch.equal(torch.rand(4), first)
