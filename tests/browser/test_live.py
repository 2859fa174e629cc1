"""What all explorers do with their traits, on a figure of one line: live.js, in Chromium."""

import pytest

from attention_book.pages.explorers.positions import PositionClocks
from attention_book.pages.explorers.words import fixed, listed, short

from .explorer_pages import module_call

pytestmark = pytest.mark.browser

# A model like a notebook's, and an explorer that logs what happens to it. `turn()` lets microtasks run.
FIGURE = """async ([text, steps]) => {
    const { live, texts } = await import(URL.createObjectURL(new Blob([text], { type: "text/javascript" })));
    const log = [], listeners = [], state = { x: 1, y: 2, kept: [1] };
    const model = {
        get: (name) => state[name],
        set: (name, value) => {
            state[name] = value;
            for (const [event, listener] of [...listeners]) if (event === `change:${name}`) listener();
        },
        save_changes: () => log.push("saved"),
        on: (name, listener) => listeners.push([name, listener]),
        off: (name, gone) => listeners.splice(listeners.findIndex(([n, l]) => n === name && l === gone), 1),
    };
    const turn = () => new Promise((done) => setTimeout(done));
    const control = new AbortController();
    const el = document.createElement("div");
    let page, said;
    const build = (given) => {
        page = given;
        log.push("built");
        said = texts(() => `x is ${page.read().x}.`);
        return () => log.push(`shown ${page.read().x} ${page.read().y}`);
    };
    const options = { shape: ({ y }) => y, stay: ["kept"] };
    const stop = live({ model, el, signal: control.signal }, ["x", "y", "kept"], build, options);
    const run = new Function("log", "model", "page", "said", "turn", "stop", "control", "state", "el",
        `return (async () => { ${steps} })()`);
    return [log, await run(log, model, page, said, turn, stop, control, state, el)];
}"""


@pytest.fixture
def happens(blank):
    """Does steps with the figure; returns what happened, and what the steps return."""
    return lambda steps: blank.evaluate(FIGURE, [PositionClocks._esm, steps])


def test_it_is_built_and_shown_at_once(happens):
    assert happens("return el.className") == [["built", "shown 1 2"], "explorer-body"]


def test_several_changes_are_looked_at_once(happens):
    log, _ = happens("page.send({ x: 3, kept: [2] }); log.push('sent'); await turn()")
    assert log[2:] == ["saved", "sent", "shown 3 2"]


def test_another_shape_is_built_anew(happens):
    log, _ = happens("model.set('y', 5); model.set('x', 4); await turn(); model.set('x', 6); await turn()")
    assert log[2:] == ["built", "shown 4 5", "shown 6 5"]


def test_a_restart_brings_all_back_but_what_stays(happens):
    _, state = happens("page.send({ x: 7, y: 8, kept: [9] }); page.restart(); await turn(); return state")
    assert state == {"x": 1, "y": 2, "kept": [9]}


@pytest.mark.parametrize("end", ["stop()", "control.abort()"])
@pytest.mark.parametrize("before", ["", "model.set('y', 3); await turn();"])
def test_after_its_end_it_follows_no_more(happens, end, before):
    log, _ = happens(f"{before} {end}; log.length = 0; model.set('x', 2); model.set('y', 9); await turn()")
    assert log == []


def test_news_come_after_the_change(happens):
    _, news = happens("page.send({ x: 3 }); said.announce('Changed:'); await turn(); return said.news.textContent")
    assert news == "Changed: x is 3."


def test_numbers_and_lists_are_told_as_in_python(blank):
    numbers = [0.0, -0.0625, 0.0625, 2.5, 100.0, -3.0, 0.0004, -1e-9, 12345.6789, 0.9996]
    lists = [[], ["I"], ["I", "like"], ["I", "like", "cats"]]
    expression = "[given[0].map(module.fixed), given[0].map(module.short), given[1].map(module.listed)]"
    told = module_call(blank, PositionClocks, expression, [numbers, lists])
    assert told == [[*map(fixed, numbers)], [*map(short, numbers)], [*map(listed, lists)]]
