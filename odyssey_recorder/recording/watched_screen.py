"""What the device shows now: whether it has settled, what was read of it, and whether it is the screen to restore."""

import time
from collections.abc import Iterator
from dataclasses import replace

from odyssey_recorder.dataset.draft import Draft
from odyssey_recorder.device.device import ScreenState
from odyssey_recorder.device.screen import Frame
from odyssey_recorder.device.settle import SettleRule, Stillness, StillnessWatch
from odyssey_recorder.recording import events
from odyssey_recorder.recording.passive import PassiveSession
from odyssey_recorder.recording.session import Session
from odyssey_recorder.recording.slow_work import RecorderWork, ScreenStateRead, TreeRead
from odyssey_recorder.recording.state import Goal, State
from odyssey_recorder.recording.step_writer import SavedFrame, StepWriter
from odyssey_recorder.recording.view import goal_screenshot, shown_goal

SETTLED_EVERY_NS = 2_000_000_000
"""In passive mode, the shortest time between two screenshots of a screen that changes by itself."""


class WatchedScreen:
    """For the engine's thread only."""

    def __init__(
        self, session: Session | PassiveSession, draft: Draft, writer: StepWriter, work: RecorderWork, rule: SettleRule
    ) -> None:
        self._session = session
        self._draft = draft
        self._writer = writer
        self._work = work
        self._rule = rule
        self._watch = StillnessWatch(rule, since_ns=time.monotonic_ns())
        self.is_settled = False
        self.settled_frame: int | None = None
        """In passive mode, the last settled screen that was kept."""
        self._settled_key, self._settled_ns = -1, 0
        self._unproved: list[TreeRead | ScreenStateRead] = []
        self._before_loss: Frame | None = None
        """What the device showed before it was lost; None if a screen was being restored."""

    def watch(self, since_ns: int, *, after_input: bool) -> None:
        """Wait for a settled screen among the frames from `since_ns` on."""
        before = self._writer.last_frame if after_input else None
        self._watch = StillnessWatch(self._rule, since_ns=since_ns, before=before)

    def remember(self, frame: Frame) -> None:
        """To be called before the session notices that a lost device is back."""
        if not self._session.was_lost and self._session.goal is not Goal.LOST:
            self._before_loss = None if self._session.restoring else frame

    def see(self, frame: Frame) -> events.FrameSeen | None:
        """What the frame says about the screen; None if it may show an earlier one."""
        stillness = self._watch.see(frame, ignore_top_px=self._writer.status_bar_px)
        self.is_settled = stillness is Stillness.STILL
        anchor = self._watch.anchor
        if anchor is None or self._watch.ignores(frame):
            return None
        restless = stillness is Stillness.RESTLESS
        seen = events.FrameSeen(frame.number, anchor.number, frame.started_ns, still=self.is_settled, restless=restless)
        return replace(seen, streamed=frame.streamed, arrived_ns=frame.arrived_ns, size=frame.size)

    # Readings of it.

    def awaits_proof_of(self, read: TreeRead | ScreenStateRead) -> bool:
        """A reading belongs to a frame if another frame, requested after the reading was complete, is equal."""
        is_current = read.frame_number == self._session.frame
        self._unproved += [read] if is_current else []
        return is_current

    def take_proved(self, frame: Frame) -> Iterator[str]:
        """Use the readings that this frame proves; yields messages for the annotator, which may be empty."""
        complete = [read for read in self._unproved if frame.started_ns >= read.read_ns]
        self._unproved = [read for read in self._unproved if frame.started_ns < read.read_ns]
        for read in complete if self._session.state is State.READY else []:
            match read:
                case TreeRead(self._session.frame as number, tree) if tree is not None:
                    yield self._writer.take_tree(number, tree)
                case ScreenStateRead(self._session.frame as number, state) if state is not None:
                    self._writer.take_screen(number, state)
                case _:
                    pass

    # The screen that a recording is left on.

    def keep(self, frame: Frame) -> None:
        """In passive mode only inputs keep screenshots: keep that after the last step too. Raises DatasetError."""
        anchor, key = self._watch.anchor, self._draft.state.next_key
        idle = self.is_settled and self._session.state is State.READY and not self._session.touched
        due = key != self._settled_key or frame.started_ns - self._settled_ns >= SETTLED_EVERY_NS
        if not idle or not due or anchor is None or (anchor.number, key) == (self.settled_frame, self._settled_key):
            return
        self.settled_frame, self._settled_key, self._settled_ns = anchor.number, key, frame.started_ns
        kept = self._writer.screenshot(anchor.number)
        if kept is not None:
            self.note(kept)
        else:
            self._work.keep_screenshot(self._writer.frame(anchor.number) or replace(frame, number=anchor.number))

    def note(self, kept: SavedFrame) -> None:
        """Note the settled screen in the draft: a resumed recording starts from it. Raises DatasetError."""
        is_current = kept.frame.number == self._session.frame
        if isinstance(self._session, PassiveSession):
            shown = kept.frame.number, self._draft.state.next_key
            is_current = shown == (self.settled_frame, self._settled_key) and not self._session.touched
        if self._session.state is State.READY and is_current:
            self._draft.note_screen(kept.path, self._session.next_flags)

    def is_restored(self, frame: Frame, state: ScreenState | None) -> bool:
        """Whether the frame shows the screen that the session's goal demands."""
        if self._session.goal is Goal.ANSWERED:
            return state is not None and not state.error_dialog
        goal = shown_goal(self._session.goal, self._draft)
        if self._session.goal is Goal.LOST and self._is_as_before_loss(frame):
            return True
        return goal in {Goal.UNDONE, Goal.LEFT} and self._writer.shows(frame, goal_screenshot(goal, self._draft))

    def _is_as_before_loss(self, frame: Frame) -> bool:
        """Whether this is the last screen before the loss; if that is the one before the last step, it is unsure."""
        steps, before, left = self._draft.steps, self._before_loss, self._draft.state.left
        if left is None and not steps:
            return True
        if before is None or not frame.shows_same_as(before, ignore_top_px=self._writer.status_bar_px):
            return False
        return left is not None or not self._writer.shows(frame, steps[-1].screenshot)
