"""The results of an agent's tasks: a JSON Lines file that is complete at any moment."""

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

from filelock import FileLock, Timeout
from pydantic import Field, ValidationError

from odyssey_recorder.agents.benchmark import Difficulty
from odyssey_recorder.agents.outcome import StopReason
from odyssey_recorder.agreement.measures import Interval, wilson
from odyssey_recorder.errors import DatasetError, MissingFileError
from odyssey_recorder.files import Largest, make_folder, read_text, storage_errors, write_durably
from odyssey_recorder.model.answer_failure import Failure, columns, remarks
from odyssey_recorder.validation import FrozenModel, first_fault

_Line = TypeVar("_Line", bound=FrozenModel)
FORMAT = "odyssey-agent-results"


class ResultsHeader(FrozenModel):
    format: str = Field(default=FORMAT, pattern=f"^{FORMAT}$")
    version: int = Field(default=1, le=1)
    adapter: str
    model: str
    history: str


class TaskResult(FrozenModel):
    """`seed` chose the task's parameters. `is_met`: whether all goals are met at the end; None if there are no goals
    or no facts, and then `unjudged` says why. With `judged_by` it is the opinion of that model, and no goal was looked
    at. `missed` are the paths of goals that are not met, and "answer". `gold_steps`: of the script that solves the
    task. Times are in seconds, `cost` in US dollars.
    """

    task_id: str
    seed: int
    stop: StopReason
    why: str = ""
    difficulty: Difficulty | None = None
    episode_id: str = ""
    is_met: bool | None = None
    unjudged: str = ""
    judged_by: str = ""
    missed: tuple[str, ...] = ()
    steps: int = 0
    gold_steps: int | None = None
    asked: int = 0
    unreadable: int = 0
    failures: dict[Failure, int] = Field(default_factory=dict)
    interventions: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    cost: float | None = None
    total_s: float = 0.0
    model_s: float = 0.0
    device_s: float = 0.0

    @property
    def says_done(self) -> bool:
        return self.stop is StopReason.COMPLETE

    @property
    def succeeded(self) -> bool:
        """As in AndroidWorld: the goals are met, and the agent says so."""
        return self.says_done and self.is_met is True


class ResultFile:
    """The results so far; only one program can open the file."""

    def __init__(self, path: Path, header: ResultsHeader) -> None:
        """Raises DatasetError if the file is damaged, or of another agent."""
        self._path = path
        self._header = header
        self.results = self._read()

    def has(self, task_id: str, seed: int) -> bool:
        return any((result.task_id, result.seed) == (task_id, seed) for result in self.results)

    def add(self, result: TaskResult) -> None:
        """On disk when it returns. Raises DatasetError; the file is then as before."""
        whole = [self._header, *self.results, result]
        write_durably(self._path, "".join(f"{kept.model_dump_json()}\n" for kept in whole).encode())
        self.results = (*self.results, result)

    def _read(self) -> tuple[TaskResult, ...]:
        try:
            with storage_errors(self._path, "read"):
                first, *rest = read_text(self._path, Largest.TASKS).splitlines() or [""]
        except MissingFileError:
            return ()
        except UnicodeDecodeError as error:
            raise DatasetError(f"{self._path} is not UTF-8 text, so it is not a file of results.") from error
        header = self._parsed(ResultsHeader, first, 1)
        if header != self._header:
            expected = f"{header.model} with {header.adapter} and the history {header.history}"
            raise DatasetError(f"{self._path} has the results of {expected}. Choose another file.")
        return tuple(self._parsed(TaskResult, line, number) for number, line in enumerate(rest, 2))

    def _parsed(self, kind: type[_Line], line: str, number: int) -> _Line:
        try:
            return kind.model_validate_json(line)
        except ValidationError as error:
            fault = first_fault(error)
            raise DatasetError(
                f"{self._path}, line {number}, is not a result: {fault}. Choose another file."
            ) from error


@contextmanager
def open_results(path: Path, header: ResultsHeader) -> Iterator[ResultFile]:
    """Raises DatasetError, also if another program is writing the file."""
    make_folder(path.absolute().parent)
    try:
        held = FileLock(f"{path}.lock", timeout=0).acquire()
    except Timeout as error:
        raise DatasetError(
            f"Another run is writing {path}. Choose another file, or wait until it has ended."
        ) from error
    with held:
        yield ResultFile(path, header)


def summary(results: Sequence[TaskResult]) -> Iterator[str]:
    """Lines for people; tasks without a verdict are counted, and left out of the shares."""
    with_verdict = [
        result for result in results if result.is_met is not None and result.stop is not StopReason.FAULTY_TASK
    ]
    judged = [result for result in with_verdict if not result.judged_by]
    done = [result for result in judged if result.says_done]
    yield f"Success: {_share([result.succeeded for result in judged])}"
    for difficulty in Difficulty:
        if these := [result.succeeded for result in judged if result.difficulty is difficulty]:
            yield f"Success, {difficulty.value}: {_share(these)}"
    yield f"Success, given that the agent says done: {_share([result.succeeded for result in done])}"
    longer = [result.steps / result.gold_steps for result in judged if result.succeeded and result.gold_steps]
    if longer:
        yield f"Steps of solved tasks: {sum(longer) / len(longer):.2f} times those of the gold scripts"
    rest_s = sum(max(0.0, result.total_s - result.model_s - result.device_s) for result in results)
    model_s, device_s = sum(result.model_s for result in results), sum(result.device_s for result in results)
    steps = max(1, sum(result.steps for result in results))
    yield f"Time per step: model {model_s / steps:.2f} s, device {device_s / steps:.2f} s, rest {rest_s / steps:.3f} s"
    failures = sum((Counter(result.failures) for result in results), Counter[Failure]())
    asked = sum(result.asked for result in results)
    yield ", ".join(f"{title} {count:,}" for title, count in columns(failures, asked)).capitalize()
    yield from remarks(failures, asked)
    yield f"Asked a person: {sum(result.interventions for result in results):,} times"
    tokens = sum(result.tokens_in + result.tokens_out for result in results)
    costs = [result.cost for result in results if result.cost is not None]
    yield f"Tokens: {tokens:,}; cost: {f'${sum(costs):,.4f}' if costs else 'unknown'}"
    for model in sorted({result.judged_by for result in with_verdict} - {""}):
        opinions = [result.succeeded for result in with_verdict if result.judged_by == model]
        yield f"In the opinion of {model}, which is no proof: {_share(opinions)}"
    others = len(results) - len(judged)
    if others:
        yield f"Without a verdict: {others:,}"


def _share(values: Sequence[bool]) -> str:
    if not values:
        return "none judged"
    interval: Interval = wilson(sum(values), len(values))
    share = sum(values) / len(values)
    return f"{share:.1%} ({sum(values):,} of {len(values):,}; 95% interval {interval.low:.1%} to {interval.high:.1%})"
