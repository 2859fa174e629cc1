"""From a model's next-token probabilities to a whole sentence: greedy search, beam search, and exhaustive search."""

import math
from numbers import Real
from typing import NamedTuple

import torch
from jaxtyping import Int
from torch import Tensor

from ..models.search_interface import SearchModel, check_count, inference, largest_first, length_limits, next_log_probs

MOST_PENALTY = 100.0  # the largest length penalty: the divisor stays a number for any sentence
MOST_CONTINUATIONS = 2**23  # of one sentence, among which a step of a beam search is willing to choose
MOST_SEQUENCES = 100_000  # what exhaustive_search is willing to list
_FEW = 8  # for fewer than that, one maximum after the other is faster than a partial sort


class Hypothesis(NamedTuple):
    """One output sentence of a search.

    Attributes:
        tokens: the generated ids, without `<s>`; the last one is `</s>` if the sentence is finished, and some other
            id if the search reached `max_len` first.
        log_prob: log p(tokens | src) in nats, the sum over the generated tokens, `</s>` included.
        score: what the search ranked by: log_prob / lp(len(tokens)) in beam and exhaustive search, log_prob in greedy.
    """

    tokens: tuple[int, ...]
    log_prob: float
    score: float


def greedy_decode(
    model: SearchModel, src: Int[Tensor, "batch src_len"], max_len: int | None = None
) -> list[Hypothesis]:
    """Take the most probable token at every step, until `</s>`: y_t = argmax_y p(y | y_1 … y_{t-1}, src).

    Args:
        model: any `SearchModel`; it is decoded with dropout off and left in the mode in which it came.
        src: ids (batch, src_len), padded with `config.pad_id`, on the model's device.
        max_len: most tokens a row may get, `</s>` counted. By default twice the row's own source length (pads not
            counted) plus 10, and never more than `config.max_len`.

    Returns:
        One hypothesis a row, in order. Equal probabilities go to the lower id. `<pad>` and `<s>` are never generated;
        `<unk>` is a token like any other. A row that has not ended by `max_len` comes back without `</s>`.

    Raises:
        ValueError: `max_len` is below 1 or above `config.max_len`.
        FloatingPointError: the model gave NaN.

    Pitfall: the best first token need not begin the best sentence; `beam_search` and `exhaustive_search` show it.
    """
    limits = length_limits(model, src, max_len)
    tokens: list[list[int]] = [[] for _ in limits]
    log_probs = [0.0] * len(limits)
    live = list(range(len(limits)))  # the source row of each row of the state
    if not live:
        return []
    with inference(model):
        state = model.start(model.encode(src))
        last = torch.full((len(live),), model.config.bos_id, dtype=torch.int64, device=src.device)
        while live:
            step_log_probs, state = next_log_probs(model, last, state)
            keep = []
            for place, ((log_prob,), (token,)) in enumerate(zip(*largest_first(step_log_probs, 1), strict=True)):
                if log_prob == -math.inf:  # nothing can follow: the row stays as it is, unfinished
                    continue
                row = live[place]
                tokens[row].append(token)
                log_probs[row] += log_prob
                if token != model.config.eos_id and len(tokens[row]) < limits[row]:
                    keep.append(place)
            if len(keep) < len(live):
                live = [live[place] for place in keep]
                state = state.reorder(torch.tensor(keep, dtype=torch.int64, device=src.device)) if keep else state
            last = torch.tensor([tokens[row][-1] for row in live], dtype=torch.int64, device=src.device)
    return [Hypothesis(tuple(row), total, total) for row, total in zip(tokens, log_probs, strict=True)]


def gnmt_penalty(length: int, alpha: float) -> float:
    """What a log-probability is divided by, so that long sentences can compete.

    ``lp(Y) = ((5 + |Y|) / 6)^alpha`` (Wu et al. 2016, §7), where ``|Y|`` counts ``</s>`` and not ``<s>``.

    Args:
        length: ``|Y|`` in tokens.
        alpha: 0 ranks by log-probability alone; 1 is nearly the mean per token. At most `MOST_PENALTY`.

    Returns:
        A factor that is 1 at length 1 and grows with length for alpha > 0.

    Raises:
        TypeError: alpha is no number.
        ValueError: alpha is negative: the score would then reward stopping early twice over, and the stop rule of
            `beam_search` would not hold. Or it is above `MOST_PENALTY`, or NaN.
    """
    check_penalty(alpha)
    return ((5 + length) / 6) ** alpha


def check_penalty(alpha: object) -> None:
    """Refuse what is no length penalty, as `gnmt_penalty` says."""
    if isinstance(alpha, bool) or not isinstance(alpha, Real):
        raise TypeError(f"length_penalty must be a number, got {alpha!r:.80}")
    if not 0 <= alpha <= MOST_PENALTY:
        raise ValueError(f"length_penalty must be from 0 to {MOST_PENALTY:g}, got {alpha}")


def check_beam_size(beam_size: object, vocab_size: int) -> None:
    """Refuse what is no width of a beam, or so wide that each step would choose among too many continuations.

    Raises:
        TypeError: beam_size is no whole number.
        ValueError: it is below 1, or beam_size · vocab_size is above `MOST_CONTINUATIONS`.
    """
    check_count("beam_size", beam_size)
    if beam_size * vocab_size > MOST_CONTINUATIONS:
        raise ValueError(
            f"beam_size must be at most {MOST_CONTINUATIONS // vocab_size} for a vocabulary of {vocab_size}, "
            f"got {beam_size}"
        )


def beam_search(
    model: SearchModel,
    src: Int[Tensor, "batch src_len"],
    beam_size: int = 4,
    length_penalty: float = 0.6,
    max_len: int | None = None,
) -> list[Hypothesis]:
    """Keep the `beam_size` most probable prefixes at every step; return the best finished sentence of each row.

    score(Y) = log p(Y | src) / lp(Y), with lp of `gnmt_penalty` (Wu et al. 2016, §7). At each step the `beam_size` most
    probable continuations of all live prefixes of a row are kept; those that end in `</s>` join the row's finished
    sentences and stay there, the others live on. A beam of 1 is greedy search; a beam that holds every prefix is
    exhaustive search.

    **The stop rule.** A row stops when s / lp(max_len) <= b, with s the largest log-probability among its live prefixes
    and b the score of its best finished sentence. Nothing is lost: let Y be any sentence that could still be found.
    Its log-probability is at most s, because every further token adds a number that is at most 0. Its length is at most
    max_len, and lp does not fall with length when alpha >= 0 (alpha = 0: lp = 1 throughout), so
    1 / lp(Y) >= 1 / lp(max_len) > 0. Multiplying the negative s by the larger factor gives the smaller number:
    score(Y) <= s / lp(Y) <= s / lp(max_len) <= b. An equal score does not displace a sentence that was found earlier.

    Args:
        model: any `SearchModel`; it is decoded with dropout off and left in the mode in which it came.
        src: ids (batch, src_len), padded with `config.pad_id`, on the model's device. Rows do not influence each other.
        beam_size: prefixes kept a row, at least 1. Times vocab_size it may be at most `MOST_CONTINUATIONS`, which is
            1048 prefixes of a model with 8000 subwords.
        length_penalty: alpha, from 0 to `MOST_PENALTY`.
        max_len: most tokens a row may get, `</s>` counted. By default twice the row's own source length (pads not
            counted) plus 10, and never more than `config.max_len`.

    Returns:
        The best hypothesis of each row, in order. Equal continuations rank by the rank of their prefix, then by the
        lower id; equal scores by which was found first. `<pad>` and `<s>` are never generated; `<unk>` is a token like
        any other. Where nothing finished by `max_len`, the best unfinished prefix, recognisable by its lack of `</s>`.

    Raises:
        TypeError: beam_size or max_len is no whole number, or length_penalty no number.
        ValueError: beam_size, length_penalty or max_len is out of range; max_len may be at most `config.max_len`.
        FloatingPointError: the model gave NaN.

    Pitfall: a wider beam finds sentences of better score, not of better quality; beyond a point they get shorter.
    """
    n_best = beam_search_n_best(model, src, 1, beam_size, length_penalty, max_len)
    return [hypotheses[0] for hypotheses in n_best]


def beam_search_n_best(
    model: SearchModel,
    src: Int[Tensor, "batch src_len"],
    n_best: int,
    beam_size: int = 4,
    length_penalty: float = 0.6,
    max_len: int | None = None,
) -> list[list[Hypothesis]]:
    """The `n_best` best sentences that a beam search finds for each row, best first.

    Everything else is as in `beam_search`, whose stop rule is used with b the score of the n-th best finished sentence.

    Returns:
        At least 1 and at most `n_best` hypotheses a row: fewer where the beam found fewer, unfinished ones only where
        it finished none.

    Raises:
        TypeError, ValueError: as in `beam_search`, of n_best too, which is at least 1.
    """
    check_beam_size(beam_size, model.config.vocab_size)
    check_count("n_best", n_best)
    check_penalty(length_penalty)
    limits = length_limits(model, src, max_len)
    beams = [_Beam(limit, n_best, length_penalty, model.config.eos_id) for limit in limits]
    going = list(beams)
    if not going:
        return []
    with inference(model):
        state = model.start(model.encode(src))
        while going:
            # The state holds one row a live prefix, beam after beam; `places` says where each stands in the grid.
            prefixes = [prefix for beam in going for prefix in beam.live]
            places = [(place, rank) for place, beam in enumerate(going) for rank in range(len(beam.live))]
            last = [prefix.tokens[-1] if prefix.tokens else model.config.bos_id for prefix in prefixes]
            log_probs, state = next_log_probs(model, torch.tensor(last, device=src.device), state)
            log_probs += log_probs.new_tensor([prefix.log_prob for prefix in prefixes])[:, None]

            width, vocab = max(len(beam.live) for beam in going), log_probs.shape[1]
            grid = log_probs.new_full((len(going), width, vocab), -torch.inf)
            grid[tuple(torch.tensor(places, device=src.device).T)] = log_probs
            chosen = zip(*_most_probable(grid.flatten(1), min(beam_size, width * vocab)), strict=True)

            rows, first_row, still_going = [], 0, []
            for beam, (totals, indices) in zip(going, chosen, strict=True):
                fed = len(beam.live)
                parents = beam.advance(totals, [divmod(index, vocab) for index in indices])
                rows += [first_row + parent for parent in parents]
                first_row += fed
                still_going += [beam] if parents else []
            going = still_going
            if going and rows != list(range(first_row)):
                state = state.reorder(torch.tensor(rows, device=src.device))
    return [beam.finished or beam.live[:n_best] for beam in beams]


def _most_probable(log_probs: Tensor, count: int) -> tuple[list[list[float]], list[list[int]]]:
    """What `largest_first` gives, without the places of minus infinity at its end.

    `largest_first` takes one maximum after the other, so the cost of a beam K wide would grow with K²: it chooses K
    times among K · V. Here those as large as the K-th are found at once, and only they are sorted.
    """
    if count < _FEW:
        return largest_first(log_probs, count)
    if torch.isnan(log_probs).any():
        raise FloatingPointError("the model gave NaN log-probabilities: its weights or its input are not finite")
    least = log_probs.topk(count, dim=-1).values[:, -1:]
    values, places = [], []
    for row, wanted in zip(log_probs, (log_probs >= least) & (log_probs > -torch.inf), strict=True):
        where = wanted.nonzero()[:, 0]  # in the order of the row, which a stable sort keeps among equals
        best, order = row[where].sort(descending=True, stable=True)
        values.append(best[:count].tolist())
        places.append(where[order[:count]].tolist())
    return values, places


class _Beam:
    """The prefixes of one source row: those that live, best first, and the best of those that finished."""

    def __init__(self, limit: int, n_best: int, length_penalty: float, eos_id: int):
        self.limit, self.n_best, self.length_penalty, self.eos_id = limit, n_best, length_penalty, eos_id
        self.live = [Hypothesis((), 0.0, 0.0)]
        self.finished: list[Hypothesis] = []

    def advance(self, totals: list[float], continuations: list[tuple[int, int]]) -> list[int]:
        """Take up the chosen (parent rank, token) continuations; return the parents of those that live on.

        An empty list says that this beam is done.
        """
        grown, parents = [], []
        for total, (parent, token) in zip(totals, continuations, strict=True):
            if total == -math.inf:  # not a continuation: forbidden, impossible, or an empty place of the grid
                break
            tokens = (*self.live[parent].tokens, token)
            hypothesis = Hypothesis(tokens, total, total / gnmt_penalty(len(tokens), self.length_penalty))
            if token == self.eos_id:
                self.finished.append(hypothesis)
            else:
                grown.append(hypothesis)
                parents.append(parent)
        self.finished = sorted(self.finished, key=lambda hypothesis: -hypothesis.score)[: self.n_best]  # stable
        if not grown:
            return []
        self.live = grown
        if len(grown[0].tokens) == self.limit or self._is_decided():
            return []
        return parents

    def _is_decided(self) -> bool:
        """The stop rule, proved in `beam_search`."""
        if len(self.finished) < self.n_best:
            return False
        best_possible = self.live[0].log_prob / gnmt_penalty(self.limit, self.length_penalty)
        return best_possible <= self.finished[-1].score


def exhaustive_search(
    model: SearchModel, src: Int[Tensor, "batch src_len"], max_len: int, length_penalty: float = 0.6
) -> list[Hypothesis]:
    """Score every sentence of at most `max_len` tokens and return the best: what the other searches approximate.

    argmax over Y of log p(Y | src) / lp(Y), with lp of `gnmt_penalty`, over all Y that end in `</s>`.

    Args:
        model: any `SearchModel` with a tiny vocabulary.
        src: ids (batch, src_len), padded with `config.pad_id`.
        max_len: most tokens, `</s>` counted.
        length_penalty: alpha, from 0 to `MOST_PENALTY`.

    Returns:
        The best hypothesis of each row; of equal scores the shorter, then the one with the lower ids. Where no finished
        sentence has a probability above zero, the best unfinished one of the greatest length reached. The tokens
        allowed are those of the other searches: `<pad>` and `<s>` are not.

    Raises:
        TypeError: as in `beam_search`.
        ValueError: vocab_size ** max_len exceeds `MOST_SEQUENCES`; max_len or length_penalty as in `beam_search`.
        FloatingPointError: the model gave NaN.
    """
    check_penalty(length_penalty)
    check_count("max_len", max_len)
    length_limits(model, src, max_len)
    vocab = model.config.vocab_size
    if vocab ** min(max_len, MOST_SEQUENCES.bit_length()) > MOST_SEQUENCES:  # a larger power would only take longer
        raise ValueError(
            f"vocab_size ** max_len = {vocab} ** {max_len} sequences are too many to list (at most {MOST_SEQUENCES}): "
            "take a smaller vocabulary or a smaller max_len"
        )
    with inference(model):
        return [_best_of_all(model, row[None], max_len, length_penalty) for row in src]


def _best_of_all(model: SearchModel, src: Tensor, max_len: int, length_penalty: float) -> Hypothesis:
    """List every sentence of one row, level by level, shorter before longer and lower ids first."""
    state = model.start(model.encode(src))
    prefixes, finished = [Hypothesis((), 0.0, 0.0)], []
    for length in range(1, max_len + 1):
        last = [prefix.tokens[-1] if prefix.tokens else model.config.bos_id for prefix in prefixes]
        log_probs, state = next_log_probs(model, torch.tensor(last, device=src.device), state)
        if torch.isnan(log_probs).any():
            raise FloatingPointError("the model gave NaN log-probabilities: its weights or its input are not finite")
        longer, rows = [], []
        for row, (prefix, following) in enumerate(zip(prefixes, log_probs.tolist(), strict=True)):
            for token, log_prob in enumerate(following):
                if log_prob == -math.inf:
                    continue
                total = prefix.log_prob + log_prob
                grown = Hypothesis((*prefix.tokens, token), total, total / gnmt_penalty(length, length_penalty))
                if token == model.config.eos_id:
                    finished.append(grown)
                else:
                    longer.append(grown)
                    rows.append(row)
        if not longer:
            break
        prefixes, state = longer, state.reorder(torch.tensor(rows, device=src.device))
    return max(finished or prefixes, key=lambda hypothesis: hypothesis.score)  # the first of equals
