"""Three uses of attention in Chromium: the package's numbers and words; keys and pointer choose; it fits a phone."""

import numpy as np
import pytest

from attention_book.pages.explorers.three_uses import ThreeUses

from .explorer_pages import module_call, ready, rgb

pytestmark = pytest.mark.browser


@pytest.fixture
def explorer(translator):
    return ThreeUses(translator)


def row_shown(page):
    return [
        float(x) for x in page.locator(".explorer-shares li").evaluate_all("all => all.map((one) => one.dataset.value)")
    ]


def queries(page):
    return page.get_by_role("radio")


def test_words_agree_with_python_for_every_use(blank, explorer):
    for pair, use, layer, head, query in [
        (0, "cross", 2, 0, 1),
        (0, "decoder_self", 0, 3, 0),
        (1, "encoder_self", 1, 2, 4),
        (2, "decoder_self", 2, 1, 6),
        (2, "cross", 0, 0, 99),
    ]:
        explorer.pair, explorer.use, explorer.layer, explorer.head, explorer.query = pair, use, layer, head, query
        said = module_call(blank, ThreeUses, "module.inWords(module.computed(given))", explorer.state())
        assert said == explorer.in_words()


def test_the_row_shown_is_the_packages(page_of, explorer):
    page = ready(page_of(explorer))
    assert np.allclose(row_shown(page), explorer.weights[1], rtol=0, atol=1e-6)
    assert page.locator(".explorer-words").inner_text() == explorer.in_words()
    page.get_by_label("Use:").select_option("decoder_self")
    page.get_by_label("Layer:").select_option("2")
    page.get_by_label("Head:").select_option("3")
    page.get_by_label("Sentence:").focus()
    page.get_by_label("Sentence:").select_option("1")
    explorer.use, explorer.layer, explorer.head, explorer.pair = "decoder_self", 2, 3, 1
    assert np.allclose(row_shown(page), explorer.weights[1], rtol=0, atol=1e-6)
    assert page.locator(".explorer-words").inner_text() == explorer.in_words()
    hidden = page.locator(".explorer-shares li.explorer-masked")
    assert hidden.count() == len(explorer.weights) - 2
    assert set(hidden.locator("small").all_inner_texts()) == {"hidden"}
    assert page.evaluate("document.activeElement.tagName") == "SELECT"
    page.get_by_role("button", name="Start again").click()
    explorer.use, explorer.layer, explorer.head, explorer.pair = "cross", 2, 0, 0
    assert page.locator(".explorer-words").inner_text() == explorer.in_words()


def test_pointing_shows_a_row_and_leaving_goes_back(page_of, explorer):
    page = ready(page_of(explorer))
    queries(page).nth(3).hover()
    assert np.allclose(row_shown(page), explorer.weights[3], rtol=0, atol=1e-6)
    assert "that “▁los” gives them" in page.locator(".explorer-title").nth(1).inner_text()
    page.locator(".explorer-hint").hover()
    assert np.allclose(row_shown(page), explorer.weights[1], rtol=0, atol=1e-6)
    queries(page).nth(3).click()
    page.locator(".explorer-hint").hover()
    explorer.query = 3
    assert page.locator(".explorer-words").inner_text() == explorer.in_words()


def test_arrow_keys_choose_a_query_and_are_heard(page_of, explorer):
    page = ready(page_of(explorer))
    assert queries(page).evaluate_all("all => all.map((one) => one.tabIndex)") == [-1, 0, -1, -1, -1, -1]
    queries(page).nth(1).focus()
    for key in ("ArrowRight", "ArrowDown", "End", "ArrowRight", "ArrowLeft"):
        page.keyboard.press(key)
    explorer.query = 4
    assert page.locator(".explorer-words").inner_text() == explorer.in_words()
    assert queries(page).evaluate_all("all => all.map((one) => one.getAttribute('aria-checked'))").index("true") == 4
    assert queries(page).evaluate_all("all => all.indexOf(document.activeElement)") == 4
    row = explorer.weights[4]
    key = ["I", "▁like", "▁cats", ".", "</s>"][int(row.argmax())]
    assert page.get_by_role("status").inner_text() == (
        f"“▁gatos”, asked for “.”, puts most, {row.max():.3f}, on “{key}”."
    )
    page.keyboard.press("Home")
    assert queries(page).evaluate_all("all => all.filter((one) => one.tabIndex === 0).length") == 1


def test_everything_has_a_name_and_without_javascript_the_words_are_there(page_of, explorer):
    page = ready(page_of(explorer))
    assert queries(page).nth(0).get_attribute("aria-label") == "<s>, asked for Me"
    assert page.get_by_role("radiogroup", name="queries, each with").count() == 1
    assert page.get_by_role("list", name="keys and the weights").count() == 1
    bare = page_of(explorer, java_script_enabled=False)
    assert explorer.in_words() in bare.locator(".explorer").inner_text()


@pytest.mark.parametrize("width", [375, 1280])
@pytest.mark.parametrize("dark", [False, True])
def test_it_fits_a_phone_and_its_colours_are_those_of_the_roles(page_of, translator, width, dark):
    explorer = ThreeUses(translator, pair=2, use="decoder_self", query=5)
    page = ready(page_of(explorer, dark=dark, width=width))
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    for name in ("query", "key", "weight"):
        colour = page.locator(f".explorer-title .role-{name}").first.evaluate("one => getComputedStyle(one).color")
        assert colour == rgb(name, dark)
