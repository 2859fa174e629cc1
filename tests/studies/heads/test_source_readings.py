"""Keys and values beside the memory, and what the layers that read another source change."""

import pytest
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


def test_another_memory_in_all_layers_is_that_of_another_source_and_the_model_is_as_before_behind_it(translator):
    before = source_readings.exchanged(translator, "gatos", "perros", [])
    all_read = source_readings.exchanged(translator, "gatos", "perros", [0, 1, 2])
    assert all_read[::-1] == pytest.approx(source_readings.exchanged(translator, "perros", "gatos", []), abs=1e-6)
    assert source_readings.exchanged(translator, "gatos", "perros", []) == before


def test_only_the_named_layers_read_another_memory(translator):
    """As if the whole attention of that layer had been handed the other memory."""
    model, subwords = translator.model, translator.subwords
    sources = [torch.tensor([[*subwords.encode(f"I like {noun}."), subwords.eos_id]]) for noun in ("cats", "dogs")]
    tgt = torch.tensor([[subwords.bos_id, *subwords.encode("Me gustan los")]])
    wanted = [subwords.encode(f"Me gustan los {noun}")[-1] for noun in ("gatos", "perros")]
    with torch.no_grad():
        cats, dogs = (model.encode(src) for src in sources)
        layer = model.decoder.layers[1]
        hook = layer.cross_attention.register_forward_pre_hook(lambda module, args: (args[0], dogs.states))
        with hook:
            p = model.decode(tgt, cats)[0, -1].double().softmax(dim=-1)
    assert source_readings.exchanged(translator, "gatos", "perros", [1]) == pytest.approx(p[wanted].tolist(), abs=1e-6)


def test_two_layers_of_three_nearly_always_decide_and_one_nearly_never(translator):
    told = source_readings.exchange_numbers(translator)
    assert told["exchanges"] == 18 and told["one_won"] < 4 and told["two_won"] > 14
    rows = source_readings.exchange_rows(translator)
    assert [row[0] for row in rows] == ["none", "0", "1", "2", "0 and 1", "0 and 2", "1 and 2", "all"]
    assert (f"{told['layer_2_own']:.3f}", f"{told['layer_2_other']:.3f}") == rows[3][1:]
    won = {name: float(perros) > float(gatos) for name, gatos, perros in rows}
    assert {name for name, other in won.items() if other} == {"2", "0 and 1", "0 and 2", "1 and 2", "all"}
