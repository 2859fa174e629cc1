r"""Scripts and their style sheets without comments and spaces that nothing reads (a hand of `finished_pages`, and a
Sphinx extension for the scripts that all pages share).

An explorer's page carries the modules that it runs, their style sheet and, where there is one, the engine that answers
it, within JSON (`{"esm": "// …\n", "css": …, "state": {"engine": …}}`). They are written to be read, in the repository;
a page needs what they do. Names stay as they are, and so do comments that name a licence.
"""

import json
import re
from pathlib import Path

from short_scripts import short
from used_rules import used, words

DATA = re.compile(r"(<script type=\"application/json\">)(\{\"esm\": ?\".*?)(</script>)", re.S)
NAMED = re.compile(r"\b(?:class|id)=\"([^\"]*)\"")
QUOTED = re.compile(r"(\"[^\"]*\"|'[^']*')")
AROUND = re.compile(r"\s*([{};,])\s*|(?<=:)\s+")


def short_sheet(css):
    """A style sheet without spaces around its signs."""
    parts = QUOTED.split(css)
    parts[::2] = [AROUND.sub(lambda one: one.group(1) or "", part).replace(";}", "}") for part in parts[::2]]
    return "".join(parts)


def composed(css, known):
    """The classes of a sheet that a script could put together of two of its words, such as `explorer-` and a role."""
    begins = [word for word in known if word.endswith("-")]
    return {
        name
        for name in words([css])
        for begin in begins
        if name.startswith(begin) and (name[len(begin) :] in known or not name[len(begin) :].strip("0123456789"))
    }


def finish(html, page):
    """The page with lighter modules, engines and style sheets of its explorers."""
    if not DATA.search(html):
        return html
    standing = words(NAMED.findall(html))

    def lighter(match):
        data = json.loads(match.group(2))
        data["esm"] = short(data["esm"])
        known = words([data["esm"], json.dumps(data["state"])]) | standing
        data["css"] = short_sheet(used(data["css"], known | composed(data["css"], known)))
        if data["state"].get("engine"):
            data["state"]["engine"] = short(data["state"]["engine"])
        text = json.dumps(data, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")
        return match.group(1) + text + match.group(3)

    return DATA.sub(lighter, html)


def lighten(app, exception):
    if exception is None and app.builder.format == "html":
        for file in Path(app.outdir, "_static").glob("*.js"):
            file.write_text(short(file.read_text(encoding="utf-8")), encoding="utf-8")


def setup(app):
    app.connect("build-finished", lighten)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
