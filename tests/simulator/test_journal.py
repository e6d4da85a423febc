"""What tests can learn from the journal: the frame shown at an input, and the inputs that changed the screen."""

import hashlib
import re
from pathlib import Path

from odyssey_simulator.guest import Guest
from odyssey_simulator.journal import Moment, RecordedJournal
from odyssey_simulator.phone import ComposedFrame
from tests.simulator.person import Person, guest_with


def tap(guest: Guest, text: str) -> ComposedFrame:
    """Tap a text through the emulator's window; returns the screen shown at that moment."""
    center = Person(guest.phone).find(text).bounds.center
    shown = guest.phone.screen()
    for pressed in (True, False):
        guest.window_touch(*center, pressed=pressed)
    return shown


def rgb_sha256(screen: ComposedFrame) -> str:
    return hashlib.sha256(bytes(value for index, value in enumerate(screen.rgba) if index % 4 != 3)).hexdigest()


def test_touch_is_recorded_with_its_frame_and_event_time(tmp_path: Path) -> None:
    stamps: list[int] = []
    with guest_with(animation=True, journal=tmp_path / "journal") as guest:
        guest.nodes.read(lambda _, events: stamps.append(events[0].time_us), lambda: None)
        shown = [tap(guest, "Notes")]
        guest.phone.put_setting("global", "transition_animation_scale", "0")
        shown.append(tap(guest, "New note"))

    downs = RecordedJournal.read(tmp_path / "journal").touch_downs()
    assert [down.frame.number for down in downs] == [screen.number for screen in shown]
    assert [down.frame.rgb_sha256 for down in downs] == [rgb_sha256(screen) for screen in shown]
    assert all(down.frame.t_ns <= down.t_ns for down in downs)
    assert {down.event_us for down in downs} <= set(stamps)


def test_gesture_is_known_to_have_changed_the_screen_or_not(tmp_path: Path) -> None:
    with guest_with(animation=True, journal=tmp_path / "journal") as guest:
        tap(guest, "10:00")
        tap(guest, "Notes")

    journal = RecordedJournal.read(tmp_path / "journal")
    nothing, opening = (journal.gesture(down) for down in journal.touch_downs())
    assert [felt.text.split()[1] for felt in opening] == ["down", "up"]
    assert not journal.changed_screen(*nothing)
    assert journal.changed_screen(*opening)


def test_change_without_input_has_no_cause(tmp_path: Path) -> None:
    with guest_with(animation=True, journal=tmp_path / "journal") as guest:
        guest.phone.press_key(187)
        guest.phone.set_rotation(1)
        last = guest.phone.screen().number

    journal = RecordedJournal.read(tmp_path / "journal")
    assert journal.frames[1].cause is None
    assert journal.frames[2].cause == journal.inputs[0].number
    assert journal.frames[last].cause is None
    assert journal.inputs[0].event_us is None
    assert re.fullmatch(r"key 187", journal.inputs[0].text)


def test_late_input_is_recorded_with_the_frame_of_its_moment(tmp_path: Path) -> None:
    with guest_with(animation=True, journal=tmp_path / "journal") as guest:
        guest.phone.put_setting("global", "transition_animation_scale", "0")
        first = guest.phone.screen()
        tap(guest, "Notes")
        shown = guest.phone.screen()
        guest.phone.press_key(0, moment=Moment(shown.shown_ns - 1))
        guest.phone.press_key(0, moment=Moment(shown.shown_ns))

    before, after = RecordedJournal.read(tmp_path / "journal").inputs[-2:]
    assert (before.frame.number, after.frame.number) == (first.number, shown.number)
