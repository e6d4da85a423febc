"""Steps that many journeys share: the first dialog, recording, ending an episode, checking it."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from operator import methodcaller
from pathlib import Path
from typing import Any

from odyssey_recorder.model.action import Action, Click, LongPress, Scroll
from odyssey_recorder.model.episode import Episode
from tests.end_to_end.screen.annotator import Annotator
from tests.end_to_end.screen.room import Room
from tests.end_to_end.screen.sight import Sight

Act = str | Callable[[Annotator], object]
"""What makes one step: a label to tap on the phone, or something else that an annotator can do."""
UP: Act = methodcaller("drag_up")


def typing(text: str) -> Act:
    return methodcaller("type_text", text)


def pressing(button: str) -> Act:
    return methodcaller("press", button)


LOOK_UP_THE_WEATHER = (
    "Browser", "Search or type web address", typing("lisbon weather"), "Go", "Lisbon weather: forecast for the week",
    UP,
)  # fmt: skip
TELL_SOFIA = (
    pressing("Home"), "Messages", "Sofia Rossi", "Text message", typing("Tomorrow it is sunny in Lisbon, 18 degrees"),
    "Send message",
)  # fmt: skip


def begin_first_use(annotator: Annotator, name: str = "Ada", *answers: str) -> None:
    """`answers`: the buttons to press, other than for who agrees and need not practise."""
    with annotator.dialog("Before you record"):
        annotator.write(name, into="Your name")
        for answer in answers or ["I agree"]:
            annotator.press(answer)


@contextmanager
def first_use_of(room: Room, name: str = "Ada", *, leads: bool = False, **settings: object) -> Iterator[Annotator]:
    """The window of an annotator, or a lead, who has left the first dialog, and is asked for no practice."""
    room.write_settings(practice_tasks=0, **settings)
    with room.annotator() as annotator:
        begin_first_use(annotator, name, *(("I lead the project", "Continue") if leads else ()))
        yield annotator


def choose_task(annotator: Annotator, words: str, *, photograph: str = "") -> None:
    """The task with these words becomes the one to record."""
    annotator.press("Tasks")
    annotator.write(words, into="Search tasks")
    annotator.wait_for("1 of 48 shown")
    if photograph:
        annotator.photograph(photograph)
    annotator.press("Record this task")
    annotator.find("Start recording")


def start_recording(annotator: Annotator) -> None:
    annotator.press("Start recording")
    annotator.show_steps()
    annotator.wait_for_steps(0)


def do_steps(annotator: Annotator, *acts: Act, before: int = 0) -> None:
    for number, act in enumerate(acts, start=before + 1):
        if isinstance(act, str):
            annotator.tap(act)
        else:
            act(annotator)
        annotator.wait_for_steps(number)


def lose_device(annotator: Annotator) -> None:
    faults = annotator.phone.emulator.faults
    faults.control.switch_off(off=True)
    faults.go_offline()
    annotator.wait_for("Device lost. ")


def bring_device_back(annotator: Annotator) -> None:
    faults = annotator.phone.emulator.faults
    faults.go_online()
    faults.control.switch_off(off=False)
    annotator.wait_for_steps(1)


def follow_script(annotator: Annotator, script: Path) -> None:
    steps = 0
    for line in script.read_text(encoding="utf-8").splitlines():
        for act in _acts(annotator, json.loads(line)):
            do_steps(annotator, act, before=steps)
            steps += 1
    command = json.loads(line)
    if "complete" in command:
        complete(annotator, command["complete"])
    else:
        give_up(annotator, command["impossible"])


def _acts(annotator: Annotator, command: dict[str, Any]) -> Iterator[Act]:
    match command:
        case {"on": label, "hold": True}:
            yield methodcaller("hold", label)
        case {"on": label}:
            yield label
        case {"reach": label}:
            while not annotator.phone.shows(label):
                yield UP
        case {"type": text}:
            yield typing(text)
        case {"key": key}:
            yield pressing(key.capitalize())
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


def publish(annotator: Annotator, answer: Callable[[], object] | None = None) -> None:
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
