"""Passive mode: input by fingers and keys in the emulator's own window becomes steps; screenshots match the journal."""

import threading
from collections.abc import Iterable, Sequence
from pathlib import Path

import pytest

from odyssey_recorder.dataset.layout import screenshot_path
from odyssey_recorder.dataset.provenance import StepRecord
from odyssey_recorder.device.preflight import findings, take_readings
from odyssey_recorder.gesture.touch import TouchStroke
from odyssey_recorder.model.action import Click, Complete, LongPress, Press, Scroll, SystemKey, Type
from odyssey_recorder.model.episode import Mode
from odyssey_recorder.model.flag import Flag, FlagCode, describe_flag
from odyssey_recorder.model.geometry import Pixel
from odyssey_recorder.recording.passive import ANSWER_FIRST, UNTOUCHED
from odyssey_recorder.recording.raw_input_queue import NOT_A_STEP
from odyssey_recorder.recording.recorder import Recorder
from odyssey_recorder.recording.state import State
from odyssey_recorder.recording.view import TextQuestion
from odyssey_recorder.simulated.private_adb_server import PrivateAdbServer
from odyssey_simulator.journal import RecordedJournal
from tests.end_to_end.journal_checks import published
from tests.end_to_end.recording_setup import PATIENCE_S, RecordingSetup, kinds_of, ready, recording_setup

HOME, BACK, RECENT = Press(SystemKey.HOME), Press(SystemKey.BACK), Press(SystemKey.RECENT)
BACK_KEY, RECENT_KEY, ESCAPE_KEY, DOWN_KEY = 158, 580, 1, 108
SETTINGS, NOTES, MESSAGES = "com.android.settings", "com.odyssey.notes", "com.odyssey.messages"
GESTURAL = "cmd overlay enable-exclusive --category com.android.internal.systemui.navbar.gestural"


BUSY = {Flag(FlagCode.UNWATCHED)}
"""A busy computer may miss the frame just after a touch."""


def flags_of(steps: Iterable[StepRecord]) -> set[Flag]:
    return {flag for step in steps for flag in step.flags}


def swipe(start: Pixel, end: Pixel, *, rest_ms: int = 0) -> TouchStroke:
    """A straight swipe of 300 ms that rests before it lifts."""
    path = tuple(
        Pixel(start.x + (end.x - start.x) * step // 15, start.y + (end.y - start.y) * step // 15) for step in range(16)
    )
    drawn = TouchStroke.drag(path, duration_ms=300)
    return TouchStroke(drawn.samples, drawn.duration_us + rest_ms * 1000)


def test_navigation_and_toolbar_buttons_are_system_keys(adb_server: PrivateAdbServer, tmp_path: Path) -> None:
    with recording_setup(adb_server, tmp_path / "phone") as setup, setup.recording("passive") as (recorder, annotator):
        setup.open(recorder, SETTINGS)
        setup.tap_in_window(recorder, "Overview", "Back", "Home")
        for number, key in enumerate((RECENT_KEY, BACK_KEY), start=4):
            setup.emulator.guest.window_key(key)
            setup.await_steps(recorder, number)
        episode, provenance = setup.finish(recorder)
        assert [step.action for step in episode.steps[:-1]] == [RECENT, BACK, HOME, RECENT, BACK]
        assert flags_of(provenance.steps) <= BUSY
        assert annotator.notices == []


def test_escape_is_back_and_a_cursor_key_is_said_and_flagged(adb_server: PrivateAdbServer, tmp_path: Path) -> None:
    with recording_setup(adb_server, tmp_path / "phone") as setup, setup.recording("passive") as (recorder, annotator):
        setup.open(recorder, SETTINGS)
        setup.emulator.guest.window_key(ESCAPE_KEY)
        setup.await_steps(recorder, 1)
        setup.emulator.guest.window_key(DOWN_KEY)
        setup.emulator.guest.window_key(RECENT_KEY)
        setup.await_steps(recorder, 2)
        episode, provenance = setup.finish(recorder)
        assert [step.action for step in episode.steps[:-1]] == [BACK, RECENT]
        assert Flag(FlagCode.OTHER_KEY, ("Down",)) in provenance.steps[1].flags
        # These are just so many screens without a touch as are worth a notice, if each of them settles in time.
        assert [text for text in annotator.notices if text != UNTOUCHED] == [NOT_A_STEP.format("Down")]


def test_spin_of_the_wheel_is_one_scroll(adb_server: PrivateAdbServer, tmp_path: Path) -> None:
    with recording_setup(adb_server, tmp_path / "phone") as setup, setup.recording("passive") as (recorder, annotator):
        setup.open(recorder, SETTINGS)
        guest, moved = setup.emulator.guest, threading.Semaphore(0)
        guest.nodes.read(lambda _, events: moved.release() if len(events) > 1 else None, lambda: None)
        for _ in range(3):
            guest.window_wheel((180, 450), (0, -640 / 9))
            for _ in range(8):
                assert moved.acquire(timeout=PATIENCE_S)
        setup.await_steps(recorder, 1)
        setup.tap_in_window(recorder, "Back")
        episode, provenance = setup.finish(recorder)
        assert kinds_of(episode) == [Scroll, Press, Complete]
        downs = [touch.frame.rgb_sha256 for touch in RecordedJournal.read(setup.journal).touch_downs()]
        assert len(downs) > 2, "the wheel is several touches"
        setup.assert_screenshots_match_touches(provenance, 0, len(downs) - 1)
        scroll = episode.steps[0].action
        assert isinstance(scroll, Scroll)
        assert scroll.start.y - scroll.end.y == pytest.approx(333, abs=6)
        assert annotator.notices == []


def test_clicks_of_a_virtio_tablet_are_said_before_and_meanwhile(adb_server: PrivateAdbServer, tmp_path: Path) -> None:
    with recording_setup(adb_server, tmp_path / "phone") as setup:
        guest = setup.emulator.guest
        guest.nodes.has_tablet = True
        [screen] = [one for one in findings(take_readings(setup.device)) if one.what == "Touch screen"]
        assert screen.found == "the emulator has a mouse (QEMU Virtio Tablet)"
        assert not screen.prevents
        with setup.recording("passive") as (recorder, annotator):
            for label in ("Notes", "Home") * 2:
                place = setup.position_of(label)
                guest.window_touch(place.x, place.y, pressed=True)
                guest.window_touch(place.x, place.y, pressed=False)
                setup.wait_until_read(recorder)
            assert annotator.notices == [UNTOUCHED]
            assert recorder.view.steps == ()


def test_press_is_what_the_device_makes_of_it(adb_server: PrivateAdbServer, tmp_path: Path) -> None:
    with recording_setup(adb_server, tmp_path / "phone") as setup:
        setup.emulator.phone.put_setting("secure", "long_press_timeout", "900")
        with setup.recording("passive") as (recorder, _):
            setup.open(recorder, SETTINGS)
            setup.window.touch(TouchStroke.press(setup.position_of("Display"), duration_ms=700))
            setup.await_steps(recorder, 1)
            recorder.complete("Done.")
            recorder.wait_for(lambda view: view.state is State.FINISHED, PATIENCE_S)
        episode, provenance = published(setup.service.store, recorder.episode_id)
        assert kinds_of(episode) == [Click, Complete]
        assert provenance.origin.long_press_ms == 900
        assert FlagCode.UNSURE_PRESS in {flag.code for flag in provenance.steps[0].flags}


def test_edge_swipes_on_rotated_device_are_system_keys(adb_server: PrivateAdbServer, tmp_path: Path) -> None:
    with recording_setup(adb_server, tmp_path / "phone") as setup:
        adb_server.adb("-s", setup.emulator.serial, "shell", GESTURAL)
        setup.emulator.phone.set_rotation(1)
        size = setup.emulator.phone.state().size
        bottom, middle = Pixel(size.width // 2, size.height - 3), Pixel(size.width // 2, size.height // 2)
        swipes = [
            swipe(Pixel(2, middle.y), Pixel(size.width // 3, middle.y)),
            swipe(bottom, middle),
            swipe(bottom, middle, rest_ms=500),
        ]
        with setup.recording("passive") as (recorder, _):
            for number, stroke in enumerate(swipes, start=1):
                setup.open(recorder, SETTINGS)
                setup.window.touch(stroke)
                setup.await_steps(recorder, number)
            episode, _ = setup.finish(recorder)
            assert [step.action for step in episode.steps[:-1]] == [BACK, HOME, RECENT]


def test_typing_is_one_step_with_screenshot_before_first_key(adb_server: PrivateAdbServer, tmp_path: Path) -> None:
    with recording_setup(adb_server, tmp_path / "phone") as setup, setup.recording("passive") as (recorder, annotator):
        setup.open(recorder, NOTES)
        setup.tap_in_window(recorder, "New note")
        setup.type_on_screen("milk")
        setup.await_keys(recorder, len("milk"))  # a touch is confirmed before it happens
        setup.emulator.guest.window_text(" and 2 Eggs")
        setup.await_keys(recorder, len("milk and 2 Eggs"))
        assert len(recorder.view.steps) == 1, "more may be typed"
        setup.emulator.guest.window_key(BACK_KEY)
        setup.await_steps(recorder, 3)
        episode, provenance = setup.finish(recorder)
        click, typed, back, end = provenance.steps
        assert kinds_of(episode) == [Click, Type, Press, Complete]
        assert episode.steps[1].action == Type("milk and 2 Eggs")
        assert flags_of(provenance.steps) <= BUSY | {Flag(FlagCode.AREAS_CHANGED)}, "the keyboard moves in"
        assert annotator.notices == []
        assert None not in {click.ui_tree, typed.ui_tree, back.ui_tree, end.ui_tree}
        assert click.bbox == (288, 520, 344, 576)
        assert [step.screen.activity for step in provenance.steps if step.screen][:2] == [
            f"{NOTES}.MainActivity",
            f"{NOTES}.NoteActivity",
        ]
        assert click.screen is not None
        assert typed.screen is not None
        assert (click.screen.keyboard_shown, typed.screen.keyboard_shown) == (False, True)
        assert all(step.age_us is not None for step in provenance.steps)
        assert click.clock_uncertainty_us is not None
        assert click.clock_uncertainty_us < 100_000


def test_text_is_recorded_although_sending_clears_its_field(adb_server: PrivateAdbServer, tmp_path: Path) -> None:
    with recording_setup(adb_server, tmp_path / "phone") as setup, setup.recording("passive") as (recorder, _):
        setup.open(recorder, MESSAGES)
        setup.window.touch(TouchStroke.press(Pixel(190, 148)))
        setup.await_steps(recorder, 1)
        setup.tap_in_window(recorder, "Text message")
        setup.type_on_screen("yes")
        setup.await_keys(recorder, 3)
        setup.tap("Send")
        setup.await_keys(recorder, 4)
        setup.tap("Text message")
        setup.await_steps(recorder, 4)
        setup.type_on_screen("ok")
        setup.await_keys(recorder, 2)
        setup.tap("Send message")
        setup.await_steps(recorder, 6)
        episode, _ = setup.finish(recorder)
        assert kinds_of(episode) == [Click, Click, Type, Click, Type, Click, Complete]
        assert [step.action for step in episode.steps if isinstance(step.action, Type)] == [Type("yes"), Type("ok")]


def test_annotator_is_asked_for_unreadable_text(adb_server: PrivateAdbServer, tmp_path: Path) -> None:
    with recording_setup(adb_server, tmp_path / "phone") as setup, setup.recording("passive") as (recorder, annotator):
        setup.open(recorder, SETTINGS)
        setup.tap_in_window(recorder, "Network & internet")
        setup.window.touch(swipe(Pixel(150, 500), Pixel(150, 150)))
        setup.await_steps(recorder, 2)
        setup.tap_in_window(recorder, "Add network", "Password")
        setup.type_on_screen("abc")
        setup.await_keys(recorder, 3)
        recorder.complete("Done.")
        recorder.wait_for(lambda view: view.question is not None and len(view.steps) == 6, PATIENCE_S)
        annotator.await_notice(ANSWER_FIRST)
        assert recorder.view.question == TextQuestion(4, "", screenshot=recorder.view.steps[5].screenshot)
        assert recorder.view.steps[4].flag == describe_flag(Flag(FlagCode.TEXT_UNREAD))
        recorder.answer_text(4, "abc")
        recorder.wait_for(lambda view: view.state is State.FINISHED, PATIENCE_S)
        episode, provenance = published(setup.service.store, recorder.episode_id)
        setup.assert_matches_journal(episode, provenance)
        assert episode.steps[4].action == Type("abc")
        assert flags_of(provenance.steps[4:5]) <= BUSY


def test_long_presses_flings_drags_and_taps_are_distinguished(adb_server: PrivateAdbServer, tmp_path: Path) -> None:
    with recording_setup(adb_server, tmp_path / "phone") as setup, setup.recording("passive") as (recorder, annotator):
        setup.open(recorder, SETTINGS)
        fling = TouchStroke.drag(tuple(Pixel(150, y) for y in range(450, 200, -50)), duration_ms=60)
        drag = TouchStroke.drag(tuple(Pixel(150, y) for y in range(200, 450, 10)), duration_ms=900)
        for number, stroke in enumerate((fling, drag, TouchStroke.press(Pixel(150, 300), duration_ms=800)), start=1):
            setup.window.touch(stroke)
            setup.await_steps(recorder, number)
        setup.open(recorder, "com.odyssey.calculator")
        seven = TouchStroke.press(setup.position_of("7"), duration_ms=20)
        for _ in range(8):
            setup.window.touch(seven)
        setup.await_steps(recorder, 11)
        episode, provenance = setup.finish(recorder)
        assert kinds_of(episode) == [Scroll, Scroll, *[Click] * 9, Complete]
        assert isinstance(episode.steps[2].action, LongPress)
        assert flags_of(provenance.steps[:4]) <= BUSY
        assert annotator.notices == []


def settings_tour(setup: RecordingSetup) -> list[TouchStroke | SystemKey]:
    return [
        TouchStroke.press(setup.position_of("Settings")),
        TouchStroke.drag(tuple(Pixel(150, y) for y in range(450, 250, -10)), duration_ms=700),
        TouchStroke.press(Pixel(150, 300), duration_ms=800),
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
            setup.recording(mode) as (recorder, annotator),
        ):
            perform(setup, recorder, mode, settings_tour(setup))
            setup.wait_until_seen(recorder, annotator)
            episode, _ = setup.finish(recorder)
            store = setup.service.store
            episodes.append([step.action for step in episode.steps])
            screenshots.append(
                [(store.root / screenshot_path(episode.episode_id, n)).read_bytes() for n in range(len(episode.steps))]
            )

    kinds = [Click, Scroll, LongPress, Press, Press, Press, Complete]
    assert [type(action) for action in episodes[0]] == kinds
    assert episodes[0] == episodes[1] == episodes[2]
    assert screenshots[0] == screenshots[1] == screenshots[2]
