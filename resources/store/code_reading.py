"""One walk over a definition's syntax tree: what counts of it as text, and what it names.

Comments, layout, docstrings and annotations do not count. A field of a class is one by being
annotated, and of another kind by `ClassVar`, `InitVar` or `KW_ONLY`: so much of an annotation stays.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

DEFINITION = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
_FIELD_KINDS = ("ClassVar", "InitVar", "KW_ONLY")
# What the place of a node tells anyway, or how something was spelled.
_UNSAID = frozenset({"ctx", "type_comment", "kind"})
# In the order they stand: of two imports of a name the last one counts.
_BODIES = ("body", "handlers", "orelse", "finalbody", "cases")


@dataclass(frozen=True, slots=True)
class Reading:
    """What was read of some statements.

    Attributes:
        text: The statements, written so that two texts are equal only if they do the same.
        chains: Names used, each with the attributes asked of it in a row (`a.b.c`).
        annotations: Names in annotations, also in quoted ones.
        strings: Texts, and paths put together from them (`base / "a" / "b.csv"`).
        imports: Import statements inside functions.
    """

    text: str
    chains: tuple[tuple[str, ...], ...]
    annotations: tuple[str, ...]
    strings: frozenset[str]
    imports: tuple[ast.AST, ...]


def read_definition(nodes: Iterable[ast.AST]) -> Reading:
    """Reads the statements that define a name."""
    walk = _Walk()
    for node in nodes:
        walk.take(node)
    return Reading(
        "".join(walk.parts),
        tuple(walk.chains),
        tuple(walk.annotations),
        frozenset(walk.strings),
        tuple(walk.imports),
    )


class _Walk(ast.NodeVisitor):
    """Writes nodes down and notes what they name, in one go."""

    def __init__(self) -> None:
        self.parts: list[str] = []
        self.chains: dict[tuple[str, ...], None] = {}
        self.annotations: dict[str, None] = {}
        self.strings: set[str] = set()
        self.imports: list[ast.AST] = []
        self._functions = 0

    def take(self, value: Any) -> None:
        if isinstance(value, ast.AST):
            self.parts.append(type(value).__name__ + "(")
            self.visit(value)
            self.parts.append(")")
        elif isinstance(value, list):
            self.parts.append("[")
            for one in value:
                self.take(one)
            self.parts.append("]")
        else:
            self.parts.append(repr(value) + ",")

    def generic_visit(self, node: ast.AST) -> None:
        for name in _fields_of(type(node)):
            self.take(getattr(node, name, None))

    # -- names -----------------------------------------------------------------------------------

    def visit_Name(self, node: ast.Name) -> None:
        self.parts.append(node.id)
        self.chains[node.id,] = None

    def visit_Attribute(self, node: ast.Attribute) -> None:
        inner: ast.expr = node
        asked: list[str] = []
        while isinstance(inner, ast.Attribute):
            asked.append(inner.attr)
            inner = inner.value
        self.parts.append(".".join(asked) + ",")
        if isinstance(inner, ast.Name):
            self.parts.append(inner.id)
            self.chains[inner.id, *reversed(asked)] = None
        else:
            self.take(inner)

    def visit_Import(self, node: ast.Import) -> None:
        self._import(node)

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        self._import(node)

    def _import(self, node: ast.AST) -> None:
        if self._functions:
            self.imports.append(node)
        self.generic_visit(node)

    # -- definitions and annotations ---------------------------------------------------------------

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        self._function(node)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> None:
        self._function(node)

    def _function(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        self._annotation(node.returns)
        self._functions += 1
        self._definition(node)
        self._functions -= 1

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        self._definition(node)

    def _definition(self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> None:
        for name in _fields_of(type(node)):
            if name == "body":
                self.take(_without_docstring(node.body))
            elif name != "returns":
                self.take(getattr(node, name, None))

    def visit_arg(self, node: ast.arg) -> None:
        self.parts.append(node.arg)
        self._annotation(node.annotation)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        self._annotation(node.annotation)
        said = ast.dump(node.annotation)
        self.parts.append(next((kind for kind in _FIELD_KINDS if kind in said), "_") + ",")
        self.take(node.target)
        self.take(node.value)
        self.take(node.simple)

    def _annotation(self, said: ast.AST | None) -> None:
        if isinstance(said, ast.Constant) and isinstance(said.value, str):
            try:
                said = ast.parse(said.value, mode="eval")
            except SyntaxError:
                return  # words, which name no class
        if said is not None:
            self.annotations |= {n.id: None for n in ast.walk(said) if isinstance(n, ast.Name)}

    # -- texts -------------------------------------------------------------------------------------

    def visit_Constant(self, node: ast.Constant) -> None:
        if isinstance(node.value, str):
            self.strings.add(node.value)
        self.parts.append(repr(node.value))

    def visit_BinOp(self, node: ast.BinOp) -> None:
        if isinstance(node.op, ast.Div):
            steps: list[str] = []
            inner: ast.expr = node
            while isinstance(inner, ast.BinOp) and isinstance(inner.right, ast.Constant):
                steps.append(str(inner.right.value))
                inner = inner.left
            self.strings.add("/".join(reversed(steps)))
        self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> None:
        given = [str(a.value) for a in node.args if isinstance(a, ast.Constant)]
        if len(given) == len(node.args) > 1:
            self.strings.add("/".join(given))
        self.generic_visit(node)


def statements(nodes: Iterable[ast.AST]) -> Iterator[ast.AST]:
    """Statements and those inside them, but not inside functions and classes."""
    for node in nodes:
        yield node
        if not isinstance(node, DEFINITION):
            for body in _BODIES:
                yield from statements(getattr(node, body, ()))


@cache
def _fields_of(kind: type[ast.AST]) -> tuple[str, ...]:
    return tuple(name for name in kind._fields if name not in _UNSAID)


def _without_docstring(body: list[ast.stmt]) -> list[ast.stmt]:
    first = body[0]
    if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
        return body[1:] or [ast.Pass()]
    return body
