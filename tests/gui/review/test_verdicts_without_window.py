"""A verdict by command is the same as one by the window."""

import re
import shutil
from hashlib import sha256
from pathlib import Path

import pytest

from odyssey_recorder.checking.checker import Checker
from odyssey_recorder.dataset_index.index import EpisodeIndex
from odyssey_recorder.review.review_store import ReviewStore
from odyssey_recorder.services.review import ReviewService
from tests.checking.folders import FIRST, write_dataset
from tests.checking.verdicts import verdict
from tests.cli import CommandLine
from tests.dataset.published_episode import PublishedEpisode
from tests.gui.review.reviewer import OpenReviews, Reviewer


@pytest.fixture
def by_command(cli: CommandLine) -> PublishedEpisode:
    """With warnings, so that it is reviewed twice; Cem has sent it back."""
    (annotation,) = write_dataset(cli.dataset, FIRST)
    revision = sha256(annotation.read_bytes()).hexdigest()
    ReviewStore(cli.dataset).append(FIRST, verdict("Cem", "pfp", revision=revision))
    return PublishedEpisode(cli.dataset, FIRST)


@pytest.fixture
def by_window(by_command: PublishedEpisode) -> PublishedEpisode:
    copy = shutil.copytree(by_command.root, by_command.root.with_name("copy"))
    return PublishedEpisode(Path(copy), by_command.episode_id)


def review_file(episode: PublishedEpisode) -> str:
    """Without what differs each time."""
    text = (episode.root / "reviews" / f"{episode.episode_id}.json").read_text()
    return re.sub(r'"(id|at|seconds)": ("[^"]*"|[0-9.]+)', r'"\1": …', text)


def open_in_window(open_reviews: OpenReviews, episode: PublishedEpisode) -> Reviewer:
    service = ReviewService(EpisodeIndex(episode.root, None), Checker(None, 1), lambda: "Bea")
    service.check_all()
    reviewer = open_reviews(service)
    reviewer.pilot.qtbot.waitUntil(lambda: bool(reviewer.listed))
    reviewer.open(0)
    return reviewer


def test_accepted_episode_has_the_same_review_file(
    cli: CommandLine, open_reviews: OpenReviews, by_command: PublishedEpisode, by_window: PublishedEpisode
) -> None:
    reviewer = open_in_window(open_reviews, by_window)
    reviewer.look_at_all()
    reviewer.press("qazr")
    reviewer.wait_for_text("Saved. The two reviews differ")
    passes = ("--screenshots", "pass", "--sequence", "pass", "--instruction", "pass")
    said = cli.output("reviews", "accept", by_command.episode_id, *passes, "--by", "Bea")
    assert said == f"{by_command.episode_id}: Saved. The two reviews differ, so a third reviewer decides\n"
    assert review_file(by_command) == review_file(by_window)


def test_episode_sent_back_has_the_same_review_file(
    cli: CommandLine, open_reviews: OpenReviews, by_command: PublishedEpisode, by_window: PublishedEpisode
) -> None:
    reviewer = open_in_window(open_reviews, by_window)
    reviewer.press(".qzs3v")
    reviewer.wait_for_text("Sent back. It has no task in the queue, so tell Ada yourself")
    answers = ("--screenshots", "pass", "--sequence", "fail:stray@2", "--instruction", "pass")
    cli.output("reviews", "send-back", by_command.episode_id, *answers, "--by", "Bea")
    assert '"kind": "move"' in review_file(by_command)
    assert review_file(by_command) == review_file(by_window)
