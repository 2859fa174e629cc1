"""The reports and the shared questions of all checks: what they say about each kind of wrong answer."""

import dataclasses

import nbformat
import numpy as np
import pytest
import torch
from nbclient.exceptions import CellExecutionError
from notebook_client import NotebookClient

from attention_book.checks.report import (
    NotYet,
    Report,
    WrongAnswer,
    agrees,
    attempt,
    checking,
    expect_array,
    expect_number,
    expect_parts,
    first_difference,
)


def fault(question, *args, **kwargs):
    """What the reader is told."""
    with pytest.raises(NotYet) as caught:
        question(*args, **kwargs)
    return str(caught.value)


def test_a_report_is_its_verdict_and_says_it_without_colour():
    passed, failed = Report(True, "All rows sum to 1."), Report(False, "Row 2 attends to column 3.")
    assert passed and not failed
    assert repr(passed) == "Passed. All rows sum to 1."
    assert repr(failed) == "Not yet. Row 2 attends to column 3."
    assert "<strong>Not yet.</strong> Row 2" in failed._repr_html_()
    with pytest.raises(dataclasses.FrozenInstanceError):
        failed.passed = True


def test_a_right_answer_is_given_back_and_a_wrong_one_raises_its_diagnosis():
    passed = Report(True, "All rows sum to 1.")
    assert passed.require() is passed
    with pytest.raises(WrongAnswer, match=r"^Row 2 attends to column 3\.$") as caught:
        Report(False, "Row 2 attends to column 3.").require()
    assert isinstance(caught.value, AssertionError)  # what a grading system takes for a failed test


def graded(*sources):
    """The outputs of cells run as a grading system runs them: the first error stops the notebook."""
    cells = [nbformat.v4.new_code_cell(source) for source in sources]
    return NotebookClient(nbformat.v4.new_notebook(cells=cells), timeout=120).execute().cells[-1].outputs


ANSWERS = """\
import torch
from attention_book.checks.attention.masks import check_causal_mask
def my_causal_mask(n_queries, n_keys):
    return torch.ones(n_queries, n_keys, dtype=torch.bool){tril}
"""


@pytest.mark.slow
def test_a_graders_cell_fails_on_a_wrong_answer_and_shows_the_diagnosis_alone():
    wrong = ANSWERS.format(tril="")
    assert "Not yet." in graded(wrong, "check_causal_mask(my_causal_mask)")[0]["data"]["text/plain"]  # the bare check
    with pytest.raises(CellExecutionError) as caught:
        graded(wrong, "_ = check_causal_mask(my_causal_mask).require()")
    assert caught.value.ename == "WrongAnswer" and len(caught.value.evalue.splitlines()) == 1
    assert caught.value.traceback.splitlines()[-1] == f"WrongAnswer: {caught.value.evalue}"
    assert "Traceback" not in str(caught.value)


@pytest.mark.slow
def test_a_graders_cell_accepts_a_right_answer_without_an_output():
    right = ANSWERS.format(tril=".tril(n_keys - n_queries)")
    assert graded(right, "_ = check_causal_mask(my_causal_mask).require()") == []


def test_a_message_cannot_inject_markup_and_its_backticks_become_code():
    page = Report(False, "got <b>x</b> & `a < b`")._repr_html_()
    assert "&lt;b&gt;x&lt;/b&gt; &amp; <code>a &lt; b</code>" in page


def test_words_in_asterisks_are_emphasised_and_products_and_code_are_not():
    page = Report(False, "*cats like dogs* came *after* it: 2 * 3 * 4 and 2*3*4, `f(*a, *b)`.")._repr_html_()
    assert "<em>cats like dogs</em> came <em>after</em> it: 2 * 3 * 4 and 2*3*4, <code>f(*a, *b)</code>." in page
    assert "<b>" not in page


def test_checking_turns_a_diagnosis_into_a_report_and_lets_other_errors_through():
    @checking
    def check_sign(candidate):
        """Is it positive?"""
        if candidate < 0:
            raise NotYet("It is negative.")
        return Report(True, "It is not negative.")

    assert check_sign(1) == Report(True, "It is not negative.")
    assert check_sign(-1) == Report(False, "It is negative.")
    assert check_sign.__doc__ == "Is it positive?"
    with pytest.raises(TypeError):
        check_sign("a fault of the check, not of the reader")


def test_attempt_returns_the_result_and_lets_gradients_reach_the_inputs():
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    (gradient,) = torch.autograd.grad(attempt(lambda x, power: (x**power).sum(), x, power=2), x)
    assert gradient.tolist() == [2.0, 4.0]


def raises_value_error(x):
    if x is not None:
        raise ValueError("too wide\nsecond line")


def changes_scores(scores):
    scores -= scores.max()
    return scores


@pytest.mark.parametrize(
    ("fn", "args", "told"),
    [
        (3.0, (), "Expected a function, got the number 3.0"),
        (torch.ones(2), (), "Expected a function, got a torch tensor"),
        (lambda x: None, (1,), "It returned None. Is the `return` missing?"),
        (lambda x: ..., (1,), "It returned Ellipsis"),
        (raises_value_error, (1,), 'raises ValueError, in the line `raise ValueError("too wide'),
        (lambda: 1, (1,), "It raises TypeError: "),
        (changes_scores, (torch.arange(3.0),), "It changes `scores` in place"),
        (changes_scores, (np.arange(3.0),), "It changes `scores` in place"),
        (lambda items: items.pop(), ([1, 2],), "It changes `items` in place"),
        (lambda *all_of_them: all_of_them[1].mul_(0), (1, torch.ones(2)), "It changes its second argument in place"),
    ],
)
def test_attempt_names_the_accident(fn, args, told):
    assert told in fault(attempt, fn, *args)


def test_attempt_protects_the_inputs_and_names_a_keyword():
    x = torch.arange(3.0)
    assert "changes `scores` in place" in fault(attempt, changes_scores, scores=x)
    assert x.tolist() == [0.0, 1.0, 2.0]


def test_attempt_knows_a_blank():
    def blank(x):
        raise NotImplementedError

    assert "still to be written" in fault(attempt, blank, 1)


def test_attempt_lets_the_reader_stop_it():
    def interrupted():
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        attempt(interrupted)


MEANING = "one row per query, one column per key"


@pytest.mark.parametrize(
    ("got", "told"),
    [
        (torch.zeros(4, 3), f"have the wrong shape: expected (3, 4): {MEANING}; got (4, 3): is it transposed?"),
        (torch.zeros(3, 5), "got (3, 5)."),
        (torch.zeros(12), "got (12,)."),
        ([[0.0]], "Expected the weights to be a torch tensor, got a list of 1."),
        (np.zeros((3, 4)), "to be a torch tensor, got a NumPy array."),
        ((torch.zeros(3, 4), torch.zeros(3, 4)), "to be a torch tensor, got a tuple of 2."),
        (torch.ones(3, 4, dtype=torch.bool), "Expected the weights to hold numbers, got True and False."),
        (torch.tensor([[0.0] * 4, [0.0] * 4, [0.0, 0.0, 0.0, float("nan")]]), "weights hold NaN, first at row 2"),
    ],
)
def test_expect_array_says_what_is_wrong(got, told):
    assert told in fault(expect_array, got, (3, 4), MEANING, name="the weights")


def test_expect_array_hints_at_lost_and_moved_axes():
    assert "`keepdim=True` keeps it" in fault(expect_array, torch.zeros(3), (3, 1))
    assert "in another order" in fault(expect_array, torch.zeros(2, 5, 4), (2, 4, 5)[::-1])
    assert "is it transposed" in fault(expect_array, torch.zeros(2, 5, 4), (2, 4, 5))


def test_expect_array_passes_what_is_right():
    for good, like in [(torch.full((2,), -torch.inf), None), (np.arange(2), np.zeros(1))]:
        assert expect_array(good, (2,), like=like) is good
    mask = torch.ones(2, 2, dtype=torch.bool)
    assert expect_array(mask, boolean=True) is mask
    assert "to hold True and False, got numbers of type float32" in fault(expect_array, torch.ones(2), boolean=True)
    assert "to be a NumPy array" in fault(expect_array, torch.ones(2), like=np.zeros(1))
    assert "got object" in fault(expect_array, np.array([None]), like=np.zeros(1))


def test_expect_parts():
    assert expect_parts((1, 2), ("output", "weights")) == (1, 2)
    assert "Expected 2 values, (output, weights); got a torch tensor" in fault(
        expect_parts, torch.zeros(2), ("output", "weights")
    )
    assert "got 3 values" in fault(expect_parts, (1, 2, 3), ("output", "weights"))


def test_expect_number():
    for number in (2, 2.0, np.float32(2), torch.tensor([[2]]), np.array(2)):
        assert expect_number(number) == 2.0
    for wrong in ("2", None, True, torch.zeros(2), torch.tensor(True), float("nan"), float("inf")):
        assert "number" in fault(expect_number, wrong)


def test_first_difference_names_the_place_and_both_numbers():
    wanted = torch.tensor([[1.0, 0.0], [0.25, 0.75]])
    assert first_difference(wanted + 1e-9, wanted) is None
    got = wanted.clone()
    got[1, 0] = 0.5
    assert first_difference(got, wanted) == "row 1, column 0 (counted from 0): got 0.5, expected 0.25"
    assert first_difference(got, wanted, axes=("query", "key")).startswith("query 1, key 0 ")
    assert first_difference(got[1], wanted[1]).startswith("element 0 ")
    assert first_difference(got[None], wanted[None]).startswith("axis 0 at 0, row 1, column 0 ")
    assert first_difference(torch.tensor(1.0), torch.tensor(2.0)) == "its only number: got 1, expected 2"
    assert first_difference(wanted > 0.5, wanted > 0.2).endswith("got False, expected True")


def test_agrees_does_not_mind_another_shape():
    assert agrees(torch.ones(2), np.ones(2) + 1e-9)
    assert not agrees(torch.ones(2), torch.ones(2, 1))
    assert not agrees(torch.ones(2), torch.zeros(2))
    assert agrees(torch.tensor(1.0), torch.tensor(1.01), tolerance=0.1)


def test_first_difference_compares_infinities_and_nan_but_no_other_shape():
    odd = np.array([np.inf, -np.inf, np.nan])
    assert first_difference(odd, odd) is None
    assert first_difference(odd, odd[::-1]) is not None
    with pytest.raises(ValueError, match="one shape"):
        first_difference(np.zeros(2), np.zeros(3))
