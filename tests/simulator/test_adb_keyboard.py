"""ADBKeyBoard and the clipboard, with the text read back from the view hierarchy."""

import base64
import xml.etree.ElementTree as ET

import pytest

from tests.simulator.bench import Bench
from tests.simulator.person import Person

ADB_KEYBOARD = "com.android.adbkeyboard/.AdbIME"
PASTE_KEY, LINUX_PASTE_KEY = 279, 0x87


def send(bench: Bench, text: str) -> str:
    return bench.shell(f"am broadcast -a ADB_INPUT_B64 --es msg '{base64.b64encode(text.encode()).decode()}'")


def read_back(bench: Bench, field: str = "body") -> str:
    dumped = bench.adb("exec-out", "uiautomator dump /dev/tty").stdout.decode().rpartition("UI hierchary")[0]
    node = next(node for node in ET.fromstring(dumped).iter("node") if node.get("resource-id", "").endswith(field))
    return node.get("text", "")


@pytest.fixture
def note(fresh_bench: Bench) -> Bench:
    """ADBKeyBoard is active, and the cursor is in the empty body of a new note."""
    fresh_bench.shell(f"pm install-existing com.android.adbkeyboard; ime enable {ADB_KEYBOARD}; ime set {ADB_KEYBOARD}")
    open_note(fresh_bench)
    return fresh_bench


def open_note(bench: Bench) -> None:
    person = Person(bench.phone)
    person.open("Notes", "New note")
    person.tap_field("body")


def test_adb_keyboard_must_be_installed_enabled_and_selected(fresh_bench: Bench) -> None:
    first = fresh_bench.shell("ime list -s").strip()
    assert fresh_bench.shell(f"ime enable {first}; ime set {first}").count("for user #0") == 2
    assert fresh_bench.adb("shell", f"ime enable {ADB_KEYBOARD}").returncode == 255

    assert fresh_bench.shell("pm install-existing com.android.adbkeyboard").startswith(
        "Package com.android.adbkeyboard "
    )
    assert fresh_bench.shell("pm list packages com.android.adbkeyboard") == "package:com.android.adbkeyboard\n"
    assert fresh_bench.shell("ime list -s") == f"{first}\n"
    assert fresh_bench.shell("ime list -s -a").splitlines() == [first, ADB_KEYBOARD]
    assert fresh_bench.adb("shell", f"ime set {ADB_KEYBOARD}").returncode == 255
    assert fresh_bench.shell(f"ime enable {ADB_KEYBOARD}") == f"Input method {ADB_KEYBOARD}: now enabled for user #0\n"
    assert fresh_bench.shell(f"ime set {ADB_KEYBOARD}") == f"Input method {ADB_KEYBOARD} selected for user #0\n"
    assert fresh_bench.shell("settings get secure default_input_method") == f"{ADB_KEYBOARD}\n"
    assert f"mCurMethodId={ADB_KEYBOARD}" in fresh_bench.shell("dumpsys input_method")


@pytest.mark.parametrize("line", ["ime reset", f"ime disable {ADB_KEYBOARD}", "pm uninstall com.android.adbkeyboard"])
def test_default_keyboard_returns_and_broadcasts_are_ignored(note: Bench, line: str) -> None:
    assert note.phone.state().keyboard is None

    note.shell(line)
    send(note, "lost")

    assert "latin" in note.shell("settings get secure default_input_method")
    assert ADB_KEYBOARD not in note.shell("ime list -s")
    assert note.phone.state().keyboard_shown
    assert read_back(note) == "Note", "the hint"


def test_text_is_inserted_at_the_cursor_and_cleared(note: Bench) -> None:
    assert send(note, "one three").startswith("Broadcasting: Intent { act=ADB_INPUT_B64 (has extras) }")
    note.shell("input keyevent MOVE_HOME")
    send(note, "zero ")
    assert read_back(note) == "zero one three"
    note.shell("am broadcast -a ADB_CLEAR_TEXT; am broadcast -a ADB_INPUT_B64 --es msg '***'")
    assert read_back(note) == "Note", "the hint"


def test_editor_action_acts_like_the_enter_key(note: Bench) -> None:
    person = Person(note.phone)
    person.home()
    person.tap("Search")
    send(note, "clock")
    assert not person.sees("Notes")
    note.shell("am broadcast -a ADB_EDITOR_CODE --ei code 2")
    assert note.phone.state().package == "com.odyssey.clock"


def test_characters_invalid_in_xml_are_dumped_as_dots(note: Bench) -> None:
    send(note, "a\x01b\x0bc\x7fd\ufffe\ud7ff")
    assert read_back(note) == "a.b.c.d.\ud7ff"


def test_paste_key_inserts_the_clipboard_at_the_cursor(fresh_bench: Bench) -> None:
    open_note(fresh_bench)
    fresh_bench.phone.set_clipboard("日本\nεβ")
    fresh_bench.shell(f"input text ab; input keyevent DPAD_LEFT; input keyevent {PASTE_KEY}")
    assert read_back(fresh_bench) == "a日本\nεβb"
    fresh_bench.emulator.guest.window_key(LINUX_PASTE_KEY)
    assert read_back(fresh_bench) == "a日本\nεβ日本\nεβb"
