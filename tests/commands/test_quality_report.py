import hashlib

import pytest

from odyssey_recorder.review.review_store import ReviewStore
from odyssey_recorder.review.status import ReviewPolicy
from tests.checking.reviewed import publish
from tests.checking.verdicts import verdict
from tests.cli import ESCAPES, CommandLine

pytestmark = pytest.mark.usefixtures("one_processor")


def test_figures_are_printed_and_written_as_page_and_json(cli: CommandLine) -> None:
    """Of twelve episodes, the first eight judged, four of them twice, and three of these disputed."""
    store = ReviewStore(cli.dataset)
    for number in range(12):
        episode_id = f"{number:016}"
        revision = hashlib.sha256(publish(cli.dataset, episode_id).read_bytes()).hexdigest()
        if number < 8:
            store.append(episode_id, verdict("Bea", revision=revision))
        if number < 4:
            store.append(episode_id, verdict(ESCAPES, "fpp" if number else "ppp", minute=1, revision=revision))
    store.set_policy(ReviewPolicy(second_share=1.0))
    page = cli.folder / "page.html"
    result = cli("quality-report", "--html", page)
    assert (result.exit_code, result.err) == (0, "")
    assert "12 episodes, 12 verdicts: 4 unreviewed, 4 second review, 3 disputed, 1 accepted" in result.out
    assert "4 episodes with two verdicts: too few to be meaningful." in result.out
    assert "4 more of the sample wait for their second review." in " ".join(result.out.split())
    assert "Cohen's kappa" in result.out
    assert "\x1b" not in result.out
    assert str(page) in result.out
    assert "Agreement of two reviewers" in page.read_text()
    tree = cli.json("quality-report", cli.dataset)
    assert (tree["dataset"], tree["episodes"]) == (str(cli.dataset), 12)
    assert tree["defects"] == {"n": 4, "found": 3, "waiting": 4, "rate_below": pytest.approx(0.987, abs=0.001)}


def test_unwritable_page_exits_with_2(cli: CommandLine) -> None:
    publish(cli.dataset, "0000000000000001")
    assert "annotations" in cli.error("quality-report", "--html", cli.dataset / "annotations")
