"""Whole episodes in passive mode."""

from collections.abc import Sequence
from pathlib import Path

from odyssey_recorder.gesture.touch import TouchStroke
from odyssey_recorder.model.action import Click, Complete, LongPress, Press, Scroll, SystemKey
from odyssey_recorder.model.episode import Mode
from odyssey_recorder.model.geometry import Pixel, to_grid
from odyssey_recorder.recording.recorder import Recorder
from odyssey_recorder.simulator.adb_server import PrivateAdbServer
from tests.end_to_end.recording_setup import PATIENCE_S, RecordingSetup, kinds_of, ready, recording_setup


def settings_tour(setup: RecordingSetup) -> list[TouchStroke | SystemKey]:
    return [
        TouchStroke.press(setup.position_of("Settings")),
        TouchStroke.drag(tuple(Pixel(300, y) for y in range(900, 500, -20)), duration_ms=700),
        TouchStroke.press(Pixel(300, 600), duration_ms=800),
        SystemKey.BACK,
        SystemKey.RECENT,
        SystemKey.HOME,
    ]


def perform(
    setup: RecordingSetup, recorder: Recorder, mode: Mode, raw_inputs: Sequence[TouchStroke | SystemKey]
) -> None:
    for number, raw_input in enumerate(raw_inputs, start=1):
        setup.wait_until_read(recorder)
        frame = ready(recorder).frame_number
        if isinstance(raw_input, SystemKey):
            (recorder if mode == "mirror" else setup.window).press(raw_input)
        elif mode == "passive":
            setup.window.touch(raw_input)
        elif frame is not None:
            recorder.touch_down(frame)
            recorder.lift(raw_input)
        recorder.wait_for(lambda view, number=number: len(view.steps) == number, PATIENCE_S)  # type: ignore[misc]


def test_same_strokes_give_same_episode_in_both_modes(adb_server: PrivateAdbServer, tmp_path: Path) -> None:
    episodes, screenshots = [], []
    ways: tuple[tuple[Mode, str], ...] = (("mirror", "auto"), ("passive", "auto"), ("passive", "adb"))
    for mode, capture in ways:
        with (
            recording_setup(adb_server, tmp_path / f"{mode} {capture}", capture=capture) as setup,
            setup.recording(mode) as (recorder, _),
        ):
            perform(setup, recorder, mode, settings_tour(setup))
            setup.wait_until_still()
            episode, _ = setup.finish(recorder)
            store = setup.service.store
            episodes.append([step.action for step in episode.steps])
            screenshots.append([store.screenshot_path(episode, n).read_bytes() for n in range(len(episode.steps))])

    kinds = [Click, Scroll, LongPress, Press, Press, Press, Complete]
    assert [type(action) for action in episodes[0]] == kinds
    assert episodes[0] == episodes[1] == episodes[2]
    assert screenshots[0] == screenshots[1] == screenshots[2]


def test_old_anr_and_second_display_are_ignored(adb_server: PrivateAdbServer, tmp_path: Path) -> None:
    with recording_setup(adb_server, tmp_path / "phone") as setup:
        setup.emulator.phone.set_rotation(1)
        setup.emulator.faults.keep_anr(setup.emulator.phone.state())
        setup.emulator.phone.set_rotation(0)
        setup.emulator.faults.plug_second_display(plugged=True)
        at = setup.position_of("Settings")
        with setup.recording("passive") as (recorder, _):
            perform(setup, recorder, "passive", [TouchStroke.press(at), SystemKey.HOME])
            episode, provenance = setup.finish(recorder)
            setup.assert_matches_journal(episode, provenance)

    assert kinds_of(episode) == [Click, Press, Complete]
    tapped = episode.steps[0].action
    assert isinstance(tapped, Click | LongPress)
    assert tapped.point == to_grid(at, episode.device.size)
    screens = [step.screen for step in provenance.steps[:2] if step.screen is not None]
    assert [screen.package for screen in screens] == ["com.android.launcher3", "com.android.settings"]
    assert {(screen.rotation, screen.keyboard_shown) for screen in screens} == {(0, False)}
