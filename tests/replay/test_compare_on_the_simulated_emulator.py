"""Where drift ends and divergence begins, on screens of the simulated emulator, from the smallest to the largest."""

from collections.abc import Iterator

import pytest
from PIL import Image

from odyssey_recorder.model.geometry import Size
from odyssey_recorder.replay.compare import StepVerdict, Tolerance, compare
from tests.simulator.person import Person, person_with


@pytest.fixture(params=["small_phone", pytest.param("pixel_7_pro", marks=pytest.mark.soak), "pixel_tablet"])
def person(request: pytest.FixtureRequest) -> Iterator[Person]:
    with person_with(request.param) as person:
        yield person


def screenshot(person: Person) -> Image.Image:
    screen = person.phone.screen()
    return Image.frombytes("RGBA", (screen.width, screen.height), screen.rgba).convert("RGB")


def verdict(person: Person, before: Image.Image) -> StepVerdict:
    density = person.phone.profile.density
    tolerance = Tolerance.for_screen(Size(*before.size), density)
    return compare(before, screenshot(person), status_bar_px=24 * density // 160, tolerance=tolerance).verdict


def test_changed_screen_drifts_and_other_screen_diverges(person: Person) -> None:
    person.open("Settings", "Connected devices")
    connected = screenshot(person)
    person.tap("NFC")
    assert verdict(person, connected) is StepVerdict.DRIFT, "a switch was toggled"
    person.back()
    person.tap("Display")
    assert verdict(person, connected) is StepVerdict.DIVERGED, "another page"

    person.open("Notes")
    notes = screenshot(person)
    person.tap("Book club")
    book_club = screenshot(person)
    person.back()
    assert verdict(person, notes) is StepVerdict.MATCH, "the same screen again"
    person.tap("Packing list")
    assert verdict(person, book_club) is StepVerdict.DIVERGED, "another note"
    person.back()
    person.tap("New note")
    before = screenshot(person)
    person.type("about the trip")
    assert verdict(person, before) is StepVerdict.DRIFT, "a word was typed"
    person.open("Notes")
    assert verdict(person, notes) is StepVerdict.DIVERGED, "a note more"
