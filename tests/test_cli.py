import json
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
from typer.core import TyperCommand, TyperGroup

from odyssey_recorder import __version__
from odyssey_recorder.cli import program
from odyssey_recorder.dataset.codec import read_episode
from odyssey_recorder.model.action import Complete, Press, SystemKey, Type
from odyssey_recorder.simulated.private_adb_server import PrivateAdbServer
from tests.cli import ESCAPES, CommandLine, SimulatedPhone
from tests.device.scripted_adb_server import ScriptedAdbServer, block
from tests.episodes import RELEASED
from tests.replay.recordings import episode_of, write_dataset

TASK = ("--instruction", "Go home.", "--category", "General_Tool", "--app", "Clock")


def record(cli: CommandLine, *, note: str = "done") -> Path:
    script = cli.folder / "play.jsonl"
    script.write_text('{"key": "RECENT"}\n{"key": "HOME"}\n' + json.dumps({"complete": note}))
    return Path(cli.output("record", "--script", script, *TASK).strip())


@pytest.fixture
def recorded(cli: CommandLine, phone: SimulatedPhone) -> Path:
    return record(cli)


def test_version_is_printed(cli: CommandLine) -> None:
    assert cli("--version").out == f"odyssey-recorder {__version__}\n"


def test_unexpected_error_exits_with_3_and_is_logged(cli: CommandLine, caplog: pytest.LogCaptureFixture) -> None:
    def broken(*_: object, **__: object) -> str:
        raise RuntimeError("half a word")

    cli.monkeypatch.setattr(json, "dumps", broken)
    error = cli.error("tasks", "list", "--json", exit_code=3)
    assert error.startswith("RuntimeError: half a word\nThis is a bug. ")
    (log,) = (cli.folder / "home").rglob("odyssey-recorder.log")
    assert str(log) in error
    assert "Traceback" in log.read_text()
    caplog.clear()


def test_flags_work_before_and_after_the_command(cli: CommandLine) -> None:
    other = cli.folder / "other"
    other.mkdir()
    assert f"{other} is not a dataset folder" in cli("--dataset", other, "quality-report").err
    assert cli("--dataset", other, "reviews", "policy", "--share", "0.5").exit_code == 0
    assert (other / "reviews" / "policy.json").is_file()
    result = cli("--device", "nobody", "replay", RELEASED)
    assert (result.exit_code, cli("replay", RELEASED, "--device", "nobody")) == (2, result)


def leaves(group: TyperGroup, *names: str) -> Iterator[tuple[tuple[str, ...], TyperCommand]]:
    for name, command in group.commands.items():
        if isinstance(command, TyperGroup):
            yield from leaves(command, *names, name)
        else:
            assert isinstance(command, TyperCommand)
            yield (*names, name), command


def needed_words(command: TyperCommand, given: str) -> Iterator[str]:
    """What the command needs besides the parameter `given`."""
    for parameter in command.params:
        if parameter.required and parameter.name != given:
            value = "jsonl" if parameter.name == "layout" else "1"
            yield from (value,) if parameter.param_type_name == "argument" else (parameter.opts[0], value)


@pytest.mark.parametrize("flag", ["dataset", "device", "capture"])
def test_flag_before_the_command_reaches_every_command_that_has_it(flag: str, monkeypatch: pytest.MonkeyPatch) -> None:
    root, told = program(), dict[tuple[str, ...], object]()
    value = "grpc" if flag == "capture" else "other"
    found = [
        (names, command)
        for names, command in leaves(root)
        if any(one.name == flag and one.param_type_name == "option" and not one.multiple for one in command.params)
    ]
    for names, command in found:
        take = partial(lambda names, **options: told.update({names: options[flag]}), names)
        monkeypatch.setattr(command, "callback", take)
        root.main([f"--{flag}", value, *names, *needed_words(command, flag)], standalone_mode=False)
    assert len(found) >= 2
    assert {names: str(given) for names, given in told.items()} == {names: value for names, _ in found}


def test_flag_that_a_command_does_not_have_is_refused(cli: CommandLine) -> None:
    assert "doctor takes no --dataset before it." in cli.error("--dataset", cli.folder, "doctor", exit_code=2)
    said = cli.error("--dataset", cli.folder, "agent", "bench", "--model", "none", exit_code=2)
    assert "agent bench takes no --dataset before it." in said


def test_invalid_setting_is_reported(cli: CommandLine) -> None:
    cli.monkeypatch.setenv("ANDROID_ADB_SERVER_PORT", "many")
    assert cli.error("devices", exit_code=1).startswith("The environment variable ANDROID_ADB_SERVER_PORT: ")


class TestReplay:
    def test_same_screens_match(self, cli: CommandLine, recorded: Path) -> None:
        report = cli.folder / "report.html"
        lines = cli.output("replay", recorded, "--report", report).splitlines()
        assert [line.split()[:2] for line in lines[:3]] == [["1", "match"], ["2", "match"], ["3", "match"]]
        assert lines[3] == "match: 3 of 3 steps reached; 3 match, 0 drift, 0 diverged"
        assert report.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
        result = cli.json("replay", recorded)
        assert (result["outcome"], result["exit_code"], len(result["steps"])) == ("match", 0, 3)

    def test_different_screen_is_a_divergence(self, cli: CommandLine, recorded: Path) -> None:
        screenshots = recorded.parent.parent / "screenshots"
        first, second, _ = sorted(screenshots.iterdir())
        first.write_bytes(second.read_bytes())
        (recorded.parent.parent / "provenance" / recorded.name).unlink()
        result = cli("replay", recorded)
        assert result.exit_code == 1
        assert result.out.splitlines()[0].split()[:2] == ["1", "diverged"]
        assert "diverged: 1 of 3 steps reached" in result.out

    @pytest.mark.parametrize("options", [(), ("--json",), ("--dry-run",)])
    def test_missing_or_broken_files_cannot_be_replayed(self, cli: CommandLine, options: tuple[str, ...]) -> None:
        nowhere = cli("replay", cli.folder / "none.json", *options)
        assert (nowhere.exit_code, nowhere.out) == (2, "")
        assert nowhere.err.endswith("none.json cannot be read: file not found.\n")
        path = write_dataset(cli.dataset, episode_of([Complete()]))
        next((cli.dataset / "screenshots").iterdir()).write_bytes(b"no picture")
        broken = cli("replay", path, *options)
        assert (broken.exit_code, broken.out) == (2, "")
        assert "The screenshot of step 1 cannot be read" in broken.err

    def test_dry_run_needs_neither_adb_nor_device(self, cli: CommandLine) -> None:
        cli.monkeypatch.setenv("ODYSSEY_ADB", "/nowhere/adb")
        path = write_dataset(cli.dataset, episode_of([Type("milk"), Press(SystemKey.HOME), Complete()]))
        result = cli("replay", path, "--dry-run")
        assert (result.exit_code, result.err) == (0, "")
        assert result.out == "  1  type 4 characters\n  2  press HOME\n  3  compare the screen only\n"
        as_json = cli.json("replay", path, "--dry-run")
        assert as_json[1] == {"step_index": 1, "effect": "press HOME"}

    def test_episode_text_is_escaped(self, cli: CommandLine) -> None:
        path = write_dataset(cli.dataset, episode_of([Type(f"{ESCAPES}\n" * 1000), Complete()]))
        assert "\x1b" not in cli.output("replay", path, "--dry-run")


class TestConvert:
    def test_file_is_converted(self, cli: CommandLine) -> None:
        target = cli.folder / "card.json"
        assert cli.output("convert", RELEASED, target, "--dialect", "card") == "1 written, 0 failed\n"
        assert read_episode(target).steps == read_episode(RELEASED).steps

    def test_failing_file_is_reported_and_others_are_written(self, cli: CommandLine) -> None:
        write_dataset(cli.dataset, episode_of([Complete()]))
        (cli.dataset / "annotations" / f"{ESCAPES.replace('/', '_')}.json").write_text(
            json.dumps({"episode_id": ESCAPES})
        )
        result = cli("convert", cli.dataset, cli.folder / "out", "--dialect", "release")
        assert (result.exit_code, result.out) == (1, "1 written, 1 failed\n")
        assert result.err.startswith(r"\x1b[31m[red]x[_]")
        assert not {"\x1b", "\x9b"} & set(result.err)
        assert len(list((cli.folder / "out" / "annotations").iterdir())) == 1


class TestDevices:
    def test_devices_are_listed(self, cli: CommandLine, phone: SimulatedPhone) -> None:
        [line] = cli("devices").out.splitlines()
        assert line.split()[:2] == [phone.serial, "device"]
        assert "gRPC" in line
        assert line.endswith(" Small Phone")
        [device] = cli.json("devices")
        assert (device["serial"], device["state"], device["capture"]) == (phone.serial, "device", "gRPC")
        assert device.keys() == {"serial", "state", "product", "model", "name", "capture"}

    def test_missing_device_is_explained_in_list(self, cli: CommandLine, empty_adb_server: PrivateAdbServer) -> None:
        cli.use_server(empty_adb_server.port)
        assert cli.output("devices").startswith("No device. Start an emulator")
        assert cli.json("devices") == []

    def test_device_names_are_escaped(self, cli: CommandLine) -> None:
        listed = "emulator-5600 device product:x model:\x1b[31m[red]Pixel\x9b1m transport_id:1\n"
        with ScriptedAdbServer({"host:version": block("0029"), "host:devices-l": block(listed)}) as server:
            cli.use_server(server.port)
            result = cli("devices")
            as_json = cli("devices", "--json")
        assert result.out.endswith(" \\x1b[31m[red]Pixel\\x9b1m\n")
        assert json.loads(as_json.out)[0]["model"] == "\x1b[31m[red]Pixel\x9b1m"
        assert "\x1b" not in as_json.out


class TestDevicesCheck:
    def test_unknown_device_is_an_error(self, cli: CommandLine, empty_adb_server: PrivateAdbServer) -> None:
        cli.use_server(empty_adb_server.port)
        assert cli.error("devices", "check", "emulator-2", exit_code=2).startswith("adb does not list the device")


class TestSimulate:
    def test_taken_port_is_reported(self, cli: CommandLine) -> None:
        with socket.create_server(("127.0.0.1", 0)) as taken:
            port = taken.getsockname()[1] & ~1
            result = cli("simulate", "--profile", "small_phone", "--console-port", port)
        assert (result.exit_code, result.out) == (1, "")
        assert result.err.startswith(f"Ports {port} and {port + 1} are taken")
        assert "Choose another even --console-port" in result.err

    @pytest.mark.parametrize(
        ("words", "exit_code", "message"),
        [
            *((("--console-port", port), 2, "--console-port") for port in (5601, 65536, -2)),
            (("--profile", "[red]nokia"), 1, "No simulated device '[red]nokia'; there are small_phone, "),
            (("--console-port", 0, "--journal", "none/journal"), 1, "journal cannot be written"),
        ],
    )
    def test_invalid_simulator_options_are_reported(
        self, cli: CommandLine, words: tuple[object, ...], exit_code: int, message: str
    ) -> None:
        result = cli("simulate", *words)
        assert (result.exit_code, result.out, message in result.err) == (exit_code, "", True)


def test_characters_unknown_to_the_terminal_are_escaped(cli: CommandLine, phone: SimulatedPhone) -> None:
    recorded = record(cli, note="Größe 你好")
    command = [sys.executable, "-m", "odyssey_recorder", "replay", str(recorded)]
    result = subprocess.run(
        command, env={**os.environ, "PYTHONIOENCODING": "latin-1:strict"}, capture_output=True, check=False
    )
    assert result.returncode == 0, result.stderr
    assert b"Complete: Gr\xf6\xdfe \\u4f60\\u597d" in result.stdout


@pytest.mark.parametrize(
    ("entered", "heavy"),
    [
        ("odyssey_recorder.cli", {"PySide6", "adbutils", "PIL", "openai", "jinja2", "pydantic"}),
        (
            "odyssey_recorder.wiring.user, odyssey_recorder.doctor, odyssey_recorder.gui.window.app",
            {"typer", "grpc", "google", "asyncio", "sqlite3", "sqlalchemy", "numpy", "openai", "jinja2"}
            | {
                "odyssey_simulator.phone",
                "odyssey_recorder.dataset_index.filter",
                "odyssey_recorder.checking.checker",
            },
        ),
    ],
    ids=["command line", "window"],
)
def test_heavy_libraries_are_loaded_lazily(entered: str, heavy: set[str]) -> None:
    program = f"import {entered}, sys; print(*sys.modules)"
    answer = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert not heavy & set(answer.stdout.split())
