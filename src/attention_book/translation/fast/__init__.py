"""The searches of `translation.decoding` for a Transformer, several times as fast, and harder to read.

`packing` lays the weights out for a step, `stepping` is one step, `choosing` finds the best continuations, `searching`
is greedy and beam search, `fast_translator` a translator that uses them. Tests hold all of it to the readable path.
"""
