"""Scripts without what nobody reads in them: what they do, and what they say, stays."""

import json
import re
from pathlib import Path

import light_scripts
import pytest
import short_scripts
from py_mini_racer import MiniRacer
from pygments.lexers import JavascriptLexer
from pygments.token import Comment

ROOT = Path(__file__).parents[2]
OURS = sorted([*(ROOT / "src").rglob("*.js"), *(ROOT / "site/static").glob("*.js")])
SCRIPT = """// The whole.
/** Says what is
 *  one. */
const one = "// no comment"; // a remark behind code
  // and one alone
const two = 1 /* within */ + 2;
"""
# What tools for this lose: texts within templates within templates, patterns, ends of lines that end a statement.
HARD = r"""
const list = ["a b", 'c  "d"'], n = 3;
const told = `${list.map((one, j) => `${one} on ${[j + 1, { k: "}" }.k].join(" , ")}`).join(" ; ")} and
   /* two */ // lines \` ${n}`;
const pattern = /[/"'`] {2}/g, half = n / 2 / 1, least = n - -1, most = n + +1
let i = 0
const after = i
++i
const called = (() => "called")
;[1, 2].forEach((x) => { i += x })
function nothing() {
  return
  1
}
const found = "x/  y".match(/\/ {2}y/) ? typeof /a b/ : `$ ${"$"}{`, late = 1 .toString ( )
const sign = 1 < ! 0, down = i -- > 0
JSON.stringify([told, pattern.source, half, least, most, after, called(), i, nothing(), found, late, sign, down])
"""


def words_of(script):
    """The words of a script as another reader tells them apart, without remarks and without spaces outside strings."""
    words = [(kind, word) for kind, word in JavascriptLexer().get_tokens(script) if kind not in Comment]
    # This reader takes code with braces within a template for text.
    return "".join(
        word if "String" in str(kind) and "=>" not in word else re.sub(r"\s", "", word) for kind, word in words
    )


def test_comments_and_spaces_go_and_what_is_said_stays():
    assert short_scripts.short(SCRIPT) == 'const one="// no comment";const two=1+2;'


@pytest.mark.parametrize(
    "kept", ["const a=`\n// text\n`;", "/* Copyright of others */\nlet b;", "// Licence: MIT\nlet c;"]
)
def test_what_may_be_text_and_what_names_a_licence_stays(kept):
    assert short_scripts.short(kept) == kept


def test_a_hard_script_says_the_same_in_fewer_letters():
    short = short_scripts.short(HARD)
    assert MiniRacer().eval(short) == MiniRacer().eval(HARD)
    assert len(short) < 0.9 * len(HARD) and short_scripts.short(short) == short


@pytest.mark.parametrize("file", OURS, ids=lambda file: file.name)
def test_our_scripts_keep_every_word_and_every_text(file):
    script = file.read_text(encoding="utf-8")
    short = short_scripts.short(script)
    assert words_of(short) == words_of(script)
    assert len(short) < 0.95 * len(script) and short_scripts.short(short) == short


def test_there_are_scripts_of_ours():
    assert len(OURS) > 20


@pytest.mark.parametrize("broken", ["const a = `b", "const a = `b ${c"])
def test_a_template_without_an_end_is_refused(broken):
    with pytest.raises(ValueError, match="no end"):
        short_scripts.short(broken)


def test_the_texts_of_a_script_are_its_strings_and_templates():
    assert short_scripts.texts('a.add("tooltip", `x-${y}`); /* "remark" */ z = /"/') == ['"tooltip"', "`x-${y}`"]


def explorer(css, state, esm=SCRIPT + 'const three = "</b>é";', around=""):
    """What a page carries of an explorer, read back after the hand."""
    text = json.dumps({"esm": esm, "css": css, "state": state}, ensure_ascii=False).replace("<", "\\u003c")
    page = light_scripts.finish(f'{around}<p><script type="application/json">{text}</script></p>', "page")
    inner = page.removeprefix(f'{around}<p><script type="application/json">').removesuffix("</script></p>")
    assert "<" not in inner
    return inner, json.loads(inner)


def test_the_modules_of_an_explorer_stay_what_they_are_but_for_comments():
    state = {"x": [0.25, "<p>"]}
    inner, data = explorer("/* x */\na {\n  b: c;\n}\n", state)
    assert "é" in inner
    assert data["state"] == state and data["css"] == "a{b:c}"
    assert data["esm"].endswith('const three="</b>é";') and "Says what" not in data["esm"]


def test_the_engine_of_an_explorer_loses_its_comments_too():
    _, data = explorer("", {"engine": SCRIPT, "records": [" a  b "]})
    assert data["state"] == {"engine": short_scripts.short(SCRIPT), "records": [" a  b "]}


def test_of_the_style_sheet_the_rules_stay_that_the_modules_the_page_or_put_together_names_can_use():
    css = """
        .one-named , .never { color: red; }
        .in-page::after { content: " ; , { " }
        .role-query, .role-never, .role-7 { color: blue; }
        .never:hover { color: green }
    """
    esm = "element('p', { className: `one-named role-${role}` }); const roles = ['query'];"
    _, data = explorer(css, {}, esm, '<p class="in-page"></p>')
    assert data["css"] == ('.one-named{color:red}.in-page::after{content:" ; , { "}.role-query,.role-7{color:blue}')
