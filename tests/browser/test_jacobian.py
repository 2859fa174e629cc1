"""The explorer *the softmax Jacobian* in Chromium: against NumPy, SciPy and the package; controls, words, phones."""

import numpy as np
import pytest
import scipy.special

from attention_book.attention.probability import softmax_jacobian
from attention_book.pages.explorers.jacobian import SoftmaxJacobian, compact

from .explorer_pages import after_a_kernel, field, module_call, ready, shown, unnamed_controls, width_of

pytestmark = pytest.mark.browser


def test_eigenvalues_are_numpys(blank):
    rng = np.random.default_rng(3)
    matrices = [np.diag([3.0, -1.0, 2.0]), np.ones((4, 4)), np.zeros((3, 3)), np.array([[0.0, 1.0], [1.0, 0.0]])]
    matrices += [(a + a.T) / 2 for a in (rng.standard_normal((n, n)) for n in (2, 5, 16))]
    matrices += [softmax_jacobian(size * rng.standard_normal(16), 2.0) for size in (0.01, 1.0, 30.0)]
    for matrix in matrices:
        found = np.array(module_call(blank, SoftmaxJacobian, "module.eigenvalues(given)", matrix.tolist()), float)
        np.testing.assert_allclose(found[::-1], np.linalg.eigvalsh(matrix), rtol=0, atol=1e-13)


def test_jacobian_is_the_packages(blank):
    for size in (0.1, 3.0, 50.0):
        s = size * np.random.default_rng(4).standard_normal(7)
        given = [scipy.special.softmax(s / 1.5).tolist(), 1.5]
        found = np.array(module_call(blank, SoftmaxJacobian, "module.jacobian(...given)", given), float)
        np.testing.assert_allclose(found, softmax_jacobian(s, 1.5), rtol=0, atol=1e-15)


@pytest.mark.parametrize("number", [0.0, 1e-13, 0.03125, -0.03125, 0.001, 0.00099949, -2.5e-7, 123.4, 999.6, 2.0])
def test_numbers_read_as_in_python(blank, number):
    assert module_call(blank, SoftmaxJacobian, "module.compact(given)", number) == compact(number)


STATES = [
    dict(n=n, d_k=d_k, divisor=divisor, draw=draw, c=c)
    for n, d_k, draw, c in [(2, 1, 0, 4.0), (6, 64, 3, 0.25), (16, 512, 8, 32.0)]
    for divisor in ("one", "root", "free")
]


def column(page, name):
    return shown(page, name)[:, 0]


def test_what_is_shown_and_said_is_what_scipy_and_the_package_compute(page_of):
    explorers = [SoftmaxJacobian(**state) for state in STATES]
    page = ready(page_of(*explorers), len(explorers))
    for explorer, box in zip(explorers, page.locator(".explorer").all(), strict=True):
        wanted = scipy.special.softmax(explorer.scores / explorer.temperature)
        np.testing.assert_allclose(column(box, "Scores"), explorer.scores, rtol=1e-12)
        np.testing.assert_allclose(column(box, "Weights"), wanted, rtol=0, atol=1e-14)
        np.testing.assert_allclose(shown(box, "Jacobian"), explorer.jacobian, rtol=0, atol=1e-14)
        np.testing.assert_allclose(column(box, "Eigenvalues"), explorer.eigenvalues, rtol=0, atol=1e-13)
        assert box.locator(".explorer-words").inner_text() == explorer.in_words()


def test_controls_are_followed_and_said_and_taken_back(page_of):
    explorer = SoftmaxJacobian(n=3, d_k=64)
    page = ready(page_of(explorer))
    words, news = page.locator(".explorer-words"), page.locator(".explorer-news")
    start = words.inner_text()
    own = field(page, "your own C")
    assert own.is_disabled()
    field(page, "keys, n").press("End")
    explorer.n = 16
    assert words.inner_text() == explorer.in_words() and shown(page, "Jacobian").shape == (16, 16)
    assert news.inner_text().startswith("Keys: 16. Largest weight ")
    assert page.evaluate("document.activeElement.type") == "range"  # the grids were rebuilt, the control was not
    field(page, "width of a key, d_k").press("End")
    explorer.d_k = 512
    field(page, "scores divided by C =").select_option("free")
    explorer.divisor = "free"
    assert words.inner_text() == explorer.in_words() and not own.is_disabled()
    own.press("Home")
    explorer.c = 0.25
    page.get_by_role("button", name="Draw again").click()
    explorer.draw = 1
    assert words.inner_text() == explorer.in_words() and "Draw 2 of 12." in news.inner_text()
    page.get_by_role("button", name="Start again").click()
    assert words.inner_text() == start and shown(page, "Jacobian").shape == (3, 3)


def test_draws_come_round_again(page_of):
    page = ready(page_of(SoftmaxJacobian(draws=[[1.0, 2.0], [3.0, 0.0]], n=2)))
    first = page.locator(".explorer-words").inner_text()
    again = page.get_by_role("button", name="Draw again")
    again.click()
    assert page.locator(".explorer-words").inner_text() != first
    again.click()
    assert page.locator(".explorer-words").inner_text() == first


def test_a_cell_explains_itself(page_of):
    explorer = SoftmaxJacobian(draws=[[0.0, 0.0, -1.0]], n=3, d_k=4)
    page = ready(page_of(explorer))
    told = page.locator(".explorer-working")
    cell = page.get_by_role("grid", name="Jacobian").get_by_role("gridcell")
    cell.nth(0).focus()
    a, b = (compact(p) for p in explorer.weights[[0, 2]])
    entry, rest = compact(explorer.jacobian[0, 0]), compact(1 - explorer.weights[0])
    assert told.inner_text() == (
        f"J, row 1, column 1: p1 (1 − p1) ÷ C = {a} × {rest} ÷ 2 ≈ {entry}: "
        f"if the score of key 1 rises by a little h, the weight of key 1 rises by {entry} h."
    )
    assert cell.nth(0).get_attribute("aria-describedby") == told.get_attribute("id")
    page.keyboard.press("End")
    entry = compact(explorer.jacobian[0, 2])
    falls = entry.removeprefix("−")
    assert told.inner_text() == (
        f"J, row 1, column 3: −p1 p3 ÷ C = −{a} × {b} ÷ 2 ≈ {entry}: "
        f"if the score of key 3 rises by a little h, the weight of key 1 falls by {falls} h."
    )
    page.get_by_role("grid", name="Weights").get_by_role("gridcell").nth(2).hover()
    assert f"exp(−1) ÷ (exp(0) + exp(0) + exp(−1)) ≈ {b}; scores ÷ 2" in told.inner_text()
    page.get_by_role("grid", name="Scores").get_by_role("gridcell").nth(2).hover()
    assert told.inner_text() == "Score of key 3: (−1) × √4 ≈ −2."
    values = page.get_by_role("grid", name="Eigenvalues").get_by_role("gridcell")
    values.nth(2).hover()
    assert "0, always: raising all scores together" in told.inner_text()
    values.nth(0).hover()
    low, high = map(compact, sorted(explorer.weights / 2)[1:])
    assert told.inner_text().endswith(f"between two neighbours of the sorted weights ÷ 2: {low} and {high}.")


def test_dead_entries_are_counted_and_named(page_of):
    page = ready(page_of(SoftmaxJacobian(draws=[[0.0, -20.0, -20.0]], n=3, d_k=1, divisor="one")))
    sizes = page.locator(".explorer-readout")
    assert "9 of 9 (100 %)" in sizes.inner_text()
    page.get_by_role("grid", name="Jacobian").get_by_role("gridcell").nth(1).hover()
    assert page.locator(".explorer-working").inner_text().endswith("; dead.")


def test_strength_is_on_a_fixed_scale_until_asked_otherwise(page_of):
    explorer = SoftmaxJacobian(n=4, d_k=64)
    page = ready(page_of(explorer))
    cells = page.get_by_role("grid", name="Jacobian").get_by_role("gridcell")
    strengths = lambda: np.array(  # noqa: E731
        cells.evaluate_all("all => all.map((one) => Number(one.style.getPropertyValue('--strength')))")
    ).reshape(4, 4)
    np.testing.assert_allclose(strengths(), (4 * abs(explorer.jacobian)) ** 0.6, rtol=1e-9)
    page.get_by_label("own largest entry").check()
    np.testing.assert_allclose(strengths(), (abs(explorer.jacobian) / explorer.jacobian.max()) ** 0.6, rtol=1e-9)
    negative = cells.evaluate_all("all => all.map((one) => one.classList.contains('explorer-negative'))")
    assert (np.reshape(negative, (4, 4)) == (explorer.jacobian < 0)).all()


def test_cells_without_room_for_a_number_still_have_a_name(page_of):
    page = ready(page_of(SoftmaxJacobian(n=16)))
    cells = page.get_by_role("grid", name="Jacobian").get_by_role("gridcell")
    names = cells.evaluate_all("all => all.map((one) => one.ariaLabel)")
    assert names == [compact(float(x)) for x in SoftmaxJacobian(n=16).jacobian.ravel()]
    assert unnamed_controls(page) == []
    assert page.locator("table th:not([scope])").count() == 0
    assert page.locator("table:not(:has(caption))").count() == 0


@pytest.mark.parametrize("width", [375, 1280])
@pytest.mark.parametrize("dark", [False, True])
def test_it_fits_a_phone(page_of, width, dark):
    page = ready(page_of(*(SoftmaxJacobian(n=n, divisor="one") for n in (5, 16)), dark=dark, width=width), 2)
    assert width_of(page) <= width


def test_a_kernel_that_changes_several_traits_is_followed(page_of):
    before, after = SoftmaxJacobian(n=16), SoftmaxJacobian(draws=[[1.0, 2.0]], n=2)
    page = ready(page_of(before))
    words = after_a_kernel(page, before, after, "el.querySelector('.explorer-words').innerText")
    assert words == after.in_words()
