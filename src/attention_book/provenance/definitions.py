"""The definitions that a piece of code reaches, and a digest of what they compute.

A *definition* is what a module binds to a name: a function, a class with its methods and bases, a constant. From an
entry, such as an experiment's ``run_seed``, names lead to definitions and from these to others. Definitions are
numbered in the order in which they are met, and the digest is taken of their texts (`code_text`) with these numbers for
names. So it knows neither the modules nor the order in which they define.

What a module does while it is imported counts too: its statements that define nothing, and those definitions that call
something and could thereby touch a variable that is reached (`module_contents`). Where names do not tell what is used
(a module handed on as an object, ``getattr`` of a module, ``globals``, ``import *``), all that is in the module counts,
and all modules where a module is imported by a computed name.

Two kinds of code cannot change a number of a finished run, and are left out unless what errors say counts too. Guards
can only stop a run (`guards`); where an entry reaches something that may catch the error of one of them and go on
(`handlers`), all its guards count. And storage (`STORAGE`) gives back what it was given.
"""

import ast
import builtins
import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import groupby
from typing import no_type_check

from .code_text import CodeText, Target
from .handlers import Handler, may_catch
from .module_contents import Module, calling, may_change
from .source_graph import SourceGraph, imported_names

PAGE = "<page>"

# A module that defines all names of one of these sets gives back what it was given, or what a SHA-256 states, to the
# last bit, or raises, and tests hold it to that; so how it does that, and in which form, is no matter to a number of a
# finished run. What it defines is reached by name and not entered. It is found by what it defines, so that it may move;
# nothing that calculates may be defined in it.
STORAGE = (
    frozenset({"CheckpointError", "write_json", "save_checkpoint", "load_checkpoint", "read_record"}),
    frozenset({"CorpusError", "RemoteFile", "read_checked", "fetch_file"}),
)
# Functions that only refuse, which their text does not show, since they have to take apart what they judge.
REFUSALS = {"refuse_unreadable": "ValueError"}


@no_type_check
@dataclass
class Text:
    """What `code_text` wrote: pieces, string constants, modules imported within, and whether sources are read.

    Of guards that it left out, ``refused`` has the exceptions; ``raised_again`` and ``handlers`` are as in `CodeText`.
    """

    pieces: list[str | tuple[Target, ...]] = field(default_factory=list)
    strings: set[str] = field(default_factory=set)
    imports: set[str] = field(default_factory=set)
    reads_source: bool = False
    refused: set[Target] = field(default_factory=set)
    raised_again: set[Target] = field(default_factory=set)
    handlers: list[Handler] = field(default_factory=list)

    @cached_property
    def targets(self) -> list[Target]:
        """The targets in order."""
        return [one for piece in self.pieces if isinstance(piece, tuple) for one in piece]


@dataclass(frozen=True)
class Reach:
    """What an entry reaches.

    Attributes:
        texts: each definition or other target, in an order that does not depend on modules, with its text.
        loaded: the modules that are imported.
        strings: the string constants by the module in which they stand.
        reads_source: whether something in it reads docstrings or sources, so that these count too.
    """

    texts: Sequence[tuple[Target, str]]
    loaded: frozenset[str]
    strings: dict[str, set[str]]
    reads_source: bool


@no_type_check
class Definitions:
    """All definitions under a source folder.

    Args:
        graph: the modules.
        messages: whether errors count, with what they say, as they do where they are printed; and how things are
            stored.
        guards: whether guards count; they always do if ``messages`` do.
    """

    def __init__(self, graph: SourceGraph, messages: bool = False, guards: bool = False):
        self.graph, self.messages, self.guards = graph, messages, guards or messages
        self._with_guards = self if self.guards else Definitions(graph, messages, guards=True)
        self._refusals: dict[Target, set[Target] | None] = {}
        self._modules: dict[str, Module] = {}
        self._texts: dict[Target, Text] = {}
        self._followed: dict[tuple[Target, ...], tuple[str, list[Target]]] = {}
        self._closures: dict[Target, frozenset[Target]] = {}
        self._bodies: dict[str, Text] = {}
        self._plains: dict[str, str] = {}

    def of(self, module: str, *names: str) -> Reach:
        """What definitions of a module reach; without names, all of them.

        Raises:
            ValueError: if there is no such module, or no such name in it.
        """
        if module not in self.graph.modules:
            raise ValueError(f"no such module: {module}")
        entries = [Target("whole", module)] if not names else []
        for name in names:
            if not (found := self._named(module, name)):
                raise ValueError(f"{module} defines no {name}")
            entries += found
        return self._reach(entries)

    def of_code(self, tree: ast.Module) -> Reach:
        """What code outside the package reaches, such as the cells of a page."""
        if not self.guards:
            self._with_guards.of_code(tree)
        for known in (self._texts, self._closures):
            for target in [target for target in known if target.module == PAGE]:
                del known[target]
        self._modules[PAGE] = Module(PAGE, "", tree)
        return self._reach([Target("whole", PAGE)])

    def digest(self, reach: Reach) -> str:
        """16 hexadecimal digits for what an entry computes."""
        found = hashlib.sha256("\n".join(text for _, text in reach.texts).encode())
        if reach.reads_source:
            found.update(b"".join(sorted(self.graph.contents[name] for name in reach.loaded)))
        return found.hexdigest()[:16]

    def module(self, name: str) -> Module:
        """The contents of a module."""
        if name not in self._modules:
            package = name if self.graph.modules[name].name == "__init__.py" else name.rpartition(".")[0]
            self._modules[name] = Module(name, package, self.graph.parsed[name])
        return self._modules[name]

    def _named(self, module: str, name: str, seen: frozenset = frozenset()) -> list[Target]:
        """What a name of a module stands for; nothing for a builtin."""
        found = []
        for one in self.module(module).names.get(name, []) if (module, name) not in seen else []:
            more = [one] if isinstance(one, Target) else [Target("definition", module, name)]
            found += [t for m in more for t in self._found(m, seen | {(module, name)}) if t not in found]
        return found

    def _found(self, target: Target, seen: frozenset = frozenset()) -> list[Target]:
        if target.kind == "module" and target.module not in self.graph.modules:
            return [Target("outside", target.module)]
        return self._attribute(target, target.name, seen) if target.kind == "from" else [target]

    def _attribute(self, target: Target, name: str, seen: frozenset = frozenset()) -> list[Target]:
        """What an attribute of a module stands for: all of the module if it cannot be found."""
        module = target.module
        if module not in self.graph.modules:
            return [Target("outside", f"{module}.{name}")]
        if found := self._named(module, name, seen):
            return found
        if f"{module}.{name}" in self.graph.modules:
            return [Target("module", f"{module}.{name}")]
        if home := self.module(module).lazy.get(name):
            return self._attribute(Target("module", f"{module}.{home}"), name, seen)
        return [Target("whole", module)]

    def text(self, target: Target) -> Text:
        """The text of a target."""
        if target not in self._texts:
            self._texts[target] = Text([self._everything()]) if target.kind == "everything" else self._written(target)
        return self._texts[target]

    def is_storage(self, name: str) -> bool:
        """Whether a module defines, and does not import, all names of one of the sets of `STORAGE`."""
        found = self.module(name).names.items()
        defined = {one for one, nodes in found if not any(isinstance(node, Target) for node in nodes)}
        return any(names <= defined for names in STORAGE)

    def _written(self, target: Target) -> Text:
        module = self.module(target.module)
        if target.kind == "definition":
            if not self.messages and self.is_storage(module.name):
                return Text([f"Stored({target.name})"])
            return self._write(module, [one for one in module.names[target.name] if not isinstance(one, Target)])
        if target.kind == "effect":
            return self._write(module, [module.body[target.name]])
        text = self._body(module)
        if target.kind == "whole":
            inside = [name for name in self.graph.modules if name.rpartition(".")[0] == module.name]
            inside = sorted(module.stars & self.graph.modules.keys() | set(inside), key=self._place)
            text = replace(text, pieces=[*text.pieces, *((Target("whole", name),) for name in inside)])
        return text

    def _body(self, module: Module) -> Text:
        """The text of all statements of a module; that of the page, which changes, is not kept."""
        if module.name == PAGE:
            return self._write(module, module.body)
        if module.name not in self._bodies:
            self._bodies[module.name] = self._write(module, module.body)
        return self._bodies[module.name]

    def _write(self, module: Module, nodes: Sequence[ast.AST]) -> Text:
        writer = self._writer(module)
        writer.write(list(nodes), {})
        imports = imported_names(ast.Module(writer.imports, []), module.package)
        noted = writer.refused, writer.raised_again, writer.handlers
        runs = groupby(writer.pieces, type)  # each is read many times, and most are of one sign
        pieces = [piece for kind, run in runs for piece in (["".join(run)] if kind is str else run)]
        return Text(pieces, writer.strings, imports, writer.reads_source, *noted)

    def _writer(self, module: Module) -> CodeText:
        def look_up(what: str | Target, attribute: str | None = None) -> list[Target]:
            if isinstance(what, str):
                return self._named(module.name, what)
            return self._found(what) if attribute is None else self._attribute(what, attribute)

        folder = ""
        if module.name != PAGE:
            folder = self.graph.modules[module.name].parent.relative_to(self.graph.root).as_posix()
        refusal = None if self.guards else self._refusal
        return CodeText(look_up, module.name, module.package, folder, self.messages, refusal)

    def _refusal(self, target: Target) -> set[Target] | None:
        """The exceptions that a definition raises, if it does nothing but check and refuse; else None."""
        if target not in self._refusals:
            self._refusals[target] = None  # while it is looked at: it may call itself
            nodes = self.module(target.module).names[target.name]
            if target.name in REFUSALS:
                self._refusals[target] = {Target("outside", f"builtins.{REFUSALS[target.name]}")}
            elif len(nodes) == 1 and isinstance(nodes[0], ast.FunctionDef):
                self._refusals[target] = self._writer(self.module(target.module)).refusing(nodes[0])
        return self._refusals[target]

    def _may_go_on(self, reached: Iterable[Target]) -> bool:
        """Whether something that is reached may catch what a guard in it raises, and go on."""
        texts = [self.text(target) for target in reached]
        raised = {one for text in texts for one in text.refused}
        if not raised:
            return False
        raised |= {one for text in texts for one in text.raised_again}
        plain = ("".join(piece for piece in text.pieces if isinstance(piece, str)) for text in texts)
        return may_catch([one for text in texts for one in text.handlers], raised, self._bases, list(plain))

    def _bases(self, exception: Target, below: frozenset = frozenset()) -> set[Target] | None:
        """An exception and all its bases; None if some are not known."""
        if exception.kind == "outside":
            line = getattr(builtins, exception.module.removeprefix("builtins.")).__mro__
            return {Target("outside", f"builtins.{one.__name__}") for one in line}
        nodes = self.module(exception.module).names[exception.name]
        if len(nodes) != 1 or not isinstance(nodes[0], ast.ClassDef) or exception in below:
            return None
        named = [self._writer(self.module(exception.module)).exception(one) for one in nodes[0].bases]
        lines = [one and self._bases(one, below | {exception}) for one in named]
        return {exception}.union(*lines) if lines and all(lines) else None

    def _plain(self, name: str) -> str:
        """A module's text without targets."""
        if name not in self._plains:
            text = self._body(self.module(name))
            self._plains[name] = "".join(piece for piece in text.pieces if isinstance(piece, str))
        return self._plains[name]

    def _place(self, name: str) -> tuple[str, str]:
        """Where a module stands among others: by its text; names count only where two have the same, such as none."""
        return self._plain(name), name

    def _everything(self) -> str:
        return "\n".join(sorted(map(self._plain, self.graph.modules)))

    def _closure(self, targets: Iterable[Target]) -> set[Target]:
        found, waiting = set(), list(targets)
        while waiting:
            if (target := waiting.pop()) not in found:
                found.add(target)
                waiting += self.text(target).targets
        return found

    def _loaded(self, reached: Iterable[Target]) -> set[str]:
        """The modules that are imported to reach targets."""
        waiting = {target.module for target in reached} - {""}
        waiting |= {name for target in reached for name in self.text(target).imports}
        found: set[str] = set()
        while waiting:
            name = waiting.pop()
            waiting |= {name.rpartition(".")[0]} - found
            if name in self.graph.modules or name == PAGE:
                found.add(name)
                waiting |= self.module(name).imported - found
            waiting.discard("")
        return found

    def _acts(self, name: str, reached: set[Target]) -> list[Target]:
        """What a module does when it is imported that what is reached may notice, in order."""
        module = self.module(name)
        acts = [Target("whole", star) for star in sorted(module.stars & self.graph.modules.keys(), key=self._place)]
        for number, (node, bound) in enumerate(module.bound):
            if bound is None:
                acts.append(Target("effect", name, number))
                continue
            own = [Target("definition", name, one) for one in bound]
            if own and not self._touched(own[0], node).isdisjoint(reached.difference(own) if len(own) > 1 else reached):
                acts += own
        return acts

    def _touched(self, target: Target, node: ast.stmt) -> frozenset[Target]:
        """The variables that a definition could change while its module is imported."""
        if target not in self._closures:
            module, (decorators, called) = self.module(target.module), calling(node)
            given = self._write(module, called).targets
            if self._write(module, decorators).targets:  # which may call what they decorate
                given += self._write(module, [node]).targets
            found = (one for one in self._closure(given) if one.kind == "definition")
            self._closures[target] = frozenset(
                one for one in found if one != target and any(map(may_change, self.module(one.module).names[one.name]))
            )
        return self._closures[target]

    def _follow(self, entries: Iterable[Target], numbers: dict[Target, int]) -> list[tuple[Target, str]]:
        """The texts of targets and of what they lead to; ``numbers`` is filled in the order in which these are met."""
        waiting, texts = [], []

        def number(target: Target) -> str:
            if target not in numbers:
                numbers[target] = len(numbers)
                waiting.append(target)
            return f"#{numbers[target]}"

        for entry in entries:
            number(entry)
        for target in waiting:  # which grows meanwhile
            pieces = self.text(target).pieces
            text = "".join(one if isinstance(one, str) else "|".join(map(number, one)) for one in pieces)
            texts.append((target, text))
        return texts

    def _alone(self, entries: tuple[Target, ...]) -> tuple[str, list[Target]]:
        """The text of targets with all that they lead to, as one digest, and what that is in the order met."""
        if entries not in self._followed:
            met: dict[Target, int] = {}
            text = "\n".join(text for _, text in self._follow(entries, met))
            self._followed[entries] = hashlib.sha256(text.encode()).hexdigest(), list(met)
        return self._followed[entries]

    def _reach(self, entries: Sequence[Target]) -> Reach:
        reached, done = self._closure(entries), False
        while not done:
            loaded = self._loaded(reached)
            acts = [found for name in sorted(loaded) if (found := self._acts(name, reached))]
            more = self._closure(one for found in acts for one in found)
            done = more <= reached
            reached |= more
        if not self.guards and self._may_go_on(reached):
            return self._with_guards._reach(entries)
        numbers: dict[Target, int] = {}
        texts = self._follow([one for one in entries if one.kind != "outside"], numbers)
        known = dict(numbers)

        def place(found: list[Target]) -> tuple[str, list[int]]:
            text, met = self._alone(tuple(found))
            return text, [known.get(one, -1) for one in met]

        for found in sorted(acts, key=place):
            if len(found) > 1 or found[0] not in known:
                texts += self._follow(found, numbers)
                texts.append((found[0], f"in this order: {[numbers[one] for one in found]}"))
        strings: dict[str, set[str]] = {}
        for target in reached:
            strings.setdefault(target.module, set()).update(self.text(target).strings)
        reads = any(self.text(target).reads_source for target in reached)
        return Reach(texts, frozenset(loaded - {PAGE}), strings, reads)
