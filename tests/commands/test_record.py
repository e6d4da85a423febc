import json
import os
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from odyssey_recorder.dataset.codec import read_episode
from odyssey_recorder.dataset.draft import Draft
from odyssey_recorder.device import dumping
from odyssey_recorder.device.adb_server import find_adb
from odyssey_recorder.model.action import Action, Complete, action_type
from odyssey_recorder.model.flag import Flag, FlagCode
from odyssey_recorder.recording import script
from odyssey_recorder.settings import log_file
from odyssey_recorder.simulated.private_adb_server import PrivateAdbServer
from odyssey_recorder.simulated.private_emulators import PrivateEmulators
from odyssey_simulator.ui_automation import REST_VARIABLE
from tests.cli import ESCAPES, CommandLine, Result, SimulatedPhone, wait_until
from tests.dataset.drafts import HOME, png
from tests.dataset.drafts import record as step_record

COMPLETE = Complete("done")
TASK = ("--instruction", "Go home.", "--category", "General_Tool", "--app", "Clock")


def script_file(folder: Path, *lines: object) -> Path:
    path = folder / "play.jsonl"
    path.write_text("".join(f"{line if isinstance(line, str) else json.dumps(line)}\n" for line in lines))
    return path


def record(cli: CommandLine, *lines: object, options: tuple[str, ...] = TASK) -> Result:
    return cli("record", "--script", script_file(cli.folder, *lines), *options)


def refusal(cli: CommandLine, *lines: object, options: tuple[str, ...] = TASK, exit_code: int = 1) -> str:
    """The error of a recording that must fail."""
    return cli.error("record", "--script", script_file(cli.folder, *lines), *options, exit_code=exit_code)


def has_a_step(cli: CommandLine) -> bool:
    return any(path.stat().st_size for path in cli.drafts.glob("*/steps.jsonl"))


def test_script_is_recorded_and_only_its_file_is_printed_to_stdout(cli: CommandLine, phone: SimulatedPhone) -> None:
    other_dataset = cli.folder / "elsewhere"  # above that of the environment
    options = (*TASK, "--dataset", str(other_dataset), "--device", phone.serial)
    result = record(cli, {"key": "HOME"}, {"wait_ms": 10}, {"complete": ESCAPES}, options=options)
    assert result.exit_code == 0
    annotation = Path(result.out.removesuffix("\n"))
    assert annotation.parent == other_dataset / "annotations"
    episode = read_episode(annotation)
    assert episode.steps[-1].action == Complete(ESCAPES)
    assert [action_type(step.action) for step in episode.steps] == ["HOME", "COMPLETE"]
    assert (episode.task.instruction, episode.task.apps, episode.device.device_name) == (
        "Go home.", ("Clock",), "Small Phone",
    )  # fmt: skip
    assert r"Complete: \x1b[31m[red]x[/]" in result.err
    assert "\x1b" not in result.err
    assert "3/3" in result.err
    assert cli.draft_ids() == []


def test_every_step_of_a_script_has_a_view_hierarchy(cli: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    """A dump of this emulator takes longer than the recorder waits for the screen to settle."""
    monkeypatch.setenv(REST_VARIABLE, "0.8")
    swipe = {"swipe": [[360, 1000], [360, 300]], "ms": 200}
    tap = {"tap": [360, 600]}
    with PrivateEmulators(Path(find_adb())) as emulators:
        emulators.phones.start("small_phone", animation=False)
        cli.use_server(emulators.server.port)
        cli.use_discovery_folder(Path(emulators.server.environment["XDG_RUNTIME_DIR"]))
        result = record(cli, swipe, tap, {"key": "RECENT"}, {"key": "HOME"}, {"complete": "done"})

    assert result.exit_code == 0
    provenance = cli.store.provenance(Path(result.out.removesuffix("\n")).stem)
    assert provenance is not None
    records = provenance.steps
    assert [record.ui_tree_absent for record in records] == [""] * 5
    assert all(record.ui_tree for record in records)
    assert "No view hierarchy" not in result.err


def test_script_says_why_there_is_no_view_hierarchy(
    cli: CommandLine, phone: SimulatedPhone, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dumping, "PAUSES_S", (0.0,))
    phone.console("fault", "other-automation", "on")
    result = record(cli, {"key": "HOME"}, {"complete": "done"})

    assert result.exit_code == 0
    assert "No view hierarchy for step 1, 2: The view hierarchy of" in result.err
    assert "Another program reads its views" in result.err


@pytest.mark.parametrize(
    ("lines", "complaint"),
    [
        (['{"tap": [1, 2]}', "", '{"tap": "here"}'], 'play.jsonl, line 3: {"tap": "here"} is not a command;'),
        ([f'"{ESCAPES}"'], r'play.jsonl, line 1: "\x1b[31m[red]x[/]'),
        ([{"tap": [1, 2]}], "play.jsonl: expected exactly one"),
    ],
)
def test_invalid_script_is_rejected_before_recording(cli: CommandLine, lines: list[object], complaint: str) -> None:
    result = record(cli, *lines)
    assert (result.exit_code, result.out) == (1, "")
    assert result.err.startswith(complaint)
    assert "\x1b" not in result.err
    assert not cli.dataset.exists()


def test_unreadable_script_is_reported(cli: CommandLine) -> None:
    screenshot = cli.folder / "picture.jsonl"
    screenshot.write_bytes(b"\x89PNG")
    assert "picture.jsonl is not UTF-8 text" in cli("record", "--script", screenshot, *TASK).err
    assert cli.error("record", "--script", cli.folder / "nowhere.jsonl", *TASK, exit_code=1).endswith(
        "nowhere.jsonl cannot be read: No such file or directory.\n"
    )
    assert "nowhere.jsonl cannot be read" in log_file().read_text(encoding="utf-8")


def test_new_episode_requires_a_task(cli: CommandLine) -> None:
    error = refusal(cli, {"complete": ""}, options=("--instruction", "Go home."), exit_code=2)
    assert "A new episode needs --instruction, --category and --app." in error


def test_missing_device_is_explained(cli: CommandLine, empty_adb_server: PrivateAdbServer) -> None:
    cli.use_server(empty_adb_server.port)
    error = refusal(cli, {"complete": ""})
    assert error.startswith("No device is ready.")
    assert "odyssey-recorder simulate" in error


def interrupted_draft(cli: CommandLine, phone: SimulatedPhone) -> str:
    """The id of a draft without steps, because the device refused the first input."""
    phone.console("fault", "refuse-input", "on")
    refused = record(cli, {"key": "HOME"}, {"complete": "never"}, options=(*TASK, "--capture", "adb"))
    phone.console("fault", "clear")
    assert (refused.exit_code, refused.out) == (1, "")
    [draft] = cli.draft_ids()
    assert f"The draft is saved. Continue it: --resume {draft} " in refused.err
    return draft


def test_draft_resumes_after_the_device_refused_input(cli: CommandLine, phone: SimulatedPhone) -> None:
    draft = interrupted_draft(cli, phone)
    resumed = record(cli, {"key": "HOME"}, {"complete": ""}, options=("--resume", draft))
    assert resumed.exit_code == 0, "the phone shows what it did before"
    episode = read_episode(Path(resumed.out.strip()))
    assert (episode.episode_id, episode.task.instruction) == (draft, "Go home.")
    assert cli.draft_ids() == []


def finish(draft: Draft, *, sent: bool = True, last: Action = COMPLETE) -> None:
    data = png(1)
    provenance = step_record(data).model_copy(update={"sent_until_us": 3 if sent else None})
    draft.add_step(last, draft.keep_screenshot(data), provenance)
    draft.close()


def test_complete_draft_is_published_when_resumed(cli: CommandLine, phone: SimulatedPhone) -> None:
    draft = interrupted_draft(cli, phone)
    finish(cli.store.resume(draft))
    result = record(cli, {"complete": "not played"}, options=("--resume", draft))
    assert result.exit_code == 0
    assert result.out.strip() == str(cli.dataset / "annotations" / f"{draft}.json")
    assert "without playing the script" in result.err
    assert read_episode(Path(result.out.strip())).steps[-1].action == COMPLETE
    provenance = cli.store.provenance(draft)
    assert provenance is not None
    assert [one.serial for one in provenance.resumed] == [phone.serial]


def test_resuming_on_another_screen_must_be_accepted(cli: CommandLine, phone: SimulatedPhone) -> None:
    draft = interrupted_draft(cli, phone)
    finish(cli.store.resume(draft), last=HOME)
    refused = record(cli, {"complete": ""}, options=("--resume", draft))
    assert (refused.exit_code, refused.out) == (1, "")
    assert "There is no screenshot of the screen after the last step (Press Home)" in refused.err
    assert "--accept-screen" in refused.err
    assert cli.draft_ids() == [draft]

    accepted = record(cli, {"complete": ""}, options=("--resume", draft, "--accept-screen"))
    assert accepted.exit_code == 0
    provenance = cli.store.provenance(draft)
    assert provenance is not None
    assert [step.flags[:1] for step in provenance.steps] == [(), (Flag(FlagCode.RESUMED_UNSEEN),)]


def test_script_can_undo_a_step_with_unknown_outcome(cli: CommandLine, phone: SimulatedPhone) -> None:
    draft = interrupted_draft(cli, phone)
    finish(cli.store.resume(draft), last=HOME, sent=False)
    error = refusal(cli, {"complete": ""}, options=("--resume", draft))
    assert "while the last step (Press Home) was sent, so it is unknown whether the device received it" in error
    resumed = record(cli, {"undo": True}, {"complete": ""}, options=("--resume", draft))
    assert resumed.exit_code == 0
    assert len(read_episode(Path(resumed.out.strip())).steps) == 1


def test_lost_device_is_reported_and_the_draft_kept(
    cli: CommandLine, phone: SimulatedPhone, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(script, "PATIENCE_S", 2.0)

    def go_offline() -> None:
        wait_until(lambda: has_a_step(cli))
        phone.console("fault", "offline")

    with ThreadPoolExecutor() as pool:
        disconnecting = pool.submit(go_offline)
        lines = [{"key": "HOME"}, {"wait_ms": 1000}, {"complete": ""}]
        result = record(cli, *lines, options=(*TASK, "--capture", "adb"))
        disconnecting.result()
    phone.console("fault", "clear")
    phone.emulators.server.adb("-s", phone.serial, "wait-for-device")
    assert (result.exit_code, result.out) == (1, "")
    assert phone.serial in result.err
    assert f"--resume {cli.draft_ids()[0]}" in result.err


def test_unknown_draft_is_reported(cli: CommandLine, phone: SimulatedPhone) -> None:
    error = refusal(cli, {"complete": ""}, options=("--resume", "../../etc"))
    assert "'../../etc' is not an episode's id: expected 16 decimal digits." in error


def test_dataset_path_that_is_a_file_is_reported(cli: CommandLine, phone: SimulatedPhone) -> None:
    cli.dataset.write_text("a file")
    error = refusal(cli, {"complete": ""})
    assert error.rstrip().endswith("there is a file where a folder is needed. Move that file away.")
    assert cli.draft_ids() == []


def test_interrupted_recording_keeps_its_draft(cli: CommandLine, phone: SimulatedPhone) -> None:
    script_path = script_file(cli.folder, {"key": "HOME"}, {"wait_ms": 60_000}, {"complete": ""})
    command = [sys.executable, "-m", "odyssey_recorder", "record", "--script", str(script_path), *TASK]
    with subprocess.Popen(
        command, env=os.environ, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        wait_until(lambda: has_a_step(cli))
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=30)
    [draft] = cli.draft_ids()
    assert (process.returncode, out) == (130, "")
    assert f"Stopped. The draft is saved. Continue it: --resume {draft} " in err
    assert "Traceback" not in err
