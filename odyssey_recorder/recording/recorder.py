"""The thread that records: it owns the session and the draft, and carries out what the session asks for."""

import hashlib
import logging
import queue
import threading
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import Protocol

from PIL import Image

from odyssey_recorder.dataset.draft import Draft, DraftStep
from odyssey_recorder.dataset.provenance import (
    CheckRecord,
    FrameRecord,
    KeyRecord,
    ScreenRecord,
    StepRecord,
    StrokeRecord,
    TextRecord,
)
from odyssey_recorder.dataset.store import EpisodeStore
from odyssey_recorder.device.device import Device, ScreenState
from odyssey_recorder.device.screen import Frame
from odyssey_recorder.device.settle import SettleRule, Stillness, StillnessWatch
from odyssey_recorder.errors import DatasetError, DeviceError, InputRefusedError, RecordingError
from odyssey_recorder.gesture.recognizer import TouchRules, recognize
from odyssey_recorder.gesture.touch import TouchStroke
from odyssey_recorder.model.action import Action, Complete, Impossible, Press, SystemKey, Type
from odyssey_recorder.model.episode import Json, screenshot_name
from odyssey_recorder.model.geometry import Size
from odyssey_recorder.recording.effects import (
    Abandon,
    DropLastStep,
    Effect,
    JudgeLastStep,
    KeepFrame,
    Publish,
    SaveStep,
    SendInput,
    Tell,
    Watch,
)
from odyssey_recorder.recording.events import (
    AbandonWanted,
    DeviceCameBack,
    DeviceWentAway,
    Event,
    FrameKept,
    FrameSeen,
    InputDone,
    InputRefused,
    InputUncertain,
    Intended,
    Intent,
    KeyPress,
    LastStepDropped,
    LastStepJudged,
    Published,
    Started,
    StepSaved,
    StorageFailed,
    Strike,
    TextEntry,
    Tick,
    TouchCancelled,
    TouchedDown,
    UndoWanted,
)
from odyssey_recorder.recording.frame_reader import FrameReader
from odyssey_recorder.recording.session import OUT_OF_DATE, RETRY_NS, Session, State

UNCHANGED = "nothing changed on the screen"
MOVING = "the screen was still moving"
UNKNOWN = "the connection broke while it was sent"
RETRACTED = "The last action had not reached the device: its step was taken away. Do it again."
DOUBTFUL = "The connection broke during the last action, and the screen is another now: look whether the action was\
 carried out, and undo it if not."
PUBLISHING = "Putting the episode into the dataset."
OFF_SCREEN = "That is outside the screen: nothing was recorded or sent."
NOTHING_TO_UNDO = "There is no step to undo."

_log = logging.getLogger(__name__)

_FRAMES_HELD = 4
"""So many frames are held in memory: the newest, and those that a window may still be showing."""


@dataclass(frozen=True, slots=True)
class RecordedStep:
    """A step as lists show it; `flag` says what is odd about it, and is empty where nothing is."""

    number: int
    action: Action
    picture: Path
    flag: str


@dataclass(frozen=True, slots=True)
class RecordingView:
    """All that a window or a script needs to know of a recording; a new value at each change.

    `message` is one line for the annotator. `frame_number` is the frame that an action would be recorded with, None
    while there is none. `published` is the annotation file, once the state is FINISHED.
    """

    state: State
    message: str
    frame_number: int | None
    steps: tuple[RecordedStep, ...]
    published: Path | None = None


@dataclass(frozen=True, slots=True)
class Rules:
    """What counts as a click, and what as a screen at rest."""

    touch: TouchRules
    settle: SettleRule = field(default_factory=SettleRule)


class Listener(Protocol):
    """Who wants to know: called from the recorder's threads, must hand over and never block."""

    def frame(self, frame: Frame) -> None:
        """A frame came from the device."""

    def changed(self, view: RecordingView) -> None:
        """Something about the recording is different now."""

    def notice(self, text: str) -> None:
        """Something that the annotator must read: a gesture was refused, a step was taken away."""


@dataclass(frozen=True, slots=True)
class _FrameCame:
    frame: Frame


@dataclass(frozen=True, slots=True)
class _PictureKept:
    frame: Frame
    path: Path
    record: FrameRecord


@dataclass(frozen=True, slots=True)
class _ScreenKnown:
    frame_number: int
    state: ScreenState | None


@dataclass(frozen=True, slots=True)
class _Sent:
    started_ns: int
    ended_ns: int


@dataclass(frozen=True, slots=True)
class _InDataset:
    annotation: Path


@dataclass(frozen=True, slots=True)
class _Broke:
    error: Exception


@dataclass(frozen=True, slots=True)
class _Stop:
    pass


_Message = Event | _FrameCame | _PictureKept | _ScreenKnown | _Sent | _InDataset | _Broke | _Stop


class Recorder:
    """Records one draft from one device. Every command only posts to the recorder's inbox and returns at once."""

    def __init__(
        self,
        device: Device,
        draft: Draft,
        store: EpisodeStore,
        *,
        listener: Listener,
        rules: Rules,
    ) -> None:
        self._device = device
        self._draft = draft
        self._store = store
        self._listener = listener
        self._rules = rules
        self._session = Session()
        self._inbox: queue.SimpleQueue[_Message] = queue.SimpleQueue()
        self._reader = FrameReader(device, on_frame=self._frame_came, on_failure=self._frame_failed)
        self._workers = ThreadPoolExecutor(3, thread_name_prefix="recording")  # a picture, a look, an input
        self._thread = threading.Thread(target=self._run, name=f"recorder of {device.serial}", daemon=True)
        self._clock = _Clock()
        self._frames: deque[Frame] = deque(maxlen=_FRAMES_HELD)
        self._pictures: dict[int, _PictureKept] = {}
        self._screens: dict[int, ScreenState] = {}
        self._watch = StillnessWatch(rules.settle, since_ns=0)
        self._status_bar_px = 0
        self._last_frame: Frame | None = None  # that of the last step, while this process lives
        self._published: Path | None = None
        self._over = False
        self._view_changed = threading.Condition()
        self._view = self._make_view()

    # Commands; from any thread.

    def start(self) -> None:
        """Begin, or go on with a draft that has steps already."""
        self._thread.start()
        self._inbox.put(Started(time.monotonic_ns(), uncertain=self._draft.uncertain, complete=self._draft.complete))
        self._reader.start()

    def touch_down(self, frame_number: int) -> None:
        """A finger came down on the frame that is shown: the step's picture is settled now."""
        self._inbox.put(TouchedDown(frame_number, time.monotonic_ns()))
        self._reader.hurry(True)

    def lift(self, stroke: TouchStroke) -> None:
        """The finger left the mirror; `stroke` is the whole contact, in pixels of the frame."""
        self._inbox.put(Intended(Strike(stroke), time.monotonic_ns()))

    def cancel_touch(self) -> None:
        """The finger left without a gesture: nothing is recorded."""
        self._inbox.put(TouchCancelled())

    def press(self, key: SystemKey) -> None:
        """Record and press a system key."""
        self._intend(KeyPress(key))

    def type_text(self, text: str) -> None:
        """Record and type a text. Raises InputRefusedError at once for one that the device cannot be given."""
        if not text:
            raise InputRefusedError("There is no text to type.")
        self._device.check_text(text)
        self._intend(TextEntry(text))

    def complete(self, note: str = "") -> None:
        """The task is done: record that and publish the episode."""
        self._intend(Complete(note))

    def impossible(self, reason: str) -> None:
        """The task cannot be done: record why and publish. Raises RecordingError without a reason."""
        if not reason.strip():
            raise RecordingError("Say why the task is impossible: the reason is part of the data.")
        self._intend(Impossible(reason))

    def undo(self) -> None:
        """Take the last step away; the device stays as it is, and a fresh picture is taken."""
        self._inbox.put(UndoWanted(time.monotonic_ns()))

    def retry(self) -> None:
        """Try again now what could not be written."""
        self._inbox.put(Tick(time.monotonic_ns() + RETRY_NS))

    def abandon(self) -> None:
        """Throw the recording away: its draft goes to the trash."""
        self._inbox.put(AbandonWanted())

    def stop(self) -> None:
        """End the recording as it is; the draft is kept. Returns at once."""
        self._reader.stop()
        self._inbox.put(_Stop())

    def join(self) -> None:
        """Wait until nothing of this recorder runs any more and the draft is closed."""
        self._thread.join()
        self._reader.join()

    # What is known; from any thread.

    @property
    def episode_id(self) -> str:
        """The id of the draft, and of the episode that it becomes."""
        return self._draft.episode_id

    @property
    def view(self) -> RecordingView:
        """The newest view."""
        return self._view

    def wait_for(self, wanted: Callable[[RecordingView], bool], timeout_s: float) -> RecordingView:
        """The first view that is `wanted`. Raises RecordingError after `timeout_s`, or when the recording ends."""
        with self._view_changed:
            self._view_changed.wait_for(lambda: wanted(self._view) or self._over, timeout_s)
            view = self._view
        if wanted(view):
            return view
        what = "The recording has ended" if self._over else f"Nothing went on for {timeout_s:.0f} s"
        raise RecordingError(f"{what}: {view.state.value}. {view.message} The draft is kept.")

    def _intend(self, intent: Intent) -> None:
        self._inbox.put(Intended(intent, time.monotonic_ns()))
        self._reader.hurry(True)

    # The reader's thread.

    def _frame_came(self, frame: Frame) -> None:
        self._inbox.put(_FrameCame(frame))  # before anybody can see it, and so touch it
        self._listener.frame(frame)

    def _frame_failed(self, error: DeviceError) -> None:
        self._inbox.put(DeviceWentAway(str(error)))

    # The recorder's thread.

    def _run(self) -> None:
        try:
            while not isinstance(message := self._inbox.get(), _Stop):
                self._happened(Tick(time.monotonic_ns()))
                self._take(message)
                self._publish_view()
                if self._session.state in {State.FINISHED, State.ABANDONED}:
                    return
            self._await_last_answers()
        except Exception:
            _log.exception("The recorder of %s broke", self._draft.episode_id)
            self._listener.notice(f"The recorder broke. Your steps are safe in the draft {self._draft.folder}.")
            raise
        finally:
            self._reader.stop()
            self._workers.shutdown(wait=True)
            self._draft.close()
            with self._view_changed:
                self._over = True
                self._view_changed.notify_all()

    def _await_last_answers(self) -> None:
        """Take in what became of an input, or of publishing, that was under way when the recording was stopped."""
        self._workers.shutdown(wait=True)
        while not self._inbox.empty():
            message = self._inbox.get()
            if isinstance(message, _Sent | _InDataset | InputRefused):
                self._take(message)
        self._publish_view()

    def _take(self, message: _Message) -> None:
        match message:
            case _FrameCame(frame):
                self._take_frame(frame)
            case _PictureKept():
                self._pictures[message.frame.number] = message
                self._happened(FrameKept(message.frame.number))
            case _ScreenKnown(number, state):
                if state is not None:
                    self._screens[number] = state
                    self._status_bar_px = state.status_bar_px
            case _Sent(started_ns, ended_ns):
                self._input_sent(started_ns, ended_ns)
            case _InDataset(annotation):
                self._published = annotation
                self._happened(Published())
            case _Broke(error):
                raise error
            case Intended(Strike(stroke)) if not self._is_on_screen(stroke):
                self._listener.notice(OFF_SCREEN)
                self._happened(TouchCancelled())
            case _Stop():
                raise AssertionError("the loop ends at _Stop")
            case event:
                self._happened(event)

    def _is_on_screen(self, stroke: TouchStroke) -> bool:
        size = self._frames[-1].size if self._frames else self._draft.device.size
        return all(size.clamp(sample.at) == sample.at for sample in stroke.samples)

    def _input_sent(self, started_ns: int, ended_ns: int) -> None:
        times: dict[str, Json] = {
            "sent_us": self._clock.epoch_us(started_ns),
            "sent_until_us": self._clock.epoch_us(ended_ns),
        }
        try:
            self._draft.amend_last(times)
        except DatasetError as error:
            self._happened(InputDone(ended_ns))
            self._happened(StorageFailed(str(error), ended_ns))
        else:
            self._happened(InputDone(ended_ns))

    def _take_frame(self, frame: Frame) -> None:
        self._frames.append(frame)
        if self._session.state is State.DEVICE_LOST:
            self._happened(DeviceCameBack(frame.started_ns))
        stillness = self._watch.see(frame, ignore_top_px=self._status_bar_px)
        anchor = self._watch.anchor
        if anchor is None:
            return
        self._happened(
            FrameSeen(
                frame.number,
                anchor.number,
                frame.started_ns,
                still=stillness is Stillness.STILL,
                restless=stillness is Stillness.RESTLESS,
            )
        )

    def _happened(self, event: Event) -> None:
        """Tell the session, and do what it asks, in order; what that leads to at once comes before the rest."""
        for effect in self._session.handle(event):
            outcome = self._carry_out(effect)
            if outcome is not None:
                self._happened(outcome)
        self._reader.hurry(self._session.touched or self._session.state is not State.READY)

    def _carry_out(self, effect: Effect) -> Event | None:  # noqa: C901 - one line for each effect
        try:
            match effect:
                case Watch(since_ns):
                    self._watch = StillnessWatch(self._rules.settle, since_ns=since_ns)
                case KeepFrame(number):
                    return self._keep(number)
                case SaveStep():
                    return self._save_step(effect)
                case SendInput(intent):
                    self._work(partial(self._send, intent))
                case DropLastStep(why):
                    self._drop_last(why)
                    return LastStepDropped()
                case JudgeLastStep(number, uncertain):
                    self._judge_last(number, uncertain=uncertain)
                    return LastStepJudged()
                case Publish():
                    self._work(self._publish)
                case Abandon():
                    self._store.discard(self._draft)
                case Tell(text):
                    self._listener.notice(text)
        except DatasetError as error:
            return StorageFailed(str(error), time.monotonic_ns())
        return None

    def _frame(self, number: int) -> Frame | None:
        return next((frame for frame in self._frames if frame.number == number), None)

    def _keep(self, number: int) -> Event | None:
        frame = self._frame(number)
        if frame is None:
            self._listener.notice(OUT_OF_DATE)
            return TouchCancelled()
        self._forget_unused_pictures()
        self._screens.clear()
        self._work(partial(self._write_picture, frame))
        self._work(partial(self._look_at_screen, number))
        return None

    def _forget_unused_pictures(self) -> None:
        used = {step.picture for step in self._draft.steps}
        for kept in self._pictures.values():
            if kept.path not in used:
                self._draft.forget_picture(kept.path)
        self._pictures.clear()

    def _save_step(self, effect: SaveStep) -> Event:
        kept = self._pictures[effect.frame]
        screen = self._screens.get(effect.frame)
        check = self._frame(effect.check) if effect.check is not None else None
        record = StepRecord(
            frame=kept.record.model_copy(update={"settled": effect.settled}),
            check=self._check_record(check) if check else None,
            touched_us=self._clock.epoch_us(effect.touched_ns),
            input=_input_record(effect.intent),
            screen=_screen_record(screen) if screen else None,
            flags=() if effect.settled else (MOVING,),
        )
        self._draft.add_step(self._action(effect.intent, kept.frame), kept.path, record)
        self._last_frame = kept.frame
        return StepSaved(effect.intent)

    def _check_record(self, frame: Frame) -> CheckRecord:
        return CheckRecord(
            number=frame.number,
            started_us=self._clock.epoch_us(frame.started_ns),
            arrived_us=self._clock.epoch_us(frame.arrived_ns),
        )

    def _action(self, intent: Intent, frame: Frame) -> Action:
        match intent:
            case Strike(stroke):
                return recognize(stroke, self._rules.touch, frame.size)
            case KeyPress(key):
                return Press(key)
            case TextEntry(text):
                return Type(text)
            case Complete() | Impossible():
                return intent

    def _drop_last(self, why: str) -> None:
        if not self._draft.steps:
            self._listener.notice(NOTHING_TO_UNDO)
            return
        self._draft.drop_last(why)
        self._last_frame = None

    def _judge_last(self, number: int, *, uncertain: bool) -> None:
        frame = self._frame(number)
        if frame is None or not self._draft.steps:
            return
        last = self._draft.steps[-1]
        try:
            before = self._last_frame or _frame_of(last)
        except (OSError, SyntaxError, ValueError) as error:  # all that Pillow raises for a broken picture
            self._listener.notice(f"{last.picture} cannot be read ({error}): undo the last step, and record it again.")
            return
        unchanged = frame.shows_same_as(before, ignore_top_px=self._status_bar_px)
        if unchanged and uncertain:
            self._drop_last("not carried out: the connection was lost")
            self._listener.notice(RETRACTED)
        elif unchanged:
            self._draft.amend_last({"flags": [*last.record.flags, UNCHANGED]})
        elif uncertain:
            now_us = self._clock.epoch_us(time.monotonic_ns())
            self._draft.amend_last({"sent_until_us": now_us, "flags": [*last.record.flags, UNKNOWN]})
            self._listener.notice(DOUBTFUL)

    def _publish_view(self) -> None:
        view = self._make_view()
        if view == self._view:
            return
        with self._view_changed:
            self._view = view
            self._view_changed.notify_all()
        self._listener.changed(view)

    def _make_view(self) -> RecordingView:
        steps = tuple(
            RecordedStep(number, step.action, self._picture_of(number, step.picture), ", ".join(step.record.flags))
            for number, step in enumerate(self._draft.steps)
        )
        state = self._session.state
        message = PUBLISHING if self._session.publishing else self._session.reason or _MESSAGES[state]
        return RecordingView(state, message, self._session.frame, steps, self._published)

    def _picture_of(self, number: int, draft_picture: Path) -> Path:
        if self._published is None:
            return draft_picture
        return self._store.root / "screenshots" / screenshot_name(self._draft.episode_id, number)

    # Workers' threads.

    def _work(self, call: Callable[[], _Message]) -> None:
        """Let a worker do `call`; what it gives back comes to the inbox, and so does what goes wrong."""

        def run() -> None:
            try:
                self._inbox.put(call())
            except DatasetError as error:
                self._inbox.put(StorageFailed(str(error), time.monotonic_ns()))
            except Exception as error:  # noqa: BLE001 - the top of a thread; the recorder raises it again
                self._inbox.put(_Broke(error))

        self._workers.submit(run)

    def _write_picture(self, frame: Frame) -> _Message:
        image = frame.image()
        buffer = BytesIO()
        image.save(buffer, "PNG", compress_level=1)
        png = buffer.getvalue()
        record = FrameRecord(
            number=frame.number,
            source=frame.source,
            started_us=self._clock.epoch_us(frame.started_ns),
            arrived_us=self._clock.epoch_us(frame.arrived_ns),
            settled=True,
            width=frame.size.width,
            height=frame.size.height,
            png_sha256=hashlib.sha256(png).hexdigest(),
            rgb_sha256=hashlib.sha256(image.tobytes()).hexdigest(),
        )
        try:
            return _PictureKept(frame, self._draft.keep_picture(png), record)
        except DatasetError as error:
            return StorageFailed(str(error), time.monotonic_ns(), frame.number)

    def _look_at_screen(self, frame_number: int) -> _ScreenKnown:
        try:
            return _ScreenKnown(frame_number, self._device.screen_state())
        except DeviceError:
            return _ScreenKnown(frame_number, None)  # the frames tell if the device is lost

    def _send(self, intent: Intent) -> _Message:
        started_ns = time.monotonic_ns()
        try:
            match intent:
                case Strike(stroke):
                    self._device.touch(stroke)
                case KeyPress(key):
                    self._device.press(key)
                case TextEntry(text):
                    self._device.type_text(text)
                case Complete() | Impossible():
                    raise AssertionError("a terminal action sends nothing")
        except InputRefusedError as error:
            return InputRefused(str(error), time.monotonic_ns())
        except DeviceError as error:
            return InputUncertain(str(error))
        return _Sent(started_ns, time.monotonic_ns())

    def _publish(self) -> _Message:
        return _InDataset(self._store.publish(self._draft))


class _Clock:
    """Tells the time since 1970 from the monotonic clock, so that differences stay exact."""

    def __init__(self) -> None:
        self._offset_ns = time.time_ns() - time.monotonic_ns()

    def epoch_us(self, monotonic_ns: int) -> int:
        return (monotonic_ns + self._offset_ns) // 1000


def _input_record(intent: Intent) -> StrokeRecord | KeyRecord | TextRecord | None:
    match intent:
        case Strike(stroke):
            samples = tuple((sample.at.x, sample.at.y, sample.time_us) for sample in stroke.samples)
            return StrokeRecord(samples=samples, duration_us=stroke.duration_us)
        case KeyPress(key):
            return KeyRecord(key=key.value)
        case TextEntry(text):
            return TextRecord(text=text)
        case Complete() | Impossible():
            return None


def _screen_record(state: ScreenState) -> ScreenRecord:
    return ScreenRecord(
        rotation=state.rotation.value,
        posture=state.posture,
        package=state.package,
        activity=state.activity,
        keyboard_shown=state.keyboard_shown,
    )


def _frame_of(step: DraftStep) -> Frame:
    """The frame of a step that another process recorded, from its picture."""
    with Image.open(step.picture, formats=["PNG"]) as image:
        pixels = image.convert("RGBA").tobytes()
    return Frame(step.record.frame.number, Size(*image.size), pixels, 0, 0, step.record.frame.source)


_MESSAGES = {
    State.IDLE: "Not started.",
    State.SETTLING: "Waiting for the screen to come to rest.",
    State.CAPTURING: "Saving the picture.",
    State.READY: "Ready.",
    State.INJECTING: "Sending your action to the device.",
    State.DEVICE_LOST: "The device does not answer.",
    State.STORAGE_LOST: "The recording cannot be written.",
    State.FINISHED: "Published.",
    State.ABANDONED: "Thrown away; the draft is in the trash.",
}
