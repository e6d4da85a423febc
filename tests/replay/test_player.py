from dataclasses import replace
from pathlib import Path

import pytest
from PIL import Image, ImageDraw

from odyssey_recorder.dataset.provenance import StartRecord
from odyssey_recorder.device.device import OnTyped
from odyssey_recorder.device.screen import Frame
from odyssey_recorder.errors import DeviceError, DeviceTimeoutError, InputRefusedError, ReplayError
from odyssey_recorder.gesture.touch import TouchSample, TouchStroke
from odyssey_recorder.model.action import Click, Complete, SystemKey, Type
from odyssey_recorder.model.geometry import Pixel, Point, Size
from odyssey_recorder.replay.compare import StepVerdict
from odyssey_recorder.replay.player import LEFTOVERS, Player, PlayRules, ReplayResult, StepResult
from odyssey_recorder.replay.recorded import open_recorded
from tests.fakes import PHONE_SIZE, FakeDevice
from tests.replay.recordings import AT_ONCE, ONE_OF_EACH, episode_of, write_dataset, write_provenance


@pytest.fixture
def device() -> FakeDevice:
    return FakeDevice()


def replay(device: FakeDevice, path: Path, rules: PlayRules = AT_ONCE) -> ReplayResult:
    return Player(device, open_recorded(path), rules).play()


def verdicts(result: ReplayResult) -> list[StepVerdict]:
    return [step.comparison.verdict for step in result.steps]


def paint_over(path: Path, number: int, box: tuple[int, int, int, int]) -> None:
    """Change the recorded screenshot of a step inside `box`."""
    file = path.parent.parent / "screenshots" / f"{path.stem}_{number}.png"
    with Image.open(file) as screenshot:
        changed = screenshot.convert("RGB")
    ImageDraw.Draw(changed).rectangle(box, fill="white")
    changed.save(file)


def test_every_action_is_performed_on_its_recorded_screen(device: FakeDevice, path: Path) -> None:
    result = replay(device, path)

    assert verdicts(result) == [StepVerdict.MATCH] * 6
    assert device.screen_at == [0, 1, 2, 3, 4, 5]
    assert device.performed == [
        SystemKey.HOME,
        TouchStroke.press(Pixel(180, 160)),
        "buy milk",
        TouchStroke.drag((Pixel(180, 512), Pixel(180, 320), Pixel(180, 128)), duration_ms=300),
        TouchStroke.press(Pixel(36, 576), duration_ms=800),
        SystemKey.BACK,
    ]
    assert [step.performed for step in result.steps] == [True] * 5 + [False]
    assert result.exit_code == 0


def test_recorded_strokes_are_replayed_exactly(device: FakeDevice, tmp_path: Path, path: Path) -> None:
    click = TouchStroke.press(Pixel(180, 160), duration_ms=77)
    samples = ((180, 512, 0), (181, 300, 9000), (180, 128, 20000))
    scroll = TouchStroke(tuple(TouchSample(Pixel(x, y), time_us) for x, y, time_us in samples), 30000)
    write_provenance(tmp_path, episode_of(ONE_OF_EACH), {0: click, 2: scroll})
    replay(device, path)
    assert (device.performed[1], device.performed[3]) == (click, scroll)


def test_replay_stops_at_the_first_diverged_step(device: FakeDevice, path: Path) -> None:
    paint_over(path, 2, (0, 0, 360, 640))

    result = replay(device, path)

    assert verdicts(result) == [StepVerdict.MATCH, StepVerdict.MATCH, StepVerdict.DIVERGED]
    assert device.performed[-1] == "buy milk"
    assert not result.steps[-1].performed
    assert result.exit_code == 1

    result = replay(FakeDevice(), path, replace(AT_ONCE, go_on=True))
    assert (result.count(StepVerdict.MATCH), result.count(StepVerdict.DIVERGED)) == (5, 1)
    assert result.exit_code == 1
    assert verdicts(replay(FakeDevice(PHONE_SIZE.turned()), path)) == [StepVerdict.DIVERGED], "in landscape"


def test_replay_continues_after_drift_and_ignores_status_bar(device: FakeDevice, path: Path) -> None:
    paint_over(path, 2, (300, 100, 320, 120))
    paint_over(path, 3, (0, 0, 360, 640 // 26 - 1))
    result = replay(device, path)
    assert verdicts(result)[2:4] == [StepVerdict.DRIFT, StepVerdict.MATCH]
    assert len(result.steps) == 6
    assert result.exit_code == 0


def test_late_screen_is_waited_for(tmp_path: Path) -> None:
    path = write_dataset(tmp_path, episode_of(ONE_OF_EACH[:1] + ONE_OF_EACH[-1:]))
    result = replay(SlowDevice(), path, replace(AT_ONCE, patience_ms=5000))
    assert verdicts(result) == [StepVerdict.MATCH, StepVerdict.MATCH]


class SlowDevice(FakeDevice):
    """A device that shows the old screen in the first five frames after an input."""

    behind = 0

    def touch(self, stroke: TouchStroke) -> None:
        before = self.screen
        super().touch(stroke)
        self.after = self.screen
        self.show(before)
        self.behind = 5

    def capture(self) -> Frame:
        if self.behind:
            self.behind -= 1
            if not self.behind:
                self.show(self.after)
        return super().capture()


class UnansweredOnce(FakeDevice):
    """The second touch gets no answer; whether it has arrived shows on the screen, as over a failing connection."""

    def __init__(self, *, arrives: bool) -> None:
        super().__init__()
        self._arrives = arrives
        self._touches = 0

    def touch(self, stroke: TouchStroke) -> None:
        self._touches += 1
        is_lost = self._touches == 2
        if self._arrives or not is_lost:
            super().touch(stroke)
        if is_lost:
            raise DeviceTimeoutError("The gRPC service did not answer.")


@pytest.mark.parametrize("arrives", [True, False])
def test_unanswered_input_is_repeated_only_if_it_did_not_arrive(path: Path, arrives: bool) -> None:
    device = UnansweredOnce(arrives=arrives)
    result = replay(device, path, replace(AT_ONCE, patience_ms=100))
    assert (result.problem, verdicts(result)) == ("", [StepVerdict.MATCH] * 6)
    assert device.screen_at == [0, 1, 2, 3, 4, 5]


def test_divergence_names_the_likely_cause(device: FakeDevice, tmp_path: Path, path: Path) -> None:
    paint_over(path, 2, (0, 0, 360, 640))
    assert replay(device, path).advice.startswith(LEFTOVERS)
    write_provenance(tmp_path, episode_of(ONE_OF_EACH), {}, start=StartRecord(kind="snapshot", snapshot="shop"))
    advice = replay(FakeDevice(), path).advice
    assert advice == "The recording started from the snapshot shop. Load it, then replay again."


def test_lost_device_keeps_the_steps_so_far(device: FakeDevice, path: Path) -> None:
    def disconnect(step: StepResult) -> None:
        if step.number == 2:
            device.disconnect()

    result = Player(device, open_recorded(path), AT_ONCE, on_step=disconnect).play()

    assert verdicts(result) == [StepVerdict.MATCH] * 3
    assert [step.performed for step in result.steps] == [True, True, False]
    assert result.problem.startswith("At step 3: fake-1 is gone.")
    assert result.exit_code == 2


def test_failure_between_two_steps_is_reported(path: Path) -> None:
    assert replay(FailsAfterTyping(), path).problem == "After step 2: The frame was cut short."


class FailsAfterTyping(FakeDevice):
    def type_text(self, text: str, on_typed: OnTyped = lambda _: None) -> None:
        super().type_text(text, on_typed)
        self.fail_with(DeviceError("The frame was cut short."))


def test_other_screen_size_is_refused(path: Path) -> None:
    tablet = FakeDevice(Size(640, 400))
    with pytest.raises(ReplayError, match=r"screen of 360x640, and fake-1 has 640x400\. .*--scale"):
        replay(tablet, path)
    assert tablet.performed == []


def test_positions_are_scaled_to_another_screen_size(tmp_path: Path, path: Path) -> None:
    larger = FakeDevice(Size(720, 1280))
    write_provenance(tmp_path, episode_of(ONE_OF_EACH), {0: TouchStroke.press(Pixel(180, 160))})

    result = replay(larger, path, replace(AT_ONCE, scale=True))

    assert larger.performed[1] == TouchStroke.press(Pixel(360, 320))
    assert StepVerdict.DIVERGED not in verdicts(result)
    assert result.steps[0].live_size == Size(720, 1280)
    assert result.steps[0].recorded_size == PHONE_SIZE


def test_untypable_text_is_refused_before_the_replay(device: FakeDevice, tmp_path: Path) -> None:
    path = write_dataset(tmp_path, episode_of([Click(Point(1, 1)), Type("naïve"), Complete()]))
    with pytest.raises(ReplayError, match=r"Step 2 cannot be replayed on fake-1: ") as refusal:
        replay(device, path)
    assert isinstance(refusal.value.__cause__, InputRefusedError)
    assert device.performed == []
