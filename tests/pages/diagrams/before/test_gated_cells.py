"""The figure of the cells with gates: its flows are those of the equations, and every part stands where they say."""

import pytest
import torch

from attention_book.models.cells import gru_step, lstm_step
from attention_book.pages.diagrams.before.gated_cells import BENT, GATE, GRU, LSTM, Flow, cells_told, gated_cells
from attention_book.pages.figures.plotting import ROLES, figure_html

from ..legibility import smallest_type


@pytest.fixture(scope="module")
def axes():
    return gated_cells().axes[0]


def shapes(axes):
    drawn = [*axes.patches, *axes.lines, *axes.texts]
    return {shape.get_gid(): shape for shape in drawn if shape.get_gid()}


def test_every_part_of_both_cells_is_drawn_once_with_its_letters(axes):
    names = {f"{cell.title}-{name}" for cell in (GRU, LSTM) for name in cell.parts}
    assert set(shapes(axes)) == names | {"legend-gate"}
    labels = [text.get_text() for text in axes.texts]
    for cell in (GRU, LSTM):
        assert all(part.label in labels for part in cell.parts.values())


def test_gates_are_diamonds_in_the_colour_of_weights(axes):
    colour = tuple(int(ROLES["weight"].light[n : n + 2], 16) / 255 for n in (1, 3, 5))
    for cell, gates in ((GRU, 3), (LSTM, 3)):
        found = [shapes(axes)[f"{cell.title}-{name}"] for name, part in cell.parts.items() if part.kind == GATE]
        assert len(found) == gates
        assert all(gate.get_facecolor()[:3] == pytest.approx(colour) for gate in found)


def test_the_thick_lines_are_the_ways_on_which_the_cells_remember(axes):
    heads = [text.arrow_patch.get_linewidth() for text in axes.texts if getattr(text, "arrow_patch", None)]
    carried = [len(flow.parts) - 1 for cell in (GRU, LSTM) for flow in cell.flows if flow.carries]
    assert heads.count(max(heads)) == sum(carried) == 6


def between(cell, start, end):
    """The kinds of the parts on the flow that remembers."""
    (flow,) = [flow for flow in cell.flows if flow.carries]
    assert (flow.parts[0], flow.parts[-1]) == (start, end)
    return [cell.parts[name].kind for name in flow.parts[1:-1]]


def test_what_is_remembered_passes_one_gate_and_one_sum_as_in_the_code():
    """With the gate open and nothing new, what is remembered comes out as it went in: no tanh is on its way."""
    assert between(GRU, "old", "new") == between(LSTM, "old", "new") == [GATE, "sum"]
    state, x = torch.tensor([[3.0, -2.0]]), torch.zeros(1, 2)
    keep = torch.tensor([0.0, 0.0, 100.0, 100.0, 0.0, 0.0])  # z = 1
    assert gru_step(x, state, torch.zeros(6, 2), torch.zeros(6, 2), keep, 0 * keep).equal(state)
    gates = torch.tensor([-100.0, -100.0, 100.0, 100.0, 0.0, 0.0, 0.0, 0.0])  # i = 0, f = 1
    _, memory = lstm_step(x, 0 * state, state, torch.zeros(8, 2), torch.zeros(8, 2), gates, 0 * gates)
    torch.testing.assert_close(memory, state)


def test_the_reset_gate_stands_behind_the_matrix_as_in_the_code():
    flow = next(flow for flow in GRU.flows if "r" in flow.parts)
    assert flow.parts.index("matrix") < flow.parts.index("r") < flow.parts.index("n") and GRU.parts["n"].kind == BENT


def test_the_words_tell_each_flow_in_order():
    words = cells_told()
    assert "GRU: the old state flows through the gate z, then the sum to the new state (the thick line);" in words
    assert "the old memory flows through the gate f, then the sum to the new memory (the thick line);" in words
    assert "the sum flows through tanh, then the gate o to the new state." in words


def test_on_a_phone_the_type_is_nine_pixels_or_more_and_it_is_drawn_as_vectors():
    figure = gated_cells()
    assert smallest_type(figure) >= 9
    assert "<image" not in figure_html(figure, alt="told", caption="asked")


def test_what_makes_no_figure_is_refused():
    with pytest.raises(ValueError, match="the GRU has no part q"):
        gated_cells([GRU._replace(flows=(Flow(("old", "q")),))])
    with pytest.raises(ValueError, match="two cells"):
        gated_cells([GRU, LSTM, GRU])
