"""F and M rows about training and use: what a row is asked for, what it is given, how many runs that takes."""

from types import SimpleNamespace
from typing import Any

import torch
from jaxtyping import Int
from torch import Tensor

from ... import experiments
from ...analysis.recording import recording
from ...analysis.seed_statistics import measured
from ...translation.decoding import greedy_decode
from ...translation.forced_decoding import cached_steps, one_pass, prefix_passes
from ...translation.shipped_translator import ids, model, shipped
from ..claim import Claim, Verdict
from ..printed import in_tens

ROUNDING = 1e-9  # sums over thousands of products
SOURCE, TARGET = "I like cats.", "Me gustan los gatos."


def predicted_rows() -> dict[str, Any]:
    """F15: the translator reads <s> and a translation; which token of it does each row find the likeliest?"""
    fed = ids(TARGET, start=True)
    target = [*fed[0, 1:].tolist(), shipped().subwords.eos_id]
    likeliest = model()(ids(SOURCE), fed)[0].argmax(dim=-1).tolist()
    return {
        "rows": len(likeliest),
        "rows_that_name_token_i": sum(guess == token for guess, token in zip(likeliest, target, strict=True)),
        "rows_that_name_token_i_plus_1": sum(a == b for a, b in zip(likeliest[:-1], target[1:], strict=True)),
    }


def decide_predicted_rows(value: dict[str, Any]) -> tuple[Verdict, str]:
    """F15: the shift by one has been done when the input was made."""
    same, next_one, rows = (value[name] for name in ("rows_that_name_token_i", "rows_that_name_token_i_plus_1", "rows"))
    if next_one > same:
        return "right", f"{next_one} of {rows} rows name the token after the one of their own number."
    why = (
        "Row i is asked for target token i: row 0 reads <s> and names token 0. Fed a translation of its own, the "
        f"translator names token i in {same} of {rows} rows and token i + 1 in {next_one}. The 1 comes in only if <s> "
        "is counted among the target tokens, or rows from 0 and tokens from 1."
    )
    return "wrong", why


def given_words() -> dict[str, Any]:
    """M05: in one training pass, how a word's log-probability depends on the target word before it."""
    source, gatos = ids(SOURCE), int(ids("Me gustan los gatos", start=True)[0, -1])
    found = {}
    for name, before in (("after_los", "Me gustan los"), ("after_gustan", "Me gustan")):
        found[name] = float(model()(source, ids(before, start=True)).softmax(dim=-1)[0, -1, gatos])
    fed = ids(TARGET, start=True)
    memory = model().encode(source)
    found["one_pass_minus_prefixes"] = float(
        (one_pass(model(), memory, fed) - prefix_passes(model(), memory, fed)).abs().max()
    )
    return found


def decide_given_words(value: dict[str, Any]) -> tuple[Verdict, str]:
    """M05: it is given the true ones."""
    if value["after_los"] == value["after_gustan"]:
        return "right", f"Whatever stands before it, the word has the probability {value['after_los']:.3f}."
    why = (
        "In training each word is given the true words before it, all rows in one pass: teacher forcing. Translating "
        f"I like cats, the translator gives gatos the probability {value['after_los']:.3f} after Me gustan los and "
        f"{value['after_gustan']:.4f} after Me gustan. One pass over the target computes what a pass over each prefix "
        f"does, within {in_tens(value['one_pass_minus_prefixes'], 1)}."
    )
    return "wrong", why


def same_likelihood() -> dict[str, Any]:
    """M13: the log-probability of a translation as training computes it and as inference does."""
    source, fed = ids(SOURCE), ids(TARGET, start=True)
    asked = torch.cat([fed[0, 1:], torch.tensor([shipped().subwords.eos_id])])
    memory = model().encode(source)
    runs, totals = [], []
    for way in (one_pass, cached_steps):
        with recording(model().decoder) as calls:
            scores = way(model(), memory, fed)[0]
        totals.append(float(scores.gather(1, asked[:, None]).sum()))
        runs.append(len(calls[model().decoder]))
    return {
        "log_probability_in_training": totals[0],
        "log_probability_at_inference": totals[1],
        "runs_in_training": runs[0],
        "runs_at_inference": runs[1],
    }


def decide_same_likelihood(value: dict[str, Any]) -> tuple[Verdict, str]:
    """M13: one model, two schedules."""
    training, inference = value["log_probability_in_training"], value["log_probability_at_inference"]
    shown = [f"{number:.6f}".replace("-", "−") for number in (training, inference)]
    if abs(training - inference) > ROUNDING:
        return "right", f"Training computes log P = {training:.3f} and inference {inference:.3f}: two different models."
    why = (
        f"True of the schedule, {value['runs_in_training']} run of the decoder in training and "
        f"{value['runs_at_inference']} at inference, and wrong of the model. Both compute the same product, each word "
        f"given those before it: log P of a translation is {shown[0]} in one pass and {shown[1]} step by step. What "
        "changes is who supplies the words before."
    )
    return "misleading", why


class _Talkative:
    """A model that writes the same word again and again and then ``</s>``; it counts its runs and computes nothing."""

    def __init__(self, words: int):
        self.config = SimpleNamespace(pad_id=0, bos_id=1, eos_id=2, vocab_size=4, max_len=None)
        self.words, self.runs = words, 0

    def encode(self, src: Int[Tensor, "batch src_len"]) -> None:
        return None

    def start(self, memory: None) -> "_Talkative":
        return self

    def reorder(self, rows: Int[Tensor, " rows"]) -> "_Talkative":
        return self

    def step(self, tokens: Int[Tensor, " rows"], state: "_Talkative") -> tuple[Tensor, "_Talkative"]:
        self.runs += 1
        log_probs = torch.full((len(tokens), self.config.vocab_size), -torch.inf)
        log_probs[:, 3 if self.runs <= self.words else self.config.eos_id] = 0
        return log_probs, self


def decoder_runs() -> dict[str, Any]:
    """M06: a row of 300 words, and a batch of 16: how often greedy search runs a decoder, and how long it takes.

    The times are processor times of one core, measured by the experiment ``sixteen-rows``.
    """
    words, rows, runs, found = 300, 16, [], []
    for n in (1, rows):
        decoder = _Talkative(words)
        found.append(greedy_decode(decoder, torch.full((n, 4), 5), max_len=2 * words))
        runs.append(decoder.runs)
    timed = experiments.read("sixteen-rows")
    return {
        "words": len(found[0][0].tokens) - 1,  # </s> is no word
        "rows": len(found[1]),
        "runs_for_one_row": runs[0],
        "runs_for_the_batch": runs[1],
        **{
            f"times_as_long_{family}": measured(timed, f"{family}_ratio").value
            for family in timed["configuration"]["families"]
        },
    }


def decide_decoder_runs(value: dict[str, Any]) -> tuple[Verdict, str]:
    """M06: the runs are the same, and the time is far from 16 times as long."""
    one, batch, rows = value["runs_for_one_row"], value["runs_for_the_batch"], value["rows"]
    ratios = [value[f"times_as_long_{family}"] for family in ("recurrent", "transformer")]
    if batch == rows * one or min(ratios) > 0.8 * rows:
        return "right", f"The batch takes {batch} runs of the decoder and {min(ratios):.1f} times as long, or longer."
    why = (
        f"Both take {batch} runs of the decoder, one per word and one for </s>, since the rows go side by side. A run "
        f"does {rows} times the arithmetic for the batch, but reads its matrices once. On one core it took "
        f"{ratios[0]:.1f} times as long with the recurrent translator and {ratios[1]:.1f} times with the Transformer; "
        "elsewhere the factor is another."
    )
    return "wrong", why


CLAIMS = (
    Claim(
        "F15",
        "Counting both from the same number, row i of the decoder's input is there to predict target token i + 1.",
        predicted_rows,
        decide_predicted_rows,
        "attention/masks#masks-why",
    ),
    Claim(
        "M05",
        "During training a target word is predicted independently of the words before it.",
        given_words,
        decide_given_words,
        "attention/what-the-mask-buys#buys-one-pass",
    ),
    Claim(
        "M06",
        "To decode 16 rows of 300 words takes 16 times as long as one row.",
        decoder_runs,
        decide_decoder_runs,
        "before/reading-in-both-directions#hidden-states-limits",
    ),
    Claim(
        "M13",
        "A Transformer decoder is autoregressive when it translates and not when it is trained.",
        same_likelihood,
        decide_same_likelihood,
        "attention/what-the-mask-buys#buys-one-pass",
    ),
)
