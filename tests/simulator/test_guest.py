import json
from pathlib import Path

import pytest

from odyssey_recorder.simulator.evdev import InputNodes
from odyssey_recorder.simulator.faults import Faults
from odyssey_recorder.simulator.guest import Guest
from odyssey_recorder.simulator.phone import Phone
from odyssey_recorder.simulator.profile import profile_named


def touches(profile: str, journal: Path, rotation: int, place: tuple[float, float]) -> list[tuple[float, float]]:
    """Where the phone feels a finger that comes down at a place of the panel and lifts there."""
    phone = Phone(profile_named(profile), animation=False, journal=journal)
    guest = Guest(phone, Faults(*(lambda: None,) * 3), InputNodes(), "test")
    phone.start()
    phone.set_rotation(rotation)
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
        assert (x, y) == pytest.approx(expected, abs=1.5)


@pytest.mark.parametrize("rotation", range(4))
@pytest.mark.parametrize("corner", [(-50, -50), (0, 0), (1079, 2399), (5000, 5000)])
def test_no_touch_leaves_the_picture(tmp_path: Path, rotation: int, corner: tuple[int, int]) -> None:
    width, height = (1080, 2400) if rotation % 2 == 0 else (2400, 1080)

    for x, y in touches("medium_phone", tmp_path / "journal", rotation, corner):
        assert 0 <= x < width
        assert 0 <= y < height
