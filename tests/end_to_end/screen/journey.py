"""Steps that many journeys share: the first dialog, recording, ending an episode, checking it."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from odyssey_recorder.model.action import Action, Click, LongPress, Scroll
from odyssey_recorder.model.episode import Episode
from tests.end_to_end.screen.annotator import Annotator
from tests.end_to_end.screen.room import Room
from tests.end_to_end.screen.sight import Sight

Act = Callable[[], object]


def begin_first_use(annotator: Annotator, name: str = "Ada", *, practises: bool = False) -> None:
    """`practises`: practice is required, and begins at once."""
    annotator.wait_for_dialog("Before you record")
    annotator.write(name, into="Your name")
    annotator.press("I agree, start practice" if practises else "I agree")
    annotator.wait_for_main_window()


@contextmanager
def first_use_of(room: Room, name: str = "Ada", *, leads: bool = False, **settings: object) -> Iterator[Annotator]:
    """The window of an annotator, or a lead, who has left the first dialog, and is asked for no practice."""
    room.write_settings(practice_tasks=0, **settings)
    with room.annotator() as annotator:
        if leads:
            annotator.wait_for_dialog("Before you record")
            annotator.write(name, into="Your name")
            annotator.press("I lead the project")
            annotator.press("Continue")
            annotator.wait_for_main_window()
        else:
            begin_first_use(annotator, name)
        yield annotator


def start_recording(annotator: Annotator) -> None:
    annotator.press("Start recording")
    annotator.show_steps()
    annotator.wait_for_steps(0)


def do_steps(annotator: Annotator, *acts: Act, before: int = 0) -> None:
    for number, act in enumerate(acts, start=before + 1):
        act()
        annotator.wait_for_steps(number)


def follow_script(annotator: Annotator, script: Path) -> None:
    steps = 0
    for line in script.read_text(encoding="utf-8").splitlines():
        for act in _acts(annotator, json.loads(line)):
            act()
            steps += 1
            annotator.wait_for_steps(steps)
    command = json.loads(line)
    if "complete" in command:
        complete(annotator, command["complete"])
    else:
        give_up(annotator, command["impossible"])


def _acts(annotator: Annotator, command: dict[str, Any]) -> Iterator[Act]:
    match command:
        case {"on": label, "hold": True}:
            yield lambda: annotator.hold(label)
        case {"on": label}:
            yield lambda: annotator.tap(label)
        case {"reach": label}:
            while not annotator.phone.shows(label):
                yield annotator.drag_up
        case {"type": text}:
            yield lambda: annotator.type_text(text)
        case {"key": key}:
            yield lambda: annotator.press(key.capitalize())
        case _:
            assert command.keys() & {"complete", "impossible"}, f"{command} is nothing that can be done by hand"


def give_up(annotator: Annotator, reason: str) -> None:
    annotator.press("Impossible")
    annotator.find(reason)
    annotator.press(reason)
    publish(annotator)


def complete(annotator: Annotator, note: str = "") -> None:
    annotator.press("Complete")
    annotator.find("Note")
    if note:
        annotator.write(note, into="Note")
    publish(annotator)


def publish(annotator: Annotator, answer: Act | None = None) -> None:
    """Answer the question at the end, again if the checks found something."""
    name = "Finish" if any(annotator.window.look().named("Finish")) else "Publish"
    answer = answer or (lambda: annotator.press(name))
    answer()
    sight = annotator.window.wait_until(lambda one: _is_over(one) or one.says("Please check:"), "the end, or findings")
    if not _is_over(sight):
        answer()
        annotator.window.wait_until(_is_over, "the end")


def _is_over(sight: Sight) -> bool:
    return sight.says("The episode is published.") or sight.says("Recorded. ")


def open_for_review(reviewer: Annotator, words: str) -> None:
    button = next(reviewer.wait_for("for you").named("Show list"))
    if button.is_enabled and not button.is_checked:
        reviewer.press("Show list")
    reviewer.choose(words, of="Episodes to review")
    reviewer.wait_for("Step 1 of")


def the_episode(room: Room) -> Episode:
    (episode_id,) = room.store.episodes()
    return room.store.load(episode_id)


def assert_recorded(room: Room, *kinds: type[Action]) -> None:
    """The dataset holds one episode, of these actions, with the pictures that were touched."""
    episode = the_episode(room)
    assert [type(step.action) for step in episode.steps] == [*kinds]
    assert_true(room, episode)


def assert_true(room: Room, episode: Episode) -> None:
    provenance = room.store.provenance(episode.episode_id)
    assert provenance is not None
    touched = [
        record.frame.rgb_sha256
        for step, record in zip(episode.steps, provenance.steps, strict=True)
        if isinstance(step.action, Click | LongPress | Scroll)
    ]
    shown = [down.frame.rgb_sha256 for down in room.phone.recorded().touch_downs()]
    assert _is_part_of(touched, shown)


def _is_part_of(some: list[str], every: list[str]) -> bool:
    others = iter(every)
    return all(one in others for one in some)
