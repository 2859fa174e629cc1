"""The explorer *a weight between two models* in Chromium: against the package; controls, words, phones."""

import numpy as np
import pytest

from attention_book.pages.explorers.translator.model_weight import ModelWeight, scores, stretches

from .explorer_pages import after_a_kernel, field, module_call, ready, unnamed_controls, width_of

pytestmark = pytest.mark.browser

TOM = [["Tom lee el periódico.", 4.1e-9, 1.3e-4, True], ["A diario Tom lee", 4.3e-8, 1.6e-5, False],
       ["Tom lee", 1.3e-6, 4.8e-15, False], ["Tom lee la periódico.", 3.7e-12, 1.2e-4, False]]  # fmt: skip
PHRASES = [["gatos negros", 1 / 3, 1 / 4, True], ["negros gatos", 0.0, 1 / 4, False],
           ["perros negros", 1 / 3, 1 / 12, False]]  # fmt: skip
CASES = [{"name": "Tom reads the newspaper.", "candidates": TOM}, {"name": "black cats", "candidates": PHRASES}]


@pytest.mark.parametrize("case", [0, 1])
@pytest.mark.parametrize("weight", [0, 1, 46, 47, 50, 86, 87, 99, 100])
def test_scores_and_words_are_the_packages(blank, case, weight):
    explorer = ModelWeight(cases=CASES, case=case, weight=weight)
    found = module_call(blank, ModelWeight, "module.scores(...given)", [CASES[case]["candidates"], weight])
    np.testing.assert_allclose(np.array(found, float), scores(CASES[case]["candidates"], weight), rtol=1e-12)
    said = module_call(blank, ModelWeight, "module.inWords(module.computed(given))", explorer.state())
    assert said == explorer.in_words()


def test_controls_are_followed_and_said_and_taken_back(page_of):
    explorer = ModelWeight(cases=CASES)
    page = ready(page_of(explorer))
    words, news, now = (page.locator(f".explorer-{name}") for name in ("words", "news", "step"))
    start = words.inner_text()
    assert start == explorer.in_words() and now.inner_text() == "At the weight 0.50, “A diario Tom lee” wins."
    slider = field(page, "weight w of the language model")
    slider.press("Home")
    slider.press("ArrowRight")
    explorer.weight = 1
    assert words.inner_text() == explorer.in_words()
    assert news.text_content() == now.inner_text() == "At the weight 0.01, “Tom lee el periódico.” wins."
    field(page, "Sentence:").select_option("1")
    slider.press("End")
    explorer.case, explorer.weight = 1, 100
    assert words.inner_text() == explorer.in_words()
    assert now.inner_text() == "At the weight 1.00, “gatos negros” and “perros negros” win."
    page.get_by_role("button", name="Start again").click()
    assert words.inner_text() == start


def test_the_strip_is_cut_where_the_winner_changes_and_the_mark_stands_at_the_weight(page_of):
    page = ready(page_of(ModelWeight(cases=CASES, weight=25)))
    frames = page.locator("rect.explorer-face").evaluate_all(
        "all => all.map((one) => [one.x.baseVal.value, one.x.baseVal.value + one.width.baseVal.value])"
    )
    (left, _), (_, right) = frames[0], frames[-1]
    cuts = [(end - left) / (right - left) for _, end in frames[:-1]]
    assert cuts == pytest.approx([one.last + 0.005 for one in stretches(TOM)[:-1]], abs=1e-4)
    mark = float(page.locator("line.explorer-hand").get_attribute("x1"))
    assert (mark - left) / (right - left) == pytest.approx(0.25, abs=1e-4)
    assert page.locator("svg text").all_text_contents()[:3] == ["A ✓", "B ✗", "C ✗"]


def test_the_table_has_each_number_divided_by_the_largest_of_its_column(page_of):
    page = ready(page_of(ModelWeight(cases=CASES)))
    read = "rows => rows.map((row) => [...row.querySelectorAll('td')].map((cell) => Number(cell.dataset.value)))"
    shown = np.array(page.locator("tbody tr").evaluate_all(read))
    both = np.array([one[1:3] for one in TOM])
    np.testing.assert_allclose(shown, np.column_stack([both / both.max(axis=0), scores(TOM, 50)]), rtol=1e-12)
    assert page.locator("td.explorer-first").all_inner_texts() == ["1.00"]


@pytest.mark.parametrize("width", [375, 1280])
@pytest.mark.parametrize("dark", [False, True])
def test_it_fits_a_phone_and_every_control_has_a_name(page_of, width, dark):
    page = ready(page_of(ModelWeight(cases=CASES), dark=dark, width=width))
    assert width_of(page) <= width
    assert unnamed_controls(page) == []


def test_a_kernel_that_changes_several_traits_is_followed(page_of):
    before, after = ModelWeight(cases=CASES), ModelWeight(cases=CASES[::-1], case=1, weight=90)
    page = ready(page_of(before))
    assert after_a_kernel(page, before, after, "el.querySelector('.explorer-words').innerText") == after.in_words()
