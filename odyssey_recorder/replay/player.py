"""Carries a recorded episode out again on a device, comparing each screen before its action."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from PIL import Image

from odyssey_recorder.control.inputs import Input, input_for
from odyssey_recorder.control.loop import DeviceControl, Observation
from odyssey_recorder.dataset.opened import OpenedEpisode
from odyssey_recorder.device.device import ControllableDevice
from odyssey_recorder.device.measured import long_press_ms
from odyssey_recorder.device.screen import Frame
from odyssey_recorder.device.settle import SettleRule
from odyssey_recorder.errors import (
    DeviceDisconnectedError,
    DeviceError,
    DeviceTimeoutError,
    InputRefusedError,
    ReplayError,
)
from odyssey_recorder.gesture.recognizer import LONG_PRESS_MS
from odyssey_recorder.model.action import Action, SystemKey, Type
from odyssey_recorder.model.episode import Episode
from odyssey_recorder.model.geometry import Size
from odyssey_recorder.model.plain_text import step_number
from odyssey_recorder.replay.compare import Comparison, StepVerdict, Tolerance, compare
from odyssey_recorder.replay.recorded import recorded_screenshot, recorded_stroke

VIEW_EDGE_PX = 1200
"""Live screens are kept at no more than this on their longer side: enough for people to look at."""


@dataclass(frozen=True, slots=True)
class PlayRules:
    """The rules of a replay.

    `go_on`: continue after a divergence. `scale`: allow a device with another screen size; positions then come from the
    grid, and the live screen is scaled to the recorded size before it is compared. `patience_ms`: how long after an
    action a differing screen may still become the recorded one, because apps may start slowly.
    """

    go_on: bool = False
    scale: bool = False
    patience_ms: int = 3000
    settle: SettleRule = field(default_factory=SettleRule)


@dataclass(frozen=True, slots=True)
class StepResult:
    """The screen at a step, and whether its action was then carried out.

    `live` is reduced for viewing; the sizes are those of the full screens and differ when positions are scaled.
    `settled` is False if the screen never settled and was compared as it was.
    """

    number: int
    action: Action
    comparison: Comparison
    live: Image.Image = field(repr=False)
    live_size: Size
    recorded_size: Size
    settled: bool
    performed: bool = False


@dataclass(frozen=True, slots=True)
class ReplayResult:
    """The result of a replay: the steps reached, and `problem`, why the device failed, if it did."""

    recorded: OpenedEpisode
    serial: str
    steps: tuple[StepResult, ...]
    tolerance: Tolerance
    problem: str = ""

    @property
    def episode(self) -> Episode:
        return self.recorded.episode

    def count(self, verdict: StepVerdict) -> int:
        return sum(step.comparison.verdict is verdict for step in self.steps)

    @property
    def outcome(self) -> str:
        """ "failed" if the device failed, otherwise the worst verdict of the steps."""
        if self.problem:
            return "failed"
        verdicts = {step.comparison.verdict for step in self.steps}
        return next(verdict.value for verdict in reversed(StepVerdict) if verdict in verdicts)

    @property
    def advice(self) -> str:
        """The likely cause of a divergence, and what to do about it; empty without one."""
        if self.outcome != StepVerdict.DIVERGED.value:
            return ""
        provenance = self.recorded.provenance
        if provenance is not None and (snapshot := provenance.origin.start.snapshot):
            return f"The recording started from the snapshot {snapshot}. Load it, then replay again."
        return f"{LEFTOVERS} Bring them back to how the recording found them, then replay again."

    @property
    def exit_code(self) -> int:
        """0 if no screen diverged, 1 if one did, 2 if the device failed before the end."""
        return {"failed": 2, StepVerdict.DIVERGED.value: 1}.get(self.outcome, 0)

    @property
    def summary(self) -> str:
        """One line for the terminal: `diverged: 5 of 12 steps reached; 3 match, 1 drift, 1 diverged`."""
        counts = ", ".join(f"{self.count(verdict)} {verdict.value}" for verdict in StepVerdict)
        reached = f"{len(self.steps)} of {len(self.episode.steps)} steps reached"
        return f"{self.outcome}: {reached}; {counts}" + (f". {self.problem}" if self.problem else "")


LEFTOVERS = "Apps keep their data, so what was done in them before is a likely cause."


class Player:
    """Replays one episode on one device; `play` may be called once."""

    def __init__(
        self,
        device: ControllableDevice,
        recorded: OpenedEpisode,
        rules: PlayRules = PlayRules(),
        *,
        on_step: Callable[[StepResult], object] = lambda _: None,
    ) -> None:
        """`on_step` is called with each step once its screen has been compared, before its action."""
        self._device = device
        self._recorded = recorded
        self._rules = rules
        self._on_step = on_step
        self._tolerance, self._long_press_ms = Tolerance(), LONG_PRESS_MS
        self._results: list[StepResult] = []
        self._screenshot: Image.Image | None = None
        self._comparison: Comparison | None = None
        self._acted_on: Frame | None = None

    def play(self) -> ReplayResult:
        """Bring the device home and replay the episode, to its end or as far as possible.

        Raises ReplayError before touching the device if it cannot type a text of the episode or has another screen
        size, and later if a screenshot cannot be read. Failures of the device are in the result.
        """
        control = DeviceControl(self._device, self._rules.settle, patience_ms=self._rules.patience_ms)
        problem = ""
        try:
            self._check_device()
            self._perform(control, SystemKey.HOME)
            while (planned := self._next_input(control.observe(self._is_recorded))) is not None:
                self._perform(control, planned)
                self._results[-1] = replace(self._results[-1], performed=bool(planned))
        except DeviceError as error:
            problem = f"{self._position()}: {error}"
        steps = tuple(self._results)
        return ReplayResult(self._recorded, self._device.serial, steps, self._tolerance, problem)

    def _perform(self, control: DeviceControl, planned: Input) -> None:
        """An input that fails without an answer may have arrived: it is repeated only if the screen stays the same.

        By then a device whose gRPC service fails is used over adb. Raises DeviceError if it fails again.
        """
        try:
            control.perform(planned)
        except (DeviceTimeoutError, DeviceDisconnectedError):
            if not self._is_changed(control.observe(self._is_changed)):
                control.perform(planned)

    def _is_changed(self, observation: Observation) -> bool:
        bar_px, before = observation.screen.status_bar_px, self._acted_on
        return before is not None and not observation.frame.shows_same_as(before, ignore_top_px=bar_px)

    def _is_recorded(self, observation: Observation) -> bool:
        if self._is_over:
            return True
        self._screenshot = self._screenshot or recorded_screenshot(self._recorded, len(self._results))
        self._comparison = self._compare(self._screenshot, observation.frame, observation.screen.status_bar_px)
        return self._comparison.verdict is StepVerdict.MATCH

    def _next_input(self, observation: Observation) -> Input | None:
        """The input of the next step; None after the last, and after a divergence that ends the replay."""
        if self._is_over or self._screenshot is None or self._comparison is None:
            return None
        number, steps = len(self._results), self._recorded.episode.steps
        result = StepResult(
            number,
            steps[number].action,
            self._comparison,
            _for_viewing(observation.frame),
            observation.frame.size,
            Size(*self._screenshot.size),
            settled=observation.settled,
        )
        self._screenshot, self._acted_on = None, observation.frame
        self._results.append(result)
        self._on_step(result)
        if result.comparison.verdict is StepVerdict.DIVERGED and not self._rules.go_on:
            return None
        exact = recorded_stroke(self._recorded, number) if result.live_size == result.recorded_size else None
        planned_input = input_for(result.action, result.live_size, exact=exact, long_press_ms=self._long_press_ms)
        return "" if planned_input is None and not self._is_over else planned_input

    @property
    def _is_over(self) -> bool:
        return len(self._results) == len(self._recorded.episode.steps)

    def _check_device(self) -> None:
        size, expected = self._device.capture().size, self._recorded.episode.device.size
        if not self._rules.scale and size not in (expected, expected.turned()):
            raise ReplayError(
                f"The episode was recorded on a screen of {expected}, and {self._device.label} has "
                f"{size}. Use a device of that size, or scale the positions with --scale."
            )
        self._long_press_ms = long_press_ms(self._device)
        self._tolerance = Tolerance.for_screen(size, self._device.properties().density)
        for number, step in enumerate(self._recorded.episode.steps):
            if isinstance(step.action, Type):
                self._check_text(number, step.action.text)

    def _check_text(self, number: int, text: str) -> None:
        try:
            self._device.check_text(text)
        except InputRefusedError as error:
            raise ReplayError(
                f"Step {step_number(number)} cannot be replayed on {self._device.label}: {error}"
            ) from error

    def _position(self) -> str:
        if not self._results:
            return "Before step 1"
        last = self._results[-1]
        return f"After step {step_number(last.number)}" if last.performed else f"At step {step_number(last.number)}"

    def _compare(self, recorded: Image.Image, frame: Frame, status_bar_px: int) -> Comparison:
        live = frame.image()
        if self._rules.scale and live.size != recorded.size:
            status_bar_px = -(-status_bar_px * recorded.height // live.height)
            live = live.resize(recorded.size, Image.Resampling.BOX)
        return compare(recorded, live, status_bar_px=status_bar_px, tolerance=self._tolerance)


def _for_viewing(frame: Frame) -> Image.Image:
    view = frame.image()
    view.thumbnail((VIEW_EDGE_PX, VIEW_EDGE_PX), reducing_gap=2.0)
    return view
