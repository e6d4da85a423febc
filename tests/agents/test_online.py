"""`agent run` and `agent bench`: the real adb, simulated phones, and a stand-in for the model's server."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from odyssey_recorder.agents.adapter import adapter_named
from odyssey_recorder.agents.benchmark import OnText, Reach, read_benchmark, shipped_benchmark
from odyssey_recorder.commands.demo_annotator import Eyes, On
from odyssey_recorder.dataset.draft import Draft
from odyssey_recorder.dataset.layout import provenance_path
from odyssey_recorder.device.emulator_console import TOKEN_FILE
from odyssey_recorder.llm.tokens import USUAL_ANSWER
from odyssey_recorder.model.action import Click, Complete, Scroll
from odyssey_recorder.model.geometry import Pixel, Point, Size, to_grid
from odyssey_recorder.recording import script
from odyssey_recorder.settings import prices_file
from odyssey_simulator.profile import profile_named
from tests.agents.controlled_model import says
from tests.annotation.memory_model import Rememberer, told_after
from tests.annotation.vision_model import images_of
from tests.cli import CommandLine, Result, SimulatedPhone, wait_until
from tests.llm.stand_in import MODEL, ErrorReply, ReceivedRequest, Reply, StandIn
from tests.tasks.tasks import row as task_row
from tests.tasks.tasks import write_list

TASKS = read_benchmark(shipped_benchmark())
ALARM, TIMER = "sim-alarm-off", "sim-timer-eggs"
SNAPSHOT = "agent-start"


def idle(_: ReceivedRequest) -> Reply:
    return says("COMPLETE")


class GoldPlayer:
    """Plays gold scripts that consist of taps, after the answers `first`; what they reach for must be on the screen."""

    def __init__(self, phone: SimulatedPhone, *task_ids: str, first: tuple[Reply, ...] = (), seed: int = 0) -> None:
        self._screen = Eyes(phone.emulators, phone.serial)
        self._moves = [
            *first,
            *(move for one in task_ids for move in (*TASKS[one].filled(seed).gold, says("COMPLETE"))),
        ]
        self._moves = [move for move in self._moves if not isinstance(move, Reach)]

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


class DraggingPlayer(GoldPlayer):
    """Calls each tap a drag that ends where it begins."""

    def __call__(self, request: ReceivedRequest) -> Reply:
        at = json.loads(super().__call__(request).raw)
        adapter, size = adapter_named("qwen2.5-vl"), profile_named("small_phone").size
        frame = adapter.frame(Size(*images_of(request)[-1].size), Size(size.width, size.height))
        if at["action"] == "COMPLETE":
            return Reply(adapter.write(Complete(), frame) or "")
        point = Point(at["x"], at["y"])
        return Reply(adapter.write(Scroll(point, point, (point,)), frame) or "")


@pytest.fixture
def agent_phone(phone: SimulatedPhone, cli: CommandLine) -> Iterator[SimulatedPhone]:
    """A phone in its initial state, with a snapshot of it; the command line can use its console."""
    home = cli.folder / "home"
    home.mkdir(exist_ok=True)
    shutil.copy(phone.emulators.server.home / TOKEN_FILE, home)
    phone.console("avd", "snapshot", "save", SNAPSHOT)
    yield phone
    phone.console("avd", "snapshot", "load", SNAPSHOT)
    wait_until(lambda: phone.emulators.server.adb("-s", phone.serial, "shell", "true").returncode == 0)
    phone.console("avd", "snapshot", "delete", SNAPSHOT)


def agent_command(cli: CommandLine, server: StandIn, *more: object) -> tuple[object, ...]:
    cli.monkeypatch.setenv("ODYSSEY_MODEL_URL", server.url)
    out = cli.folder / "results.jsonl"
    own = ("--dataset", cli.dataset, "--snapshot", SNAPSHOT, "--out", out)
    return ("agent", "run", "--model", MODEL, *own, *more)


def results(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()[1:]]


def run_with(cli: CommandLine, behaviour: Any, *more: object, task: str = ALARM) -> tuple[Result, list[dict[str, Any]]]:
    with StandIn(behaviour) as server:
        ran = cli(*agent_command(cli, server, "--task", task, *more))
    out = cli.folder / "results.jsonl"
    return ran, results(out) if out.exists() else []


def test_gold_replayer_solves_its_task_and_records_answers(cli: CommandLine, agent_phone: SimulatedPhone) -> None:
    unread = Reply("Hm.")
    ran, (row,) = run_with(cli, GoldPlayer(agent_phone, ALARM, first=(unread,)))
    assert ran.exit_code == 0, ran.err
    assert (row["stop"], row["is_met"], row["missed"], row["steps"], row["gold_steps"]) == ("complete", True, [], 3, 3)
    assert (row["unreadable"], row["interventions"], row["tokens_in"] > 0) == (1, 0, True)
    assert "Success: 100.0% (1 of 1" in ran.out
    kept = cli.store.provenance(row["episode_id"])
    assert kept is not None
    assert (kept.origin.actor, kept.origin.task_id, len(kept.steps)) == ("agent", ALARM, 3)
    for step in kept.steps:
        assert step.agent is not None
        assert json.loads(step.agent.raw)["action"] in ("CLICK", "COMPLETE")
        assert (step.agent.adapter, step.agent.model, step.agent.tokens_in > 0) == ("ours", MODEL, True)
    assert cli.draft_ids() == []


def test_memory_written_while_acting_is_that_of_the_offline_writer(
    cli: CommandLine, agent_phone: SimulatedPhone
) -> None:
    """With the answers to the same questions, of which none is asked again.

    The model opens the clock, and is done once it remembers the result of an action; a busy computer may show it a
    screen that changes before it acts, so that it is asked about another one.
    """

    def act(request: ReceivedRequest) -> Reply:
        is_first = model.told[-1].startswith("Remembered:")
        return GoldPlayer(agent_phone, ALARM)(request) if is_first else says("COMPLETE")

    model = Rememberer(act)
    with StandIn(model) as server:
        ran = cli(*agent_command(cli, server, "--task", ALARM, "--history", "memory"))
        (row,) = results(cli.folder / "results.jsonl")
        assert (row["stop"], row["steps"]) == ("complete", 2), ran.err
        asked = len(server.questions)
        cli.monkeypatch.setenv("ODYSSEY_MODEL", MODEL)
        written = cli("annotate", "run", cli.dataset, "--memory", "cheap", "--yes", "--filter", "is:agent")
        assert (written.exit_code, len(server.questions)) == (0, asked), written.err
    cli.output("annotate", "export", cli.dataset, "--memory", "paper", "--out", cli.folder, "--filter", "is:agent")
    last = {told.startswith("Remembered:"): told for told in model.told}
    assert [*last.values()] == told_after(cli.folder, row["episode_id"])
    assert json.loads((cli.folder / "results.jsonl").read_text().splitlines()[0])["history"] == "memory:paper:live"


def test_goals_follow_the_seed_and_a_prompt_of_the_user_is_named(cli: CommandLine, agent_phone: SimulatedPhone) -> None:
    task, mine = "sim-alarm-time", cli.folder / "mine.txt"
    mine.write_text("{screenshot} {task}")
    ran, (row,) = run_with(cli, GoldPlayer(agent_phone, task, seed=1), "--seed", 1, "--prompt", mine, task=task)
    assert ran.exit_code == 0, ran.err
    header, kept = (
        (cli.folder / "results.jsonl").read_text().partition("\n")[0],
        cli.store.provenance(row["episode_id"]),
    )
    assert kept is not None
    asked = {json.loads(header)["adapter"], *(step.agent.adapter for step in kept.steps if step.agent is not None)}
    assert asked == {f"ours with mine.txt@{sha256(mine.read_bytes()).hexdigest()[:16]}"}
    assert (row["seed"], row["stop"], row["is_met"], row["difficulty"]) == (1, "complete", True, "easy")


def test_goals_on_settings_and_screen_work_on_any_device(cli: CommandLine, agent_phone: SimulatedPhone) -> None:
    """Without the console's token the phone has no facts of its own, like a real device."""
    (cli.folder / "home" / TOKEN_FILE).unlink()
    goals = cli.folder / "goals.jsonl"
    wanted = [
        {"path": "screen.text", "op": "equals", "value": "Water the plants"},
        {"path": "settings.global.wifi_on", "op": "unchanged"},
        {"path": 'files."/sdcard/plants.txt"', "op": "any"},
    ]
    goals.write_text(json.dumps({"task_id": ALARM, "goals": wanted, "gold": [{"on": "Clock"}]}))
    left: list[Callable[[ReceivedRequest], Reply]] = [GoldPlayer(agent_phone, ALARM), idle]
    with StandIn(lambda request: left.pop(0)(request)) as server:
        server_words = agent_command(cli, server, "--task", ALARM, "--goals", goals)
        ran = cli(*(one for one in server_words if one not in ("--snapshot", SNAPSHOT)))
    (row,) = results(cli.folder / "results.jsonl")
    assert (row["stop"], row["is_met"], row["missed"]) == ("complete", False, ['files."/sdcard/plants.txt"']), ran.err


def test_task_of_an_episode_is_judged_by_what_its_annotator_marked(
    cli: CommandLine, agent_phone: SimulatedPhone
) -> None:
    _, (recorded,) = run_with(cli, GoldPlayer(agent_phone, ALARM))
    episode_id = recorded["episode_id"]
    words = ("--from-episodes", "is:agent")
    with StandIn(idle) as server:
        command = [one for one in agent_command(cli, server, *words) if one != cli.folder / "results.jsonl"]
        command[command.index("--out")] = f"--out={cli.folder / 'again.jsonl'}"
        ran = cli(*command)
        assert (ran.exit_code, len(server.questions)) == (2, 0)
        assert "None of these episodes says what proves its task." in ran.err

        path = cli.dataset / provenance_path(episode_id)
        known = json.loads(path.read_text())
        known["goals"] = [{"path": "clock.alarms[label=Work].on", "op": "equals", "value": False}]
        path.write_text(json.dumps(known))
        ran = cli(*command)
    (row,) = results(cli.folder / "again.jsonl")
    assert (row["task_id"], row["gold_steps"], row["stop"]) == (episode_id, 3, "complete"), ran.err
    assert (row["is_met"], row["missed"]) == (False, ["clock.alarms[label=Work].on"])


def test_model_can_judge_tasks_without_goals(cli: CommandLine, agent_phone: SimulatedPhone) -> None:
    questions = list[ReceivedRequest]()
    tasks = write_list(cli.folder / "tasks.jsonl", [task_row("look")])

    def agent_and_judge(request: ReceivedRequest) -> Reply:
        if "done" not in request.schema.get("properties", {}):
            return says("COMPLETE", text="I have looked.")
        questions.append(request)
        return Reply(json.dumps({"reason": "The home screen is shown.", "done": False}))

    ran, (row,) = run_with(cli, agent_and_judge, "--tasks", tasks, "--judge", MODEL, task="look")
    assert (row["is_met"], row["judged_by"], row["unjudged"]) == (False, MODEL, ""), ran.err
    assert "not done in the opinion of" in ran.err
    assert f"In the opinion of {MODEL}, which is no proof: 0.0% (0 of 1" in ran.out
    assert "Success: none judged" in ran.out
    assert len(images_of(questions[0])) == 1


@pytest.mark.parametrize(("answer", "stop"), [(says("HOME"), "repeated"), (says("TYPE", text=""), "unreadable")])
def test_run_without_progress_ends(cli: CommandLine, agent_phone: SimulatedPhone, answer: Reply, stop: str) -> None:
    ran, (row,) = run_with(cli, lambda _: answer)
    assert (ran.exit_code, row["stop"]) == (1, stop), ran.err
    # On a busy computer the first screen may be that before the snapshot.
    assert row["steps"] in ((2, 3) if stop == "repeated" else (0,)), ran.err
    assert f"1 task cut short: {stop}" in ran.out
    assert len(cli.draft_ids()) == 1


def test_dry_run_sends_and_stores_nothing(cli: CommandLine, agent_phone: SimulatedPhone) -> None:
    ran, rows = run_with(cli, GoldPlayer(agent_phone, ALARM), "--dry-run")
    assert (ran.exit_code, rows, cli.draft_ids()) == (0, [], []), ran.err
    assert Eyes(agent_phone.emulators, agent_phone.serial).see("Clock")
    assert "dry run (Click" in ran.err


def only_draft(cli: CommandLine) -> Draft:
    (episode_id,) = cli.draft_ids()
    draft = Draft(cli.drafts / episode_id)
    draft.close()
    return draft


def test_disallowed_action_needs_a_person(cli: CommandLine, agent_phone: SimulatedPhone) -> None:
    ran, (row,) = run_with(cli, GoldPlayer(agent_phone, ALARM), "--allow-package", "com.example.notes")
    assert (ran.exit_code, row["stop"], row["steps"], row["interventions"]) == (1, "guard", 0, 1)
    assert "is not allowed. Without a terminal nobody can be asked" in ran.err
    assert not only_draft(cli).state.rejected, "nobody refused it"


def test_drag_that_is_a_tap_deletes_no_note_without_a_person(cli: CommandLine, agent_phone: SimulatedPhone) -> None:
    task = "sim-note-delete"
    ran, (row,) = run_with(cli, DraggingPlayer(agent_phone, task), "--adapter", "qwen2.5-vl", task=task)
    assert (row["stop"], row["steps"], row["interventions"]) == ("guard", 3, 1), ran.err
    assert [step.action for step in only_draft(cli).steps if not isinstance(step.action, Click)] == []
    assert "delete" in ran.err
    assert Eyes(agent_phone.emulators, agent_phone.serial).see("Delete")


@pytest.mark.skipif(os.name != "posix", reason="needs a terminal of its own")
def test_action_refused_at_the_terminal_is_kept_in_the_draft(cli: CommandLine, agent_phone: SimulatedPhone) -> None:
    ours, theirs = os.openpty()
    with os.fdopen(ours, "wb", buffering=0) as keyboard, os.fdopen(theirs) as terminal:
        cli.monkeypatch.setattr(sys, "stdin", terminal)
        keyboard.write(b"n\n")
        ran, (row,) = run_with(cli, GoldPlayer(agent_phone, ALARM), "--allow-package", "com.example.notes")
    assert (row["stop"], row["steps"], row["interventions"]) == ("guard", 0, 1), ran.err
    (record,) = only_draft(cli).state.rejected
    assert record.action["action"] == "CLICK"
    assert json.loads(record.agent.raw)["action"] == "CLICK"
    assert (record.agent.model, record.agent.approved) == (MODEL, False)


def test_run_stops_before_exceeding_its_budget(cli: CommandLine, agent_phone: SimulatedPhone) -> None:
    home = says("HOME")
    table = prices_file()
    table.parent.mkdir(parents=True)
    table.write_text(f'date = 2026-11-01\n[[models]]\nname = "{MODEL}"\ninput = 0\noutput = 1000\n')
    answer, expected = len(home.raw) // 4 / 1000, USUAL_ANSWER / 1000
    left = [home] * 3
    ran, rows = run_with(cli, lambda _: left.pop(), "--budget", expected + 1.5 * answer)
    assert (ran.exit_code, rows, left) == (1, [], [home]), ran.err
    assert f"would be exceeded (${2 * answer:.4f} spent)" in " ".join(ran.err.split())
    assert len(only_draft(cli).steps) == 2


def test_killed_run_continues_with_the_next_task(cli: CommandLine, agent_phone: SimulatedPhone) -> None:
    gold = GoldPlayer(agent_phone, TIMER, first=(says("COMPLETE"),))
    ids = ("--task", ALARM, "--task", TIMER)

    def until_killed(request: ReceivedRequest) -> Reply:
        if len(server.questions) == 3:
            child.kill()
        return gold(request)

    with StandIn(until_killed) as server:
        whole = [str(one) for one in agent_command(cli, server, *ids)]
        child = subprocess.Popen([sys.executable, "-m", "odyssey_recorder", *whole], env=dict(os.environ))
        child.wait()
        out = cli.folder / "results.jsonl"
        first = out.read_bytes()
        assert [row["task_id"] for row in results(out)] == [ALARM]
        left = [says("IMPOSSIBLE", text="no")]
        server.behaviour = lambda _: left.pop()
        agent_phone.emulators.server.adb("-s", agent_phone.serial, "shell", "input", "keyevent", "HOME")
        ran = cli(*agent_command(cli, server, *ids))
        assert ran.exit_code == 0, ran.err
    assert out.read_bytes().startswith(first)
    assert [(row["task_id"], row["stop"], row["steps"]) for row in results(out)][1:] == [(TIMER, "impossible", 2)]


def test_run_ended_by_the_server_has_no_result(cli: CommandLine, agent_phone: SimulatedPhone) -> None:
    ran, rows = run_with(cli, lambda _: ErrorReply(401, "no"))
    assert (ran.exit_code, rows, len(cli.draft_ids())) == (1, [], 1)
    assert "model (" in ran.err


def test_agent_episodes_are_left_out_unless_requested(cli: CommandLine, agent_phone: SimulatedPhone) -> None:
    _, (row,) = run_with(cli, idle)
    data = cli.dataset
    export = ("export", data, cli.folder / "out", "--as", "jsonl", "--all")
    assert "1 episode by agents left out" in cli("stats", data).err
    assert "left out" not in cli("stats", data, "--agents").err
    assert f"{row['episode_id']}.json is by an agent" in cli("splits", "make", data).err
    assert cli("splits", "make", data, "--agents").err.startswith("random_split.json cannot")
    assert "1 episode by agents left out" in cli(*export).err
    assert cli(*export, "--agents").out.startswith("1 episode exported")
    assert row["episode_id"] in cli("list", data, "--filter", "is:agent").out
    assert "is by an agent, and in no split" in cli("release", "make", data).err
