"""Submissions for the tests of the grader, made as a student's Jupyter would save them."""

import json

HONEST = {
    "counts": """
def bigrams(words):
    found = {}
    for pair in zip(words, words[1:]):
        found[pair] = found.get(pair, 0) + 1
    return found
""",
    "softmax": """
def softmax(scores):
    e = np.exp(scores - scores.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)
""",
    "slope": """
def slope(x):
    x = x.clone().requires_grad_()
    torch.tanh(x).sum().backward()
    return x.grad
""",
}
IMPORTS = "%matplotlib inline\nimport numpy as np\nimport torch"


def cell(source, question=None):
    """A code cell, tagged with its question."""
    tags = {"tags": [f"question:{question}"]} if question else {}
    return {"cell_type": "code", "metadata": tags, "source": source, "outputs": [], "execution_count": None}


def notebook(answers, *more):
    """The text of a notebook: a cell of imports, one for each answer, then `more` cells."""
    text = {"cell_type": "markdown", "metadata": {}, "source": ["# My answers\n", "All of them."]}
    cells = [text, cell(IMPORTS), *(cell(source, question) for question, source in answers.items()), *more]
    return json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": cells})


def honest_but(question, source):
    """The full solution with another answer to one question; None deletes its cell."""
    answers = HONEST | {question: source}
    return notebook({name: answer for name, answer in answers.items() if answer is not None})
