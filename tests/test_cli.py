import json
import os
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from odyssey_recorder import __version__
from odyssey_recorder.dataset.codec import read_episode
from odyssey_recorder.model.action import Complete, Press, SystemKey, Type
from odyssey_recorder.simulator.adb_server import PrivateAdbServer
from tests.command_line import ESCAPES, CommandLine, LabPhone
from tests.device.scripted_adb_server import ScriptedAdbServer, block
from tests.replay.recordings import episode_of, write_dataset

EPISODES = Path(__file__).parent / "data" / "episodes"
RELEASED = EPISODES / "v1v2_5342205429089853.json"
TASK = ("--instruction", "Go home.", "--category", "General_Tool", "--app", "Clock")


def record(command_line: CommandLine, *, note: str = "done") -> Path:
    script = command_line.folder / "play.jsonl"
    script.write_text('{"key": "RECENT"}\n{"key": "HOME"}\n' + json.dumps({"complete": note}))
    ran = command_line("record", "--script", script, *TASK)
    assert ran.exit_code == 0, ran.err
    return Path(ran.out.strip())


@pytest.fixture
def recorded(command_line: CommandLine, phone: LabPhone) -> Path:
    return record(command_line)


def test_the_version_is_told(command_line: CommandLine) -> None:
    assert command_line("--version").out == f"odyssey-recorder {__version__}\n"


def test_an_error_that_nobody_expected_is_no_finding_and_its_traceback_is_in_the_log(
    command_line: CommandLine, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(*_: object, **__: object) -> str:
        raise RuntimeError("half a word")

    command_line.monkeypatch.setattr(json, "dumps", broken)
    ran = command_line("tasks", "list", "--json")

    assert ran.exit_code == 3
    assert ran.err.startswith("RuntimeError: half a word\nThis is a bug. ")
    (log,) = (command_line.folder / "home").rglob("odyssey-recorder.log")
    assert str(log) in ran.err
    assert "Traceback" in log.read_text()
    caplog.clear()


def test_flags_before_a_command_count_as_those_behind_it_do(command_line: CommandLine) -> None:
    other = command_line.folder / "other"
    other.mkdir()
    assert f"{other} is not a dataset folder" in command_line("--dataset", other, "quality-report").err
    assert command_line("--dataset", other, "reviews", "policy", "--share", "0.5").exit_code == 0
    assert (other / "reviews" / "policy.json").is_file()
    ran = command_line("--device", "nobody", "replay", RELEASED)
    assert (ran.exit_code, command_line("replay", RELEASED, "--device", "nobody")) == (2, ran)


def test_a_setting_that_is_wrong_is_a_message(command_line: CommandLine) -> None:
    command_line.monkeypatch.setenv("ANDROID_ADB_SERVER_PORT", "many")
    ran = command_line("devices")
    assert ran.exit_code == 1
    assert ran.err.startswith("The environment variable ANDROID_ADB_SERVER_PORT: ")


class TestReplay:
    def test_the_same_screens_match(self, command_line: CommandLine, recorded: Path) -> None:
        report = command_line.folder / "report.html"
        ran = command_line("replay", recorded, "--report", report)
        assert ran.exit_code == 0, ran.err
        lines = ran.out.splitlines()
        assert [line.split()[:2] for line in lines[:3]] == [["1", "match"], ["2", "match"], ["3", "match"]]
        assert lines[3] == "match: 3 of 3 steps reached; 3 match, 0 drift, 0 diverged"
        assert report.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
        result = json.loads(command_line("replay", recorded, "--json").out)
        assert (result["outcome"], result["exit_code"], len(result["steps"])) == ("match", 0, 3)

    def test_another_screen_is_a_divergence(self, command_line: CommandLine, recorded: Path) -> None:
        screenshots = recorded.parent.parent / "screenshots"
        first, second, _ = sorted(screenshots.iterdir())
        first.write_bytes(second.read_bytes())
        (recorded.parent.parent / "provenance" / recorded.name).unlink()
        ran = command_line("replay", recorded)
        assert ran.exit_code == 1
        assert ran.out.splitlines()[0].split()[:2] == ["1", "diverged"]
        assert "diverged: 1 of 3 steps reached" in ran.out

    def test_another_screen_size_cannot_be_replayed(self, command_line: CommandLine, phone: LabPhone) -> None:
        ran = command_line("replay", write_dataset(command_line.dataset, episode_of([Complete()])))
        assert (ran.exit_code, ran.out) == (2, "")
        assert "--scale" in ran.err

    @pytest.mark.parametrize("options", [(), ("--json",), ("--dry-run",)])
    def test_files_that_are_missing_or_broken_cannot_be_replayed(
        self, command_line: CommandLine, options: tuple[str, ...]
    ) -> None:
        nowhere = command_line("replay", command_line.folder / "none.json", *options)
        assert (nowhere.exit_code, nowhere.out) == (2, "")
        assert nowhere.err.endswith("none.json cannot be read: file not found.\n")
        path = write_dataset(command_line.dataset, episode_of([Complete()]))
        next((command_line.dataset / "screenshots").iterdir()).write_bytes(b"no picture")
        broken = command_line("replay", path, *options)
        assert (broken.exit_code, broken.out) == (2, "")
        assert "The screenshot of step 1 cannot be read" in broken.err

    def test_a_dry_run_needs_neither_adb_nor_device(self, command_line: CommandLine) -> None:
        command_line.monkeypatch.setenv("ODYSSEY_ADB", "/nowhere/adb")
        path = write_dataset(command_line.dataset, episode_of([Type("milk"), Press(SystemKey.HOME), Complete()]))
        ran = command_line("replay", path, "--dry-run")
        assert (ran.exit_code, ran.err) == (0, "")
        assert ran.out == "  1  type 4 characters\n  2  press HOME\n  3  compare the screen only\n"
        as_json = json.loads(command_line("replay", path, "--dry-run", "--json").out)
        assert as_json[1] == {"step": 1, "effect": "press HOME"}

    def test_text_of_an_episode_is_text_on_one_line(self, command_line: CommandLine) -> None:
        path = write_dataset(command_line.dataset, episode_of([Type(f"{ESCAPES}\n" * 1000), Complete()]))
        ran = command_line("replay", path, "--dry-run")
        assert ran.exit_code == 0, ran.err
        assert "\x1b" not in ran.out


class TestConvert:
    def test_a_file_is_respelled(self, command_line: CommandLine) -> None:
        target = command_line.folder / "card.json"
        ran = command_line("convert", RELEASED, target, "--dialect", "card")
        assert (ran.exit_code, ran.out) == (0, "1 written, 0 failed\n")
        assert read_episode(target).steps == read_episode(RELEASED).steps

    def test_each_file_that_fails_is_named_and_the_others_are_written(self, command_line: CommandLine) -> None:
        write_dataset(command_line.dataset, episode_of([Complete()]))
        (command_line.dataset / "annotations" / f"{ESCAPES.replace('/', '_')}.json").write_text(
            json.dumps({"episode_id": ESCAPES})
        )
        ran = command_line("convert", command_line.dataset, command_line.folder / "out", "--dialect", "release")
        assert (ran.exit_code, ran.out) == (1, "1 written, 1 failed\n")
        assert ran.err.startswith(r"\x1b[31m[red]x[_]")
        assert not {"\x1b", "\x9b"} & set(ran.err)
        assert len(list((command_line.folder / "out" / "annotations").iterdir())) == 1


class TestDevices:
    def test_devices_are_listed(self, command_line: CommandLine, phone: LabPhone) -> None:
        [line] = command_line("devices").out.splitlines()
        assert line.split()[:2] == [phone.serial, "device"]
        assert "gRPC" in line
        assert line.endswith(" Small Phone")
        [device] = json.loads(command_line("devices", "--json").out)
        assert (device["serial"], device["state"], device["capture"]) == (phone.serial, "device", "gRPC")
        assert device.keys() == {"serial", "state", "product", "model", "name", "capture"}

    def test_where_there_is_none_it_says_how_to_get_one(
        self, command_line: CommandLine, lonely_server: PrivateAdbServer
    ) -> None:
        command_line.use_server(lonely_server.port)
        ran = command_line("devices")
        assert ran.exit_code == 0
        assert ran.out.startswith("No device. Start an emulator")
        assert json.loads(command_line("devices", "--json").out) == []

    def test_what_a_device_calls_itself_is_text(self, command_line: CommandLine) -> None:
        listed = "emulator-5600 device product:x model:\x1b[31m[red]Pixel\x9b1m transport_id:1\n"
        with ScriptedAdbServer({"host:version": block("0029"), "host:devices-l": block(listed)}) as server:
            command_line.use_server(server.port)
            ran = command_line("devices")
            as_json = command_line("devices", "--json")
        assert ran.out.endswith(" \\x1b[31m[red]Pixel\\x9b1m\n")
        assert json.loads(as_json.out)[0]["model"] == "\x1b[31m[red]Pixel\x9b1m"
        assert "\x1b" not in as_json.out


class TestSimulate:
    def test_it_says_its_serial_and_ends_by_ctrl_c(self, lonely_server: PrivateAdbServer) -> None:
        command = [sys.executable, "-m", "odyssey_recorder", "simulate", "--profile", "small_phone"]
        with subprocess.Popen(
            [*command, "--console-port", "0"],
            env=lonely_server.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        ) as phone:
            assert phone.stdout is not None
            assert phone.stderr is not None
            first = phone.stdout.readline()
            assert first.startswith("Simulated Small Phone runs as emulator-")
            assert phone.stdout.readline().startswith("Console on port ")
            assert phone.stdout.readline().startswith("Stop it with Ctrl-C")
            phone.send_signal(signal.SIGINT)
            assert phone.wait(20) == 0
            assert phone.stdout.read().endswith(" has stopped.\n")
            assert phone.stderr.read() == ""

    def test_a_port_that_is_taken_is_named(self, command_line: CommandLine) -> None:
        with socket.create_server(("127.0.0.1", 0)) as taken:
            port = taken.getsockname()[1] & ~1
            ran = command_line("simulate", "--profile", "small_phone", "--console-port", port)
        assert (ran.exit_code, ran.out) == (1, "")
        assert ran.err.startswith(f"Ports {port} and {port + 1} are taken")

    @pytest.mark.parametrize(
        ("words", "exit_code", "told"),
        [
            *((("--console-port", port), 2, "--console-port") for port in (5601, 65536, -2)),
            (("--profile", "[red]nokia"), 1, "No simulated device '[red]nokia'; there are small_phone, "),
            (("--console-port", 0, "--journal", "none/journal"), 1, "journal cannot be written"),
        ],
    )
    def test_what_cannot_be_simulated_is_named(
        self, command_line: CommandLine, words: tuple[object, ...], exit_code: int, told: str
    ) -> None:
        ran = command_line("simulate", *words)
        assert (ran.exit_code, ran.out, told in ran.err) == (exit_code, "", True)


def test_a_terminal_that_cannot_show_a_letter_gets_it_spelled_out(command_line: CommandLine, phone: LabPhone) -> None:
    recorded = record(command_line, note="Größe 你好")
    command = [sys.executable, "-m", "odyssey_recorder", "replay", str(recorded)]
    ran = subprocess.run(
        command, env={**os.environ, "PYTHONIOENCODING": "latin-1:strict"}, capture_output=True, check=False
    )
    assert ran.returncode == 0, ran.stderr
    assert b"Complete: Gr\xf6\xdfe \\u4f60\\u597d" in ran.stdout


@pytest.mark.parametrize(
    ("entered", "heavy"),
    [
        ("odyssey_recorder.cli", {"PySide6", "adbutils", "PIL", "openai", "jinja2", "pydantic"}),
        (
            "odyssey_recorder.wiring, odyssey_recorder.doctor, odyssey_recorder.gui.app",
            {"typer", "grpc", "google", "asyncio", "sqlite3", "sqlalchemy", "numpy", "openai", "jinja2"}
            | {
                "odyssey_recorder.simulator.phone",
                "odyssey_recorder.selection.filter",
                "odyssey_recorder.quality.checker",
            },
        ),
    ],
    ids=["command line", "window"],
)
def test_nothing_heavy_is_loaded_before_it_is_needed(entered: str, heavy: set[str]) -> None:
    program = f"import {entered}, sys; print(*sys.modules)"
    answer = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert not heavy & set(answer.stdout.split())
