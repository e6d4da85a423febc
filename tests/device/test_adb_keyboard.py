import threading
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import pytest

from odyssey_recorder.device.adb import AdbDevice
from odyssey_recorder.device.adb_keyboard import ADB_KEYBOARD, broadcast_commands, is_open
from odyssey_recorder.device.adb_shell import AdbShell
from odyssey_recorder.device.view_hierarchy import focused_text, parse
from odyssey_recorder.errors import DeviceDisconnectedError, InputRefusedError
from odyssey_simulator.faults import KeyboardFaults
from tests.device.bench import DeviceBench
from tests.simulator.person import Person

SCRIPTS = {
    "chinese": "明天下午三点在图书馆见面",
    "right to left": "مرحبا بالعالم שלום \u200f!",
    "emoji": "👩\u200d👩\u200d👧 🏳️\u200d🌈 🇩🇪",
    "combining": "e\u0301 a\u0323\u0302 क्षि \u1112\u1161\u11ab",
    "shell words": "“$(reboot)” `ls` '\"; rm -rf ~ — é",
    "lines": "first é\n\nthird",
    "markup": "<a href=\"é\">'&amp;'</a>  two \tspaces ",
}


@dataclass(frozen=True)
class Note:
    """A new note, with the cursor in its empty body."""

    bench: DeviceBench
    folder: Path

    def device(self) -> AdbDevice:
        return AdbDevice(AdbShell(self.bench.device.serial, self.bench.server, answer_s=20), kept=self.folder)

    def install(self) -> None:
        self.bench.emulator.phone.with_input_methods(lambda known: known.install(ADB_KEYBOARD))

    def choose(self, method: str) -> None:
        self.bench.emulator.phone.with_input_methods(lambda known: known.enable(method))
        self.bench.emulator.phone.with_input_methods(lambda known: known.choose(method))

    @property
    def text(self) -> str | None:
        return focused_text(parse(self.bench.device.view_hierarchy()))

    @property
    def keyboard(self) -> str | None:
        return self.bench.emulator.phone.get_setting("secure", "default_input_method")

    @property
    def keyboards(self) -> list[str]:
        return self.bench.emulator.phone.with_input_methods(lambda known: known.enabled)


@pytest.fixture
def note(bench: DeviceBench, tmp_path: Path) -> Note:
    person = Person(bench.emulator.phone)
    person.open("Notes")
    person.tap("New note")
    person.tap_field("body")
    return Note(bench, tmp_path / "kept")


def test_text_of_any_script_arrives_and_keyboard_is_restored(note: Note) -> None:
    note.install()
    own, device = note.keyboard, note.device()

    typed = ""
    for text in SCRIPTS.values():
        device.check_text(text)
        device.type_text(text)
        typed += text
        assert note.text == typed

    assert (note.keyboard, note.keyboards) == (own, [own])
    assert list(note.folder.iterdir()) == []


def test_text_is_split_into_short_commands() -> None:
    text = "\N{GRINNING FACE}" * 1234 + "\nx"

    commands = broadcast_commands(text)

    assert "".join(piece for piece, _ in commands) == text
    assert max(len(command) for _, command in commands) < 4096
    assert commands[-2:] == [
        ("\n", "input keyevent 66"),
        ("x", "am broadcast -p com.android.adbkeyboard -a ADB_INPUT_B64 --es msg eA=="),
    ]


def test_text_is_refused_without_adbkeyboard(note: Note) -> None:
    message = r"'é', character 4 .* cannot be typed over adb, .* Nothing was typed\. .* install ADBKeyBoard"
    for refuse in (note.device().check_text, note.device().type_text):
        with pytest.raises(InputRefusedError, match=message):
            refuse("café")
    assert note.keyboard != ADB_KEYBOARD
    assert not note.folder.exists()


def test_half_a_character_is_refused(note: Note) -> None:
    note.install()
    with pytest.raises(InputRefusedError, match=r"'\\ud83d', character 3"):
        note.device().check_text("ab\ud83d")
    with pytest.raises(InputRefusedError):
        note.bench.device.check_text("é")  # this connection has no folder to save the keyboard in


def test_keyboard_stays_if_it_cannot_be_saved(note: Note) -> None:
    note.install()
    own = note.keyboard
    note.folder.write_text("a file in its place")
    with pytest.raises(InputRefusedError, match=r"keyboard of emulator-\d+ cannot be saved in .*Nothing was typed"):
        note.device().type_text("é")
    assert (note.keyboard, note.text) == (own, "")


@pytest.mark.parametrize("adb_keyboard_chosen", [True, False])
def test_enabled_and_chosen_keyboards_are_kept(note: Note, adb_keyboard_chosen: bool) -> None:
    note.install()
    own = note.keyboard
    assert own is not None
    note.choose(ADB_KEYBOARD)
    chosen = ADB_KEYBOARD if adb_keyboard_chosen else own
    note.choose(chosen)

    note.device().type_text("é")

    assert note.text == "é"
    assert (note.keyboard, note.keyboards) == (chosen, [own, ADB_KEYBOARD])


def test_keyboard_is_restored_when_typing_is_refused(note: Note) -> None:
    note.install()
    own, device = note.keyboard, note.device()
    note.bench.refuse_input()
    with pytest.raises(InputRefusedError):
        device.type_text("é\n")
    assert note.keyboard == own


def test_keyboard_is_restored_at_next_connect_after_a_crash(note: Note) -> None:
    note.install()
    own, crashing = note.keyboard, note.device()

    def type_until_the_crash() -> None:
        # The connection is lost before the first piece of the text arrives, or after some have.
        with suppress(DeviceDisconnectedError, InputRefusedError):
            crashing.type_text("é" * 100_000)

    typing = threading.Thread(target=type_until_the_crash)
    typing.start()
    while note.keyboard != ADB_KEYBOARD:
        note.bench.device.input_nodes()
    crashing.close()
    typing.join(timeout=60)
    assert note.keyboard == ADB_KEYBOARD

    note.device().wait_until_ready(20)

    assert (note.keyboard, note.keyboards) == (own, [own])
    assert list(note.folder.iterdir()) == []


def test_keyboard_of_android_16_is_recognised(note: Note) -> None:
    note.install()
    own = note.keyboard
    note.bench.emulator.faults.keyboards.api_36 = True

    note.device().type_text("é")

    assert (note.text, note.keyboard, note.keyboards) == ("é", own, [own])


def test_published_answer_of_android_16_is_open() -> None:
    answer = (Path(__file__).parent / "data" / "public_reports" / "input_method_api36.txt").read_text()
    assert is_open(answer)
    for spoiled in ("mHasMainConnection=", "mBoundToMethod="):
        assert not is_open(answer.replace(f"{spoiled}true", f"{spoiled}false"))
    assert not is_open(answer.replace("mCurId=com.android.adbkeyboard/.AdbIME", "mCurId=null"))


def test_release_that_does_not_work_on_android_16_is_named(note: Note) -> None:
    note.install()
    note.bench.emulator.faults.keyboards = KeyboardFaults(api_36=True, version="2.4-dev")
    own = note.keyboard
    with pytest.raises(
        InputRefusedError, match=r"ADBKeyBoard 2\.4-dev .*Android 16.*Install v2\.5-dev.*Nothing was typed"
    ):
        note.device().type_text("é")
    assert note.keyboard == own


def test_refused_list_of_keyboards_is_replaced_by_the_setting(note: Note) -> None:
    note.install()
    note.choose(ADB_KEYBOARD)
    note.choose(own := note.keyboards[0])
    note.bench.emulator.faults.keyboards.refuses_list = True

    note.device().type_text("é")

    assert (note.text, note.keyboard, note.keyboards) == ("é", own, [own, ADB_KEYBOARD])


def test_keyboard_that_is_enabled_late_is_waited_for(note: Note) -> None:
    note.install()
    own = note.keyboard
    note.bench.emulator.faults.keyboards.slow_attempts = 3

    note.device().type_text("é")

    assert (note.text, note.keyboard, note.keyboards) == ("é", own, [own])
