"""A reviewer's other work: findings, fixes, replays, sending back and rejecting."""

import shutil
from pathlib import Path

import pytest

from odyssey_recorder.dataset.layout import episode_ids
from odyssey_recorder.dataset.trash import Trash
from odyssey_recorder.model.action import Press, SystemKey, Type
from odyssey_recorder.review.review import Fix, ReplayEvidence
from odyssey_recorder.review.review_store import ReviewStore
from odyssey_recorder.review.status import ReviewPolicy
from tests.cli import CommandLine
from tests.end_to_end.screen.annotator import Annotator, pressing, typing
from tests.end_to_end.screen.sandbox import Sandbox

pytestmark = [pytest.mark.timeout(300), pytest.mark.parametrize("profile", ["small_phone"], indirect=True)]

_TASK = "Check tomorrow's weather for Lisbon"


@pytest.mark.soak
def test_episode_is_fixed_and_sent_back_to_its_annotator(sandbox: Sandbox, cli: CommandLine) -> None:
    with sandbox.first_use("Ada") as annotator:
        record_with_mistakes(annotator)
    ReviewStore(sandbox.folder / "dataset").set_policy(ReviewPolicy(second_share=0))
    with sandbox.reviewer() as reviewer:
        reviewer.open_for_review(_TASK)
        drop_useless_step(reviewer)
        fix_text(reviewer)
        assert typed(sandbox) == "lisbon weather"
        reviewer.keys("ctrl+z", expect="Step 3 of 6 · Type “lisbon wether”")
        send_back(reviewer, step=5)
    episode = sandbox.episode
    agreed = ("--screenshots", "pass", "--sequence", "fail:result@6", "--instruction", "pass", "--by", "Cid")
    cli.output("reviews", "send-back", episode.episode_id, *agreed, "--dataset", sandbox.store.root)
    assert typed(sandbox) == "lisbon wether"
    assert sum(step.action == Press(SystemKey.HOME) for step in episode.steps) == 1
    fixes = [one for one in ReviewStore(sandbox.store.root).read(episode.episode_id).entries if isinstance(one, Fix)]
    assert [one.why for one in fixes] == ["nothing was changed", "a typing mistake", "taken back"]

    with sandbox.annotator() as annotator:
        refused = "The result is not what was requested, at step 6"
        annotator.press("Record", expect=(_TASK, "Sent back before:", refused))
        annotator.check_layout("record-sent-back")


def record_with_mistakes(annotator: Annotator) -> None:
    annotator.choose_task("Lisbon")
    annotator.start_recording()
    mistakes = (typing("lisbon wether"), pressing("Home"), pressing("Home"))
    annotator.do_steps("Browser", "Search or type web address", *mistakes, "Messages")
    annotator.complete()


def drop_useless_step(reviewer: Annotator) -> None:
    reviewer.press("Findings")
    reviewer.choose("IMG07", of="Findings", expect="Step 5 of 7 · Press Home")
    reviewer.check_layout("review-finding")
    reviewer.keys("alt+d")
    with reviewer.dialog("Drop steps"):
        reviewer.wait_for("leaves no gap")
        reviewer.press("nothing was changed")
        reviewer.check_layout("review-drop")
        reviewer.press("Drop steps")
    reviewer.wait_for("Step 5 of 6")


def fix_text(reviewer: Annotator) -> None:
    reviewer.choose("Step 3:", of="Steps")
    reviewer.press("Fix")
    reviewer.press("Edit text")
    with reviewer.dialog("Fix the text"):
        reviewer.write("lisbon weather", into="Text of the step")
        reviewer.press("a typing mistake")
        reviewer.keys("Return")
    reviewer.wait_for("Step 3 of 6 · Type “lisbon weather”")


def send_back(reviewer: Annotator, *, step: int) -> None:
    reviewer.keys("q", "z", "End", "s", "2", expect=f"Step {step + 1} of 6")
    reviewer.check_layout("review-answers")
    reviewer.press("Send back", expect=("A second review follows (requested)", "0 for you"))
    reviewer.check_layout("review-done")


def typed(sandbox: Sandbox) -> str:
    (text,) = (step.action.text for step in sandbox.episode.steps if isinstance(step.action, Type))
    return text


@pytest.mark.soak
def test_episode_is_replayed_and_rejected(sandbox: Sandbox, recorded: tuple[Path, str]) -> None:
    clean, rejected = recorded
    shutil.copytree(clean, sandbox.store.root)
    store = ReviewStore(sandbox.store.root)
    store.set_policy(ReviewPolicy(second_share=0))
    with sandbox.reviewer() as reviewer:
        reviewer.wait_for("1 for you")
        reviewer.check_layout("review-list")
        reviewer.open_for_review("dark theme")
        for number, name in ((2, "findings"), (3, "fixes"), (5, "history"), (4, "replay-of-none")):
            reviewer.keys(f"alt+{number}")
            reviewer.check_layout(f"review-{name}")
        reviewer.find("Device to replay on")
        reviewer.keys("ctrl+r", expect="Replayed on")
        badges = [step.name for step in reviewer.window.content().items("Steps")]
        assert len(badges) == 7
        assert all("match" in name for name in badges)
        reviewer.check_layout("review-replay")
        reviewer.keys("q", "s", "1", "z", "ctrl+d", expect=("Rejected and moved to the trash", "0 for you"))
    assert sorted(episode_ids(sandbox.store.root)) == []
    (episode,) = Trash(sandbox.store.root).episodes()
    assert episode.episode_id == rejected
    assert len(list((episode.folder / "screenshots").glob("*.png"))) == 7
    (replay,) = (one for one in store.read(rejected).entries if isinstance(one, ReplayEvidence))
    (verdict,) = store.read(rejected).verdicts
    assert verdict.replay == replay.id
