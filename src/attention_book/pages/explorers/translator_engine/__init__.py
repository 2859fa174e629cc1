"""The translator in the page: a Transformer in plain JavaScript, with its tokenizer and its searches, in a worker.

`text.js`, `tokenizer.js`, `layers.js`, `transformer.js` and `search.js` say in JavaScript what the package says in
Python, and are tested against it. `weights.js` reads the file that `translation/export/page_weights.py` writes.
`engine.js` puts these together, `worker.js` runs them beside the page, and `client.js` is what an explorer of the page
imports.

Nearly all of the time goes into products of matrices in eight bits. `kernel.wat` computes them in WebAssembly, four
numbers at once, and `kernel.js` runs it; where a browser cannot run it, `products.js` computes them in plain
JavaScript. `files.py` says what goes into a built page, and makes the kernel from its text.
"""
