"""What a window or a script sees of a recording."""

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from odyssey_recorder.dataset.goals import TaskGoal
from odyssey_recorder.dataset.layout import read_dataset_file, ui_tree_path
from odyssey_recorder.device.screen import Frame
from odyssey_recorder.device.view_hierarchy import ViewNode, parse
from odyssey_recorder.errors import DatasetError, DeviceError, RecordingError
from odyssey_recorder.files import Largest
from odyssey_recorder.model.action import Action, in_words
from odyssey_recorder.model.episode import screenshot_name
from odyssey_recorder.model.flag import FlagCode, describe_flag
from odyssey_recorder.model.geometry import Box
from odyssey_recorder.recording.notice import Notice
from odyssey_recorder.recording.state import Goal, State

if TYPE_CHECKING:  # a window that does not record yet needs none of them
    from odyssey_recorder.dataset.draft import Draft, DraftStep
    from odyssey_recorder.dataset.provenance import AgentRecord
    from odyssey_recorder.recording.passive import PassiveSession
    from odyssey_recorder.recording.session import Session

LONG_TEXT = 100
"""From this many characters on, the annotator sees how much of a text is typed."""
TYPING = "Typing: {:,} of {:,} characters."
TYPED_KEYS = "Keys typed: {:,}. They become one step when you do something else."
"""In passive mode."""

PUBLISHING = "Publishing the episode…"
STATE_MESSAGES = {
    State.IDLE: "Not started.",
    State.SETTLING: "Waiting for the screen to settle…",
    State.CAPTURING: "Saving the screenshot…",
    State.READY: "Ready.",
    State.CHECKING: "Checking that the screen has not changed…",
    State.INJECTING: "Sending your action…",
    State.RETURNING: "Restoring the previous screen…",
    State.RESTORING: "Restore the required screen on the device.",
    State.DEVICE_LOST: "The device does not answer.",
    State.STORAGE_LOST: "The recording cannot be saved.",
    State.FINISHED: "Published.",
    State.ABANDONED: "The draft is in the trash.",
}


RESTORE_MESSAGES = {
    Goal.UNKNOWN: "Restore the screen after the last step.",
    Goal.UNCERTAIN: "Check whether the last step was carried out.",
    Goal.ANSWERED: "Answer the message of Android on the device.",
}
"""For screens without a screenshot."""


def restore_text(goal: Goal | None, steps: "Sequence[DraftStep]") -> str:
    """What the annotator must do, after `steps`, before recording continues."""
    last = in_words(steps[-1].action) if steps else "none"
    match goal:
        case Goal.UNDONE:
            return "Nothing is recorded until both screens match."
        case Goal.ANSWERED:
            return "Nothing is recorded until Android's message is gone. Your next step will be flagged."
        case Goal.LOST | None:
            return ""
        case Goal.LEFT:
            return (
                "The device does not show the screen on which this recording was interrupted. Restore that "
                "screen, or choose “Screens match, continue”; your next step will be flagged."
            )
        case Goal.UNKNOWN:
            return (
                f"There is no screenshot of the screen after the last step ({last}), only of the one "
                "before it. Restore the screen after this step, then choose “Screens match, continue”; "
                "your next step will be flagged."
            )
        case Goal.UNCERTAIN:
            return (
                f"The recording was interrupted while the last step ({last}) was sent, so it is unknown whether "
                "the device received it. If the device shows the result of this step, choose “Screens match, "
                "continue”; the step stays and is flagged. If not, undo the step."
            )


def stored_views(tree: Path | None) -> tuple[ViewNode, ...]:
    """The views of a stored view hierarchy; empty if there is none that can be read."""
    try:
        return () if tree is None else parse(read_dataset_file(tree, Largest.TREE).decode(errors="replace"))
    except (DatasetError, DeviceError):
        return ()


@dataclass(frozen=True, slots=True)
class RecordedStep:
    """A step as lists show it; `flag` describes its flags, and may be empty.

    `box`: the touched element in pixels of the screenshot, if the view hierarchy has it. `key` identifies the step for
    the whole recording, whatever is undone. `note`: the annotator's note. `tree`: the view hierarchy, if it is stored,
    or `no_tree` says why not.
    `agent`: the answer that it was made from; None for a person's. `is_corrected`: shown in place of an agent's.
    """

    number: int
    action: Action
    screenshot: Path
    flag: str
    box: Box | None = None
    key: int = 0
    note: str = ""
    tree: Path | None = None
    agent: "AgentRecord | None" = None
    is_corrected: bool = False
    no_tree: str = ""


class StepRows:
    """The steps of a draft as lists show them; only changed rows are rebuilt."""

    def __init__(self, episode_id: str) -> None:
        self._episode_id = episode_id
        self._steps: tuple[DraftStep, ...] = ()
        self._screenshots: Path | None = None
        self._rows: tuple[RecordedStep, ...] = ()

    def show(self, steps: "tuple[DraftStep, ...]", screenshots: Path | None) -> tuple[RecordedStep, ...]:
        """The rows of `steps`, with screenshots from the draft or, once it is published, from `screenshots`."""
        if steps is self._steps and screenshots is self._screenshots:
            return self._rows
        same = 0
        if screenshots is self._screenshots:
            pairs = enumerate(zip(steps, self._steps, strict=False))
            same = next((number for number, (new, old) in pairs if new is not old), min(len(steps), len(self._steps)))
        made = (self._row(number, steps[number], screenshots) for number in range(same, len(steps)))
        self._steps, self._screenshots, self._rows = steps, screenshots, (*self._rows[:same], *made)
        return self._rows

    def _row(self, number: int, step: "DraftStep", screenshots: Path | None) -> RecordedStep:
        record, screenshot, tree = step.record, step.screenshot, step.tree
        if screenshots is not None:
            screenshot = screenshots / screenshot_name(self._episode_id, number)
            tree = tree and screenshots.parent / ui_tree_path(self._episode_id, number)
        flags = ", ".join(map(describe_flag, record.flags))
        box = Box(*record.bbox) if record.bbox else None
        is_corrected = bool(record.rejected)
        return RecordedStep(
            *(number, step.action, screenshot, flags, box, step.key, record.note, tree, record.agent, is_corrected),
            no_tree=record.ui_tree_absent,
        )


@dataclass(frozen=True, slots=True)
class TextQuestion:
    """The text of step `step` could not be read; `guess` is the best guess.

    With `shown`, `guess` was answered, but the field holds `shown`: the same answer once more is final. `screenshot` is
    the next one, which shows the text; None if there is none yet.
    """

    step: int
    guess: str
    shown: str = ""
    screenshot: Path | None = None


@dataclass(frozen=True, slots=True)
class RecordingView:
    """The state of a recording for windows and scripts; a new value for each change.

    `message`: one line for the annotator. `frame_number`: the frame that an action would be recorded with, or None.
    `published`: the annotation file, once the state is FINISHED. `capture_path`: how frames currently come from the
    device, "gRPC" or "screencap". `is_read`: the view hierarchy of that frame is stored; in passive mode the areas of
    the screen are known too, and the focused field was read since the last input. `no_tree`: why the view hierarchy of
    that frame could not be read. `question`: waits for the
    annotator's answer, in passive mode.
    `wanted`: the screenshot of the screen to restore for `goal`, or, if `goal` has none, that of the screen before.
    `way`: what the annotator must do to restore it.
    `lacks_field`: the view hierarchy of the frame is known, and no text field has the focus.
    `is_typing`: a long text is being typed; `message` says how far.
    `is_agents_turn`: an agent acts, until a person does anything.
    `is_correcting`: the next step is shown in place of an agent's.
    `redo`: the action of the undone step that may be sent again.
    `note`, `reason`: what is written at the questions for the end, and not answered yet.
    `goals`: what is marked there as proof that the task is done.
    `nodes`: the views of the frame, once they are known.
    """

    state: State
    message: str
    frame_number: int | None
    steps: tuple[RecordedStep, ...]
    published: Path | None = None
    capture_path: str = ""
    is_read: bool = False
    no_tree: str = ""
    question: TextQuestion | None = None
    wanted: Path | None = None
    goal: Goal | None = None
    way: str = ""
    is_typing: bool = False
    lacks_field: bool = False
    is_agents_turn: bool = False
    is_correcting: bool = False
    redo: Action | None = None
    note: str = ""
    reason: str = ""
    goals: tuple[TaskGoal, ...] = ()
    nodes: tuple[ViewNode, ...] = ()


class Listener(Protocol):
    """Called from the recorder's threads; must never block."""

    def frame(self, frame: Frame) -> None:
        """A frame came from the device."""

    def changed(self, view: RecordingView) -> None:
        """The view changed."""

    def notice(self, notice: Notice) -> None:
        """A message for the annotator: a gesture was refused, a step was removed."""


class ViewPublisher:
    """Holds the newest view for all threads, and notifies the listener of each new one."""

    def __init__(self, first: RecordingView, listener: Listener) -> None:
        self.newest = first
        self._listener = listener
        self.has_ended = False
        self._changed = threading.Condition()

    def show(self, view: RecordingView) -> None:
        if view == self.newest:
            return
        with self._changed:
            self.newest = view
            self._changed.notify_all()
        self._listener.changed(view)

    def end(self) -> None:
        with self._changed:
            self.has_ended = True
            self._changed.notify_all()

    def wait_for(self, wanted: Callable[[RecordingView], bool], timeout_s: float) -> RecordingView:
        with self._changed:
            self._changed.wait_for(lambda: wanted(self.newest) or self.has_ended, timeout_s)
            view = self.newest
        if wanted(view):
            return view
        what = "The recording has ended" if self.has_ended else f"Nothing went on for {timeout_s:.0f} s"
        raise RecordingError(f"{what}: {view.state.value}. {view.message} The draft is saved.")


def make_view(
    session: "Session | PassiveSession",
    draft: "Draft",
    questions: Mapping[int, TextQuestion],
    *,
    typing: tuple[int, int],
) -> RecordingView:
    """Build a view without its steps; `typing`: characters typed, and length of the text."""
    state, goal = session.state, shown_goal(session.goal, draft)
    typed, length = typing
    is_typing = state is State.INJECTING and length >= LONG_TEXT
    message = PUBLISHING if session.publishing else session.reason or STATE_MESSAGES[state]
    if is_typing:
        message = TYPING.format(typed, length)
    if state is State.RESTORING and goal in RESTORE_MESSAGES:
        message = RESTORE_MESSAGES[goal]
    return RecordingView(
        state,
        message,
        session.frame,
        (),
        question=_next_question(questions, draft),
        wanted=goal_screenshot(goal, draft),
        goal=goal,
        way=restore_text(goal, draft.steps),
        is_typing=is_typing,
        is_correcting=bool(draft.state.rejected),
        note=draft.state.note,
        reason=draft.state.reason,
        goals=draft.state.goals,
    )


def shown_goal(goal: Goal | None, draft: "Draft") -> Goal | None:
    """What is known of the screen to restore, if the device was lost."""
    if goal is not Goal.LOST:
        return goal
    if draft.state.left is not None or not draft.steps:
        return Goal.LEFT
    is_doubtful = any(flag.code is FlagCode.CONNECTION_BROKE for flag in draft.steps[-1].record.flags)
    return Goal.UNCERTAIN if is_doubtful else Goal.UNKNOWN


def _next_question(questions: Mapping[int, TextQuestion], draft: "Draft") -> TextQuestion | None:
    step = min((step for step in questions if step < len(draft.steps)), default=None)
    if step is None:
        return None
    after = draft.steps[step + 1].screenshot if step + 1 < len(draft.steps) else draft.state.left
    return replace(questions[step], screenshot=after)


def goal_screenshot(goal: Goal | None, draft: "Draft") -> Path | None:
    """The screenshot of the screen to restore, or, if there is none, of the screen before the last step."""
    match goal:
        case Goal.UNDONE:
            return draft.state.wanted.screenshot if draft.state.wanted is not None else None
        case Goal.LEFT:
            return draft.state.left
        case Goal.UNKNOWN | Goal.UNCERTAIN:
            return draft.steps[-1].screenshot if draft.steps else None
        case Goal.ANSWERED | Goal.LOST | None:
            return None
