"""The explorer *the learning rate by step* in Chromium: against the package; controls, words, phones."""

import numpy as np
import pytest

from attention_book.pages.explorers.translator.schedule import STEPS, Schedule

from .explorer_pages import after_a_kernel, field, module_call, ready, unnamed_controls, width_of

pytestmark = pytest.mark.browser

STATES = [
    {"shape": shape, "warm_up": warm_up, "peak": peak, "moment": moment}
    for shape in ("cosine", "paper")
    for warm_up, peak, moment in [(0.5, 0.125, 0), (4.0, 1.0, 90), (64.0, 4.0, 37), (16.0, 2.0, 100)]
]


@pytest.mark.parametrize("state", STATES)
def test_rates_and_words_are_the_packages(blank, state):
    explorer = Schedule(**state)
    steps = [0, 1, 99, 100, 101, 800, 5000, 12_800, 19_999, STEPS]
    found = module_call(blank, Schedule, "given[1].map((step) => module.rate(given[0], step))", [state, steps])
    wanted = [explorer.rate(step) for step in steps]
    np.testing.assert_allclose(np.array(found, float), wanted, rtol=0, atol=1e-12)
    said = module_call(blank, Schedule, "module.inWords(module.computed(given))", state)
    assert said == explorer.in_words()


def test_controls_are_followed_and_said_and_taken_back(page_of):
    explorer = Schedule()
    page = ready(page_of(explorer))
    words, news = page.locator(".explorer-words"), page.locator(".explorer-news")
    start = words.inner_text()
    assert start == explorer.in_words()
    field(page, "warm-up").press("End")
    explorer.warm_up = 64.0
    assert words.inner_text() == explorer.in_words()
    field(page, "peak").press("Home")
    field(page, "moment").press("Home")
    explorer.peak, explorer.moment = 0.125, 0
    assert words.inner_text() == explorer.in_words() and news.inner_text().startswith("At step 0 the rate is 0.000")
    field(page, "After the peak:").select_option("paper")
    explorer.shape = "paper"
    assert words.inner_text() == explorer.in_words() and "square root" in news.inner_text()
    page.get_by_role("button", name="Start again").click()
    assert words.inner_text() == start


def test_the_marked_point_stands_on_the_curve(page_of):
    page = ready(page_of(Schedule(moment=4)))  # the peak
    dot, curve = page.locator(".explorer-dot"), page.locator("path.explorer-hand")
    top = curve.evaluate("(path) => path.getBBox().y")
    assert float(dot.get_attribute("cy")) == pytest.approx(top, abs=0.2)


@pytest.mark.parametrize("width", [375, 1280])
@pytest.mark.parametrize("dark", [False, True])
def test_it_fits_a_phone_and_every_control_has_a_name(page_of, width, dark):
    page = ready(page_of(Schedule(), dark=dark, width=width))
    assert width_of(page) <= width
    assert unnamed_controls(page) == []


def test_a_kernel_that_changes_several_traits_is_followed(page_of):
    before, after = Schedule(), Schedule(shape="paper", warm_up=32.0, peak=4.0, moment=10)
    page = ready(page_of(before))
    assert after_a_kernel(page, before, after, "el.querySelector('.explorer-words').innerText") == after.in_words()
