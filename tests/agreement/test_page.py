import json
import re
from datetime import UTC, datetime
from html.parser import HTMLParser
from xml.etree import ElementTree

import pytest

from odyssey_recorder.agreement.page import render_quality_page, report_as_json
from odyssey_recorder.agreement.quality_report import quality_report
from odyssey_recorder.agreement.reviewed import AllReviewed, Reviewed
from odyssey_recorder.agreement.sections import kappa_text, trust_text
from odyssey_recorder.reports import report_json
from odyssey_recorder.review.review import Subject
from tests.checking.reviewed import reviewed
from tests.checking.verdicts import verdict
from tests.cli import ESCAPES

MADE_AT = datetime(2026, 11, 21, 10, 30, tzinfo=UTC)
HOSTILE = f"<script>alert(1)</script>\"'&{ESCAPES}"


def page(*episodes: Reviewed, problems: tuple[str, ...] = (), dataset: str = "/data/mine") -> str:
    return render_quality_page(quality_report(AllReviewed(episodes, problems)), dataset=dataset, made_at=MADE_AT)


def reviewed_episodes(count: int) -> list[Reviewed]:
    answers = ("ppp", "ppp", "fpp", "ppu")
    return [
        reviewed(
            number,
            verdict("Bea", answers[number % 4]),
            verdict("Cem", answers[number % 3], minute=1),
            *([verdict("Dan", minute=2)] if number % 4 == 2 else []),
        )
        for number in range(count)
    ]


class TagCollector(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.names: set[str] = set()
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.names.add(tag)
        if tag not in ("meta", "br"):
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: object) -> None:
        self.names.add(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


@pytest.mark.parametrize(
    ("count", "words"),
    [
        (0, "Figures appear after the first verdict."),
        (12, "12 episodes with two verdicts: too few to be meaningful."),
        (60, "60 episodes with two verdicts."),
    ],
)
def test_page_is_self_contained_and_states_its_reliability(count: int, words: str) -> None:
    html = page(*reviewed_episodes(count))
    collector = TagCollector()
    collector.feed(html)
    assert not collector.open
    assert not collector.names & {"script", "img", "link", "iframe", "object"}
    assert "://" not in html
    assert words in html
    for image in re.findall(r"<svg.*?</svg>", html, re.DOTALL):
        ElementTree.fromstring(image)
    assert len(re.findall(r'<svg class="bar"[^>]*aria-label="', html)) >= count / 3
    for length in re.findall(r'<rect class="fill"[^>]* width="([^"]*)"', html):
        assert 0 <= float(length) <= 100


def test_names_are_escaped() -> None:
    subject = Subject(recorder=HOSTILE, category=HOSTILE, device=HOSTILE, template=HOSTILE)
    hostile = reviewed(1, verdict(HOSTILE), sampled=False, subject=subject)
    html = page(hostile, problems=(HOSTILE,), dataset=HOSTILE)
    assert "<script" not in html
    assert "\x1b" not in html
    assert html.count("&lt;script&gt;") >= 7


def test_page_says_that_kappa_is_undefined() -> None:
    same = [reviewed(number, verdict("Bea"), verdict("Cem", minute=1)) for number in range(40)]
    assert "undefined: all gave the same answer" in page(*same)


def test_json_contains_all_figures() -> None:
    report = quality_report(AllReviewed(tuple(reviewed_episodes(8)), ("a problem",)))

    tree = json.loads(report_json(report_as_json(report, dataset="/data/mine", made_at=MADE_AT)))

    assert (tree["format"], tree["made_at"], tree["episodes"]) == (1, "2026-11-21T10:30:00+00:00", 8)
    assert sum(tree["stages"].values()) == 8
    assert [panel["measure"] for panel in tree["agreement"]] == ["Cohen's kappa", "Fleiss' kappa"]
    decided = tree["agreement"][0]["questions"][0]
    assert (decided["n"], decided["raw"]) == (8, report.pairs.questions[0].agreement.raw)
    assert set(tree["acceptance"]) == {"annotator", "category", "device", "template"}
    assert tree["defects"]["n"] == report.bound.n
    assert tree["problems"] == ["a problem"]
    assert kappa_text(report.pairs.questions[0].agreement).startswith(f"{decided['kappa']:.2f} (")
    assert trust_text(report.panels[0]).endswith("too few to be meaningful.")
