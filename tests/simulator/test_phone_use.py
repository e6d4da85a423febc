"""Everyday use by what is visible: notes, typing, copying, sharing, recents, settings."""

import time

import pytest

from odyssey_recorder.simulator.phone import Phase
from tests.simulator.person import Person, person_with, wait_until

ENTER, DELETE, PASTE = 66, 67, 279


def new_note(person: Person) -> None:
    person.open("Notes", "New note")


def test_a_note_that_was_written_is_still_there_when_one_comes_back(person: Person) -> None:
    new_note(person)
    person.type("Holiday\nTent; stove & 50% more tea")
    person.home()
    person.open("Settings")
    person.phone.clear_recents()
    person.open("Notes")

    assert person.sees("Holiday", "Tent; stove & 50% more tea")


def test_a_new_note_has_the_focus_and_the_keyboard(person: Person) -> None:
    new_note(person)

    state = person.phone.state()
    assert state.keyboard_shown
    assert person.field("title").focused
    assert state.keyboard is not None
    assert state.keyboard.bottom == state.navigation_bar.top


def test_the_keys_of_the_screen_write_as_their_labels_say(person: Person) -> None:
    new_note(person)
    person.type_on_screen("ab c")
    person.tap("Delete", "Shift")
    person.type_on_screen("Xy")
    person.tap("Symbols")
    person.type_on_screen("7&")
    person.tap("Letters", "q")

    assert person.field("title").text == "ab Xy7&q"


def test_enter_makes_a_new_line_in_a_note_and_goes_on_from_its_title(person: Person) -> None:
    new_note(person)
    person.type("Title")
    person.phone.press_key(ENTER)
    person.type("one")
    person.phone.press_key(ENTER)
    person.type("two")
    person.phone.press_key(DELETE)

    assert person.field("title").text == "Title"
    assert person.field("body").text == "one\ntw"


def test_any_character_can_be_typed_and_is_kept() -> None:
    strange = "\u00e9\u4e2d\U0001f600\ud800\0\t\u202e"
    with person_with() as person:
        new_note(person)
        person.phone.press_key(ENTER)
        person.type(strange)

        assert person.field("body").text == strange


def test_what_is_pasted_into_a_single_line_stays_one(person: Person) -> None:
    new_note(person)
    person.phone.set_clipboard("one\ntwo")
    person.phone.press_key(PASTE)

    assert person.field("title").text == "one two"


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
    assert person.phone.state().package == "com.android.launcher3"


def test_the_focused_line_stays_above_the_keyboard(person: Person) -> None:
    new_note(person)
    person.tap_field("body")
    person.type("\n".join(f"line {number}" for number in range(60)))

    state = person.phone.state()
    assert state.keyboard is not None
    body = person.field("body")
    assert body.bounds.bottom <= state.keyboard.top
    assert body.bounds.top <= state.status_bar.bottom + 150


def test_a_long_press_selects_a_word_and_the_toolbar_copies_it() -> None:
    with person_with("medium_phone") as person:
        person.open("Notes", "Quote")
        bounds = person.field("body").bounds
        person.hold_at(bounds.left + 60, bounds.top + 10)
        assert person.sees("Cut")
        person.tap("Copy")

        assert person.phone.get_clipboard() == "The"
        assert not person.sees("Cut")


def test_a_long_press_happens_while_the_finger_is_still_down(person: Person) -> None:
    person.open("Notes", "Quote")
    x, y = person.field("body").bounds.center
    person.phone.touch(Phase.DOWN, x, y)
    wait_until(lambda: person.sees("Select all"))
    person.phone.touch(Phase.UP, x, y)

    assert person.sees("Select all")


def test_select_all_and_cut_empty_the_field_and_paste_brings_it_back(person: Person) -> None:
    new_note(person)
    person.type("seven words")
    person.hold("seven words")
    person.tap("Select all", "Cut")
    assert person.field("title").text == "Title"
    person.tap_field("body")
    x, y = person.field("body").bounds.center
    person.hold_at(x, y)
    person.tap("Paste")
    person.phone.press_key(PASTE)

    assert person.field("body").text == "seven wordsseven words"


def test_a_shared_note_becomes_a_note_in_the_app_that_takes_it(person: Person) -> None:
    person.open("Notes", "Pancakes", "Share")
    assert person.phone.view_hierarchy().package == "android"
    person.tap("Notes")

    assert person.field("title").text == "Pancakes"
    person.back()
    person.back()
    assert person.words.count("Pancakes") == 2


def test_a_tap_beside_the_share_sheet_sends_it_away() -> None:
    with person_with("medium_phone") as person:
        person.open("Notes", "Pancakes")
        before = person.phone.screen().rgba
        person.tap("Share")
        person.tap_at(200, 400)

        assert person.phone.screen().rgba == before


def test_a_deleted_note_is_gone_after_the_question(person: Person) -> None:
    person.open("Notes", "Pancakes", "More options", "Delete", "Cancel")
    assert person.sees("Pancakes")
    person.tap("More options", "Delete", "Delete")

    assert not person.sees("Pancakes")
    assert person.sees("Packing list")


def test_recents_bring_a_task_back_as_it_was_left(person: Person) -> None:
    person.open("Notes", "Pancakes")
    left = person.phone.screen().rgba
    person.open("Settings")
    person.recents()
    assert person.phone.state().activity.endswith("RecentsActivity")
    cards = [node for node in person.nodes if node.clickable and node.content_desc in {"Notes", "Settings"}]
    assert [card.content_desc for card in cards] == ["Settings", "Notes"]
    person.tap_at(cards[1].bounds.center[0], cards[1].bounds.center[1])

    assert person.phone.screen().rgba == left


def test_a_card_swiped_up_is_gone_and_clear_all_ends_every_task(person: Person) -> None:
    person.open("Notes", "Pancakes")
    person.open("Settings")
    person.recents()
    x, y = person.find("Settings").bounds.center
    person.swipe((x, y), (x, y - 700))
    assert not person.sees("Settings")
    person.tap("Clear all")
    assert person.phone.state().package == "com.android.launcher3"
    person.open("Notes")
    assert person.phone.state().activity.endswith("MainActivity")
    person.phone.clear_recents()
    person.recents()
    assert person.sees("No recent items")


@pytest.mark.parametrize(
    ("button", "activity"), [("Home", "Launcher"), ("Back", "MainActivity"), ("Overview", "RecentsActivity")]
)
def test_the_navigation_bar_works_by_touch(person: Person, button: str, activity: str) -> None:
    person.open("Notes", "Pancakes", button)

    assert person.phone.state().activity.endswith(activity)


def test_the_list_follows_the_finger_less_the_slop(person: Person) -> None:
    person.open("Settings")
    before = person.find("Display").bounds
    person.swipe((300, 700), (300, 600))

    slop = 16
    assert before.top - person.find("Display").bounds.top == 100 - slop


def test_a_short_way_of_the_finger_is_a_tap(person: Person) -> None:
    person.open("Settings")
    x, y = person.find("Display").bounds.center
    person.swipe((x, y), (x + 5, y + 5))

    assert person.sees("Dark theme")


def test_a_finger_taken_away_by_the_system_taps_nothing(person: Person) -> None:
    x, y = person.find("Notes").bounds.center
    person.phone.touch(Phase.DOWN, x, y)
    person.phone.touch(Phase.CANCEL, x, y)

    assert person.phone.state().package == "com.android.launcher3"


def test_a_flung_list_glides_on_and_stops() -> None:
    with person_with() as still, person_with("small_phone", animation=True) as moving:
        for person in (still, moving):
            person.phone.start_activity("com.android.settings")
            person.swipe((300, 700), (300, 600))
        dragged = still.find("Display").bounds.top
        end = dragged - round(100 * 0.35)
        wait_until(lambda: moving.find("Display").bounds.top == end)

        assert still.find("Display").bounds.top == dragged


def test_a_finger_that_rests_before_it_lifts_flings_nothing() -> None:
    with person_with("small_phone", animation=True) as person:
        person.phone.start_activity("com.android.settings")
        for phase, y in ((Phase.DOWN, 700), (Phase.MOVE, 650), (Phase.MOVE, 600)):
            person.phone.touch(phase, 300, y)
        rested = time.monotonic() + 0.35
        wait_until(lambda: time.monotonic() > rested)
        dragged = person.find("Display").bounds
        person.phone.touch(Phase.UP, 300, 600)
        person.home()
        person.open("Settings")

        assert person.find("Display").bounds == dragged


def test_a_finger_that_catches_a_flung_list_stops_it_and_taps_nothing() -> None:
    with person_with("small_phone", animation=True) as person:
        person.phone.start_activity("com.android.settings")
        person.swipe((300, 700), (300, 550))
        x, y = person.find("Battery").bounds.center
        person.phone.touch(Phase.DOWN, x, y)
        caught = person.find("Battery").bounds
        person.phone.touch(Phase.UP, x, y)

        assert person.find("Battery").bounds == caught
        assert person.phone.state().activity.endswith("MainActivity")


def test_a_key_that_comes_while_a_list_glides_finds_it_at_its_end() -> None:
    with person_with("small_phone", animation=True) as one, person_with("small_phone", animation=True) as other:
        tops = []
        for person in (one, other):
            person.phone.start_activity("com.android.settings")
            person.swipe((300, 700), (300, 650))
        for person in (one, other):
            person.home()
            person.open("Settings")
            tops.append(person.find("Display").bounds.top)

        assert tops[0] == tops[1]


def test_the_drawer_finds_an_app_by_its_name(person: Person) -> None:
    person.tap("Search")
    person.type("sett")
    assert not person.sees("Notes")
    person.phone.press_key(ENTER)

    assert person.phone.state().package == "com.android.settings"


def test_a_switch_in_the_settings_is_what_adb_reads_and_stays(person: Person) -> None:
    person.open("Settings", "Connected devices", "Bluetooth")
    assert person.phone.get_setting("global", "bluetooth_on") == "0"
    person.home()
    person.phone.clear_recents()
    person.open("Settings", "Connected devices")
    switch = next(node for node in person.nodes if node.checkable and node.content_desc == "Bluetooth")

    assert not switch.checked


def test_the_dark_theme_darkens_other_apps_too(person: Person) -> None:
    person.open("Notes")
    light = person.phone.screen().rgba
    person.phone.put_setting("secure", "ui_night_mode", "2")
    dark = person.phone.screen().rgba

    assert sum(dark[:4000]) < sum(light[:4000]) / 2


def test_a_hidden_part_of_a_list_is_not_dumped_until_it_is_scrolled_to(person: Person) -> None:
    person.open("Settings")
    assert not person.sees("About phone")
    person.scroll_to("About phone")
    person.tap("About phone")

    assert person.sees("Small Phone")


TOPICS = (
    ("Network & internet", "Hotspot"),
    ("Connected devices", "NFC"),
    ("Notifications", "Do not disturb"),
    ("Battery", "Battery Saver"),
    ("Storage", "128 GB total"),
    ("Sound & vibration", "Touch sounds"),
    ("Location", "Use location"),
    ("Accessibility", "Mono audio"),
    ("System", "Backup"),
    ("About phone", "Android version"),
)


@pytest.mark.parametrize(("topic", "row"), TOPICS)
def test_every_topic_of_the_settings_opens_and_goes_back(topic: str, row: str) -> None:
    with person_with("medium_phone") as person:
        person.open("Settings")
        person.scroll_to(topic)
        person.tap(topic)
        assert person.scroll_to(row)
        person.tap("Navigate up")

        assert person.sees("Search settings")


def test_a_search_of_the_settings_leaves_what_fits(person: Person) -> None:
    person.open("Settings")
    person.tap_field("search")
    person.type("blue")
    assert person.sees("Connected devices")
    assert not person.sees("Battery")
    person.type("berry")

    assert person.sees("Nothing found")


def test_another_wifi_is_joined_and_none_is_offered_when_it_is_off(person: Person) -> None:
    person.open("Settings", "Network & internet", "CityLibrary")
    assert person.phone.get_setting("global", "wifi_network") == "CityLibrary"
    person.tap("Wi-Fi")

    assert not person.sees("CityLibrary")


def test_a_choice_of_a_dialog_is_taken_and_shown(person: Person) -> None:
    person.open("Settings", "Display", "Screen timeout", "5 minutes")

    assert person.phone.get_setting("system", "screen_off_timeout") == "300000"
    assert person.sees("5 minutes")
    assert not person.sees("15 seconds")


def test_notifications_are_switched_for_each_app(person: Person) -> None:
    person.open("Settings", "Notifications")
    person.scroll_to("Notes")
    person.tap("Notes")

    assert person.phone.get_setting("secure", "notify_com.odyssey.notes") == "0"


def test_keys_move_the_cursor_and_write_signs() -> None:
    left, right, home, end, forward_delete = 21, 22, 122, 123, 112
    with person_with() as person:
        new_note(person)
        person.type("bcd")
        for code in (home, 29, end, 33, left, left, forward_delete, right, 56, 77, 8, 62):
            person.phone.press_key(code)

        assert person.field("title").text == "abce.@1 "


def test_text_that_is_sent_or_an_app_that_is_called_for_it_opens_there(person: Person) -> None:
    send = "android.intent.action.SEND"
    person.phone.start_activity("com.odyssey.notes", action=send, data="bring cake")
    assert person.field("body").text == "bring cake"
    with pytest.raises(LookupError, match="does not take"):
        person.phone.start_activity("com.android.settings", action=send, data="bring cake")


def test_an_empty_note_has_nothing_to_share_and_is_thrown_away(person: Person) -> None:
    new_note(person)
    person.back()
    person.tap("Share")
    assert person.sees("Nothing to share")
    person.tap("Navigate up")

    assert not person.sees("Nothing to share")
    assert not person.sees("Untitled")


def test_a_reader_of_the_screen_is_told_what_each_thing_is(person: Person) -> None:
    person.open("Notes", "Pancakes")
    assert person.find("Share").class_name == "android.widget.ImageButton"
    assert person.field("body").class_name == "android.widget.EditText"
    person.tap("More options", "Delete")
    assert person.find("Delete note?").class_name == "android.widget.TextView"
    buttons = [node for node in person.nodes if node.class_name == "android.widget.Button"]

    assert [button.content_desc for button in buttons] == ["Cancel", "Delete"]
