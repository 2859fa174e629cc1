"""Going through a reader's answers: which are open, in which order they are judged, and what can be compared."""

import numpy as np
import pytest
import torch

from attention_book.checks.answers import each_answer, from_list, is_one_of
from attention_book.checks.report import NotYet


def told(answers, *args, **kwargs):
    """The diagnosis of answers that are judged one after the other."""
    with pytest.raises(NotYet) as caught:
        list(each_answer(answers, "ab", *args, **kwargs))
    return str(caught.value)


def test_answers_come_in_the_order_of_the_names():
    assert list(each_answer({"b": 2, "a": None}, "ab")) == [("a", None), ("b", 2)]


@pytest.mark.parametrize("answers", [..., None, [1, 2], "ab", 3, {"a": 1}, {"a": 1, "b": 2, "c": 3}])
def test_what_is_no_dictionary_of_these_names_is_refused(answers):
    assert told(answers) == "Give a dictionary with an answer for each of a, b."
    assert told(answers, "a number for each of the letters").endswith("with a number for each of the letters a, b.")


def test_an_open_answer_is_named_when_its_turn_comes():
    judged = each_answer({"a": 1, "b": ...}, "ab", open_name="Case {}")
    assert next(judged) == ("a", 1)
    with pytest.raises(NotYet, match=r"^Case b is still open\.$"):
        next(judged)
    assert told({"a": ..., "b": 1}) == "`a` is still open."


def test_open_answers_can_be_handed_on_and_all_open_ones_told_at_once():
    assert dict(each_answer({"a": 1, "b": ...}, "ab", open_name=None, put="a number")) == {"a": 1, "b": ...}
    assert told({"a": ..., "b": ...}, put="yours") == "Every answer is still open: put yours in place of each `...`."


def test_one_of_the_choices_is_told_from_what_cannot_be_compared():
    assert (
        is_one_of("same", ("moved", "same")) and is_one_of(np.int64(2), (1, 2)) and is_one_of(torch.tensor(2), (1, 2))
    )
    for other in ("other", ..., None, [1, 2], {"same": 1}, np.array([1, 2]), torch.zeros(2), np.array(["same", "b"])):
        assert not is_one_of(other, ("moved", "same", 2))


def test_a_list_of_numbers_becomes_an_array_and_anything_else_stays():
    assert from_list([1, 2]).tolist() == [1.0, 2.0] and from_list((1.5,)).dtype == float
    for other in (["a"], [[1], [1, 2]], [None, ...], [torch.zeros(2), 1], "12", 3, ...):
        assert from_list(other) is other
