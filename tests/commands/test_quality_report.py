import hashlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from odyssey_recorder.annotation.redacted_episode import open_dataset_episode
from odyssey_recorder.annotation.semantics import SemanticsStore
from odyssey_recorder.annotation.text_kinds import TextKind
from odyssey_recorder.dataset.layout import annotation_path
from odyssey_recorder.review.review_store import ReviewStore
from odyssey_recorder.review.status import ReviewPolicy
from tests.annotation.texts import suggestion
from tests.checking.reviewed import publish
from tests.checking.verdicts import verdict
from tests.cli import ESCAPES, CommandLine
from tests.exporting.sample import ids, write_dataset

KEYS = Path(__file__).parents[1] / "data" / "quality_report_keys.txt"

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


def test_json_has_the_keys_that_programs_rely_on(cli: CommandLine) -> None:
    """One episode accepted by two reviewers, one judged by three, one with a text, and a damaged review file."""
    write_dataset(cli.dataset, 3)
    store = ReviewStore(cli.dataset)
    for episode_id, answers in zip(ids(3), (["ppp", "ppp"], ["ppp", "fpp", "ppp"], []), strict=True):
        revision = hashlib.sha256((cli.dataset / annotation_path(episode_id)).read_bytes()).hexdigest()
        for minute, (by, given) in enumerate(zip(("Bea", "Cem", "Dora"), answers, strict=False)):
            store.append(episode_id, verdict(by, given, minute=minute, revision=revision))
    opened = open_dataset_episode(cli.dataset, episode_id)
    SemanticsStore(cli.dataset).add(episode_id, [suggestion(opened, 0, TextKind.DESCRIPTION, "This is a home screen.")])
    (cli.dataset / "reviews" / f"{episode_id}.json").write_text("{ oops")
    assert sorted(set(keys(cli.json("quality-report", cli.dataset)))) == KEYS.read_text().splitlines()


def keys(tree: object, above: str = "") -> Iterator[str]:
    """The path of each key; the items of a list have the path of the list."""
    if isinstance(tree, dict):
        for key, value in tree.items():
            yield f"{above}{key}"
            yield from keys(value, f"{above}{key}.")
    elif isinstance(tree, list):
        for value in tree:
            yield from keys(value, above)
