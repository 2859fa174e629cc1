"""Sentences in which the verb agrees with its subject, and the same sentences with a verb that does not."""

import random
from collections.abc import Collection
from typing import NamedTuple

from .grammar import Node, place
from .language import sample
from .lexicon import FUNCTION_WORDS, LEXICON
from .words import WordVocabulary


class Judged(NamedTuple):
    """A sentence of one clause, as words without the first capital.

    Attributes:
        words: its words and its mark.
        agrees: whether the verb has the form that its subject asks for.
        at: position of the word that has to agree: a verb, or a form of *do* or *be*.
    """

    words: tuple[str, ...]
    agrees: bool
    at: int


def _form_groups() -> dict[str, tuple[str, ...]]:
    """Every form of a verb with all forms of that verb."""
    verbs = [FUNCTION_WORDS["en"][name] for name in ("be", "do", "like")]
    verbs += [e.source for entries in LEXICON.values() for e in entries if e.source.kind == "verb"]
    groups = (tuple(dict.fromkeys(form.split()[0] for form in verb.forms.values())) for verb in verbs)
    return {form: group for group in groups for form in group}


FORMS = _form_groups()


def agreeing_position(clause: Node) -> int:
    """Where the word stands that agrees with the subject, as the grammar has it."""
    placed = place(clause)
    (stem,) = [element.stem for element in clause.rule.english.elements if element.agree]
    return placed.own[stem][0]


def judged_sentences(n: int, seed: int, vocabulary: WordVocabulary, exclude: Collection[str] = ()) -> list[Judged]:
    """Sentences of one clause, half of them with another form of the verb, by the toss of a fair coin.

    Args:
        n: how many.
        seed: of the sentences and of the coin.
        vocabulary: which gives a first word without its capital.
        exclude: sentences, in normal spelling, that are not drawn, neither as they are nor with another verb.
    """
    chance = random.Random(f"agreement, {seed}")
    judged = []
    for pair in sample(n, seed, clauses=1, exclude=exclude):
        words = vocabulary.tokens(vocabulary.encode(pair.source))
        at = agreeing_position(pair.derivation.clauses[0])
        agrees = chance.random() < 0.5
        if not agrees:
            words[at] = chance.choice([form for form in FORMS[words[at]] if form != words[at]])
        judged.append(Judged(tuple(words), agrees, at))
    return judged
