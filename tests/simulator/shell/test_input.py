import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from odyssey_recorder.simulated.private_adb_server import PrivateAdbServer
from odyssey_simulator.shell.input import key_code
from tests.simulator.bench import Bench, inputs_in, launch, touches_in


@dataclass(frozen=True)
class JournaledBench(Bench):
    journal: Path
    start: int = 0

    def inputs(self) -> list[str]:
        """The inputs since the test began."""
        return inputs_in(self.journal, self.start)

    def points(self) -> list[tuple[str, float, float]]:
        return touches_in(self.journal, self.start)


@pytest.fixture(scope="module")
def emulator(adb_server: PrivateAdbServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[JournaledBench]:
    journal = tmp_path_factory.mktemp("journal") / "journal.jsonl"
    emulator = launch(adb_server, "small_phone", journal=journal).emulator
    yield JournaledBench(adb_server, emulator, journal)
    emulator.stop()


@pytest.fixture
def phone(emulator: JournaledBench) -> JournaledBench:
    return replace(emulator, start=emulator.journal.stat().st_size)


@pytest.mark.parametrize("prefix", ["", "touchscreen ", "-d 0 ", "touchscreen -d 0 ", "stylus "])
def test_tap_goes_down_and_up_at_one_point(phone: JournaledBench, prefix: str) -> None:
    phone.shell(f"input {prefix}tap 100 200.5")
    assert phone.points() == [("down", 100, 200.5), ("up", 100, 200.5)]


def test_swipe_moves_along_a_line_for_its_duration(phone: JournaledBench) -> None:
    start_s = time.monotonic()
    phone.shell("input swipe 100 100 300 500 200")

    assert time.monotonic() - start_s >= 0.2
    (down, *moves, up) = phone.points()
    assert (down, up) == (("down", 100, 100), ("up", 300, 500))
    assert len(moves) > 1
    assert [phase for phase, _, _ in moves] == ["move"] * len(moves)
    assert [x for _, x, _ in moves] == sorted(x for _, x, _ in moves)
    assert all(abs((y - 100) - 2 * (x - 100)) < 0.1 for _, x, y in moves)


def test_drag_and_drop_holds_before_moving(phone: JournaledBench) -> None:
    start_s = time.monotonic()
    phone.shell("input draganddrop 10 10 20 20 100")
    assert time.monotonic() - start_s >= 0.6


def test_motion_event_is_a_single_phase(phone: JournaledBench) -> None:
    phone.shell("input motionevent DOWN 5 6; input motionevent MOVE 7 8; input motionevent CANCEL 7 8")
    assert phone.points() == [("down", 5, 6), ("move", 7, 8), ("cancel", 7, 8)]


def test_keys_are_pressed_by_name_or_number(phone: JournaledBench) -> None:
    phone.shell("input keyevent KEYCODE_HOME 4; input keyevent --longpress APP_SWITCH; input keyevent 66")
    assert phone.inputs() == ["key 3", "key 4", "key 187 long", "key 66"]


@pytest.mark.parametrize(
    ("name", "code"),
    [("HOME", 3), ("KEYCODE_A", 29), ("keycode_enter", 66), ("DEL", 67), ("ESCAPE", 111), ("PASTE", 279), ("187", 187)],
)
def test_key_names_have_android_key_codes(name: str, code: int) -> None:
    assert key_code(name) == code


def test_percent_s_is_typed_as_a_space(phone: JournaledBench) -> None:
    phone.shell("""input text 'a%sb "c" $d & ;\\'""")
    assert phone.inputs() == ['text a b "c" $d & ;\\']


@pytest.mark.parametrize("text", ["é", "a😀"])
def test_non_ascii_text_is_rejected_like_on_a_real_device(phone: JournaledBench, text: str) -> None:
    completed = phone.adb("shell", f"input text '{text}'")
    assert completed.returncode == 255
    assert b"Exception occurred while executing 'text':\njava.lang.NullPointerException" in completed.stderr
    assert phone.inputs() == []


@pytest.mark.parametrize(
    "line",
    [
        *("input", "input dance", "input tap 1", "input tap a b", "input swipe 1 2 3", "input keyevent NO_SUCH_KEY"),
        *("input text", "input motionevent JUMP 1 2", "input keycombination 3"),
    ],
)
def test_invalid_input_command_is_rejected(phone: JournaledBench, line: str) -> None:
    assert phone.adb("shell", line).returncode == 255
    assert phone.inputs() == []


def test_input_is_handled_before_its_command_returns(phone: JournaledBench) -> None:
    phone.shell("am start -n com.android.settings/.Settings")
    assert phone.emulator.phone.state().package == "com.android.settings"
    phone.shell("input keyevent HOME")
    assert phone.emulator.phone.state().package == "com.android.launcher3"
