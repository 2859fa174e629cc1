"""The explorer of the beam tree as Python sees it: its record, its words, and what it refuses."""

import math
import re

import pytest
import torch
import traitlets
from random_searches import random_searches, recorded

from attention_book.pages.explorers.beam_tree import ALPHAS, SENTENCES, BeamTree
from attention_book.pages.explorers.words import fixed
from attention_book.translation.decoding import beam_search, gnmt_penalty

# Two steps to the first end: "a" </s> at log p = −1.5 is found before "b c" </s> at −1.6, which α ranks higher.
TREES = [
    {
        "source": "x y", "limit": 5,
        "beams": {
            "1": [[[0, "▁a", -0.5, "k"], [0, "▁b", -1.0, "d"]], [[0, "</s>", -1.5, "f"]]],
            "2": [
                [[0, "▁a", -0.5, "k"], [0, "▁b", -1.0, "k"], [0, "▁c", -3.0, "d"]],
                [[1, "c", -1.2, "k"], [0, "</s>", -1.5, "f"], [0, "▁d", -2.0, "d"]],
                [[0, "▁e", -1.4, "k"], [0, "</s>", -1.6, "f"]],
                [[0, "</s>", -1.65, "f"], [0, "s", -9.0, "k"]],
            ],
        },
    },
    {
        "source": "z", "limit": 3,
        "beams": {"1": [[[0, "</s>", -0.25, "f"]]], "2": [[[0, "</s>", -0.25, "f"], [0, "▁a", -2.0, "k"]]]},
    },
]  # fmt: skip


def test_the_words_tell_the_step_the_ranking_and_whether_it_goes_on():
    words = BeamTree(trees=TREES, step=2, alpha=0.0).in_words()
    assert words.startswith("“x y” with a beam of 2, step 2 of 4: kept “bc” −1.200; finished “a </s>” −1.500; dropped")
    assert "“a d” −2.000." in words
    assert "by score: “a </s>” −1.500." in words
    assert "With α = 0 the search goes on: a live prefix could still come to −1.200." in words
    words = BeamTree(trees=TREES, step=3, alpha=0.0).in_words()
    assert "by score: “a </s>” −1.500, “bc </s>” −1.600." in words
    assert words.endswith("a live prefix could still come to −1.400.")


def test_alpha_ranks_the_finished_again_and_moves_the_stop():
    explorer = BeamTree(trees=TREES, step=4, alpha=0.0)
    assert "by score: “a </s>” −1.500, “bc </s>” −1.600, “bc e </s>” −1.650." in explorer.in_words()
    assert explorer.in_words().endswith(
        "With α = 0 the search stops here: no live prefix can come to more than −9.000."
    )
    explorer.alpha = 1.0
    score = -1.65 / ((5 + 4) / 6)
    assert f"by score: “bc e </s>” {score:.3f}".replace("-", "−") in explorer.in_words()


def test_after_the_stop_it_says_that_it_has_stopped_and_ends_where_nothing_lives():
    assert "search ends here: nothing lives" in BeamTree(trees=TREES, beam=1, step=2).in_words()
    trees = [{**TREES[0], "beams": {"2": [TREES[1]["beams"]["2"][0], [[0, "</s>", -2.5, "f"]]]}}]
    told = BeamTree(trees=trees, step=2).in_words()
    assert "With α = 0.6 the search has stopped after step 1" in told


@pytest.mark.slow
def test_what_it_says_of_the_stop_is_the_searchs_own_on_a_thousand_random_trees():
    for search in random_searches():
        steps, alpha = len(search.tree.steps), search.alpha
        words = BeamTree(trees=[recorded(search)], beam=search.beam_size, step=steps, alpha=alpha).in_words()
        decided, finished = search.tree.decided_at(alpha), search.tree.finished(alpha)
        told = f"has stopped after step {decided}:" if decided < steps else "search (stops|ends) here:"
        assert re.search(told, words)
        best = re.search(r"by score: “[^”]*” (\S+\d)", words)
        assert (best and best[1]) == (fixed(finished[0].score) if finished else None)


def test_it_holds_the_translators_own_searches(translator):
    source = SENTENCES[0]
    explorer = BeamTree.of(translator, [source], (1, 3))
    src = torch.tensor([[*translator.subwords.encode(source), translator.subwords.eos_id]])
    for size in (1, 3):
        steps = explorer.trees[0]["beams"][str(size)]
        ended = [(len_, one) for len_, step in enumerate(steps, 1) for one in step if one[3] == "f"]
        for alpha in (0.0, 0.6):
            (expected,) = beam_search(translator.model, src, size, alpha)
            best = max(log_prob / gnmt_penalty(length, alpha) for length, (_, _, log_prob, _) in ended)
            assert best == pytest.approx(expected.score, abs=1e-4)
    assert explorer.trees[0]["limit"] == 2 * src.shape[1] + 10
    assert max(ALPHAS) == 1.0 and math.isclose(sum(ALPHAS), 5.5)


@pytest.mark.parametrize(
    "traits", [{"sentence": 2}, {"beam": 3}, {"beam": 0}, {"step": 0}, {"alpha": -0.1}, {"trees": []}]
)
def test_what_does_not_fit_is_refused(traits):
    with pytest.raises(traitlets.TraitError):
        BeamTree(**{"trees": TREES, **traits})


def test_a_step_beyond_the_last_shows_the_last():
    explorer = BeamTree(trees=TREES, step=4)
    explorer.sentence = 1
    assert "step 1 of 1" in explorer.in_words()
