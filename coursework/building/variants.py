"""Numbers that differ from student to student: drawn from a seed, written into statements, code and hidden tests."""

import hashlib
import re

import numpy as np

from coursework.questions import BadSet

PLACE = re.compile(r"\{\{variant\.(\w*)\}\}")


def draw(master, seed):
    """What the set's function `variant(rng)`, in its cell tagged `variants`, gives for this seed; {} without one.

    Args:
        master: the set.
        seed: any text: the number of a cohort, a student's id. One seed always gives the same.

    Raises:
        BadSet: the function is missing or fails, or it gives no dictionary.
    """
    cells = master.of("variants")
    if not cells:
        return {}
    digest = hashlib.sha256(f"{master.name}\0{seed}".encode()).digest()
    names = {}
    try:
        exec("\n".join(cell.source for cell in cells), names)
        drawn = names["variant"](np.random.default_rng(int.from_bytes(digest[:16], "big")))
    except Exception as error:
        raise BadSet(f"{master.name}: its function variant(rng) fails: {error!r}.") from error
    if not isinstance(drawn, dict) or not all(isinstance(name, str) for name in drawn):
        raise BadSet(f"{master.name}: its function variant(rng) returns no dictionary from names to values.")
    return {name: value.item() if isinstance(value, np.generic) else value for name, value in drawn.items()}


def with_variant(master, seed):
    """The master with this seed's values in each place `{{variant.NAME}}`: in code as Python writes them.

    Raises:
        BadSet: a place names no value, or a value stands in no place.
    """
    values, used = draw(master, seed), set()

    def fill(part):
        def value(place):
            if place[1] not in values:
                raise BadSet(f"{master.name}: {place[0]} is none of the values of variant(rng): {sorted(values)}.")
            used.add(place[1])
            return (repr if part.is_code else str)(values[place[1]])

        return PLACE.sub(value, part.source)

    filled = master.with_sources(fill)
    if unused := sorted(values.keys() - used):
        raise BadSet(f"{master.name}: {', '.join(unused)} of variant(rng) is used nowhere.")
    return filled
