"""The figure of tiles: every cell that it draws is one that the causal mask allows, and every tile is told."""

import pytest
import torch

from attention_book.attention import tiles as package
from attention_book.attention.masks import causal_mask
from attention_book.pages.diagrams.beyond.tiles import BY_TILES, Tiling, tiles, tiles_told
from attention_book.pages.figures.plotting import figure_html

from ..legibility import outside, smallest_type


@pytest.fixture(scope="module")
def axes():
    return tiles().axes[0]


def named(axes, beginning):
    """What is drawn under a name, by what follows the beginning."""
    return {
        tuple(map(int, patch.get_gid().split("-")[1:])): patch
        for patch in axes.patches
        if str(patch.get_gid()).startswith(f"{beginning}-")
    }


def test_its_cells_are_those_of_the_causal_mask(axes):
    allowed = {tuple(place) for place in causal_mask(BY_TILES.length).nonzero().tolist()}
    assert set(named(axes, "cell")) == allowed


def test_it_reads_the_tiles_that_the_package_reads(axes, monkeypatch):
    read = []
    partial_mean = package.partial_mean
    monkeypatch.setattr(package, "partial_mean", lambda scores, v: read.append(v[0, 0]) or partial_mean(scores, v))
    n, side = BY_TILES.length, BY_TILES.side
    v = torch.arange(n, dtype=torch.float64)[:, None]
    package.tiled_attention(torch.ones(n, 1).double(), torch.ones(n, 1).double(), v, causal=True, tile=(side, side))
    assert [int(first) // side for first in read] == [column for _, column in BY_TILES.order]
    assert set(named(axes, "tile")) == set(BY_TILES.order) and set(named(axes, "skipped")) == set(BY_TILES.skipped)
    assert len(BY_TILES.order) + len(BY_TILES.skipped) == (n // side) ** 2


def test_only_what_is_in_memory_is_bold(axes):
    row, column = BY_TILES.current
    bold = {patch.get_gid() for patch in axes.patches if patch.get_linewidth() > 2}
    wanted = {f"queries-{row}", f"keys-{column}", f"values-{column}", f"tile-{row}-{column}", f"kept-{row}"}
    assert bold == wanted and BY_TILES.order[row, column] == BY_TILES.now


def test_every_tile_has_its_number_and_every_row_what_is_kept_of_it(axes):
    said = [text.get_text() for text in axes.texts if text.get_text()]
    assert [text for text in said if text.isdigit()] == [str(n) for n in range(1, len(BY_TILES.order) + 1)]
    assert said.count("outputs") == 2 and said.count("to come") == 1 and said.count("largest,\ntotal, sum") == 1
    assert said.count("never\nread") == len(BY_TILES.skipped)


def test_the_words_count_the_tiles():
    told = tiles_told()
    assert "10 tiles are read" in told and "6 lie wholly in the future" in told
    assert "queries 6 to 8, with the keys and values 3 to 5" in told and "outputs: 2. " in told
    assert "3 tiles are read" in tiles_told(Tiling(length=4, side=2, now=3))


def test_letters_stay_on_the_sheet_and_are_legible(axes):
    assert not outside(axes) and smallest_type(axes.figure) >= 9


def test_it_is_drawn_as_vectors_in_the_colours_of_its_roles():
    drawing = figure_html(tiles(), alt="told", caption="asked")
    assert "<image" not in drawing
    for role in ("query", "key", "value", "weight", "output"):
        assert f"var(--role-{role}" in drawing
