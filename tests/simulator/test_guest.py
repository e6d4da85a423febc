import threading
from collections.abc import Sequence
from pathlib import Path

import pytest

from odyssey_simulator.evdev import InputNode, RawEvent
from odyssey_simulator.evdev_names import ABS_MT_POSITION_Y, ABS_MT_TRACKING_ID
from tests.simulator.bench import touches_in
from tests.simulator.person import Person, guest_with


def touches(
    journal: Path, rotation: int, point: tuple[float, float], *, override: tuple[int, int] | None = None
) -> list[tuple[float, float]]:
    """Where a medium phone feels a finger that goes down and up at a position of its panel."""
    with guest_with("medium_phone", journal=journal) as guest:
        guest.phone.set_rotation(rotation)
        if override is not None:
            guest.phone.override_size(*override)
        for pressed in (True, False):
            guest.window_touch(*point, pressed=pressed)
    return [(x, y) for _, x, y in touches_in(journal)]


PANEL = None
TALLER, WIDER, SMALLER = (540, 2400), (1080, 1200), (720, 1600)


@pytest.mark.parametrize(
    ("rotation", "override", "point", "expected"),
    [
        (0, PANEL, (300, 900), (300, 900)),
        (1, PANEL, (300, 900), (900, 780)),
        (2, PANEL, (300, 900), (780, 1500)),
        (3, PANEL, (300, 900), (1500, 300)),
        (0, SMALLER, (300, 900), (200, 600)),
        (1, SMALLER, (300, 900), (600, 520)),
        (0, WIDER, (300, 601), (300, 1)),
        (0, WIDER, (300, 1799), (300, 1199)),
        (1, WIDER, (300, 900), (300, 780)),
        (0, TALLER, (271, 100), (1, 100)),
        (3, TALLER, (809, 2399), (0, 539)),
    ],
)
def test_touch_is_mapped_from_the_panel_to_the_image(
    tmp_path: Path, rotation: int, override: tuple[int, int] | None, point: tuple[int, int], expected: tuple[int, int]
) -> None:
    [down, up] = touches(tmp_path / "journal", rotation, point, override=override)
    assert down == up
    assert down == pytest.approx(expected, abs=1.5 if override else 0.2)


@pytest.mark.parametrize("rotation", [0, 1])
@pytest.mark.parametrize("corner", [(-50, -50), (1079, 2399), (5000, 5000)])
def test_touches_are_clamped_to_the_image(tmp_path: Path, rotation: int, corner: tuple[int, int]) -> None:
    width, height = (1080, 2400) if rotation % 2 == 0 else (2400, 1080)
    for x, y in touches(tmp_path / "journal", rotation, corner):
        assert 0 <= x < width
        assert 0 <= y < height


@pytest.mark.parametrize("point", [(300, 598), (300, 1801)])
def test_touch_outside_the_image_is_ignored(tmp_path: Path, point: tuple[int, int]) -> None:
    assert touches(tmp_path / "journal", 0, point, override=WIDER) == []


ESCAPE, MENU, F1, SEARCH, COMPOSE, UP, LEFT, DOWN = 0x01, 0x8B, 0x3B, 0xD9, 0x7F, 0x67, 0x69, 0x6C


def test_escape_is_back_and_menu_and_search_do_nothing() -> None:
    with guest_with("small_phone") as guest:
        person = Person(guest.phone)
        person.open("Notes", "New note")
        shown = guest.phone.screen().number
        for code in (MENU, F1, SEARCH, COMPOSE):
            guest.window_key(code)
        assert guest.phone.screen().number == shown
        guest.window_key(ESCAPE)
        assert not guest.phone.state().keyboard_shown
        guest.window_key(ESCAPE)
        assert guest.phone.state().activity == "com.odyssey.notes.MainActivity"


def test_cursor_keys_move_the_cursor_and_write_nothing() -> None:
    with guest_with("small_phone") as guest:
        person = Person(guest.phone)
        person.open("Notes", "New note")
        guest.window_text("bd")
        for code, text in ((LEFT, "c"), (UP, "a"), (DOWN, "e")):
            guest.window_key(code)
            guest.window_text(text)
        assert person.sees("abcde")


def test_wheel_lifts_its_finger_after_a_sixteenth_of_the_screen_and_returns_to_the_pointer() -> None:
    with guest_with("medium_phone") as guest:
        contacts: list[list[int]] = []
        moved, ended = threading.Semaphore(0), threading.Event()

        def read(_: InputNode, events: Sequence[RawEvent]) -> None:
            values = {event.code: event.value for event in events}
            if values.get(ABS_MT_TRACKING_ID, -1) >= 0:
                contacts.append([])
            if ABS_MT_POSITION_Y in values:
                contacts[-1].append(values[ABS_MT_POSITION_Y] * 2400 // 32767)
                moved.release()
            if values.get(ABS_MT_TRACKING_ID) == -1 and len(contacts) == 2:
                ended.set()

        guest.nodes.read(read, lambda: None)
        guest.window_wheel((540, 1200), (0, -2400 / 9))
        for _ in range(8):
            moved.acquire()
        guest.window_wheel((540, 1200), (0, -2400 / 9))
        assert ended.wait(60)

        first, second = contacts
        assert (first[0], second[0]) == (1199, 1199)
        assert 1200 - first[-1] >= 150
        assert (1200 - first[-1]) + (1200 - second[-1]) == pytest.approx(2 * 2400 / 9, abs=4)
