"""Half-right submissions of *Counting and decoding*: the full one with one change, what its check says, what is lost.

Each is a question, a piece of its solution as a regular expression, what a student might have written there, a part of
what the public check answers (None: it passes), and the points that the question then has.
"""

MISTAKES = {
    "nats": ("surprises", r"math\.log2", "math.log", "These are nats", 0),
    "no end": ("surprises", r"    reached\.append.*\n", "", "There is one number", 0),
    "as one text": ("surprises", r"words\[: len\(prefix\)\] == prefix",
                    '" ".join(words).startswith(" ".join(prefix))', None, 1),
    "the last word alone": ("surprises", r"(?s)    def beginning_with.*",
                            "    pairs, ones = Counter(), Counter()\n    for words, p in translations.items():\n"
                            "        for h, w in pairwise(['<s>', *words, '</s>']):\n"
                            "            pairs[h, w] += p\n            ones[h] += p\n"
                            "    places = pairwise(['<s>', *sentence, '</s>'])\n"
                            "    return [math.log2(ones[h] / pairs[h, w]) for h, w in places]\n",
                            "*all* the words before", 0),
    "not given back": ("discounted", r" \+ given_back", "", "nobody got it", 1),
    "given back once": ("discounted", r" \* len\(seen\)", "", "given back once", 1),
    "no room for new words": ("discounted", r"len\(singles\) \+ 1", "len(singles)", "V lacks the 1", 0),
    "one round": ("mixing-weight", r"range\(rounds\)", "range(min(rounds, 1))", "second round changes nothing", 2),
    "share of the words": ("mixing-weight", r"mean\(from_bigrams", "mean(from_words", "shares of p₁", 0),
    "words, not places": ("best-share", r"in x\]", "in set(x)]", "two places", 3),
    "nothing for orphans": ("best-share", r"return 0\.0", "return 1.0", "comes from neither word", 3),
    "different words": ("best-share", r"for (\w+) in y:", r"for \1 in set(y):", None, 3),
    "counted from 0": ("near-diagonal", r"1, (len.x.) \+ 1|(y), 1", r"\1\2", "counted from 0", 0),
    "no diagonal": ("near-diagonal", r"math\.exp\(.*\) \*", "1 *", "Model 1, which looks at no place", 0),
    "any crossing": ("who-wins", r"min\(crossings\)", "max(crossings)", "overtakes 0", 1),
    "unpaid": ("rewarded-beam", r" \+ [0-9.]+ \* len\(words\)", "", "paid for one more", 2),
    "no limit": ("rewarded-beam", r"< max_words", "< 6", "more than max_words", 8),
    "greedy": ("rewarded-beam", r"\[:beam_size\]", "[:1]", "A beam of 2 keeps", 4),
    "one prefix per last word": ("rewarded-beam", r"live = sorted\(longer, key=lambda one: -one\[0\]\)",
                                 "last = {one[1][-1]: one for one in sorted(longer)}.values()\n"
                                 "        live = sorted(last, key=lambda one: -one[0])", None, 8),
    "one voice each": ("agreement", r"p / whole", "1 / len(candidates)", "same vote", 0),
    "sets of words": ("agreement", r"Counter\((one|other)\)", r"Counter(set(\1))", "twice, not once", 3),
    "not clipped": ("weighted-bleu", r"\(runs & most\)", "Counter({r: c for r, c in runs.items() if r in most})",
                    "clip", 6),
    "summed references": ("weighted-bleu", r"\|=", "+=", "not added up", 7),
    "shortest reference": ("weighted-bleu", r"min\(\(.*\)\[1\]", "min(len(other) for other in others)",
                           "not always the shortest", 8),
    "longer of two": ("weighted-bleu", r"wanted \+= min\((.*), len", r"wanted -= min(\1, -len", "take the shorter", 8),
    "praise for length": ("weighted-bleu", r"min\(0\.0, (.*?)\)\)", r"\1)", "has 1, not", 8),
    "one reference for all runs": ("weighted-bleu", r"most \|= (.*)",
                                   r"most = max(most, \1, key=lambda counts: (runs & counts).total())",
                                   "its own best reference", 7),
    "only runs that there are": ("weighted-bleu", r"    if not all\(found\)",
                                 "    found = [hits if all_ else 1 for hits, all_ in zip(found, made)]\n"
                                 "    made = [all_ or 1 for all_ in made]\n    if not all(found)",
                                 "no run of three words", 8),
    "no brevity": ("weighted-bleu", r"brevity \* ", "", "needs the factor B", 6),
}  # fmt: skip
