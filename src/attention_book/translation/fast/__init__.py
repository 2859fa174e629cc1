"""The searches of `translation.decoding` for a Transformer, faster and harder to read.

`packing` lays the weights out for a step, `stepping` is one step, `choosing` finds the best continuations, `searching`
is greedy and beam search, `fast_translator` a translator that uses them. In float32 on a CPU, `large_pages` puts the
weights where they are read sooner, and `one_sentence` is the step of a source that has no others beside it. Tests hold
all of it to the readable path.
"""
