"""The searches of `translation.decoding` for a Transformer, faster and harder to read.

`packing` lays the weights out for a step, `stepping` is one step, `choosing` finds the best continuations, `searching`
is greedy and beam search, `fast_translator` a translator that uses them. In float32 on a CPU, where there is a C
compiler, `compiling` makes the loops of `compiled.c` into machine code, and `compiled` takes a step with them, its
weights in `large_pages`. Tests hold all of it to the readable path.
"""
