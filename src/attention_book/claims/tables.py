"""The decided claims as they are read: a table for the terminal, and a list of cards for the page of the appendix."""

import html
import math
import re
import textwrap
from collections.abc import Iterable, Mapping
from typing import Any

from ..pages.sections import HERE, section
from .claim import Claim
from .printed import in_tens

VERDICTS = ("right", "wrong", "misleading", "unsupported")
_NARROW = 76  # below this many columns, claim and reason stand one under the other
_LONG, _MANY = 300, 6  # characters and entries of a value that a page shows without being asked


def counts(answers: Mapping[str, Mapping[str, Any]]) -> dict[str, int]:
    """How many claims got each verdict, in the order of ``VERDICTS``."""
    found = [answer["verdict"] for answer in answers.values()]
    return {verdict: found.count(verdict) for verdict in VERDICTS}


def of_kinds(claims: Iterable[Claim]) -> dict[str, list[Claim]]:
    """The claims by the first letter of their ids: N for worked numbers, F for formulas, M for mechanism."""
    found = list(claims)
    return {kind: [claim for claim in found if claim.id[0] == kind] for kind in "NFM"}


def numbers(claims: Iterable[Claim], answers: Mapping[str, Mapping[str, Any]]) -> dict[str, int]:
    """What the text of the page is given, by name: how many claims there are, in all and of each kind and verdict.

    Args:
        claims: the claims.
        answers: what ``decided`` returned, an answer for each.
    """
    found = {"n_claims": len(answers), **counts(answers)}
    for kind, some in of_kinds(claims).items():
        count = counts({claim.id: answers[claim.id] for claim in some})
        found |= {f"{kind}_all": len(some), **{f"{kind}_{verdict}": n for verdict, n in count.items()}}
    return found


def said_html(claims: Iterable[Claim], ids: Iterable[str]) -> str:
    """A list of what some claims say, without their verdicts, in the order of the claims."""
    chosen = set(ids)
    items = [(claim.id, html.escape(claim.claim, quote=False)) for claim in claims if claim.id in chosen]
    return "<ul>" + "".join(f"<li><strong>{name}</strong> {said}</li>" for name, said in items) + "</ul>"


def as_text(claims: Iterable[Claim], answers: Mapping[str, Mapping[str, Any]], width: int = 100) -> str:
    """A table for the terminal: id, verdict, claim and why, wrapped to the width, and a line of counts below.

    Args:
        claims: the claims, of which those with an answer are shown.
        answers: what ``decided`` returned.
        width: columns of the terminal; at least 40 are used.
    """
    width = max(width, 40)
    front = f"{'id':<5}{'verdict':<13}"
    room = width - len(front)
    side = (room - 2) // 2 if width >= _NARROW else room
    header = front + ("claim".ljust(side + 2) + "why" if width >= _NARROW else "claim, and why")
    lines = [header, "-" * width]
    for claim in claims:
        if claim.id not in answers:
            continue
        answer = answers[claim.id]
        said, why = (textwrap.wrap(text, side) for text in (claim.claim, answer["why"]))
        if width >= _NARROW:
            height = max(len(said), len(why))
            pairs = zip(*(cells + [""] * (height - len(cells)) for cells in (said, why)), strict=True)
            body = [f"{left:<{side}}  {right}" for left, right in pairs]
        else:
            body = [*said, *(f"  {line}" for line in textwrap.wrap(answer["why"], side - 2))]
        first = f"{claim.id:<5}{answer['verdict']:<13}"
        lines += [f"{first if n == 0 else ' ' * len(first)}{line}".rstrip() for n, line in enumerate(body)] + [""]
    told = ", ".join(f"{number} {verdict}" for verdict, number in counts(answers).items() if number)
    return "\n".join([*lines, f"{len(answers)} claim{'' if len(answers) == 1 else 's'}: {told}"])


def as_html(claims: Iterable[Claim], answers: Mapping[str, Mapping[str, Any]]) -> str:
    """A list with one card a claim, its anchor ``claim-ID``; links lead to the sections that settle them.

    Raises:
        LookupError: if a section is not there.
    """
    cards, shown = [], {}
    for claim in claims:
        if claim.id in answers:
            value = readable(answers[claim.id]["value"])
            cards.append(_card(claim, answers[claim.id], shown.setdefault(value, claim.id)))
    return f'<ul class="claims">{"".join(cards)}</ul>'


def filter_html(answers: Mapping[str, Mapping[str, Any]]) -> str:
    """Radio buttons that choose a verdict, and a box that hides the answers; the page's style sheet does both."""
    choices = {"all": len(answers), **counts(answers)}
    buttons = "".join(
        f'<label><input type="radio" name="claims-shown" id="claims-shown-{name}" autocomplete="off"'
        f"{' checked' if name == 'all' else ''}> {name} ({number})</label>"
        for name, number in choices.items()
    )
    box = '<input type="checkbox" id="claims-hidden" autocomplete="off">'
    hide = f"<label>{box} hide answers until I click a claim</label>"
    return f'<fieldset class="claims-filter"><legend>Which verdicts to show</legend>{buttons}<br>{hide}</fieldset>'


def _card(claim: Claim, answer: Mapping[str, Any], first: str) -> str:
    """A card; where its value is long and stands in the card of ``first`` already, it leads there."""
    verdict, value = answer["verdict"], readable(answer["value"])
    computed = f'<div class="claim-value"><span class="claim-name">Computed:</span> {value}</div>'
    if len(re.sub(r"<[^>]*>", "", value)) > _LONG or value.count("<dt>") > _MANY:
        computed = f'<details class="claim-value"><summary class="claim-name">Computed</summary>{value}</details>'
        if first != claim.id:
            computed = f'<div class="claim-value">Computed as for <a href="#claim-{first}">{first}</a>.</div>'
    page = answer["chapter"].partition("#")[0]
    if page == HERE:
        settled = "Settled here; a chapter to come settles it better."
    else:
        address = f"../{page}.html#{answer['chapter'].partition('#')[2]}"
        settled = f'Settled in <a href="{html.escape(address)}">{html.escape(section(answer["chapter"]))}</a>.'
    return (
        f'<li class="claim" id="claim-{claim.id}" data-verdict="{verdict}" tabindex="-1"><p class="claim-head">'
        f'<a href="#claim-{claim.id}">{claim.id}</a> <strong>{verdict}</strong></p>'
        f'<div><p class="claim-said">{html.escape(claim.claim)}</p><div class="claim-answer">'
        f"<p>{html.escape(answer['why'])}</p>{computed}<p>{settled}</p></div></div></li>"
    )


def readable(value: Any) -> str:
    """A value as short HTML: numbers to four digits, a mean with its standard error, a matrix row by row."""
    if isinstance(value, Mapping):
        items = "".join(f"<dt><code>{html.escape(key)}</code></dt><dd>{text}</dd>" for key, text in _entries(value))
        return f"<dl>{items}</dl>"
    if isinstance(value, list):
        texts = [readable(item) for item in value]
        if any(isinstance(item, (list, Mapping)) for item in value):
            return "".join(f'<div class="claim-row">{text}</div>' for text in texts)
        return f"({', '.join(texts)})"
    if isinstance(value, bool) or value is None:
        return {True: "yes", False: "no", None: "none"}[value]
    return _number(value) if isinstance(value, (int, float)) else html.escape(str(value))


def _entries(value: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Names and texts of a mapping; a number whose standard error stands beside it takes it up."""
    found = []
    for key, item in value.items():
        if key.endswith("_se") and key[:-3] in value:
            continue
        error = value.get(f"{key}_se")
        found.append((key, readable(item) if error is None else _with_error(item, error)))
    return found


def _number(number: int | float) -> str:
    """Four significant digits, or as many more as it takes to tell a fraction from a whole number; tens to a power.

    Whole numbers below ten thousand, years among them, have no space for the thousands.
    """
    if isinstance(number, int) and abs(number) < 1e4:
        return str(number)
    if isinstance(number, int) or (float(number).is_integer() and abs(number) < 1e6):
        return f"{int(number):,}".replace(",", "\N{NARROW NO-BREAK SPACE}")
    if not 1e-3 <= abs(number) < 1e6:
        front, _, tens = in_tens(number, 3).partition(" · ")
        return f"{front.rstrip('0').rstrip('.')} · {tens}"
    if abs(number) >= 1e3:
        return f"{number:,.1f}".replace(",", "\N{NARROW NO-BREAK SPACE}")
    texts = [f"{number:.{digits}g}" for digits in range(4, 13)]
    return next((text for text in texts if not float(text).is_integer()), texts[0])


def _with_error(mean: float, error: float) -> str:
    """A mean to the first digit of its standard error."""
    if not error > 0 or not mean:
        return f"{_number(mean)} ± {_number(error)}"
    tens = math.floor(math.log10(abs(mean))) if abs(mean) < 1e-3 else 0
    digits = max(0, tens - math.floor(math.log10(error)))
    text = f"{mean / 10**tens:.{digits}f} ± {error / 10**tens:.{digits}f}"
    return f"({text}) · {in_tens(10.0**tens, 1).partition(' · ')[2]}" if tens else text
