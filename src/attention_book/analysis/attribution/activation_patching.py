"""Exchange single states of what a recurrent encoder hands over: which state did the decoder get a thing from?"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from ...models.recurrent import RecurrentMemory
from ..seed_statistics import number


def with_states_of(memory: RecurrentMemory, other: RecurrentMemory, places: Sequence[int]) -> RecurrentMemory:
    """A memory with the states of another sentence at some places, as keys and as values.

    The decoder's first state stays that of ``memory``.

    Args:
        memory: of the sentence that is kept elsewhere.
        other: of a sentence of as many tokens.
        places: source positions, from 0.

    Raises:
        ValueError: if the two have different shapes.
    """
    if memory.states.shape != other.states.shape:
        raise ValueError(
            f"states of shape {tuple(other.states.shape)} do not fit into {tuple(memory.states.shape)}: "
            "both sentences need as many tokens"
        )
    states, keys = memory.states.clone(), None if memory.keys is None else memory.keys.clone()
    states[:, list(places)] = other.states[:, list(places)]
    if keys is not None and other.keys is not None:
        keys[:, list(places)] = other.keys[:, list(places)]
    return replace(memory, states=states, keys=keys)


class SwapOdds(NamedTuple):
    """Log-odds after one thing of a memory was exchanged for that of another sentence.

    Attributes:
        kept: nothing was exchanged.
        first: the decoder's first state was.
        places: the state at one place was, for each place asked for.
        other: the other sentence itself was read.
    """

    kept: float
    first: float
    places: tuple[float, ...]
    other: float

    def row(self) -> tuple[str, ...]:
        """All of them as texts, in this order."""
        return tuple(number(odds, "+.1f") for odds in (self.kept, self.first, *self.places, self.other))


def odds_after_swaps(
    memory: RecurrentMemory,
    others: Mapping[str, RecurrentMemory],
    places: Sequence[int],
    odds: Callable[[RecurrentMemory], float],
) -> dict[str, SwapOdds]:
    """What a decoder makes of a memory in which one thing comes from another sentence.

    Args:
        memory: of the sentence that is kept elsewhere.
        others: memories of other sentences of as many tokens, by name.
        places: source positions to exchange, one at a time.
        odds: what to compute from a memory.

    Raises:
        ValueError: if a sentence has another number of tokens.
    """
    kept = odds(memory)
    found = {}
    for name, other in others.items():
        swapped = tuple(odds(with_states_of(memory, other, [place])) for place in places)
        found[name] = SwapOdds(kept, odds(replace(memory, first=other.first)), swapped, odds(other))
    return found
