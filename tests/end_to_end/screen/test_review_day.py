"""A reviewer's other work: findings, fixes, replays, sending back and rejecting."""

import shutil
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from odyssey_recorder.dataset.trash import Trash
from odyssey_recorder.model.action import Press, SystemKey, Type
from odyssey_recorder.quality.reviewing.review import Fix, ReplayEvidence
from odyssey_recorder.quality.reviewing.review_store import ReviewStore
from odyssey_recorder.quality.reviewing.status import ReviewPolicy
from tests.end_to_end.screen.annotator import Annotator
from tests.end_to_end.screen.journey import (
    choose_task,
    complete,
    do_steps,
    first_use_of,
    open_for_review,
    pressing,
    start_recording,
    the_episode,
    typing,
)
from tests.end_to_end.screen.room import Room

pytestmark = [pytest.mark.timeout(300), pytest.mark.parametrize("profile", ["small_phone"], indirect=True)]

_TASK = "Check tomorrow's weather for Lisbon"


def test_an_episode_is_fixed_and_sent_back_to_whoever_recorded_it(room: Room) -> None:
    with first_use_of(room, "Ada") as annotator:
        record_with_slips(annotator)
    ReviewStore(room.folder / "dataset").set_policy(ReviewPolicy(second_share=0))
    with reviewer_of(room) as reviewer:
        open_for_review(reviewer, _TASK)
        drop_what_did_nothing(reviewer)
        mend_the_text(reviewer)
        assert typed(room) == "lisbon weather"
        reviewer.keys("ctrl+z")
        reviewer.wait_for("Step 3 of 6 · Type “lisbon wether”")
        send_back(reviewer, step=5)
    episode = the_episode(room)
    assert typed(room) == "lisbon wether"
    assert sum(step.action == Press(SystemKey.HOME) for step in episode.steps) == 1
    fixes = [one for one in ReviewStore(room.store.root).read(episode.episode_id).entries if isinstance(one, Fix)]
    assert [one.why for one in fixes] == ["nothing was changed", "a slip of the keyboard", "taken back"]

    with room.annotator() as annotator:
        annotator.press("Record")
        annotator.wait_for(_TASK, "Sent back before: The result is not what was requested, at step 6")
        annotator.photograph("record-sent-back")


def record_with_slips(annotator: Annotator) -> None:
    choose_task(annotator, "Lisbon")
    start_recording(annotator)
    slips = (typing("lisbon wether"), pressing("Home"), pressing("Home"))
    do_steps(annotator, "Browser", "Search or type web address", *slips, "Messages")
    complete(annotator)


def drop_what_did_nothing(reviewer: Annotator) -> None:
    reviewer.press("Findings")
    reviewer.choose("IMG07", of="Findings")
    reviewer.wait_for("Step 5 of 7 · Press Home")
    reviewer.photograph("review-finding")
    reviewer.keys("alt+d")
    with reviewer.dialog("Drop steps"):
        reviewer.wait_for("continues without a jump")
        reviewer.press("nothing was changed")
        reviewer.photograph("review-drop")
        reviewer.press("Drop steps")
    reviewer.wait_for("Step 5 of 6")


def mend_the_text(reviewer: Annotator) -> None:
    reviewer.choose("Step 3:", of="Steps")
    reviewer.press("Fix")
    reviewer.press("Edit text")
    with reviewer.dialog("Fix the text"):
        reviewer.write("lisbon weather", into="Text of the step")
        reviewer.press("a slip of the keyboard")
        reviewer.keys("Return")
    reviewer.wait_for("Step 3 of 6 · Type “lisbon weather”")


def send_back(reviewer: Annotator, *, step: int) -> None:
    reviewer.keys("q", "z", "End", "s", "2")
    reviewer.wait_for(f"Step {step + 1} of 6")
    reviewer.photograph("review-answers")
    reviewer.press("Send back")
    reviewer.wait_for("Sent back to Ada's queue", "0 for you")
    reviewer.photograph("review-done")


def typed(room: Room) -> str:
    (text,) = (step.action.text for step in the_episode(room).steps if isinstance(step.action, Type))
    return text


def test_cards_have_room_a_replay_is_seen_and_a_rejected_episode_is_trash(
    room: Room, recorded: tuple[Path, str]
) -> None:
    clean, rejected = recorded
    shutil.copytree(clean, room.store.root)
    store = ReviewStore(room.store.root)
    store.set_policy(ReviewPolicy(second_share=0))
    with reviewer_of(room) as reviewer:
        reviewer.wait_for("1 for you")
        reviewer.photograph("review-list")
        open_for_review(reviewer, "dark theme")
        for number, name in ((2, "findings"), (3, "fixes"), (5, "history"), (4, "replay-of-none")):
            reviewer.keys(f"alt+{number}")
            reviewer.photograph(f"review-{name}")
        reviewer.find("Device to replay on")
        reviewer.keys("ctrl+r")
        reviewer.wait_for("Replayed on")
        badges = [step.name for step in reviewer.window.look().items("Steps")]
        assert len(badges) == 7
        assert all("match" in name for name in badges)
        reviewer.photograph("review-replay")
        reviewer.keys("q", "s", "1", "z", "ctrl+d")
        reviewer.wait_for("Rejected and moved to the trash", "0 for you")
    assert room.store.episodes() == []
    (episode,) = Trash(room.store.root).episodes()
    assert episode.episode_id == rejected
    assert len(list((episode.folder / "screenshots").glob("*.png"))) == 7
    (replay,) = (one for one in store.read(rejected).entries if isinstance(one, ReplayEvidence))
    (said,) = store.read(rejected).verdicts
    assert said.replay == replay.id


def reviewer_of(room: Room) -> AbstractContextManager[Annotator]:
    return room.annotator("review", str(room.store.root), "--as", "Bea")
