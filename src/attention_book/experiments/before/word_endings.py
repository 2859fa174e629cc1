"""Whether the classifier of the first pages learns the language from the letters, or would learn any labels as well."""

import torch

from ...examples.language_classifier import accuracy, fit, labelled_words, letters_of, one_hot_endings, split

QUESTION = "Do the last two letters of a word tell English from Spanish, or would shuffled labels be learned as well?"
CONFIGURATION = {"steps": 100, "rate": 0.05}
SEEDS = tuple(range(1, 11))


def run_seed(seed: int, configuration: dict) -> dict:
    """Train on a split drawn with this seed, once with the true labels and once with the same labels shuffled.

    Returns:
        For ``true`` and ``shuffled`` labels the accuracy on the training words and on the words held out;
        ``most_common``, the accuracy of always naming the language with more training words; ``tokens``, words trained
        on.
    """
    words, labels = labelled_words()
    x = one_hot_endings(words, letters_of(words))
    train, held_out = split(len(words), seed)
    shuffled = labels[torch.randperm(len(words), generator=torch.Generator().manual_seed(seed + 1000))]
    metrics = {
        "tokens": 2 * configuration["steps"] * len(train),
        "most_common": float((labels[held_out] == labels[train].mode().values).double().mean()),
    }
    for name, y in (("true", labels), ("shuffled", shuffled)):
        w, b, _ = fit(x[train], y[train], **configuration)
        metrics[f"{name}_train"] = accuracy(w, b, x[train], y[train])
        metrics[f"{name}_held_out"] = accuracy(w, b, x[held_out], y[held_out])
    return metrics
