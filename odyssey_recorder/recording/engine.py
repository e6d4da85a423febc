"""The thread of a recording: owns the session and the draft, and carries out the session's effects."""

import logging
import queue
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from odyssey_recorder.dataset.draft import Draft, DraftStep
from odyssey_recorder.dataset.layout import SCREENSHOTS
from odyssey_recorder.dataset.store import EpisodeStore
from odyssey_recorder.device.device import Device
from odyssey_recorder.device.repair import WHILE_RECORDING
from odyssey_recorder.device.screen import Frame
from odyssey_recorder.device.settle import SettleRule
from odyssey_recorder.errors import DatasetError, DeviceError
from odyssey_recorder.gesture.areas import NavigationRules
from odyssey_recorder.gesture.getevent import InputDeviceNode
from odyssey_recorder.gesture.recognizer import TouchRules
from odyssey_recorder.gesture.touch import TouchStroke
from odyssey_recorder.model.action import Complete, Impossible
from odyssey_recorder.recording import effects, events, messages, slow_work
from odyssey_recorder.recording.foreign_input import ForeignRules
from odyssey_recorder.recording.frame_reader import FrameReader
from odyssey_recorder.recording.input_listener import InputListener
from odyssey_recorder.recording.live_finger import LiveFinger
from odyssey_recorder.recording.notice import Notice, NoticeKind
from odyssey_recorder.recording.passive import PassiveSession
from odyssey_recorder.recording.provenance_records import intent_of
from odyssey_recorder.recording.raw_input import Interpreter
from odyssey_recorder.recording.restore import BRING_BACK_FIRST
from odyssey_recorder.recording.session import LATE_INPUT_NS, NOT_READY, OUT_OF_DATE, Session
from odyssey_recorder.recording.state import Goal, State
from odyssey_recorder.recording.step_writer import NO_TREE, NO_TREES, SavedFrame, StepWriter
from odyssey_recorder.recording.view import (
    TYPED_KEYS,
    Listener,
    RecordingView,
    StepRows,
    TextQuestion,
    ViewPublisher,
    make_view,
)
from odyssey_recorder.recording.watched_screen import WatchedScreen

BROKEN_TOUCH = (
    "Your finger was on the screen when the recording stopped. That gesture is not in the "
    "episode. Restore the screen after the last step."
)
TICK_S = 0.05
"""How often passive mode wakes up without a message."""
LAST_STEPS_S = 5.0
"""In passive mode, how long inputs from before the stop may take to become steps."""
LAST_SETTLE_S = 1.0
"""In passive mode, how long the screen after the last inputs may take to settle."""
NOTHING_TO_UNDO = "No step to undo."
NOTHING_TO_REDO = "No step to redo."
OTHER_SCREEN = (
    "This is not the screen that the undone step was made on. Nothing was recorded or sent. Do the step yourself."
)
OFF_SCREEN = "That is outside the screen. Nothing was recorded or sent."

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class RecordingRules:
    """The rules of a recording on one device.

    `view_hierarchies`: whether to read the view hierarchy of every settled screen. `navigation` matters in passive mode
    only. `snapshots`: whether to save the emulator before each step of mirror mode, for undo.
    """

    touch: TouchRules
    navigation: NavigationRules
    settle: SettleRule = field(default_factory=SettleRule)
    late_input_ns: int = LATE_INPUT_NS
    foreign: ForeignRules = field(default_factory=ForeignRules)
    view_hierarchies: bool = True
    snapshots: slow_work.SnapshotPolicy = "never"


class Engine:
    """Records one draft from one device, on its own thread, fed by its inbox."""

    def __init__(
        self, device: Device, draft: Draft, store: EpisodeStore, *, listener: Listener, rules: RecordingRules
    ) -> None:
        self._device = device
        self._draft = draft
        self._store = store
        self._listener = listener
        self._rules = rules
        self._session = _session(draft, rules)
        self._inbox: queue.SimpleQueue[messages.Message] = queue.SimpleQueue()
        self.finger = LiveFinger(device, self._inbox.put)
        self._reader = FrameReader(
            device, on_frame=self._frame_arrived, on_failure=lambda error: self.post(events.DeviceWentAway(str(error)))
        )
        self._input_listener = InputListener(device, self._inbox.put)
        self._nodes: dict[str, InputDeviceNode] = {}
        self._thread = threading.Thread(target=self._run, name=f"recorder of {device.serial}", daemon=True)
        self._writer = StepWriter(draft, rules.touch)
        policy: slow_work.SnapshotPolicy = "never" if self._is_passive else rules.snapshots
        self._snapshots = slow_work.StepSnapshots(device, draft.episode_id, policy)
        self._work = slow_work.RecorderWork(device, self._writer, self._snapshots, self._inbox.put)
        self._questions: dict[int, TextQuestion] = {}
        self._rows = StepRows(draft.episode_id)
        self._screen = WatchedScreen(self._session, draft, self._writer, self._work, rules.settle)
        self._published: Path | None = None
        self.is_agents_turn = False
        self._screenshots = store.root / SCREENSHOTS
        self.publisher = ViewPublisher(self._make_view(), listener)

    # From any thread.

    def start(self) -> None:
        self._thread.start()
        if self._draft.state.touched:
            self._notify(BROKEN_TOUCH)
        self.post(
            events.Started(
                time.monotonic_ns(),
                complete=self._draft.complete,
                steps=len(self._draft.steps),
                goal=self._initial_goal(),
                flags=self._draft.state.next_flags,
            )
        )
        self._reader.start()
        self.finger.start()
        self._input_listener.start()

    def post(self, message: messages.Message) -> None:
        self._inbox.put(message)

    def hurry(self) -> None:
        self._reader.hurry(True)

    @property
    def restoring(self) -> bool:
        return self._session.restoring

    @property
    def silent_s(self) -> float:
        since_s = self._reader.silent_since_s
        return 0.0 if since_s is None else time.monotonic() - since_s

    def stop(self) -> None:
        self.finger.stop()
        self.post(messages.Stop())

    def join(self) -> None:
        self._thread.join()
        self._reader.join()
        self.finger.join()
        self._input_listener.join()

    @property
    def _is_passive(self) -> bool:
        return isinstance(self._session, PassiveSession)

    # The reader's thread.

    def _frame_arrived(self, frame: Frame) -> None:
        self._inbox.put(messages.FrameArrived(frame))  # first: a touch on it must come later
        self._listener.frame(frame)

    # The engine's thread.

    def _run(self) -> None:
        try:
            with self._undisturbed():
                self._record()
        finally:
            self.publisher.end()

    @contextmanager
    def _undisturbed(self) -> Iterator[None]:
        with ExitStack() as stack:
            try:
                stack.enter_context(self._device.changed_settings(WHILE_RECORDING))
            except (DeviceError, DatasetError) as error:
                _log.info("Android may show notices over the app: %s", error)
            yield

    def _record(self) -> None:
        try:
            while not isinstance(message := self._next_message(), messages.Stop):
                self._handle(message)
                if self._session.state in {State.FINISHED, State.ABANDONED}:
                    return
            self._finish()
        except Exception:
            _log.exception("The recorder of %s broke", self._draft.episode_id)
            text = f"The recorder failed. Your steps are saved in the draft {self._draft.folder}."
            self._notify(text, NoticeKind.FAILURE)
            raise
        finally:
            self._end_threads()
            self._work.finish()
            self._draft.close()

    def _finish(self) -> None:
        """Process the outcome of an input, or of publishing, that was under way at the stop."""
        if self._is_passive:
            self._finish_passive()
        self._end_threads()
        self.finger.join()
        self._work.finish()
        while not self._inbox.empty():
            message = self._inbox.get()
            if isinstance(message, messages.LAST_ANSWERS):
                self._process(message)
        self._apply(events.FramesEnded())
        self.publisher.show(self._make_view())

    def _finish_passive(self) -> None:
        """Turn inputs from before the stop into steps, and keep the screen after them, for a few seconds."""
        self._apply(events.FramesEnded())
        expires_s = time.monotonic() + LAST_STEPS_S
        while self._session.touched and time.monotonic() < expires_s:
            self._handle(self._next_message())
        expires_s = time.monotonic() + LAST_SETTLE_S
        while self._draft.state.left is None and self._session.state is State.READY and time.monotonic() < expires_s:
            self._handle(self._next_message())

    def _next_message(self) -> messages.Message:
        """The next message, or a tick in passive mode if none comes."""
        try:
            return self._inbox.get(timeout=TICK_S if self._is_passive else None)
        except queue.Empty:
            return events.Tick(time.monotonic_ns())

    def _handle(self, message: messages.Message) -> None:
        self._apply(events.Tick(time.monotonic_ns()))
        self._process(message)
        self.publisher.show(self._make_view())

    def _end_threads(self) -> None:
        self._reader.stop()
        self.finger.stop()
        self._input_listener.stop()

    def _process(self, message: messages.Message) -> None:  # noqa: C901 - one line for each message
        if isinstance(message, messages.BY_PERSON):
            self._give_turn(to_agent=False)
        match message:
            case messages.FrameArrived(frame):
                self._process_frame(frame)
            case SavedFrame():
                self._writer.take_screenshot(message)
                self._apply(events.FrameKept(message.frame.number))
                self._keep(partial(self._screen.note, message))
                self._request_tree(message.frame.number)
            case slow_work.ScreenStateRead() | slow_work.TreeRead() | slow_work.RestoreScreenRead():
                self._process_reading(message)
            case messages.TouchEnded(stroke, now_ns):
                self._finish_touch(stroke, now_ns)
            case slow_work.Sent(started_ns, ended_ns):
                self._input_sent(started_ns, ended_ns)
            case messages.NoteWritten() | messages.EndingWritten() | messages.GoalsMarked() | messages.AgentRefused():
                self._take_written(message)
            case events.TextAnswered(step, text) if self._doubts(step, text):
                pass  # the annotator is asked again
            case messages.RedoWanted(now_ns):
                self._redo(now_ns)
            case messages.TurnGiven(to_agent):
                self._give_turn(to_agent=to_agent)
            case messages.AgentActed():
                message.answer.set_result(self._begin_agent_action(message))
            case messages.ScreenRequested(result):
                result.set_result(self._writer.shown(self._session.frame))
            case messages.TrialRequested(ending, answer):
                answer.set_result(self._trial(ending))
            case slow_work.EpisodeInDataset(annotation):
                self._published = annotation
                self._work.forget_snapshots()
                self._apply(events.Published())
            case slow_work.WorkerFailed(error):
                raise error
            case messages.Stop():
                pass  # already stopped
            case event:
                self._apply(event)

    def _give_turn(self, *, to_agent: bool) -> None:
        self.is_agents_turn = to_agent
        if not self._session.touched:  # otherwise the step belongs to whoever began it
            self._writer.agent = None

    def _begin_agent_action(self, action_request: messages.AgentActed) -> bool:
        """Begin an agent's action, if it is the agent's turn and the screen is still the one that it judged."""
        is_ready = self._session.state is State.READY and not self._session.touched
        if not (self.is_agents_turn and is_ready and self._session.frame == action_request.frame_number):
            return False
        self._writer.agent = action_request.agent
        match action_request.intent:
            case events.Touch(stroke):
                self._apply(events.TouchedDown(action_request.frame_number, action_request.now_ns))
                self._finish_touch(stroke, action_request.now_ns)
            case intent:
                self._apply(events.Intended(intent, action_request.now_ns))
        return True

    def _redo(self, now_ns: int) -> None:
        """Send the action of an undone step again, as a new step: with a new screenshot, held until that is proved."""
        step, number = next(iter(self._writer.undone), None), self._session.frame
        intent = None if step is None else intent_of(step.record)
        if step is None or intent is None:
            self._notify(NOTHING_TO_REDO)
        elif self._session.restoring:
            self._notify(BRING_BACK_FIRST)
        elif self._session.state is not State.READY or self._session.touched or number is None:
            self._notify(NOT_READY, NoticeKind.REFUSAL)
        elif not self._writer.is_on_screen_of(step, number):
            self._notify(OTHER_SCREEN)
        else:
            self._writer.redoes = intent
            if isinstance(intent, events.Touch):
                self._apply(events.TouchedDown(number, now_ns))
            self._apply(events.Intended(intent, now_ns))

    def _finish_touch(self, stroke: TouchStroke | None, now_ns: int) -> None:
        if isinstance(self._session, Session) and self._session.live:
            return  # the live finger reports what the device received
        if stroke is not None and self._writer.is_on_screen(stroke):
            self._apply(events.Intended(events.Touch(stroke), now_ns))
            return
        if stroke is not None:
            self._notify(OFF_SCREEN, NoticeKind.REFUSAL)
        self._apply(events.TouchCancelled())

    def _request_tree(self, number: int) -> None:
        """Read the view hierarchy while the screen is settled."""
        if self._is_passive:
            return
        if not (self._rules.view_hierarchies and self._screen.is_settled):
            self._writer.lack_tree(number, NO_TREE if self._rules.view_hierarchies else NO_TREES)
        elif number == self._session.frame:
            self._work.read_tree(number)

    def _process_reading(self, read: slow_work.Reading) -> None:
        """Use a reading at once, or after a proof if the screen may have changed meanwhile."""
        if isinstance(read, slow_work.ScreenStateRead) and read.state is not None and read.state.error_dialog:
            self._apply(events.ErrorDialogSeen(read.state.error_dialog))
        match read:
            case slow_work.TreeRead(tree=tree) if tree is not None and self._rules.view_hierarchies:
                if self._screen.awaits_proof_of(read):
                    self._reader.ask()
            case slow_work.TreeRead(number, None, why=why):
                self._writer.lack_tree(number, why)
            case slow_work.ScreenStateRead() if self._is_passive:
                if self._screen.awaits_proof_of(read):
                    self._reader.ask()
            case slow_work.ScreenStateRead(number, state) if state is not None:
                self._writer.take_screen(number, state)
            case slow_work.RestoreScreenRead(frame, state):
                self._writer.status_bar_px = state.status_bar_px if state is not None else self._writer.status_bar_px
                self._apply(events.ReturnJudged(self._screen.is_restored(frame, state)))
            case _:
                pass

    def _keep(self, keep: Callable[[], None]) -> None:
        try:
            keep()
        except DatasetError as error:
            self._apply(events.StorageFailed(str(error), time.monotonic_ns()))

    def _take_written(self, message: messages.Written) -> None:
        match message:
            case messages.NoteWritten(key, text):
                self._write("Your note", partial(self._writer.note, key, text))
            case messages.EndingWritten(ending):
                self._write("Your answer", partial(self._draft.keep_ending, ending))
            case messages.GoalsMarked(goals):
                self._write("What you marked", partial(self._draft.keep_goals, goals))
            case messages.AgentRefused(action, frame_number, agent):
                self._write("What you refused", partial(self._writer.refuse, action, frame_number, agent))

    def _doubts(self, step: int, text: str) -> bool:
        """Ask again, once, about an answer that the field does not show."""
        asked, shown = self._questions.get(step), self._writer.text_after(step, self._session.frame)
        if asked is None or not shown or text in shown or (asked.shown and asked.guess == text):
            return False
        self._questions[step] = TextQuestion(step, text, shown)
        return True

    def _write(self, what: str, write: Callable[[], None]) -> None:
        try:
            write()
        except DatasetError as error:
            self._notify(f"{what} could not be saved. {error}")

    def _trial(self, ending: Complete | Impossible) -> tuple[DraftStep, ...]:
        shown = self._screen.settled_frame if self._is_passive else self._session.frame
        if shown is None or self._writer.screenshot(shown) is None:
            return self._draft.steps
        last = effects.SaveStep(shown, None, self._screen.is_settled, time.monotonic_ns(), ending)
        return (*self._draft.steps, self._writer.make_step(last))

    def _input_sent(self, started_ns: int, ended_ns: int) -> None:
        try:
            if not self._session.restoring:
                self._writer.note_sent(started_ns, ended_ns)
        except DatasetError as error:
            self._apply(events.InputDone(ended_ns))
            self._apply(events.StorageFailed(str(error), ended_ns))
        else:
            self._apply(events.InputDone(ended_ns))

    def _process_frame(self, frame: Frame) -> None:
        self._writer.hold(frame, self._session.needed)
        self._screen.remember(frame)
        if self._session.state is State.DEVICE_LOST:
            self._apply(events.DeviceCameBack(frame.started_ns))
        seen = self._screen.see(frame)
        if seen is None:
            return
        self._apply(seen)
        for text in self._screen.take_proved(frame):
            self._notify(text)
        if self._is_passive:
            self._keep(partial(self._screen.keep, frame))

    def _apply(self, event: events.PassiveEvent) -> None:
        """Carry out the session's effects in order; an immediate outcome goes before the next effect."""
        for effect in self._effects_of(event):
            outcome = self._carry_out(effect)
            if outcome is not None:
                self._apply(outcome)
        is_settled = self._device.sends_frames and self._screen.is_settled and not self._session.restoring
        is_moving = self._is_passive and not is_settled
        self._reader.hurry(is_moving or self._session.touched or self._session.state is not State.READY)

    def _effects_of(self, event: events.PassiveEvent) -> Sequence[effects.PassiveEffect]:
        if isinstance(self._session, PassiveSession):
            return self._session.handle(event)
        match event:
            case events.InputFollowed(nodes):
                self._nodes = {node.node: node for node in nodes}
            case events.InputHeard(news, at_ns, uncertainty_ns, arrived_ns):
                text = self._writer.describe_input(news, arrived_ns, self._nodes)
                kernel_input = events.KernelInputSeen(text, at_ns, uncertainty_ns, arrived_ns)
                return self._session.handle(kernel_input) if text else []
            case _:
                return [] if isinstance(event, events.PassiveNews) else self._session.handle(event)
        return []

    def _carry_out(self, effect: effects.PassiveEffect) -> events.PassiveEvent | None:  # noqa: C901 - one line for each effect
        try:
            match effect:
                case effects.Watch(since_ns, after_input):
                    self._screen.watch(since_ns, after_input=after_input)
                    self._reader.ask()
                case effects.KeepFrame(number):
                    return self._keep_frame(number)
                case effects.SaveStep():
                    self._writer.save(effect)
                    return events.StepSaved(effect.intent)
                case effects.LowerFinger(number):
                    self._writer.note_touch(number, time.monotonic_ns())
                    self.finger.release()
                case effects.DropTouch(why):
                    self._draft.drop_touch(why)
                case effects.SendInput(intent):
                    self._work.send(intent)
                case effects.RemoveSteps():
                    return self._remove_steps(effect)
                case effects.ReturnDevice():
                    wanted = self._draft.state.wanted
                    self._work.load_snapshot(self._draft.state.next_key if wanted is None else wanted.key)
                case effects.JudgeReturn(number):
                    return self._judge_return(number)
                case effects.JudgeLastStep(number, uncertain, turned):
                    text, is_doubtful = self._writer.judge_last(number, uncertain=uncertain, turned=turned)
                    self._notify(text)
                    return events.LastStepJudged(is_doubtful)
                case effects.CompareScreens(before, after):
                    return events.ScreensCompared(self._writer.changed_cells(before, after))
                case effects.VouchForLastStep():
                    self._writer.vouch_for_last()
                    return events.LastStepJudged()
                case effects.Publish():
                    self._work.publish(self._store, self._draft)
                case effects.Abandon():
                    self._store.discard(self._draft)
                    self._work.forget_snapshots()
                case effects.Tell(text, kind):
                    self._notify(text, kind)
                case _:
                    return self._carry_out_passive(effect)
        except DatasetError as error:
            return events.StorageFailed(str(error), time.monotonic_ns())
        return None

    def _remove_steps(self, wanted: effects.RemoveSteps) -> events.Event:
        """Raises DatasetError."""
        dropped = self._writer.drop_last(wanted)
        if dropped is None:
            self._notify(NOTHING_TO_UNDO)
        return dropped or events.StepsDropped()

    def _judge_return(self, number: int) -> events.Event | None:
        frame = self._writer.frame(number)
        if frame is None:
            return events.ReturnJudged(matches=False)
        self._work.read_screen_while_restoring(frame)
        return None

    def _notify(self, text: str, kind: NoticeKind = NoticeKind.WARNING) -> None:
        if text:
            self._listener.notice(Notice(text, kind, self._draft.steps[-1].key if self._draft.steps else None))

    def _carry_out_passive(
        self, effect: effects.LookAtScreen | effects.LookAtField | effects.AskText | effects.AmendText
    ) -> events.PassiveEvent | None:
        """Effects of a passive session only. Raises DatasetError."""
        shown = self._session.frame or 0
        match effect:
            case effects.LookAtScreen():
                self._work.read_areas(shown, self._input_listener.check_clock)
            case effects.LookAtField():
                self._work.read_field(shown)
            case effects.AskText(step, guess):
                self._questions[step] = TextQuestion(step, guess)
            case effects.AmendText(step, text):
                self._writer.amend_text(step, text)
                self._questions.pop(step, None)
                return events.TextAmended(step)
        return None

    def _keep_frame(self, number: int) -> events.PassiveEvent | None:
        if self._is_passive and self._writer.screenshot(number) is not None:
            return events.FrameKept(number)
        frame = self._writer.frame(number)
        if frame is None and self._is_passive:
            return events.FrameMissing(number)
        if frame is None:
            self._notify(OUT_OF_DATE, NoticeKind.REFUSAL)
            return events.TouchCancelled()
        self._writer.forget_unused_screenshots(self._session.needed)
        new_screen = self._session.state is State.CAPTURING and self._screen.is_settled
        snapshot = self._draft.state.next_key if new_screen and self._snapshots.wanted else None
        self._work.keep_screenshot(frame, snapshot=snapshot)
        if not self._is_passive:
            self._work.read_screen(number)
        return None

    def _make_view(self) -> RecordingView:
        frame = self._session.frame
        view = make_view(self._session, self._draft, self._questions, typing=self._work.typing)
        reading = False
        if isinstance(self._session, PassiveSession):
            reading = self._session.reading
            if self._session.typed_keys and view.state is State.READY:
                view = replace(view, message=TYPED_KEYS.format(self._session.typed_keys))
        return replace(
            view,
            steps=self._rows.show(self._draft.steps, None if self._published is None else self._screenshots),
            published=self._published,
            capture_path=self._device.capture_path,
            is_read=frame is not None and self._writer.has_tree(frame) and not reading,
            no_tree="" if frame is None else self._writer.why_no_tree(frame),
            lacks_field=frame is not None and self._writer.lacks_field(frame),
            is_agents_turn=self.is_agents_turn,
            nodes=() if frame is None else self._writer.nodes(frame),
            redo=self._writer.undone[0].action if self._writer.undone else None,
        )

    def _initial_goal(self) -> Goal | None:
        if self._draft.state.wanted is not None:
            return Goal.UNDONE
        if self._draft.uncertain and not self._is_passive:
            return Goal.UNCERTAIN
        if self._draft.state.left is not None:
            return Goal.LEFT
        return Goal.UNKNOWN if self._draft.steps else None


def _session(draft: Draft, rules: RecordingRules) -> Session | PassiveSession:
    if draft.origin.mode == "passive":
        return PassiveSession(Interpreter(rules.touch, rules.navigation))
    return Session(rules.late_input_ns, rules.foreign)
