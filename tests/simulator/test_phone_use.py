"""Everyday use by what is visible: notes, typing, copying, sharing, recents, lists, settings."""

import time

import pytest

from odyssey_simulator.phone import TouchPhase
from tests.cli import wait_until
from tests.simulator.person import Person, person_with

ENTER, DELETE, PASTE = 66, 67, 279
LAUNCHER = "com.android.launcher3"


def new_note(person: Person) -> None:
    person.open("Notes", "New note")


# Typing


def test_new_note_has_focus_and_keyboard_and_is_saved(person: Person) -> None:
    new_note(person)
    state = person.phone.state()
    assert state.keyboard_shown
    assert state.keyboard is not None
    assert state.keyboard.bottom == state.navigation_bar.top
    assert person.field("title").focused

    person.type("Holiday\nTent; stove & 50% more tea")
    person.home()
    person.phone.clear_recents()
    person.open("Notes")

    assert person.sees("Holiday", "Tent; stove & 50% more tea")


def test_on_screen_keys_type_their_labels(person: Person) -> None:
    new_note(person)
    person.type_on_screen("ab c")
    person.tap("Delete", "Shift")
    person.type_on_screen("Xy")
    person.tap("Symbols")
    person.type_on_screen("7&")
    person.tap("Letters", "q")

    assert person.field("title").text == "ab Xy7&q"


def test_hardware_keys_move_the_cursor_and_type(person: Person) -> None:
    saved, right, home, end, forward_delete = 21, 22, 122, 123, 112
    new_note(person)
    person.type("bcd")
    for code in (home, 29, end, 33, saved, saved, forward_delete, right, 56, 77, 8, 62, ENTER):
        person.phone.press_key(code)
    person.type("one")
    person.phone.press_key(ENTER)
    person.type("two")
    person.phone.press_key(DELETE)

    assert person.field("title").text == "abce.@1 "
    assert person.field("body").text == "one\ntw"


def test_any_character_is_kept_and_pasted_lines_are_joined(person: Person) -> None:
    strange = "\u00e9\u4e2d\U0001f600\ud800\0\t\u202e"
    new_note(person)
    person.phone.set_clipboard("one\ntwo")
    person.phone.press_key(PASTE)
    person.phone.press_key(ENTER)
    person.type(strange)

    assert person.field("title").text == "one two"
    assert person.field("body").text == strange


def test_back_closes_the_keyboard_before_the_page(person: Person) -> None:
    new_note(person)
    person.type("Kept")
    person.back()
    assert not person.phone.state().keyboard_shown
    assert person.sees("Kept")
    assert person.phone.state().activity.endswith("NoteActivity")
    person.back()
    assert person.phone.state().activity.endswith("MainActivity")
    person.back()
    assert person.phone.state().package == LAUNCHER


def test_focused_line_stays_above_the_keyboard(person: Person) -> None:
    new_note(person)
    person.tap_field("body")
    person.type("\n".join(f"line {number}" for number in range(25)))

    state = person.phone.state()
    assert state.keyboard is not None
    body = person.field("body")
    assert body.bounds.bottom <= state.keyboard.top
    assert body.bounds.top <= state.status_bar.bottom + 150


def test_long_press_selects_a_word_to_copy() -> None:
    with person_with("medium_phone") as person:
        person.open("Notes", "Quote")
        bounds = person.field("body").bounds
        person.hold_at(bounds.left + 60, bounds.top + 10)
        assert person.sees("Cut")
        person.tap("Copy")

        assert person.phone.get_clipboard() == "The"
        assert not person.sees("Cut")


def test_text_is_cut_and_pasted(person: Person) -> None:
    new_note(person)
    person.type("seven words")
    person.hold("seven words")
    person.tap("Select all", "Cut")
    assert person.field("title").text == "Title"
    person.tap_field("body")
    person.hold_at(*person.field("body").bounds.center)
    person.tap("Paste")
    person.phone.press_key(PASTE)

    assert person.field("body").text == "seven wordsseven words"


# Notes


def test_view_classes_match_the_kind_of_control(person: Person) -> None:
    person.open("Notes", "Pancakes")
    assert person.find("Share").class_name == "android.widget.ImageButton"
    assert person.field("body").class_name == "android.widget.EditText"
    person.tap("More options", "Delete")
    assert person.find("Delete note?").class_name == "android.widget.TextView"
    buttons = [node for node in person.nodes if node.class_name == "android.widget.Button"]

    assert [button.content_desc for button in buttons] == ["Cancel", "Delete"]
    person.tap("Cancel", "Share")
    assert person.phone.view_hierarchy().package == "android"


# Recents, the launcher and the navigation bar


def test_recents_reopen_a_task_as_it_was_left(person: Person) -> None:
    person.open("Notes", "Pancakes")
    saved = person.phone.screen().rgba
    person.open("Settings")
    person.recents()
    assert person.in_recents
    cards = [node for node in person.nodes if node.clickable and node.content_desc in {"Notes", "Settings"}]
    assert [card.content_desc for card in cards] == ["Settings", "Notes"]
    person.tap_at(*cards[1].bounds.center)

    assert person.phone.screen().rgba == saved


def test_recents_cards_can_be_swiped_away_or_cleared(person: Person) -> None:
    person.open("Notes", "Pancakes")
    person.open("Settings")
    person.recents()
    x, y = person.find("Settings").bounds.center
    person.swipe((x, y), (x, y - 700))
    assert not person.sees("Settings")
    person.tap("Clear all")
    assert person.phone.state().package == LAUNCHER
    person.recents()
    assert person.sees("No recent items")


@pytest.mark.parametrize(
    ("button", "activity", "in_recents"),
    [("Home", "Launcher", False), ("Back", "MainActivity", False), ("Overview", "Launcher", True)],
)
def test_navigation_bar_buttons_work(person: Person, button: str, activity: str, in_recents: bool) -> None:
    """The recent apps are in the launcher's own activity, unless another launcher is the home app."""
    person.open("Notes", "Pancakes", button)
    assert person.phone.state().activity.endswith(activity)
    assert person.in_recents is in_recents
    person.phone.show_recents_apart()
    assert person.phone.state().activity.endswith("RecentsActivity" if in_recents else activity)


# Fingers and lists


def test_list_scrolls_with_the_finger_beyond_the_touch_slop(person: Person) -> None:
    person.open("Settings")
    before, slop = person.find("Display").bounds, 16
    person.swipe((300, 700), (300, 600))
    after = person.find("Display").bounds
    assert before.top - after.top == 100 - slop

    x, y = after.center
    person.swipe((x, y), (x + 5, y + 5))
    assert person.sees("Dark theme")


def test_cancelled_touch_does_not_tap(person: Person) -> None:
    x, y = person.find("Notes").bounds.center
    person.phone.touch(TouchPhase.DOWN, x, y)
    person.phone.touch(TouchPhase.CANCEL, x, y)
    assert person.phone.state().package == LAUNCHER


def test_flung_list_glides_and_stops() -> None:
    with person_with() as still, person_with(animation=True) as moving:
        for person in (still, moving):
            person.phone.start_activity("com.android.settings")
            person.swipe((300, 700), (300, 600))
        dragged = still.find("Display").bounds.top
        end = dragged - round(100 * 0.35)
        wait_until(lambda: moving.find("Display").bounds.top == end)

        assert still.find("Display").bounds.top == dragged


def test_finger_that_rests_before_lifting_does_not_fling() -> None:
    with person_with(animation=True) as person:
        person.phone.start_activity("com.android.settings")
        for phase, y in ((TouchPhase.DOWN, 700), (TouchPhase.MOVE, 650), (TouchPhase.MOVE, 600)):
            person.phone.touch(phase, 300, y)
        rested = time.monotonic() + 0.35
        wait_until(lambda: time.monotonic() > rested)
        dragged = person.find("Display").bounds
        person.phone.touch(TouchPhase.UP, 300, 600)
        person.home()
        person.open("Settings")

        assert person.find("Display").bounds == dragged


def test_touching_a_gliding_list_stops_it_without_a_tap() -> None:
    with person_with(animation=True) as person:
        person.phone.start_activity("com.android.settings")
        person.swipe((300, 700), (300, 550))
        x, y = person.find("Battery").bounds.center
        person.phone.touch(TouchPhase.DOWN, x, y)
        caught = person.find("Battery").bounds
        person.phone.touch(TouchPhase.UP, x, y)

        assert person.find("Battery").bounds == caught
        assert person.phone.state().activity.endswith("MainActivity")


def test_key_during_a_fling_finishes_the_fling() -> None:
    tops = []
    for _ in range(2):
        with person_with(animation=True) as person:
            person.phone.start_activity("com.android.settings")
            person.swipe((300, 700), (300, 650))
            person.home()
            person.open("Settings")
            tops.append(person.find("Display").bounds.top)

    assert tops[0] == tops[1]


# Settings


def test_list_rows_are_dumped_only_once_visible(person: Person) -> None:
    person.open("Settings")
    assert not person.sees("About phone")
    person.scroll_to("About phone")
    person.tap("About phone")
    assert person.sees("Small Phone")


@pytest.mark.parametrize(
    ("taps", "namespace", "key", "value"),
    [
        (("Connected devices", "Bluetooth"), "global", "bluetooth_on", "0"),
        (("Network & internet", "CityLibrary"), "global", "wifi_network", "CityLibrary"),
        (("Display", "Screen timeout", "5 minutes"), "system", "screen_off_timeout", "300000"),
        (("Display", "Dark theme"), "secure", "ui_night_mode", "2"),
        (("Notifications", "Notes"), "secure", "notify_com.odyssey.notes", "0"),
    ],
)
def test_setting_changed_by_touch_is_stored(
    person: Person, taps: tuple[str, ...], namespace: str, key: str, value: str
) -> None:
    person.open("Settings")
    for words in taps:
        person.scroll_to(words)
        person.tap(words)
    assert person.phone.get_setting(namespace, key) == value


def test_settings_show_in_switches_and_dark_theme(person: Person) -> None:
    person.phone.put_setting("global", "bluetooth_on", "0")
    person.open("Settings", "Connected devices")
    assert not next(node for node in person.nodes if node.checkable and node.content_desc == "Bluetooth").checked

    person.open("Notes")
    light = person.phone.screen().rgba
    person.phone.put_setting("secure", "ui_night_mode", "2")
    assert sum(person.phone.screen().rgba[:4000]) < sum(light[:4000]) / 2
