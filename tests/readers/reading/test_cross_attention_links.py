"""What *Reading cross-attention* says of the little language, from a made-up result and from the one on record."""

import copy

import numpy as np
import pytest

from attention_book.analysis.seed_statistics import over_seeds
from attention_book.little_language.word_kinds import KINDS
from attention_book.readers.reading import cross_attention_links
from attention_book.readers.reading.cross_attention_links import CrossAttentionLinks


def described(rate, validation=None, right=0.5):
    one = {"precision": 1 - rate, "recall": 1 - rate, "test": rate, "right": [right] * len(KINDS)}
    return one | {"validation": rate if validation is None else validation}


def seed(shift):
    """Two layers of two heads; head (1, 0) is best on validation, (0, 1) on the test, (1, 1) costs most."""
    heads = [[described(0.8), described(0.2, 0.35)], [described(0.3 + shift, 0.3, 0.9), described(0.4)]]
    late = [[described(0.9)] * 2, [described(0.95), described(0.35)]]
    cost = [[[0.0] * len(KINDS) + [0.1], [0.0] * len(KINDS) + [0.2]]]
    cost.append([[*range(len(KINDS)), 0.3 + shift], [0.5] * len(KINDS) + [0.9]])
    weights = np.full((2, 2, 9, 9), 0.05)
    for row, column in enumerate((0, 0, 2, 1, 6, 4, 6, 8, 7)):  # le, gusta and rojo go wrong; the last to </s> is none
        weights[..., row, column] = 0.6
    return {
        "loss": 0.5, "floor": 0.4, "right": 0.9, "recurrent_right": 0.6, "kinds": [10] * len(KINDS),
        "heads": {"to come": heads, "just read": late},
        "layer_means": {name: [described(0.5), described(0.25)] for name in ("to come", "just read")},
        "mean": {"to come": described(0.1 + shift), "just read": described(0.9)},
        "recurrent": {"to come": described(0.31), "just read": described(0.9)},
        "ibm1": described(0.15), "diagonal": described(0.6), "one_link": described(0.05),
        "profile": {name: [[0.9, 0.3], [0.1, 0.2]] for name in ("entropy", "offset", "last")},
        "removed": cost, "silenced": [[0.4] * 10, [1.5] * 10], "picked": {"1": [0.1, 0.5], "9": [0.3, 0.31]},
        "example": weights.tolist(),
    }  # fmt: skip


@pytest.fixture
def made_up():
    setting = {
        "training": {"tokens": 7}, "validation": 3, "examined": 8, "picked_from": [1, 9], "target": "es",
        "example": ["Maria does not like the red car.", "A María no le gusta el coche rojo."],
    }  # fmt: skip
    return CrossAttentionLinks({"configuration": setting, "seeds": {"4": seed(0.0), "5": seed(0.02)}})


def test_the_head_is_chosen_on_validation_and_measured_on_the_test(made_up):
    assert made_up.chosen == [(1, 0), (1, 0)] and made_up.dearest == [(1, 1), (1, 1)]
    assert made_up.aligner("chosen", "test").tolist() == pytest.approx([0.3, 0.32])
    assert made_up.aligner("worst", "test").tolist() == [0.8, 0.8]
    rows = {row[0]: row[1:] for row in made_up.aligner_rows()}
    for name, rate in made_up.error_rows(["diagonal", "ibm1"]):
        assert rows[name][2].startswith(rate) and len(rate) == 4
    assert rows["IBM Model 1"][-1] == rows["best with one link per word"][-1] == ""
    assert rows["the head chosen on validation"][-1].startswith("0.95")
    told = made_up.aligner_numbers()
    assert (told["n_heads"], told["n_all"]) == (4, 8)
    assert told["worse_heads"] == 2
    assert made_up.aligner("mean", "test").mean() == pytest.approx(0.11)
    assert told["says_right"] == pytest.approx(90)
    assert made_up.aligner("recurrent", "test").mean() == pytest.approx(0.31)
    assert told["gap_ibm"].startswith("+0.16")
    told = made_up.picked_numbers()
    assert (told["one_promised"], told["one_kept"]) == (0.1, 0.5)


def test_costs_and_their_ranks(made_up):
    told = made_up.cost_numbers()
    assert told["silenced_last"] == 1.5
    # qualities 0.2, 0.8, 0.7, 0.6 and costs 0.1, 0.2, 0.3, 0.9: ranks 1 4 3 2 and 1 2 3 4, so 1 − 6·8/60
    assert told["ranks"].startswith("+0.20") and told["first_ranks"] == pytest.approx(0.2)
    assert made_up.within_layers(1 - made_up.heads("test"), made_up.cost).tolist() == [0, 0]
    assert told["first_best"] == "0.1" and told["first_dearest"] == "1.1"
    assert told["places"].startswith("3")  # the better aligner's cost is 0.2 of 0.1, 0.2, 0.3, 0.9
    assert made_up.head_rows()[3] == ("1.1", "0.40", "0.900")


def test_kinds_and_the_sentence_by_hand(made_up):
    told = made_up.kind_numbers()
    assert told["breaks_first"] == KINDS[-1] and told["noun_right"] == 90
    assert made_up.kind_rows()[1] == ("adjective (10)", "90", "50", "50")
    assert made_up.kind_rows(["adjective"]) == made_up.kind_rows()[1:2]
    assert told["noun_misses"] == KINDS.index("noun")
    costs = made_up.cost_numbers()
    assert [row[-1] for row in made_up.rank_rows()] == [costs["ranks"], costs["ranks_within"], told["ranks_by_kind"]]
    # layer 0 links all kinds equally well and is left out; in layer 1 all but nouns miss the better head more
    assert made_up.ranks_by_kind().tolist() == [[-1.0] + [1.0] * (len(KINDS) - 1)] * 2
    assert made_up.missed_rows()[0][0] != "noun" and made_up.missed_rows()[-1][0] == "noun"
    assert (told["clitic_linked"], told["clitic_other"], told["clitic_by_lot"]) == (2, 0, 4)
    assert told["clitic_linked_rise"] == KINDS.index("clitic")
    assert told["clitic_linked_sum"] == told["clitic_sum"] == 2 * KINDS.index("clitic")
    right, rises = made_up.clitics()
    assert right[1].tolist() == [0.9, 0.5] and rises[1].tolist() == [4.0, 0.5]
    assert made_up.clitic_rows() == [("1.0", "90 %", "+4.000"), ("1.1", "50 %", "+0.500")] and told["clitic_first"] == 1
    told = made_up.hand_numbers()
    assert told["hand_wrong"] == "le with does; gusta with car" and told["hand_head"] == "head 0 of layer 1"
    assert (told["hand_links"], told["hand_right"], told["hand_gold"]) == (8, 6, 10)
    assert told["hand_aer"] == pytest.approx(1 - 12 / 18)
    assert sum(int(count) for _, count, *_ in made_up.vote_rows("gusta")) == made_up.n_seeds * 4
    assert made_up.looks_rows("le") == [(f"model {n}", "5", "60", "5", "5", "25") for n in (0, 1)]


def test_what_the_page_says_holds_on_record():
    found = cross_attention_links.read()
    links, costs = found.heads("test")[0].ravel().argsort(), found.cost[0].ravel().argsort()[::-1].tolist()
    assert (
        costs.index(links[0]) == 3 and links.tolist().index(costs[0]) == 4
    )  # the best aligner's cost, the dearest's rank
    assert 3.5 < found.cost[0].max() / found.cost[0].ravel()[links[0]] < 4 and set(links[-2:]) == set(costs[-2:])
    linked = found.by_seed("clitic") > 0.5
    best = found.clitics()[0].argmax(axis=1)
    assert [head for (_, head), most in zip(found.chosen, linked, strict=True) if most] == best[linked].tolist()
    others = [head for (_, head), most in zip(found.chosen, linked, strict=True) if not most]
    assert found.by_seed("clitic")[~linked].max() < 0.005 and all(others != best[~linked])  # diamonds of other heads
    aligners, cost, kinds = found.aligner_numbers(), found.cost_numbers(), found.kind_numbers()
    assert kinds["clitic_linked_sum"] == pytest.approx(kinds["clitic_linked"] * kinds["clitic_linked_rise"])
    assert kinds["clitic_sum"] / 2 < kinds["clitic_linked_sum"] < kinds["clitic_sum"]  # most of it, as the page says
    assert kinds["clitic_sum"] == pytest.approx(found.n_seeds * kinds["breaks_first_by"])
    assert found.n_seeds >= 3 and found.layer_gap().settled and found.layer_gap().value > 0
    assert found.gap("chosen", "ibm1").settled and aligners["gap_ibm"].startswith("+")
    assert 60 < aligners["says_right"] < 73  # two words in three
    assert found.aligner("worst", "test").min() > found.aligner("diagonal", "test").max()
    assert aligners["late_least"] > aligners["first_most"] == found.heads("test").max()
    assert not found.gap("chosen", "recurrent").settled
    worse = found.heads("test") > found.aligner("diagonal", "test")[:, None, None]
    assert worse[:, 0].sum() > 0.8 * worse.sum() and worse.sum() == aligners["worse_heads"] == 16
    assert {layer for layer, _ in found.chosen} == {1}  # in every model
    first, last = found.setting["picked_from"][0], found.setting["picked_from"][-1]
    picked = {size: np.mean([seed["picked"][str(size)] for seed in found.seeds], axis=0) for size in (first, last)}
    assert picked[first][1] - picked[first][0] > 0.1 and abs(picked[last][1] - picked[last][0]) < 0.01
    good = 1 - found.heads("test")
    assert over_seeds(found.rank_correlations(good, found.cost), "interval").settled and cost["ranks"].startswith("+")
    assert not over_seeds(found.within_layers(good, found.cost), "interval").settled
    rates, (layer, head) = found.heads("test")[0], found.dearest[0]
    assert layer == 0 and rates[layer, head] > rates[1].max()  # it links worse than any head of layer 1
    assert found.cost.max() == found.cost[0, layer, head]  # the mark at the top is the first model's
    assert cost["first_dearest"] == f"{layer}.{head}" and cost["first_best"].startswith("1.")
    assert cost["places"] == "4, 1, 5, 4, 4" and cost["places_down"] == 4
    same = sum(a == b for a, b in zip(found.chosen, found.dearest, strict=True))
    assert 0 < same < found.n_seeds / 2 and any(layer == 0 for layer, _ in found.dearest)
    assert cost["silenced_last"] > cost["silenced_first"] and found.cost[:, -1].mean() > found.cost[:, 0].mean()
    assert found.gap("chosen", "mean").value > 0 and found.gap("chosen", "mean").settled
    sharp = found.rank_correlations(good, -found.profile("entropy"))
    assert sharp.mean() > 0.5
    assert found.profile("entropy")[0].argmin() != found.heads("test")[0].argmin()
    by_kind = found.by_kind()
    of = {name: dict(zip(KINDS, values, strict=True)) for name, values in by_kind.items()}
    assert max(of["recurrent"]["clitic"], of["recurrent"]["verb of liking"]) < 0.15
    assert min(of["chosen"]["noun"], of["chosen"]["adjective"]) > 0.9 > 0.5 > of["chosen"]["verb of liking"]
    assert of["ibm1"]["verb of liking"] > 0.9 and of["chosen"]["clitic"] < 0.5
    few, rise = (each[0].argsort().argsort().tolist() for each in found.clitics())
    assert (few, rise) == ([3, 1, 0, 2], [3, 0, 1, 2]) and kinds["clitic_first"] == pytest.approx(0.8)
    assert kinds["breaks_first"] == "clitic" and kinds["breaks_first_by"] > 0.3
    assert round(kinds["clitic_nearest"]) == 27
    looks = [[int(cell) for cell in row[1:]] for row in found.looks_rows("le")]
    assert all((row[3] > 90) != one for row, one in zip(looks, linked, strict=True))  # at like: no clitic linked
    assert all(row[1] + row[2] > 80 for row, one in zip(looks, linked, strict=True) if one)
    assert (
        all(row[0] < 15 for row in looks)
        and found.by_seed("clitic", removed=True)[~linked].mean() > 3 * kinds["noun_misses"]
    )
    assert [row[1] for row in found.heap_rows()] == ["61 %", "0 %", "72 %", "0 %", "0 %", "27 %"]
    assert found.heap_rows()[-1][2] == f"+{kinds['breaks_first_by']:.2f}" and kinds["noun_least"] > 80
    assert 0 < found.rises[..., KINDS.index("verb of liking")].max() < 0.1 and found.rises.shape[:3] == (5, 2, 4)
    assert max(of["chosen removed"]["noun"], of["chosen removed"]["adjective"]) < 0.1
    assert found.hand_numbers()["hand_wrong"] == "le with not; gusta with red"
    votes = {name: int(count) for name, count, *_ in found.vote_rows("gusta")}
    assert all(int(n) == int(first) + int(last) for _, n, first, last in found.vote_rows("gusta"))
    numbers = found.vote_numbers()
    assert numbers["last_liked"] > numbers["n_each"] / 2 and numbers["last_translated"] <= 2  # the layers disagree
    assert numbers["first_translated"] > numbers["first_liked"]
    assert numbers["le_verb"] == 35 and found.votes("le")["Maria"] == 2
    assert min(found.votes("coche")["car"], found.votes("rojo")["red"]) >= 35
    assert sum(votes.values()) == 40 and next(iter(votes)) == "car"
    assert set(votes) == {"car", "red", "like", "does", "the", ".", "</s>"}
    assert 2 * (votes["like"] + votes["does"]) <= votes["car"] + votes["red"] < 3 * (votes["like"] + votes["does"])


def dearer(seed):
    seed["removed"][0] = [[*row[:-1], 9.0] for row in seed["removed"][0]]


def sharp_and_bad(seed):
    seed["profile"]["entropy"] = [[head["test"] * -1 for head in layer] for layer in seed["heads"]["to come"]]


def cheap_verbs(seed):
    for layer in seed["removed"]:
        for row in layer:
            row[KINDS.index("verb")] = -1.0


def always_liked(seed):
    for layer in seed["heads"]["to come"]:
        for head in layer:
            head["right"][KINDS.index("verb of liking")] = 0.95


def half_linked_clitics(seed):
    for layer in seed["heads"]["to come"]:
        for head in layer:
            head["right"][KINDS.index("clitic")] = 0.3


def dear_for_clitics(seed):
    heads, n = seed["heads"]["to come"][-1], KINDS.index("clitic")
    chosen = min(range(len(heads)), key=lambda head: heads[head]["validation"])
    best = max(range(len(heads)), key=lambda head: heads[head]["right"][n])
    another = next(head for head in range(len(heads)) if head not in (chosen, best))
    seed["removed"][-1][another][n] = 9.0


def one_head_for_both(seed):
    for head in seed["heads"]["to come"][-1]:
        head["right"][KINDS.index("verb")] = head["right"][KINDS.index("clitic")]


def no_word_misses_its_best(seed):
    for rows, heads in zip(seed["removed"], seed["heads"]["to come"], strict=True):
        for row, head in zip(rows, heads, strict=True):
            for n, kind in enumerate(KINDS):
                if kind not in ("clitic", "verb"):
                    row[n] = -head["right"][n]


def missed_articles(seed):
    for rows, heads in zip(seed["removed"], seed["heads"]["to come"], strict=True):
        for row, head in zip(rows, heads, strict=True):
            row[KINDS.index("article")] = head["right"][KINDS.index("article")] / 10


def linked_in_the_first_layer(seed):
    n = KINDS.index("clitic")
    heads, rises = seed["heads"]["to come"][0], [row[n] for row in seed["removed"][0]]
    missed = max(range(len(heads)), key=lambda head: rises[head])
    heads[missed]["right"][n] = heads[missed]["right"][n] or 0.004


def cheap_first_layer(seed):
    for row in seed["removed"][0]:
        row[KINDS.index("clitic")] /= 10


def costs_by_links(seed):
    for rows, heads in zip(seed["removed"], seed["heads"]["to come"], strict=True):
        for row, head in zip(rows, heads, strict=True):
            row[-1] = 1 - head["test"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (dearer, "median cost"),
        (sharp_and_bad, "sharpness"),
        (costs_by_links, "holds 0"),
        (always_liked, "another never"),
        (cheap_verbs, "verbs' loss rises more"),
        (half_linked_clitics, "or none of them"),
        (dear_for_clitics, "clitics miss most"),
        (one_head_for_both, "another the clitics"),
        (no_word_misses_its_best, "go with the rise"),
        (missed_articles, "and the others"),
        (cheap_first_layer, "miss most such a head"),
        (linked_in_the_first_layer, "miss most"),
    ],
)
def test_a_record_whose_seeds_agree_otherwise_is_refused(change, message):
    found = cross_attention_links.read()
    turned = copy.deepcopy(dict(found.result))
    for seed in turned["seeds"].values():
        change(seed)
    with pytest.raises(AssertionError, match=message):
        CrossAttentionLinks(turned).check()


def test_the_text_says_rightly_that_the_seeds_do_not_tell_the_mean_of_the_heads_from_the_recurrent_model():
    found = cross_attention_links.read()
    assert not found.gap("mean", "recurrent").settled
    assert found.gap("mean", "chosen").settled and found.gap("mean", "chosen").value < 0
