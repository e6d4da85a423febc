"""An annotator's day in the real window, on a phone, a foldable and a tablet."""

from operator import methodcaller
from pathlib import Path

import pytest

from odyssey_recorder.model.action import Click, Complete, LongPress, Press, Scroll, Type
from odyssey_recorder.model.episode import Episode
from tests.cli import CommandLine
from tests.end_to_end.screen.annotator import Annotator
from tests.end_to_end.screen.journey import (
    UP,
    assert_true,
    choose_task,
    complete,
    do_steps,
    first_use_of,
    pressing,
    start_recording,
    the_episode,
)
from tests.end_to_end.screen.phone import shown_phone
from tests.end_to_end.screen.room import Room
from tests.end_to_end.screen.sight import Sight

pytestmark = pytest.mark.timeout(600)


def test_a_task_of_the_queue_is_recorded_and_replayed(room: Room, profile: str, cli: CommandLine) -> None:
    with first_use_of(room) as annotator:
        choose_task(annotator, "lisbon", photograph="tasks")
        start_recording(annotator)
        do_steps(
            annotator,
            *("Browser", "Search or type web address", type_and_note, "Go", "Oslo weather: forecast for the week", UP),
            *(methodcaller("hold", "Sunday"), *map(pressing, ("Home", "Recent", "Back"))),
        )
        annotator.photograph("record")
        complete(annotator, "Rain on Sunday")
        annotator.photograph("published")
        annotator.press("Dataset")
        annotator.wait_for("1 episode", "Lisbon")
        annotator.photograph("dataset")
        annotator.press("Tasks")
        annotator.window.wait_until(lambda sight: "Recorded" in _cells(sight), "the task to be recorded")

    episode = the_episode(room)
    kinds = [Click, Click, Type, Click, Click, Scroll, LongPress, Press, Press, Press, Complete]
    assert [type(step.action) for step in episode.steps] == kinds
    assert episode.steps[-1].action == Complete("Rain on Sunday")
    assert_true(room, episode)
    provenance = room.store.provenance(episode.episode_id)
    assert provenance is not None
    assert provenance.steps[2].note == "Oslo, for once"
    if profile == "small_phone":
        assert_replayed(room, episode, cli)


def type_and_note(annotator: Annotator) -> None:
    annotator.type_text("oslo weather")
    annotator.keys("ctrl+e")
    annotator.wait_for_steps(3)  # the field opens with the step
    annotator.type("Oslo, for once")
    annotator.keys("Return")


def assert_replayed(room: Room, episode: Episode, cli: CommandLine) -> None:
    annotation = room.store.root / "annotations" / f"{episode.episode_id}.json"
    cli.use_server(room.server.port)
    cli.use_discovery_folder(Path(room.server.environment["XDG_RUNTIME_DIR"]))
    again = room.folder / "again"
    again.mkdir()
    with shown_phone(room.server, "small_phone", again) as phone:
        ran = cli("replay", annotation, "--device", phone.serial)
    assert ran.exit_code == 0, ran.out + ran.err
    assert f"{len(episode.steps)} match, 0 drift, 0 diverged" in ran.out


def _cells(sight: Sight) -> list[str]:
    return [cell.name for cell in sight.items("Tasks")]
