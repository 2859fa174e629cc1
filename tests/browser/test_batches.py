"""The explorer *batches* in Chromium: against the package; controls, words, rectangles, phones."""

import pytest

from attention_book.pages.explorers.translator.batches import BUDGETS, ORDERS, Batches

from .explorer_pages import after_a_kernel, field, module_call, ready, unnamed_controls, width_of

pytestmark = pytest.mark.browser


@pytest.mark.parametrize("order", ORDERS)
def test_batches_and_words_are_the_packages(blank, order):
    for lengths in (Batches().lengths, [30, 5, 5, 12, 3, 40, 40, 2, 9, 9, 9, 1]):
        for budget in BUDGETS:
            explorer = Batches(order=order, budget=budget, lengths=lengths)
            said = module_call(blank, Batches, "module.inWords(module.computed(given))", explorer.state())
            assert said == explorer.in_words()


def test_controls_are_followed_and_said_and_taken_back(page_of):
    explorer = Batches()
    page = ready(page_of(explorer))
    words, news = page.locator(".explorer-words"), page.locator(".explorer-news")
    start = words.inner_text()
    assert start == explorer.in_words()
    field(page, "tokens per batch").press("End")
    explorer.budget = 600
    assert words.inner_text() == explorer.in_words() and "Updates per pass: 2." in news.inner_text()
    field(page, "tokens per batch").press("Home")
    field(page, "Order:").select_option("sorted")
    explorer.budget, explorer.order = 35, "sorted"
    assert words.inner_text() == explorer.in_words() and news.inner_text().startswith("Now sorted whole.")
    page.get_by_role("button", name="Start again").click()
    assert words.inner_text() == start


def test_a_rectangle_per_batch_and_a_bar_per_sentence(page_of):
    explorer = Batches(order="buckets")
    page = ready(page_of(explorer))
    read = "all => all.map((one) => [...one.querySelectorAll('rect')].map((bar) => bar.getAttribute('width') / 6))"
    drawn = page.locator("svg.explorer-batch").evaluate_all(read)
    wanted = [[explorer.lengths[place] for place in group] for group in explorer.groups]
    assert drawn == [[*lengths, max(lengths)] for lengths in wanted]  # the last is the frame


@pytest.mark.parametrize("width", [375, 1280])
@pytest.mark.parametrize("dark", [False, True])
def test_it_fits_a_phone_and_every_control_has_a_name(page_of, width, dark):
    page = ready(page_of(Batches(), dark=dark, width=width))
    assert width_of(page) <= width
    assert unnamed_controls(page) == []


def test_a_kernel_that_changes_several_traits_is_followed(page_of):
    before, after = Batches(), Batches(order="sorted", budget=50)
    page = ready(page_of(before))
    assert after_a_kernel(page, before, after, "el.querySelector('.explorer-words').innerText") == after.in_words()
