"""Everyday use by what is visible: notes, typing, copying, sharing, recents, lists, settings."""

import time

import pytest

from odyssey_recorder.simulator.phone import TouchPhase
from tests.simulator.person import Person, person_with, wait_until

ENTER, DELETE, PASTE = 66, 67, 279
LAUNCHER = "com.android.launcher3"


def new_note(person: Person) -> None:
    person.open("Notes", "New note")


# Typing


def test_a_new_note_has_the_focus_and_the_keyboard_and_is_kept(person: Person) -> None:
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


def test_the_keys_of_the_screen_write_as_their_labels_say(person: Person) -> None:
    new_note(person)
    person.type_on_screen("ab c")
    person.tap("Delete", "Shift")
    person.type_on_screen("Xy")
    person.tap("Symbols")
    person.type_on_screen("7&")
    person.tap("Letters", "q")

    assert person.field("title").text == "ab Xy7&q"


def test_keys_move_the_cursor_write_signs_and_go_on_to_the_next_line(person: Person) -> None:
    left, right, home, end, forward_delete = 21, 22, 122, 123, 112
    new_note(person)
    person.type("bcd")
    for code in (home, 29, end, 33, left, left, forward_delete, right, 56, 77, 8, 62, ENTER):
        person.phone.press_key(code)
    person.type("one")
    person.phone.press_key(ENTER)
    person.type("two")
    person.phone.press_key(DELETE)

    assert person.field("title").text == "abce.@1 "
    assert person.field("body").text == "one\ntw"


def test_any_character_is_kept_and_what_is_pasted_into_a_single_line_stays_one(person: Person) -> None:
    strange = "\u00e9\u4e2d\U0001f600\ud800\0\t\u202e"
    new_note(person)
    person.phone.set_clipboard("one\ntwo")
    person.phone.press_key(PASTE)
    person.phone.press_key(ENTER)
    person.type(strange)

    assert person.field("title").text == "one two"
    assert person.field("body").text == strange


def test_back_takes_the_keyboard_first_and_the_page_next(person: Person) -> None:
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


def test_the_focused_line_stays_above_the_keyboard(person: Person) -> None:
    new_note(person)
    person.tap_field("body")
    person.type("\n".join(f"line {number}" for number in range(25)))

    state = person.phone.state()
    assert state.keyboard is not None
    body = person.field("body")
    assert body.bounds.bottom <= state.keyboard.top
    assert body.bounds.top <= state.status_bar.bottom + 150


def test_a_long_press_selects_a_word_while_the_finger_is_down_and_the_toolbar_copies_it() -> None:
    with person_with("medium_phone") as person:
        person.open("Notes", "Quote")
        bounds = person.field("body").bounds
        at = bounds.left + 60, bounds.top + 10
        person.phone.touch(TouchPhase.DOWN, *at)
        wait_until(lambda: person.sees("Cut"))
        person.phone.touch(TouchPhase.UP, *at)
        person.tap("Copy")

        assert person.phone.get_clipboard() == "The"
        assert not person.sees("Cut")


def test_select_all_and_cut_empty_the_field_and_paste_brings_it_back(person: Person) -> None:
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


# Notes and sharing


def test_a_shared_note_becomes_a_note_in_the_app_that_takes_it(person: Person) -> None:
    person.open("Notes", "Pancakes", "Share")
    assert person.phone.view_hierarchy().package == "android"
    person.tap("Notes")

    assert person.field("title").text == "Pancakes"
    person.back()
    person.back()
    assert person.words.count("Pancakes") == 2


def test_a_reader_of_the_screen_is_told_what_each_thing_is(person: Person) -> None:
    person.open("Notes", "Pancakes")
    assert person.find("Share").class_name == "android.widget.ImageButton"
    assert person.field("body").class_name == "android.widget.EditText"
    person.tap("More options", "Delete")
    assert person.find("Delete note?").class_name == "android.widget.TextView"
    buttons = [node for node in person.nodes if node.class_name == "android.widget.Button"]

    assert [button.content_desc for button in buttons] == ["Cancel", "Delete"]


# Recents, the launcher and the navigation bar


def test_recents_bring_a_task_back_as_it_was_left(person: Person) -> None:
    person.open("Notes", "Pancakes")
    left = person.phone.screen().rgba
    person.open("Settings")
    person.recents()
    assert person.phone.state().activity.endswith("RecentsActivity")
    cards = [node for node in person.nodes if node.clickable and node.content_desc in {"Notes", "Settings"}]
    assert [card.content_desc for card in cards] == ["Settings", "Notes"]
    person.tap_at(*cards[1].bounds.center)

    assert person.phone.screen().rgba == left


def test_a_card_swiped_up_is_gone_and_clear_all_ends_every_task(person: Person) -> None:
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
    ("button", "activity"), [("Home", "Launcher"), ("Back", "MainActivity"), ("Overview", "RecentsActivity")]
)
def test_the_navigation_bar_works_by_touch(person: Person, button: str, activity: str) -> None:
    person.open("Notes", "Pancakes", button)

    assert person.phone.state().activity.endswith(activity)


def test_the_drawer_finds_an_app_by_its_name(person: Person) -> None:
    person.tap("Search")
    person.type("sett")
    assert not person.sees("Notes")
    person.phone.press_key(ENTER)

    assert person.phone.state().package == "com.android.settings"


# Fingers and lists


def test_the_list_follows_the_finger_less_the_slop_within_which_it_taps(person: Person) -> None:
    person.open("Settings")
    before, slop = person.find("Display").bounds, 16
    person.swipe((300, 700), (300, 600))
    after = person.find("Display").bounds
    assert before.top - after.top == 100 - slop

    x, y = after.center
    person.swipe((x, y), (x + 5, y + 5))
    assert person.sees("Dark theme")


def test_a_finger_taken_away_by_the_system_taps_nothing(person: Person) -> None:
    x, y = person.find("Notes").bounds.center
    person.phone.touch(TouchPhase.DOWN, x, y)
    person.phone.touch(TouchPhase.CANCEL, x, y)

    assert person.phone.state().package == LAUNCHER


def test_a_flung_list_glides_on_and_stops() -> None:
    with person_with() as still, person_with(animation=True) as moving:
        for person in (still, moving):
            person.phone.start_activity("com.android.settings")
            person.swipe((300, 700), (300, 600))
        dragged = still.find("Display").bounds.top
        end = dragged - round(100 * 0.35)
        wait_until(lambda: moving.find("Display").bounds.top == end)

        assert still.find("Display").bounds.top == dragged


def test_a_finger_that_rests_before_it_lifts_flings_nothing() -> None:
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


def test_a_finger_that_catches_a_flung_list_stops_it_and_taps_nothing() -> None:
    with person_with(animation=True) as person:
        person.phone.start_activity("com.android.settings")
        person.swipe((300, 700), (300, 550))
        x, y = person.find("Battery").bounds.center
        person.phone.touch(TouchPhase.DOWN, x, y)
        caught = person.find("Battery").bounds
        person.phone.touch(TouchPhase.UP, x, y)

        assert person.find("Battery").bounds == caught
        assert person.phone.state().activity.endswith("MainActivity")


def test_a_key_that_comes_while_a_list_glides_finds_it_at_its_end() -> None:
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


def test_a_hidden_part_of_a_list_is_not_dumped_until_it_is_scrolled_to(person: Person) -> None:
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
def test_what_is_set_by_touch_is_what_adb_reads(
    person: Person, taps: tuple[str, ...], namespace: str, key: str, value: str
) -> None:
    person.open("Settings")
    for words in taps:
        person.scroll_to(words)
        person.tap(words)

    assert person.phone.get_setting(namespace, key) == value


def test_a_switch_shows_what_was_set_and_the_dark_theme_darkens_other_apps(person: Person) -> None:
    person.phone.put_setting("global", "bluetooth_on", "0")
    person.open("Settings", "Connected devices")
    assert not next(node for node in person.nodes if node.checkable and node.content_desc == "Bluetooth").checked

    person.open("Notes")
    light = person.phone.screen().rgba
    person.phone.put_setting("secure", "ui_night_mode", "2")
    assert sum(person.phone.screen().rgba[:4000]) < sum(light[:4000]) / 2
