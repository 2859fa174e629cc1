"""Scripts without comments: what runs stays, letter for letter."""

import json

import light_scripts
import pytest

SCRIPT = """// The whole.
/** Says what is
 *  one. */
const one = "// no comment"; // a remark behind code stays
  // and one alone goes
const two = 1 /* within */ + 2;
"""


def test_comments_on_lines_of_their_own_go_and_code_stays():
    assert light_scripts.without_comments(SCRIPT) == (
        'const one = "// no comment"; // a remark behind code stays\nconst two = 1 /* within */ + 2;\n'
    )


@pytest.mark.parametrize("kept", ["const a = `\n// text\n`;\n", "/* Copyright of others */\nlet b;\n"])
def test_what_may_be_text_and_what_names_a_licence_stays(kept):
    assert light_scripts.without_comments(kept) == kept


def test_the_modules_of_an_explorer_stay_what_they_are_but_for_comments():
    css, state = "/* x */\na {\n  b: c;\n}\n", {"x": [0.25, "<p>"]}
    parts = {"esm": SCRIPT + 'const three = "</b>é";', "css": css, "state": state}
    text = json.dumps(parts, ensure_ascii=False).replace("<", "\\u003c")
    page = light_scripts.finish(f'<p><script type="application/json">{text}</script></p>', "page")
    inner = page.removeprefix('<p><script type="application/json">').removesuffix("</script></p>")
    assert "<" not in inner and "é" in inner
    data = json.loads(inner)
    assert data["state"] == state and data["css"] == "a { b: c; }"
    assert data["esm"].endswith('const three = "</b>é";') and "Says what" not in data["esm"]
