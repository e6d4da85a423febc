"""Links and images in the documents exist, and the keys that they name are right."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from odyssey_recorder.gui.commands import Command

ROOT = Path(__file__).parents[1]
DOCUMENTS = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("*/README.md")])
_LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)")
_HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)
_CODE = re.compile(r"^```.*?^```|^    .*?$|`[^`\n]*`", re.MULTILINE | re.DOTALL)
_KEY_ROW = re.compile(r"^\| `(.+?)` \| (.+?) \| (.+?) \|$", re.MULTILINE)
_GUIDES = {
    "": ("annotator-guide.md", "Everywhere"),
    "Record": ("annotator-guide.md", "On the page Record"),
    "Tasks": ("lead-guide.md", "On the page Tasks"),
    "Practice": ("annotator-guide.md", "On the page Practice"),
    "Review": ("reviewer-guide.md", "On the page Review"),
}
"""The document of each page, and the heading above its keys."""


def links_of(document: Path) -> list[str]:
    targets = _LINK.findall(_CODE.sub("", document.read_text(encoding="utf-8")))
    return [target for target in targets if "://" not in target]


def anchors_of(document: Path) -> set[str]:
    """The anchors of the headings as rendered: without punctuation, spaces as hyphens."""
    headings = _HEADING.findall(document.read_text(encoding="utf-8"))
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def is_there(document: Path, link: str) -> bool:
    name, _, anchor = link.partition("#")
    target = document.parent / name if name else document
    return target.exists() and (not anchor or anchor in anchors_of(target))


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_link_and_every_screenshot_of_a_document_leads_somewhere(document: Path) -> None:
    assert [link for link in links_of(document) if not is_there(document, link)] == []


def test_every_screenshot_is_shown_by_a_document() -> None:
    shown = {(document.parent / link).resolve() for document in DOCUMENTS for link in links_of(document)}
    assert [
        screenshot.name for screenshot in (ROOT / "docs" / "images").iterdir() if screenshot.resolve() not in shown
    ] == []


def told_keys(name: str, heading: str) -> list[tuple[str, ...]]:
    guide = (ROOT / "docs" / name).read_text(encoding="utf-8")
    section = guide.partition(f"### {heading}\n")[2].partition("###")[0]
    return _KEY_ROW.findall(section)


def real_keys(page: str) -> Iterator[tuple[str, ...]]:
    for words in (command.value for command in Command):
        if words.page == page and words.keys:
            yield words.keys, words.label.rstrip("…"), words.tip


@pytest.mark.parametrize("page", _GUIDES)
def test_a_guide_tells_the_keys_that_the_window_has(page: str) -> None:
    assert told_keys(*_GUIDES[page]) == list(real_keys(page))


def test_annotators_are_told_true_keys_of_the_page_that_they_share_with_leads() -> None:
    told = told_keys("annotator-guide.md", "On the page Tasks")
    assert [keys for keys in real_keys("Tasks") if keys in told] == told != []
