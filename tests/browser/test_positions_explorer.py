"""Clocks of a position in Chromium: its arithmetic against the package, sliders and keys, words, light and dark."""

import math

import numpy as np
import pytest

from attention_book.pages.explorers.positions import FARTHEST, WIDTHS, PositionClocks

from .explorer_pages import field, module_call, ready, rgb, shown

pytestmark = pytest.mark.browser


def explorers():
    rng = np.random.default_rng(7)
    made = []
    for kind in ("sinusoidal", "rotary"):
        for width in WIDTHS:
            position, distance = (int(n) for n in rng.integers(0, FARTHEST + 1, size=2))
            made.append(PositionClocks(kind=kind, width=width, position=position, distance=distance))
    made += [PositionClocks(kind=kind, position=0, distance=0) for kind in ("sinusoidal", "rotary")]
    made.append(PositionClocks(kind="rotary", query=rng.normal(size=32), key=rng.normal(size=32)))
    return made


def test_contributions_products_and_words_agree_with_the_package(blank):
    for explorer in explorers():
        got = module_call(blank, PositionClocks, "module.computed(given)", explorer.state())
        assert np.allclose(np.array(got["contributions"], float), explorer.contributions, rtol=0, atol=1e-8)
        assert np.allclose(np.array(got["products"], float), explorer.products, rtol=0, atol=1e-8)
        words = module_call(blank, PositionClocks, "module.inWords(module.computed(given))", explorer.state())
        assert words == explorer.in_words()


def test_what_is_shown_and_said_is_what_the_package_computes(page_of):
    made = explorers()[::4]
    page = ready(page_of(*made), len(made))
    for explorer, box in zip(made, page.locator(".explorer").all(), strict=True):
        numbers = shown(box, "Pairs")
        assert np.allclose(numbers[:, 4], explorer.contributions, rtol=0, atol=1e-8)
        omega = np.array([10000 ** (-2 * i / explorer.width) for i in range(explorer.width // 2)])
        assert np.allclose(numbers[:, 0], 2 * np.pi / omega)
        assert np.allclose(numbers[:, 3], omega * explorer.distance / (2 * np.pi))
        between = (numbers[:, 2] - numbers[:, 1] - numbers[:, 3]) % 1
        if explorer.kind == "sinusoidal":
            assert np.allclose(np.minimum(between, 1 - between), 0, atol=1e-9)
        assert box.locator(".explorer-words").inner_text() == explorer.in_words()
        assert box.locator(".explorer-clock").count() == explorer.width // 2
        dot = box.locator(".explorer-dot")
        assert float(dot.get_attribute("cx")) == pytest.approx(46 + 548 * explorer.distance / FARTHEST)


def test_a_hand_points_where_the_pair_of_the_vector_does(page_of):
    page = ready(page_of(PositionClocks(width=4, position=5, distance=7)))
    hands = page.locator(".explorer-clock").first.locator(".explorer-hand")
    for hand, place in zip(hands.all(), (5, 12), strict=True):
        x, y = (float(hand.get_attribute(name)) for name in ("x2", "y2"))
        assert (x, y) == pytest.approx((40 * math.sin(place), -40 * math.cos(place)))  # clockwise, from twelve o'clock
    assert hands.nth(0).get_attribute("stroke-dasharray") is not None
    assert hands.nth(1).get_attribute("stroke-dasharray") is None


def test_keys_move_the_sliders_and_the_rest_follows(page_of):
    explorer = PositionClocks()
    page = ready(page_of(explorer))
    field(page, "distance to the later one").focus()
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    field(page, "width of a vector").focus()
    page.keyboard.press("ArrowLeft")
    field(page, "earlier position").focus()
    page.keyboard.press("Home")
    explorer.distance, explorer.width, explorer.position = 10, 4, 0
    assert page.locator(".explorer-words").inner_text() == explorer.in_words()
    assert field(page, "width of a vector").get_attribute("aria-valuetext") == "4"
    told = f"Positions 0 and 10: inner product {explorer.products[10]:.3f}.".replace("-", "−")
    assert page.locator(".explorer-news").inner_text() == told
    page.get_by_label("Positions:").select_option("rotary")
    explorer.kind = "rotary"
    assert page.locator(".explorer-words").inner_text() == explorer.in_words()
    assert (
        page.locator(".explorer-news")
        .inner_text()
        .startswith("Now a query and a key, turned. Positions 0 and 10: score ")
    )
    page.get_by_role("button", name="Start again").click()
    assert page.locator(".explorer-words").inner_text() == PositionClocks().in_words()


def test_the_table_is_one_stop_and_tells_how_a_number_comes_about(page_of):
    page = ready(page_of(PositionClocks(width=4)))
    cells = page.get_by_role("grid").get_by_role("gridcell")
    working = page.locator(".explorer-working")
    cells.nth(4).hover()
    later, earlier = ((math.sin(12), math.cos(12)), (math.sin(5), math.cos(5)))
    made = " + ".join(f"{a:.3f} × {b:.3f}" for a, b in zip(later, earlier, strict=True))
    assert working.inner_text() == f"Pair 0: {made} ≈ {math.cos(7):.3f}, which is cos(ω · 7).".replace("-", "−")
    assert cells.evaluate_all("all => all.filter((one) => one.tabIndex === 0).length") == 1
    page.mouse.move(0, 0)
    cells.nth(0).focus()
    page.keyboard.press("ArrowDown")
    assert working.inner_text() == (
        f"Pair 1: ω = 10000^(−2/4) ≈ 0.010; a full turn takes 2π ÷ ω ≈ {200 * math.pi:.3f} positions."
    )
    page.keyboard.press("End")
    assert working.inner_text().startswith("Pair 1: ") and "cos(ω · 7)" in working.inner_text()
    page.get_by_label("Positions:").select_option("rotary")
    cells.nth(2).hover()
    assert working.inner_text().startswith("Pair 0 of the query at position 12: ")


def test_everything_has_a_name_and_without_javascript_the_words_are_there(page_of):
    explorer = PositionClocks(kind="rotary")
    page = ready(page_of(explorer))
    assert page.locator("table th:not([scope])").count() == page.locator("table:not(:has(caption))").count() == 0
    assert page.get_by_role("img").get_attribute("aria-label").startswith("Score against the distance, from 3.400 at 0")
    assert page.locator(".explorer-clock:not([aria-hidden=true])").count() == 0
    bare = page_of(explorer, java_script_enabled=False)
    assert explorer.in_words() in bare.locator(".explorer").inner_text()


@pytest.mark.parametrize("width", [375, 1280])
@pytest.mark.parametrize("dark", [False, True])
def test_it_fits_a_phone_and_its_colours_are_those_of_the_roles(page_of, width, dark):
    page = ready(page_of(PositionClocks(kind="rotary", width=32), dark=dark, width=width))
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    for name in ("query", "key"):
        stroke = page.locator(f".explorer-hand.explorer-{name}").first.evaluate("one => getComputedStyle(one).stroke")
        words = page.locator(f".explorer-hint .role-{name}").evaluate("one => getComputedStyle(one).color")
        assert stroke == words == rgb(name, dark)
