"""The translator in the page: a Transformer in plain JavaScript, with its tokenizer and its searches, in a worker.

`text.js`, `tokenizer.js`, `layers.js`, `transformer.js` and `search.js` say in JavaScript what the package says in
Python, and are tested against it. `weights.js` reads the file that `translation/page_weights.py` writes. `engine.js`
puts these together, `worker.js` runs them beside the page, and `client.js` is what an explorer of the page imports.
`files.py` says what goes into a built page.
"""
