"""What *Positions compared* says of its runs holds in the result on record, and would not in another one."""

import numpy as np
import pytest

from attention_book.little_language.language import pair_for
from attention_book.readers.attention.positions_compared import PositionsCompared


@pytest.fixture
def made_up():
    """Two seeds, two kinds, and five groups of which the last two are longer than 6 tokens."""
    names = ["4–8", "13–16", "17–20", "21–24", "25–32"]
    limits = [[1, 2, 1], [3, 4, 1], [5, 6, 2], [7, 8, 2], [9, 10, 3]]

    def seed(n):
        right, loss = [0.5 + n / 10] * 5, [1.0, 2.0, 3.0, 4.0 + n, 5.0]
        both = {
            f"{kind}_{what}": values
            for kind in ("none", "learned")
            for what, values in {"right": right, "loss": loss, "at_position": [n, 9.0]}.items()
        }
        cut = [9.0, 2.0, 3.0, 4.5 + n, 4.75]
        return both | {"floor": [0.5] * 5, "cut_loss": cut, "norm_inside": 2.0, "norm_beyond": 1.0, "pairs": 140 + n}

    setting = {"kinds": ["none", "learned"], "groups": dict(zip(names, limits, strict=True)), "longest": 6}
    setting |= {"examined": 7, "training": {"tokens": 1000}}
    return PositionsCompared({"configuration": setting, "seeds": {"0": seed(0), "2": seed(2)}})


def test_made_up_runs_are_read_by_hand(made_up):
    assert made_up.rows()[2] == ("17–20", "2", "60\xa0±\xa014\xa0%", "60\xa0±\xa014\xa0%")  # √(2 · 0.1²)
    assert made_up.above_the_entropy("none").tolist() == [0.5, 1.5, 2.5, 4.5, 4.5]
    middle, line = made_up.lines()["learned"]
    assert middle == [1.5, 3.5, 5.5, 7.5] and line.tolist() == [0.5, 1.5, 2.5, 4.5]
    assert made_up.marks()["x"] == {1.5: "4–8", 3.5: "13–16", 5.5: "17–20", 7.5: "21–24"}
    assert made_up.loss_rows() == [("25–32", "3", "4.50\xa0±\xa00.00", "4.50\xa0±\xa00.00")]
    assert made_up.worst_and_best("21–24") == (5.5, 3.5)
    assert made_up.beyond == 3
    numbers = made_up.numbers()
    assert made_up.change_by_cutting()[made_up.beyond :].max() == 0.5  # not the 8 of the first group
    assert numbers["n_pairs"] == 100
    assert numbers["none_first"] == "1.00\xa0±\xa01.41" and numbers["n_others"] == 2
    assert "training ends at 6 tokens. None: 0.500 at 4–8, 1.500 at 13–16" in made_up.lines_told()


def test_each_column_of_the_table_is_under_its_kind_and_rotary_comes_first(runs):
    assert runs.header()[:3] == ["tokens", "clauses", "rotary"]
    assert [row[0] for row in runs.rows() + runs.loss_rows()] == runs.groups
    groups = [(name, *limits) for name, limits in runs.setting["groups"].items()][: runs.few_clauses]
    for (name, *_, clauses), row in zip(groups, runs.rows(), strict=True):
        told = dict(zip(runs.header(), row, strict=True))
        assert told["tokens"] == name and told["clauses"] == str(clauses)
        for kind in runs.kinds:
            assert told[kind] == f"{runs.right(kind, name):.0%}"


def test_from_three_clauses_on_nobody_translates_a_single_sentence(runs):
    assert [clauses for *_, clauses in runs.setting["groups"].values()][5:] == [3, 4]
    for kind in runs.kinds:
        assert runs.of(f"{kind}_right")[:, 5:].max() == 0


def test_at_25_to_32_tokens_the_model_without_positions_has_the_lowest_loss_and_rotary_the_widest_spread(runs):
    losses = {kind: runs.excess(kind, "25–32") for kind in runs.kinds}
    assert min(losses, key=lambda kind: losses[kind].value) == "none"
    assert max(losses, key=lambda kind: losses[kind].spread) == "rotary"
    assert max(losses, key=lambda kind: losses[kind].value) == "rotary"  # the figure's caption
    for near in ("17–20", "21–24"):
        assert min(runs.kinds, key=lambda kind: runs.excess(kind, near).value) == "rotary"
    rotary = sorted((runs.of("rotary_loss") - runs.of("floor"))[:, runs.groups.index("25–32")])
    assert rotary[-1] - rotary[-2] > 2 * (rotary[-2] - rotary[0])  # one seed is far above the others
    assert np.mean(rotary[:-1]) > max(losses[kind].value for kind in runs.kinds if kind != "rotary")  # and without it
    for group in ("25–32", "33–40"):  # in each run, and not in the mean alone
        none, others = runs.worst_and_best(group)
        assert none < others
    assert max(runs.kinds, key=lambda kind: runs.excess(kind, "33–40").value) == "learned"
    for kind in runs.kinds:  # the text quotes what the figure draws
        assert runs.excess(kind, "21–24").value == pytest.approx(runs.lines()[kind][1][runs.groups.index("21–24")])


def test_up_to_two_clauses_the_model_without_positions_is_last_in_every_row(runs):
    for group in runs.groups[: runs.few_clauses]:
        assert min(runs.kinds, key=lambda kind, group=group: runs.right(kind, group).value) == "none"


def test_inside_the_training_length_only_the_model_without_positions_falls_behind(runs):
    inside = {kind: runs.right(kind, "13–16").value for kind in runs.kinds}
    assert inside.pop("none") < 0.5 and min(inside.values()) > 0.9
    assert runs.right("none", "4–8").value > 0.9


def test_a_little_beyond_rotary_is_ahead_of_sines_and_sines_of_a_table(runs):
    for group in ("17–20", "21–24"):
        rotary, sinusoidal, learned = (runs.right(kind, group).value for kind in ("rotary", "sinusoidal", "learned"))
        assert rotary > sinusoidal > learned, group


def test_the_first_target_token_is_harder_where_only_distances_are_seen(runs):
    first = {kind: runs.first_token(kind).value for kind in runs.kinds}
    assert max(first["sinusoidal"], first["learned"]) < min(first["rotary"], first["none"])


def test_untrained_rows_are_as_good_as_no_position(runs):
    assert runs.groups[runs.beyond] == "17–20"
    assert np.all(runs.change_by_cutting()[runs.beyond :] < 0.1)


@pytest.mark.parametrize(
    ("text", "shortest", "longest", "clauses"),
    [
        ("She likes the horse, but I live in the city.", 4, 16, 2),
        ("The woman does not like big cakes, but the men buy a small coat every day.", 17, 24, 2),
        (
            "The boys do not like cows, and I do not eat bread at night, and you look for the horse every day.",
            25,
            32,
            3,
        ),
    ],
)
def test_the_pages_examples_belong_to_their_groups(text, shortest, longest, clauses):
    pair = pair_for(text)
    assert shortest <= max(len(pair.source_words), len(pair.target_words)) + 1 <= longest
    assert text.count(",") + 1 == clauses


@pytest.mark.parametrize("length", [25, 32])
def test_most_distances_in_a_sentence_of_three_clauses_are_known_from_training(runs, length):
    known = sum(length - distance for distance in range(1, runs.setting["longest"]))
    assert known / (length * (length - 1) / 2) > 0.7
