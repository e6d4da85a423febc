"""Cost of an agent's loop, without the model and the device, and how much faster several phones are than one.

The model is a stand-in on this computer that answers with gold actions, asked by the real `openai` client.
"""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

from benchmarks.figure import Figure
from odyssey_recorder.agents.adapter import adapter_named
from odyssey_recorder.agents.asking import Agent
from odyssey_recorder.agents.guard import Guard
from odyssey_recorder.agents.history import HistoryRule
from odyssey_recorder.agents.online import AgentRun
from odyssey_recorder.agents.outcome import StopReason
from odyssey_recorder.agents.results import ResultsHeader, open_results
from odyssey_recorder.commands.agent_bench import run_bench
from odyssey_recorder.commands.agent_tasks import NoSupervisor, chosen_tasks
from odyssey_recorder.llm.answer_cache import AnswerCache
from odyssey_recorder.llm.batch import Batch
from odyssey_recorder.llm.openai import OpenAIModel
from odyssey_recorder.llm.prices import read_prices
from odyssey_recorder.recording.script import ScriptPlayer
from odyssey_recorder.simulated.private_emulators import PrivateEmulators
from odyssey_recorder.wiring.demo import demo_service
from tests.agents.test_parallel_phones import PROFILE, GoldAnswers, gold_answers
from tests.llm.stand_in import MODEL, ReceivedRequest, Reply, StandIn, Turn

LOOP = "sim-percent"
TASKS = (
    "sim-alarm-off",
    "sim-timer-eggs",
    "sim-city-time",
    "sim-font-size",
    "sim-sum",
    "sim-mail-star",
    "sim-follow",
    "sim-price",
)
PHONES = 4


def measure(emulators: PrivateEmulators, folder: Path) -> list[Figure]:
    golds = {_instruction(one): gold_answers(one) for one in (LOOP, *TASKS)}
    one, several = (_bench_s(golds, folder / f"agents {phones}", phones) for phones in (1, PHONES))
    return [
        Figure("agent's own time for a step", _own_ms(golds, emulators, folder), goal="<= 50 ms"),
        Figure(f"{len(TASKS)} tasks by an agent on {PHONES} phones at once", several, "s", "one phone", one, "<= 0.67"),
    ]


class _Timed:
    """Adds up how long the stand-in takes to answer."""

    def __init__(self, answers: Callable[[ReceivedRequest], Turn]) -> None:
        self._answers = answers
        self.seconds = 0.0

    def __call__(self, asked: ReceivedRequest) -> Turn:
        began_s = time.perf_counter()
        try:
            return self._answers(asked)
        finally:
            self.seconds += time.perf_counter() - began_s


def _own_ms(golds: Mapping[str, Sequence[Reply]], emulators: PrivateEmulators, folder: Path) -> float:
    """Wall time of a task's steps without that in which the device or the model's server had the word."""
    service = demo_service(emulators, folder / "agent", actor="agent", profile=PROFILE)
    device = service.connect(service.simulate())
    timed, player = _Timed(GoldAnswers(golds)), ScriptPlayer()
    (job,) = chosen_tasks(None, None, [LOOP], (0,), profile=PROFILE)
    with _agent(timed) as agent:
        recorder = service.begin(device, job.listed.assignment, player)
        recorder.start()
        recorder.hand_over()
        began_s = time.perf_counter()
        run = AgentRun(agent, recorder, NoSupervisor(), _instruction(LOOP), 30).play()
        whole_s = time.perf_counter() - began_s
        if run.stop is not StopReason.COMPLETE:
            raise RuntimeError(f"The agent ended early: {run.why}")
        recorder.stop()
        recorder.join()
    device.close()
    return 1000 * (whole_s - run.device_s - timed.seconds) / run.steps


@contextmanager
def _agent(answers: Callable[[ReceivedRequest], Turn]) -> Iterator[Agent]:
    with StandIn(answers) as server, closing(AnswerCache()) as cache:
        batch = Batch(OpenAIModel(MODEL, server.url, None), cache, read_prices())
        yield Agent(adapter_named("ours"), batch, HistoryRule.parse("actions"), Guard())


def _bench_s(golds: Mapping[str, Sequence[Reply]], folder: Path, phones: int) -> float:
    jobs = chosen_tasks(None, None, TASKS, (0,), profile=PROFILE)
    with (
        _agent(GoldAnswers(golds)) as agent,
        open_results(
            folder / "results.jsonl", ResultsHeader(adapter="ours", model=MODEL, history="actions")
        ) as results,
    ):
        began_s = time.perf_counter()
        run_bench(agent, jobs, results, phones=phones, profile=PROFILE, folder=folder, most_steps=30)
        return time.perf_counter() - began_s


def _instruction(task_id: str) -> str:
    (job,) = chosen_tasks(None, None, [task_id], (0,), profile=PROFILE)
    return job.listed.task.instruction
