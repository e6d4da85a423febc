"""Pages of Settings that change by themselves, and the field that accessibility cannot read."""

from tests.simulator.person import Person, wait_until


def open_row(person: Person, *rows: str) -> None:
    person.open("Settings")
    for words in rows:
        person.scroll_to(words)
        person.tap(words)


def moves_on(person: Person) -> bool:
    before = person.phone.screen().number
    wait_until(lambda: person.phone.screen().number > before + 1)
    return True


def test_the_screen_saver_never_rests_until_it_is_tapped(person: Person) -> None:
    open_row(person, "Display", "Screen saver")
    assert moves_on(person)
    person.tap("Screen saver")

    assert person.sees("Screen timeout")
    left = person.phone.screen()
    person.phone.press_key(0)
    assert person.phone.screen() is left


def test_the_screen_saver_stops_where_it_cannot_be_seen_and_goes_on_afterwards(person: Person) -> None:
    open_row(person, "Display", "Screen saver")
    snapshot = person.phone.save_snapshot()
    person.home()
    still = person.phone.screen()
    person.phone.press_key(0)
    assert person.phone.screen() is still

    person.phone.start_activity("com.android.settings")
    assert moves_on(person)
    person.home()
    person.phone.load_snapshot(snapshot)
    assert moves_on(person)


def test_the_spinner_turns_for_a_while_and_then_the_page_rests(person: Person) -> None:
    open_row(person, "System", "System update")
    begun = person.phone.screen().number
    assert person.sees("Checking for update")

    wait_until(lambda: person.sees("Your system is up to date"))

    assert 1 < person.phone.screen().number - begun <= 20


def test_a_password_cannot_be_read_from_the_view_tree(person: Person) -> None:
    open_row(person, "Network & internet", "Add network")
    person.type("Attic")
    person.tap_field("password")
    person.type("secret 1")

    field = person.field("password")
    assert field.password
    assert field.text == "•" * 8
    person.tap("Save")
    assert person.scroll_to("Attic")
