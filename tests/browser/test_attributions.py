"""Three attributions in Chromium: the package's words and numbers, keys and choices, typing, phone, light and dark."""

import pytest

from attention_book.pages.explorers.translator.attributions import Attributions, attributed

from .explorer_pages import module_call, ready, rgb

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def shown(translator):
    return [attributed(translator, text, steps=4) for text in ("I like cats.", "The red house is old.")]


@pytest.fixture
def explorer(translator, shown):
    made = Attributions(translator, sentences=())
    made.sentences = shown
    return made


def numbers(page, column):
    cells = page.locator(f".explorer-attributions tbody td:nth-child({column + 2})")
    return [float(x) for x in cells.evaluate_all("all => all.map((one) => one.dataset.value)")]


def shares(page, column):
    cells = page.locator(f".explorer-attributions tbody td:nth-child({column + 2})")
    return [float(x) for x in cells.evaluate_all("all => all.map((one) => one.style.getPropertyValue('--share'))")]


def test_words_agree_with_python(blank, explorer):
    for sentence, row, gradient in ((0, 0, "gradient"), (1, 2, "integrated"), (1, 99, "gradient")):
        explorer.sentence, explorer.row, explorer.gradient = sentence, row, gradient
        said = module_call(blank, Attributions, "module.inWords(module.computed(given))", explorer.state())
        assert said == explorer.in_words()


def test_numbers_and_bars_are_the_packages(page_of, explorer):
    page = ready(page_of(explorer))
    for column, values in enumerate(explorer.columns.values()):
        assert numbers(page, column) == values
        largest = max(map(abs, values))
        assert shares(page, column) == pytest.approx([abs(x) / largest for x in values])
    negative = page.locator("td.explorer-negative").count()
    assert negative == sum(x < 0 for values in explorer.columns.values() for x in values)
    assert page.locator(".explorer-words").inner_text() == explorer.in_words()


def test_keys_and_choices_change_what_is_shown_and_are_heard(page_of, explorer):
    page = ready(page_of(explorer))
    assert page.get_by_label("Gradient:").input_value() == "gradient"
    page.get_by_role("radio").nth(0).focus()
    page.keyboard.press("ArrowRight")
    explorer.row = 1
    assert page.locator(".explorer-words").inner_text() == explorer.in_words()
    assert (
        f"For “{explorer.sentences[0]['written'][1]}”, the largest is: weights"
        in page.get_by_role("status").inner_text()
    )
    assert page.get_by_role("radio").evaluate_all("all => all.indexOf(document.activeElement)") == 1
    page.get_by_label("Gradient:").select_option("integrated")
    explorer.gradient = "integrated"
    assert page.locator(".explorer-words").inner_text() == explorer.in_words()
    page.get_by_label("Sentence:", exact=True).select_option("1")
    explorer.sentence, explorer.row = 1, 0
    assert page.locator(".explorer-words").inner_text() == explorer.in_words()
    page.get_by_role("button", name="Start again").click()
    explorer.sentence, explorer.gradient = 0, "gradient"
    assert page.locator(".explorer-words").inner_text() == explorer.in_words()


def test_only_a_kernel_has_a_field_and_without_javascript_the_words_are_there(page_of, explorer):
    page = ready(page_of(explorer))
    assert not page.get_by_label("Your sentence:").is_visible()
    bare = page_of(explorer, java_script_enabled=False)
    assert explorer.in_words() in bare.locator(".explorer").inner_text()


@pytest.mark.parametrize("width", [375, 1280])
@pytest.mark.parametrize("dark", [False, True])
def test_it_fits_a_phone_in_light_and_dark(page_of, explorer, width, dark):
    page = ready(page_of(explorer, dark=dark, width=width))
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    table = page.locator(".explorer-attributions")
    assert table.evaluate("one => one.scrollWidth <= one.clientWidth + 1")
    colour = page.locator("thead .role-weight").evaluate("one => getComputedStyle(one).color")
    assert colour == rgb("weight", dark)
