"""Recording scripts: JSON lines that play the annotator, through the same recorder as the window.

    {"tap": [x, y]}                                {"key": "HOME"}  or BACK, RECENT
    {"long_press": [x, y], "ms": 800}              {"wait_ms": 500}
    {"swipe": [[x1, y1], [x2, y2]], "ms": 300}     {"undo": true}
    {"type": "text"}                               {"complete": "note"}  or {"impossible": "reason"}

Coordinates are pixels of the screenshot. A swipe may have more than two points. The last line ends the episode.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import Field, TypeAdapter, ValidationError

from odyssey_recorder.device.screen import Frame
from odyssey_recorder.errors import RecordingError, ScriptError
from odyssey_recorder.gesture.touch import TouchStroke
from odyssey_recorder.model.action import SystemKey
from odyssey_recorder.model.geometry import Pixel
from odyssey_recorder.recording.notice import Notice
from odyssey_recorder.recording.recorder import Recorder
from odyssey_recorder.recording.state import Goal, State
from odyssey_recorder.recording.view import RecordingView
from odyssey_recorder.validation import ClosedModel

PATIENCE_S = 60.0
"""How long the player waits for a screen that is ready, or for a lost device."""

TREE_S = 12.0
"""How long it waits for the view hierarchy of a screen: Android itself gives up after ten seconds."""

_PER_CHARACTER_S = 0.1
"""Extra time for each character of a text; every kind of device types faster."""

_TRIES = 3
TAP_MS = 100
_RESTORED_BY_SCRIPTS = (Goal.UNDONE, Goal.ANSWERED)

_Place = tuple[Annotated[int, Field(ge=0)], Annotated[int, Field(ge=0)]]
_Milliseconds = Annotated[int, Field(ge=0, le=60_000)]


class Tap(ClosedModel):
    tap: _Place


class ScriptLongPress(ClosedModel):
    long_press: _Place
    ms: _Milliseconds = 800


class Swipe(ClosedModel):
    """A touch along a path."""

    swipe: Annotated[tuple[_Place, ...], Field(min_length=2)]
    ms: _Milliseconds = 300


class TypeText(ClosedModel):
    type: Annotated[str, Field(min_length=1)]


class PressKey(ClosedModel):
    key: Literal["HOME", "BACK", "RECENT"]


class Wait(ClosedModel):
    wait_ms: _Milliseconds


class ScriptUndo(ClosedModel):
    undo: Literal[True]


class ScriptComplete(ClosedModel):
    complete: str


class ScriptImpossible(ClosedModel):
    impossible: Annotated[str, Field(min_length=1)]


Command = Tap | ScriptLongPress | Swipe | TypeText | PressKey | Wait | ScriptUndo | ScriptComplete | ScriptImpossible
_COMMAND: TypeAdapter[Command] = TypeAdapter(Command)


def read_script(text: str, *, source: str) -> tuple[Command, ...]:
    """Parse a script, skipping empty lines.

    Raises ScriptError naming `source` and the line, also if the last line is not the only one that ends the episode.
    """
    commands = tuple(_commands(text, source=source))
    ends = [number for number, command in enumerate(commands) if isinstance(command, ScriptComplete | ScriptImpossible)]
    if ends != [len(commands) - 1]:
        raise ScriptError(
            f'{source}: expected exactly one {{"complete": ...}} or {{"impossible": ...}}, as the last line.'
        )
    return commands


def _commands(text: str, *, source: str) -> Iterator[Command]:
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            yield _COMMAND.validate_json(line)
        except ValidationError as error:
            shown = line if len(line) <= 80 else f"{line[:80]}…"
            raise ScriptError(
                f"{source}, line {number}: {shown} is not a command; expected one like"
                ' {"tap": [120, 300]}, {"type": "milk"} or {"key": "HOME"}.'
            ) from error


@dataclass(frozen=True, slots=True)
class ScriptProgress:
    """Progress of a script: command `done` of `total` is next."""

    done: int
    total: int
    view: RecordingView


class ScriptPlayer:
    """Plays a script on a recorder, as the recorder's listener."""

    def __init__(self, on_progress: Callable[[ScriptProgress], None] = lambda progress: None) -> None:
        self._on_progress = on_progress
        self._notice = ""
        self._place = (0, 0)

    def frame(self, frame: Frame) -> None:
        pass

    def changed(self, view: RecordingView) -> None:
        """Report progress of a long text only."""
        if view.is_typing:
            self._on_progress(ScriptProgress(*self._place, view))

    def notice(self, notice: Notice) -> None:
        self._notice = notice.text

    def play(self, commands: tuple[Command, ...], recorder: Recorder, *, accepts_screen: bool = False) -> RecordingView:
        """Carry out all commands; return the view of the published episode.

        If the script `accepts_screen` or starts with an undo, a resumed draft continues from whatever the device shows.
        Raises RecordingError, DeviceError or DatasetError; the draft keeps what was recorded.
        """
        self._begin(commands[0], recorder, accepts_screen=accepts_screen)
        for done, command in enumerate(commands):
            self._place = done, len(commands)
            self._on_progress(
                ScriptProgress(*self._place, self._ready(recorder, or_back=isinstance(command, ScriptUndo)))
            )
            self.perform(command, recorder)
        view = self.published(recorder)
        self._on_progress(ScriptProgress(len(commands), len(commands), view))
        return view

    def published(self, recorder: Recorder) -> RecordingView:
        """Wait for an ended episode to be in the dataset. Raises RecordingError if publishing fails."""
        view = recorder.wait_for(lambda view: view.state in {State.FINISHED, State.STORAGE_LOST}, PATIENCE_S)
        if view.published is None:
            raise RecordingError(f"The episode is recorded but not published. {view.message} The draft is saved.")
        return view

    def perform(self, command: Command, recorder: Recorder) -> None:
        """Carry out one command as soon as the recorder is ready. Raises as `play` does."""
        if isinstance(command, Wait):
            time.sleep(command.wait_ms / 1000)
            return
        for _ in range(_TRIES):
            before = self._looked(recorder, or_back=isinstance(command, ScriptUndo))
            self._notice = ""
            wanted = len(before.steps) + (-1 if isinstance(command, ScriptUndo) else 1)
            _give(command, recorder, before)
            if before.state is State.RESTORING:
                recorder.wait_for(lambda view, steps=before.steps: view.steps != steps, PATIENCE_S)  # type: ignore[misc]
            after = _outcome(recorder, before.frame_number, patience_s(command))
            if after.state is State.DEVICE_LOST:
                after = self._ready(recorder)  # only then is it known whether the step stays
            if len(after.steps) == wanted or after.published is not None:
                return
        words = command.model_dump_json()
        raise RecordingError(f"{words} was not recorded in {_TRIES} tries. {self._notice} The draft is saved.")

    def _begin(self, first: Command, recorder: Recorder, *, accepts_screen: bool) -> None:
        """Wait until the first command can be carried out; a script cannot restore the device by hand."""
        view = self._ready(recorder, or_back=True)
        if view.state is not State.RESTORING or isinstance(first, ScriptUndo):
            return
        if not accepts_screen:
            raise _cannot_restore(view)
        recorder.accept_screen()
        recorder.wait_for(lambda view: view.state is not State.RESTORING, PATIENCE_S)

    def _looked(self, recorder: Recorder, *, or_back: bool) -> RecordingView:
        """Wait until the view hierarchy of a ready screen is read too, unless there is none."""
        give_up_s = time.monotonic() + TREE_S
        while True:
            view = self._ready(recorder, or_back=or_back)
            left_s = give_up_s - time.monotonic()
            if view.is_read or view.no_tree or not _is_ready(view) or left_s <= 0:
                return view
            with suppress(RecordingError):  # it is ready, and stays so without a view hierarchy
                recorder.wait_for(lambda now, view=view: now != view, left_s)  # type: ignore[misc]

    def _ready(self, recorder: Recorder, *, or_back: bool = False) -> RecordingView:
        """Wait until the recorder is ready or, with `or_back`, until it wants the device restored.

        Raises RecordingError if the device came back from a loss on another screen.
        """

        def is_over(view: RecordingView) -> bool:
            is_waiting = view.state is State.RESTORING and (or_back or view.goal not in _RESTORED_BY_SCRIPTS)
            return _is_ready(view) or view.state is State.STORAGE_LOST or is_waiting

        view = recorder.wait_for(is_over, PATIENCE_S)
        if view.state is State.STORAGE_LOST:
            raise RecordingError(f"{view.message} The draft is saved.")
        if view.state is State.RESTORING and not or_back:
            raise _cannot_restore(view)
        return view


def _cannot_restore(view: RecordingView) -> RecordingError:
    return RecordingError(
        f"{view.way} The screenshot: {view.wanted}. A script cannot restore the screen: do it "
        "yourself, or add --accept-screen. The draft is saved."
    )


def _give(command: Command, recorder: Recorder, view: RecordingView) -> None:
    match command:
        case Tap() | ScriptLongPress() | Swipe():
            if view.frame_number is not None:
                recorder.touch_down(view.frame_number)
                recorder.lift(stroke_of(command))
        case TypeText(type=text):
            recorder.type_text(text)
        case PressKey(key=key):
            recorder.press(SystemKey(key))
        case ScriptUndo():
            recorder.undo()
        case ScriptComplete(complete=note):
            recorder.complete(note)
        case ScriptImpossible(impossible=reason):
            recorder.impossible(reason)
        case Wait():
            raise AssertionError("waiting gives the recorder nothing to do")


def stroke_of(command: Tap | ScriptLongPress | Swipe) -> TouchStroke:
    match command:
        case Tap(tap=(x, y)):
            return TouchStroke.press(Pixel(x, y), duration_ms=TAP_MS)
        case ScriptLongPress(long_press=(x, y), ms=ms):
            return TouchStroke.press(Pixel(x, y), duration_ms=ms)
        case Swipe(swipe=places, ms=ms):
            return TouchStroke.drag(tuple(Pixel(*place) for place in places), duration_ms=ms)


def patience_s(command: Command) -> float:
    return PATIENCE_S + (len(command.type) * _PER_CHARACTER_S if isinstance(command, TypeText) else 0)


def _outcome(recorder: Recorder, frame_before: int | None, patience_s: float) -> RecordingView:
    """The view after a command. After an undo a script continues from whatever the device shows."""

    def is_over(view: RecordingView) -> bool:
        again_ready = _is_ready(view) and view.frame_number != frame_before
        return again_ready or view.state in {State.DEVICE_LOST, State.STORAGE_LOST, State.FINISHED}

    view = recorder.wait_for(lambda view: is_over(view) or view.state is State.RESTORING, patience_s)
    if view.state is not State.RESTORING or view.goal not in _RESTORED_BY_SCRIPTS:
        return view
    recorder.accept_screen()
    return recorder.wait_for(is_over, PATIENCE_S)


def _is_ready(view: RecordingView) -> bool:
    return view.state is State.READY and view.frame_number is not None
