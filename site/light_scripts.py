r"""Scripts without the comments that stand on lines of their own (a hand of `finished_pages`,
and a Sphinx extension for the scripts that all pages share).

An explorer's page carries the modules that it runs and their style sheet, within JSON (`{"esm": "// …\n", "css": …}`).
They are written to be read, in the repository; a page needs what they do.
"""

import json
import re
from pathlib import Path

DATA = re.compile(r"(<script type=\"application/json\">)(\{\"esm\": .*?)(</script>)", re.S)
COMMENT = re.compile(r"(?m)^[ \t]*(?://.*|/\*\*?(?:(?!\*/|[Ll]icen[sc]e|@license|[Cc]opyright)[\s\S])*\*/[ \t]*)\n")

REMARK = re.compile(r"/\*.*?\*/", re.S)
SPACE = re.compile(r"\s+")


def without_comments(script):
    """A script without comments that have their lines to themselves; one with a template over lines stays as it is.

    A comment that names a licence stays, too.
    """
    odd = any(line.count("`") % 2 for line in script.splitlines())
    return script if odd else COMMENT.sub("", script)


def finish(html, page):
    """The page with lighter modules and style sheets of its explorers."""

    def lighter(match):
        data = json.loads(match.group(2))
        data["esm"] = without_comments(data["esm"])
        data["css"] = SPACE.sub(" ", REMARK.sub("", data["css"])).strip()
        text = json.dumps(data, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")
        return match.group(1) + text + match.group(3)

    return DATA.sub(lighter, html)


def lighten(app, exception):
    if exception is None and app.builder.format == "html":
        for file in Path(app.outdir, "_static").glob("*.js"):
            file.write_text(without_comments(file.read_text(encoding="utf-8")), encoding="utf-8")


def setup(app):
    app.connect("build-finished", lighten)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
