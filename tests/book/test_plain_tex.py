"""Formulas of a notebook: the book's macros written out, and a colour for each role that reads on light and dark."""

import pytest
from plain_tex import DARK_GROUND, LIGHT_GROUND, between, contrast, expand_macros, role_colours

from attention_book.pages.figures.plotting import ROLES

MACROS = {"query": (r"\class{role-query}{#1}", 1), "key": (r"\class{role-key}{#1}", 1), "R": (r"\mathbb{R}", 0)}
COLOURS = {"query": "#123456", "key": "#abcdef"}


@pytest.mark.parametrize(
    ("latex", "plain"),
    [
        (r"\query{Q}\key{K}^\top", r"{\textcolor{#123456}{Q}}{\textcolor{#abcdef}{K}}^\top"),
        (r"\query{\key{K}_{ij}}", r"{\textcolor{#123456}{{\textcolor{#abcdef}{K}}_{ij}}}"),
        (r"\class{role-query}{Q}_i", r"{\textcolor{#123456}{Q}}_i"),
        (r"\class{other}{Q}_i", r"{Q}_i"),
        (r"\keyword + \R", r"\keyword + {\mathbb{R}}"),
        (r"\query{a \{ b}", r"{\textcolor{#123456}{a \{ b}}"),
    ],
)
def test_macros_are_written_out_and_roles_become_colours(latex, plain):
    assert expand_macros(latex, MACROS, COLOURS) == plain


def test_without_colours_a_role_is_left_plain():
    assert expand_macros(r"\query{Q}_i", MACROS) == "{Q}_i"


def test_a_formula_with_an_open_brace_is_named():
    with pytest.raises(ValueError, match="a brace is not closed"):
        expand_macros(r"\query{Q", MACROS)


def test_every_role_has_a_colour_that_reads_on_either_ground():
    colours = role_colours()
    assert colours.keys() == ROLES.keys()
    assert len(set(colours.values())) == len(ROLES)
    for colour in colours.values():
        assert min(contrast(colour, LIGHT_GROUND), contrast(colour, DARK_GROUND)) > 4.3


def test_the_colour_lies_between_those_of_the_page():
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    middle = between("#000000", "#ffffff")
    assert contrast(middle, LIGHT_GROUND) == pytest.approx(contrast(middle, DARK_GROUND), rel=0.02)
    assert between("#808080", "#ffffff") == "#808080"  # bright already: no mixture is darker than both
