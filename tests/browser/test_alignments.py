"""The explorer of alignments in Chromium: its words are Python's, keys and pointer walk its rows."""

import itertools

import numpy as np
import pytest
from pages.explorers.test_alignments import EXAMPLES

from attention_book.pages.explorers.alignments import Alignments

from .explorer_pages import module_call, ready, rgb, shown

pytestmark = pytest.mark.browser
LONG = {
    "source": "a very long sentence", "pieces": [f"▁piece{n}" for n in range(18)],
    "readings": {"own": {
        "target": "a very long translation", "pieces": [f"▁other{n}" for n in range(20)], "log_probs": [-1.0] * 20,
        "first": [["▁other", -1.0]] * 20, "weights": [[1 / 18] * 18] * 20}},
}  # fmt: skip


@pytest.fixture
def explorer():
    return Alignments(examples=EXAMPLES)


def words(page):
    return page.locator(".explorer-words").inner_text()


def levels(page):
    read = "all => all.map((one) => one.dataset.value)"
    return [float(x) for x in page.locator(".explorer-levels li").evaluate_all(read)]


def cell(page, i, j):
    return page.get_by_role("grid").get_by_role("row").nth(i + 1).get_by_role("gridcell").nth(j)


def test_it_says_what_python_says_about_every_row(blank):
    for example, reading, piece in itertools.product((0, 1), ("own", "reference"), (1, 2, 3, 4, 5)):
        explorer = Alignments(examples=EXAMPLES, example=example, reading=reading, piece=piece)
        told = module_call(blank, Alignments, "module.inWords(module.computed(given))", explorer.state())
        assert told == explorer.in_words()


def test_it_shows_the_weights_and_the_row_of_the_piece(page_of, explorer):
    page = ready(page_of(explorer))
    assert np.allclose(shown(page, "Weights")[:, :-1], explorer.weights, rtol=0, atol=1e-6)
    assert np.allclose(levels(page), explorer.weights[1], rtol=0, atol=1e-6)
    side = cell(page, 1, 0).evaluate("one => Number(one.style.getPropertyValue('--side'))")
    assert side**2 == pytest.approx(0.25)  # the area is the weight
    assert page.locator(".explorer-surprise").all_inner_texts() == ["log p", "−0.250", "−1.500", "−0.500", "0.000"]
    assert "Piece 2 of 4, “▁b”, log-probability −1.500, is not the model's first choice" in page.locator(
        ".explorer-working").first.inner_text()  # fmt: skip
    assert (
        "c₂ = 0.700 h₂ (▁y) + 0.250 h₁ (▁x) + 0.050 of the other 1."
        in page.locator(".explorer-working").last.inner_text()
    )


def test_the_heads_of_short_pieces_stand_upright_and_long_ones_are_turned(page_of):
    """Turned by a quarter, “▁I” is two dashes; a word takes less room on its side."""
    sentence = EXAMPLES[1] | {"pieces": ["▁I", "▁cats"]}
    page = ready(page_of(Alignments(examples=[sentence])))
    read = "one => [one.textContent, getComputedStyle(one).writingMode, one.offsetHeight > one.offsetWidth]"
    heads = page.locator(".explorer-alignment thead th > span:not(.explorer-hidden)").evaluate_all(
        f"all => all.map({read})"
    )
    assert [head[:2] for head in heads] == [["▁I", "horizontal-tb"], ["▁cats", "vertical-rl"]]
    assert heads[1][2]


def test_what_the_bars_below_log_p_mean_is_said_and_the_least_expected_has_the_longest(page_of, explorer):
    page = ready(page_of(explorer))
    legend = "The longer the bar below log p, the less the model expected the piece."
    assert legend in page.locator(".explorer-hint").inner_text()
    read = "all => all.map((one) => Number(one.style.getPropertyValue('--share')))"
    shares = page.locator("td.explorer-surprise").evaluate_all(read)
    assert shares == pytest.approx([0.25 / 1.5, 1, 0.5 / 1.5, 0])


def test_sentence_and_reading_are_chosen(page_of, explorer):
    page = ready(page_of(explorer))
    page.get_by_label("Written:").select_option("reference")
    explorer.reading = "reference"
    assert words(page) == explorer.in_words()
    assert page.get_by_role("status").inner_text() == (
        "our translation, forced through. Piece 2 of 2, “</s>”, log-probability −0.125: most weight, 1.000, on “</s>”."
    )
    assert "x y → d" in page.locator(".explorer-pair").inner_text()
    page.get_by_label("Sentence:").select_option("1")
    explorer.example = 1
    assert words(page) == explorer.in_words()
    assert page.get_by_label("Written:").is_disabled()  # there is no reference
    page.get_by_role("button", name="Start again").click()
    assert words(page) == Alignments(examples=EXAMPLES).in_words()


def test_buttons_and_keys_step_from_row_to_row(page_of, explorer):
    page = ready(page_of(explorer))
    forward, back = (page.get_by_role("button", name=name) for name in ("Forward", "Back"))
    forward.click()
    for key, piece in [("", 3), ("ArrowRight", 4), ("ArrowDown", 4), ("Home", 1), ("End", 4), ("ArrowUp", 3)]:
        if key:
            page.keyboard.press(key)
        explorer.piece = piece
        assert words(page) == explorer.in_words()
        assert f"piece {piece} of 4" in page.get_by_role("group", name="Steps").inner_text()
        assert forward.evaluate("one => one === document.activeElement")
    assert (
        page.get_by_role("status")
        .inner_text()
        .startswith("Piece 3 of 4, “c”, log-probability −0.500: most weight, 1.000")
    )
    page.keyboard.press("End")
    assert (forward.get_attribute("aria-disabled"), back.get_attribute("aria-disabled")) == ("true", "false")


def test_the_table_is_one_stop_and_its_arrow_keys_choose_rows(page_of, explorer):
    page = ready(page_of(explorer))
    cell(page, 0, 0).focus()
    for key in ("ArrowDown", "ArrowRight", "ArrowDown"):
        page.keyboard.press(key)
    explorer.piece = 3
    assert words(page) == explorer.in_words()
    assert page.evaluate("document.activeElement.getAttribute('aria-label')") == "1.000"
    assert page.locator("tr.explorer-row-chosen th").inner_text() == "c"
    assert page.get_by_role("grid").get_by_role("gridcell").evaluate_all(
        "all => all.filter((one) => one.tabIndex === 0).length") == 1  # fmt: skip


def test_pointing_shows_a_row_and_leaving_goes_back(page_of, explorer):
    page = ready(page_of(explorer))
    cell(page, 3, 1).hover()
    assert np.allclose(levels(page), explorer.weights[3], rtol=0, atol=1e-6)
    assert "in the context for “</s>”" in page.locator(".explorer-title").inner_text()
    page.locator(".explorer-hint").hover()
    assert np.allclose(levels(page), explorer.weights[1], rtol=0, atol=1e-6)
    page.locator("td.explorer-surprise").nth(0).click()
    page.locator(".explorer-hint").hover()
    explorer.piece = 1
    assert words(page) == explorer.in_words()


def test_only_where_a_kernel_listens_is_there_a_field_for_a_sentence(page_of, blank, explorer):
    page = ready(page_of(explorer))
    assert page.get_by_role("textbox").count() == 0
    assert "In a running notebook you can type a sentence of your own." in page.locator(".explorer-hint").inner_text()
    told = blank.evaluate(
        """async ([text, state]) => {
            const address = URL.createObjectURL(new Blob([text], { type: "text/javascript" }));
            const { default: widget } = await import(address);
            const listeners = {}, saved = [];
            const model = {
                widget_manager: {}, get: (name) => state[name], set: (name, value) => (state[name] = value),
                save_changes: () => saved.push(state.text), off() {},
                on: (name, listener) => (listeners[name] = listener),
            };
            const el = document.createElement("div");
            document.body.append(el);
            widget.render({ model, el });
            const field = el.querySelector("input[type=text]");
            field.value = "Where am I?";
            field.dispatchEvent(new Event("change"));
            state.problem = "too long";
            listeners["change:problem"]();
            await new Promise((done) => setTimeout(done));
            return [saved, field.labels[0].innerText.trim(), el.querySelector("[role=alert]").innerText,
                    field.getAttribute("aria-invalid"), el.querySelector(".explorer-hint").innerText];
        }""",
        [Alignments._esm, explorer.state()],
    )
    assert told[:-1] == [["Where am I?"], "A sentence of your own:", "too long", "true"]
    assert "notebook" not in told[-1]


@pytest.mark.parametrize("width", [375, 1280])
@pytest.mark.parametrize("dark", [False, True])
def test_it_fits_a_phone_and_its_colours_are_those_of_the_roles(page_of, width, dark):
    page = ready(page_of(Alignments(examples=[LONG]), Alignments(examples=EXAMPLES), dark=dark, width=width), 2)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    table = page.get_by_role("grid").first
    assert table.evaluate("one => one.scrollWidth - one.clientWidth") <= (0 if width > 375 else 40)
    for name in ("weight", "value"):
        colour = page.locator(f".explorer-title .role-{name}").first.evaluate("one => getComputedStyle(one).color")
        assert colour == rgb(name, dark)


def test_everything_has_a_name_and_without_javascript_the_words_are_there(page_of, explorer):
    page = ready(page_of(explorer))
    assert page.get_by_role("grid", name="Weights").count() == 1
    assert page.get_by_role("list", name="weights of the source").count() == 1
    all_ = "[...document.querySelectorAll('input, button, select')]"
    assert page.evaluate(f"{all_}.filter((one) => !(one.ariaLabel || one.innerText || one.labels?.length)).length") == 0
    bare = page_of(explorer, java_script_enabled=False)
    assert explorer.in_words() in bare.locator(".explorer").inner_text()
