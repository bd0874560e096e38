"""Reads pages as a person does: what is written where."""

from dataclasses import dataclass, field
from html.parser import HTMLParser

VOID = {"meta", "link", "input", "br", "img", "source", "hr"}


@dataclass
class Element:
    tag: str
    attributes: dict[str, str]
    children: list["Element | str"] = field(default_factory=list)

    @property
    def text(self) -> str:
        parts = [one if isinstance(one, str) else one.text for one in self.children]
        return " ".join(" ".join(parts).split())

    def every(self, tag: str = "", **attributes: str) -> list["Element"]:
        found: list[Element] = []
        for one in self.children:
            if isinstance(one, str):
                continue
            fits = not tag or one.tag == tag
            if fits and all(one.attributes.get(name.rstrip("_")) == value for name, value in attributes.items()):
                found.append(one)
            found += one.every(tag, **attributes)
        return found

    def one(self, tag: str = "", **attributes: str) -> "Element":
        found = self.every(tag, **attributes)
        assert found, f"no {tag} with {attributes}"
        return found[0]


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.open = [Element("", {})]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        made = Element(tag, {name: value or "" for name, value in attrs})
        self.open[-1].children.append(made)
        if tag not in VOID:
            self.open.append(made)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.open[-1].children.append(Element(tag, {name: value or "" for name, value in attrs}))

    def handle_endtag(self, tag: str) -> None:
        while len(self.open) > 1 and (closed := self.open.pop()).tag != tag:
            assert closed.tag in ("option", "p", "li"), f"{closed.tag} is open where {tag} ends"

    def handle_data(self, data: str) -> None:
        self.open[-1].children.append(data)


def read(page: str) -> Element:
    reader = _Reader()
    reader.feed(page)
    assert len(reader.open) == 1, f"{[one.tag for one in reader.open]} stay open"
    return reader.open[0]
