"""The layer with the places of the ablations: every arm stands once, beside the part that it changes."""

import pytest

from attention_book.experiments.translator.ablations import CONFIGURATION
from attention_book.pages.diagrams.translator.ablated_layer import LABELS, PLACES, ablated_layer, ablated_layer_told
from attention_book.pages.figures.plotting import figure_html

from ..legibility import outside, smallest_type


@pytest.fixture(scope="module")
def axes():
    return ablated_layer().axes[0]


def test_every_arm_but_the_whole_stands_at_one_place():
    arms = [arm for _, several in PLACES.values() for arm in several]
    assert sorted(arms) == sorted(set(CONFIGURATION["arms"]) - {"whole"})


def test_an_arm_stands_where_its_settings_act():
    for place, (_, arms) in PLACES.items():
        for arm in arms:
            change = CONFIGURATION["arms"][arm]
            assert ("training" in change) == (place == "training")
            assert ("positions" in change.get("model", {})) == (place == "positions")
            assert (change.get("without") == "feed_forward") == (place == "feed_forward")
            assert (change.get("without") == "residuals") == (place == "sum")


def test_each_label_is_written_at_the_height_of_its_box(axes):
    boxes = {patch.get_gid(): patch for patch in axes.patches if patch.get_gid()}
    texts = {text.get_text(): text.get_position() for text in axes.texts}
    for place, (name, arms) in PLACES.items():
        middle = boxes[f"{place}-0"].get_y() + boxes[f"{place}-0"].get_height() / 2
        assert texts["\n".join(LABELS[arm] for arm in arms)][1] == pytest.approx(middle)
        assert name in texts


def test_nothing_stands_outside_the_sheet_and_the_type_is_legible_on_a_phone(axes):
    assert not outside(axes)
    assert smallest_type(axes.figure) >= 9


def test_it_is_told_in_words_and_drawn_as_vectors():
    told = ablated_layer_told()
    assert all(label in told for label in LABELS.values()) and "the 10 arms" in told
    assert "<image" not in figure_html(ablated_layer(), alt="told", caption="asked")
