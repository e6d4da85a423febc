"""Pages of Settings that change by themselves, and the field that accessibility cannot read."""

from tests.cli import wait_until
from tests.simulator.person import Person


def open_row(person: Person, *rows: str) -> None:
    person.open("Settings")
    for text in rows:
        person.scroll_to(text)
        person.tap(text)


def keeps_moving(person: Person) -> bool:
    before = person.phone.screen().number
    wait_until(lambda: person.phone.screen().number > before + 1)
    return True


def test_screen_saver_moves_until_tapped(person: Person) -> None:
    open_row(person, "Display", "Screen saver")
    assert keeps_moving(person)
    person.tap("Screen saver")

    assert person.sees("Screen timeout")
    left = person.phone.screen()
    person.phone.press_key(0)
    assert person.phone.screen() is left


def test_screen_saver_pauses_while_hidden(person: Person) -> None:
    open_row(person, "Display", "Screen saver")
    snapshot = person.phone.save_snapshot()
    person.home()
    still = person.phone.screen()
    person.phone.press_key(0)
    assert person.phone.screen() is still

    person.phone.start_activity("com.android.settings")
    assert keeps_moving(person)
    person.home()
    person.phone.load_snapshot(snapshot)
    assert keeps_moving(person)


def test_spinner_stops_after_a_while(person: Person) -> None:
    open_row(person, "System", "System update")
    first_frame = person.phone.screen().number
    assert person.sees("Checking for update")
    wait_until(lambda: person.sees("Your system is up to date"))
    assert 1 < person.phone.screen().number - first_frame <= 20


def test_password_is_masked_in_the_view_hierarchy(person: Person) -> None:
    open_row(person, "Network & internet", "Add network")
    person.type("Attic")
    person.tap_field("password")
    person.type("secret 1")

    field = person.field("password")
    assert field.password
    assert field.text == "•" * 8
    person.tap("Save")
    assert person.scroll_to("Attic")
