"""What the window says about an episode after publishing, and about the findings of its checks."""

from pathlib import Path

import pytest
from PySide6.QtWidgets import QLabel, QWidget
from pytestqt.qtbot import QtBot

from odyssey_recorder.gui.commands import Commands
from odyssey_recorder.gui.record.publication import Publication
from odyssey_recorder.quality.finding import Criterion, EpisodeReport, Finding, Severity

ID = "0000000000000007"
FILE = Path("/data/annotations") / f"{ID}.json"


@pytest.fixture
def publication(qtbot: QtBot) -> Publication:
    window = QWidget()
    qtbot.addWidget(window)
    shown = Publication(Commands(window))
    qtbot.addWidget(shown)
    shown.show_published(FILE)
    return shown


def said(publication: Publication) -> str:
    return "\n".join(label.text().replace("\u200b", "") for label in publication.findChildren(QLabel))


def finding(step: int | None, severity: Severity = Severity.WARNING) -> Finding:
    return Finding("IMG07", severity, Criterion.PICTURES, ID, step, f"Nothing changed at {step}.", "Drop the step.")


def report(*findings: Finding, episode_id: str = ID) -> EpisodeReport:
    return EpisodeReport(episode_id, findings)


def test_it_says_where_the_episode_is_and_that_it_is_being_checked(publication: Publication) -> None:
    assert "Checking…" in said(publication)
    assert FILE.name in said(publication)
    assert publication.toolTip() == str(FILE)
    assert publication.annotation == FILE


def test_a_clean_episode_is_said_to_be_so_and_notes_are_no_harm(publication: Publication) -> None:
    publication.show_report(report(finding(1, Severity.NOTE)))
    assert "no problems" in publication.words
    assert FILE.name in said(publication)


def test_findings_are_told_with_their_steps_and_what_to_do_the_rest_is_counted(publication: Publication) -> None:
    publication.show_report(report(finding(3)))
    assert publication.words == "The episode is published with 1 warning."
    publication.show_report(report(finding(None, Severity.ERROR), finding(3), finding(4), finding(5)))
    assert publication.words == "The episode is published with 1 error and 3 warnings."
    assert "Step 4: Nothing changed at 3. Drop the step." in said(publication)
    assert "2 more" in said(publication)
    assert "Step 5" not in said(publication)


def test_what_comes_late_of_an_earlier_episode_is_passed_over(publication: Publication) -> None:
    publication.show_report(report(finding(3), episode_id="0000000000000001"))
    assert "Checking…" in said(publication)


def test_a_check_that_could_not_be_made_is_no_clean_one(publication: Publication) -> None:
    publication.show_failure("The disk is gone.")
    assert "the checks could not run" in publication.words
    assert "The disk is gone." in said(publication)
