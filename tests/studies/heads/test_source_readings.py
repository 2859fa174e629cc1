"""Keys and values beside the memory, and what one word of the source changes."""

import torch

from attention_book.studies.heads import source_readings
from attention_book.translation.translator import Translator


def test_keys_and_values_are_far_from_the_memory_in_every_layer(translator):
    distances = source_readings.memory_distances(translator, "I like cats.")
    told = source_readings.distance_numbers(translator, "I like cats.")
    assert told["smallest"] == min(distance for row in distances for distance in row[:2]) > 0.1
    assert told["n_made"] == told["n_different"] == 6  # keys and values of three layers
    assert distances[0][2] == 0 and all(row[2] > 0.1 for row in distances[1:])


def test_readings_that_equal_the_memory_or_one_another_are_not_counted():
    translator = Translator.from_pretrained("en-es")
    first, second, _ = (layer.cross_attention for layer in translator.model.decoder.layers)
    with torch.no_grad():
        first.w_k.weight.copy_(torch.eye(len(first.w_k.weight)))  # its keys are the memory
        first.w_k.bias.zero_()
        second.w_v.load_state_dict(first.w_v.state_dict())
    told = source_readings.distance_numbers(translator, "I like cats.")
    assert (told["n_made"], told["n_different"]) == (6, 4) and told["smallest"] < 1e-6


def test_chances_by_hand():
    chances = {"a": [0.9, 0.01], "b": [0.02, 0.8]}
    assert source_readings.chance_rows(chances)[1] == ("b", "0.0200", "0.8000")
    assert source_readings.chance_numbers(chances) == {"least_right": 0.8, "most_wrong": 0.02}
    close = {"a": [0.9664, 0.00012], "b": [0.0, 0.9999]}  # rounded to the nearest, neither would be a bound
    assert source_readings.chance_numbers(close) == {"least_right": 0.96, "most_wrong": 0.0002}


def test_each_source_gets_its_own_noun(translator):
    told = source_readings.chance_numbers(source_readings.noun_chances(translator))
    assert told["least_right"] > 0.5 > 0.05 > told["most_wrong"]
