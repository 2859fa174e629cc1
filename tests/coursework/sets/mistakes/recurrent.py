"""Half-right submissions of *Recurrent models*; what the fields mean is said in `attention.py`."""

MISTAKES = {
    "no slopes": ("nudges", r"back \*= 1 - after\*\*2", "pass", "slopes of tanh are missing", 0),
    "one minus h": ("nudges", r"after\*\*2", "after", "1 − h², and not 1 − h", 0),
    "last use alone": ("nudges", r"by_w \+= back \* before", "by_w = by_w or back * before", "last step alone", 2),
    "state after": ("nudges", r"back \* before", "back * after", "the one before it", 0),
    "last word first": ("nudges", r"by_word\.insert\(0, (.*)\)", r"by_word.append(\1)", "turned round", 1),
    "bias forgotten": ("nudges", r" \+ b\)\)", "))", "Is b in your states", 0),
    "counts on": ("counter", r"    thresholds", "    m = 60\n    thresholds", "on and on", 0),
    "counts to sixty-three": ("counter", r"(?s)    thresholds = .*", "    gain, j = 60.0, np.arange(1, 64)\n"
                              "    on, worth = np.append(np.ones(63), 0), np.append(np.full(63, 0.5), 31.5)\n"
                              "    jumps = np.where(j % m, 1, 1 - m) / 2\n"
                              "    return (gain * on[None], gain * np.outer(worth, on), gain * np.append(0.5 - j, 1),\n"
                              "            np.append(jumps, 0), jumps.sum())\n", "counts for a while", 4),
    "parity alone": ("counter", r"    thresholds", "    m = 2\n    thresholds", "still divides by 2", 1),
    "slopes for switches": ("counter", r"gain = 60\.0", "gain = 3.5", "after the bits", 1),
    "columns for rows": ("counter", r"np\.outer\(worth, np\.ones\(m\)\)", "np.outer(np.ones(m), worth)",
                         "With w_h transposed", 0),
    "no read-out constant": ("counter", r"np\.full\(m, 0\.5\)", "np.full(m, 1.0)", "after the bits", 0),
    "first fall": ("stretch", r"if norm < 1:", "if norm < largest:", "stopped too early", 3),
    "entry by entry": ("stretch", r"power @ w, k \+ 1([\s\S]*)if norm < 1:.*", r"w ** (k + 1), k + 1\1if k == 99:",
                       "raised to the power", 1),
    "fifty powers": ("stretch", r"if norm < 1:", "if k == 50:", "fixed number", 4),
    "fallen to the half": ("stretch", r"if norm < 1:", "if norm <= largest / 2:", "stopped too early", 3),
    "a thousand powers": ("stretch", r"if norm < 1:", "if k == 1000:", "fixed number", 5),
    "singular value": ("stretch", r"np\.linalg\.norm\(power\)", "np.linalg.norm(power, 2)",
                       "largest singular value", 0),
    "from the identity on": ("stretch", r"-1\.0, 0, 0", "math.sqrt(len(w)), 0, 0", "If W is 0", 5),
    "door shut": ("shares", r"let_in \* kept_after", "let_in * np.concatenate([kept_after[:1], kept_after[:-1]])",
                  "its own proposal", 0),
    "z turned": ("shares", r"    one = ", "    z = 1 - z\n    one = ", "changed places", 0),
    "divided": ("shares", r"kept_after = .*", "kept_after = np.cumprod(z, axis=0)[-1] / "
                "np.concatenate([one, np.cumprod(z, axis=0)])", "NaN", 3),
    "no first state": ("shares", r"return let_in \* kept_after", "return (let_in * kept_after)[1:]",
                       "needs a row too", 0),
    "step by step": ("shares", r"(?s)    one = .*", "    found = np.ones((1, z.shape[1]))\n    for gate in z:\n"
                     "        found = np.concatenate([found * gate, [1 - gate]])\n    return found\n", None, 6),
    "z as it was": ("other-library", r'"z": -1', '"z": 1', "z is not turned round", 0),
    "order as it was": ("other-library", r'in "rzn"\]', "in order]", "are in the order of the other library", 0),
    "biases unturned": ("other-library", r"restacked\(bias\)\.T", "np.concatenate([dict(zip(order, np.split(bias, 3, "
                        'axis=1)))[gate] for gate in "rzn"], axis=1)', "to its biases, too", 2),
    "biases traded": ("other-library", r"b_ih, b_hh = restacked", "b_hh, b_ih = restacked", "changed places", 2),
    "biases in one": ("other-library", r"(b_ih, b_hh = .*)", r"\1\n    b_ih, b_hh = b_ih + b_hh, 0 * b_hh",
                      "n sees r between them", 2),
    "nothing cut": ("cut-chain", r"if t % every == 0:", "if t < 0:", "nothing was cut", 3),
    "begun anew": ("cut-chain", r"(    for word in x:\n)", r"\1        if (len(states) - 1) % every == 0:\n"
                   "            states[-1] = 0 * states[-1]\n", "begun anew", 0),
    "cut late": ("cut-chain", r"t % every == 0", "(t + 1) % every == 0", "stops one step back", 2),
    "mean of the steps": ("cut-chain", r"return gradient", "return gradient / len(x)", "the mean over", 0),
    "not back through": ("cut-chain", r"inside @ w_h\.T", "inside @ w_h", "compared with nudges", 1),
    "as many steps back": ("cut-chain", r"(?s)    gradient, back = .*", "    gradient = np.zeros(w_h.shape)\n"
                           "    for end in range(1, len(x) + 1):\n        back = states[end] - y[end - 1]\n"
                           "        for t in range(end, max(end - every, 0), -1):\n"
                           "            back = back * (1 - states[t] ** 2)\n"
                           "            gradient += np.outer(states[t - 1], back)\n            back = back @ w_h.T\n"
                           "    return gradient\n", "every loss look back 2 steps", 4),
    "sources": ("room", r"masses\.get\(translation, 0\.0\) \+ probability", "probability", "has to be added up", 0),
    "one message per source": ("room", r"masses\[translation\] = masses\.get\(translation, 0\.0\) \+ probability",
                               "masses[len(masses)] = probability", "two most probable *sources*", 0),
    "rounded up": ("room", r"\(kinds - 1\)\.bit_length\(\)", "kinds.bit_length()", "need 0 bits", 3),
    "what never comes": ("room", r"mass > 0 for", "mass >= 0 for", "needs no message", 4),
    "floats of bits": ("room", r"2\*\*bits", "int(2.0**bits)", "OverflowError", 4),
    "nats": ("yardstick", r" / math\.log\(2\)", "", "These are nats", 0),
    "mean of rows": ("yardstick", r"return .*", "rows = [surprise[i][real[i]].sum()"
                     " / characters[targets[i]][real[i]].sum() for i in range(len(real)) if real[i].any()]\n"
                     "    return float(np.mean(rows))",
                     "mean over the rows", 0),
    "padding read": ("yardstick", r"surprise\[real\]", "surprise", "surprise at padding", 0),
    "per token": ("yardstick", r"characters\[targets\[real\]\]\.sum\(\)", "real.sum()", "bits per token", 0),
    "bare exponentials": ("yardstick", r" - logits\.max\(axis=-1, keepdims=True\)", "", "finite number", 4),
    "own for both": ("own-words", r"true @ p, written @ q", "true @ q, written @ q",
                     "`forced` the words before come from the model", 1),
    "truth for both": ("own-words", r"true @ p, written @ q", "true @ p, written @ p",
                       "`forced` once more", 1),
    "independent": ("own-words", r"float\(clean\.sum\(\)\)", "float(np.prod(1 - np.array(own)))", "independent", 1),
    "erred and dropped": ("own-words", r"float\(written @ slips\)", "float(clean @ slips)", "drops the texts", 1),
    "one word late": ("own-words", r"( +forced\.append.*\n.*\n)( +true, .*\n)", r"\2\1", "begins with place 2", 0),
    "never anew": ("one-row", r"h, read = np\.zeros\(d_h\),", "h, read = np.zeros(d_h) if read is None else h,",
                   "has come with it", 2),
    "padding read on": ("one-row", r"if read != .*:", "if True:", "at padding are not zeros", 0),
    "in the order of reading": ("one-row", r"found\[row, place, half\]",
                                "found[row, place if step > 0 else length - 1 - place, half]", "order of reading", 0),
    "halves traded": ("one-row", r"ways = .*",
                      "ways = ((slice(d_h, None), forwards, 1), (slice(0, d_h), backwards, -1))",
                      "halves have changed places", 0),
    "backwards never anew": ("one-row", r"h, read = np\.zeros\(d_h\),",
                             "h, read = np.zeros(d_h) if step > 0 or read is None else h,", "backward states", 2),
}  # fmt: skip
