import json
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from odyssey_recorder.simulator.adb_server import PrivateAdbServer
from odyssey_recorder.simulator.emulator import SimulatedEmulator
from odyssey_recorder.simulator.phone import Phone
from odyssey_recorder.simulator.profile import profile_named
from odyssey_recorder.simulator.shell.input import key_code
from tests.simulator.bench import Bench


@dataclass(frozen=True)
class Journalled(Bench):
    journal: Path
    start: int = 0

    def told(self) -> list[str]:
        """The inputs since the test began."""
        entries = [json.loads(line) for line in self.journal.read_bytes()[self.start :].splitlines()]
        return [entry["input"] for entry in entries if "input" in entry]

    def points(self) -> list[tuple[str, float, float]]:
        touches = [words.split() for words in self.told() if words.startswith("touch ")]
        return [(phase, *map(float, place.split(","))) for _, phase, place in touches]  # type: ignore[misc]


@pytest.fixture(scope="module")
def emulator(adb_server: PrivateAdbServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Journalled]:
    journal = tmp_path_factory.mktemp("journal") / "journal.jsonl"
    simulated = Phone(profile_named("small_phone"), animation=False, journal=journal)
    with SimulatedEmulator(simulated, adb_server_port=adb_server.port) as running:
        bench = Journalled(adb_server, running, journal)
        bench.adb("wait-for-device")
        yield bench


@pytest.fixture
def phone(emulator: Journalled) -> Journalled:
    return replace(emulator, start=emulator.journal.stat().st_size)


@pytest.mark.parametrize("prefix", ["", "touchscreen ", "-d 0 ", "touchscreen -d 0 ", "stylus "])
def test_a_tap_goes_down_and_up_at_its_place(phone: Journalled, prefix: str) -> None:
    phone.shell(f"input {prefix}tap 100 200.5")

    assert phone.points() == [("down", 100, 200.5), ("up", 100, 200.5)]


def test_a_swipe_takes_its_time_and_moves_along_a_line(phone: Journalled) -> None:
    begin = time.monotonic()
    phone.shell("input swipe 100 100 300 500 200")

    assert time.monotonic() - begin >= 0.2
    (down, *moves, up) = phone.points()
    assert (down, up) == (("down", 100, 100), ("up", 300, 500))
    assert len(moves) > 1
    assert [phase for phase, _, _ in moves] == ["move"] * len(moves)
    assert [x for _, x, _ in moves] == sorted(x for _, x, _ in moves)
    assert all(abs((y - 100) - 2 * (x - 100)) < 0.1 for _, x, y in moves)


def test_drag_and_drop_holds_before_it_moves(phone: Journalled) -> None:
    begin = time.monotonic()

    phone.shell("input draganddrop 10 10 20 20 100")

    assert time.monotonic() - begin >= 0.6


def test_motion_events_are_one_phase_each(phone: Journalled) -> None:
    phone.shell("input motionevent DOWN 5 6; input motionevent MOVE 7 8; input motionevent CANCEL 7 8")

    assert phone.points() == [("down", 5, 6), ("move", 7, 8), ("cancel", 7, 8)]


def test_keys_go_by_name_or_number(phone: Journalled) -> None:
    phone.shell("input keyevent KEYCODE_HOME 4; input keyevent --longpress APP_SWITCH; input keyevent 66")

    assert phone.told() == ["key 3", "key 4", "key 187 long", "key 66"]


@pytest.mark.parametrize(
    ("name", "code"),
    [("HOME", 3), ("KEYCODE_A", 29), ("keycode_enter", 66), ("DEL", 67), ("ESCAPE", 111), ("PASTE", 279), ("187", 187)],
)
def test_key_names_have_androids_codes(name: str, code: int) -> None:
    assert key_code(name) == code


def test_text_is_typed_with_its_percent_s_as_spaces(phone: Journalled) -> None:
    phone.shell("""input text 'a%sb "c" $d & ;\\'""")

    assert phone.told() == ['text a b "c" $d & ;\\']


@pytest.mark.parametrize("text", ["é", "a😀"])
def test_text_beyond_ascii_is_refused_as_on_a_real_device(phone: Journalled, text: str) -> None:
    done = phone.adb("shell", f"input text '{text}'")

    assert done.returncode == 255
    assert b"Exception occurred while executing 'text':\njava.lang.NullPointerException" in done.stderr
    assert phone.told() == []


@pytest.mark.parametrize(
    "line",
    [
        *("input", "input dance", "input tap 1", "input tap a b", "input swipe 1 2 3", "input keyevent NO_SUCH_KEY"),
        *("input text", "input motionevent JUMP 1 2", "input keycombination 3"),
    ],
)
def test_what_input_cannot_read_is_refused(phone: Journalled, line: str) -> None:
    assert phone.adb("shell", line).returncode == 255
    assert phone.told() == []


def test_an_input_has_been_handled_when_its_command_returns(phone: Journalled) -> None:
    phone.shell("am start -n com.android.settings/.Settings")
    assert phone.emulator.phone.state().package == "com.android.settings"

    phone.shell("input keyevent HOME")

    assert phone.emulator.phone.state().package == "com.android.launcher3"
