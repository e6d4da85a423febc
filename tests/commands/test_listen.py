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
from odyssey_recorder.dataset.store import EpisodeStore
from odyssey_recorder.model.action import Complete, Impossible, Press, SystemKey
from tests.command_line import CommandLine, LabPhone, Ran, wait_until

TASK = ("--instruction", "Go home.", "--category", "General_Tool", "--app", "Clock")
Person = Callable[[Callable[[str], None]], None]


@contextmanager
def terminal(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], None]]:
    reads, writes = os.pipe()
    with TextIOWrapper(os.fdopen(reads, "rb")) as stdin, os.fdopen(writes, "wb", buffering=0) as keyboard:
        monkeypatch.setattr(sys, "stdin", stdin)

        def say(words: str) -> None:
            keyboard.write(f"{words}\n".encode())

        yield say


def steps(command_line: CommandLine) -> int:
    logs = [*command_line.drafts.glob("*/steps.jsonl")]
    return sum(line.startswith(b'{"kind":"step"') for log in logs for line in log.read_bytes().splitlines())


def is_heard(phone: LabPhone, command_line: CommandLine) -> bool:
    """Press a key of the emulator's toolbar; True once the recorder has seen one."""
    phone.console("event", "send", "EV_KEY:KEY_HOME:1", "EV_KEY:KEY_HOME:0")
    return steps(command_line) > 0


def listen(command_line: CommandLine, person: Person, *more: str) -> Ran:
    with terminal(command_line.monkeypatch) as say:
        thread = threading.Thread(target=person, args=(say,))
        thread.start()
        try:
            return command_line("record", "--mode", "passive", *(more or TASK))
        finally:
            thread.join()


def home_then(*words: str, phone: LabPhone, command_line: CommandLine) -> Person:
    def work(say: Callable[[str], None]) -> None:
        wait_until(lambda: bool(command_line.draft_ids()))
        say("look")  # is read once the recorder listens
        wait_until(lambda: is_heard(phone, command_line))
        for word in words:
            say(word)

    return work


def test_what_is_done_on_the_phone_becomes_an_episode(command_line: CommandLine, phone: LabPhone) -> None:
    ran = listen(command_line, home_then("done at home", phone=phone, command_line=command_line))

    assert ran.exit_code == 0
    annotation = Path(ran.out.strip())
    actions = [step.action for step in read_episode(annotation).steps]
    assert actions[0] == Press(SystemKey.HOME)
    assert actions[-1] == Complete("at home")
    provenance = EpisodeStore(command_line.dataset, drafts=command_line.drafts).provenance(annotation.stem)
    assert provenance is not None
    assert provenance.origin.mode == "passive"
    assert provenance.steps[0].frame.source == "gRPC"
    assert "Press Home" in ran.err
    assert "screenshots by gRPC" in ran.err


def test_words_that_say_nothing_are_answered_and_the_way_to_screenshots_can_be_forced(
    command_line: CommandLine, phone: LabPhone
) -> None:
    person = home_then("text", "impossible it is late", phone=phone, command_line=command_line)
    ran = listen(command_line, person, *TASK, "--capture", "adb")

    assert ran.exit_code == 0
    assert "screenshots by screencap" in ran.err
    assert "'look' is not a command on its own.  Work in the emulator's window." in ran.err
    assert "'text' is not a command on its own. " in ran.err
    assert read_episode(Path(ran.out.strip())).steps[-1].action == Impossible("it is late")


def test_who_stops_keeps_the_draft_and_goes_on_with_it_on_another_screen_when_that_is_accepted(
    command_line: CommandLine, phone: LabPhone
) -> None:
    stopped = listen(command_line, home_then("stop", phone=phone, command_line=command_line))
    assert (stopped.exit_code, stopped.out) == (1, "")
    [draft] = command_line.draft_ids()
    assert f"Continue it: --mode passive --resume {draft}" in stopped.err
    log = command_line.drafts / draft / "steps.jsonl"
    log.write_text(
        "".join(line for line in log.read_text().splitlines(keepends=True) if '"screen","picture"' not in line)
    )

    def go_on(say: Callable[[str], None]) -> None:
        for words in ("done", "stop"):
            say(words)

    refused = listen(command_line, go_on, "--resume", draft)
    assert refused.exit_code == 1
    assert "There is no screenshot of the screen after the last step (Press Home)" in refused.err
    assert "First restore the required screen" in refused.err

    accepted = listen(command_line, lambda say: say("done"), "--resume", draft, "--accept-screen")
    assert accepted.exit_code == 0
    assert "The device is restored. Continue." in accepted.err
    again = listen(command_line, lambda say: None, "--resume", draft)
    assert again.exit_code == 1, "it is published, and no draft any more"


def test_a_script_and_passive_mode_exclude_each_other(command_line: CommandLine) -> None:
    ran = command_line("record", "--mode", "passive", "--script", "play.jsonl", *TASK)

    assert ran.exit_code == 2
    assert "--mode passive does not take one" in " ".join(ran.err.split())
