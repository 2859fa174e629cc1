"""What the tests of explorers ask of a page that holds them."""

import numpy as np


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
