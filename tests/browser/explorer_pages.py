"""What the tests of explorers ask of a page that holds them."""

import numpy as np

from attention_book.pages.figures.plotting import ROLES


def ready(page, count=1):
    page.wait_for_function(f"document.querySelectorAll('.explorer[data-explorer=ready]').length === {count}")
    return page


def shown(page, name):
    """The numbers of one matrix of results, as precisely as the page knows them."""
    rows = page.locator(f"table[role=grid]:has(caption:has-text('{name}')) tbody tr")
    read = "rows => rows.map((row) => [...row.querySelectorAll('td')].map((cell) => cell.dataset.value))"
    return np.array(rows.evaluate_all(read), dtype=float)


def field(page, label):
    return page.get_by_label(label, exact=True)


def width_of(page):
    """How wide the page has become, in pixels; more than its window is if something does not fit."""
    return page.evaluate("document.documentElement.scrollWidth")


def unnamed_controls(page):
    """The controls that a screen reader has no name for, as HTML."""
    return page.locator("input, button, select").evaluate_all(
        """all => all.filter((one) => !(one.ariaLabel || one.innerText.trim() || one.labels?.[0]?.innerText.trim()))
            .map((one) => one.outerHTML)"""
    )


def rgb(name, dark):
    """The colour of a role, as browsers tell computed ones."""
    colour = ROLES[name].dark if dark else ROLES[name].light
    return f"rgb({', '.join(str(int(colour[n : n + 2], 16)) for n in (1, 3, 5))})"


def module_call(page, explorer, expression, argument):
    """Evaluate an expression over an explorer class's own module, called `module`, and an argument, called `given`."""
    return page.evaluate(
        """async ([text, expression, given]) => {
            const module = await import(URL.createObjectURL(new Blob([text], { type: "text/javascript" })));
            const plain = (x) => Array.isArray(x) ? x.map(plain) : typeof x === "number" ? String(x) : x;
            const result = new Function("module", "given", `return ${expression}`)(module, given);
            return Array.isArray(result) || typeof result === "string"
                ? plain(result)
                : Object.fromEntries(Object.entries(result).map(([name, x]) => [name, plain(x)]));
        }""",
        [explorer._esm, expression, argument],
    )


def after_a_kernel(page, before, after, expression):
    """Evaluate an expression over `el`, an explorer whose traits a kernel has set to those of another, one by one."""
    return page.evaluate(
        """async ([text, expression, before, after]) => {
            const address = URL.createObjectURL(new Blob([text], { type: "text/javascript" }));
            const { default: widget } = await import(address);
            const listeners = [], state = { ...before };
            const model = {
                get: (name) => state[name], set: (name, value) => (state[name] = value), save_changes() {},
                on: (name, listener) => listeners.push([name, listener]), off() {},
            };
            const el = document.createElement("div");
            document.body.append(el);
            widget.render({ model, el });
            for (const [name, value] of Object.entries(after)) {
                state[name] = value;
                for (const [event, listener] of listeners) if (event === `change:${name}`) listener();
            }
            await new Promise((done) => setTimeout(done));
            return new Function("el", `return ${expression}`)(el);
        }""",
        [before._esm, expression, before.state(), after.state()],
    )
