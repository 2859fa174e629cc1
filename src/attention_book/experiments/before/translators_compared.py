"""The translators of this book on the same test sentences: scores, intervals, paired differences, and by length.

All were trained on the same pairs with the same subwords, each once, from one seed, and not all on the same budget.
The bootstrap resamples sentences: it says what other sentences might have given, and nothing of what another seed
might have.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from platformdirs import user_cache_path
from sacrebleu.metrics import BLEU, CHRF
from sacrebleu.significance import PairedTest

from ...data import corpora
from ...data.normalisation import Pair
from ...translation.evaluation import bleu_and_chrf
from ...translation.translator import Translator

QUESTION = "How far apart are the translators of this book on real sentences, and on long ones?"
CONFIGURATION = {
    "corpus": "tatoeba-en-es",
    "systems": {
        "without attention": "runs/en-es-rnn-seed1/translator",
        "with attention": "en-es-rnn-attention",
        "Transformer": "en-es",
    },
    "baseline": "with attention",
    "beam_size": 4,
    "length_penalty": 0.6,
    "bootstrap": 1000,
    "lengths": {"1–4": [1, 4], "5–6": [5, 6], "7–8": [7, 8], "9–12": [9, 12], "13 and more": [13, 10_000]},
}
"""A system is a translator that comes with the book, or a folder below the user's cache of this book, where ``train``
leaves its runs. ``lengths`` count the words of the source between spaces."""
SEEDS = [0]  # nothing here is drawn but the bootstrap's samples, whose seed sacreBLEU fixes


def folder_of(system: str) -> str | Path:
    """Where a system of the configuration is.

    Raises:
        FileNotFoundError: if it is a run that is not there; the message says how to make it.
    """
    if not system.startswith("runs/"):
        return system
    folder = user_cache_path("attention-book") / system
    if not folder.is_dir():
        raise FileNotFoundError(
            f"{folder} is not there: train the model without attention first, by "
            "`python -m attention_book train en-es --preset rnn --tokens 8000000 --tokens-per-batch 1000 --seed 1`"
        )
    return folder


def paired(
    translations: dict[str, list[str]], pairs: Sequence[Pair], baseline: str, samples: int
) -> dict[str, dict[str, int | float]]:
    """Bootstrapped scores of each system, and how likely its difference from the baseline is by chance.

    Paired bootstrap resampling (Koehn 2004, §4), as sacreBLEU does it: all systems are scored on the same samples.

    Returns:
        For each system ``bleu_mean`` and ``bleu_half_width`` (of the 95 % interval), the same of chrF, and
        ``bleu_p``, ``chrf_p`` against the baseline, which has none.
    """
    references = [pair.references for pair in pairs]
    streams = [[r[i] if i < len(r) else None for r in references] for i in range(max(map(len, references)))]
    named = [(name, translations[name]) for name in sorted(translations, key=lambda name: name != baseline)]
    _, found = PairedTest(named, {"BLEU": BLEU(), "chrF": CHRF()}, streams, test_type="bs", n_samples=samples)()
    metrics: dict[str, dict[str, int | float]] = {name: {} for name, _ in named}
    for key, result in found.items():
        if key == "System":
            continue
        for (name, _), one in zip(named, result, strict=True):
            short = "bleu" if key.startswith("BLEU") else "chrf"
            metrics[name] |= {f"{short}_mean": float(one.mean), f"{short}_half_width": float(one.ci)}
            if one.p_value is not None:
                metrics[name][f"{short}_p"] = float(one.p_value)
    return metrics


def by_length(
    translations: list[str], pairs: Sequence[Pair], lengths: dict[str, list[int]]
) -> dict[str, dict[str, int | float]]:
    """Sentences, BLEU and chrF of each group of source lengths; groups without a sentence are left out."""
    found = {}
    for name, (shortest, longest) in lengths.items():
        places = [i for i, pair in enumerate(pairs) if shortest <= len(pair.source.split()) <= longest]
        if places:
            scores = bleu_and_chrf([translations[i] for i in places], [pairs[i].references for i in places])
            found[name] = {"sentences": len(places), "bleu": scores.bleu, "chrf": scores.chrf}
    return found


def run_seed(seed: int, configuration: dict[str, Any]) -> dict[str, Any]:
    """Translate the test sentences with every system and compare.

    Returns:
        ``sentences``; and for each system its training ``command``, ``parameters``, ``trained_tokens``, ``bleu``,
        ``chrf`` with their signatures, what :func:`paired` gives, and ``by_length``.
    """
    pairs = corpora.load(configuration["corpus"]).test
    search = {"beam_size": configuration["beam_size"], "length_penalty": configuration["length_penalty"]}
    sources = [pair.source for pair in pairs]
    translators = {name: Translator.from_pretrained(folder_of(s)) for name, s in configuration["systems"].items()}
    translations = {name: translator.translate(sources, **search) for name, translator in translators.items()}
    compared = paired(translations, pairs, configuration["baseline"], configuration["bootstrap"])
    metrics: dict[str, Any] = {"tokens": 0, "sentences": len(pairs), "systems": {}}
    for name, translator in translators.items():
        scores = bleu_and_chrf(translations[name], [pair.references for pair in pairs])
        metrics["systems"][name] = {
            "command": translator.results["command"],
            "parameters": translator.results["parameters"],
            "trained_tokens": translator.results["tokens"],
            "bleu": scores.bleu,
            "chrf": scores.chrf,
            "bleu_signature": scores.bleu_signature,
            "chrf_signature": scores.chrf_signature,
            **compared[name],
            "by_length": by_length(translations[name], pairs, configuration["lengths"]),
        }
    return metrics
