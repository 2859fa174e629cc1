"""*Follow a token* in Chromium: its arithmetic against the package, its words against Python, its steps by keyboard."""

import re

import numpy as np
import pytest

from attention_book.examples.two_heads_by_hand import steps
from attention_book.pages.explorers.attention.follow_a_token import STEPS, FollowAToken

from .explorer_pages import field, module_call, ready, shown, unnamed_controls, width_of

pytestmark = pytest.mark.browser


def random_explorer(seed, **traits):
    rng = np.random.default_rng(seed)
    named = {name: rng.normal(size=(8, 8)) for name in ("w_q", "w_k", "w_v", "w_o")}
    return FollowAToken(x=rng.normal(size=(3, 8)), **named, **traits)


@pytest.mark.parametrize("n_heads", [1, 2, 4, 8])
def test_every_line_is_the_packages(blank, n_heads):
    for token in range(3):
        explorer = FollowAToken(n_heads=n_heads, token=token)
        got = module_call(blank, FollowAToken, "module.computed(given)", explorer.state())
        lines = steps(n_heads)
        for name, wanted in [("q", "q"), ("k", "k"), ("v", "v"), ("weights", "weights"), ("found", "heads")]:
            assert np.allclose(np.array(got[name], float), lines[wanted][:, token], rtol=0, atol=1e-9)
        for name, wanted in [("merged", "joined"), ("output", "output")]:
            assert np.allclose(np.array(got[name], float), lines[wanted][token], rtol=0, atol=1e-9)


def test_words_are_pythons(page_of):
    explorers = [FollowAToken(), FollowAToken(n_heads=4, token=0), random_explorer(1), random_explorer(2, n_heads=1)]
    page = ready(page_of(*explorers), len(explorers))
    for explorer, box in zip(explorers, page.locator(".explorer").all(), strict=True):
        assert box.locator(".explorer-words").inner_text() == explorer.in_words()


def test_the_arrow_keys_walk_through_the_steps(page_of):
    page = ready(page_of(FollowAToken()))
    said = page.locator(".explorer-step")
    tables = lambda: page.locator("table[role=grid] caption").all_inner_texts()  # noqa: E731
    assert said.inner_text().startswith("Enter: like is the row")
    page.get_by_role("button", name="1 Enter").focus()
    seen = []
    for key in ["ArrowRight", "ArrowRight", "ArrowRight", "ArrowRight", "ArrowRight", "Home", "End", "ArrowLeft"]:
        page.keyboard.press(key)
        seen.append(re.match(r"\w+", said.inner_text())[0])
        assert page.evaluate("document.activeElement.textContent").endswith(seen[-1])
        assert page.locator("[aria-current=step]").inner_text().endswith(seen[-1])
    assert seen == [*STEPS[1:], "Project", "Enter", "Project", "Merge"]
    assert [text.split(" O ")[0] for text in tables()] == ["Heads side by side"]
    tab_stops = page.locator(".explorer-steps button").evaluate_all("all => all.map((one) => one.tabIndex)")
    assert tab_stops == [-1, -1, -1, 0, -1]


def test_token_and_heads_are_chosen_and_followed(page_of):
    explorer = FollowAToken(step=2)
    page = ready(page_of(explorer))
    assert np.allclose(shown(page, "Weights"), explorer.weights, rtol=0, atol=1e-6)
    field(page, "token").select_option("0")
    field(page, "heads").select_option("1")
    explorer.token, explorer.n_heads = 0, 1
    assert np.allclose(shown(page, "Weights"), explorer.weights, rtol=0, atol=1e-6)
    assert page.locator(".explorer-words").inner_text() == explorer.in_words()
    page.get_by_role("button", name="5 Project").click()
    assert np.allclose(shown(page, "New row"), [explorer.output], rtol=0, atol=1e-6)


@pytest.mark.parametrize(
    ("step", "table", "cell", "told"),
    [
        (0, "Row", 1, "Feature “verb” of like: 1"),
        (1, "Query", 6, "Query of like, head 1, number 3: its row times column 7 of W^Q: 1 × 8 = 8"),
        (1, "Value", 0, "Value of like, head 0, number 1: its row times column 1 of W^V: every product is 0"),
        (2, "Scores", 5, "Score of like with cats, head 1: 8 × 1 = 8; 8 ÷ √4 = 4"),
        (2, "Weights", 0, "Weight that head 0 of like puts on I: exp(4) ÷ (exp(4) + exp(0) + exp(0)) ≈ 0.965"),
        (2, "Found", 4, "What head 1 finds for like, number 1: 0.018 × 1 + 0.965 × 3 ≈ 2.912"),
        (3, "Heads side by side", 5, "Number 6 of the row: number 2 of head 1: 1.947"),
        (4, "New row", 5, "New feature “who?”: the row times column 6 of W^O: 1.018 × 1 ≈ 1.018"),
    ],
)
def test_a_cell_shows_its_computation(page_of, step, table, cell, told):
    page = ready(page_of(FollowAToken(step=step)))
    page.get_by_role("grid", name=table).get_by_role("gridcell").nth(cell).focus()
    assert page.locator(".explorer-working").inner_text() == told


@pytest.mark.parametrize("width", [375, 1280])
@pytest.mark.parametrize("dark", [False, True])
def test_it_fits_a_phone(page_of, width, dark):
    page = ready(page_of(*(FollowAToken(step=step, n_heads=4) for step in range(5)), dark=dark, width=width), 5)
    assert width_of(page) <= width
    assert unnamed_controls(page) == []
