"""Recorders on devices in memory, a store on disk, and a listener in place of the annotator."""

import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from threading import Condition

from PIL import Image

from odyssey_recorder.dataset.draft import Draft
from odyssey_recorder.dataset.provenance import EpisodeProvenance, Origin
from odyssey_recorder.device.device import Device
from odyssey_recorder.device.screen import Frame
from odyssey_recorder.device.settle import SettleRule
from odyssey_recorder.gesture.areas import NavigationRules
from odyssey_recorder.gesture.recognizer import TouchRules
from odyssey_recorder.gesture.touch import TouchStroke
from odyssey_recorder.model.action import SystemKey
from odyssey_recorder.model.episode import DeviceInfo
from odyssey_recorder.model.geometry import Pixel
from odyssey_recorder.recording.engine import RecordingRules
from odyssey_recorder.recording.notice import Notice
from odyssey_recorder.recording.recorder import Recorder
from odyssey_recorder.recording.state import State
from odyssey_recorder.recording.view import RecordingView
from tests.dataset.drafts import ORIGIN, TASK, store_in
from tests.fakes import PHONE_SIZE, FakeDevice

PATIENCE_S = 60.0
DEVICE = DeviceInfo("Fake Phone", PHONE_SIZE, "fake", "15", "35")
PASSIVE = ORIGIN.model_copy(update={"mode": "passive"})
RULES = RecordingRules(
    TouchRules.for_density(160),
    NavigationRules.for_density(160),
    SettleRule(still_ms=20, unmoved_ms=60),
    late_input_ns=0,
)
IMPATIENT = replace(RULES, settle=replace(RULES.settle, cap_ms=300))
"""For screens that never settle: with so short a cap, a slow computer may not notice that a screen has settled."""


@dataclass
class Annotator:
    """Listens to a recorder and keeps all it reports."""

    notices: list[str] = field(default_factory=list)
    views: list[RecordingView] = field(default_factory=list)
    newest: Frame | None = None
    on_view: Callable[[RecordingView], None] = lambda _: None
    _news: Condition = field(default_factory=Condition)

    def frame(self, frame: Frame) -> None:
        with self._news:
            self.newest = frame
            self._news.notify_all()

    def changed(self, view: RecordingView) -> None:
        with self._news:
            self.views.append(view)
            self._news.notify_all()
        self.on_view(view)

    def notice(self, notice: Notice) -> None:
        with self._news:
            self.notices.append(notice.text)
            self._news.notify_all()

    def await_notice(self, part: str) -> str:
        """Wait for the first notice that contains `part`."""
        self.wait(lambda: any(part in notice for notice in self.notices))
        return next(notice for notice in self.notices if part in notice)

    def wait(self, happened: Callable[[], bool], timeout_s: float = PATIENCE_S) -> None:
        """Wait until `happened`, which is checked at every report, and now and then."""
        expires_s = time.monotonic() + timeout_s
        with self._news:
            while not happened():
                assert time.monotonic() < expires_s, f"it never happened; noticed: {self.notices}"
                self._news.wait(0.05)


class RecordingBench:
    """A store in a folder, with recorders that are stopped at the end."""

    def __init__(self, folder: Path) -> None:
        self.store = store_in(folder)

    def draft(self, origin: Origin = ORIGIN) -> Draft:
        return self.store.create_draft(task=TASK, device=DEVICE, origin=origin)

    def provenance(self, episode_id: str) -> EpisodeProvenance:
        provenance = self.store.provenance(episode_id)
        assert provenance is not None
        return provenance

    @contextmanager
    def recording(
        self, device: Device, draft: Draft | None = None, rules: RecordingRules = RULES
    ) -> Iterator["Recording"]:
        """Record on `device`, into a new draft unless one is given."""
        used = draft or self.draft()
        annotator = Annotator()
        recorder = Recorder(device, used, self.store, listener=annotator, rules=rules)
        recorder.start()
        try:
            yield Recording(recorder, annotator, used)
        finally:
            recorder.stop()
            device.close()
            recorder.join()

    def resumed(
        self, device: Device, episode_id: str, rules: RecordingRules = RULES
    ) -> AbstractContextManager["Recording"]:
        """Continue a draft on `device`."""
        return self.recording(device, self.store.resume(episode_id), rules)


@dataclass(frozen=True)
class Recording:
    recorder: Recorder
    annotator: Annotator
    draft: Draft

    def ready(self, *, steps: int | None = None, after: int | None = None) -> RecordingView:
        """Wait until a gesture can be recorded, with `steps` before it, on another frame than `after`."""

        def is_ready(view: RecordingView) -> bool:
            has_steps = steps is None or len(view.steps) == steps
            return has_steps and view.state is State.READY and view.frame_number not in {None, after}

        return self.recorder.wait_for(is_ready, PATIENCE_S)

    def until(self, state: State) -> RecordingView:
        return self.recorder.wait_for(lambda view: view.state is state, PATIENCE_S)

    def touch_down(self) -> None:
        """Put a finger down on the current screenshot."""
        number = self.ready().frame_number
        assert number is not None
        self.recorder.touch_down(number)

    def tap(self, x: int = 100, y: int = 200) -> None:
        self.touch_down()
        self.recorder.lift(TouchStroke.press(Pixel(x, y)))

    def tap_and_wait(self) -> RecordingView:
        return self.gesture(TouchStroke.press(Pixel(100, 200)))

    def gesture(self, stroke: TouchStroke) -> RecordingView:
        """Record a gesture."""
        steps = len(self.ready().steps)
        self.touch_down()
        self.recorder.lift(stroke)
        return self.ready(steps=steps + 1)

    def press(self, key: SystemKey) -> RecordingView:
        steps = len(self.ready().steps)
        self.recorder.press(key)
        return self.ready(steps=steps + 1)

    def finish(self, answer: str = "") -> RecordingView:
        self.recorder.complete(answer)
        return self.until(State.FINISHED)

    def undo(self, steps: int = 1) -> RecordingView:
        self.recorder.undo(steps)
        return self.until(State.RESTORING)

    def accept_screen(self) -> None:
        self.until(State.RESTORING)
        self.recorder.accept_screen()

    def accept_all_screens(self) -> None:
        """Accept whatever the device shows, whenever a screen is to be restored."""
        self.annotator.on_view = lambda view: self.recorder.accept_screen() if view.state is State.RESTORING else None

    def undo_and_accept(self) -> RecordingView:
        """Undo the last step, and accept the current screen although it is another one."""
        steps = len(self.ready().steps)
        self.recorder.undo()
        self.accept_screen()
        return self.ready(steps=steps - 1)


def pixels(path: Path) -> Image.Image:
    with Image.open(path) as image:
        return image.convert("RGB")


def shows(path: Path, device: FakeDevice, screen: int | str | Image.Image) -> bool:
    """Whether a file has exactly the pixels of a fake device's screen."""
    expected = screen if isinstance(screen, Image.Image) else device.screenshot(screen)
    return pixels(path).tobytes() == expected.tobytes()


def showing(screen: int | str | Image.Image, *, streams: bool = False) -> FakeDevice:
    device = FakeDevice()
    device.streams = streams
    device.show(screen)
    return device
