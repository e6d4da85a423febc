"""Six devices, rotated and folded, over the control service: frame, live finger and emulator agree to a pixel."""

import hashlib
import json
from collections.abc import Iterator
from itertools import product
from math import floor
from random import Random

import pytest

from odyssey_recorder.gesture.touch import TouchStroke
from odyssey_recorder.model.geometry import Pixel, Rotation, Size
from odyssey_recorder.simulator.adb_server import PrivateAdbServer
from odyssey_recorder.simulator.profile import PROFILES
from tests.device.bench import DeviceBench, start_bench

TARGETS = 50
STILL_PAGE = "com.odyssey.calculator"
"""An app that does not scroll: moving a finger over it draws nothing."""


@pytest.fixture(scope="module", params=PROFILES)
def bench(
    request: pytest.FixtureRequest, adb_server: PrivateAdbServer, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[DeviceBench]:
    bench = start_bench(str(request.param), adb_server, tmp_path_factory.mktemp("running"))
    try:
        bench.emulator.phone.start_activity(STILL_PAGE)
        yield bench
    finally:
        bench.device.close()
        bench.emulator.stop()


def postures(bench: DeviceBench) -> list[tuple[str, Rotation]]:
    names = [posture.name for posture in bench.emulator.phone.profile.postures]
    return list(product(names or [""], Rotation))


def hold(bench: DeviceBench, posture: str, rotation: Rotation) -> Size:
    phone = bench.emulator.phone
    if posture:
        phone.set_posture(posture)
    phone.set_rotation(rotation)
    bench.device.capture()
    bench.device.screen_state()
    bench.wait_until(lambda: bench.device.follows_finger)
    state = phone.state()
    return Size(state.size.width, state.size.height)


def targets(size: Size, seed: object) -> list[Pixel]:
    corners = [Pixel(x, y) for x in (0, size.width - 1) for y in (0, size.height - 1)]
    random = Random(str(seed))
    others = [Pixel(random.randrange(size.width), random.randrange(size.height)) for _ in range(TARGETS - len(corners))]
    return [*others, *corners]


def felt(bench: DeviceBench, count: int) -> list[Pixel]:
    places = [words.split()[2].split(",") for words in bench.inputs() if words.startswith("touch ")]
    return [Pixel(floor(float(x)), floor(float(y))) for x, y in places[-count:]]


def shown(bench: DeviceBench) -> str:
    entries = [json.loads(line) for line in (bench.folder / "journal.jsonl").read_text().splitlines()]
    return str([entry["rgb_sha256"] for entry in entries if "rgb_sha256" in entry][-1])


def near(one: Pixel, other: Pixel) -> bool:
    """Within a pixel on both axes, because the emulator rounds down to axis values."""
    return abs(one.x - other.x) <= 1 and abs(one.y - other.y) <= 1


def test_picture_live_finger_and_stroke_agree_however_the_device_is_held(bench: DeviceBench) -> None:
    for posture, rotation in postures(bench):
        size = hold(bench, posture, rotation)
        places = targets(size, (posture, rotation))

        frame, drawn = bench.device.capture(), shown(bench)
        for place in places:
            bench.device.put_finger(place)
        bench.device.lift_finger()
        led = felt(bench, TARGETS + 1)[:TARGETS]
        bench.device.touch(TouchStroke.press(places[0]))
        tapped = felt(bench, 2)

        assert (frame.source, frame.size, frame.rotation) == ("gRPC", size, rotation)
        assert hashlib.sha256(frame.image().tobytes()).hexdigest() == drawn
        assert all(near(at, place) for at, place in zip(led, places, strict=True)), (posture, rotation)
        assert all(near(at, places[0]) for at in tapped), (posture, rotation)


def test_where_apps_see_another_size_than_the_panel_pictures_and_fingers_go_over_adb(bench: DeviceBench) -> None:
    phone = bench.emulator.phone
    phone.override_size(700, 1000)
    for rotation in Rotation:
        phone.set_rotation(rotation)
        bench.device.screen_state()
        place = targets(Size(700, 700), rotation)[0]

        frame = bench.device.capture()
        bench.device.touch(TouchStroke.press(place))

        assert (frame.source, bench.device.follows_finger) == ("screencap", False)
        assert frame.size == (Size(1000, 700) if rotation % 2 else Size(700, 1000))
        assert felt(bench, 2) == [place, place]
    phone.reset_size()
