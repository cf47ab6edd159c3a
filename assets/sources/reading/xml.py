"""Small XML documents as plain trees; one that declares a document type is refused.

Entities are declared in a document type alone, so that without one nothing expands and nothing
outside the document is asked for.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final
from xml.parsers import expat

from assets.sources.reading.values import Malformed

DEEPEST: Final = 64
"""Elements inside elements: annotations nest three or four deep."""


@dataclass(slots=True)
class Element:
    """An element.

    Attributes:
        name: Its name.
        text: Text directly in it, stripped.
        children: Elements in it, in order.
    """

    name: str
    text: str = ""
    children: list[Element] = field(default_factory=list)

    def all(self, name: str) -> Iterator[Element]:
        """Elements of that name directly in this one."""
        return (child for child in self.children if child.name == name)

    def first(self, *names: str) -> Element | None:
        """The first element directly in this one that has one of the names."""
        return next((child for child in self.children if child.name in names), None)

    def said(self, name: str) -> str | None:
        """Text of the first element of that name; None where there is none."""
        child = self.first(name)
        return None if child is None else child.text


def xml_tree(data: bytes) -> Element:
    """The root of an XML document.

    Raises:
        Malformed: No XML, elements nested too deeply, or a document type.
    """
    above: list[Element] = [Element("")]

    def start(name: str, _: object) -> None:
        if len(above) > DEEPEST:
            raise Malformed(f"XML is nested over {DEEPEST} deep", name)
        made = Element(name)
        above[-1].children.append(made)
        above.append(made)

    def end(_: str) -> None:
        one = above.pop()
        one.text = one.text.strip()

    def text(said: str) -> None:
        above[-1].text += said

    def doctype(name: str, *_: object) -> None:
        raise Malformed("XML declares a document type, which may hold entities", name)

    parser = expat.ParserCreate()
    parser.buffer_text = True
    parser.StartElementHandler = start
    parser.EndElementHandler = end
    parser.CharacterDataHandler = text
    parser.StartDoctypeDeclHandler = doctype
    try:
        parser.Parse(data, True)
    except expat.ExpatError as error:
        raise Malformed(
            f"not XML at line {error.lineno}: {expat.ErrorString(error.code)}"
        ) from None
    except (LookupError, ValueError) as error:
        if isinstance(error, Malformed):
            raise
        raise Malformed(f"not XML: {error}") from None
    return above[0].children[0]
