from pathlib import Path

import pytest

from odyssey_recorder.errors import ReplayError
from odyssey_recorder.gesture.touch import TouchStroke
from odyssey_recorder.model.geometry import Pixel
from odyssey_recorder.replay.player import StepResult
from odyssey_recorder.replay.replay import plan_episode, replay_episode
from tests.fakes import FakeDevice
from tests.replay.recordings import AT_ONCE, ONE_OF_EACH, episode_of, write_provenance


def test_replay_reports_each_step_and_writes_a_report(tmp_path: Path, path: Path) -> None:
    reported: list[StepResult] = []
    report = tmp_path / "report.html"
    result = replay_episode(path, FakeDevice(), AT_ONCE, report=report, on_step=reported.append)
    assert [step.number for step in reported] == [0, 1, 2, 3, 4, 5]
    assert result.summary == "match: 6 of 6 steps reached; 6 match, 0 drift, 0 diverged"
    assert "match" in report.read_text(encoding="utf-8")


def test_report_is_written_when_the_device_fails(tmp_path: Path, path: Path) -> None:
    device = FakeDevice()
    device.refuse_input("<b>no</b>")
    report = tmp_path / "report.html"

    result = replay_episode(path, device, AT_ONCE, report=report)

    assert result.exit_code == 2
    assert result.summary.endswith("Before step 1: fake-1 refused the input: <b>no</b>")
    assert "Before step 1: fake-1 refused the input: &lt;b&gt;no&lt;/b&gt;" in report.read_text(encoding="utf-8")


def test_missing_screenshot_prevents_the_replay(path: Path) -> None:
    device = FakeDevice()
    (path.parent.parent / "screenshots" / f"{path.stem}_5.png").unlink()
    for call in (lambda: replay_episode(path, device, AT_ONCE), lambda: plan_episode(path)):
        with pytest.raises(ReplayError, match="step 6"):
            call()
    assert device.performed == []


def test_plan_lists_the_effect_of_each_step(tmp_path: Path, path: Path) -> None:
    click = TouchStroke.press(Pixel(180, 160), duration_ms=77)
    write_provenance(tmp_path, episode_of(ONE_OF_EACH), {0: click})

    assert [step.effect for step in plan_episode(path)] == [
        "touch 180, 160 for 77 ms (the recorded finger)",
        "type 8 characters",
        "touch 180, 512 → 180, 128 for 300 ms (from the grid)",
        "touch 36, 576 for 800 ms (from the grid)",
        "press BACK",
        "compare the screen only",
    ]
