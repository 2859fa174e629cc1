"""Numbers by seed: the same for one seed, filled in as text and as Python, and none forgotten."""

from dataclasses import replace
from pathlib import Path

import pytest

from coursework.building.master import Master, Part
from coursework.building.variants import draw, with_variant
from coursework.questions import BadSet

DRAWS = Part("variants", None, "def variant(rng):\n    return {'n': rng.integers(100), 'word': 'cats'}")
TEXT = Part("text", None, "{{variant.n}} {{variant.word}}")
CODE = Part("code", None, "words = [{{variant.word}}] * {{variant.n}}")
MASTER = Master("some", "Some", "1", (), (), ("numpy",), {}, (DRAWS, TEXT, CODE))


def test_one_seed_always_draws_the_same_and_other_seeds_and_sets_others():
    first = draw(MASTER, "7")
    assert draw(MASTER, "7") == first and type(first["n"]) is int
    assert len({draw(MASTER, str(seed))["n"] for seed in range(30)}) > 15
    assert len({draw(replace(MASTER, name=name), "7")["n"] for name in "abcdefgh"}) > 3


def test_a_value_is_plain_in_text_and_python_in_code():
    number = draw(MASTER, "7")["n"]
    _, text, code = with_variant(MASTER, "7").parts
    assert text.source == f"{number} cats"
    assert code.source == f"words = ['cats'] * {number}"


def test_a_set_without_variants_is_left_as_it_is():
    plain = replace(MASTER, parts=(Part("text", None, "{{ not a place }}"),))
    assert with_variant(plain, "7") == plain


@pytest.mark.parametrize(
    "part, reason",
    [
        (Part("text", None, "{{variant.other}}"), r"\{\{variant.other\}\} is none of the values"),
        (Part("variants", None, "def variants(rng):\n    return {}"), "fails: KeyError"),
        (Part("variants", None, "def variant(rng):\n    return rng.nothing"), "fails: AttributeError"),
        (Part("variants", None, "def variant(rng):\n    return [1]"), "returns no dictionary"),
        (Part("variants", None, "def variant(rng):\n    return {'n': 1, 'word': '', 'more': 2}"), "more of .* nowhere"),
    ],
)
def test_a_place_without_a_value_and_a_value_without_a_place_are_refused(part, reason):
    parts = (part, TEXT, CODE) if part.role == "variants" else (DRAWS, TEXT, CODE, part)
    with pytest.raises(BadSet, match=reason):
        with_variant(replace(MASTER, parts=parts), "7")


def test_the_tiny_master_draws_from_all_its_exponents():
    source = Path(__file__).with_name("tiny_master.md").read_text(encoding="utf-8")
    cell = source[source.index("def variant") : source.index("```", source.index("def variant"))]
    master = replace(MASTER, parts=(Part("variants", None, cell),))
    assert {draw(master, str(seed))["power"] for seed in range(40)} == {2, 3, 4, 5}
