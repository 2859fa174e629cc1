"""*A block, opened* in Chromium: its arithmetic and its words against Python, its steps by keyboard."""

import itertools
import re

import numpy as np
import pytest

from attention_book.pages.explorers.translator.block_opened import STEPS, BlockOpened

from .explorer_pages import after_a_kernel, field, module_call, ready, shown, unnamed_controls, width_of

pytestmark = pytest.mark.browser


def random_explorer(seed, **traits):
    rng = np.random.default_rng(seed)
    drawn = {"x": rng.normal(size=(3, 4)), "w_1": rng.normal(size=(4, 6)), "w_2": rng.normal(size=(6, 4))}
    return BlockOpened(**drawn, **traits)


@pytest.mark.parametrize("norm", STEPS)
@pytest.mark.parametrize("make", [BlockOpened, lambda **traits: random_explorer(1, **traits)])
def test_every_line_is_pythons(blank, norm, make):
    for token, attention, feed_forward in itertools.product(range(3), (True, False), (True, False)):
        explorer = make(norm=norm, token=token, attention=attention, feed_forward=feed_forward)
        for step, line in enumerate(explorer.lines()):
            got = module_call(blank, BlockOpened, f"module.lines(given)[{step}]", explorer.state())
            for name, wanted in line.items():
                np.testing.assert_allclose(np.array(got[name], float), wanted, rtol=0, atol=1e-9)


def test_words_are_pythons(page_of):
    explorers = [BlockOpened(norm=norm, token=token) for norm in STEPS for token in range(3)]
    explorers += [BlockOpened(attention=False), BlockOpened(norm="post", feed_forward=False), random_explorer(2)]
    page = ready(page_of(*explorers), len(explorers))
    for explorer, box in zip(explorers, page.locator(".explorer").all(), strict=True):
        assert box.locator(".explorer-words").inner_text() == explorer.in_words()


def test_the_arrow_keys_walk_through_the_steps(page_of):
    page = ready(page_of(BlockOpened()))
    said = page.locator(".explorer-step")
    page.get_by_role("button", name="1 Enter").focus()
    seen = []
    for key in ["ArrowRight"] * 7 + ["Home", "End", "ArrowLeft"]:
        page.keyboard.press(key)
        seen.append(re.match(r"[\w ]+", said.inner_text())[0])
        assert page.evaluate("document.activeElement.textContent").endswith(seen[-1])
        assert page.locator("[aria-current=step]").inner_text().endswith(seen[-1])
    assert seen == [*STEPS["pre"][1:], "Add", "Enter", "Add", "Feed forward"]
    stops = page.locator(".explorer-steps button").evaluate_all("all => all.map((one) => one.tabIndex)")
    assert stops == [-1, -1, -1, -1, -1, 0, -1]


def test_the_switches_are_followed(page_of):
    explorer = BlockOpened(step=6)
    page = ready(page_of(explorer))
    assert np.allclose(shown(page, "Sum")[0], explorer.output, rtol=0, atol=1e-9)
    field(page, "norm").select_option("post")
    explorer.norm = "post"
    assert np.allclose(shown(page, "Normalised")[0], explorer.output, rtol=0, atol=1e-9)
    assert page.locator(".explorer-steps button").all_inner_texts() == [
        f"{n} {name}" for n, name in enumerate(STEPS["post"], start=1)
    ]
    field(page, "attention works").uncheck()
    field(page, "feed-forward works").uncheck()
    field(page, "token").select_option("2")
    explorer.attention = explorer.feed_forward = False
    explorer.token = 2
    assert np.allclose(shown(page, "Normalised")[0], explorer.output, rtol=0, atol=1e-9)
    assert page.locator(".explorer-words").inner_text() == explorer.in_words()


@pytest.mark.parametrize(
    ("traits", "table", "cell", "told"),
    [
        ({"step": 0}, "Row", 0, "Row, number 1: 3"),
        ({"step": 1}, "Normalised", 1, "Normalised, number 2: (−1 − 1) ÷ √(2 + ε) ≈ −1.414, ε = 0.00001"),
        (
            {"step": 1, "norm": "post"},
            "Weights",
            2,
            "Weight on cats: scores are dot products ÷ √4: exp(2) ÷ (exp(0) + exp(6) + exp(2)) ≈ 0.018",
        ),
        (
            {"step": 1, "norm": "post"},
            "Found",
            0,
            "What attention finds, number 1: weights times values: 0.98 × 3 + 0.018 × (−1) ≈ 2.921",
        ),
        ({"step": 2, "norm": "post"}, "Sum", 1, "Sum, number 2: −1 + (−0.993) ≈ −1.993"),
        ({"step": 3, "attention": False}, "Sum", 0, "Sum, number 1: 3 + 0 = 3"),
        (
            {"step": 5, "attention": False, "token": 0},
            "Inner numbers",
            1,
            "Inner number 2: the row times column 2 of W₁: 1 × 1 + (−1) × (−1) ≈ 2",
        ),
        ({"step": 5, "token": 0}, "After the ReLU", 0, "After the ReLU, number 1: the larger of 0 and"),
        ({"step": 5, "feed_forward": False}, "Given", 0, "Output, number 1: 0: this sublayer is zeroed"),
        ({"step": 2, "attention": False}, "Weights", 0, "Weight on I: it multiplies nothing"),
    ],
)
def test_a_cell_shows_its_computation(page_of, traits, table, cell, told):
    page = ready(page_of(BlockOpened(**traits)))
    page.get_by_role("grid", name=table).get_by_role("gridcell").nth(cell).focus()
    assert page.locator(".explorer-working").inner_text().startswith(told)


@pytest.mark.parametrize("width", [375, 1280])
@pytest.mark.parametrize("dark", [False, True])
def test_it_fits_a_phone(page_of, width, dark):
    page = ready(page_of(*(BlockOpened(step=step, norm="post") for step in range(7)), dark=dark, width=width), 7)
    assert width_of(page) <= width
    assert unnamed_controls(page) == []


def test_a_kernel_that_changes_several_traits_is_followed(page_of):
    before, after = BlockOpened(), random_explorer(3, norm="post", token=2, step=4)
    page = ready(page_of(before))
    assert after_a_kernel(page, before, after, "el.querySelector('.explorer-words').innerText") == after.in_words()
