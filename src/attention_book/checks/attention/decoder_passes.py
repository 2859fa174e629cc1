"""Checks for *What the mask buys*: the least loss of an honest model, steps and positions, and the chain rule."""

import math

import torch
from torch import Tensor

from ...models.config import TransformerConfig
from ...models.transformer import Memory, Transformer
from ...studies.attention.decoder_work import counted
from ...translation.forced_decoding import cached_steps, prefix_passes
from ..drawn import seeded
from ..known_mistakes import near, recognise, refuse_number
from ..report import NotYet, Report, attempt, checking, expect_number


@checking
def check_floor(loss: object, synonyms: int = 3, length: int = 4) -> Report:
    """Is this the least mean loss, in nats a token, of a model that is not shown the answer?

    Args:
        loss: the prediction.
        synonyms: equally likely translations of each word.
        length: words in a sentence; ``</s>`` comes after them and is certain.
    """
    if loss is ...:
        raise NotYet("The prediction is still open.")
    said = expect_number(loss, "the loss")
    right = math.log(synonyms) * length / (length + 1)
    if math.isclose(said, right, abs_tol=0.005):
        return Report(True, "The entropy of the coins, shared by one token more than there are coins.")
    known = {
        math.log(synonyms): "That is the loss of a word. `</s>` is a token too, and costs nothing.",
        math.log2(synonyms) * length / (length + 1): "That is in bits; the book takes the natural logarithm.",
        math.log2(synonyms): "That is in bits, and for a word; `</s>` is a token too.",
        math.log(synonyms) * length: "That is the loss of a sentence; divide by its tokens.",
        0.0: "That is the loss of a model that sees the answer.",
    }
    why = recognise(said, known, near(abs_tol=0.005))
    raise NotYet(f"Not {said:g}. {why or 'How surprised is a model that knows the synonyms and not the coin?'}")


@checking
def check_positions(candidate: object) -> Report:
    """Does ``candidate(n_words, cached)`` give the decoder positions that a translation of n words computes?"""
    with seeded(0):
        model = Transformer(TransformerConfig.tiny(vocab_size=8, n_layers=1)).eval()
    for cached, way in ((False, prefix_passes), (True, cached_steps)):
        for n_words in (1, 3, 20):
            got = expect_number(attempt(candidate, n_words, cached), "the number of positions")
            runs, right = counted(model, way, n_words)
            if got == right:
                continue
            what = f"For {n_words} words {'with' if cached else 'without'} a cache it gives {got:g} and not {right}."
            known = {
                n_words if cached else n_words * (n_words + 1) // 2: "The run that writes `</s>` is missing.",
                runs: "That is the number of runs; each computes its whole prefix again.",
                runs * runs: "The first runs are short: the prefix grows by one token a run.",
                runs * (runs + 1) // 2: "With a cache, a run computes the newest position only.",
            }
            raise NotYet(f"{what} {known.get(int(got), 'Write down the prefix of each run, and count its tokens.')}")
    return Report(True, "As counted on a decoder, with and without a cache.")


@checking
def check_log_probability(candidate: object) -> Report:
    """Does ``candidate(model, memory, tgt)`` give log P of the tokens after ``<s>``, by the chain rule?"""
    for seed in range(3):
        with seeded(seed):
            model = Transformer(TransformerConfig.tiny(vocab_size=12, n_layers=1)).double().eval()
            model.output.weight = torch.nn.Parameter(torch.randn(12, model.config.d_model).double() / 4)
            tgt = torch.cat([torch.tensor([[1]]), torch.randint(4, 12, (1, 5 + seed)), torch.tensor([[2]])], dim=1)
            with torch.inference_mode():
                memory = model.encode(torch.randint(4, 12, (1, 6)))
                got = expect_number(attempt(candidate, model, memory, tgt), "log P")
        _compare(got, model, memory, tgt)
    return Report(True, "The same number as from one pass over the whole target, on three models.")


@torch.inference_mode()
def _compare(got: float, model: Transformer, memory: Memory, tgt: Tensor) -> None:
    logits = model.decode(tgt, memory)
    log_probs = logits.log_softmax(dim=-1)
    factors = log_probs[0, :-1].gather(-1, tgt[0, 1:, None])[:, 0]
    right = factors.sum().item()
    if math.isclose(got, right, rel_tol=1e-8):
        return
    own = log_probs[0].gather(-1, tgt[0, :, None])[:, 0]
    known = {
        factors.mean().item(): "That is the mean of the factors' logarithms; log P is their sum.",
        factors[:-1].sum().item(): "The factor of `</s>` is missing: a sentence must also end.",
        factors[1:].sum().item(): "The factor of the first word is missing: it is scored in the row of `<s>`.",
        own.sum().item(): "Each token is scored in its own row. Row i is asked for the token after it.",
        own[1:].sum().item(): "Each token is scored in its own row. Row i is asked for the token after it.",
        logits[0, :-1].gather(-1, tgt[0, 1:, None]).sum().item(): "These are logits: a log-softmax is missing.",
        factors.exp().prod().item(): "That is P; its logarithm is wanted.",
        -right: "The sign: the logarithm of a probability is not positive.",
    }
    refuse_number(f"For a target of {tgt.shape[1]} tokens", got, right, known, near(rel_tol=1e-8))
