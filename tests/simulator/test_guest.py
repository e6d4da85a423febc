import json
from pathlib import Path

import pytest

from odyssey_recorder.simulator.evdev import InputNodes
from odyssey_recorder.simulator.faults import Faults
from odyssey_recorder.simulator.guest import Guest
from odyssey_recorder.simulator.phone import Phone
from odyssey_recorder.simulator.profile import profile_named


def touches(
    profile: str,
    journal: Path,
    rotation: int,
    place: tuple[float, float],
    *,
    override: tuple[int, int] | None = None,
) -> list[tuple[float, float]]:
    """Where the emulator registers a finger that goes down and up at a position of the panel."""
    phone = Phone(profile_named(profile), animation=False, journal=journal)
    guest = Guest(phone, Faults(*(lambda: None,) * 3), InputNodes(), "test")
    phone.start()
    phone.set_rotation(rotation)
    if override is not None:
        phone.override_size(*override)
    guest.window_touch(*place, pressed=True)
    guest.window_touch(*place, pressed=False)
    phone.stop()
    told = [json.loads(line).get("input", "") for line in journal.read_text().splitlines()]
    places = [words.split()[2].split(",") for words in told if words.startswith("touch ")]
    return [(float(x), float(y)) for x, y in places]


@pytest.mark.parametrize(
    ("rotation", "expected"), [(0, (300, 900)), (1, (900, 780)), (2, (780, 1500)), (3, (1500, 300))]
)
def test_the_window_turns_with_the_phone_while_the_panel_does_not(
    tmp_path: Path, rotation: int, expected: tuple[int, int]
) -> None:
    felt = touches("medium_phone", tmp_path / "journal", rotation, (300, 900))

    assert len(felt) == 2
    for x, y in felt:
        assert (x, y) == pytest.approx(expected, abs=0.2)


@pytest.mark.parametrize("rotation", range(4))
@pytest.mark.parametrize("corner", [(-50, -50), (0, 0), (1079, 2399), (5000, 5000)])
def test_no_touch_leaves_the_picture(tmp_path: Path, rotation: int, corner: tuple[int, int]) -> None:
    width, height = (1080, 2400) if rotation % 2 == 0 else (2400, 1080)

    for x, y in touches("medium_phone", tmp_path / "journal", rotation, corner):
        assert 0 <= x < width
        assert 0 <= y < height


@pytest.mark.parametrize(
    ("rotation", "override", "place", "expected"),
    [
        (0, (720, 1600), (300, 900), (200, 600)),
        (1, (720, 1600), (300, 900), (600, 520)),
        (0, (1080, 1200), (300, 601), (300, 1)),
        (0, (1080, 1200), (300, 1799), (300, 1199)),
        (1, (1080, 1200), (300, 900), (300, 780)),
        (0, (540, 2400), (271, 100), (1, 100)),
        (3, (540, 2400), (809, 2399), (0, 539)),
    ],
)
def test_a_picture_of_another_size_is_touched_where_it_lies_on_the_panel(
    tmp_path: Path, rotation: int, override: tuple[int, int], place: tuple[int, int], expected: tuple[int, int]
) -> None:
    [down, up] = touches("medium_phone", tmp_path / "journal", rotation, place, override=override)

    assert down == up
    assert down == pytest.approx(expected, abs=1.5)


@pytest.mark.parametrize("place", [(300, 598), (300, 1801)])
def test_a_finger_beside_the_picture_is_not_felt(tmp_path: Path, place: tuple[int, int]) -> None:
    assert touches("medium_phone", tmp_path / "journal", 0, place, override=(1080, 1200)) == []
