"""What *Links in real sentences* says of the thirty sentences, from a made-up result and from the one on record."""

import numpy as np
import pytest

from attention_book.counting.hand_linked import linked_pairs
from attention_book.experiments.reading.links_by_hand import forced_words
from attention_book.readers.reading import links_by_hand
from attention_book.readers.reading.links_by_hand import LinksByHand
from attention_book.translation.translator import Translator


def sentences(right, wrong, n=6):
    return [[right + wrong, right, right, 10]] * n


@pytest.fixture
def made_up():
    heads = {"to come": [[sentences(2, 8), sentences(9, 1)], [sentences(6, 4), sentences(5, 5)]]}
    heads["just read"] = [[sentences(1, 9), sentences(7, 3)], [sentences(7, 3), sentences(0, 9)]]
    mean = {"to come": sentences(8, 2), "just read": sentences(1, 9)}
    found = {
        "sure": 60, "possible": 5, "words": 60,
        "translator": {"heads": heads, "mean": mean},
        "recurrent": {"heads": heads, "mean": {"to come": sentences(5, 5), "just read": sentences(3, 7)}},
        "ibm1": [*sentences(7, 3, 3), *sentences(9, 1, 3)],
        "diagonal": sentences(4, 6), "first_gold": sentences(10, 0),
        "picked": {"1": [0.1, 0.3], "3": [0.2, 0.25]},
    }  # fmt: skip
    return LinksByHand({"configuration": {"picked_from": [1, 3]}, "seeds": {"0": found}})


def test_made_up_counts_are_read_by_hand(made_up):
    assert made_up.rates == pytest.approx(np.array([[0.8, 0.1], [0.4, 0.5]]))
    assert (made_up.best, made_up.worst) == ((0, 1), (0, 0))
    told = made_up.numbers()
    assert (told["real_best"], told["real_late_better"]) == ("head 1 of layer 0", 1)
    assert told["half_kept"] == 0.25
    assert made_up.gap("recurrent", "mean") == pytest.approx((0.3, 0.3, 0.3))
    rows = {row[0]: row[1:] for row in made_up.rows()}
    assert rows["recurrent translator"] == ("0.50", "0.50", "0.50", "0.50 to 0.50", "0.70")
    assert rows["IBM Model 1"][:3] == ("0.80", "0.80", "0.20") and rows["IBM Model 1"][-1] == ""
    shown = made_up.error_rows(["worst", "recurrent"])
    assert shown[0][0] == "Transformer, its worst head, 0.0" and shown[1][1:] == ("0.50", "0.50 to 0.50")


def test_the_interval_is_that_of_sentences_drawn_anew(made_up):
    # three sentences of 0.3 and three of 0.1: the mean of six draws has the standard deviation 0.1 / √6
    low, high = made_up.interval("ibm1")
    assert low == pytest.approx(0.2 - 1.96 * 0.1 / 6**0.5, abs=0.03) and low + high == pytest.approx(0.4, abs=0.03)


def test_another_head_may_beat_the_best_one_on_a_sentence(made_up):
    assert made_up.beaten() == 0 and made_up.perfect() == (0, 0)
    heads = made_up.found["translator"]["heads"]["to come"]
    heads[0][0][2] = [10, 10, 10, 10]  # one sentence without an error, of the worst head
    heads[0][1][4] = heads[1][0][4] = [10, 10, 10, 10]
    found = LinksByHand(made_up.result)
    assert found.best == (0, 1) and found.beaten() == 1 and found.perfect() == (2, 1)
    told = found.choice_numbers()
    assert told["shown_rate"] == pytest.approx(4 * 0.1 / 6) and told["steady_rate"] == pytest.approx(5 * 0.1 / 6)


def test_the_best_head_is_beaten_on_two_sentences_of_three():
    told = links_by_hand.read().choice_numbers()
    assert (told["beaten"], told["perfect_some"], told["perfect_other"]) == (20, 7, 3)
    assert told["shown_rate"] < 0.1 < 0.15 < told["steady_rate"]


def test_what_the_page_says_holds_on_record():
    found = links_by_hand.read()
    told = found.numbers()
    assert found.rates.shape[0] > 1 and told["hand_sentences"] == 30
    assert told["real_late_better"] == 0
    assert found.rate("ibm1") < found.rate("mean") < found.rate("recurrent") < found.rate("diagonal")
    assert all(found.gap(*pair)[2] < 0 for pair in (("ibm1", "mean"), ("mean", "recurrent")))
    assert (
        0 <= told["rate_best"] - told["rate_mean"] < 0.02 and f"{found.rate('mean'):.2f}" == f"{found.rate('best'):.2f}"
    )
    assert [int(rank) for rank in found.rates.ravel().argsort().argsort()[[5, 10]]] == [0, 3], "2.2 is the fourth"
    assert found.rate("mean") <= found.rate("best") and abs(told["half_kept"] - told["half_promised"]) < 0.02
    assert told["best_higher_low"].startswith("−") and told["best_higher_high"].startswith("+")
    assert found.rate("worst") > found.rate("diagonal") and found.rate("mean") < np.median(found.rates)
    promised, kept = found.found["picked"]["1"]
    assert promised < kept - 0.1 and 2.5 < kept / promised < 3
    assert found.picked_numbers() == {"real_one_promised": promised, "real_one_kept": kept}
    place, sentence = found.lucky()
    links, in_sure, in_possible, sure = found.heads()[place][sentence]
    assert links == sure == in_sure == in_possible and place != found.best  # every word, and rightly
    best = found.heads()[found.best][sentence]
    assert best[1] + best[2] < best[0] + best[3]  # the best head errs on this sentence
    lucky = found.lucky_numbers()
    assert lucky["lucky_head"] == "head 2 of layer 1" and lucky["lucky_sentence"].startswith("Nobody")
    assert lucky["lucky_all"] > 1.4 * lucky["lucky_best"]


def test_the_lucky_head_links_one_sentence_and_fails_at_another():
    found, pairs, translator = links_by_hand.read(), linked_pairs(), Translator.from_pretrained("en-es")
    (place, lucky), worst = found.lucky(), found.lucky_worst()
    rows = {n: found.lucky_rows(pairs[n], forced_words(translator, pairs[n])["to come"]) for n in (lucky, worst)}
    wrong = {n: [[cell for cell in column if cell[0] == "("] for column in zip(*rows[n], strict=True)] for n in rows}
    assert wrong[lucky] == [[], [], ["(teacher)"]] and rows[lucky][6] == ("nueva", "new", "(teacher)")
    assert pairs[worst].source.startswith("She lent me") and [len(each) for each in wrong[worst]] == [0, 4, 2]
    links, _, in_possible, _ = found.heads()[place][worst]
    assert len(rows[worst]) == 6 and (links, in_possible) == (5, 2)  # "</s>" is no link
