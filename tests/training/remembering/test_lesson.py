"""What a memory says: by hand, by the definition, and as a teacher of the stacked training step."""

import pytest
import torch

from attention_book.models.config import TransformerConfig
from attention_book.training.remembering.datastore import Datastore
from attention_book.training.remembering.lesson import Lessons, Remembering, lessons_of
from attention_book.training.together.stack import Stack
from attention_book.training.together.update import Recipe, Update

VOCABULARY = 12
PAIRS = [([5, 6, 7], [8, 9]), ([5], []), ([10, 11, 4, 5, 6], [7, 8, 9, 10])]
TOKENS = sum(len(target) + 1 for _, target in PAIRS)


def store_of(count=30, width=3, seed=0):
    draw = torch.Generator().manual_seed(seed)
    keys = torch.randn(count, width, generator=draw, dtype=torch.float64)
    values = torch.randint(VOCABULARY, (count,), generator=draw)
    owners = torch.arange(count) // 3
    return Datastore(keys, values, owners, torch.arange(0, count, 3))


def spread(lessons, vocabulary=VOCABULARY):
    """The whole distributions, by the definition."""
    shares = lessons.shares.double()
    dense = ((1 - shares.sum(1, keepdim=True)).clamp(min=0) / vocabulary).repeat(1, vocabulary)
    return dense.scatter_add_(1, lessons.tokens.long(), shares)


def test_two_neighbours_by_hand():
    """At distances 0 and T·ln 3 the nearer neighbour has three quarters of what neighbours have."""
    keys = torch.tensor([[0.0], [0.0], [3.0**0.5]], dtype=torch.float64)
    store = Datastore(keys, torch.tensor([4, 5, 6]), torch.arange(3), torch.arange(3))
    temperature = 3 / torch.log(torch.tensor(3.0)).item()
    output = torch.zeros(VOCABULARY, 1, dtype=torch.float64)
    lessons = lessons_of(store, output, share=0.4, temperature=temperature, neighbours=2, likeliest=VOCABULARY)
    found = spread(lessons)[0]
    assert found[5].item() == pytest.approx(0.6 / 12 + 0.4 * 0.75, abs=1e-3)
    assert found[6].item() == pytest.approx(0.6 / 12 + 0.4 * 0.25, abs=1e-3)
    assert found[4].item() == pytest.approx(0.6 / 12, abs=1e-3)


@pytest.mark.parametrize("share", [0.0, 0.3, 1.0])
def test_it_is_the_mixture_of_its_definition(share):
    store, output = (
        store_of(),
        torch.randn(VOCABULARY, 3, dtype=torch.float64, generator=torch.Generator().manual_seed(1)),
    )
    lessons = lessons_of(store, output, share=share, temperature=0.7, neighbours=5, likeliest=VOCABULARY)
    own = (store.keys @ output.T).softmax(1)
    apart = torch.cdist(store.keys, store.keys).square()
    apart[store.owners[:, None] == store.owners[None]] = torch.inf
    best, which = apart.topk(5, largest=False)
    near = torch.zeros_like(own).scatter_add_(1, store.values[which], (-best / 0.7).softmax(1))
    torch.testing.assert_close(spread(lessons), (1 - share) * own + share * near, rtol=0, atol=2e-3)


def test_one_that_has_no_neighbour_speaks_for_itself():
    store = Datastore(torch.zeros(2, 1), torch.tensor([4, 5]), torch.tensor([0, 0]), torch.tensor([0]))
    found = spread(lessons_of(store, torch.zeros(VOCABULARY, 1), neighbours=3, likeliest=VOCABULARY))
    torch.testing.assert_close(found, torch.full((2, VOCABULARY), 1 / 12, dtype=torch.float64), rtol=0, atol=1e-3)


def test_few_likely_tokens_leave_the_rest_to_all():
    store, output = store_of(), torch.randn(VOCABULARY, 3, dtype=torch.float64)
    found = spread(lessons_of(store, output, share=0.5, neighbours=2, likeliest=2))
    torch.testing.assert_close(found.sum(1), torch.ones(30, dtype=torch.float64), rtol=0, atol=1e-2)
    assert (found > 0).all()


@pytest.mark.parametrize("wrong", [{"share": -0.1}, {"share": 1.1}, {"temperature": 0.0}])
def test_no_mixture_is_refused(wrong):
    with pytest.raises(ValueError, match="share from 0 to 1 and a positive temperature"):
        lessons_of(store_of(), torch.zeros(VOCABULARY, 3), **wrong)


def test_a_vocabulary_whose_ids_do_not_fit_is_refused():
    with pytest.raises(ValueError, match="for at most 32768 tokens, and the vocabulary has 32769"):
        lessons_of(store_of(), torch.zeros(2**15 + 1, 3))


def teacher(seed=0):
    draw = torch.Generator().manual_seed(seed)
    tokens = torch.randint(VOCABULARY, (TOKENS, 4), generator=draw).to(torch.int16)
    lessons = Lessons(tokens, torch.rand(TOKENS, 4, generator=draw) * 0.2)
    return Remembering(PAIRS, lessons, VOCABULARY), spread(lessons)


def padded(rows, width):
    return torch.tensor([row + [0] * (width - len(row)) for row in rows])[None]


@pytest.mark.parametrize("width", [6, 9, 40])
def test_a_pair_is_found_in_any_order_and_with_any_padding(width):
    remembering, dense = teacher()
    order = [2, 0, 1, 0]
    src = padded([[*PAIRS[row][0], 2] for row in order], width)
    tgt = padded([[1, *PAIRS[row][1]] for row in order], width)
    told = remembering.logits(src, tgt, training=False).softmax(-1)[0].double()
    starts = [0, 3, 4]
    for place, row in enumerate(order):
        want = dense[starts[row] : starts[row] + len(PAIRS[row][1]) + 1]
        torch.testing.assert_close(told[place, : len(want)], want, rtol=0, atol=1e-5)


def test_a_pair_that_is_not_known_is_refused():
    remembering, _ = teacher()
    with pytest.raises(ValueError, match="not among the pairs that this teacher remembers"):
        remembering.logits(padded([[5, 6, 7, 2]], 6), padded([[1, 8, 10]], 6), training=False)


def test_the_same_words_on_other_sides_are_another_pair():
    pairs = [([5, 6], [7]), ([7], [5, 6])]
    lessons = Lessons(torch.tensor([[1], [2], [3], [4], [5]], dtype=torch.int16), torch.full((5, 1), 0.9))
    told = Remembering(pairs, lessons, VOCABULARY).logits(padded([[7, 2]], 3), padded([[1, 5, 6]], 3), False)
    assert told[0, 0].argmax(-1).tolist() == [3, 4, 5]


def test_lessons_and_tokens_must_be_as_many():
    lessons = Lessons(torch.zeros(3, 1, dtype=torch.int16), torch.zeros(3, 1))
    with pytest.raises(ValueError, match="8 target tokens need as many lessons"):
        Remembering([([5], [6]), ([7, 8], [9, 10, 4, 5, 6])], lessons, VOCABULARY)
    with pytest.raises(ValueError, match="as many lessons"):
        Remembering([], Lessons(torch.zeros(0, 1, dtype=torch.int16), torch.zeros(0, 1)), VOCABULARY)


def test_an_update_learns_from_it_what_it_would_from_the_distributions_themselves():
    """With nothing but the lesson in the loss, the step is that of the cross-entropy to the lesson."""
    remembering, dense = teacher()
    config = TransformerConfig.tiny(VOCABULARY, dropout=0.0)
    steps = []
    for known in (True, False):
        stack = Stack(config, [3], "cpu", torch.float64)
        recipe = Recipe(tokens=1, taught=1.0, peak_rate=1e-2, weight_decay=0.0, clip=1e9)
        src = padded([[*source, 2] for source, _ in PAIRS], 6)
        tgt = padded([[1, *target, 2] for _, target in PAIRS], 6)
        if known:
            Update(stack, recipe, [remembering])(src, tgt, 1e-2)
        else:
            read = torch.where(tgt[..., :-1] == 2, 0, tgt[..., :-1])
            real = tgt[0, :, 1:] != 0
            log_p = stack.logits(src, read, training=False)[0][real].log_softmax(-1)
            (-(dense * log_p).sum(-1).mean()).backward()
            torch.optim.AdamW(stack.parameters(), lr=1e-2, betas=(0.9, 0.98), eps=1e-9, weight_decay=0.0).step()
        steps.append(torch.cat([p.detach().flatten() for p in stack.parameters()]))
    torch.testing.assert_close(*steps, rtol=0, atol=2e-4)
