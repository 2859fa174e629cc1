"""The row of *it* in every head: by hand, and what the page says of it."""

from attention_book.studies.heads import pronoun_rows


def test_rows_and_counts_by_hand():
    it = {"even_share": 0.25, "chicken": [0.5, 0.1, 0.3], "road": [0.2, 0.4, 0.6], "most": ["▁chicken", "▁road", "."]}
    assert pronoun_rows.places(it, n_heads=2) == ["layer 0, head 0", "layer 0, head 1", "layer 1, head 0"]
    assert pronoun_rows.told(it, n_heads=2).endswith(
        " layer 0, head 0: 0.500 on chicken, 0.200 on road, most on chicken; "
        "layer 0, head 1: 0.100 on chicken, 0.400 on road, most on road; "
        "layer 1, head 0: 0.300 on chicken, 0.600 on road, most on .."
    )
    told = pronoun_rows.numbers(it)
    assert (told["ahead"], told["on_chicken"], told["on_road"], told["even_it"]) == (1, 1, 1, 0.25)
    assert abs(told["chicken_mean"] - 0.3) < 1e-12 and abs(told["road_mean"] - 0.4) < 1e-12


def test_read_as_an_answer_the_weights_say_the_road():
    told = pronoun_rows.numbers(pronoun_rows.chicken_and_road())
    assert told["road_mean"] > told["chicken_mean"] and told["on_road"] >= told["on_chicken"]


def test_where_a_head_gives_one_of_the_two_a_large_weight_it_is_the_road():
    it = pronoun_rows.chicken_and_road()
    large = [pair for pair in zip(it["chicken"], it["road"], strict=True) if max(pair) > 0.2]
    assert len(large) > 1 and all(road > chicken for chicken, road in large)
