"""Sixty English sentences of our own, with a second word of the same kind for most words, and words as pieces."""

import re
from collections.abc import Sequence
from typing import NamedTuple

SPELLED = """
The [red|blue] [house|book] is [old|new].
My [sister|brother] lives in [Madrid|London].
I [like|see] [cats|dogs].
[She|He] [bought|sold] a [white|black] [car|table].
The [tall|young] [man|woman] [drinks|sells] [coffee|milk].
[We|They] are [waiting|looking] for the [train|doctor].
The [girl|boy] is reading a [long|funny] [letter|story].
[Tom|Mary] [wants|needs] a [new|cheap] [bicycle|computer].
There is a [cat|dog] under the [table|chair].
The [small|big] [window|door] is [open|closed].
[I|We] don't eat [meat|fish].
Do [you|they] have [two|three] [brothers|sisters]?
The [water|soup] is [cold|hot].
[He|She] works in a [hospital|school].
My [father|mother] [reads|buys] the [newspaper|magazine] every [day|week].
The [children|students] are playing in the [garden|street].
[Her|His] [dress|shirt] is [yellow|white].
I lost my [keys|money] [yesterday|today].
The [teacher|nurse] speaks [Spanish|French] [well|badly].
[Where|When] did you [see|find] the [bird|horse]?
The [river|road] is [long|wide].
[They|We] [arrived|left] at [six|nine].
[This|That] [story|song] is very [sad|short].
The [white|black] [horse|cow] is [tired|hungry].
I have [never|always] [seen|liked] the [sea|snow].
[Anna|Peter] gave me a [red|green] [apple|hat].
The [old|young] [doctor|lawyer] has a [big|small] [family|office].
[We|They] will [sell|paint] the [house|boat] [tomorrow|soon].
The [soup|bread] was [good|bad].
My [friend|neighbor] is a [good|famous] [singer|writer].
The [boys|girls] [broke|opened] the [window|box].
[She|He] is [afraid|tired] of the [dark|rain].
Is the [bank|library] [open|closed] on [Monday|Sunday]?
The [plane|bus] from [Paris|Rome] is [late|early].
I [forgot|wrote] her [name|address].
The [moon|sun] is [bright|red] [tonight|today].
[Nobody|Everybody] [knows|believes] the [answer|truth].
The [king|queen] had [three|four] [daughters|sons].
[He|She] [cut|washed] the [apple|knife] with care.
The [cheese|cake] is in the [kitchen|box].
[Our|Their] [garden|house] is [beautiful|small].
I [want|have] to [learn|teach] [English|German].
The [shop|museum] is near the [church|station].
[Yesterday|Today] it [rained|snowed] in the [city|mountains].
The [blue|green] [shirt|coat] is too [expensive|small].
[Some|Many] [people|animals] [sleep|eat] at night.
My [grandmother|uncle] [makes|sells] [bread|cheese].
[He|She] put the [bottle|plate] on the [table|floor].
The [film|concert] [begins|ends] at [eight|ten].
You can [drink|cook] with this [water|oil].
The [new|old] [bridge|tower] is [high|safe].
[Please|Now] close the [door|book].
[He|She] has [blue|green] [eyes|shoes].
The [nurse|cook] [helped|called] the [sick|old] [woman|man].
We [live|work] far from the [city|beach].
The [flowers|trees] in the [park|picture] are [white|tall].
[I|They] [hear|see] the [music|river].
[Mary|Tom] is [younger|taller] than her [sister|cousin].
The [snow|ice] is [cold|white].
[What|Who] did the [policeman|child] [say|see]?
"""
"""A line a sentence. ``[house|book]``: the sentence has *house*, and *book* is another word of its kind."""

_CHOICE = re.compile(r"\[(?P<own>[^|\]]+)\|(?P<other>[^\]]+)\]")


class Exchangeable(NamedTuple):
    """A sentence, and its sentences with one word exchanged, each with the word's place among those split by spaces."""

    text: str
    exchanged: tuple[tuple[int, str], ...]


def read(spelled: str) -> Exchangeable:
    """A sentence as in `SPELLED`.

    Raises:
        ValueError: if a choice has more than one word on a side, or brackets are left.
    """
    choices = list(_CHOICE.finditer(spelled))
    if any(" " in choice.group() for choice in choices) or re.search(r"[\[\]|]", _CHOICE.sub("", spelled)):
        raise ValueError(f"{spelled!r}: a choice reads [word|other], with one word on each side")
    found = [(spelled[: one.start()].count(" "), _with(spelled, one.start())) for one in choices]
    return Exchangeable(_with(spelled, None), tuple(found))


def _with(spelled: str, exchanged: int | None) -> str:
    """The sentence with the other word in the choice that begins there, and its own words in all others."""
    return _CHOICE.sub(lambda choice: choice["other" if choice.start() == exchanged else "own"], spelled)


def sentences() -> list[Exchangeable]:
    """All sixty, in their order."""
    return [read(line) for line in SPELLED.strip().splitlines()]


def is_mark(piece: str) -> bool:
    """Whether a piece has no letter and no digit."""
    return not any(character.isalnum() for character in piece)


def words_of_pieces(pieces: Sequence[str]) -> list[list[int]]:
    """The places of the pieces of each word; a mark is a word of its own.

    Args:
        pieces: as :meth:`Subwords.tokens` shows them, a space that belongs to a piece as ▁, without ``</s>``.
    """
    words: list[list[int]] = []
    for place, piece in enumerate(pieces):
        goes_on = words and not piece.startswith("▁") and is_mark(piece) == is_mark(pieces[place - 1])
        if goes_on and not is_mark(piece):
            words[-1].append(place)
        else:
            words.append([place])
    return words


def spelled(pieces: Sequence[str]) -> str:
    """A word as its pieces spell it, without the sign for a space."""
    return "".join(pieces).replace("▁", "")
