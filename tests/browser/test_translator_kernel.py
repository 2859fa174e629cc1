"""The products of the translator in the page: by WebAssembly and in plain JavaScript, to the last digit."""

import base64
import random

import numpy as np
import pytest
from translator_in_chromium import engine_text
from wasmtime import wat2wasm

from attention_book.pages.explorers.translator_engine.files import KERNEL_SOURCE, engine_source, kernel

pytestmark = pytest.mark.browser

_IMPORT = """async (text) => {
    window.engineModule = await import(URL.createObjectURL(new Blob([text], { type: "text/javascript" })));
}"""
_PRODUCTS = """([cases, letters]) => {
    const typed = ({ rows, columns, values, scales }) => ({
        rows, columns, values: Int8Array.from(values), scales: Float32Array.from(scales),
    });
    const tensors = { vector: Float32Array.of(0.25, -3) };
    cases.forEach((one, n) => (tensors[n] = typed(one)));
    const found = engineModule.inWebAssembly(tensors, letters);
    const run = (multiply, given) =>
        cases.map(({ x, count }, n) => [...multiply(given[n], Float64Array.from(x), count)]);
    return {
        kernel: run(found.multiply, found.tensors), again: run(found.multiply, found.tensors),
        plain: run(engineModule.multiply, tensors), vector: [...found.tensors.vector],
        same: cases.every((_, n) => `${found.tensors[n].values}` === `${tensors[n].values}`),
    };
}"""
SHAPES = [
    *((1, 1, 1), (3, 7, 2), (4, 8, 1), (5, 9, 3), (6, 15, 4), (7, 16, 5), (8, 17, 7), (9, 24, 8), (13, 31, 9)),
    *((2, 250, 17), (33, 3, 16), (12, 1024, 1)),
]
"""Rows, columns, vectors: whole blocks of four, eight and eight, and what is more or less than these."""
FAULTS = {
    "offset=16 ": "",
    "extend_high_i16x8_s": "extend_low_i16x8_s",
    "load8x8_s": "load8x8_u",
    "(i32.const 3)))\n": "(i32.const 2)))\n",  # the fourth row is the third
    "(i32.const -4)": "(i32.const -8)",  # results of the second vector stand elsewhere
    "(v128.const f32x4 0 0 0 0)": "(v128.const f32x4 0 0 1 0)",
    "8 9 10 11 24 25 26 27": "8 9 10 11 20 21 22 23",
    "(i32.lt_u": "(i32.le_u",
    "(i32.const 32)": "(i32.const 16)",
    "(v128.load (local.get $scales))": "(v128.load32_splat (local.get $scales))",
    "(i32.gt_s (local.get $rows) (i32.const 0))": "(i32.gt_s (local.get $rows) (i32.const 3))",
}
"""What may go wrong in the kernel: a part of its text, and what stands there instead."""


@pytest.fixture(scope="module")
def page(chromium):
    """A page that holds the engine's module, without weights."""
    page = chromium.new_page()
    page.evaluate(_IMPORT, engine_text())
    yield page
    page.close()


def spelt(module):
    return base64.b64encode(module).decode("ascii")


def cases(seed=5):
    """Matrices and vectors of small whole numbers, whose products float32 holds exactly."""
    draw = random.Random(seed)
    for rows, columns, count in SHAPES:
        yield {
            "rows": rows,
            "columns": columns,
            "count": count,
            "values": [draw.randint(-127, 127) for _ in range(rows * columns)],
            "scales": [2.0 ** draw.randint(-6, 2) for _ in range(rows)],
            "x": [draw.randint(-60, 60) / 4 for _ in range(count * columns)],
        }


def products(cases):
    """The same in numpy."""
    for case in cases:
        matrix = np.reshape(case["values"], (case["rows"], case["columns"])) * np.reshape(case["scales"], (-1, 1))
        yield (np.reshape(case["x"], (case["count"], case["columns"])) @ matrix.T).ravel().tolist()


def test_products_of_odd_and_even_shapes_are_exact_both_ways(page):
    given = list(cases())
    found = page.evaluate(_PRODUCTS, [given, spelt(kernel())])
    wanted = list(products(given))
    assert found["kernel"] == wanted and found["plain"] == wanted
    assert found["again"] == wanted  # nothing of the other shapes was left in the memory
    assert found["vector"] == [0.25, -3] and found["same"]


@pytest.mark.parametrize("right", FAULTS)
def test_a_fault_in_the_kernel_is_seen(page, right):
    text = KERNEL_SOURCE.read_text(encoding="utf-8")
    assert right in text
    given = list(cases())
    found = page.evaluate(_PRODUCTS, [given, spelt(bytes(wat2wasm(text.replace(right, FAULTS[right]))))])
    assert found["kernel"] != list(products(given))


@pytest.mark.parametrize(
    "without",
    [
        "delete globalThis.WebAssembly",
        "WebAssembly.validate = () => false",
        "WebAssembly.Module = function () { throw new WebAssembly.CompileError('forbidden by a policy'); }",
        "WebAssembly.Memory = function () { throw new RangeError('could not allocate memory'); }",
        "globalThis.atob = () => ''",  # an engine that was built without wasmtime
    ],
)
def test_a_browser_that_cannot_run_the_kernel_is_told_so(chromium, without):
    page = chromium.new_page()
    page.evaluate(_IMPORT, engine_text())
    tensors = "{ one: { rows: 1, columns: 1, values: Int8Array.of(2), scales: Float32Array.of(1) } }"
    assert page.evaluate(f"engineModule.inWebAssembly({tensors}) !== null")
    assert page.evaluate(f"() => {{ {without}; return engineModule.inWebAssembly({tensors}); }}") is None
    page.close()


def test_a_worker_of_a_page_that_was_opened_as_a_file_runs_the_kernel(chromium, tmp_path):
    (tmp_path / "page.html").write_text("<!doctype html><title>Worker</title>", encoding="utf-8")
    page = chromium.new_page()
    page.goto((tmp_path / "page.html").as_uri())
    asks = """
        const tensors = { one: { rows: 1, columns: 2, values: Int8Array.of(2, 3), scales: Float32Array.of(0.5) } };
        const found = inWebAssembly(tensors);
        self.postMessage([...found.multiply(found.tensors.one, Float64Array.of(5, 6), 1)]);
    """
    found = page.evaluate(
        """(source) => new Promise((resolve) => {
            const worker = new Worker(URL.createObjectURL(new Blob([source], { type: "text/javascript" })));
            worker.onmessage = ({ data }) => resolve(data);
            worker.onerror = ({ message }) => resolve(message);
        })""",
        engine_source() + asks,
    )
    assert found == [14]
    page.close()
