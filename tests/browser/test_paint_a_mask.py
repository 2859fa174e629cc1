"""Paint a mask in Chromium: its derivatives against autograd, clicks and keys, presets, words, light and dark."""

import numpy as np
import pytest

from attention_book.pages.explorers.paint_a_mask import RECIPES, PaintAMask

from .explorer_pages import module_call, ready, rgb, shown

pytestmark = pytest.mark.browser
NAMES = ["all", "causal", "padding", "causal and padding", "window of 2", "before only"]


def random_explorer(seed, length=4, recipe="infinity"):
    rng = np.random.default_rng(seed)
    explorer = PaintAMask(recipe=recipe)
    with explorer.hold_trait_notifications():
        explorer.tokens = [f"t{n}" for n in range(length)]
        explorer.may = rng.random((length, length)) < 0.6
        explorer.x = rng.normal(size=(length, 4))
        explorer.w_q, explorer.w_k, explorer.w_v = (
            rng.normal(size=(4, 2)),
            rng.normal(size=(4, 2)),
            rng.normal(size=(4, 3)),
        )
    return explorer


@pytest.mark.parametrize("recipe", RECIPES)
def test_weights_and_derivatives_agree_with_autograd(blank, recipe):
    for seed, length in enumerate([1, 2, 4, 5, 8]):
        explorer = random_explorer(seed, length, recipe)
        got = module_call(blank, PaintAMask, "module.computed(given)", explorer.state())
        assert np.allclose(np.array(got["weights"], float), explorer.weights, rtol=0, atol=1e-6)
        assert np.allclose(np.array(got["leaks"], float), explorer.leaks, rtol=0, atol=1e-6)
        assert (np.array(got["leaks"], float) == 0).sum() == (np.array(explorer.leaks) == 0).sum()


@pytest.mark.parametrize("name", NAMES)
def test_presets_agree_with_the_package(blank, name):
    explorer = PaintAMask()
    explorer.paint(name)
    got = module_call(blank, PaintAMask, "module.preset(...given)", [name, explorer.tokens])
    assert got == [list(row) for row in explorer.may]


def test_what_is_shown_and_said_is_what_the_package_computes(page_of):
    explorers = [random_explorer(seed, 4, recipe) for seed, recipe in enumerate(RECIPES)]
    for recipe in RECIPES:
        explorers.append(PaintAMask(recipe=recipe))
        explorers[-1].paint("before only")
    page = ready(page_of(*explorers), len(explorers))
    for explorer, box in zip(explorers, page.locator(".explorer").all(), strict=True):
        assert np.allclose(shown(box, "Weights"), explorer.weights, rtol=0, atol=1e-6)
        assert np.allclose(shown(box, "Sums")[:, 0], np.sum(explorer.weights, axis=1), rtol=0, atol=1e-6)
        assert np.allclose(shown(box, "Leak matrix"), explorer.leaks, rtol=0, atol=1e-6)
        assert box.locator(".explorer-words").inner_text() == explorer.in_words()


def cell(page, query, key):
    return page.get_by_role("button", name=f"{query} may attend to {key}", exact=True)


def test_a_click_paints_and_the_rest_follows(page_of):
    explorer = PaintAMask()
    page = ready(page_of(explorer))
    assert cell(page, "I", "cats").get_attribute("aria-pressed") == "false"
    cell(page, "I", "cats").click()
    assert cell(page, "I", "cats").get_attribute("aria-pressed") == "true"
    may = np.array(explorer.may)
    may[0, 2] = True
    explorer.may = may
    assert page.locator(".explorer-words").inner_text() == explorer.in_words()
    news = page.get_by_role("status").inner_text()
    assert news.startswith("“I” may attend to “cats”.") and "Later and felt: “I” feels “cats”. The leak is 0." in news
    assert page.locator(".explorer-leaking small").all_inner_texts() == ["later"]


def test_keys_walk_and_paint_and_the_mask_is_one_stop(page_of):
    explorer = PaintAMask()
    page = ready(page_of(explorer))
    cells = page.locator(".explorer-cell")
    cells.first.focus()
    for key in ("ArrowRight", "ArrowDown", "End", "ArrowRight", "ArrowUp", "Home", "ArrowRight"):
        page.keyboard.press(key)
    assert cells.evaluate_all("all => all.indexOf(document.activeElement)") == 1
    page.keyboard.press("Space")
    assert cells.nth(1).get_attribute("aria-pressed") == "true"
    page.keyboard.press("Enter")
    assert cells.nth(1).get_attribute("aria-pressed") == "false"
    assert page.locator(".explorer-words").inner_text() == explorer.in_words()
    assert cells.evaluate_all("all => all.filter((one) => one.tabIndex === 0).length") == 1
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.closest('table').caption.innerText").startswith("Weights")


def test_presets_recipes_and_the_way_back(page_of):
    explorer = PaintAMask()
    page = ready(page_of(explorer))
    page.get_by_role("button", name="causal and padding", exact=True).click()
    page.get_by_label("A hidden key:").select_option("zero")
    explorer.paint("causal and padding")
    explorer.recipe = "zero"
    assert page.locator(".explorer-words").inner_text() == explorer.in_words()
    assert np.allclose(shown(page, "Leak matrix"), explorer.leaks, rtol=0, atol=1e-6)
    leaking = page.locator(".explorer-leaking").count()
    hidden = ~np.array(explorer.may) & ~np.eye(5, dtype=bool)
    assert leaking == (hidden & (np.array(explorer.leaks) > 0)).sum()
    assert set(page.locator(".explorer-leaking small").all_inner_texts()) == {"hidden"}
    page.get_by_role("button", name="Start again").click()
    assert page.locator(".explorer-words").inner_text() == PaintAMask().in_words()


def test_a_number_tells_how_it_comes_about(page_of):
    explorer = PaintAMask()
    page = ready(page_of(explorer))
    x, w_q, w_k = (np.array(m) for m in (explorer.x, explorer.w_q, explorer.w_k))
    first, second = (f"exp({s:.3f})".replace("-", "−") for s in (x[1] @ w_q) @ (x[:2] @ w_k).T / 3**0.5)
    working = page.locator(".explorer-working")
    weights, leaks = (
        page.get_by_role("grid", name=name).get_by_role("gridcell") for name in ("Weights", "Leak matrix")
    )
    weights.nth(5).hover()
    told = f"{first} ÷ ({first} + {second}) ≈ {explorer.weights[1][0]:.3f}."
    assert working.inner_text() == f"Weight that “like” puts on “I”: {told}"
    weights.nth(7).hover()
    assert working.inner_text().endswith("0, because −∞ stands in place of a hidden score, and its exponential is 0.")
    leaks.nth(2).hover()
    assert working.inner_text() == (
        "Largest derivative of the output for “I” by the input “cats”: 0.000 (nothing of it arrives)."
    )
    page.get_by_label("A hidden key:").select_option("zero")
    leaks.nth(2).hover()
    assert "hidden by the mask and felt all the same; it comes later: a leak" in working.inner_text()
    weights.nth(7).hover()
    assert ", then set to 0.000." in working.inner_text()
    page.get_by_role("button", name="before only", exact=True).click()
    weights.nth(0).hover()
    assert working.inner_text().endswith("“I” may attend to nothing: all its weights are 0.")


def test_everything_has_a_name_and_without_javascript_the_words_are_there(page_of):
    explorer = PaintAMask()
    page = ready(page_of(explorer))
    assert page.locator("table th:not([scope])").count() == page.locator("table:not(:has(caption))").count() == 0
    assert page.locator("button:not([aria-label])").evaluate_all("all => all.filter((b) => !b.innerText).length") == 0
    bare = page_of(explorer, java_script_enabled=False)
    assert explorer.in_words() in bare.locator(".explorer").inner_text()


@pytest.mark.parametrize("width", [375, 1280])
@pytest.mark.parametrize("dark", [False, True])
def test_it_fits_a_phone_and_its_colours_are_those_of_the_roles(page_of, width, dark):
    page = ready(page_of(PaintAMask(), random_explorer(1, 8), dark=dark, width=width), 2)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    for name in ("mask", "weight", "output"):
        colour = page.locator(f"caption .role-{name}").first.evaluate("one => getComputedStyle(one).color")
        assert colour == rgb(name, dark)
