"""Whole episodes in passive mode."""

from collections.abc import Sequence
from pathlib import Path

from odyssey_recorder.gesture.touch import TouchStroke
from odyssey_recorder.model.action import Click, Complete, LongPress, Press, Scroll, SystemKey
from odyssey_recorder.model.episode import Mode
from odyssey_recorder.model.geometry import Pixel, to_grid
from odyssey_recorder.recording.recorder import Recorder
from odyssey_recorder.recording.state import State
from odyssey_recorder.recording.view import RecordingView
from odyssey_recorder.simulator.adb_server import PrivateAdbServer
from tests.end_to_end.workplace import PATIENCE_S, Workplace, assert_true, finish, kinds_of, workplace


def open_and_look(place: Workplace) -> list[TouchStroke | SystemKey]:
    return [
        TouchStroke.press(place.place_of("Settings")),
        TouchStroke.drag(tuple(Pixel(300, y) for y in range(900, 500, -20)), duration_ms=700),
        TouchStroke.press(Pixel(300, 600), duration_ms=800),
        SystemKey.BACK,
        SystemKey.RECENT,
        SystemKey.HOME,
    ]


def work(place: Workplace, recorder: Recorder, mode: Mode, raw_inputs: Sequence[TouchStroke | SystemKey]) -> None:
    for number, raw_input in enumerate(raw_inputs, start=1):
        place.look_around(recorder)
        view = recorder.wait_for(lambda view: view.state is State.READY and view.frame_number is not None, PATIENCE_S)
        if mode == "mirror":
            do_in_mirror(recorder, view, raw_input)
        elif isinstance(raw_input, SystemKey):
            place.hands.press(raw_input)
        else:
            place.hands.touch(raw_input)
        recorder.wait_for(lambda view, number=number: len(view.steps) == number, PATIENCE_S)  # type: ignore[misc]


def do_in_mirror(recorder: Recorder, view: RecordingView, raw_input: TouchStroke | SystemKey) -> None:
    if isinstance(raw_input, SystemKey):
        recorder.press(raw_input)
    elif view.frame_number is not None:
        recorder.touch_down(view.frame_number)
        recorder.lift(raw_input)


def test_the_same_strokes_give_the_same_episode_in_both_modes(adb_server: PrivateAdbServer, tmp_path: Path) -> None:
    episodes, screenshots = [], []
    ways: tuple[tuple[Mode, str], ...] = (("mirror", "auto"), ("passive", "auto"), ("passive", "adb"))
    for mode, capture in ways:
        with (
            workplace(adb_server, tmp_path / f"{mode} {capture}", capture=capture) as place,
            place.recording(mode) as (recorder, _),
        ):
            work(place, recorder, mode, open_and_look(place))
            place.rest()
            episode = finish(place, recorder)
            store = place.service.store
            episodes.append([step.action for step in episode.steps])
            screenshots.append([store.screenshot_path(episode, n).read_bytes() for n in range(len(episode.steps))])

    kinds = [Click, Scroll, LongPress, Press, Press, Press, Complete]
    assert [type(action) for action in episodes[0]] == kinds
    assert episodes[0] == episodes[1] == episodes[2]
    assert screenshots[0] == screenshots[1] == screenshots[2]


def test_an_old_anr_and_a_second_display_do_not_mislead(adb_server: PrivateAdbServer, tmp_path: Path) -> None:
    with workplace(adb_server, tmp_path / "place") as place:
        place.emulator.phone.set_rotation(1)
        place.emulator.faults.keep_anr(place.emulator.phone.state())
        place.emulator.phone.set_rotation(0)
        place.emulator.faults.plug_second_display(plugged=True)
        at = place.place_of("Settings")
        with place.recording("passive") as (recorder, _):
            work(place, recorder, "passive", [TouchStroke.press(at), SystemKey.HOME])
            episode = finish(place, recorder)
            provenance = assert_true(place, episode)

    assert kinds_of(episode) == [Click, Press, Complete]
    tapped = episode.steps[0].action
    assert isinstance(tapped, Click | LongPress)
    assert tapped.point == to_grid(at, episode.device.size)
    screens = [step.screen for step in provenance.steps[:2] if step.screen is not None]
    assert [screen.package for screen in screens] == ["com.android.launcher3", "com.android.settings"]
    assert {(screen.rotation, screen.keyboard_shown) for screen in screens} == {(0, False)}
