"""A drawing as a tree of parts, each with its look, and back as SVG in few letters."""

import re

LEAVES = ("defs", "text", "style")  # what is within these stays as it is
TOKEN = re.compile(rf"<({'|'.join(LEAVES)})\b.*?</\1>|<[^>]*>|[^<]+", re.S)
OPENING = re.compile(r"<([\w:]+)((?:\s+[\w:-]+=\"[^\"]*\")*)\s*(/?)>")
ATTRIBUTE = re.compile(r"([\w:-]+)=\"([^\"]*)\"")
# What a part takes from the group around it, if it does not say otherwise: the group can say it for all of its parts.
INHERITED = re.compile(r"(?:fill|stroke|font|text-anchor|paint-order)\b")
CUT = "clip-path:"
GROUP = '<g style=""></g>'


class Part:
    """An element: its name, its attributes but for its look, its look (`fill:red`, one by one), and what it holds."""

    def __init__(self, name, attributes=None, look=(), inside=()):
        self.name, self.attributes = name, attributes or {}
        self.look, self.inside = list(look), list(inside)

    def __str__(self):
        style = ";".join(one for one in self.look if not one.startswith(CUT))
        cut = "".join(one.removeprefix(CUT) for one in self.look if one.startswith(CUT))
        attributes = self.attributes | ({"clip-path": cut} if cut else {}) | ({"style": style} if style else {})
        head = "".join(f' {name}="{value}"' for name, value in attributes.items())
        inside = "".join(map(str, self.inside))
        return f"<{self.name}{head}>{inside}</{self.name}>" if inside else f"<{self.name}{head}/>"

    def moved(self):
        """Whether it lies in a plane of its own, where a cut would lie elsewhere."""
        return "transform" in self.attributes or self.name == "use"

    def sayable(self):
        """What of its look a group around it could say for it: not what it says twice."""
        kinds = [re.match(r"font|[\w-]+", one).group(0) for one in self.look]
        return frozenset(
            one
            for one, kind in zip(self.look, kinds, strict=True)
            if kinds.count(kind) == 1 and (INHERITED.match(one) or (one.startswith(CUT) and not self.moved()))
        )


def declarations(style):
    """A style as a list of what it says, without spaces that say nothing."""
    return [re.sub(r"\s*:\s*", ":", one.strip(), count=1) for one in style.split(";") if one.strip()]


def read(drawing):
    """The part that a drawing is.

    Raises:
        ValueError: if its elements do not close each other.
    """
    open_parts = [Part("")]
    for token in TOKEN.finditer(drawing):
        text = token.group(0)
        opening = OPENING.match(text)
        if text.startswith("</"):
            if len(open_parts) < 2 or open_parts.pop().name != text[2:-1].strip():
                raise ValueError(f"a drawing closes an element that is not open: {text}")
        elif opening:
            name, written, closed = opening.groups()
            attributes = dict(ATTRIBUTE.findall(written))
            look = declarations(attributes.pop("style", ""))
            look += [CUT + attributes.pop("clip-path")] if "clip-path" in attributes else []
            part = Part(name, attributes, look)
            open_parts[-1].inside.append(part)
            if token.group(1):
                part.inside.append(text[opening.end() : text.rindex("</")])
            elif not closed:
                open_parts.append(part)
        elif text.strip():
            open_parts[-1].inside.append(text)
    if len(open_parts) > 1 or len(open_parts[0].inside) != 1:
        raise ValueError(f"a drawing leaves <{open_parts[-1].name}> open")
    return open_parts[0].inside[0]


def unwrapped(parts):
    """Parts without the groups around them that say nothing, or that could say it by the only part that they hold."""
    found = []
    for part in parts:
        if not isinstance(part, Part) or part.name != "g" or part.attributes:
            found.append(part)
            continue
        if part.look and len(part.inside) == 1 and isinstance(part.inside[0], Part):
            [only] = part.inside
            cuts = any(one.startswith(CUT) for one in part.look)
            if not cuts or not (only.moved() or any(one.startswith(CUT) for one in only.look)):
                only.look = [one for one in part.look if one not in only.look] + only.look
                part.look = []
        found += [part] if part.look and part.inside else part.inside
    return found


def gathered(parts):
    """Parts one behind the other; what neighbours have in common of their looks is said once, by a group of them."""
    parts = unwrapped(parts)
    sayable = [part.sayable() if isinstance(part, Part) else frozenset() for part in parts]
    found, place = [], 0
    while place < len(parts):
        common, (gain, end, shared) = sayable[place], (0, place + 1, frozenset())
        for last in range(place + 1, len(parts)):
            common &= sayable[last]
            if not common:
                break
            saved = (last - place) * sum(len(one) + 1 for one in common) - len(GROUP)
            if saved > gain:
                gain, end, shared = saved, last + 1, common
        if gain:
            look = [one for one in parts[place].look if one in shared]
            for part in parts[place:end]:
                part.look = [one for one in part.look if one not in shared]
            found.append(Part("g", {}, look, gathered(parts[place:end])))
        else:
            part = parts[place]
            if isinstance(part, Part) and part.name not in LEAVES:
                part.inside = gathered(part.inside)
            found.append(part)
        place = end
    return found
