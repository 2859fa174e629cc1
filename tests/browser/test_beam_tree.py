"""The explorer of the beam tree in Chromium: its words are Python's, keys walk through its record."""

import itertools

import pytest
from pages.explorers.test_beam_tree import TREES
from random_searches import ALPHAS, random_searches, recorded

from attention_book.pages.explorers.beam_tree import BeamTree
from attention_book.translation.decoding import gnmt_penalty

from .explorer_pages import module_call, ready

pytestmark = pytest.mark.browser


def words(page):
    return page.locator(".explorer-words").inner_text()


def test_it_says_what_python_says_at_every_step(blank):
    for sentence, beam, step, alpha in itertools.product((0, 1), (1, 2), (1, 2, 3, 4), (0.0, 0.3, 0.6, 1.0)):
        explorer = BeamTree(trees=TREES, sentence=sentence, beam=beam, step=step, alpha=alpha)
        told = module_call(blank, BeamTree, "module.inWords(module.computed(given))", explorer.state())
        assert told == explorer.in_words()


def test_its_length_penalty_is_the_packages(blank):
    for length, alpha in itertools.product((1, 4, 30), (0.0, 0.6, 1.0)):
        told = module_call(blank, BeamTree, "[module.lengthPenalty(...given)]", [length, alpha])
        assert float(told[0]) == pytest.approx(gnmt_penalty(length, alpha), rel=1e-12)


def test_its_stop_rule_is_the_packages_on_a_thousand_random_trees(blank):
    searches = random_searches()
    expected, asked = [], []
    for alpha in ALPHAS:
        for number, (_, beam, _, _, tree) in enumerate(searches):
            step = 1 + number % len(tree.steps)
            finished = [len(one.tokens) for one in tree.finished(alpha, step)]
            expected.append([tree.decided_at(alpha), tree.reach(alpha, step), finished])
            asked.append({"sentence": number, "beam": beam, "step": step, "alpha": alpha})
    told = module_call(
        blank,
        BeamTree,
        """given.asked.map((choices) => {
            const { decided, reach, finished } = module.computed({ trees: given.trees, ...choices });
            return [decided, reach, finished.map(({ tokens }) => tokens)];
        })""",
        {"trees": [recorded(search) for search in searches], "asked": asked},
    )
    assert len(told) == 4_000
    for (decided, reach, finished), (at, bound, lengths) in zip(told, expected, strict=True):
        assert int(decided) == at
        assert float(reach) == pytest.approx(bound, rel=1e-12)
        assert list(map(int, finished)) == lengths


def test_buttons_keys_and_choices_are_followed_and_said(page_of):
    explorer = BeamTree(trees=TREES)
    page = ready(page_of(explorer))
    assert words(page) == explorer.in_words()
    forward = page.get_by_role("button", name="Forward")
    forward.click()
    assert (
        page.locator(".explorer-news")
        .inner_text()
        .startswith("Step 2 of 4: 1 kept, 1 finished, 1 dropped. With α = 0.6")
    )
    for key, step in [("ArrowRight", 3), ("End", 4), ("ArrowRight", 4), ("ArrowLeft", 3), ("Home", 1)]:
        page.keyboard.press(key)
        explorer.step = step
        assert words(page) == explorer.in_words()
        assert forward.evaluate("one => one === document.activeElement")
    page.get_by_label("length penalty").fill("10")
    back = page.get_by_role("button", name="Back")
    assert back.get_attribute("aria-disabled") == "true"  # at the first step already
    back.focus()
    page.keyboard.press("Enter")
    explorer.alpha = 1.0
    assert words(page) == explorer.in_words()
    page.get_by_label("beam", exact=True).select_option("1")
    explorer.beam = 1
    page.get_by_label("sentence", exact=True).select_option("1")
    explorer.sentence = 1
    assert words(page) == explorer.in_words()


def test_the_tree_says_what_became_of_each_prefix(page_of):
    page = ready(page_of(BeamTree(trees=TREES, step=2)))
    leaves = page.locator(".explorer-branch:has(em)").all_inner_texts()
    assert leaves == ["</s> −1.500 finished", "d −2.000 dropped", "bc −1.200 kept"]
    page.get_by_role("button", name="Forward").click()
    leaves = page.locator(".explorer-branch:has(em)").all_inner_texts()
    assert leaves == ["a </s> −1.500 finished", "e −1.400 kept", "</s> −1.600 finished"]
    rows = page.locator(".explorer-ranking tbody tr").all_inner_texts()
    assert [row.split()[0] for row in rows] == ["bc", "a"]


def test_a_prefix_without_a_future_is_given_up(page_of):
    trees = [{**TREES[0], "beams": {"2": [TREES[0]["beams"]["2"][0], [[1, "c", -1.2, "k"], [1, "▁d", -1.3, "k"]]]}}]
    page = ready(page_of(BeamTree(trees=trees, step=2)))
    assert "a −0.500 given up" in page.locator(".explorer-branch:has(em)").all_inner_texts()


@pytest.mark.parametrize("dark", [False, True])
def test_it_fits_a_phone_and_everything_has_a_name(page_of, dark):
    page = ready(page_of(BeamTree(trees=TREES, step=4), dark=dark, width=375))
    assert page.evaluate("document.documentElement.scrollWidth") <= 375
    all_ = "[...document.querySelectorAll('input, button, select')]"
    assert page.evaluate(f"{all_}.filter((one) => !(one.ariaLabel || one.innerText || one.labels?.length)).length") == 0
