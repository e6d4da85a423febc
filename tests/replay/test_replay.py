from pathlib import Path

import pytest

from odyssey_recorder.device.settle import SettleRule
from odyssey_recorder.errors import ReplayError
from odyssey_recorder.gesture.touch import TouchStroke
from odyssey_recorder.model.geometry import Pixel
from odyssey_recorder.replay.player import PlayRules, StepResult
from odyssey_recorder.replay.replay import ReplayOptions, plan_episode, replay_episode
from tests.fakes import FakeDevice
from tests.replay.recordings import ONE_OF_EACH, episode_of, write_dataset, write_provenance

AT_ONCE = PlayRules(patience_ms=0, settle=SettleRule(still_ms=0))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return write_dataset(tmp_path, episode_of(ONE_OF_EACH))


def test_a_replay_tells_each_step_as_it_goes_and_leaves_a_report(tmp_path: Path, path: Path) -> None:
    told: list[StepResult] = []
    report = tmp_path / "report.html"

    result = replay_episode(path, FakeDevice(), ReplayOptions(AT_ONCE, report, told.append))

    assert [step.number for step in told] == [0, 1, 2, 3, 4, 5]
    assert result.summary == "match: 6 of 6 steps reached; 6 match, 0 drift, 0 diverged"
    assert "match" in report.read_text(encoding="utf-8")


def test_the_report_is_left_when_the_device_fails_too(tmp_path: Path, path: Path) -> None:
    device = FakeDevice()
    device.refuse_input("<b>no</b>")
    report = tmp_path / "report.html"

    result = replay_episode(path, device, ReplayOptions(AT_ONCE, report))

    assert result.exit_code == 2
    assert result.summary.endswith("Before step 1: fake-1 refused the input: <b>no</b>")
    assert "Before step 1: fake-1 refused the input: &lt;b&gt;no&lt;/b&gt;" in report.read_text(encoding="utf-8")


def test_nothing_is_touched_when_a_screenshot_is_missing(path: Path) -> None:
    device = FakeDevice()
    (path.parent.parent / "screenshots" / f"{path.stem}_5.png").unlink()

    with pytest.raises(ReplayError, match="step 6"):
        replay_episode(path, device, ReplayOptions(AT_ONCE))
    with pytest.raises(ReplayError, match="step 6"):
        plan_episode(path)
    assert device.performed == []


def test_a_plan_says_what_would_be_done(tmp_path: Path, path: Path) -> None:
    click = TouchStroke.press(Pixel(180, 160), duration_ms=77)
    write_provenance(tmp_path, episode_of(ONE_OF_EACH), [click, None, None, None, None, None])

    assert [step.effect for step in plan_episode(path)] == [
        "touch 180, 160 for 77 ms (the recorded finger)",
        "type 8 characters",
        "touch 180, 512 → 180, 128 for 300 ms (from the grid)",
        "touch 36, 576 for 800 ms (from the grid)",
        "press BACK",
        "compare the screen only",
    ]
