"""Checks for *Encoder only*: losses of gaps by hand, what gaps show, the loss at the gaps, and the right side."""

import math

import torch

from ...little_language.gaps import GAP, gap_probabilities, gap_vocabulary
from ...studies.beyond.gap_examples import LEFT, word_loss
from ..known_mistakes import expect_predictions, recognise
from ..report import NotYet, Report, agrees, attempt, checking, expect_array, expect_number

THREE = {("cats", "sleep"): 0.5, ("cats", "eat"): 0.25, ("dogs", "eat"): 0.25}
"""A language of three sentences with their probabilities."""

PRINTED = ("<mask> like cats.", "I <mask> cats.", "The <mask> likes cats.", "The <mask> are in the garden.")
"""Sentences with a gap that stand on the page."""


def three_sentences() -> str:
    """:data:`THREE`, one per line, ready to print."""
    return "\n".join(f"{' '.join(words):10} {share}" for words, share in THREE.items())


@checking
def check_small_language(predictions: object) -> Report:
    """Are these the least possible losses for :data:`THREE`, in nats?

    Args:
        predictions: a number for each of ``first`` (the first word hidden), ``second`` (the second word hidden),
            ``left`` (the first word, asked before anything is seen) and ``sentence`` (the mean −log P of a sentence).
    """
    first, second, left = word_loss(THREE, 0), word_loss(THREE, 1), word_loss(THREE, 0, LEFT)
    sentence = left + word_loss(THREE, 1, LEFT)
    table = {
        "first": (
            first,
            {
                math.log(2): "that is the loss after *eat*; half of the sentences have *sleep*, after which it is 0",
                left: "that is the loss if the second word is not seen",
            },
        ),
        "second": (
            second,
            {
                second / 0.75: "that is the loss after *cats*; a quarter of the sentences have *dogs*",
                math.log(2): "*cats sleep* is twice as likely as *cats eat*",
                0.75 * math.log(2): "*cats sleep* is twice as likely as *cats eat*",
            },
        ),
        "left": (
            left,
            {
                math.log(2): "*cats* begins three quarters of the sentences",
                first: "that is the loss if the second word is seen",
            },
        ),
        "sentence": (
            sentence,
            {
                math.log(3): "the three sentences are not equally likely",
                first + second: "the losses of the two gaps do not add up to it; each gap sees the other word",
            },
        ),
    }
    for right, mistakes in table.values():
        mistakes[right / math.log(2)] = "that is in bits: use the natural logarithm"
    expect_predictions(predictions, table, 0.005)
    return Report(True, "The losses from left to right add up to that of the sentence; those of the gaps do not.")


@checking
def check_what_is_shown(predictions: object) -> Report:
    """Are these the mean counts for 200 sentences of 20 words, with 15 % chosen and shown 80 / 10 / 10?

    Args:
        predictions: how many words on average ``marks`` (show the mark of a gap), ``asked`` (count in the loss),
            ``same`` (show their own word, chosen or not) and ``unasked`` (show their own word and are not asked).
    """
    table = {
        "marks": (480, {600: "of the chosen words, a fifth does not show the mark",
                        3200: "80 % are taken of the chosen words alone"}),
        "asked": (600, {480: "the chosen words that show a word are asked for, too",
                        4000: "the words that were not chosen do not count",
                        120: "the hidden words are asked for, too"}),
        "same": (3460, {3400: "a tenth of the chosen words show their own word, too",
                        60: "the words that were not chosen show their own word, too",
                        3520: "a replaced word does not show its own word"}),
        "unasked": (3400, {3460: "the chosen words that show their own word are asked for",
                           3520: "nothing is asked at a word that was not chosen, and something at every other"}),
    }  # fmt: skip
    expect_predictions(predictions, table, 0.5)
    return Report(True, "Of 4000 words, 600 are asked for, and 120 of these show a word and not the mark.")


@checking
def check_gap_loss(candidate: object) -> Report:
    """Is ``candidate(logits, wanted)`` the mean loss over the asked positions, in nats per gap?

    ``logits`` has the shape (batch, length, vocab_size), ``wanted`` (batch, length) with 0 where nothing is asked.
    """
    generator = torch.Generator().manual_seed(3)
    for scale in (1.0, 300.0):
        logits = scale * torch.randn(2, 5, 7, generator=generator, dtype=torch.float64)
        wanted = torch.tensor([[0, 3, 0, 0, 6], [0, 0, 1, 0, 0]])
        got = expect_number(attempt(candidate, logits, wanted), "the loss")
        log_probs = logits.log_softmax(-1)
        each = -log_probs.gather(-1, wanted[..., None])[..., 0]
        asked = wanted != 0
        right = float(each[asked].mean())
        if agrees(got, right):
            continue
        probs = log_probs.exp().gather(-1, wanted[..., None])[..., 0]
        per_sentence = torch.stack([row[seen].mean() for row, seen in zip(each, asked, strict=True)]).mean()
        known = {
            "That is the mean over all positions; most of them are not asked.": float(each.mean()),
            "The losses of the gaps are divided by the number of all positions.": float(
                each[asked].sum() / each.numel()
            ),
            "That is the sum; divide by the number of gaps.": float(each[asked].sum()),
            "The sign is wrong: a loss is −log P.": -right,
            "That is the mean probability, and not its logarithm.": float(probs[asked].mean()),
            "The logarithm is of the mean probability; take the mean of the logarithms.": -math.log(
                max(float(probs[asked].mean()), 1e-300)
            ),
            "That is in bits: use the natural logarithm.": right / math.log(2),
            "That is the mean of the sentences' means; every chosen position counts the same.": float(per_sentence),
            "Those are the logits themselves, before the softmax.": -float(
                logits.gather(-1, wanted[..., None])[..., 0][asked].mean()
            ),
        }
        raise NotYet(recognise(got, known) or f"It gives {got:.4f} and not {right:.4f}.")
    return Report(True, "It counts the gaps alone, and large logits do it no harm.")


@checking
def check_shown(candidate: object) -> Report:
    """Does ``candidate(ids, chosen, draw, words)`` give what the encoder is shown, with the mark 4 and 80 / 10 / 10?

    All four have the shape (batch, length): ids; True at chosen positions; a number from 0 to 1; another word.
    """
    generator = torch.Generator().manual_seed(5)
    shape = (40, 9)
    ids, words = (torch.randint(5, 60, shape, generator=generator) for _ in range(2))
    words = torch.where(words == ids, words + 60, words)
    chosen = torch.rand(shape, generator=generator) < 0.4
    draw = torch.rand(shape, generator=generator, dtype=torch.float64)
    hidden, replaced = chosen & (draw < 0.8), chosen & (draw >= 0.8) & (draw < 0.9)
    right = torch.where(hidden, 4, torch.where(replaced, words, ids))
    got = expect_array(
        attempt(candidate, ids, chosen, draw, words), shape, "one id per word", like=right, name="the ids"
    )
    if agrees(got, right):
        return Report(True, "Marks, other words and own words stand where they should.")
    known = {
        "Words that were not chosen are changed, too.": torch.where(draw < 0.8, 4, torch.where(draw < 0.9, words, ids)),
        "Every chosen word shows the mark.": torch.where(chosen, 4, ids),
        "The last fifth of the chosen words shows other words; half of it keeps its own.": torch.where(
            hidden, 4, torch.where(chosen, words, ids)
        ),
        "No word is replaced by another.": torch.where(hidden, 4, ids),
        "The mark and the other word are exchanged.": torch.where(hidden, words, torch.where(replaced, 4, ids)),
        "Kept and replaced words are fine, but the words that were not chosen show the mark.": torch.where(
            ~chosen | hidden, 4, right
        ),
    }
    reason = recognise(got, known)
    if reason is None:
        row, column = (got != right).nonzero()[0].tolist()
        told = "was chosen" if chosen[row, column] else "was not chosen"
        reason = (
            f"Word {column} of sentence {row} {told}, its draw is {draw[row, column]:.2f}, and it shows a wrong id."
        )
    raise NotYet(reason)


@checking
def check_right_side(candidate: object) -> Report:
    """Does the likeliest word of this sentence's gap change when the words on its right are hidden as well?

    Args:
        candidate: a sentence of one clause of the little language with one ``<mask>``, which is neither its first
            word nor the one after *the* or *my*, and which does not stand on the page.
    """
    if not isinstance(candidate, str):
        raise NotYet('Give a sentence in quotation marks, such as "I like <mask>.".')
    vocabulary = gap_vocabulary()
    words = vocabulary.tokens(vocabulary.encode(candidate))
    if words.count(GAP) != 1:
        raise NotYet(f"The sentence needs one gap, {GAP}; it has {words.count(GAP)}.")
    if words in [vocabulary.tokens(vocabulary.encode(printed)) for printed in PRINTED]:
        raise NotYet("This sentence stands on the page: find another one.")
    place = words.index(GAP)
    if place == 0 or words[place - 1] in ("the", "my"):
        raise NotYet("The gap is the first word or follows *the* or *my*: put it elsewhere.")
    if len(words) > 20:
        raise NotYet("The longest sentence of one clause is shorter than this.")
    if unknown := [word for word in words if word == "<unk>"]:
        raise NotYet(f"{len(unknown)} of its words are not in the language.")
    try:
        both = gap_probabilities(candidate)
    except ValueError as error:
        raise NotYet("No sentence of one clause of the little language fits it.") from error
    hidden = " ".join([*words[: place + 1], *[GAP] * (len(words) - place - 1)])
    left = gap_probabilities(hidden)
    ahead, there = next(iter(left)), next(iter(both))
    if left[ahead] - left.get(there, 0.0) < 1e-9 or both[there] - both.get(ahead, 0.0) < 1e-9:
        raise NotYet(f"*{there}* is among the likeliest words with the right side and without it.")
    return Report(True, f"From the left alone *{ahead}* is likeliest, with the right side *{there}*.")
