"""Scripts without comments and spaces that nothing reads; every name, string and template stays as it is.

A script is read as a browser reads it, word by word, as templates hold code and code templates (which is where a
well-known tool for this loses spaces of texts). A line's end stays where it might end a statement. Comments that name a
licence stay.
"""

import re

WORDS = re.compile(
    r"(?P<space>\s+)|(?P<remark>/\*[\s\S]*?\*/|//[^\n]*)|(?P<text>\"(?:[^\"\\\n]++|\\[\s\S])*\"|'(?:[^'\\\n]++|\\[\s\S])*')"
    r"|(?P<name>(?:[\w$#]|\\u[0-9a-fA-F]{4})+)|(?P<sign>[()\[\];,.:=<>!&|+*%?^~-]+|.)"
)
PATTERN = re.compile(r"/(?:[^/\\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+/[a-z]*")
INSIDE = re.compile(r"(?:[^`\\$]++|\\[\s\S]|\$(?!\{))*")  # of a template, up to its end or to code
BEFORE_A_PATTERN = re.compile(r"(?:return|typeof|case|in|of|do|else|void|delete|throw|new|await|yield)$")
RIGHTS = re.compile(r"[Ll]icen[sc]e|[Cc]opyright")
OPENS = set("{([,;:?=&|<*%^~!")  # after these, and before those, the end of a line ends nothing
CLOSES = set(")]},;:?.=&|*%^")


def pieces(script, place=0, braces=False):
    """The words of a script from `place` on, up to the end of the code of a template if `braces`.

    Yields:
        (kind, word, where it ends): `space`, `remark`, `text`, `pattern`, `template` (its parts between code), `name`
        or `sign`.

    Raises:
        ValueError: if a template has no end.
    """
    depth, last = 0, ("sign", "")
    while place < len(script):
        match = WORDS.match(script, place)
        kind, word = match.lastgroup, match.group(0)
        if word == "`":
            kind, begin = "template", place
            inner, place = [], place + 1
            while True:
                end = INSIDE.match(script, place).end()
                inner.append(("template", script[begin:end]))
                if script[end : end + 1] == "`":
                    inner[-1] = ("template", script[begin : end + 1])
                    place = end + 1
                    break
                if script[end : end + 2] != "${":
                    raise ValueError(f"a template has no end: {script[begin : begin + 40]!r}")
                inner[-1] = ("template", script[begin : end + 2])
                code, place = shortened(script, end + 2, braces=True)
                inner.append(("code", code))
                begin = place
                place += 1  # the brace that closes the code
            word, last = "".join(one for _, one in inner), (kind, "`")
            yield kind, word, place
            continue
        pattern = PATTERN.match(script, place) if word == "/" else None
        ended = last[0] in ("text", "template", "pattern") or last[1][-1:] in (")", "]", "}")
        if pattern and not ended and (last[0] != "name" or BEFORE_A_PATTERN.match(last[1])):
            kind, word = "pattern", pattern.group(0)
        if braces and word == "{":
            depth += 1
        if braces and word == "}":
            if not depth:
                return
            depth -= 1
        place += len(word)
        if kind not in ("space", "remark"):
            last = (kind, word)
        yield kind, word, place
    if braces:
        raise ValueError("the code of a template has no end")


def between(left, right, lines):
    """What has to stand between two words: a line's end where it may end a statement, a space where they would join."""
    if not left or not right:
        return ""
    one, other = left[-1], right[0]
    if lines and one not in OPENS and other not in CLOSES:
        return "\n"
    joins = re.compile(r"[\w$#\\]")
    both = joins.match(one) and joins.match(other)
    digits = left[0].isdigit() and other == "."
    return " " if both or digits or one + other in {"++", "--", "+-", "-+", "//", "/*", "<!", "->"} else ""


def shortened(script, place=0, braces=False):
    """A script, or the code of a template, in fewer letters, and where it ends."""
    text, left, spaces, lines = [], "", False, False
    for kind, word, end in pieces(script, place, braces):
        place = end
        if kind == "remark" and RIGHTS.search(word):
            text.append(f"{word}\n" if not text or text[-1].endswith("\n") else f"\n{word}\n")
            left, spaces, lines = "", False, False
        elif kind in ("space", "remark"):
            spaces, lines = True, lines or "\n" in word
        else:
            text.append((between(left, word, lines) if spaces else "") + word)
            left, spaces, lines = word, False, False
    return "".join(text), place


def texts(script):
    """The strings and templates of a script."""
    return [word for kind, word, _ in pieces(script) if kind in ("text", "template")]


def short(script):
    """A script in fewer letters.

    Raises:
        ValueError: if a template of it has no end.
    """
    return shortened(script)[0]
