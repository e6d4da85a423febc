"""What Android shows over an app by itself: who has read the clipboard, and the offer of a stylus."""

from collections.abc import Iterator

import pytest

from odyssey_simulator.phone import Phone
from odyssey_simulator.profile import profile_named
from tests.cli import wait_until
from tests.simulator.person import Person

PASTE, PASTED, STYLUS = 279, "{} pasted from your clipboard", "Try out your stylus"
HINT = "Note"
NOTICES = ("secure", "clipboard_show_access_notifications")
OFFER = ("secure", "stylus_handwriting_enabled")


@pytest.fixture
def person() -> Iterator[Person]:
    """Of a phone with Android's defaults."""
    phone = Phone(profile_named("small_phone"), animation=False)
    phone.start()
    yield Person(phone)
    phone.stop()


def new_note(person: Person) -> None:
    person.open("Notes")
    person.tap("New note")


def test_first_tap_on_a_field_offers_a_stylus_that_takes_the_text(person: Person) -> None:
    new_note(person)
    person.tap_field("body")
    assert person.sees(STYLUS)
    person.phone.type_text("lost")
    assert (person.field("body").text, person.sees(STYLUS)) == (HINT, True)

    person.tap(STYLUS)

    assert not person.sees(STYLUS)
    person.tap_field("body")
    person.phone.type_text("kept")
    assert person.field("body").text == "kept"


def test_back_closes_the_offer_of_a_stylus(person: Person) -> None:
    new_note(person)
    person.tap_field("body")
    person.back()
    assert (person.sees(STYLUS), person.sees("Notes")) == (False, False)


def test_pasting_is_told_once_per_app_and_clip(person: Person) -> None:
    person.phone.put_setting(*OFFER, "0")
    new_note(person)
    person.tap_field("body")
    for clip in ("one", "two"):
        person.phone.set_clipboard(clip)
        person.phone.press_key(PASTE)
        assert person.sees(PASTED.format("Notes"))
        wait_until(lambda: not person.sees(PASTED.format("Notes")))
        person.phone.press_key(PASTE)
        assert not person.sees(PASTED.format("Notes"))
    assert person.field("body").text == "oneonetwotwo"


def test_nothing_is_told_of_an_apps_own_clip(person: Person) -> None:
    person.phone.put_setting(*OFFER, "0")
    new_note(person)
    person.tap_field("body")
    person.phone.type_text("own")
    person.hold("own")
    person.tap("Copy")
    person.phone.press_key(PASTE)
    assert (person.field("body").text, person.sees(PASTED.format("Notes"))) == ("ownown", False)


def test_settings_turn_both_off(person: Person) -> None:
    for name in (NOTICES, OFFER):
        person.phone.put_setting(*name, "0")
    new_note(person)
    person.tap_field("body")
    person.phone.set_clipboard("text")
    person.phone.press_key(PASTE)
    assert person.field("body").text == "text"
    assert not person.sees(STYLUS)
    assert not person.sees(PASTED.format("Notes"))
