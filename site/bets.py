"""Sphinx extension: a reader's bet, and the place where the page settles it.

````
:::{bet} arrival
:choices: fewer than seven times | about seven times | far more
How many times as much will arrive from input 5 as from input 2?
:::

…

:::{settled} arrival
**Seven times as many chains, but nineteen times as much.**
:::
````

A bet has fields for the answer: `choices`, of which a reader takes one (or, with `several`, as many as are wanted), or
`blanks`, each a text with `…` where the reader writes. Both are lists whose parts are separated by `|`. Once a reader
has bet, the script `bets.js` repeats the bet where it is settled. Nothing is hidden, judged or sent: the fields are
part of the page, so that nothing moves when the script comes, and they work without it. In a notebook and in an
e-book, the choices and blanks stand in a line of text.

A bet that its page does not settle further down, and a settlement without a bet, are warnings.
"""

import html
import re
from typing import ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective

NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
BLANK = "…"
LINE = "____"
MOST = 8

logger = logging.getLogger(__name__)


class WrongBet(ValueError):
    """The fields of a bet cannot be drawn; the message says why."""


class Bet(nodes.container):
    """A question with the fields for a reader's answer: `name`, `fields` as HTML, and `line`, the same as text."""


class Settled(nodes.container):
    """What settles a bet: `name`, the bet's."""


def parts_of(text):
    """The parts of a list that `|` separates.

    Raises:
        WrongBet: if one is empty or stands twice, or if there are too many.
    """
    parts = [part.strip() for part in text.split("|")]
    if "" in parts:
        raise WrongBet("a part between two '|' is empty")
    if twice := {part for part in parts if parts.count(part) > 1}:
        raise WrongBet(f"{sorted(twice)[0]!r} stands twice")
    if len(parts) > MOST:
        raise WrongBet(f"{len(parts)} parts are more than the {MOST} that a reader sees at a glance")
    return parts


def fields(group, options):
    """The fields of a bet as HTML.

    Args:
        group: what the browser calls the bet, the same for no other bet on the page.
        options: of the directive.

    Raises:
        WrongBet: if the options do not say what a reader can answer.
    """
    if ("choices" in options) == ("blanks" in options):
        raise WrongBet("a bet has either ':choices: this | that' or ':blanks: … times as many'")
    if "choices" in options:
        choices = parts_of(options["choices"])
        if len(choices) < 2:
            raise WrongBet("a choice is one of two at least")
        kind = "checkbox" if "several" in options else "radio"
        made = [choice(kind, group, text) for text in choices]
    elif "several" in options:
        raise WrongBet("':several:' goes with ':choices:'")
    else:
        made = [blank(text) for text in parts_of(options["blanks"])]
    return f'<fieldset class="bet-fields"><legend>Your bet</legend>{"".join(made)}</fieldset>'


def line(options):
    """The fields of a bet as a line of text, for readers who have no fields."""
    parts = parts_of((options.get("choices") or options["blanks"]).replace(BLANK, LINE))
    return f"Your bet: {' / '.join(parts)}"


def choice(kind, group, text):
    """One answer to take."""
    name = html.escape(group, quote=True)
    return f'<label class="bet-choice"><input type="{kind}" name="{name}"><span>{html.escape(text)}</span></label>'


def blank(text):
    """One answer to write, among the words that stand around it.

    Raises:
        WrongBet: if there is not exactly one place to write.
    """
    if text.count(BLANK) != 1:
        raise WrongBet(f"{text!r} needs one '{BLANK}', where the reader writes")
    before, after = (html.escape(part.strip()) for part in text.split(BLANK))
    told = html.escape(text, quote=True)
    field = f'<input type="text" size="7" maxlength="40" autocomplete="off" spellcheck="false" data-told="{told}">'
    return f'<label class="bet-blank">{" ".join(part for part in (before, field, after) if part)}</label>'


class About(SphinxDirective):
    """What the two directives share: a name, and text in MyST."""

    required_arguments = 1
    final_argument_whitespace = True
    has_content = True

    def block(self, kind, **attributes):
        """The node, with the name and the text that stands within it."""
        name = self.arguments[0]
        if not NAME.fullmatch(name):
            raise self.error(f"{self.name} {name!r}: a name has small letters and digits, with hyphens between words")
        self.assert_has_content()
        node = kind("", name=name, **attributes)
        self.set_source_info(node)
        self.state.nested_parse(self.content, self.content_offset, node)
        return [node]


class BetDirective(About):
    """Asks a reader for a bet."""

    option_spec: ClassVar = {
        "choices": directives.unchanged_required,
        "blanks": directives.unchanged_required,
        "several": directives.flag,
    }

    def run(self):
        name = self.arguments[0]
        try:
            made = fields(f"{self.env.docname} {name}", self.options)
            return self.block(Bet, fields=made, line=line(self.options))
        except WrongBet as fault:
            raise self.error(f"bet {name}: {fault}") from fault


class SettledDirective(About):
    """Settles a bet."""

    def run(self):
        return self.block(Settled)


def faults_of(doctree):
    """What is wrong with the bets of a page: (the node, what to say of it)."""
    seen, settled = {}, set()
    for node in doctree.findall(lambda one: isinstance(one, Bet | Settled)):
        name = node["name"]
        if isinstance(node, Bet):
            if name in seen:
                yield node, f"the bet {name!r} stands twice on this page"
            seen[name] = node
        elif name in seen:
            settled.add(name)
        else:
            yield node, f"no bet {name!r} stands above what settles it"
    for name, node in seen.items():
        if name not in settled:
            yield node, f"the bet {name!r} is not settled: put ':::{{settled}} {name}' around what answers it"


def check_bets(app, doctree):
    for node, fault in faults_of(doctree):
        logger.warning("%s", fault, location=node, type="bet")


def visit_bet(self, node):
    self.body.append(self.starttag(node, "div", CLASS="bet", **{"data-bet": address(self, node)}))


def depart_bet(self, node):
    self.body.append(f"{node['fields']}</div>\n")


def visit_settled(self, node):
    self.body.append(self.starttag(node, "div", CLASS="settled", **{"data-bet": address(self, node)}))
    self.body.append('<p class="bet-told" hidden></p>')


def depart_settled(self, _node):
    self.body.append("</div>\n")


def address(writer, node):
    """What a bet is called in the whole book: by its page and its name."""
    return f"{writer.builder.current_docname} {node['name']}"


def setup(app):
    app.add_node(Bet, html=(visit_bet, depart_bet))
    app.add_node(Settled, html=(visit_settled, depart_settled))
    app.add_directive("bet", BetDirective)
    app.add_directive("settled", SettledDirective)
    app.connect("doctree-read", check_bets)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
