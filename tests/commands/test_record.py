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
from odyssey_recorder.dataset.store import EpisodeStore
from odyssey_recorder.model.action import Action, Complete, action_type
from odyssey_recorder.model.flag import Flag, FlagCode
from odyssey_recorder.recording import script
from odyssey_recorder.settings import log_file
from odyssey_recorder.simulator.adb_server import PrivateAdbServer
from tests.command_line import ESCAPES, CommandLine, LabPhone, Ran, wait_until
from tests.dataset.drafts import HOME, png
from tests.dataset.drafts import record as step_record

COMPLETE = Complete("done")
TASK = ("--instruction", "Go home.", "--category", "General_Tool", "--app", "Clock")


def script_file(folder: Path, *lines: object) -> Path:
    path = folder / "play.jsonl"
    path.write_text("".join(f"{line if isinstance(line, str) else json.dumps(line)}\n" for line in lines))
    return path


def record(command_line: CommandLine, *lines: object, more: tuple[str, ...] = TASK) -> Ran:
    return command_line("record", "--script", script_file(command_line.folder, *lines), *more)


def has_a_step(command_line: CommandLine) -> bool:
    return any(path.stat().st_size for path in command_line.drafts.glob("*/steps.jsonl"))


def test_a_script_becomes_an_episode_whose_file_alone_is_on_stdout(command_line: CommandLine, phone: LabPhone) -> None:
    elsewhere = command_line.folder / "elsewhere"  # above that of the environment
    more = (*TASK, "--dataset", str(elsewhere), "--device", phone.serial)
    ran = record(command_line, {"key": "HOME"}, {"wait_ms": 10}, {"complete": ESCAPES}, more=more)
    assert ran.exit_code == 0
    annotation = Path(ran.out.removesuffix("\n"))
    assert annotation.parent == elsewhere / "annotations"
    episode = read_episode(annotation)
    assert episode.steps[-1].action == Complete(ESCAPES)
    assert [action_type(step.action) for step in episode.steps] == ["HOME", "COMPLETE"]
    assert (episode.task.instruction, episode.task.apps, episode.device.device_name) == (
        "Go home.", ("Clock",), "Small Phone",
    )  # fmt: skip
    assert r"Complete: \x1b[31m[red]x[/]" in ran.err
    assert "\x1b" not in ran.err
    assert "3/3" in ran.err
    assert command_line.draft_ids() == []


@pytest.mark.parametrize(
    ("lines", "complaint"),
    [
        (['{"tap": [1, 2]}', "", '{"tap": "here"}'], 'play.jsonl, line 3: {"tap": "here"} is not a command;'),
        ([f'"{ESCAPES}"'], r'play.jsonl, line 1: "\x1b[31m[red]x[/]'),
        ([{"tap": [1, 2]}], "play.jsonl: expected exactly one"),
    ],
)
def test_a_bad_script_is_refused_before_anything_is_touched(
    command_line: CommandLine, lines: list[object], complaint: str
) -> None:
    ran = record(command_line, *lines)
    assert (ran.exit_code, ran.out) == (1, "")
    assert ran.err.startswith(complaint)
    assert "\x1b" not in ran.err
    assert not command_line.dataset.exists()


def test_a_script_that_is_not_there_or_no_text_is_named(command_line: CommandLine) -> None:
    screenshot = command_line.folder / "picture.jsonl"
    screenshot.write_bytes(b"\x89PNG")
    assert "picture.jsonl is not UTF-8 text" in command_line("record", "--script", screenshot, *TASK).err
    ran = command_line("record", "--script", command_line.folder / "nowhere.jsonl", *TASK)
    assert ran.exit_code == 1
    assert ran.err.endswith("nowhere.jsonl cannot be read: No such file or directory.\n")
    assert "nowhere.jsonl cannot be read" in log_file().read_text(encoding="utf-8")


def test_a_new_episode_needs_its_task(command_line: CommandLine) -> None:
    ran = record(command_line, {"complete": ""}, more=("--instruction", "Go home."))
    assert ran.exit_code == 2
    assert "A new episode needs --instruction, --category and --app." in ran.err


def test_without_a_device_it_says_how_to_get_one(command_line: CommandLine, lonely_server: PrivateAdbServer) -> None:
    command_line.use_server(lonely_server.port)
    ran = record(command_line, {"complete": ""})
    assert ran.exit_code == 1
    assert ran.err.startswith("No device is ready.")
    assert "odyssey-recorder simulate" in ran.err


def test_what_a_device_refused_is_told_and_another_run_goes_on_with_the_draft(
    command_line: CommandLine, phone: LabPhone
) -> None:
    phone.console("fault", "refuse-input", "on")
    refused = record(command_line, {"key": "HOME"}, {"complete": "never"}, more=(*TASK, "--capture", "adb"))
    phone.console("fault", "clear")
    assert (refused.exit_code, refused.out) == (1, "")
    [draft] = command_line.draft_ids()
    assert f"The draft is saved. Continue it: --resume {draft} " in refused.err
    gone_on = record(command_line, {"key": "HOME"}, {"complete": ""}, more=("--resume", draft))
    assert gone_on.exit_code == 0, "the phone shows what it did before"
    episode = read_episode(Path(gone_on.out.strip()))
    assert (episode.episode_id, episode.task.instruction) == (draft, "Go home.")
    assert command_line.draft_ids() == []


def end(draft: Draft, *, sent: bool = True, last: Action = COMPLETE) -> None:
    data = png(1)
    provenance = step_record(data).model_copy(update={"sent_until_us": 3 if sent else None})
    draft.add_step(last, draft.keep_screenshot(data), provenance)
    draft.close()


def kept_draft(command_line: CommandLine, phone: LabPhone) -> tuple[EpisodeStore, str]:
    phone.console("fault", "refuse-input", "on")
    record(command_line, {"key": "HOME"}, {"complete": "never"}, more=(*TASK, "--capture", "adb"))
    phone.console("fault", "clear")
    [draft] = command_line.draft_ids()
    return EpisodeStore(command_line.dataset, drafts=command_line.drafts), draft


def test_a_complete_draft_is_published_when_it_is_resumed(command_line: CommandLine, phone: LabPhone) -> None:
    store, draft = kept_draft(command_line, phone)
    end(store.resume(draft))
    ran = record(command_line, {"complete": "not played"}, more=("--resume", draft))
    assert ran.exit_code == 0
    assert ran.out.strip() == str(command_line.dataset / "annotations" / f"{draft}.json")
    assert "without playing the script" in ran.err
    assert read_episode(Path(ran.out.strip())).steps[-1].action == COMPLETE
    provenance = store.provenance(draft)
    assert provenance is not None
    assert [one.serial for one in provenance.resumed] == [phone.serial]


def test_a_draft_is_not_resumed_on_another_screen_unless_that_is_accepted(
    command_line: CommandLine, phone: LabPhone
) -> None:
    store, draft = kept_draft(command_line, phone)
    end(store.resume(draft), last=HOME)
    refused = record(command_line, {"complete": ""}, more=("--resume", draft))
    assert (refused.exit_code, refused.out) == (1, "")
    assert "There is no screenshot of the screen after the last step (Press Home)" in refused.err
    assert "--accept-screen" in refused.err
    assert command_line.draft_ids() == [draft]

    accepted = record(command_line, {"complete": ""}, more=("--resume", draft, "--accept-screen"))
    assert accepted.exit_code == 0
    provenance = store.provenance(draft)
    assert provenance is not None
    assert [step.flags[:1] for step in provenance.steps] == [(), (Flag(FlagCode.RESUMED_UNSEEN),)]


def test_a_step_of_which_nobody_knows_whether_it_was_carried_out_can_be_undone_by_the_script(
    command_line: CommandLine, phone: LabPhone
) -> None:
    store, draft = kept_draft(command_line, phone)
    end(store.resume(draft), last=HOME, sent=False)
    refused = record(command_line, {"complete": ""}, more=("--resume", draft))
    assert refused.exit_code == 1
    assert "while sending the last step (Press Home), so it is unknown whether the device received it" in refused.err
    gone_on = record(command_line, {"undo": True}, {"complete": ""}, more=("--resume", draft))
    assert gone_on.exit_code == 0
    assert len(read_episode(Path(gone_on.out.strip())).steps) == 1


def test_a_device_that_goes_away_is_named_and_the_draft_kept(
    command_line: CommandLine, phone: LabPhone, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(script, "PATIENCE_S", 2.0)

    def go_away() -> None:
        wait_until(lambda: has_a_step(command_line))
        phone.console("fault", "offline")

    with ThreadPoolExecutor() as pool:
        gone = pool.submit(go_away)
        lines = [{"key": "HOME"}, {"wait_ms": 1000}, {"complete": ""}]
        ran = record(command_line, *lines, more=(*TASK, "--capture", "adb"))
        gone.result()
    phone.console("fault", "clear")
    phone.lab.server.adb("-s", phone.serial, "wait-for-device")
    assert (ran.exit_code, ran.out) == (1, "")
    assert phone.serial in ran.err
    assert f"--resume {command_line.draft_ids()[0]}" in ran.err


def test_a_draft_that_there_is_not_is_named(command_line: CommandLine, phone: LabPhone) -> None:
    ran = record(command_line, {"complete": ""}, more=("--resume", "../../etc"))
    assert ran.exit_code == 1
    assert "'../../etc' is not an episode's id: expected 16 decimal digits." in ran.err


def test_a_dataset_folder_that_cannot_be_made_is_named(command_line: CommandLine, phone: LabPhone) -> None:
    command_line.dataset.write_text("a file")
    ran = record(command_line, {"complete": ""})
    assert ran.exit_code == 1
    assert ran.err.rstrip().endswith("there is a file where a folder is needed. Move that file away.")
    assert command_line.draft_ids() == []


def test_a_recording_that_is_interrupted_keeps_its_draft_and_says_so(
    command_line: CommandLine, phone: LabPhone
) -> None:
    play = script_file(command_line.folder, {"key": "HOME"}, {"wait_ms": 60_000}, {"complete": ""})
    command = [sys.executable, "-m", "odyssey_recorder", "record", "--script", str(play), *TASK]
    with subprocess.Popen(
        command, env=os.environ, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as running:
        wait_until(lambda: has_a_step(command_line))
        running.send_signal(signal.SIGINT)
        out, err = running.communicate(timeout=30)
    [draft] = command_line.draft_ids()
    assert (running.returncode, out) == (130, "")
    assert f"Stopped. The draft is saved. Continue it: --resume {draft} " in err
    assert "Traceback" not in err
