"""Half-right submissions of *Attention and its Jacobian*: one change each, what its check says, what is lost.

Each is a question, a piece of its solution as a regular expression, what a student might have written there, a part of
what the public check answers (None: it passes), and the points that the question then has.
"""

MISTAKES = {
    "undivided products": ("two-matrices", r" \* math\.sqrt\(width\)", "", "for undivided dot products", 1),
    "the smallest parts": ("two-matrices", r"(left, sizes, right = .*)",
                           r"\1\n    left, sizes, right = left[:, ::-1], sizes[::-1], right[::-1]", "*smallest*", 1),
    "the largest columns": ("two-matrices", r"(?s)    left, sizes.*",
                            "    chosen = np.argsort(-np.linalg.norm(w, axis=0))[:width]\n"
                            "    return w[:, chosen] * math.sqrt(width), np.eye(w.shape[1])[:, chosen]\n",
                            "no single column", 0),
    "counts unused": ("counted", r" \+ np\.log\(counts\[there\]\)", "", "make no difference", 0),
    "absent rows shift": ("counted", r"(?s)    there = .*", "    leads = q @ k.T / math.sqrt(k.shape[1])\n"
                          "    exps = counts * np.exp(leads - leads.max(axis=1, keepdims=True))\n"
                          "    return exps @ v / exps.sum(axis=1, keepdims=True)\n", "which rows count", 4),
    "one shift for all queries": ("counted", r"leads\.max\(axis=1, keepdims=True\)", "leads.max()", None, 4),
    "no shift": ("counted", r" - leads\.max\(axis=1, keepdims=True\)", "", "NaN", 4),
    "weights as they were": ("left-out", r"exps @ values\[kept\] / exps\.sum\(\)",
                             "exps @ values[kept] / np.exp(scores - scores[kept].max()).sum()", "sum to 1 again", 0),
    "by one minus the weight": ("left-out", r"(?s)    places = .*", "    a = np.exp(scores - scores.max())\n"
                                "    a /= a.sum()\n    far = np.linalg.norm(values - a @ values, axis=1)\n"
                                "    return a / (1 - a) * far\n", "lost its digits", 3),
    "predicted by itself": ("nearby", r"    np\.fill_diagonal.*\n", "", "leave it out", 0),
    "hardly near": ("nearby", r"-np\.inf\)", "-1e9)", "hot, the mean", 4),
    "one largest for all places": ("nearby", r"nearness\.max\(axis=1, keepdims=True\)", "nearness.max()",
                                   "its own largest", 4),
    "nothing subtracted": ("nearby", r" - nearness\.max\(axis=1, keepdims=True\)", "", "no number", 4),
    "columns": ("nearby", r"exps @ y / exps\.sum\(axis=1\)", "exps / exps.sum(axis=0) @ y", "Each column", 1),
    "entropy": ("as-many-keys", r"exps\.sum\(\) \*\* 2 / \(exps\*\*2\)\.sum\(\)",
                "np.exp(-(exps / exps.sum()) @ np.log(exps / exps.sum() + 1e-300))", "exp of the entropy", 0),
    "turned upside down": ("as-many-keys", r"return math\.exp\(middle\)", "return math.exp(-middle)", "it divides", 0),
    "a fixed bracket": ("as-many-keys", r"low, high = .*", "low, high = math.log(0.01), math.log(100)",
                        "Where do you look", 2),
    "a constant that stays": ("quiet", r" \* np\.exp\(-highest\)", "", "stayed as it was", 1),
    "one shift for all rows": ("quiet", r"scores\.max\(axis=1, keepdims=True\), 0\.0", "scores.max(), 0.0", None, 7),
    "softmax's shift": ("quiet", r"np\.maximum\((.*), 0\.0\)", r"\1", "-inf", 7),
    "softmax's gradient": ("quiet", r"weights = quiet_weights\(scores\)",
                           "weights = quiet_weights(scores)\n    weights /= weights.sum(axis=1, keepdims=True)",
                           "it is 0, as for softmax", 4),
    "tables": ("quiet", r"return weights \* .*",
               "tables = weights[:, :, None] * (np.eye(weights.shape[1]) - weights[:, None])\n"
               "    return np.einsum('mij,mi->mj', tables, g)", None, 7),
    "factor left out": ("most-open", r" / 10\*\*exponent\n\n", "\n\n", "the factor 1/C", 1),
    "climbs from below": ("most-open", r"(?s)    low, high = .*", "    at, step = -2.0, 0.5\n"
                          "    while step > 1e-6:\n        better = max((at, at - step, at + step), key=norm)\n"
                          "        at, step = better, step if better != at else step / 2\n"
                          "    return float(10 ** min(max(at, -2.0), 2.0))\n", "sees no way up", 4),
    "the two best alone": ("most-open", r"behind = scores -", "behind = np.sort(scores)[-2:] -", "third key", 3),
    "differences of s": ("through-tanh", r"(?s)    u = .*",
                         "    def loss(x):\n        e = np.tanh(x @ w_q + h @ w_k) @ v\n"
                         "        a = np.exp(e - e.max())\n        return a @ h @ g / a.sum()\n\n"
                         "    steps = 1e-5 * np.eye(len(s))\n"
                         "    return np.array([(loss(s + one) - loss(s - one)) / 2e-5 for one in steps])\n", None, 3),
    "flat tanh": ("through-tanh", r"\(1 - u\*\*2\) \* v", "np.ones_like(u) * v", "without the slopes", 1),
    "no mean": ("through-tanh", r"h - weights @ h", "h", "difference of each h", 0),
    "no query matrix": ("through-tanh", r"w_q @ \(", "w_q.sum(axis=1) * np.sum(", "look at the matrices", 1),
    "differences of X": ("three-roles", r"(?s)    root = .*",
                         "    def loss(z):\n        e = z @ z.T / math.sqrt(z.shape[1])\n"
                         "        a = np.exp(e - e.max(axis=1, keepdims=True))\n"
                         "        return (a @ z / a.sum(axis=1, keepdims=True) * g).sum()\n\n"
                         "    steps = 1e-5 * np.eye(x.size).reshape(-1, *x.shape)\n"
                         "    return np.reshape([(loss(x + one) - loss(x - one)) / 2e-5 for one in steps], x.shape)\n",
                         None, 4),
    "bare exponentials": ("three-roles", r" - logits\.max\(axis=1, keepdims=True\)", "", "no number", 6),
    "values alone": ("three-roles", r"weights\.T @ g .*", "weights.T @ g", "through the value alone", 1),
    "keys forgotten": ("three-roles", r" \+ to_products\.T @ x", "", "through the key is missing", 1),
    "root forgotten": ("three-roles", r"surplus / root", "surplus", "is missing on the way back", 3),
    "means traded": ("two-spreads", r"(mean_q @ cov_k @ mean_q)([\s\S]*)(mean_k @ cov_q @ mean_k)", r"\3\2\1",
                     "traded places", 1),
    "diagonals": ("two-spreads", r"np\.trace\(cov_q @ cov_k\)", "np.diag(cov_q) @ np.diag(cov_k)", "vary together", 2),
}  # fmt: skip
