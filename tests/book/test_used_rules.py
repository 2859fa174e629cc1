"""Style sheets cut to the rules that a page can use: what is cut could not have applied, and the rest stays whole."""

import pytest
import used_rules

KNOWN = {"note", "admonition", "icon"}


@pytest.mark.parametrize(
    "rule",
    [
        "a{color:red}",
        ".note{color:red}",
        'div.admonition>.note::before{content:"}"}',
        "#icon .note:hover{color:red}",
        ".note:not(.never){color:red}",
        '[data-x=".never"]{color:red}',
        ".pst-put-together-by-a-script{color:red}",
        ":root{--x:1;--y:url(data:image/png;base64,AA==)}",
        "@media print{.note{color:red}}",
        "@font-face{font-family:A;src:url(a.woff2)}",
    ],
)
def test_a_rule_that_can_apply_stays(rule):
    assert used_rules.used(rule, KNOWN) == rule


@pytest.mark.parametrize(
    ("rule", "left"),
    [
        (".never{color:red}", ""),
        (".note .never{color:red}", ""),
        ("#never{color:red}", ""),
        (".never,.note,p .never{color:red}", ".note{color:red}"),
        ("@media print{.never{color:red}}", ""),
        ("@media print{.never{color:red}.note{color:red}}", "@media print{.note{color:red}}"),
        ("@keyframes turn{to{color:red}}.note{color:red}", ".note{color:red}"),
        ("/* words */", ""),
    ],
)
def test_a_rule_that_cannot_apply_goes(rule, left):
    assert used_rules.used(rule, KNOWN) == left


def test_an_animation_that_a_rule_names_stays():
    sheet = "@keyframes turn{to{color:red}}.note{animation:turn 1s}"
    assert used_rules.used(sheet, KNOWN) == sheet


def test_a_sheet_that_cannot_be_read_is_refused():
    with pytest.raises(ValueError, match="line 1"):
        used_rules.used(".note{color:red} }", KNOWN)


def test_words_are_found_in_pages_and_scripts():
    assert used_rules.words(['<p class="sd-card a_b">', "one.classList.add('fa-x')"]) >= {"sd-card", "a_b", "fa-x"}
