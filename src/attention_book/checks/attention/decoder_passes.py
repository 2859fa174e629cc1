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
    """Is this the least mean loss, in nats per token, of a model that is not shown the answer?

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
        math.log(synonyms) * length / (length + 2): "`<s>` is given and never asked for: it is not counted.",
        -math.log(synonyms) * length / (length + 1): "The sign: a loss is minus the logarithm of a probability.",
        synonyms ** (length / (length + 1)): "That is the perplexity; the loss is its logarithm.",
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
        for n_words in (3, 1, 8, 20):
            got = expect_number(attempt(candidate, n_words, cached), "the number of positions")
            runs, right = counted(model, way, n_words)
            if got == right:
                continue
            words = f"For {n_words} word{'s' * (n_words > 1)} {'with' if cached else 'without'} a cache"
            known = {
                n_words if cached else math.nan: "The run that writes `</s>` is missing.",
                n_words * (n_words + 1) // 2: "The run that writes `</s>` is missing, or `<s>` in each prefix.",
                runs: "That is the number of runs; each computes its whole prefix again.",
                runs * runs: "The first runs are short: the prefix grows by one token a run.",
                runs * (runs + 1) // 2: "With a cache, a run computes the newest position only.",
            }
            reason = recognise(got, known, near()) or "Write down the prefix of each run, and count its tokens."
            raise NotYet(f"{words} it gives {got:g} and not {right}. {reason}")
    return Report(True, "As counted on a decoder, with and without a cache.")


@checking
def check_log_probability(candidate: object) -> Report:
    """Does ``candidate(model, memory, tgt)`` give log P of the tokens after ``<s>``, by the chain rule?"""
    for seed, length, size in ((0, 5, 0.25), (1, 6, 0.25), (2, 9, 0.25), (3, 60, 4.0)):
        with seeded(seed):
            model = Transformer(TransformerConfig.tiny(vocab_size=12, n_layers=1)).double().eval()
            model.output.weight = torch.nn.Parameter(size * torch.randn(12, model.config.d_model).double())
            tgt = torch.cat([torch.tensor([[1]]), torch.randint(4, 12, (1, length)), torch.tensor([[2]])], dim=1)
            with torch.inference_mode():
                memory = model.encode(torch.randint(4, 12, (1, 6)))
                said = attempt(candidate, model, memory, tgt)
        if length == 60 and _infinite(said):
            raise NotYet(
                f"For a target of {tgt.shape[1]} tokens it gives −∞: the product of so many small factors is 0 in "
                "the computer's numbers. Take the logarithm of each factor first, and add."
            )
        _compare(expect_number(said, "log P"), model, memory, tgt)
    return Report(True, "The same number as from one pass over the whole target, on four models, one target long.")


def _infinite(said: object) -> bool:
    """Whether this is minus infinity, as a number or as an array of one."""
    try:
        return float(said) == -math.inf
    except (TypeError, ValueError, RuntimeError):
        return False


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
        right / math.log(2): "That is in bits: the natural logarithm is wanted.",
        -right: "The sign: the logarithm of a probability is not positive.",
    }
    refuse_number(f"For a target of {tgt.shape[1]} tokens", got, right, known, near(rel_tol=1e-8))
