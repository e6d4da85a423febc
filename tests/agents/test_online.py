"""`agent run` and `agent bench`: the real adb, simulated phones, and a stand-in for the model's server."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from odyssey_recorder.agents.benchmark import OnText, read_benchmark, shipped_benchmark
from odyssey_recorder.commands.demo_annotator import Eyes, On
from odyssey_recorder.dataset.draft import Draft
from odyssey_recorder.dataset.provenance import EpisodeProvenance, RejectedRecord, read_provenance
from odyssey_recorder.device.emulator_console import TOKEN_FILE
from odyssey_recorder.llm.tokens import USUAL_ANSWER
from odyssey_recorder.model.geometry import Pixel, Size, to_grid
from odyssey_recorder.recording import script
from odyssey_recorder.settings import prices_file
from odyssey_recorder.simulator.profile import profile_named
from tests.agents.controlled_model import says
from tests.annotation.vision_model import images_of
from tests.command_line import CommandLine, LabPhone, Ran
from tests.llm.stand_in import MODEL, ErrorReply, ReceivedRequest, Reply, StandIn
from tests.simulator.person import wait_until

TASKS = read_benchmark(shipped_benchmark())
ALARM, TIMER = "sim-alarm-off", "sim-timer-eggs"
SNAPSHOT = "agent-start"


def idle(_: ReceivedRequest) -> Reply:
    return says("COMPLETE")


class GoldPlayer:
    """Plays gold scripts that consist of taps, after the answers `first`."""

    def __init__(self, phone: LabPhone, *task_ids: str, first: tuple[Reply, ...] = (), seed: int = 0) -> None:
        self._screen = Eyes(phone.lab, phone.serial)
        self._moves = [
            *first,
            *(move for one in task_ids for move in (*TASKS[one].filled(seed).gold, says("COMPLETE"))),
        ]

    def __call__(self, _: ReceivedRequest) -> Reply:
        move = self._moves.pop(0)
        if isinstance(move, Reply):
            return move
        assert isinstance(move, OnText)
        tap = self._screen.command(On(move.on))
        assert isinstance(tap, script.Tap)
        size = profile_named("small_phone").size
        at = to_grid(Pixel(*tap.tap), Size(size.width, size.height))
        return says("CLICK", x=at.x, y=at.y)


@pytest.fixture
def agent_phone(phone: LabPhone, command_line: CommandLine) -> Iterator[LabPhone]:
    """A phone in its initial state, with a snapshot of it; the command line can use its console."""
    home = command_line.folder / "home"
    home.mkdir(exist_ok=True)
    shutil.copy(phone.lab.server.home / TOKEN_FILE, home)
    phone.console("avd", "snapshot", "save", SNAPSHOT)
    yield phone
    phone.console("avd", "snapshot", "load", SNAPSHOT)
    wait_until(lambda: phone.lab.server.adb("-s", phone.serial, "shell", "true").returncode == 0)
    phone.console("avd", "snapshot", "delete", SNAPSHOT)


def agent_command(command_line: CommandLine, server: StandIn, *more: object) -> tuple[object, ...]:
    command_line.monkeypatch.setenv("ODYSSEY_MODEL_URL", server.url)
    out = command_line.folder / "results.jsonl"
    own = ("--dataset", command_line.dataset, "--snapshot", SNAPSHOT, "--out", out)
    return ("agent", "run", "--model", MODEL, *own, *more)


def results(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()[1:]]


def provenance(command_line: CommandLine, episode_id: str) -> EpisodeProvenance:
    found = read_provenance(command_line.dataset / "provenance" / f"{episode_id}.json")
    assert found is not None
    return found


def run_with(command_line: CommandLine, behaviour: Any, *more: object) -> tuple[Ran, list[dict[str, Any]]]:
    with StandIn(behaviour) as server:
        ran = command_line(*agent_command(command_line, server, "--task", ALARM, *more))
    out = command_line.folder / "results.jsonl"
    return ran, results(out) if out.exists() else []


def test_gold_replayer_solves_its_task_and_records_answers(command_line: CommandLine, agent_phone: LabPhone) -> None:
    unread = Reply("Hm.")
    ran, (row,) = run_with(command_line, GoldPlayer(agent_phone, ALARM, first=(unread,)))
    assert ran.exit_code == 0, ran.err
    assert (row["stop"], row["is_met"], row["missed"], row["steps"], row["gold_steps"]) == ("complete", True, [], 3, 3)
    assert (row["unreadable"], row["interventions"], row["tokens_in"] > 0) == (1, 0, True)
    assert "Success: 100.0% (1 of 1" in ran.out
    kept = provenance(command_line, row["episode_id"])
    assert (kept.origin.actor, kept.origin.task_id, len(kept.steps)) == ("agent", ALARM, 3)
    for step in kept.steps:
        assert step.agent is not None
        assert json.loads(step.agent.raw)["action"] in ("CLICK", "COMPLETE")
        assert (step.agent.adapter, step.agent.model, step.agent.tokens_in > 0) == ("ours", MODEL, True)
    assert command_line.draft_ids() == []


@pytest.mark.parametrize(("seed", "is_met"), [(1, True), (2, False)])
def test_goals_follow_the_seed(command_line: CommandLine, agent_phone: LabPhone, seed: int, *, is_met: bool) -> None:
    gold = GoldPlayer(agent_phone, "sim-alarm-time", seed=1)
    with StandIn(gold) as server:
        ran = command_line(*agent_command(command_line, server, "--task", "sim-alarm-time", "--seed", seed))
    assert ran.exit_code == 0, ran.err
    (row,) = results(command_line.folder / "results.jsonl")
    assert (row["seed"], row["stop"], row["is_met"], row["difficulty"]) == (seed, "complete", is_met, "easy")


def test_goals_on_settings_and_screen_work_on_any_device(command_line: CommandLine, agent_phone: LabPhone) -> None:
    """Without the console's token the phone has no facts of its own, like a real device."""
    (command_line.folder / "home" / TOKEN_FILE).unlink()
    goals = command_line.folder / "goals.jsonl"
    wanted = [
        {"path": "screen.text", "op": "equals", "value": "Water the plants"},
        {"path": "settings.global.wifi_on", "op": "unchanged"},
        {"path": 'files."/sdcard/plants.txt"', "op": "any"},
    ]
    goals.write_text(json.dumps({"task_id": ALARM, "goals": wanted, "gold": [{"on": "Clock"}]}))
    left: list[Callable[[ReceivedRequest], Reply]] = [GoldPlayer(agent_phone, ALARM), idle]
    with StandIn(lambda request: left.pop(0)(request)) as server:
        server_words = agent_command(command_line, server, "--task", ALARM, "--goals", goals)
        ran = command_line(*(one for one in server_words if one not in ("--snapshot", SNAPSHOT)))
    (row,) = results(command_line.folder / "results.jsonl")
    assert (row["stop"], row["is_met"], row["missed"]) == ("complete", False, ['files."/sdcard/plants.txt"']), ran.err


def test_model_can_judge_tasks_without_goals(command_line: CommandLine, agent_phone: LabPhone) -> None:
    tasks, questions = command_line.folder / "tasks.jsonl", list[ReceivedRequest]()
    task = {
        "category": "General_Tool",
        "apps": ["Clock"],
        "meta_task": "Look.",
        "task": "Look.",
        "instruction": "Look.",
    }
    tasks.write_text(json.dumps({"task_id": "look", **task}))

    def agent_and_judge(request: ReceivedRequest) -> Reply:
        if "done" not in request.schema.get("properties", {}):
            return says("COMPLETE", text="I have looked.")
        questions.append(request)
        return Reply(json.dumps({"reason": "The home screen is shown.", "done": False}))

    with StandIn(agent_and_judge) as server:
        ran = command_line(*agent_command(command_line, server, "--task", "look", "--tasks", tasks, "--judge", MODEL))
    (row,) = results(command_line.folder / "results.jsonl")
    assert (row["is_met"], row["judged_by"], row["unjudged"]) == (False, MODEL, ""), ran.err
    assert "not done in the opinion of" in ran.err
    assert f"In the opinion of {MODEL}, which is no proof: 0.0% (0 of 1" in ran.out
    assert "Success: none judged" in ran.out
    assert len(images_of(questions[0])) == 1


@pytest.mark.parametrize(
    ("answer", "stop"),
    [(says("HOME"), "repeated"), (says("TYPE", text=""), "unreadable")],
)
def test_run_without_progress_ends(command_line: CommandLine, agent_phone: LabPhone, answer: Reply, stop: str) -> None:
    ran, (row,) = run_with(command_line, lambda _: answer)
    assert (ran.exit_code, row["stop"], row["steps"]) == (0, stop, 2 if stop == "repeated" else 0), ran.err
    assert len(command_line.draft_ids()) == 1


def test_dry_run_sends_and_stores_nothing(command_line: CommandLine, agent_phone: LabPhone) -> None:
    ran, rows = run_with(command_line, GoldPlayer(agent_phone, ALARM), "--dry-run")
    assert (ran.exit_code, rows, command_line.draft_ids()) == (0, [], []), ran.err
    assert Eyes(agent_phone.lab, agent_phone.serial).see("Clock")
    assert "dry run (Click" in ran.err


def rejected(command_line: CommandLine) -> list[RejectedRecord]:
    """The rejected actions of the only draft."""
    (episode_id,) = command_line.draft_ids()
    draft = Draft(command_line.drafts / episode_id)
    draft.close()
    return list(draft.rejected)


def test_disallowed_action_needs_a_person(command_line: CommandLine, agent_phone: LabPhone) -> None:
    ran, (row,) = run_with(command_line, GoldPlayer(agent_phone, ALARM), "--allow-package", "com.example.notes")
    assert (row["stop"], row["steps"], row["interventions"]) == ("guard", 0, 1)
    assert "is not allowed. Without a terminal nobody can be asked" in ran.err
    assert rejected(command_line) == [], "nobody refused it"


@pytest.mark.skipif(os.name != "posix", reason="needs a terminal of its own")
def test_action_refused_at_the_terminal_is_kept_in_the_draft(command_line: CommandLine, agent_phone: LabPhone) -> None:
    ours, theirs = os.openpty()
    with os.fdopen(ours, "wb", buffering=0) as keyboard, os.fdopen(theirs) as terminal:
        command_line.monkeypatch.setattr(sys, "stdin", terminal)
        keyboard.write(b"n\n")
        ran, (row,) = run_with(command_line, GoldPlayer(agent_phone, ALARM), "--allow-package", "com.example.notes")
    assert (row["stop"], row["steps"], row["interventions"]) == ("guard", 0, 1), ran.err
    (record,) = rejected(command_line)
    assert record.action["action"] == "CLICK"
    assert json.loads(record.agent.raw)["action"] == "CLICK"
    assert (record.agent.model, record.agent.approved) == (MODEL, False)


def test_run_stops_before_exceeding_its_budget(command_line: CommandLine, agent_phone: LabPhone) -> None:
    home = says("HOME")
    table = prices_file()
    table.parent.mkdir(parents=True)
    table.write_text(f'date = 2026-11-01\n[[models]]\nname = "{MODEL}"\ninput = 0\noutput = 1000\n')
    answer, expected = len(home.raw) // 4 / 1000, USUAL_ANSWER / 1000
    requests: list[ReceivedRequest] = []

    def go_home(one: ReceivedRequest) -> Reply:
        requests.append(one)
        return home

    ran, rows = run_with(command_line, go_home, "--budget", expected + 1.5 * answer)
    assert (ran.exit_code, rows, len(requests)) == (1, [], 2), ran.err
    assert f"would be exceeded (${2 * answer:.4f} spent)" in " ".join(ran.err.split())
    (episode_id,) = command_line.draft_ids()
    draft = Draft(command_line.drafts / episode_id)
    draft.close()
    assert len(draft.steps) == 2


def test_killed_run_continues_with_the_next_task(command_line: CommandLine, agent_phone: LabPhone) -> None:
    gold = GoldPlayer(agent_phone, TIMER, first=(says("COMPLETE"),))
    ids = ("--task", ALARM, "--task", TIMER)

    def until_killed(request: ReceivedRequest) -> Reply:
        if len(server.questions) == 3:
            child.kill()
        return gold(request)

    with StandIn(until_killed) as server:
        whole = [str(one) for one in agent_command(command_line, server, *ids)]
        child = subprocess.Popen([sys.executable, "-m", "odyssey_recorder", *whole], env=dict(os.environ))
        child.wait()
        out = command_line.folder / "results.jsonl"
        first = out.read_bytes()
        assert [row["task_id"] for row in results(out)] == [ALARM]
        left = [says("IMPOSSIBLE", text="no")]
        server.behaviour = lambda _: left.pop()
        agent_phone.lab.server.adb("-s", agent_phone.serial, "shell", "input", "keyevent", "HOME")
        ran = command_line(*agent_command(command_line, server, *ids))
        assert ran.exit_code == 0, ran.err
    assert out.read_bytes().startswith(first)
    assert [(row["task_id"], row["stop"], row["steps"]) for row in results(out)][1:] == [(TIMER, "impossible", 2)]


def test_run_ended_by_the_server_has_no_result(command_line: CommandLine, agent_phone: LabPhone) -> None:
    ran, rows = run_with(command_line, lambda _: ErrorReply(401, "no"))
    assert (ran.exit_code, rows, len(command_line.draft_ids())) == (1, [], 1)
    assert "model (" in ran.err


def test_two_phones_give_each_task_its_result(command_line: CommandLine) -> None:
    folder = command_line.folder / "bench"
    with StandIn(idle) as server:
        command_line.monkeypatch.setenv("ODYSSEY_MODEL_URL", server.url)
        bench = ("agent", "bench", "--model", MODEL, "--out", folder, "--task", ALARM, "--task", TIMER, "--phones", 2)
        ran = command_line(*bench)
        again = command_line(*bench)
        count = len(server.questions)
    assert (ran.exit_code, again.exit_code, again.out == ran.out) == (0, 0, True), ran.err
    assert "Success: 0.0% (0 of 2; 95% interval 0.0% to" in ran.out
    assert {(row["task_id"], row["is_met"]) for row in results(folder / "results.jsonl")} == {
        (ALARM, False),
        (TIMER, False),
    }
    assert count == 2


def test_agent_episodes_are_left_out_unless_requested(command_line: CommandLine, agent_phone: LabPhone) -> None:
    _, (row,) = run_with(command_line, idle)
    data, out = command_line.dataset, command_line.folder / "out"
    assert "1 episode by agents left out" in command_line("stats", data).err
    assert "left out" not in command_line("stats", data, "--agents").err
    assert f"{row['episode_id']}.json is by an agent" in command_line("splits", "make", data).err
    assert command_line("splits", "make", data, "--agents").err.startswith("random_split.json cannot")
    assert "1 episode by agents left out" in command_line("export", data, out, "--as", "jsonl", "--all").err
    assert command_line("export", data, out, "--as", "jsonl", "--all", "--agents").out.startswith("1 episode exported")
    assert row["episode_id"] in command_line("list", data, "--filter", "is:agent").out
    assert "is by an agent, and in no split" in command_line("release", "make", data).err
