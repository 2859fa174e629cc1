"""Explorers in Chromium: their arithmetic against the package, the page's script, keyboard, words, light and dark.

The pages here are made by the tests and opened as files, with every outside request refused. The explorers of the
built book are looked at with all else of its pages, in `test_every_page.py`.
"""

import json

import numpy as np
import pytest

from attention_book.attention.dot_product import scaled_dot_product_attention
from attention_book.attention.masks import causal_mask
from attention_book.pages.explorers.attention_by_hand import AttentionByHand

from .explorer_pages import after_a_kernel, field, module_call, ready, rgb, shown, unnamed_controls, width_of

pytestmark = pytest.mark.browser


@pytest.mark.parametrize("size", [1.0, 300.0])
def test_arithmetic_agrees_with_the_package(blank, size):
    """Random matrices and masks, one row of the mask empty, scores up to hundreds of thousands."""
    rng = np.random.default_rng(7)
    for q_len, k_len, d_k, d_v in [(3, 3, 4, 2), (1, 5, 2, 3), (6, 2, 1, 1), (4, 7, 8, 5), (2, 2, 3, 8)]:
        q, k = size * rng.normal(size=(q_len, d_k)), size * rng.normal(size=(k_len, d_k))
        v, mask = rng.normal(size=(k_len, d_v)), rng.random((q_len, k_len)) < 0.6
        mask[rng.integers(q_len)] = False
        for allowed in (np.ones_like(mask), mask):
            output, weights = scaled_dot_product_attention(q, k, v, allowed)
            given = [q.tolist(), k.tolist(), v.tolist(), {"mask": None if allowed.all() else allowed.tolist()}]
            got = module_call(blank, AttentionByHand, "module.attention(...given)", given)
            assert np.allclose(np.array(got["weights"], float), weights, rtol=0, atol=1e-6)
            assert np.allclose(np.array(got["output"], float), output, rtol=0, atol=1e-6)
            assert np.allclose(np.array(got["scores"], float), np.where(allowed, q @ k.T / np.sqrt(d_k), -np.inf))


def test_causal_mask_agrees_with_the_package(blank):
    for q_len, k_len in [(1, 1), (3, 3), (2, 5), (5, 2)]:
        got = module_call(blank, AttentionByHand, "module.causalMask(...given)", [q_len, k_len])
        assert got == causal_mask(q_len, k_len).tolist()


def random_explorer(seed, q_len, k_len, d_k, d_v, size=1.0, **switches):
    rng = np.random.default_rng(seed)
    q, k, v = (rng.normal(size=shape) for shape in [(q_len, d_k), (k_len, d_k), (k_len, d_v)])
    return AttentionByHand(q=size * q, k=k, v=v, **switches)


def test_what_is_shown_and_said_is_what_the_package_computes(page_of):
    explorers = [
        random_explorer(q_len, q_len, k_len, 4, 2, size, scaled=scaled, causal=causal)
        for q_len, k_len, size in [(3, 3, 1.0), (5, 3, 1.0), (2, 4, 1000.0)]
        for scaled in (True, False)
        for causal in (True, False)
    ]
    page = ready(page_of(*explorers), len(explorers))
    for explorer, box in zip(explorers, page.locator(".explorer").all(), strict=True):
        assert np.allclose(shown(box, "Weights"), explorer.weights, rtol=0, atol=1e-6)
        assert np.allclose(shown(box, "Output"), explorer.output, rtol=0, atol=1e-6)
        assert box.locator(".explorer-words").inner_text() == explorer.in_words()
    assert any(not any(row) for explorer in explorers for row in explorer.weights)  # some query saw nothing


def test_an_edit_is_followed_said_and_taken_back(page_of):
    explorer = AttentionByHand()
    page = ready(page_of(explorer))
    start = page.locator(".explorer-words").inner_text()
    for label, name, i, j, number in [
        ("Query of like, component 3", "q", 1, 2, "-1.25"),
        ("Key of I, component 1", "k", 0, 0, "1e3"),
        ("Value of cats, component 2", "v", 2, 1, ".5"),
    ]:
        field(page, label).fill(number)
        field(page, label).press("Enter")
        changed = np.array(getattr(explorer, name))
        changed[i, j] = float(number)
        setattr(explorer, name, changed)
        assert np.allclose(shown(page, "Weights"), explorer.weights, rtol=0, atol=1e-6)
        assert np.allclose(shown(page, "Output"), explorer.output, rtol=0, atol=1e-6)
        assert page.locator(".explorer-words").inner_text() == explorer.in_words()
    news = page.get_by_role("status").inner_text()
    assert news.startswith("Value of cats, component 2: 0.5. I attends most to like (")
    page.get_by_role("button", name="Start again").click()
    assert page.locator(".explorer-words").inner_text() == start
    assert field(page, "Key of I, component 1").input_value() == "1"


@pytest.mark.parametrize("bad", ["", "1e7"])
def test_what_is_no_number_changes_nothing_and_is_said(page_of, bad):
    page = ready(page_of(AttentionByHand()))
    before, box = shown(page, "Output"), field(page, "Query of I, component 3")
    box.fill(bad)
    assert box.get_attribute("aria-invalid") == "true"
    box.blur()
    assert box.input_value() == "2" and box.get_attribute("aria-invalid") is None
    assert (shown(page, "Output") == before).all()
    assert "takes a number between −1000000 and 1000000" in page.get_by_role("status").inner_text()


def test_switches_work_by_keyboard_and_are_said(page_of):
    explorer = AttentionByHand()
    page = ready(page_of(explorer))
    page.get_by_label("divide the scores by √4").focus()
    page.keyboard.press("Space")
    explorer.scaled = False
    assert np.allclose(shown(page, "Weights"), explorer.weights, rtol=0, atol=1e-6)
    assert "no longer divided" in page.get_by_role("status").inner_text()
    page.keyboard.press("Tab")
    page.keyboard.press("Space")
    explorer.causal = True
    assert np.allclose(shown(page, "Weights"), explorer.weights, rtol=0, atol=1e-6)
    assert np.isneginf(shown(page, "Scores")).sum() == 3
    assert "Later keys are hidden. I attends most to I (1.000)" in page.get_by_role("status").inner_text()


def test_a_cell_shows_its_computation_when_focused_or_pointed_at(page_of):
    page = ready(page_of(AttentionByHand()))
    working = page.locator(".explorer-working")
    grid = page.get_by_role("grid", name="Scores")
    score = grid.get_by_role("gridcell").nth(5)
    score.focus()
    sum_of_products = "2 × 1 + 2 × 1 + 0 × 0 + 0 × 0 = 4"
    assert working.inner_text() == f"Score of like (query) with cats (key): {sum_of_products}; 4 ÷ √4 = 2"
    assert score.get_attribute("aria-describedby") == working.get_attribute("id")
    assert page.locator(".explorer-part input").evaluate_all("all => all.map((one) => one.ariaLabel)") == [
        f"{noun} of {name}, component {n}" for noun, name in [("Query", "like"), ("Key", "cats")] for n in range(1, 5)
    ]
    page.get_by_role("grid", name="Weights").get_by_role("gridcell").nth(5).hover()
    assert working.inner_text() == "Weight that like puts on cats: exp(2) ÷ (exp(1) + exp(0) + exp(2)) ≈ 0.665"
    page.get_by_role("grid", name="Output").get_by_role("gridcell").nth(3).hover()
    assert working.inner_text() == ("Output for like, component 2: 0.245 × 1 + 0.09 × 1 + 0.665 × 5 ≈ 3.661")
    grid.get_by_role("gridcell").nth(3).focus()
    page.mouse.move(0, 0)
    assert working.inner_text().startswith("Score of like (query) with I (key)")  # the focused cell, not the first one


def test_a_written_out_weight_subtracts_the_largest_of_large_scores(blank):
    explorer = AttentionByHand(q=[[100.0]], k=[[1.0], [2.0]], v=[[1.0], [2.0]])
    written = "module.working(module.computed(given), 'weights', 0, 0).parts.map((part) => part[0]).join('')"
    told = module_call(blank, AttentionByHand, written, explorer.state())
    assert told == "exp(−100) ÷ (exp(−100) + exp(0)) ≈ <0.001 (the largest score, 200, is subtracted first)"


def test_arrow_keys_walk_through_a_grid_that_is_one_stop(page_of):
    page = ready(page_of(AttentionByHand()))
    cells = page.get_by_role("grid", name="Scores").get_by_role("gridcell")
    at = lambda: page.evaluate("document.activeElement.dataset.value")  # noqa: E731
    place = lambda: cells.evaluate_all("all => all.indexOf(document.activeElement)")  # noqa: E731
    cells.nth(0).focus()
    visited = []
    for key in ["Right", "Down", "End", "Right", "Down", "Down", "Home", "Up", "Left"]:
        page.keyboard.press(key if key in ("Home", "End") else f"Arrow{key}")
        visited.append(place())
    assert visited == [1, 4, 5, 5, 8, 8, 6, 3, 3]
    assert float(at()) == 1.0
    assert cells.evaluate_all("all => all.map((one) => one.tabIndex)") == [-1, -1, -1, 0, -1, -1, -1, -1, -1]
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.closest('table').caption.innerText").startswith("Weights")
    page.keyboard.press("Shift+Tab")
    assert place() == 3


def test_everything_has_a_name_and_a_header(page_of):
    page = ready(page_of(AttentionByHand()))
    assert unnamed_controls(page) == []
    assert "allow JavaScript" not in page.locator(".explorer").inner_text()
    assert page.locator("table th:not([scope])").count() == 0
    assert page.locator("table:not(:has(caption))").count() == 0
    ids = page.evaluate("[...document.querySelectorAll('[id]')].map((one) => one.id)")
    assert len(ids) == len(set(ids))


def test_explorers_of_one_kind_share_a_module_and_nothing_else(page_of):
    first, second = AttentionByHand(), AttentionByHand(query_tokens=["a", "b", "c"])
    counter = "let made = 0; const old = URL.createObjectURL; URL.createObjectURL = (blob) => (made++, old(blob))"
    page = ready(page_of(f"<script>{counter}</script>", first, second), 2)
    assert page.evaluate("made") == 1
    assert page.evaluate("document.querySelectorAll('head style').length") == 2  # the page's own, and one for both
    field(page, "Query of like, component 1").fill("7")
    words = page.locator(".explorer-words").all_inner_texts()
    assert words[0] != first.in_words() and words[1] == second.in_words()


def test_a_failure_is_told_in_words_and_stops_nobody_else(page_of):
    good = AttentionByHand()
    unlucky = "export default { render() { throw Error('no luck') }, instead:"
    broken = good.static_html().replace("export default { render:", unlucky)
    garbled = '<div class="explorer"><p>Words.</p><script type="application/json">{</script></div>'
    page = ready(page_of(broken, garbled, good))
    page.wait_for_function("document.querySelectorAll('[data-explorer=failed]').length === 2")
    told = page.get_by_role("alert").all_inner_texts()
    assert "could not start" in told[0] and "no luck" in told[0] and "SyntaxError" in told[1]
    assert good.in_words() in page.locator(".explorer").first.inner_text()


def test_without_javascript_the_words_are_there(page_of):
    explorer = AttentionByHand()
    page = page_of(explorer, java_script_enabled=False)
    text = page.locator(".explorer").inner_text()
    assert explorer.in_words() in text and "allow JavaScript" in text


MODEL = """
export default { async render({ model, el }) {
  const log = [];
  const heard = (...got) => log.push(`heard ${got.at(-1)}`);
  model.on("change:x", heard);
  model.on("change", () => log.push("any"));
  model.set("x", 2); model.set("x", 2); model.save_changes();
  model.off("change:x", heard);
  model.set("x", 3);
  model.off();
  model.set("x", 4);
  try { model.send({}); } catch (error) { log.push(error.message); }
  el.textContent = [...log, model.get("x")].join("; ");
} }"""


def test_the_page_gives_modules_a_model_like_the_notebooks(page_of):
    data = json.dumps({"esm": MODEL, "css": "", "state": {"x": 1}})
    page = ready(page_of(f'<div class="explorer"><script type="application/json">{data}</script></div>'))
    told = page.locator(".explorer").inner_text()
    assert told == "heard 2; any; any; this page has no kernel to send a message to; 4"


def test_a_kernel_that_changes_shapes_is_followed(page_of):
    """As in a notebook: Q, K and V arrive one after the other, and must not be looked at in between."""
    explorer = AttentionByHand()
    page = ready(page_of(explorer))
    other = random_explorer(5, 2, 4, 3, 1)
    wanted = "[el.querySelector('.explorer-words').innerText, el.querySelectorAll('input[type=number]').length]"
    words = after_a_kernel(page, explorer, other, wanted)
    assert words == [other.in_words(), 2 * 3 + 4 * 3 + 4 * 1]


@pytest.mark.parametrize("width", [375, 1280])
@pytest.mark.parametrize("dark", [False, True])
def test_it_fits_a_phone_and_its_colours_are_those_of_the_roles(page_of, width, dark):
    page = ready(page_of(AttentionByHand(), random_explorer(1, 8, 8, 8, 8), dark=dark, width=width), 2)
    assert width_of(page) <= width
    for name in ("query", "key", "value", "weight", "output"):
        colour = page.locator(f"caption .role-{name}").first.evaluate("one => getComputedStyle(one).color")
        assert colour == rgb(name, dark)


def test_motion_is_left_out_where_it_is_unwanted_and_print_hides_what_paper_cannot_do(page_of):
    page = ready(page_of(AttentionByHand(), reduced_motion="reduce"))
    cell = page.get_by_role("grid", name="Weights").get_by_role("gridcell").first
    assert cell.evaluate("one => getComputedStyle(one).transitionDuration") == "0s"
    page.emulate_media(reduced_motion="no-preference")
    assert cell.evaluate("one => getComputedStyle(one).transitionDuration") != "0s"
    page.emulate_media(media="print")
    assert not page.get_by_role("button", name="Start again", include_hidden=True).is_visible()
    assert page.locator(".explorer-words").is_visible()
