"""A first thing to learn: whether a word is English or Spanish, from its last two letters. Softmax regression."""

from collections.abc import Callable, Sequence
from functools import lru_cache

import torch
from jaxtyping import Float, Int
from torch import Tensor
from torch.nn import functional as F

from ..little_language.language import sample

LANGUAGES = ("English", "Spanish")
RUNNING = (("i", "like", "cats"), ("me", "gustan", "los", "gatos"))  # never trained on, never tested on
SENTENCES, SENTENCES_SEED = 1000, 1  # enough to meet every word of the little language but the rarest


@lru_cache(maxsize=1)
def labelled_words() -> tuple[tuple[str, ...], Int[Tensor, " words"]]:
    """The words of the little language's English and Spanish sentences, and the language of each.

    Words that occur in both languages (*banana*) and the words of the running sentence are left out.

    Returns:
        The words in alphabetical order, in small letters, and their labels: 0 for English, 1 for Spanish.
    """
    pairs = sample(SENTENCES, SENTENCES_SEED, target="es")
    english = {word.lower() for pair in pairs for word in pair.source_words if word.isalpha()}
    spanish = {word.lower() for pair in pairs for word in pair.target_words if word.isalpha()}
    words = sorted((english ^ spanish) - {word for side in RUNNING for word in side})
    return tuple(words), torch.tensor([int(word in spanish) for word in words])


def letters_of(words: Sequence[str]) -> str:
    """Every letter that occurs in the words, once, in order: the alphabet that `one_hot_endings` counts in."""
    return "".join(sorted(set("".join(words))))


def one_hot_endings(
    words: Sequence[str],
    alphabet: str,
) -> Float[Tensor, "words features"]:
    """Each word as a row of zeros with a one for its last letter and a one for the letter before it.

    Args:
        words: any words. A letter outside the alphabet, or a word too short to have the letter, gives no one.
        alphabet: the n letters that have a place.

    Returns:
        Rows of 2n numbers: the first n places are for the last letter, the other n for the one before it.
    """
    x = torch.zeros(len(words), 2 * len(alphabet))
    for row, word in enumerate(words):
        for from_end, letter in enumerate(reversed(word[-2:].lower())):
            if letter in alphabet:
                x[row, from_end * len(alphabet) + alphabet.index(letter)] = 1.0
    return x


def split(n: int, seed: int, held_out: float = 0.25) -> tuple[Int[Tensor, " train"], Int[Tensor, " held_out"]]:
    """Positions of the words to train on and of those kept for the test, drawn at random.

    Args:
        n: number of words.
        seed: the same seed gives the same split.
        held_out: share of the words kept for the test.
    """
    order = torch.randperm(n, generator=torch.Generator().manual_seed(seed))
    kept = round(n * held_out)
    return order[kept:], order[:kept]


def fit(
    x: Float[Tensor, "words features"], y: Int[Tensor, " words"], steps: int, rate: float
) -> tuple[Float[Tensor, "features languages"], Float[Tensor, " languages"], list[float]]:
    r"""Train softmax regression with Adam on all words at once, from parameters that are zero.

    .. math:: P = \operatorname{softmax}(X W + b), \qquad L = -\frac{1}{n} \sum_i \log P_{i, y_i}

    Args:
        x: the words as numbers, X.
        y: the right language of each.
        steps: number of gradient steps.
        rate: Adam's step size.

    Returns:
        W, b, and the loss before each step, in nats per word.
    """
    w = torch.zeros(x.shape[1], len(LANGUAGES), requires_grad=True)
    b = torch.zeros(len(LANGUAGES), requires_grad=True)
    optimizer = torch.optim.Adam([w, b], lr=rate)
    losses = []
    for _ in range(steps):
        loss = F.cross_entropy(x @ w + b, y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return w.detach(), b.detach(), losses


def accuracy(
    w: Float[Tensor, "features languages"],
    b: Float[Tensor, " languages"],
    x: Float[Tensor, "words features"],
    y: Int[Tensor, " words"],
) -> float:
    """Share of the words whose likeliest language is the right one."""
    return float(((x @ w + b).argmax(dim=-1) == y).double().mean())


def swing(losses: Sequence[float]) -> tuple[int, int]:
    """The steps of the lowest loss and of the highest from there on, counted from 1.

    Args:
        losses: at least one, of the steps in order.
    """
    lowest = min(range(len(losses)), key=losses.__getitem__)
    return lowest + 1, max(range(lowest, len(losses)), key=losses.__getitem__) + 1


def swing_told(cleared: Sequence[float], summed: Sequence[float]) -> str:
    """Two runs in words, one with cleared gradients and one that adds up the gradients of all its steps.

    Args:
        cleared, summed: the losses of either.
    """
    low, high = swing(summed)
    return (
        f"With cleared gradients the loss ends at {cleared[-1]:.2f}. With summed gradients it reaches "
        f"{summed[low - 1]:.2f} at step {low}, rises to {summed[high - 1]:.2f} at step {high} and ends at "
        f"{summed[-1]:.2f}."
    )


def running_words_judged(probability_of_spanish: Callable[[str], float]) -> tuple[list[str], list[str]]:
    """The words of the running sentence whose language a classifier gets right, and those that it gets wrong.

    Args:
        probability_of_spanish: the classifier; a word is Spanish to it if this is above one half.
    """
    right: list[str] = []
    wrong: list[str] = []
    for spanish, side in enumerate(RUNNING):
        for word in side:
            (right if (probability_of_spanish(word) > 0.5) == spanish else wrong).append(word)
    return right, wrong


def listed(words: Sequence[str]) -> str:
    """Words in italics, as a sentence lists them in Markdown: "*a*, *b* and *c*", or "none"."""
    *others, last = [f"*{word}*" for word in words] or ["none"]
    return f"{', '.join(others)} and {last}" if others else last
