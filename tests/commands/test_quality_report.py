import hashlib
import json
from pathlib import Path

import pytest

from odyssey_recorder.quality.reviewing.review_store import ReviewStore
from odyssey_recorder.quality.reviewing.status import ReviewPolicy
from tests.command_line import ESCAPES, CommandLine
from tests.quality.reviewed import publish
from tests.quality.verdicts import verdict


def judge_twelve(dataset: Path) -> None:
    """Twelve episodes, the first eight judged, four of them twice, and three of these disputed."""
    store = ReviewStore(dataset)
    for number in range(12):
        episode_id = f"{number:016}"
        present = hashlib.sha256(publish(dataset, episode_id).read_bytes()).hexdigest()
        if number < 8:
            store.append(episode_id, verdict("Bea", revision=present))
        if number < 4:
            store.append(episode_id, verdict(ESCAPES, "fpp" if number else "ppp", minute=1, revision=present))
    store.set_policy(ReviewPolicy(second_share=1.0))


def test_the_figures_are_printed_written_to_a_page_and_told_to_programs(command_line: CommandLine) -> None:
    judge_twelve(command_line.dataset)
    page = command_line.folder / "page.html"
    ran = command_line("quality-report", "--html", page)
    assert (ran.exit_code, ran.err) == (0, "")
    assert "12 episodes, 12 verdicts: 4 unreviewed, 4 second review, 3 disputed, 1 accepted" in ran.out
    assert "4 episodes with two verdicts: too few to be meaningful." in ran.out
    assert "4 more of the sample wait for their second review." in " ".join(ran.out.split())
    assert "Cohen's kappa" in ran.out
    assert "\x1b" not in ran.out
    assert str(page) in ran.out
    assert "Agreement of two reviewers" in page.read_text()
    tree = json.loads(command_line("quality-report", command_line.dataset, "--json").out)
    assert (tree["dataset"], tree["episodes"]) == (str(command_line.dataset), 12)
    assert tree["defects"] == {"n": 4, "found": 3, "waiting": 4, "rate_below": pytest.approx(0.987, abs=0.001)}


def test_a_folder_that_is_no_dataset_and_a_page_that_cannot_be_written_are_other_failures(
    command_line: CommandLine,
) -> None:
    ran = command_line("quality-report", command_line.folder)
    assert (ran.exit_code, ran.out) == (2, "")
    assert "is not a dataset folder" in ran.err
    publish(command_line.dataset, "0000000000000001")
    ran = command_line("quality-report", "--html", command_line.dataset / "annotations")
    assert ran.exit_code == 2
    assert "annotations" in ran.err
