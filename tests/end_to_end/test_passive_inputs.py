"""Passive mode: input by fingers and keys in the emulator's own window becomes steps; screenshots match the journal."""

from collections.abc import Iterable
from pathlib import Path

from odyssey_recorder.dataset.provenance import StepRecord
from odyssey_recorder.gesture.touch import TouchStroke
from odyssey_recorder.model.action import Click, Complete, LongPress, Press, Scroll, SystemKey, Type
from odyssey_recorder.model.flag import Flag, FlagCode, describe_flag
from odyssey_recorder.model.geometry import Pixel
from odyssey_recorder.recording.passive import ANSWER_FIRST
from odyssey_recorder.recording.state import State
from odyssey_recorder.recording.view import TextQuestion
from odyssey_recorder.simulator.adb_server import PrivateAdbServer
from tests.end_to_end.workplace import PATIENCE_S, assert_true, finish, kinds_of, workplace

HOME, BACK, RECENT = Press(SystemKey.HOME), Press(SystemKey.BACK), Press(SystemKey.RECENT)
BACK_KEY, RECENT_KEY = 158, 580
SETTINGS, NOTES, MESSAGES = "com.android.settings", "com.odyssey.notes", "com.odyssey.messages"
GESTURAL = "cmd overlay enable-exclusive --category com.android.internal.systemui.navbar.gestural"


BUSY = {Flag(FlagCode.UNWATCHED)}
"""What a busy computer may miss: the frame just after a touch."""


def flags_of(steps: Iterable[StepRecord]) -> set[Flag]:
    return {flag for step in steps for flag in step.flags}


def swipe(start: Pixel, end: Pixel, *, rest_ms: int = 0) -> TouchStroke:
    """A straight swipe of 300 ms that rests before it lifts."""
    places = tuple(
        Pixel(start.x + (end.x - start.x) * step // 15, start.y + (end.y - start.y) * step // 15) for step in range(16)
    )
    drawn = TouchStroke.drag(places, duration_ms=300)
    return TouchStroke(drawn.samples, drawn.duration_us + rest_ms * 1000)


def test_keys_of_the_bar_and_of_the_toolbar_are_system_keys(adb_server: PrivateAdbServer, tmp_path: Path) -> None:
    with workplace(adb_server, tmp_path / "phone") as place, place.recording("passive") as (recorder, annotator):
        place.open(recorder, SETTINGS)
        for number, button in enumerate(("Overview", "Back", "Home"), start=1):
            place.tap(button)
            place.await_steps(recorder, number)
        for number, key in enumerate((RECENT_KEY, BACK_KEY), start=4):
            place.emulator.guest.window_key(key)
            place.await_steps(recorder, number)
        episode = finish(place, recorder)

        provenance = assert_true(place, episode)
        assert [step.action for step in episode.steps[:-1]] == [RECENT, BACK, HOME, RECENT, BACK]
        assert flags_of(provenance.steps) <= BUSY
        assert annotator.notices == []


def test_swipes_from_the_edges_of_a_turned_device_are_system_keys(adb_server: PrivateAdbServer, tmp_path: Path) -> None:
    with workplace(adb_server, tmp_path / "phone") as place, place.recording("passive") as (recorder, _):
        adb_server.adb("-s", place.emulator.serial, "shell", GESTURAL)
        place.emulator.phone.set_rotation(1)
        size = place.emulator.phone.state().size
        bottom, middle = Pixel(size.width // 2, size.height - 3), Pixel(size.width // 2, size.height // 2)
        swipes = [
            swipe(Pixel(2, middle.y), Pixel(size.width // 3, middle.y)),
            swipe(bottom, middle),
            swipe(bottom, middle, rest_ms=500),
        ]
        for number, stroke in enumerate(swipes, start=1):
            place.open(recorder, SETTINGS)
            place.hands.touch(stroke)
            place.await_steps(recorder, number)
        episode = finish(place, recorder)

        assert_true(place, episode)
        assert [step.action for step in episode.steps[:-1]] == [BACK, HOME, RECENT]


def test_typing_is_one_text_with_the_screenshot_before_its_first_key(
    adb_server: PrivateAdbServer, tmp_path: Path
) -> None:
    with workplace(adb_server, tmp_path / "phone") as place, place.recording("passive") as (recorder, annotator):
        place.open(recorder, NOTES)
        place.tap("New note")
        place.await_steps(recorder, 1)
        place.type_on_screen("milk")
        place.emulator.guest.window_text(" and 2 Eggs")
        place.await_keys(recorder, len("milk and 2 Eggs"))
        assert len(recorder.view.steps) == 1, "more may be typed"
        place.emulator.guest.window_key(BACK_KEY)
        place.await_steps(recorder, 3)
        episode = finish(place, recorder)

        provenance = assert_true(place, episode)
        click, typed, back, end = provenance.steps
        assert kinds_of(episode) == [Click, Type, Press, Complete]
        assert episode.steps[1].action == Type("milk and 2 Eggs")
        assert flags_of(provenance.steps) <= BUSY | {Flag(FlagCode.AREAS_CHANGED)}, "the keyboard moves in"
        assert annotator.notices == []
        assert None not in {click.ui_tree, typed.ui_tree, back.ui_tree, end.ui_tree}
        assert click.bbox == (576, 1040, 688, 1152)
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


def test_a_text_that_was_sent_off_is_not_lost(adb_server: PrivateAdbServer, tmp_path: Path) -> None:
    with workplace(adb_server, tmp_path / "phone") as place, place.recording("passive") as (recorder, _):
        place.open(recorder, MESSAGES)
        place.hands.touch(TouchStroke.press(Pixel(380, 296)))
        place.await_steps(recorder, 1)
        place.tap("Text message")
        place.await_steps(recorder, 2)
        place.type_on_screen("yes")
        place.await_keys(recorder, 3)
        place.tap("Send")
        place.await_keys(recorder, 4)
        place.tap("Text message")
        place.await_steps(recorder, 4)
        place.type_on_screen("ok")
        place.await_keys(recorder, 2)
        place.tap("Send message")
        place.await_steps(recorder, 6)
        episode = finish(place, recorder)

        assert_true(place, episode)
        kinds = [Click, Click, Type, Click, Type, Click, Complete]
        assert kinds_of(episode) == kinds
        assert [step.action for step in episode.steps if isinstance(step.action, Type)] == [Type("yes"), Type("ok")]


def test_what_cannot_be_read_is_asked(adb_server: PrivateAdbServer, tmp_path: Path) -> None:
    with workplace(adb_server, tmp_path / "phone") as place, place.recording("passive") as (recorder, annotator):
        place.open(recorder, SETTINGS)
        place.tap("Network & internet")
        place.await_steps(recorder, 1)
        place.hands.touch(swipe(Pixel(300, 1000), Pixel(300, 300)))
        place.await_steps(recorder, 2)
        for number, label in enumerate(("Add network", "Password"), start=3):
            place.tap(label)
            place.await_steps(recorder, number)
        place.type_on_screen("abc")
        place.await_keys(recorder, 3)
        recorder.complete("Done.")
        view = recorder.wait_for(lambda view: view.question is not None, PATIENCE_S)
        annotator.await_notice(ANSWER_FIRST)
        assert view.question == TextQuestion(4, "")
        assert recorder.view.steps[4].flag == describe_flag(Flag(FlagCode.TEXT_UNREAD))
        recorder.answer_text(4, "abc")
        recorder.wait_for(lambda view: view.state is State.FINISHED, PATIENCE_S)
        episode = place.service.store.load(recorder.episode_id)

        provenance = assert_true(place, episode)
        assert episode.steps[4].action == Type("abc")
        assert flags_of(provenance.steps[4:5]) <= BUSY


def test_long_presses_flings_drags_and_fast_taps_are_told_apart(adb_server: PrivateAdbServer, tmp_path: Path) -> None:
    with workplace(adb_server, tmp_path / "phone") as place, place.recording("passive") as (recorder, annotator):
        place.open(recorder, SETTINGS)
        fling = TouchStroke.drag(tuple(Pixel(300, y) for y in range(900, 400, -100)), duration_ms=60)
        drag = TouchStroke.drag(tuple(Pixel(300, y) for y in range(400, 900, 20)), duration_ms=900)
        for number, stroke in enumerate((fling, drag, TouchStroke.press(Pixel(300, 600), duration_ms=800)), start=1):
            place.hands.touch(stroke)
            place.await_steps(recorder, number)
        place.open(recorder, "com.odyssey.calculator")
        seven = TouchStroke.press(place.place_of("7"), duration_ms=20)
        for _ in range(8):
            place.hands.touch(seven)
        place.await_steps(recorder, 11)
        episode = finish(place, recorder)

        provenance = assert_true(place, episode)
        assert kinds_of(episode) == [Scroll, Scroll, *[Click] * 9, Complete]
        assert isinstance(episode.steps[2].action, LongPress)
        assert flags_of(provenance.steps[:4]) <= BUSY
        assert annotator.notices == []
