"""`agent bench` with gold answers: the verdicts do not depend on how many phones there are."""

import threading
from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from odyssey_recorder.agents.benchmark import DragBetween, Reach, read_benchmark, shipped_benchmark
from odyssey_recorder.model.geometry import Pixel, Size, to_grid
from tests.agents.controlled_model import says
from tests.agents.test_benchmark import carry_out
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
    """Records its actions as answers of a model."""

    def __init__(self, phone: Any) -> None:
        super().__init__(phone)
        self.replies: list[Reply] = []

    def tap_at(self, x: float, y: float) -> None:
        self._note("CLICK", x, y)
        super().tap_at(x, y)

    def hold_at(self, x: float, y: float) -> None:
        self._note("LONG_PRESS", x, y)
        super().hold_at(x, y)

    def type(self, text: str) -> None:
        self.replies.append(says("TYPE", text=text))
        super().type(text)

    def home(self) -> None:
        self.replies.append(says("HOME"))
        super().home()

    def back(self) -> None:
        self.replies.append(says("BACK"))
        super().back()

    def recents(self) -> None:
        self.replies.append(says("RECENT"))
        super().recents()

    def _note(self, action: str, x: float, y: float) -> None:
        size = self.phone.state().size
        at = to_grid(Pixel(round(x), round(y)), Size(size.width, size.height))
        self.replies.append(says(action, x=at.x, y=at.y))


def gold_answers(task_id: str) -> list[Reply]:
    with person_with(PROFILE) as person:
        player = RecordingPerson(person.phone)
        for move in TASKS[task_id].gold:
            carry_out(player, move)
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


def verdicts(cli: CommandLine, answers: dict[str, list[Reply]], ids: list[str], phones: int) -> list[Any]:
    folder = cli.folder / f"bench {phones}"
    cli.monkeypatch.setenv("XDG_CACHE_HOME", str(folder / "cache"))
    cli.monkeypatch.setenv("XDG_STATE_HOME", str(folder / "state"))
    cli.monkeypatch.setenv("XDG_DATA_HOME", str(folder / "data"))
    options = [word for one in ids for word in ("--task", one)]
    with StandIn(GoldAnswers(answers)) as server:
        cli.monkeypatch.setenv("ODYSSEY_MODEL_URL", server.url)
        ran = cli("agent", "bench", "--model", MODEL, "--out", folder, "--phones", phones, *options)
    assert ran.exit_code == 0, ran.err
    keys = ("task_id", "stop", "is_met", "missed", "steps")
    return sorted([row[key] for key in keys] for row in results(folder / "results.jsonl"))


@pytest.mark.parametrize("ids", [SHORT, pytest.param(TAPPED, marks=pytest.mark.soak)], ids=["few", "all"])
def test_four_phones_give_the_same_verdicts_as_one(cli: CommandLine, ids: list[str]) -> None:
    from odyssey_recorder.commands.agent_tasks import chosen_tasks

    instructions = {
        job.task_id: job.listed.task.instruction
        for job in chosen_tasks(None, None, [*ids, IDLE], (0,), profile=PROFILE)
    }
    answers = {instructions[one]: gold_answers(one) for one in ids if one != IDLE}
    answers[instructions[IDLE]] = [says("COMPLETE")]
    one = verdicts(cli, answers, list(instructions), 1)
    assert verdicts(cli, answers, list(instructions), 4) == one
    assert {row[0]: row[2] for row in one} == {name: name != IDLE for name in instructions}
