import io
import struct
from contextlib import ExitStack
from pathlib import Path

import pytest
from PIL import Image

from odyssey_recorder.simulated.private_adb_server import PrivateAdbServer
from odyssey_simulator.emulator import SCANNED_PORTS
from tests.simulator.bench import ADB, Bench, launch


def test_adb_lists_the_emulator_and_its_product(bench: Bench) -> None:
    lines = bench.server.adb("devices", "-l").stdout.decode().splitlines()
    [line] = [line for line in lines if line.startswith(bench.emulator.serial + " ")]

    assert line.split()[1:5] == ["device", "product:sdk_gphone64_x86_64", "model:sdk_gphone64_x86_64", "device:emu64xa"]


def test_ports_are_outside_the_range_scanned_by_adb_servers(bench: Bench) -> None:
    assert bench.emulator.console_port % 2 == 0
    assert bench.emulator.adb_port == bench.emulator.console_port + 1
    assert bench.emulator.console_port not in SCANNED_PORTS


def test_stderr_is_separate_in_shell_and_merged_in_exec(bench: Bench) -> None:
    error = b"/system/bin/sh: no_such_program: inaccessible or not found\n"
    shell = bench.adb("shell", "echo fine; no_such_program")
    mixed = bench.adb("exec-out", "echo fine; no_such_program")
    assert (shell.stdout, shell.stderr, shell.returncode) == (b"fine\n", error, 127)
    assert mixed.stdout == b"fine\n" + error


def test_screencap_is_pixel_exact_raw_as_png_and_in_a_file(bench: Bench, tmp_path: Path) -> None:
    screen = bench.phone.screen()

    raw = bench.adb("exec-out", "screencap").stdout
    png = bench.adb("exec-out", "screencap", "-p").stdout
    bench.shell("screencap /sdcard/shot.png")
    bench.adb("pull", "/sdcard/shot.png", str(tmp_path / "shot.png"))

    assert struct.unpack("<4I", raw[:16]) == (screen.width, screen.height, 1, 1)
    assert raw[16:] == screen.rgba
    for file in (io.BytesIO(png), tmp_path / "shot.png"):
        with Image.open(file) as image:
            assert (image.format, image.size) == ("PNG", (screen.width, screen.height))
            assert image.convert("RGBA").tobytes() == screen.rgba


@pytest.mark.parametrize("size", [0, 65536, 3_000_001])
def test_files_are_pushed_and_pulled(bench: Bench, tmp_path: Path, size: int) -> None:
    source, copy = tmp_path / "there.bin", tmp_path / "back.bin"
    source.write_bytes((b"0123456789abcdef" * (size // 16 + 1))[:size])
    assert bench.adb("push", str(source), "/sdcard/Download/file.bin").returncode == 0
    assert bench.adb("pull", "/sdcard/Download/file.bin", str(copy)).returncode == 0
    assert copy.read_bytes() == source.read_bytes()
    assert bench.adb("shell", "cat /sdcard/Download/file.bin").stdout == source.read_bytes()


def test_folder_is_pulled_recursively(bench: Bench, tmp_path: Path) -> None:
    bench.shell("mkdir -p /sdcard/tree/inner; echo 1 > /sdcard/tree/one; echo 2 > /sdcard/tree/inner/two")
    assert bench.adb("pull", "/sdcard/tree", str(tmp_path)).returncode == 0
    assert (tmp_path / "tree" / "inner" / "two").read_text() == "2\n"


def test_missing_paths_cannot_be_pulled_or_pushed_to(bench: Bench, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    pulled = bench.adb("pull", "/sdcard/nothing", str(tmp_path))
    pushed = bench.adb("push", str(tmp_path / "file"), "/no/such/folder/file")
    assert (pulled.returncode, pushed.returncode) == (1, 1)
    assert b"No such file or directory" in pulled.stderr
    assert b"No such file or directory" in pushed.stderr


def test_adb_ls_lists_a_folder(bench: Bench) -> None:
    bench.shell("echo hello > /sdcard/Pictures/note")
    lines = bench.adb("ls", "/sdcard/Pictures").stdout.decode().splitlines()
    assert [line.split()[1:][0] + " " + line.split()[-1] for line in lines][-1] == "00000006 note"


def test_shell_reads_commands_from_stdin(bench: Bench) -> None:
    with bench.running("shell") as process:
        output, _ = process.communicate(b"echo one\necho two; exit 3\necho three\n", timeout=60)
    assert output == b"one\ntwo\n"
    assert process.returncode == 3


def test_terminal_prompts_echoes_and_can_be_interrupted(bench: Bench) -> None:
    with bench.running("shell", "-tt") as process:

        def type_keys(keys: bytes, expected: bytes) -> None:
            assert process.stdin is not None
            assert process.stdout is not None
            process.stdin.write(keys)
            process.stdin.flush()
            assert process.stdout.read(len(expected)) == expected

        type_keys(b"", b"emu64xa:/ $ ")
        type_keys(b"sleeq\x7fp 1000\r", b"sleeq\b \bp 1000\r\n")
        type_keys(b"\x03", b"^C\r\nemu64xa:/ $ ")
        type_keys(b"echo $USER\r", b"echo $USER\r\nshell\r\nemu64xa:/ $ ")
        type_keys(b"\x04", b"")
        assert process.wait(60) == 0


def test_two_adb_servers_share_one_emulator(bench: Bench, tmp_path: Path) -> None:
    emulator = bench.emulator
    with PrivateAdbServer(ADB, tmp_path / "home") as second:
        second.adb("connect", f"emu:{emulator.console_port},{emulator.adb_port}")
        second.adb("-s", emulator.serial, "wait-for-device")
        assert second.adb("-s", emulator.serial, "shell", "echo second").stdout == b"second\n"
        assert bench.shell("echo first") == "first\n"


def test_restarted_adb_server_finds_the_emulator_again(tmp_path: Path) -> None:
    server = PrivateAdbServer(ADB, tmp_path / "home")
    with server:
        bench = launch(server, "small_phone")

    with server, ExitStack() as stack:
        stack.callback(bench.emulator.stop)
        assert bench.adb("wait-for-device").returncode == 0
        assert bench.shell("echo again") == "again\n"
