"""A synchronous context-free grammar with agreement: one derivation tree, an English sentence and its translations.

A synchronous rule pairs two right-hand sides that share their nonterminals, X → ⟨γ, α⟩ (Aho & Ullman 1969, "Syntax
directed translations and the pushdown assembler"; Chiang 2005, "A hierarchical phrase-based model for statistical
machine translation", §2). Here one English side is paired with one or more target sides, each with a probability:
these are the language's *free choices*. Finitely many features (person, number, gender, case) annotate the symbols,
as shorthand for the plain rules that would spell each combination out.

A side is a template such as `le/Subj@Subj gustar/Obj@like el/Obj Obj`. Each element reads `stem:case/agree@links`, in
which only the stem is needed: a role of the rule (a nonterminal), a function word of the lexicon, or a literal.
`/Obj` inflects it to agree with that role; `:obl` asks for a case; `@like,not` names the source words it translates
(default: the rule's head).
"""

import math
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import NamedTuple

from .lexicon import FUNCTION_WORDS, Entry
from .morphology import Features

Choose = Callable[[Sequence[float]], int]  # picks an index, given the probabilities of the options
Words = list[tuple[str, frozenset[int]]]  # target words, each with the source positions it translates


class Element(NamedTuple):
    """One element of a template, `stem:case/agree@links`; what is left out is empty.

    Attributes:
        stem: a role of the rule, a function word of the lexicon, or a literal.
        case: the case that it asks for.
        agree: the role that it is inflected to agree with.
        links: the names of the source words that it translates.
    """

    stem: str
    case: str
    agree: str
    links: tuple[str, ...]


class Template(NamedTuple):
    """One side of a rule.

    Attributes:
        probability: of this side among the alternatives of its language.
        elements: in the order of the words.
        cases: every role the template mentions, with the case in which it is realised.
    """

    probability: float
    elements: tuple[Element, ...]
    cases: dict[str, str]


def parse_template(text: str, roles: Collection[str], probability: float = 1.0) -> Template:
    """Read a template such as ``"le/Subj@Subj gustar/Obj@like el/Obj Obj"``.

    Args:
        text: its elements between spaces, each as :class:`Element` says.
        roles: the names that stand for other phrases.
        probability: of this side among its alternatives.
    """
    elements, cases = [], {}
    for token in text.split():
        body, _, links = token.partition("@")
        body, _, agree = body.partition("/")
        stem, _, case = body.partition(":")
        elements.append(Element(stem, case, agree, tuple(links.split(",")) if links else ()))
        if agree:
            cases.setdefault(agree, "")
        if stem in roles:
            cases[stem] = case or cases.get(stem, "")
    return Template(probability, tuple(elements), cases)


@dataclass(frozen=True, eq=False, repr=False)
class Rule:
    """One English side and, per target language, the alternatives for the other side.

    Args:
        source: English template.
        roles: role name → category (the nonterminal it stands for).
        head: the role or literal whose translation gets every source word that no target word claims (*the* in Hindi).
        targets: "es", "hi", or with a case "hi:dat" → {template: probability}.
        number: of the nouns inside.
        features: of the whole phrase per language, where no noun decides them (pronouns, names).
    """

    source: str
    roles: dict[str, str]
    head: str
    targets: dict[str, dict[str, float]]
    number: str = "sg"
    features: dict[str, Features] | None = None
    english: Template = field(init=False)
    sides: dict[str, tuple[Template, ...]] = field(init=False)

    def __post_init__(self):
        object.__setattr__(self, "english", parse_template(self.source, self.roles))
        sides = {}
        for key, options in self.targets.items():
            if abs(math.fsum(options.values()) - 1) > 1e-9:
                raise ValueError(
                    f"{self.source!r} → {key}: the probabilities sum to {math.fsum(options.values())}, not 1"
                )
            sides[key] = tuple(parse_template(text, self.roles, p) for text, p in options.items())
        object.__setattr__(self, "sides", sides)

    def __repr__(self) -> str:
        return f"Rule({self.source!r})"


class Node(NamedTuple):
    """A derivation: a rule and the derivations of its roles, in the order of `rule.roles` (an entry has none)."""

    rule: Rule | Entry
    children: tuple["Node", ...] = ()


@dataclass(frozen=True)
class Placed:
    """A derivation whose English words have been written down from position `start` on."""

    rule: Rule | Entry
    words: tuple[str, ...]
    own: dict[str, tuple[int, ...]]  # literal → its position; role → the positions of its head
    spans: dict[str, tuple[int, ...]]  # role → all its positions
    parts: dict[str, "Placed"]
    heads: tuple[int, ...]


class Phrase(NamedTuple):
    """The target words of a derivation, with their links, and the features that agreement asks of it."""

    words: Words
    features: Features


def _features(rule: Rule | Entry, lang: str) -> Features:
    if isinstance(rule, Rule) and rule.features:
        return rule.features[lang]
    return Features(number=rule.number if isinstance(rule, Rule) else "sg")


def place(node: Node, start: int = 0, features: Features | None = None, finite: bool = True) -> Placed:
    """Writes the English side. Pitfall: English has no free choices, so that a derivation has exactly one source."""
    rule = node.rule
    if isinstance(rule, Entry):
        words = tuple((rule.source.form(features) if finite else rule.source.lemma).split())
        span = tuple(range(start, start + len(words)))
        return Placed(rule, words, {}, {}, {}, span)
    child = dict(zip(rule.roles, node.children, strict=True))
    agreeing = {role: _features(part.rule, "en") for role, part in child.items()}
    words: list[str] = []
    own, spans, parts = {}, {}, {}
    for stem, _, agree, _ in rule.english.elements:
        at = start + len(words)
        if stem in child:
            wanted = agreeing[agree] if agree else Features(number=rule.number)
            verb = isinstance(child[stem].rule, Entry) and child[stem].rule.source.kind == "verb"
            parts[stem] = place(child[stem], at, wanted, finite=bool(agree) or not verb)
            words += parts[stem].words
            own[stem], spans[stem] = parts[stem].heads, tuple(range(at, start + len(words)))
        else:
            lexeme = FUNCTION_WORDS["en"].get(stem)
            words.append(lexeme.form(agreeing[agree]) if agree else stem)
            own[stem] = spans[stem] = (at,)
    fixed = tuple("an" if w == "a" and words[i + 1][0] in "aeiou" else w for i, w in enumerate(words))
    return Placed(rule, fixed, own, spans, parts, own[rule.head])


def _sides(rule: Rule, lang: str, case: str) -> tuple[tuple[Template, ...], str, bool]:
    """The alternatives for a case, the case in which to realise them, and whether को must follow."""
    if case and f"{lang}:{case}" in rule.sides:
        return rule.sides[f"{lang}:{case}"], "", False
    return (rule.sides[lang], "obl", True) if case == "dat" else (rule.sides[lang], case, False)


def realise(placed: Placed, lang: str, choose: Choose, case: str = "") -> Phrase:
    """Writes the target side, asking `choose` at every free choice; each word keeps the positions it translates."""
    rule = placed.rule
    templates, case, postposition = _sides(rule, lang, case)
    template = templates[choose([t.probability for t in templates]) if len(templates) > 1 else 0]
    leaves, phrases, features = {}, {}, {}
    for role in rule.roles:  # a fixed order of choices
        if role not in template.cases:
            continue
        part = placed.parts[role]
        if isinstance(part.rule, Entry):
            options = part.rule.targets[lang]
            lexeme = options[choose([p for p, _ in options]) if len(options) > 1 else 0][1]
            leaves[role] = lexeme
            gender = lexeme.gender or "m"
            features[role] = Features("3", rule.number, gender, lexeme.article or gender)
        else:
            phrases[role] = realise(part, lang, choose, template.cases[role] or case)
            features[role] = phrases[role].features
    words: Words = []
    claimed: set[int] = set()
    for stem, own_case, agree, links in template.elements:
        at = frozenset(i for link in links or (rule.head,) for i in placed.own[link])
        if stem in phrases:
            words += phrases[stem].words
            claimed.update(placed.spans[stem])
            continue
        lexeme = leaves.get(stem) or FUNCTION_WORDS[lang].get(stem)
        if stem in leaves:
            at = frozenset(placed.own[stem])
        agreeing = features[agree] if agree else features.get(stem)
        text = lexeme.form(agreeing, own_case or case) if lexeme and agreeing else stem
        words.append((text, at))
        claimed |= at
    if postposition:
        words.append(("को", frozenset(placed.heads)))
    spare = {i for span in placed.spans.values() for i in span} - claimed
    if spare:
        heads = set(placed.heads)
        words = [(text, at | spare if at & heads else at) for text, at in words]
    own_features = rule.features[lang] if rule.features else features.get(rule.head, Features())
    return Phrase(words, own_features)


def entropy_of(probabilities: Sequence[float]) -> float:
    """−Σ p ln p in nats (the same sum as `probability.entropy`, on plain floats)."""
    return -math.fsum(p * math.log(p) for p in probabilities if p > 0)


def conditional_entropy(node: Node, lang: str, case: str = "") -> float:
    """Entropy in nats of the target given the derivation, by the chain rule down the tree.

    H(choices) = H(template) + Σ_t p(t) Σ_{role in t} H(role). It is the entropy of the *target string* because
    different choices never give the same string, which the tests check by enumeration.
    """
    if isinstance(node.rule, Entry):
        return entropy_of([p for p, _ in node.rule.targets[lang]])
    templates, case, _ = _sides(node.rule, lang, case)
    child = dict(zip(node.rule.roles, node.children, strict=True))
    below = (
        t.probability * sum(conditional_entropy(child[role], lang, t.cases[role] or case) for role in t.cases)
        for t in templates
    )
    return entropy_of([t.probability for t in templates]) + math.fsum(below)


def path_count(node: Node, lang: str, case: str = "") -> int:
    """How many ways the choices of a derivation can go (so many translations, since no two ways give one string)."""
    if isinstance(node.rule, Entry):
        return len(node.rule.targets[lang])
    templates, case, _ = _sides(node.rule, lang, case)
    child = dict(zip(node.rule.roles, node.children, strict=True))
    return sum(math.prod(path_count(child[role], lang, t.cases[role] or case) for role in t.cases) for t in templates)


class Outcome(NamedTuple):
    """One way through the choices of a computation: its probability, the option taken at each, and its result."""

    probability: float
    path: tuple[int, ...]
    result: object


class Replay:
    """A `choose` that takes the options of a path in order, and the first option of each choice after its end.

    Args:
        path: indices of options.
    """

    def __init__(self, path: Sequence[int] = ()):
        self.path = tuple(path)
        self.taken: list[int] = []
        self.sizes: list[int] = []
        self.probability = 1.0

    def __call__(self, options: Sequence[float]) -> int:
        index = self.path[len(self.taken)] if len(self.taken) < len(self.path) else 0
        self.taken.append(index)
        self.sizes.append(len(options))
        self.probability *= options[index]
        return index

    def next_path(self) -> tuple[int, ...] | None:
        """The path after the one taken, in lexical order, or None after the last."""
        for depth in reversed(range(len(self.taken))):
            if self.taken[depth] + 1 < self.sizes[depth]:
                return (*self.taken[:depth], self.taken[depth] + 1)
        return None


def outcomes(run: Callable[[Choose], object]) -> Iterator[Outcome]:
    """Every way through the choices of `run`: depth first, running it again for each."""
    path: tuple[int, ...] | None = ()
    while path is not None:
        choose = Replay(path)
        result = run(choose)
        yield Outcome(choose.probability, tuple(choose.taken), result)
        path = choose.next_path()


class Grammar:
    """Categories with their weighted rules.

    Args:
        categories: category → list of (weight, rule or entry). No category may derive itself, so that every clause is
            finite and can be counted; unbounded length comes from the conjunction of clauses, above the grammar.
    """

    def __init__(self, categories: dict[str, list[tuple[float, Rule | Entry]]]):
        self.categories = categories
        self.count = cache(self._count)
        self._weights = {name: tuple(weight for weight, _ in options) for name, options in categories.items()}

    def draw(self, category: str, choose: Choose) -> Node:
        """A random derivation: each rule in proportion to its weight."""
        rule = self.categories[category][choose(self._weights[category])][1]
        if isinstance(rule, Entry):
            return Node(rule)
        return Node(rule, tuple(self.draw(symbol, choose) for symbol in rule.roles.values()))

    def _count(self, category: str) -> int:
        """How many derivations a category has (so many sources, since no source has two)."""
        return sum(
            1 if isinstance(rule, Entry) else math.prod(self.count(symbol) for symbol in rule.roles.values())
            for _, rule in self.categories[category]
        )

    def derivations(self, category: str) -> Iterator[Node]:
        """All derivations of a category, one after the other."""
        for _, rule in self.categories[category]:
            if isinstance(rule, Entry):
                yield Node(rule)
            else:
                yield from (Node(rule, children) for children in self._sequences(tuple(rule.roles.values())))

    def _sequences(self, categories: Sequence[str]) -> Iterator[tuple[Node, ...]]:
        if not categories:
            yield ()
            return
        for first in self.derivations(categories[0]):
            for rest in self._sequences(categories[1:]):
                yield first, *rest

    def cut_down(self, size: int) -> "Grammar":
        """The same rules over the first `size` words of each category, small enough to enumerate."""
        small = {}
        for category, options in self.categories.items():
            words = [option for option in options if isinstance(option[1], Entry) or not option[1].roles]
            small[category] = [option for option in options if option not in words[size:]]
        return Grammar(small)

    def parse(self, words: Sequence[str], category: str) -> list[Node]:
        """Every derivation of exactly these English words: top down, with a chart over (category, start)."""
        chart = _Chart(self, words)
        return [node for node, end in chart.ends(category, 0) if end == len(words)]


class _Chart:
    """The derivations found so far of every category from every position of a sentence."""

    def __init__(self, grammar: Grammar, words: Sequence[str]):
        self.grammar = grammar
        self.words = tuple(words)
        self.found: dict[tuple[str, int], list[tuple[Node, int]]] = {}

    def ends(self, category: str, start: int) -> list[tuple[Node, int]]:
        """The derivations of a category that begin at `start`, each with the position after its last word."""
        if (category, start) not in self.found:
            found = self.found[category, start] = []
            for _, rule in self.grammar.categories[category]:
                if isinstance(rule, Entry):
                    found += [(Node(rule), end) for end in self._spelled(rule.source.forms.values(), start)]
                else:
                    found += self._complete(rule, start)
        return self.found[category, start]

    def _spelled(self, forms: Iterable[str], start: int) -> list[int]:
        spellings = {tuple(form.split()) for form in forms}
        return sorted(start + len(s) for s in spellings if s == self.words[start : start + len(s)])

    def _complete(self, rule: Rule, start: int) -> list[tuple[Node, int]]:
        partial: list[tuple[dict[str, Node], int]] = [({}, start)]
        for stem, _, agree, _ in rule.english.elements:
            if stem in rule.roles:
                category = rule.roles[stem]
                partial = [({**done, stem: node}, end) for done, at in partial for node, end in self.ends(category, at)]
            else:
                lexeme = FUNCTION_WORDS["en"].get(stem) if agree else None
                forms = lexeme.forms.values() if lexeme else ("a", "an") if stem == "a" else (stem,)
                partial = [(done, end) for done, at in partial for end in self._spelled(forms, at)]
        nodes = [(Node(rule, tuple(done[role] for role in rule.roles)), end) for done, end in partial]
        return [(node, end) for node, end in nodes if place(node).words == self.words[start:end]]  # agreement
