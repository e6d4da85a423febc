"""One attempt of an agent at one task, and whether it succeeded."""

import sys
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, ClassVar

import typer

from odyssey_recorder.agents.asking import Agent
from odyssey_recorder.agents.benchmark import BenchmarkTask, Difficulty, TaskTemplate, read_benchmark, shipped_benchmark
from odyssey_recorder.agents.online import AgentRule, AgentRun, AgentSupervisor
from odyssey_recorder.agents.outcome import RunOutcome, StopReason
from odyssey_recorder.agents.results import TaskResult, summary
from odyssey_recorder.agents.verdict import verdict_on
from odyssey_recorder.commands import terminal
from odyssey_recorder.commands.terminal import print_warning, say
from odyssey_recorder.dataset.goals import judge, source_of
from odyssey_recorder.device.device import Device
from odyssey_recorder.errors import DeviceError, LanguageModelError, TaskError
from odyssey_recorder.llm.batch import Batch
from odyssey_recorder.logs import spelled_out
from odyssey_recorder.model.assignment import AsFound
from odyssey_recorder.model.plain_text import counted
from odyssey_recorder.recording.recorder import Recorder
from odyssey_recorder.recording.script import PATIENCE_S, ScriptPlayer
from odyssey_recorder.recording.state import State
from odyssey_recorder.services.proof import ProvedTask
from odyssey_recorder.services.recording import RecordingService
from odyssey_recorder.tasks.listing import ListedTask, read_tasks, shipped_tasks

_FEWEST_STEPS = 10
_TIMES_GOLD = 2
"""The step limit, as a multiple of the steps of the gold script."""


@dataclass(frozen=True, slots=True)
class TaskJob:
    """`recorded_steps` are those of the episode that the task was taken from, None for a task of a list."""

    listed: ListedTask
    bench: BenchmarkTask | None
    seed: int
    recorded_steps: int | None = None

    @property
    def task_id(self) -> str:
        return self.listed.task_id

    @property
    def gold_steps(self) -> int | None:
        """Including the terminal step."""
        if self.recorded_steps is not None:
            return self.recorded_steps
        return None if self.bench is None else len(self.bench.gold) + 1

    @property
    def difficulty(self) -> Difficulty | None:
        if self.bench is None or self.recorded_steps is not None:
            return None
        return self.bench.difficulty(len(self.listed.task.apps))


def chosen_tasks(
    tasks: Path | None, goals: Path | None, ids: Sequence[str], seeds: Iterable[int], *, profile: str | None = None
) -> list[TaskJob]:
    """Those of the list, and of the shipped list also those that the goals file describes itself. Raises TaskError."""
    listed = {task.task_id: task for task in read_tasks(tasks or shipped_tasks())}
    templates = read_benchmark(goals or shipped_benchmark())
    own = (
        []
        if tasks
        else [name for name, template in templates.items() if template.row.task is not None and name not in listed]
    )
    unknown = [task_id for task_id in ids if task_id not in listed and task_id not in own]
    if unknown:
        places = tasks or f"{shipped_tasks()} or {goals or shipped_benchmark()}"
        raise TaskError(f"There is no task {unknown[0]!r} in {places}.")
    jobs = (
        _job(listed.get(task_id), templates.get(task_id), seed) for seed in seeds for task_id in ids or (*listed, *own)
    )
    return [job for job in jobs if job.listed.fits(profile)]


def _job(listed: ListedTask | None, template: TaskTemplate | None, seed: int) -> TaskJob:
    """A task that is not in the list has its words in the template. Raises TaskError."""
    bench = None if template is None else template.filled(seed)
    known = listed if bench is None else listed or bench.listed
    assert known is not None
    return TaskJob(known, bench, seed)


def recorded_tasks(proved: Iterable[ProvedTask], seed: int) -> list[TaskJob]:
    """The tasks of episodes, judged by what their annotators marked as proof. Raises TaskError if there are none."""
    jobs = [
        TaskJob(
            task.listed,
            BenchmarkTask(task_id=task.listed.task_id, goals=task.goals, answer=task.answer, gold=()),
            seed,
            task.steps,
        )
        for task in proved
    ]
    if not jobs:
        raise TaskError(
            "None of these episodes says what proves its task. Annotators mark that at the end, with Mark proof…"
        )
    return jobs


class Supervisor:
    """The person at the terminal."""

    is_there = True

    def report(self, step: int, text: str) -> None:
        say(f"  {step}. {spelled_out(text)[:200]}", to=terminal.err)

    def allows(self, text: str, concern: str) -> bool | None:
        question = spelled_out(f"The agent wants: {text}. But {concern}.")
        if not sys.stdin.isatty():
            print_warning(f"{question} Without a terminal nobody can be asked.")
            return None
        return typer.confirm(f"{question} Allow it?", err=True)

    def reply(self, question: str) -> str | None:
        words = spelled_out(f"The agent asks: {question}")
        if not sys.stdin.isatty():
            print_warning(f"{words} Without a terminal nobody can answer.")
            return None
        return str(typer.prompt(f"{words}\nYour answer", err=True, default="", show_default=False)) or None

    def has_stopped(self) -> bool:
        return False


@dataclass(frozen=True, slots=True)
class NoSupervisor:
    """Allows everything: the phones are simulated, and thrown away."""

    is_there: ClassVar[bool] = False
    stopped: threading.Event = field(default_factory=threading.Event)

    def report(self, step: int, text: str) -> None:
        pass

    def allows(self, text: str, concern: str) -> bool:
        return True

    def reply(self, question: str) -> None:
        pass

    def has_stopped(self) -> bool:
        return self.stopped.is_set()


RuleOf = Callable[[BenchmarkTask | None, int], AgentRule]
"""What decides in place of a model, for a task and its seed. Raises TaskError."""


@dataclass(frozen=True, slots=True)
class Attempts:
    agent: Agent
    person: AgentSupervisor
    most_steps: int
    is_dry: bool = False
    opinion: Batch | None = None
    """A model that judges tasks which no goals can."""
    rule_of: RuleOf | None = None

    def attempt(self, job: TaskJob, service: RecordingService, device: Device) -> TaskResult:
        """Blocks. A draft that did not become an episode is kept, but for one of a dry run.

        Closes a `device` that was lost, because what it was still asked would take long to end. Raises OdysseyError.
        """
        say(f"{job.task_id}: {job.listed.task.instruction}", to=terminal.err)
        began_s = time.monotonic()
        player = ScriptPlayer()
        assignment = job.listed.assignment
        if self.is_dry:
            assignment = replace(assignment, start=AsFound())
        recorder = service.begin(device, assignment, player)
        try:
            recorder.start()
            result = self._played(job, service, recorder, player)
            if result.stop is StopReason.DEVICE:
                recorder.stop()
                device.close()
        except KeyboardInterrupt:
            say(f"Stopped. The draft {recorder.episode_id} is saved.", to=terminal.err)
            raise
        finally:
            recorder.stop()
            recorder.join()
        result = result.model_copy(update={"total_s": round(time.monotonic() - began_s, 3)})
        say((f"  {_verdict(result)}", "green" if result.succeeded else "yellow"), to=terminal.err)
        return result

    def _played(self, job: TaskJob, service: RecordingService, recorder: Recorder, player: ScriptPlayer) -> TaskResult:
        before, unjudged = _facts(job, service, recorder.serial)
        if job.bench is not None and before is not None:
            at_start = judge(job.bench.goals, job.bench.answer, before=before, after=before, note="")
            if at_start.was_done:
                _discard(recorder)
                return self._result(job, RunOutcome(StopReason.FAULTY_TASK, "its goals are met at the start"))
        agent = replace(self.agent, seed=job.seed)
        recorder.hand_over()
        instruction = job.listed.task.instruction
        rule = None if self.rule_of is None else self.rule_of(job.bench, job.seed)
        ran = AgentRun(agent, recorder, self.person, instruction, self._limit(job), self.is_dry, rule).play()
        result = self._result(job, ran, recorder.episode_id)
        if ran.stop is StopReason.DRY_RUN:
            _discard(recorder)
        elif ran.stop in (StopReason.COMPLETE, StopReason.IMPOSSIBLE):
            player.published(recorder)
        after = None
        if before is not None and ran.stop.is_final:
            after, unjudged = _facts(job, service, recorder.serial)
        if job.bench is None or before is None or after is None:
            return self._with_opinion(result.model_copy(update={"unjudged": unjudged}), service)
        judged = judge(job.bench.goals, job.bench.answer, before=before, after=after, note=ran.note)
        missed = (*(goal.path for goal in judged.missed), *["answer"] * judged.lacks_answer)
        return result.model_copy(update={"is_met": judged.succeeded, "missed": missed})

    def _with_opinion(self, result: TaskResult, service: RecordingService) -> TaskResult:
        if self.opinion is None or result.stop not in (StopReason.COMPLETE, StopReason.IMPOSSIBLE):
            return result
        try:
            verdict, model = verdict_on(self.opinion, service.store.root, result.episode_id)
        except LanguageModelError as error:
            return result.model_copy(
                update={"unjudged": f"{result.unjudged} The judge gave no verdict: {error}".strip()}
            )
        return result.model_copy(update={"is_met": verdict.done, "judged_by": model, "unjudged": ""})

    def _limit(self, job: TaskJob) -> int:
        gold = job.gold_steps
        return self.most_steps if gold is None else max(_FEWEST_STEPS, _TIMES_GOLD * gold)

    def _result(self, job: TaskJob, ran: RunOutcome, episode_id: str = "") -> TaskResult:
        return TaskResult(
            task_id=job.task_id, seed=job.seed, stop=ran.stop, why=ran.why, episode_id=episode_id, steps=ran.steps,
            gold_steps=job.gold_steps, difficulty=job.difficulty, asked=ran.asked, unreadable=ran.unreadable,
            failures=dict(ran.failures),
            interventions=ran.interventions, tokens_in=ran.tokens_in, tokens_out=ran.tokens_out, cost=ran.cost,
            model_s=round(ran.model_s, 3), device_s=round(ran.device_s, 3),
        )  # fmt: skip


def print_results(results: Sequence[TaskResult], jobs: Sequence[TaskJob]) -> int:
    """The exit code."""
    job_keys = {(job.task_id, job.seed) for job in jobs}
    finished = [result for result in results if (result.task_id, result.seed) in job_keys]
    for text in summary(finished):
        say(text)
    missing = len(job_keys) - len(finished)
    if missing:
        say((f"{counted(missing, 'task')} not carried out. Run the same command to continue.", "yellow"))
    cut = [result.stop.value for result in finished if result.stop.cuts_short]
    if cut:
        say((f"{counted(cut, 'task')} cut short: {', '.join(sorted({*cut}))}", "yellow"))
    return 1 if missing or cut else 0


def _facts(job: TaskJob, service: RecordingService, serial: str) -> tuple[Mapping[str, Any] | None, str]:
    """The facts of the simulated phone or of any device, or None and the reason."""
    if job.bench is None:
        return None, "the task has no goals"
    try:
        return service.connector.facts(serial, {source_of(goal.path) for goal in job.bench.goals}), ""
    except DeviceError as error:
        return None, str(error)


def _discard(recorder: Recorder) -> None:
    recorder.abandon()
    recorder.wait_for(lambda view: view.state is State.ABANDONED, PATIENCE_S)


def _verdict(result: TaskResult) -> str:
    met = {True: "goals met", False: f"goals missed: {', '.join(result.missed)}", None: "not judged"}[result.is_met]
    if result.judged_by:
        met = f"{'done' if result.is_met else 'not done'} in the opinion of {spelled_out(result.judged_by)}"
    why = f" ({spelled_out(result.why)[:200]})" if result.why else ""
    return f"{result.stop.value}{why}, {counted(result.steps, 'step')}, {met}"
