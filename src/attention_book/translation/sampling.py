"""Writing by chance: the next token is drawn, each with the probability that the model gives it."""

import math
from numbers import Real

import torch
from jaxtyping import Int
from torch import Tensor

from ..models.search_interface import SearchModel, check_count, inference, length_limits, next_log_probs
from .decoding import Hypothesis

MOST_DRAWN = 100_000  # sentences, which are written side by side
COLDEST = 1e-6  # a smaller temperature would divide log-probabilities into infinities


def sample_sentences(
    model: SearchModel,
    src: Int[Tensor, "batch src_len"],
    count: int,
    generator: torch.Generator,
    temperature: float = 1.0,
    max_len: int | None = None,
) -> list[Hypothesis]:
    r"""Draw sentences, one token at a time, from the model's categorical distributions.

    The next token is y with the probability

    .. math:: \frac{P(y \mid y_{<t}, x)^{1/\tau}}{\sum_{y'} P(y' \mid y_{<t}, x)^{1/\tau}}

    At the temperature τ = 1 a whole sentence therefore comes as often as the model says: its probability is the product
    of those of its tokens. Towards τ = 0 the draw becomes greedy search, towards infinity it becomes blind.

    Args:
        model: any `SearchModel`; it is run with dropout off and left in the mode in which it came.
        src: ids of one sentence (1, src_len).
        count: how many sentences are drawn, independently of each other; at most `MOST_DRAWN`.
        generator: the source of chance.
        temperature: τ, finite and at least `COLDEST`, at which the draw is greedy.
        max_len: most tokens, ``</s>`` counted; as in `decoding.beam_search` if None.

    Returns:
        The sentences in the order in which they were drawn. `log_prob` and `score` are the model's own log-probability,
        at temperature 1, whatever the sentence was drawn with. One that has not ended by `max_len` lacks ``</s>``.

    Raises:
        TypeError: `count` or `max_len` is no whole number, or the temperature no number.
        ValueError: one of them is out of range, or there is more than one source.

    Pitfall: raising the probabilities of *sentences* to the power 1/τ is something else; this does it token by token.
    """
    check_count("count", count, most=MOST_DRAWN)
    if isinstance(temperature, bool) or not isinstance(temperature, Real):
        raise TypeError(f"temperature must be a number, got {temperature!r:.80}")
    if not COLDEST <= temperature < math.inf:
        raise ValueError(f"temperature must be a finite number of at least {COLDEST:g}, got {temperature}")
    if src.shape[0] != 1:
        raise ValueError(f"sentences are drawn for one source at a time, got {src.shape[0]}")
    (limit,) = length_limits(model, src, max_len)
    tokens: list[list[int]] = [[] for _ in range(count)]
    totals, live = [0.0] * count, list(range(count))
    with inference(model):
        state = model.start(model.encode(src)).reorder(torch.zeros(count, dtype=torch.int64))
        for _ in range(limit):
            last = torch.tensor([tokens[row][-1] if tokens[row] else model.config.bos_id for row in live])
            log_probs, state = next_log_probs(model, last, state)
            drawn = torch.multinomial((log_probs / temperature).softmax(dim=-1), 1, generator=generator)
            for row, token, log_prob in zip(live, drawn[:, 0].tolist(), log_probs.gather(1, drawn)[:, 0], strict=True):
                tokens[row].append(token)
                totals[row] += float(log_prob)
            keep = [place for place, row in enumerate(live) if tokens[row][-1] != model.config.eos_id]
            live = [live[place] for place in keep]
            if not live:
                break
            state = state.reorder(torch.tensor(keep))
    return [Hypothesis(tuple(row), total, total) for row, total in zip(tokens, totals, strict=True)]
