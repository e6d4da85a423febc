"""`agent bench`: several simulated phones at once, each task on a fresh one."""

import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

from odyssey_recorder.agents.asking import Agent
from odyssey_recorder.agents.outcome import StopReason
from odyssey_recorder.agents.results import ResultFile, TaskResult
from odyssey_recorder.commands.agent_tasks import Attempts, NoSupervisor, RuleOf, TaskJob
from odyssey_recorder.commands.terminal import print_warning
from odyssey_recorder.device.adb_server import find_adb
from odyssey_recorder.errors import CancelledError, OdysseyError
from odyssey_recorder.simulated.private_emulators import PhoneProcesses, PrivateEmulators
from odyssey_recorder.wiring.demo import demo_service


@dataclass(frozen=True, slots=True)
class _Bench:
    emulators: PrivateEmulators
    folder: Path
    profile: str
    attempts: Attempts
    supervisor: NoSupervisor
    results: ResultFile
    lock: threading.Lock = field(default_factory=threading.Lock)

    def run(self, job: TaskJob) -> None:
        if self.supervisor.has_stopped():
            return
        try:
            result = self._attempt(job)
        except CancelledError:
            return
        except OdysseyError as error:
            print_warning(f"{job.task_id}: {error}")
            return
        with self.lock:
            if result.stop.is_final:
                self.results.add(result)
            elif result.stop in (StopReason.BUDGET, StopReason.MODEL):
                self.supervisor.stopped.set()

    def _attempt(self, job: TaskJob) -> TaskResult:
        phones = PhoneProcesses(self.emulators.server.environment)
        service = demo_service(self.emulators, self.folder, actor="agent", profile=self.profile)
        try:
            serial = phones.start(self.profile, seed=job.seed, cancelled=self.supervisor.has_stopped)
            with closing(service.connect(serial)) as device:
                return self.attempts.attempt(job, service, device)
        finally:
            phones.stop()


def run_bench(  # noqa: PLR0913 - values by keyword
    agent: Agent,
    jobs: Sequence[TaskJob],
    results: ResultFile,
    *,
    phones: int,
    profile: str,
    folder: Path,
    most_steps: int,
    rule_of: RuleOf | None = None,
) -> None:
    """Blocks. Tasks that the model's server or the budget ended have no result; the next run repeats them."""
    supervisor = NoSupervisor()
    with PrivateEmulators(Path(find_adb())) as emulators, ThreadPoolExecutor(phones, "phone") as threads:
        attempts = Attempts(agent, supervisor, most_steps, rule_of=rule_of)
        bench = _Bench(emulators, folder, profile, attempts, supervisor, results)
        running = [threads.submit(bench.run, job) for job in jobs]
        try:
            wait(running)
        except KeyboardInterrupt:
            supervisor.stopped.set()
            raise
        for future in running:
            future.result()
