"""The searches, on random tables whose every sentence can be listed, and on a small Transformer."""

from types import SimpleNamespace

import pytest
import torch

from attention_book.decoding import greedy_decode

PAD, BOS, EOS = 0, 1, 2


class TableState:
    """The rows of a search over tables: which table, which last token; and how many rows were ever fed."""

    def __init__(self, tables):
        self.tables = tables

    def reorder(self, rows):
        return TableState(self.tables[rows])


class TableModel:
    """p(next | last) from a table a source row: the source's first id chooses the table, so rows differ."""

    def __init__(self, tables, max_len=None):
        self.tables = tables  # (n_tables, vocab, vocab), log-probabilities
        vocab = tables.shape[-1]
        self.config = SimpleNamespace(pad_id=PAD, bos_id=BOS, eos_id=EOS, vocab_size=vocab, max_len=max_len)
        self.rows_fed = []

    def encode(self, src):
        return self.tables[src[:, 0]]

    def start(self, memory):
        return TableState(memory)

    def step(self, tokens, state):
        self.rows_fed.append(len(tokens))
        return state.tables[torch.arange(len(tokens)), tokens], state


def table(transitions, vocab=6):
    """A one-table model from {last: {next: probability}}; what is not named has probability zero."""
    probs = torch.zeros(1, vocab, vocab, dtype=torch.float64)
    for last, row in transitions.items():
        for following, prob in row.items():
            probs[0, last, following] = prob
    return TableModel(probs.log())


def random_tables(seed, n_tables=4, vocab=6, max_len=None):
    generator = torch.Generator().manual_seed(seed)
    logits = 2 * torch.randn(n_tables, vocab, vocab, generator=generator, dtype=torch.float64)
    return TableModel(logits.log_softmax(-1), max_len)


ONE = torch.tensor([[0, 3, 2]])


def test_greedy_follows_the_most_probable_token():
    model = table({BOS: {3: 0.6, 4: 0.4}, 3: {4: 0.7, EOS: 0.3}, 4: {EOS: 0.9, 3: 0.1}})
    (hypothesis,) = greedy_decode(model, ONE)
    assert hypothesis.tokens == (3, 4, EOS)
    assert hypothesis.log_prob == pytest.approx(torch.tensor(0.6 * 0.7 * 0.9).log().item())


def test_greedy_rows_are_independent_and_finished_rows_leave_the_batch():
    model = random_tables(0)
    src = torch.tensor([[0, 3, 2], [1, 2, PAD], [2, 2, PAD], [3, 2, PAD]])
    together = greedy_decode(model, src)
    fed = list(model.rows_fed)
    singly = [greedy_decode(model, row[None, :length])[0] for row, length in zip(src, [3, 2, 2, 2], strict=True)]
    assert together == singly
    assert sum(fed) == sum(len(h.tokens) for h in together)
