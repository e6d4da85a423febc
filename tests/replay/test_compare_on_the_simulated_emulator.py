"""Where drift ends and divergence begins, on screens of the simulated emulator, from the smallest to the largest."""

from collections.abc import Iterator

import pytest
from PIL import Image

from odyssey_recorder.model.geometry import Size
from odyssey_recorder.replay.compare import StepVerdict, Tolerance, compare
from odyssey_recorder.simulator.phone import Phase, Phone
from odyssey_recorder.simulator.profile import profile_named

BACK = 4


@pytest.fixture(params=["small_phone", "pixel_7_pro", "pixel_tablet"])
def phone(request: pytest.FixtureRequest) -> Iterator[Phone]:
    phone = Phone(profile_named(request.param), animation=False)
    phone.start()
    yield phone
    phone.stop()


def tap(phone: Phone, label: str) -> None:
    node = next(node for node in phone.view_hierarchy().walk() if label in (node.text, node.content_desc))
    x, y = (node.bounds.left + node.bounds.right) // 2, (node.bounds.top + node.bounds.bottom) // 2
    phone.touch(Phase.DOWN, x, y)
    phone.touch(Phase.UP, x, y)


def screenshot(phone: Phone) -> Image.Image:
    screen = phone.screen()
    return Image.frombytes("RGBA", (screen.width, screen.height), screen.rgba).convert("RGB")


def verdict(phone: Phone, one: Image.Image, other: Image.Image) -> StepVerdict:
    density = phone.profile.density
    tolerance = Tolerance.for_screen(Size(*one.size), density)
    return compare(one, other, status_bar_px=24 * density // 160, tolerance=tolerance).verdict


def test_what_changes_on_a_screen_is_a_drift_and_another_screen_diverges(phone: Phone) -> None:
    phone.start_activity("com.android.settings")
    tap(phone, "Connected devices")
    connected = screenshot(phone)
    tap(phone, "NFC")
    assert verdict(phone, connected, screenshot(phone)) is StepVerdict.DRIFT, "a switch was toggled"
    phone.press_key(BACK)
    tap(phone, "Display")
    assert verdict(phone, connected, screenshot(phone)) is StepVerdict.DIVERGED, "another page"

    phone.start_activity("com.odyssey.notes")
    notes = screenshot(phone)
    tap(phone, "Book club")
    book_club = screenshot(phone)
    phone.press_key(BACK)
    assert verdict(phone, notes, screenshot(phone)) is StepVerdict.MATCH, "the same screen again"
    tap(phone, "Packing list")
    assert verdict(phone, book_club, screenshot(phone)) is StepVerdict.DIVERGED, "another note"
    phone.press_key(BACK)
    tap(phone, "New note")
    before = screenshot(phone)
    phone.type_text("about the trip")
    assert verdict(phone, before, screenshot(phone)) is StepVerdict.DRIFT, "a word was typed"
