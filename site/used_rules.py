"""The rules of a style sheet that some page can use: the theme's sheets hold thousands that none does.

A rule goes only if its selector names a class or an id that stands nowhere in the book's pages and scripts, as a whole
word. What a selector says in brackets (`:not(…)`, `[…]`) is not looked at, so that a doubtful rule stays. A variable
(`--x: …`) goes if nothing asks for it, or only variables that go.
"""

import re

import tinycss2
from kept_files import kept

REMARK = re.compile(r"/\*.*?\*/", re.S)
SPACE = re.compile(r"\s*\n\s*")
WORD = re.compile(r"[A-Za-z_][\w-]*")
VARIABLE = re.compile(r"--[\w-]+")
GROUPS = {"media", "supports", "layer"}  # rules that hold rules
# Names that scripts put together from parts, such as "bs-tooltip-" and a place: all that begin with these stay.
COMPOSED = ("bs-tooltip", "tooltip", "pst-", "sbt-")


def words(texts):
    """Every word of these texts that could be the name of a class."""
    found = set()
    for text in texts:
        found.update(WORD.findall(text))
    return found


def declarations(content):
    """What a rule says, one by one, as (the name of the variable that it defines or None, its text)."""
    parts = [[]]
    for token in content:
        if token.type == "literal" and token.value == ";":
            parts.append([])
        else:
            parts[-1].append(token)
    found = []
    for part in parts:
        first = next((one for one in part if one.type not in ("whitespace", "comment")), None)
        variable = first.value if first is not None and first.type == "ident" and first.value[:2] == "--" else None
        text = SPACE.sub(" ", REMARK.sub("", tinycss2.serialize(part))).strip()
        found += [(variable, text)] if text else []
    return found


def asked_variables(sheets, others):
    """The variables that something asks for.

    Args:
        sheets: the texts of all style sheets.
        others: what else may ask for a variable: pages and scripts.
    """
    asked = {name for text in others for name in VARIABLE.findall(text)}
    behind = {}

    def look(rules):
        for rule in rules:
            inside = getattr(rule, "content", None)
            if inside is None:
                asked.update(VARIABLE.findall(rule.serialize()))
            elif rule.type == "at-rule" and rule.lower_at_keyword in GROUPS:
                look(tinycss2.parse_rule_list(inside, skip_comments=True, skip_whitespace=True))
            else:
                for variable, text in declarations(inside):
                    found = VARIABLE.findall(text.partition(":")[2] if variable else text)
                    (behind.setdefault(variable, set()) if variable else asked).update(found)

    for sheet in sheets:
        look(tinycss2.parse_stylesheet(sheet, skip_comments=True, skip_whitespace=True))
    new = set(asked)
    while new:
        new = set().union(*(behind.get(name, set()) for name in new)) - asked
        asked |= new
    return asked


def names(selector):
    """The classes and ids that an element and those around it must have, of a selector given as tokens."""
    found, previous = [], None
    for token in selector:
        if (token.type == "ident" and previous is not None and previous == ".") or token.type == "hash":
            found.append(token.value)
        previous = token.value if token.type == "literal" else None
    return found


def selectors(prelude):
    """The selectors between the commas of a rule's head, as lists of tokens."""
    parts = [[]]
    for token in prelude:
        if token.type == "literal" and token.value == ",":
            parts.append([])
        else:
            parts[-1].append(token)
    return parts


def _kept(rule, known, asked):
    """The text of a rule as far as it can apply; empty if it cannot."""
    if rule.type == "qualified-rule":
        able = [
            one for one in selectors(rule.prelude)
            if all(name in known or name.startswith(COMPOSED) for name in names(one))
        ]  # fmt: skip
        heads = [tinycss2.serialize(one).strip() for one in able]
        body = ";".join(
            text
            for variable, text in declarations(rule.content)
            if asked is None or variable is None or variable in asked
        )
        return f"{','.join(heads)}{{{body}}}" if heads and body else ""
    if rule.type == "at-rule" and rule.content is not None and rule.lower_at_keyword in GROUPS:
        inner = tinycss2.parse_rule_list(rule.content, skip_comments=True, skip_whitespace=True)
        text = "".join(_kept(one, known, asked) for one in inner)
        return f"@{rule.at_keyword}{tinycss2.serialize(rule.prelude)}{{{text}}}" if text else ""
    return rule.serialize()


def used(css, known, asked=None, place=None):
    """The style sheet `css` without the rules that cannot apply.

    Args:
        css: its text.
        known: the words of all pages and scripts.
        asked: the variables that something asks for; all stay if None.
        place: the folder where sheets that were made before are kept, if they are.

    Raises:
        ValueError: if the sheet cannot be read as a browser would read it.
    """
    named = known & set(WORD.findall(css))  # the others cannot matter
    return kept(place, _used, css, named, asked).decode()


def _used(css, known, asked):
    """`used`, made anew, as bytes."""
    rules = tinycss2.parse_stylesheet(css, skip_comments=True, skip_whitespace=True)
    if wrong := [rule for rule in rules if rule.type == "error"]:
        raise ValueError(f"line {wrong[0].source_line} of the style sheet: {wrong[0].message}")
    moving = {rule: rule for rule in rules if rule.type == "at-rule" and rule.lower_at_keyword.endswith("keyframes")}
    texts = [(rule, _kept(rule, known, asked)) for rule in rules]
    still = "".join(text for rule, text in texts if rule not in moving)
    return "".join(
        text for rule, text in texts
        if rule not in moving or tinycss2.serialize(rule.prelude).strip() in still
    ).encode()  # fmt: skip
