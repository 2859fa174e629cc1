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


def test_a_variable_stays_that_a_rule_a_page_or_a_script_asks_for_and_what_such_a_one_is_made_of():
    sheet = (
        ":root{--a:var(--b);--b:1px;--c:2px;--d:var(--c);--e:3px;--f:url(data:image/png;base64,AA==);--g:4px}"
        "@media print{.note{--h:5px;margin:var(--a,var(--g))}}"
    )
    asked = used_rules.asked_variables([sheet, "p{border:var(--other)}"], ["getPropertyValue('--e')"])
    assert asked == {"--a", "--b", "--e", "--g", "--other"}
    assert used_rules.used(sheet, KNOWN, asked) == (
        ":root{--a:var(--b);--b:1px;--e:3px;--g:4px}@media print{.note{margin:var(--a,var(--g))}}"
    )
    assert "--f:url(data:image/png;base64,AA==)" in used_rules.used(sheet, KNOWN, asked | {"--f"})


def test_a_rule_that_only_defined_what_nothing_asks_for_goes():
    assert used_rules.used(".note{--a:1px}", KNOWN, set()) == ""


def test_variables_that_an_animation_or_a_font_asks_for_stay():
    sheet = "@keyframes turn{to{color:var(--a)}}.note{--a:red;animation:turn 1s}"
    assert used_rules.asked_variables([sheet], []) == {"--a"}
