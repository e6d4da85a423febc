"""The offline web: its articles, their content, and the search over them."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Literal

from odyssey_simulator.apps.content import table

SEARCH_SITE = "search.lumen.example"


@dataclass(frozen=True, slots=True)
class PageText:
    kind: Literal["heading", "bullet", "paragraph"]
    text: str


@dataclass(frozen=True, slots=True)
class Cells:
    texts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Link:
    address: str
    label: str


Block = PageText | Cells | Link


@dataclass(frozen=True, slots=True)
class Article:
    address: str
    title: str
    site: str
    byline: str
    icon: str
    color: str
    tags: str
    blocks: tuple[Block, ...]
    answer: str = ""
    scene: int | None = None
    words: tuple[frozenset[str], ...] = field(default=(), repr=False)

    @property
    def url(self) -> str:
        return f"https://{self.address}"

    @property
    def summary(self) -> str:
        return next(
            (block.text for block in self.blocks if isinstance(block, PageText) and block.kind == "paragraph"), ""
        )


def _block(line: str) -> Block:
    mark, _, rest = line.partition(" ")
    match mark:
        case "#":
            return PageText("heading", rest)
        case "-":
            return PageText("bullet", rest)
        case "|":
            return Cells(tuple(cell.strip() for cell in rest.split("|")))
        case "=>":
            address, _, label = rest.partition(" ")
            return Link(address, label)
        case _:
            return PageText("paragraph", line)


def _words(text: str) -> list[str]:
    found = re.findall(r"[a-z0-9]+", text.lower().replace("'s", "").replace("\u2019s", ""))
    fillers = _fillers()
    return [word[:-1] if len(word) > 3 and word.endswith("s") else word for word in found if word not in fillers]


@cache
def _fillers() -> frozenset[str]:
    return frozenset(table("web")["fillers"].split())


def _article(row: dict[str, str], scene: int | None) -> Article:
    body = row.pop("body")
    searched = (row["title"], row["tags"], f"{row['address']} {row['site']} {body}")
    blocks = tuple(_block(line.strip()) for line in body.splitlines() if line.strip())
    return Article(**row, blocks=blocks, scene=scene, words=tuple(frozenset(_words(text)) for text in searched))


@cache
def articles() -> Sequence[Article]:
    return [_article(row, row.pop("scene", None)) for row in table("web")["article"]]


def _plain(address: str) -> str:
    return address.strip().lower().removeprefix("https://").removeprefix("http://").removeprefix("www.").rstrip("/")


def is_address(words: str) -> bool:
    return words.strip().startswith(("http://", "https://")) or bool(re.fullmatch(r"\S+\.[a-z]{2,}(/\S*)?", words))


def article_at(address: str) -> Article | None:
    keywords = _plain(address)
    return next((article for article in articles() if article.address == keywords), None)


def _worth(article: Article, word: str) -> int:
    weights = (6, 4, 1)
    exact = sum(weight for weight, words in zip(weights, article.words, strict=True) if word in words)
    if exact or len(word) < 4:
        return exact * 2
    return sum(
        weight
        for weight, words in zip(weights, article.words, strict=True)
        if any(known.startswith(word) for known in words)
    )


def search(query: str) -> list[Article]:
    keywords = _words(query)
    found = []
    for article in articles():
        worth = [_worth(article, word) for word in keywords]
        if worth and all(worth):
            found.append((sum(worth), article))
    return [article for _, article in sorted(found, key=lambda pair: -pair[0])]


def suggestions(typed: str) -> list[str]:
    return [article.title for article in search(typed)][:6]
