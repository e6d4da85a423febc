"""`record --mode passive`: a person works on the emulator, and ends the episode on the terminal."""

import os
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from io import TextIOWrapper
from pathlib import Path

import pytest

from odyssey_recorder.dataset.codec import read_episode
from odyssey_recorder.model.action import Complete, Impossible, Press, SystemKey
from tests.cli import CommandLine, Result, SimulatedPhone, wait_until
from tests.commands.test_record import TASK

Actions = Callable[[Callable[[str], None]], None]


@contextmanager
def terminal(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], None]]:
    reads, writes = os.pipe()
    with TextIOWrapper(os.fdopen(reads, "rb")) as stdin, os.fdopen(writes, "wb", buffering=0) as keyboard:
        monkeypatch.setattr(sys, "stdin", stdin)

        def type_line(text: str) -> None:
            keyboard.write(f"{text}\n".encode())

        yield type_line


def steps(cli: CommandLine) -> int:
    logs = [*cli.drafts.glob("*/steps.jsonl")]
    return sum(line.startswith(b'{"kind":"step"') for log in logs for line in log.read_bytes().splitlines())


def is_recording_input(phone: SimulatedPhone, cli: CommandLine) -> bool:
    """Press a key of the emulator's toolbar; True once the recorder has seen one."""
    phone.console("event", "send", "EV_KEY:KEY_HOME:1", "EV_KEY:KEY_HOME:0")
    return steps(cli) > 0


def listen(cli: CommandLine, actions: Actions, *options: str) -> Result:
    with terminal(cli.monkeypatch) as type_line:
        thread = threading.Thread(target=actions, args=(type_line,))
        thread.start()
        try:
            return cli("record", "--mode", "passive", *(options or TASK))
        finally:
            thread.join()


def press_home_then(*text: str, phone: SimulatedPhone, cli: CommandLine) -> Actions:
    def perform(type_line: Callable[[str], None]) -> None:
        wait_until(lambda: bool(cli.draft_ids()))
        type_line("look")  # is read once the recorder listens
        wait_until(lambda: is_recording_input(phone, cli))
        for word in text:
            type_line(word)

    return perform


def test_actions_on_the_phone_become_an_episode(cli: CommandLine, phone: SimulatedPhone) -> None:
    result = listen(cli, press_home_then("done at home", phone=phone, cli=cli))

    assert result.exit_code == 0
    annotation = Path(result.out.strip())
    actions = [step.action for step in read_episode(annotation).steps]
    assert actions[0] == Press(SystemKey.HOME)
    assert actions[-1] == Complete("at home")
    provenance = cli.store.provenance(annotation.stem)
    assert provenance is not None
    assert provenance.origin.mode == "passive"
    assert provenance.steps[0].frame.source == "gRPC"
    assert "Press Home" in result.err
    assert "screenshots by gRPC" in result.err


def test_unknown_words_are_answered_and_capture_can_be_forced(cli: CommandLine, phone: SimulatedPhone) -> None:
    actions = press_home_then("text", "impossible it is late", phone=phone, cli=cli)
    result = listen(cli, actions, *TASK, "--capture", "adb")

    assert result.exit_code == 0
    assert "screenshots by screencap" in result.err
    assert "'look' is not a command on its own.  Work in the emulator's window." in result.err
    assert "'text' is not a command on its own. " in result.err
    assert read_episode(Path(result.out.strip())).steps[-1].action == Impossible("it is late")


def test_stopped_draft_resumes_on_another_screen_if_accepted(cli: CommandLine, phone: SimulatedPhone) -> None:
    stopped = listen(cli, press_home_then("stop", phone=phone, cli=cli))
    assert (stopped.exit_code, stopped.out) == (1, "")
    [draft] = cli.draft_ids()
    assert f"Continue it: --mode passive --resume {draft}" in stopped.err
    log = cli.drafts / draft / "steps.jsonl"
    log.write_text(
        "".join(line for line in log.read_text().splitlines(keepends=True) if '"screen","picture"' not in line)
    )

    def resume(type_line: Callable[[str], None]) -> None:
        for text in ("done", "stop"):
            type_line(text)

    refused = listen(cli, resume, "--resume", draft)
    assert refused.exit_code == 1
    assert "There is no screenshot of the screen after the last step (Press Home)" in refused.err
    assert "First restore the required screen" in refused.err

    accepted = listen(cli, lambda type_line: type_line("done"), "--resume", draft, "--accept-screen")
    assert accepted.exit_code == 0
    assert "The device is restored. Continue." in accepted.err
    published = listen(cli, lambda type_line: None, "--resume", draft)
    assert published.exit_code == 1, "it is published, and no draft any more"


def test_script_and_passive_mode_exclude_each_other(cli: CommandLine) -> None:
    error = cli.error("record", "--mode", "passive", "--script", "play.jsonl", *TASK)
    assert "--mode passive does not take one" in " ".join(error.split())
