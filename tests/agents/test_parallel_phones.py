"""`agent bench` with gold answers: phones that work at the same time do not mix up their tasks."""

import threading
from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from odyssey_recorder.agents.benchmark import DragBetween, Reach, read_benchmark, shipped_benchmark
from odyssey_recorder.commands.agent_tasks import chosen_tasks
from odyssey_recorder.model.geometry import Pixel, Size, to_grid
from odyssey_recorder.recording.script import PressKey, TypeText
from tests.agents.controlled_model import says
from tests.agents.guard_steps import carry_out
from tests.agents.test_online import results
from tests.cli import CommandLine
from tests.llm.stand_in import MODEL, ReceivedRequest, Reply, StandIn
from tests.simulator.person import Person, person_with

PROFILE = "small_phone"
TASKS = {name: one.filled(0) for name, one in read_benchmark(shipped_benchmark()).items()}
TAPPED = [name for name, one in TASKS.items() if not any(isinstance(move, Reach | DragBetween) for move in one.gold)]
"""The tasks whose gold scripts do not scroll: a model says only in which direction."""
SHORT = ["sim-alarm-off", "sim-timer-eggs"]
IDLE = "sim-alarm-time"


class RecordingPerson(Person):
    """Records its touches as answers of a model."""

    def __init__(self, phone: Any) -> None:
        super().__init__(phone)
        self.replies: list[Reply] = []

    def tap_at(self, x: float, y: float) -> None:
        self._note("CLICK", x, y)
        super().tap_at(x, y)

    def hold_at(self, x: float, y: float) -> None:
        self._note("LONG_PRESS", x, y)
        super().hold_at(x, y)

    def _note(self, action: str, x: float, y: float) -> None:
        size = self.phone.state().size
        at = to_grid(Pixel(round(x), round(y)), Size(size.width, size.height))
        self.replies.append(says(action, x=at.x, y=at.y))


def gold_answers(task_id: str) -> list[Reply]:
    with person_with(PROFILE) as person:
        player = RecordingPerson(person.phone)
        for move in TASKS[task_id].gold:
            carry_out(player, move)
            if isinstance(move, TypeText):
                player.replies.append(says("TYPE", text=move.type))
            elif isinstance(move, PressKey):
                player.replies.append(says(move.key))
    return [*player.replies, says("COMPLETE", text=TASKS[task_id].answer)]


class GoldAnswers:
    """Answers each task's questions in turn, for any phone; repeats the last one."""

    def __init__(self, answers: Mapping[str, Sequence[Reply]]) -> None:
        self._answers = {instruction: list(replies) for instruction, replies in answers.items()}
        self._lock = threading.Lock()

    def __call__(self, request: ReceivedRequest) -> Reply:
        with self._lock:
            replies = self._answers[max((one for one in self._answers if one in request.words), key=len)]
            return replies.pop(0) if len(replies) > 1 else replies[0]


@pytest.mark.parametrize(("ids", "phones"), [(SHORT, 4), pytest.param(TAPPED, 4, marks=pytest.mark.soak)])
def test_each_task_has_its_own_verdict_on_several_phones(cli: CommandLine, ids: list[str], phones: int) -> None:
    instructions = {
        job.task_id: job.listed.task.instruction
        for job in chosen_tasks(None, None, [*ids, IDLE], (0,), profile=PROFILE)
    }
    answers = {name: gold_answers(name) if name != IDLE else [says("COMPLETE")] for name in instructions}
    folder = cli.folder / "bench"
    chosen = [word for name in instructions for word in ("--task", name)]
    command = ("agent", "bench", "--model", MODEL, "--out", folder, "--phones", phones, *chosen)
    with StandIn(GoldAnswers({instructions[name]: replies for name, replies in answers.items()})) as server:
        cli.monkeypatch.setenv("ODYSSEY_MODEL_URL", server.url)
        ran, again = cli(*command), cli(*command)
    assert (ran.exit_code, again.exit_code, again.out == ran.out) == (0, 0, True), ran.err
    assert len(server.questions) == sum(map(len, answers.values())), "the second run had nothing to do"
    keys = ("task_id", "stop", "is_met", "steps")
    assert sorted(tuple(row[key] for key in keys) for row in results(folder / "results.jsonl")) == sorted(
        (name, "complete", name != IDLE, len(replies)) for name, replies in answers.items()
    )


@pytest.mark.parametrize("ids", [["sim-todo-delete"], pytest.param([*TASKS], marks=pytest.mark.soak)])
def test_gold_agent_solves_tasks_without_a_model(cli: CommandLine, ids: list[str]) -> None:
    """It opens the app drawer, scrolls in a list and holds a finger; no server is running."""
    folder = cli.folder / "bench"
    chosen = [word for name in ids for word in ("--task", name)]
    ran = cli("agent", "bench", "--agent", "gold", "--out", folder, *chosen)
    assert ran.exit_code == 0, ran.err
    assert {row["task_id"] for row in results(folder / "results.jsonl") if row["is_met"]} == {*ids}
    assert f"Success: 100.0% ({len(ids):,} of {len(ids):,}" in ran.out
