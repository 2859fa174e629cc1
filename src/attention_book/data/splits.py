"""Splits: training, validation and test pairs that share no sentence on either side, whatever the order of the file."""

import hashlib
from collections import defaultdict
from collections.abc import Iterable

from .normalisation import Pair, normalise, tidy


def _draw(text: str) -> bytes:
    """A fixed random draw for a text: the same on every machine and in every order."""
    return hashlib.sha256(text.encode("utf-8")).digest()


def _families(lines: Iterable[tuple[str, str]]) -> list[dict[str, list[tuple[str, str]]]]:
    """Group lines that share a normalised side, directly or through others; in each family, lines by normalised source.

    These are the connected components of the graph that joins the normalised source and target of every line.
    """
    parent: dict[tuple[bool, str], tuple[bool, str]] = {}

    def root(node: tuple[bool, str]) -> tuple[bool, str]:
        while parent.setdefault(node, node) != node:
            parent[node] = parent[parent[node]]  # halve the path
            node = parent[node]
        return node

    by_source: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for source, target in lines:
        key = normalise(source)
        by_source[key].append((source, target))
        parent[root((False, key))] = root((True, normalise(target)))
    families: dict[tuple[bool, str], dict[str, list[tuple[str, str]]]] = defaultdict(dict)
    for key, group in by_source.items():
        families[root((False, key))][key] = group
    return list(families.values())


def _with_references(group: list[tuple[str, str]]) -> list[Pair]:
    """A pair for each line of a group, with the translations of the same source beside it."""
    targets: dict[str, list[str]] = defaultdict(list)
    for source, target in group:
        targets[source].append(target)
    pairs = []
    for source, accepted in targets.items():
        accepted.sort(key=_draw)
        for i, target in enumerate(accepted):
            pairs.append(Pair(source, target, (target, *accepted[:i], *accepted[i + 1 :])))
    return pairs


def split(lines: Iterable[tuple[str, str]], n_validation: int, n_test: int) -> tuple[tuple[Pair, ...], ...]:
    """Part lines into training, validation and test pairs: no normalised source or target of one occurs in another.

    Families of lines that share a normalised side stay whole. They are ordered by a hash of their smallest normalised
    source, so every family, large or small, has the same chance to be held out; the first become the test split, the
    next validation, until each has the wanted number of sentences. In these two, each normalised source appears once,
    in its most translated spelling, and the other translations of that spelling are its references. In training every
    line is a pair.

    Args:
        lines: (source, target) texts, in any order; they are made tidy, and repeated lines count once.
        n_validation: number of sentences wanted; the last family taken may add a few.
        n_test: the same for the test split.

    Returns:
        training, validation, test: in an order drawn by hash, so that any first n are a fair sample.

    Raises:
        ValueError: if nothing is left to train on.
    """
    unique = {(tidy(source), tidy(target)) for source, target in lines}
    families = sorted(_families(sorted(unique)), key=lambda family: _draw(min(family)))
    held_out: dict[str, list[Pair]] = {"test": [], "validation": []}
    train: list[Pair] = []
    for family in families:
        wanting = [name for name, n in (("test", n_test), ("validation", n_validation)) if len(held_out[name]) < n]
        for group in family.values():
            pairs = sorted(_with_references(group), key=lambda pair: _draw(f"{pair.source}\t{pair.target}"))
            if wanting:
                held_out[wanting[0]].append(min(pairs, key=lambda pair: (-len(pair.references), _draw(pair.target))))
            else:
                train.extend(pairs)
    if not train:
        wanted = f"{n_validation} and {n_test} sentences"
        raise ValueError(f"{len(unique)} different lines are too few to hold out {wanted} and train on the rest.")

    def drawn(pairs: list[Pair]) -> tuple[Pair, ...]:
        return tuple(sorted(pairs, key=lambda pair: _draw(f"{pair.source}\t{pair.target}")))

    return drawn(train), drawn(held_out["validation"]), drawn(held_out["test"])
