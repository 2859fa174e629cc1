"""Exchange single states of what a recurrent encoder hands over: which state did the decoder get a thing from?"""

from collections.abc import Sequence
from dataclasses import replace

from .recurrent import RecurrentMemory


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
