import hashlib
import json

import pytest

from odyssey_recorder.quality.reviewing.review_store import ReviewStore
from odyssey_recorder.quality.reviewing.status import ReviewPolicy
from tests.command_line import ESCAPES, CommandLine
from tests.quality.reviewed import publish
from tests.quality.verdicts import verdict


@pytest.fixture
def judged(command_line: CommandLine) -> CommandLine:
    """A dataset of twelve episodes, the first four judged twice, and one of these disputed."""
    store = ReviewStore(command_line.dataset)
    for number in range(12):
        episode_id = f"{number:016}"
        annotation = publish(command_line.dataset, episode_id)
        present = hashlib.sha256(annotation.read_bytes()).hexdigest()
        if number < 8:
            store.append(episode_id, verdict("Bea", revision=present))
        if number < 4:
            store.append(episode_id, verdict(ESCAPES, "fpp" if number else "ppp", minute=1, revision=present))
    store.set_policy(ReviewPolicy(second_share=1.0))
    return command_line


def test_the_figures_are_printed(judged: CommandLine) -> None:
    ran = judged("quality-report")

    assert (ran.exit_code, ran.err) == (0, "")
    assert "12 episodes, 12 verdicts: 4 unreviewed, 4 second review, 3 disputed, 1 accepted" in ran.out
    assert "4 episodes with two verdicts: too few to trust." in ran.out
    assert "4 more of the sample wait for their second review." in " ".join(ran.out.split())
    assert "Cohen's kappa" in ran.out
    assert "\x1b" not in ran.out


def test_the_page_is_written_and_named(judged: CommandLine) -> None:
    page = judged.folder / "page.html"

    ran = judged("quality-report", str(judged.dataset), "--html", str(page))

    assert ran.exit_code == 0
    assert str(page) in ran.out
    assert "Agreement of two reviewers" in page.read_text()


def test_programs_get_json(judged: CommandLine) -> None:
    tree = json.loads(judged("quality-report", "--json").out)

    assert (tree["dataset"], tree["episodes"]) == (str(judged.dataset), 12)
    assert tree["defects"] == {"n": 4, "found": 3, "waiting": 4, "rate_below": pytest.approx(0.987, abs=0.001)}


def test_a_folder_that_is_no_dataset_is_another_failure(command_line: CommandLine) -> None:
    ran = command_line("quality-report", str(command_line.folder))

    assert (ran.exit_code, ran.out) == (2, "")
    assert "is no dataset folder" in ran.err


def test_a_page_that_cannot_be_written_is_a_failure_too(judged: CommandLine) -> None:
    ran = judged("quality-report", "--html", str(judged.dataset / "annotations"))

    assert ran.exit_code == 2
    assert "annotations" in ran.err
