"""What *One change at a time* says of the small models holds in the result on record."""

import pytest

from attention_book.analysis.seed_statistics import difference, over_seeds
from attention_book.experiments.records import recorded
from attention_book.readers.verdict import recipe_in_parts as reader
from attention_book.readers.verdict.recipe_in_parts import RecipeInParts


def arm(*bleu, loss=3.0):
    models = [{"bleu": one, "chrf": 30.0, "loss": loss, "seen_loss": 1.0} for one in bleu]
    return {"tokens": 1000, "steps": 10, "models": models}


PUPIL = recorded("en-es-taught")


def half(deviation):
    """Half of the 95 % interval of a mean over three models: Student's quantile for two degrees of freedom."""
    return 4.302653 * deviation / 3**0.5


@pytest.fixture
def made_up():
    """Three models per arm, with means that a pencil finds."""
    arms = {
        "old": arm(9.0, 10.0, 11.0),
        "longer": arm(12.0, 12.0, 12.0),
        "dropped": arm(10.0, 12.0, 11.0, loss=2.5),
        "cut": arm(7.0, 8.0, 9.0),
        "teachers": arm(13.0, 13.0, 13.0) | {"together": {"loss": 2.0, "seen_loss": 1.0}},
        "all": arm(12.0, 12.5, 13.0),
        "untaught": arm(11.0, 11.0, 11.0),
        "agreeing": arm(14.0, 15.0, 16.0),
        "taught": arm(13.0, 14.0, 15.0),
        "both": arm(15.0, 16.0, 17.0),
    }
    found = {"tokens": 30_000, "pairs": 500, "examined": 70, "a_pass": 50_000, "parameters": 1_250_000, "arms": arms}
    setting = {"models": 3, "seen": 40, "vocabulary": 2000, "training": {"tokens": 600_000}}
    old = {"epochs": 18.5, "pairs": {"train": 100_000}}
    return RecipeInParts({"configuration": setting, "seeds": {"1": found}}, old)


def test_a_made_up_result_is_read_by_hand(made_up):
    assert made_up.mean("dropped") == 11 and made_up.mean("dropped", "loss") == 2.5
    rows = made_up.loss_rows()
    assert [row[0] for row in rows] == [reader.ARMS[arm] for arm in reader.ARMS]
    assert rows[0] == ("first recipe", "1.00", "3.00", "10.0") and rows[2] == ("more dropout", "1.00", "2.50", "11.0")
    assert {len(row) for row in rows} == {len(reader.LOSS_HEADER)}


def test_the_two_orders_are_read_by_hand(made_up):
    assert made_up.square(reader.LONGER) == {"neither": 10.0, "tokens": 12.0, "dropout": 11.0, "both": 13.0}
    assert made_up.square(reader.PUPILS) == {"neither": 11.0, "R-Drop": 15.0, "the lesson": 14.0, "both": 16.0}
    rows = made_up.order_rows()
    assert {len(row) for row in rows} == {len(reader.ORDER_HEADER)}
    starts = [[cell.split("\N{NO-BREAK SPACE}")[0] for cell in row] for row in rows]
    assert starts == [["R-Drop", "+4.0", "+2.0", "+3.0"], ["the lesson", "+3.0", "+1.0", "+2.0"]]
    assert rows[0][1].endswith(f"±\N{NO-BREAK SPACE}{half(1):.1f}") and rows[0][2].endswith("0.0")


def test_the_dots_are_the_models_and_are_told(made_up):
    dots = made_up.dots()
    assert list(dots) == ["first recipe", "twice the tokens", "more dropout", "subword dropout"]
    assert dots["subword dropout"].tolist() == [7.0, 8.0, 9.0]
    assert "first recipe: 9.0, 10.0, 11.0; " in made_up.dots_told()


def test_the_numbers_of_a_made_up_result(made_up):
    numbers = made_up.numbers()
    assert numbers["small_passes"] == 12 and numbers["old_passes"] == 18.5
    assert numbers["both_gain"] == 5 and numbers["untaught_loss"] == 3
    assert (numbers["longer_loss"], numbers["longer_seen"], numbers["teachers_loss"]) == (3, 1, 3)
    assert (numbers["untaught"], numbers["teachers"], numbers["seen"]) == (11, 13, 40)
    assert [
        numbers[name].split("\N{NO-BREAK SPACE}")
        for name in ("dropped_first", "dropped_last", "dropped_more", "cut_last", "lesson_less")
    ] == [
        ["+1.0", "±", f"{half(1):.1f}"],
        ["+1.0", "±", "0.0"],
        ["0.0", "±", f"{half(1):.1f}"],
        ["0.5", "±", f"{half(0.5):.1f}"],
        ["2.0", "±", f"{half(1):.1f}"],
    ]
    assert (numbers["lesson_first"], numbers["lesson_last"], numbers["promised"]) == (3, 1, 7)
    assert numbers["times_pairs"] == 200
    assert numbers["small_parameters"] == 1.25 and numbers["tokens"] == 0.6
    assert (numbers["pairs"], numbers["all_pairs"], numbers["models"], numbers["test_sentences"]) == (
        500,
        100_000,
        3,
        70,
    )


def test_the_gains_of_a_made_up_result(made_up):
    numbers = made_up.numbers()
    wanted = {
        "longer_gain": (2.0, half(1)),
        "cut_cost": (2.0, 0.0),
        "tokens_last": (2.0, half(1)),
        "cut_last": (0.5, half(0.5)),
    }
    for name, (value, spread) in wanted.items():
        assert numbers[name] == f"{value:.1f}\N{NO-BREAK SPACE}±\N{NO-BREAK SPACE}{spread:.1f}", name
    assert (
        numbers["lesson_loss_first"] == numbers["lesson_loss_last"] == "0.00\N{NO-BREAK SPACE}±\N{NO-BREAK SPACE}0.00"
    )


def test_what_the_page_says_of_the_changes_holds(runs):
    gains = {arm: runs.of_models(arm) - runs.of_models("old") for arm in ("longer", "dropped", "cut")}
    assert gains["longer"].mean() > 1 and gains["longer"].min() > gains["dropped"].max() > gains["cut"].max()
    first, last = runs.in_order(reader.DROPOUT)
    assert not over_seeds(first, "interval").settled and first.mean() < 0
    assert not over_seeds(last, "interval").settled and last.mean() > 0.5
    assert runs.gain("teachers", "dropped").value > runs.gain("longer", "old").value + 1
    assert difference(last, first).settled
    assert difference(runs.of_models("teachers"), runs.of_models("all")).settled


def test_what_the_page_says_of_the_losses_holds(runs):
    new = {arm: runs.mean(arm, "loss") for arm in (*reader.ARMS, "teachers", "all")}
    known = {arm: runs.mean(arm, "seen_loss") for arm in reader.ARMS}
    assert new["longer"] > new["old"] and known["longer"] < known["old"] < 0.3 * new["old"]
    assert new["dropped"] - known["dropped"] < new["old"] - known["old"]
    assert new["teachers"] < min(new[arm] for arm in ("old", "longer", "dropped"))
    assert new["all"] < new["teachers"] and new["cut"] < new["old"]


def test_what_the_page_says_of_the_pupils_holds(runs):
    first, last = runs.in_order(reader.LESSON)
    less = difference(first, last)
    assert less.settled and less.spread > 0.8 * less.value  # its interval barely excludes 0
    assert 0.27 < last.mean() / first.mean() < 0.4  # about a third
    assert 0 < runs.mean("teachers") - runs.mean("untaught") < 0.3
    assert runs.mean("untaught", "loss") - runs.mean("teachers", "loss") > 0.2
    by_loss = runs.gain("untaught", "taught", "loss"), runs.gain("agreeing", "both", "loss")
    assert by_loss[0].value - by_loss[0].spread > by_loss[1].value + by_loss[1].spread > 0
    numbers = runs.numbers()
    assert numbers["promised"] > 1.4 * numbers["both_gain"]


def test_the_shares_are_those_that_the_page_names(runs):
    arms, pupils = runs.setting["arms"], runs.setting["pupils"]
    assert runs.setting["models"] == 3 and len(arms) == 6
    assert runs.setting["model"]["dropout"] == 0.1 and arms["dropped"] == {"dropout": 0.2, "attention_dropout": 0.1}
    assert (
        arms["cut"] == {"subword_dropout": 0.1} and arms["longer"]["tokens"] == 2 * runs.setting["training"]["tokens"]
    )
    assert pupils["both"]["taught"] == PUPIL["settings"]["taught"] == 0.7
    assert pupils["both"]["agreement"] == PUPIL["settings"]["agreement"] == 2.0
    assert {pupil["tokens"] for pupil in pupils.values()} == {arms["teachers"]["tokens"]}
    assert {pupil["attention_dropout"] for pupil in pupils.values()} == {0.1}
