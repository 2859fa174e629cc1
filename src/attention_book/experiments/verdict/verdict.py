"""All ways of translating that the book has, on the same test sentences: scores, what they cost, and who loses where.

Three are neural and were trained alike: the same pairs and subwords, the same number of target tokens, batches of one
size, one recipe, one seed and one trial each. The others are counting, rules that people wrote, and the translator that
comes with the book, which was trained for longer.
"""

import os
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import torch
from platformdirs import user_cache_path
from sacrebleu.metrics import CHRF

from ...counting.text import CountingTranslator
from ...data import corpora
from ...data.normalisation import Pair
from ...translation.evaluation import bleu_and_chrf
from ...translation.translator import Translator
from ..apertium import Apertium, versions
from ..before.counting_tatoeba import interval
from ..before.translators_compared import by_length, paired
from ..translator.piece_lengths import words_of
from ..translator.vocabulary_sizes import word_recall

QUESTION = "Which way of translating is best on real sentences, by how much, at what cost, and where does it lose?"
TRAIN = "python -m attention_book train en-es --preset {} --tokens 8000000 --tokens-per-batch 1000 --seed 1"
CONFIGURATION = {
    "corpus": "tatoeba-en-es",
    "systems": {
        "counting": {"kind": "counting", "order": 3, "rounds": 10, "least_count": 2, "choices": 6, "beam_size": 20},
        "Apertium": {"kind": "Apertium"},
        "RNN": {"kind": "model", "at": "runs/en-es-rnn-seed1/translator", "made_by": TRAIN.format("rnn")},
        "RNN with attention": {"kind": "model", "at": "en-es-rnn-attention", "made_by": TRAIN.format("rnn-attention")},
        "Transformer": {
            "kind": "model",
            "at": "runs/en-es-small-seed1/translator",
            "made_by": TRAIN.format("small"),
        },
        "shipped": {"kind": "model", "at": "en-es"},
    },
    "winner": "Transformer",
    "beam_size": 4,
    "length_penalty": 0.6,
    "bootstrap": 1000,
    "lengths": {"1–4": [1, 4], "5–6": [5, 6], "7–8": [7, 8], "9–12": [9, 12], "13 and more": [13, 10_000]},
    "classes": {"never": [0, 0], "1–5": [1, 5], "6–50": [6, 50], "more": [51, 10_000_000]},
    "clearly": 10,
    "speed": {"sentences": 128, "batches": [1, 32], "rounds": 2},
}
"""A model is ``at`` a name, of one that comes with the book, or in a folder below the user's cache of this book, where
``train`` leaves its runs. ``winner`` is the system that the others are held against, sentence by sentence; ``clearly``
is a lead in chrF that is more than a letter or two. ``lengths`` count the words of the source between spaces,
``classes`` how often a word of a first reference stands on the Spanish side of the training pairs."""
SEEDS = [0]  # nothing here is drawn but the bootstrap's samples, whose seed sacreBLEU fixes


def folder_of(system: dict[str, Any]) -> str | Path:
    """Where a model of the configuration is.

    Raises:
        FileNotFoundError: if it is a run that is not there; the message says how to make it.
    """
    if not system["at"].startswith("runs/"):
        return system["at"]
    folder = user_cache_path("attention-book") / system["at"]
    if not folder.is_dir():
        raise FileNotFoundError(f"{folder} is not there: train it first, by `{system['made_by']}`")
    return folder


def cpu_seconds() -> float:
    """The processor time that this process and the programs that it started and saw end have used so far."""
    return sum(os.times()[:4])


def load(system: dict[str, Any], pairs: Sequence[Pair]) -> tuple[Any, dict[str, Any]]:
    """A system of the configuration, ready to translate, and what is known of how it was made.

    Args:
        system: its entry.
        pairs: those to count in; only the counting system looks at them.
    """
    if system["kind"] == "counting":
        chosen = {name: value for name, value in system.items() if name != "kind"}
        began = cpu_seconds()
        counted = CountingTranslator([(pair.source, pair.target) for pair in pairs], **chosen)
        return counted, {"training_seconds": cpu_seconds() - began, "training_seconds_of": "processor"}
    if system["kind"] == "Apertium":
        return Apertium(), {"versions": versions()}
    translator = Translator.from_pretrained(folder_of(system))
    record = translator.results
    known = ("command", "data_sha256", "subwords", "pairs", "parameters", "settings", "tokens", "epochs")
    known += ("training_seconds", "machine", "date")
    return translator, {name: record[name] for name in known} | {"training_seconds_of": "wall clock"}


def speed(
    translate: Callable[[list[str]], list[str]], sources: Sequence[str], batch: int, rounds: int
) -> dict[str, int | float]:
    """Sentences per second of processor time, the best of several rounds, as a busy machine only ever slows one down.

    Args:
        translate: from a list of sentences to their translations.
        sources: the sentences.
        batch: how many are handed over at once.
        rounds: how often all are translated.
    """
    taken = []
    for _ in range(rounds):
        began = cpu_seconds()
        for start in range(0, len(sources), batch):
            translate(list(sources[start : start + batch]))
        taken.append(cpu_seconds() - began)
    return {"batch": batch, "sentences": len(sources), "seconds": min(taken), "slowest": max(taken)}


def sentence_chrf(translations: Sequence[str], pairs: Sequence[Pair]) -> list[float]:
    """The chrF of each translation by itself, against all references of its sentence."""
    metric = CHRF()
    scored = (metric.sentence_score(t, list(p.references)).score for t, p in zip(translations, pairs, strict=True))
    return [float(score) for score in scored]


def sentence_by_sentence(
    mine: Sequence[float], winner: Sequence[float], pairs: Sequence[Pair], configuration: dict[str, Any]
) -> dict[str, Any]:
    """On how many sentences a system is ahead of the winner, level with it and behind it.

    Returns:
        ``ahead``, ``level``, ``behind``; ``clearly_ahead`` and ``clearly_behind``, by the lead that the configuration
        calls clear; ``by_length``, the sentences and those clearly ahead and behind, of each group of source lengths;
        and ``most``, the places in the test set of the five sentences with the largest leads.
    """
    leads = [one - other for one, other in zip(mine, winner, strict=True)]
    clearly = configuration["clearly"]
    groups = {}
    for name, (shortest, longest) in configuration["lengths"].items():
        some = [d for d, pair in zip(leads, pairs, strict=True) if shortest <= len(pair.source.split()) <= longest]
        if some:
            ahead, behind = sum(d >= clearly for d in some), sum(d <= -clearly for d in some)
            groups[name] = {"sentences": len(some), "clearly_ahead": ahead, "clearly_behind": behind}
    return {
        "ahead": sum(d > 0 for d in leads),
        "level": sum(d == 0 for d in leads),
        "behind": sum(d < 0 for d in leads),
        "clearly_ahead": sum(d >= clearly for d in leads),
        "clearly_behind": sum(d <= -clearly for d in leads),
        "by_length": groups,
        "most": sorted(range(len(leads)), key=lambda i: (-leads[i], i))[:5],
    }


def compared(translations: dict[str, list[str]], pairs: Sequence[Pair], samples: int) -> dict[str, Any]:
    """The bootstrapped scores of each system, and the p-values of every pair of systems.

    Returns:
        ``scores`` as `paired` gives them, without p; ``pairs``, a list of [one, other, p of BLEU, p of chrF].
    """
    names, scores, tests = list(translations), {}, []
    for place, one in enumerate(names[:-1]):
        found = paired({name: translations[name] for name in names[place:]}, pairs, one, samples)
        for other in names[place + 1 :]:
            tests.append([one, other, found[other].pop("bleu_p"), found[other].pop("chrf_p")])
        scores = found | scores
    return {"scores": scores, "pairs": tests}


def look_at(
    translations: list[str], pairs: Sequence[Pair], counts: Counter[str], configuration: dict[str, Any]
) -> dict[str, Any]:
    """The scores of one system, by length and by word; ``exact`` counts translations that are one of the references."""
    c = configuration
    scores = bleu_and_chrf(translations, [pair.references for pair in pairs])
    groups = by_length(translations, pairs, c["lengths"])
    for name in groups:
        shortest, longest = c["lengths"][name]
        places = [i for i, pair in enumerate(pairs) if shortest <= len(pair.source.split()) <= longest]
        few = [translations[i] for i in places], [pairs[i].references for i in places]
        groups[name]["bleu_half_width"] = float(interval(*few, c["bootstrap"])["half_width"])
    return {
        "bleu": scores.bleu,
        "chrf": scores.chrf,
        "bleu_signature": scores.bleu_signature,
        "chrf_signature": scores.chrf_signature,
        "empty": sum(not translation.strip() for translation in translations),
        "exact": sum(translation in pair.references for translation, pair in zip(translations, pairs, strict=True)),
        "by_length": groups,
        "recall": word_recall(translations, pairs, counts, c["classes"]),
    }


def run_system(system: dict[str, Any], corpus: corpora.Corpus, configuration: dict[str, Any]) -> dict[str, Any]:
    """Let one system translate the test sentences, and time it on the first of them.

    Returns:
        ``translations``; how the system was ``made``; its ``speed`` with each size of batch.
    """
    c = configuration
    sources = [pair.source for pair in corpus.test]
    search = {"beam_size": c["beam_size"], "length_penalty": c["length_penalty"]}
    translator, made = load(system, corpus.train)
    few, rounds = sources[: c["speed"]["sentences"]], c["speed"]["rounds"]
    return {
        "translations": translator.translate(sources, **search),
        "made": made,
        "speed": [
            speed(lambda some: translator.translate(some, **search), few, batch, rounds)
            for batch in c["speed"]["batches"]
        ],
    }


def run_seed(seed: int, configuration: dict[str, Any]) -> dict[str, Any]:
    """Translate the test sentences with every system and compare; one thread throughout.

    Returns:
        ``sentences``; ``pairs``, the p-values of every two systems; ``best_of_the_others``, on how many sentences some
        system other than the winner and the shipped one is clearly ahead of the winner; and for each of the ``systems``
        how it was ``made``, its ``speed``, what `look_at` gives, its bootstrapped scores, and ``against_winner`` what
        `sentence_by_sentence` gives.
    """
    c = configuration
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        corpus = corpora.load(c["corpus"])
        systems = {name: run_system(system, corpus, c) for name, system in c["systems"].items()}
    finally:
        torch.set_num_threads(threads)
    pairs = corpus.test
    counts = Counter(word for pair in corpus.train for word in words_of(pair.target))
    translations = {name: entry.pop("translations") for name, entry in systems.items()}
    tested = compared(translations, pairs, c["bootstrap"])
    by_sentence = {name: sentence_chrf(texts, pairs) for name, texts in translations.items()}
    ours = by_sentence[c["winner"]]
    for name, entry in systems.items():
        entry |= look_at(translations[name], pairs, counts, c) | tested["scores"][name]
        if name != c["winner"]:
            entry["against_winner"] = sentence_by_sentence(by_sentence[name], ours, pairs, c)
    others = [by_sentence[name] for name in systems if name not in (c["winner"], "shipped")]
    best = [max(scores) - own for *scores, own in zip(*others, ours, strict=True)]
    return {
        "tokens": 0,
        "sentences": len(pairs),
        "systems": systems,
        "pairs": tested["pairs"],
        "best_of_the_others": sum(lead >= c["clearly"] for lead in best),
    }
