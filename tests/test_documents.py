"""Links and images in the documents exist, and the keys that they name are right."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from odyssey_recorder.gui.window.pages import all_commands

ROOT = Path(__file__).parents[1]
DOCUMENTS = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("[!.]*/README.md")])
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


def exists(document: Path, link: str) -> bool:
    name, _, anchor = link.partition("#")
    target = document.parent / name if name else document
    return target.exists() and (not anchor or anchor in anchors_of(target))


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_links_and_images_of_documents_exist(document: Path) -> None:
    assert [link for link in links_of(document) if not exists(document, link)] == []


def test_every_image_is_used_in_a_document() -> None:
    shown = {(document.parent / link).resolve() for document in DOCUMENTS for link in links_of(document)}
    assert [
        screenshot.name for screenshot in (ROOT / "docs" / "images").iterdir() if screenshot.resolve() not in shown
    ] == []


def documented_keys(name: str, heading: str) -> list[tuple[str, ...]]:
    guide = (ROOT / "docs" / name).read_text(encoding="utf-8")
    section = guide.partition(f"### {heading}\n")[2].partition("###")[0]
    return _KEY_ROW.findall(section)


def actual_keys(page: str) -> Iterator[tuple[str, ...]]:
    for command in (member.value for member in all_commands()):
        if command.page == page and command.keys:
            yield command.keys, command.label.rstrip("…"), command.tip


@pytest.mark.parametrize("page", _GUIDES)
def test_guides_list_the_keys_of_the_window(page: str) -> None:
    assert documented_keys(*_GUIDES[page]) == list(actual_keys(page))


def test_annotator_guide_lists_real_keys_of_the_tasks_page() -> None:
    documented = documented_keys("annotator-guide.md", "On the page Tasks")
    assert [keys for keys in actual_keys("Tasks") if keys in documented] == documented != []
