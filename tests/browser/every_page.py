"""What is looked at on every page of the book: each function gives what is wrong with a page that is open, in words.

A page is loaded once, and all that can be seen of it is looked at then, as loading is what takes the time.
"""

from functools import cache
from importlib.resources import files
from pathlib import Path

HTML = Path(__file__).resolve().parents[2] / "_build" / "html"
CHAPTERS = sorted(path.relative_to(HTML).as_posix() for path in (HTML / "chapters").rglob("*.html"))
WIDER_THAN_THE_PAGE = """() => [...document.querySelectorAll('main *')].filter(one => {
    if (one.getBoundingClientRect().right <= innerWidth + 1) return false;
    for (let up = one; up; up = up.parentElement)
        if (['auto', 'scroll', 'hidden'].includes(getComputedStyle(up).overflowX)) return false;
    return true;
}).map(one => one.outerHTML.slice(0, 120))"""
# A colour that changes slowly takes its last value at once; what inherits it may then begin a change of its own.
TO_THEIR_ENDS = """() => {
    for (let all; (all = document.getAnimations()).length;) all.forEach(one => one.finish());
}"""
# What is folded has no width of its own until it is opened; what opens or widens slowly is taken to its end.
CUT_CODE = (
    f"() => {{ const toTheirEnds = {TO_THEIR_ENDS};"
    + """
    const all = chosen => [...document.querySelectorAll(`main ${chosen}`)];
    const [closed, folded] = [all('details:not([open])'), all('.toggle-hidden')];
    closed.forEach(one => { one.open = true; });
    folded.forEach(one => { one.classList.remove('toggle-hidden'); });
    document.body.getBoundingClientRect();  // it begins to
    toTheirEnds();
    const cut = all('pre').flatMap(one => {
        if (one.scrollWidth <= one.clientWidth) return [];
        const lines = one.innerText.split('\\n');
        const widest = lines.reduce((wide, line) => line.length > wide.length ? line : wide);
        return [`${one.scrollWidth - one.clientWidth} pixels are cut of ${widest.length} characters: ${widest}`];
    });
    closed.forEach(one => { one.open = false; });
    folded.forEach(one => { one.classList.add('toggle-hidden'); });
    return cut;
}"""
)
# A formula's own box, or, where it scrolls, what is seen of it.
RUN_OVER = """() => [...document.querySelectorAll('main div.math .eqno')].filter(number => {
    const formula = number.parentElement.querySelector('mjx-container');
    const drawn = [...formula.querySelectorAll('mjx-math')].map(one => one.getBoundingClientRect());
    const seen = formula.getBoundingClientRect(), place = number.getBoundingClientRect();
    return drawn.some(box => {
        const [left, right] = [Math.max(box.left, seen.left), Math.min(box.right, seen.right)];
        const beside = right <= place.left + 1 || left >= place.right - 1;
        return !beside && box.bottom > place.top + 1 && box.top < place.bottom - 1;
    });
}).map(number => number.parentElement.id || number.innerText)"""
UNDRAWN = """() => {
    const bare = [...document.querySelectorAll('main .math')].filter(one => !one.querySelector('mjx-container'));
    const letters = [...document.querySelectorAll('main mjx-c')].filter(one => one.checkVisibility());
    const empty = letters.filter(one => ['none', 'normal'].includes(getComputedStyle(one, '::before').content));
    const families = new Set(letters.map(one => getComputedStyle(one).fontFamily.split(', ')[1]));
    const loaded = new Set([...document.fonts].filter(one => one.status === 'loaded').map(one => one.family));
    const missing = [...families].filter(one => one.startsWith('MJX') && !loaded.has(one));
    return [...bare, ...empty, ...document.querySelectorAll('mjx-merror')].map(one => one.outerHTML.slice(0, 120))
        .concat(missing.map(one => `the font ${one} is not loaded`));
}"""
WITHOUT_FONT = """() => {
    const texts = document.createTreeWalker(document.querySelector('main'), NodeFilter.SHOW_TEXT);
    const found = new Set();
    while (texts.nextNode()) {
        const holder = texts.currentNode.parentElement;
        if (!/[\\u0900-\\u097f]/.test(texts.currentNode.data) || !holder.checkVisibility()) continue;
        const fonts = getComputedStyle(holder).fontFamily;
        if (!fonts.includes('Noto Sans Devanagari')) found.add(holder.outerHTML.slice(0, 150));
    }
    return [...found];
}"""
FIGURES = """() => [...document.querySelectorAll('.book-figure')].map(figure => {
    const words = figure.querySelector('svg text, td');
    let behind = 'none';
    for (let up = figure; up && behind === 'none'; up = up.parentElement) {
        const colour = getComputedStyle(up).backgroundColor;
        if (!['transparent', 'rgba(0, 0, 0, 0)'].includes(colour)) behind = colour;
    }
    return [behind, getComputedStyle(words)[words.closest('svg') ? 'fill' : 'color'], figure.innerText.slice(-60)];
})"""
COLOURS = """() => {
    const of = (one, what) => getComputedStyle(one)[what];
    return [of(document.body, 'backgroundColor'), of(document.querySelector('main h1'), 'color'),
        getComputedStyle(document.documentElement).getPropertyValue('--role-query')];
}"""
SMALL_TYPE = """() => [...document.querySelectorAll('main svg :is(text, tspan)')].flatMap(one => {
    const own = [...one.childNodes].some(node => node.nodeType === Node.TEXT_NODE && node.data.trim());
    if (!own || !one.checkVisibility()) return [];
    const matrix = one.getScreenCTM();
    const size = parseFloat(getComputedStyle(one).fontSize) * Math.hypot(matrix.a, matrix.b);
    return size < 8.995 ? [`${one.textContent.trim()}: ${size.toFixed(1)} pixels`] : [];
})"""
# All that scrolls to the side and has more to show: its edge fades, and the keyboard reaches it.
WITHOUT_CUE = """() => [...document.querySelectorAll('.bd-article *')].filter(one => {
    if (one.scrollWidth <= one.clientWidth + 1 || one.clientWidth < 2 || one instanceof SVGElement) return false;
    if (!['auto', 'scroll'].includes(getComputedStyle(one).overflowX)) return false;
    const fades = one.dataset.more === 'right' && getComputedStyle(one).maskImage.includes('gradient');
    return !fades || one.tabIndex < 0;
}).map(one => `${one.outerHTML.slice(0, 100)} has more: ${one.dataset.more}, tabindex ${one.tabIndex}`)"""
# What no scrolling shows: cut by a box that hides what is wider. What screen readers alone are to find is no fault.
HIDDEN = """() => [...document.querySelectorAll('.bd-article *')].filter(one => {
    if (one.scrollWidth <= one.clientWidth + 1 || one.clientWidth < 2) return false;
    if (one.closest('mjx-container, .math')) return false;
    const style = getComputedStyle(one);
    return style.overflowX === 'hidden' && style.clipPath === 'none' && !one.closest('.prev-next-area');
}).map(one => one.outerHTML.slice(0, 120))"""
# Where the keyboard is: of controls of each look, the mark of one stands out from its ground by 3 : 1.
FAINT_FOCUS = """() => {
    const numbers = colour => colour.match(/[\\d.]+/g).map(Number);
    const linear = x => x <= 0.04045 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4;
    const light = ([r, g, b]) => 0.2126 * linear(r / 255) + 0.7152 * linear(g / 255) + 0.0722 * linear(b / 255);
    const controls = 'a, button, input, select, summary, textarea, [tabindex]';
    const seen = new Set(), found = [];
    for (const one of document.querySelectorAll(`.explorer :is(${controls})`)) {
        const look = [one.tagName, one.type, one.className].join();
        if (seen.has(look) || one.disabled || !one.checkVisibility()) continue;
        one.focus({ focusVisible: true, preventScroll: true });
        if (document.activeElement !== one) continue;
        seen.add(look);
        let up = one.parentElement;
        while (up.parentElement && (numbers(getComputedStyle(up).backgroundColor)[3] ?? 1) < 1) up = up.parentElement;
        const mark = getComputedStyle(one);
        const [lower, higher] = [mark.outlineColor, getComputedStyle(up).backgroundColor]
            .map(colour => light(numbers(colour)) + 0.05).sort((a, b) => a - b);
        if (mark.outlineStyle === 'none' || parseFloat(mark.outlineWidth) < 2 || higher < 3 * lower)
            found.push(`${mark.outline} at ${one.outerHTML.slice(0, 100)}`);
    }
    document.activeElement.blur();
    return found;
}"""
# What all pages have in common, and what would take axe minutes on each: looked at on the pages of `WITH_ALL`.
COMMON = ("nav", "pre", "svg", "mjx-container")
SKIP_LINK = "#pst-skip-link"
WITH_ALL = ("chapters/index.html", "chapters/attention/scaled-dot-product.html", "chapters/appendix/bibliography.html")
# The contrast of a text depends on its own style and on what is painted behind it; whether a link is told from the text
# around it depends on its style and on that of its block. Of all texts and links that have the same of both, axe looks
# at one, as each costs it milliseconds and a page has hundreds. What lies out of the flow may lie upon anything, so all
# such are looked at, and so is every link with no text beside it: axe leaves those out for which it does not matter.
ONE_OF_EACH = """([known, left]) => {
    const seen = new Set(known), none = 'rgba(0, 0, 0, 0)', grounds = new Map([[null, { behind: '', free: false }]]);
    const ground = one => {  // what is painted behind an element, and whether it or an ancestor is out of the flow
        if (!grounds.has(one)) {
            const style = getComputedStyle(one), { behind, free } = ground(one.parentElement);
            const bare = style.backgroundColor === none && style.opacity === '1' && style.filter === 'none';
            grounds.set(one, {
                behind: bare ? behind : [style.backgroundColor, style.opacity, style.filter, behind].join(),
                free: free || ['absolute', 'fixed'].includes(style.position) || style.backgroundImage !== 'none',
            });
        }
        return grounds.get(one);
    };
    const hasText = one => [...one.childNodes].some(node => node.nodeType === Node.TEXT_NODE && node.data.trim());
    const inline = one => getComputedStyle(one).display.startsWith('inline');
    const linkLook = link => {  // what tells a link from the text of its block
        let block = link.parentElement;
        while (inline(block) && block.parentElement) block = block.parentElement;
        const parts = [link, block].map(one => getComputedStyle(one)).flatMap(style => [
            style.color, style.backgroundColor, style.backgroundImage, style.textDecorationLine, style.borderStyle,
            style.borderWidth, style.fontWeight, style.fontStyle, style.fontSize, style.fontFamily]);
        const marks = ['::before', '::after'].map(one => getComputedStyle(link, one).content);
        return ['link', inline(link), ...parts, ...marks].join();
    };
    for (const name of ['data-looked-at', 'data-link-looked-at'])
        document.querySelectorAll(`[${name}]`).forEach(one => one.removeAttribute(name));
    let added = 0;
    const lookAt = (one, name, look, always) => {
        if (!always && seen.has(look)) return;
        if (!always) seen.add(look);
        one.setAttribute(name, '');
        added += 1;
    };
    for (const one of document.querySelectorAll('body, body *')) {
        const isLink = one.matches('a[href], [role=link]');
        if (!(isLink || hasText(one)) || one.matches('title') || !one.checkVisibility()) continue;
        if (left.length && one.closest(left.join())) continue;
        const own = getComputedStyle(one), { behind, free } = ground(one);
        const look = [own.color, own.fontSize, own.fontWeight, own.textShadow, own.webkitTextStroke, behind].join();
        if (hasText(one)) lookAt(one, 'data-looked-at', look, free);
        if (isLink && hasText(one.parentElement)) lookAt(one, 'data-link-looked-at', linkLook(one) + behind, free);
        else if (isLink) one.setAttribute('data-link-looked-at', '');
    }
    return [added, [...seen]];
}"""
BY_LOOK = {"color-contrast", "link-in-text-block"}
LOOKED_AT = """axe.configure({ rules: [
    { id: 'color-contrast', selector: '[data-looked-at]' },
    { id: 'link-in-text-block', selector: '[data-link-looked-at]' },
] })"""
# `preload` would read the style sheets anew, which a page from a file may not. What is left out is empty meanwhile, as
# axe visits all of a page before it leaves anything out; what names a link or a button stays.
AXE = """async ([left, rules]) => {
    const outermost = one => !one.closest('a, button') && !one.parentElement.closest(left.join());
    const leftOut = left.length ? [...document.querySelectorAll(left.join())].filter(outermost) : [];
    const kept = leftOut.map(one => {
        const children = document.createDocumentFragment();
        children.append(...one.childNodes);
        return [one, children];
    });
    const { violations } = await axe.run({ exclude: left.map(one => [one]) }, {
        resultTypes: ["violations"], preload: false, ...(rules.length ? { runOnly: rules } : {}),
    });
    kept.forEach(([one, children]) => one.append(children));
    return violations.filter(one => one.impact !== "minor").flatMap(one => one.nodes.map(
        node => `${one.id} (${one.impact}): ${node.html.slice(0, 120)} ${node.failureSummary.replaceAll("\\n", " ")}`
    ));
}"""
TABLES = """() => [...document.querySelectorAll('.bd-article table.table')].filter(
    table => table.offsetWidth > table.parentElement.clientWidth + 1
).map(table => `${table.offsetWidth} pixels: ${table.innerText.slice(0, 80)}`)"""


def explorers(chapter):
    """How many explorers the file of a page has."""
    return (HTML / chapter).read_text(encoding="utf-8").count('<div class="explorer"')


@cache
def axe_core():
    """The script of axe-core, which knows the rules of accessibility that a program can check."""
    return files("axe_playwright_python").joinpath("axe.min.js").read_text(encoding="utf-8")


def inaccessible(page, chapter, *rules, looks=None):
    """What axe finds wrong with a page in its present colours, if it is more than minor.

    Args:
        page: the page, open.
        chapter: its name; of most, what all pages have in common is left out.
        rules: the names of axe's rules, if not all.
        looks: of texts and links, those that were clear enough on other pages; a set, to which this page's are added.
    """
    looks = set() if looks is None else looks
    left = [] if chapter in WITH_ALL else list(COMMON)
    new, seen = page.evaluate(ONE_OF_EACH, [list(looks), left and [*left, SKIP_LINK]])
    if rules and BY_LOOK.issuperset(rules) and not new:
        return []
    if page.evaluate("typeof axe === 'undefined'"):
        page.evaluate(axe_core())
        page.evaluate(LOOKED_AT)
    found = page.evaluate(AXE, [left, list(rules)])
    if not any(rule in one for rule in BY_LOOK for one in found):
        looks.update(seen)
    return found


def typeset(page):
    """Wait until the fonts of formulas and of Hindi are there; the formulas are set when the book is built."""
    page.evaluate("document.fonts.ready.then(() => true)")
    return page


def drawn(page):
    """Wait until the page has answered to its new width: what scrolls is marked when the browser has drawn it."""
    page.evaluate("new Promise(done => requestAnimationFrame(() => setTimeout(done)))")


def brightness(colour):
    """The mean channel of "rgb(r, g, b)"."""
    return sum(float(part) for part in colour[colour.index("(") + 1 : -1].split(",")[:3]) / 3


def untypeset(page):
    """Formulas that are not drawn: one without a box, a letter without its style rule, a font that is not loaded."""
    return page.evaluate(UNDRAWN)


def in_colours(page, colours):
    """Put a page into its light or dark mode, as the reader's system would."""
    page.emulate_media(color_scheme=colours)
    page.wait_for_function("colours => document.documentElement.dataset.theme === colours", arg=colours)
    page.evaluate(TO_THEIR_ENDS)


def unreadable_figures(page, colours):
    """Figures whose words are not told from what is behind them, or that are not in the page's mode."""
    found = []
    for behind, words, end in page.evaluate(FIGURES):
        fits = brightness(behind) > 200 if colours == "light" else brightness(behind) < 80
        if not fits or abs(brightness(words) - brightness(behind)) <= 100:
            found.append(f"{words} on {behind}: {end}")
    return found


def too_wide(page, width):
    """What stands out on the right of a page, and by how much the whole page scrolls to the side."""
    across = page.evaluate("document.scrollingElement.scrollWidth")
    return page.evaluate(WIDER_THAN_THE_PAGE) + ([f"the page scrolls: {across} pixels"] if across > width else [])


def silent_explorers(page, chapter):
    """Explorers of a page that did not start, or have no words, once those that wait have begun."""
    page.wait_for_function("!document.querySelector('.explorer:not([data-explorer=ready], [data-explorer=failed])')")
    kinds = [".explorer[data-explorer=ready]", ".explorer-words"]
    found = page.evaluate("all => all.map(one => document.querySelectorAll(one).length)", kinds)
    return [] if found == 2 * [explorers(chapter)] else [f"of {explorers(chapter)}, {found} are ready and have words"]


def listed(found):
    """What is wrong with a page, for the message of a test; nothing where all lists are empty."""
    return "\n".join(
        f"{check}:" + "".join(f"\n    {one}" for one in faults) for check, faults in found.items() if faults
    )
