"""Many requests to one model: concurrency, caching, cost and cancellation."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from functools import partial
from typing import Generic, TypeAlias, TypeVar

from odyssey_recorder.errors import CancelledError, LanguageModelError
from odyssey_recorder.llm.answer_cache import AnswerCache, question_key
from odyssey_recorder.llm.budget import Budget
from odyssey_recorder.llm.model import BATCH_PRICE, LanguageModel, ModelAnswer, ModelRequest, OfferedModel, Usage
from odyssey_recorder.llm.prices import Prices
from odyssey_recorder.llm.requester import Requester
from odyssey_recorder.llm.retry import RetryPolicy
from odyssey_recorder.model.answer_failure import Failure, failure_of, is_mostly_whole
from odyssey_recorder.model.text_origin import ModelCall

_Result = TypeVar("_Result")
Ask: TypeAlias = Callable[[ModelRequest], Awaitable[ModelAnswer]]
"""Asks a question with everything around it: cache, waits, retries, one repair, the budget."""
Job: TypeAlias = Callable[[Ask], Awaitable[_Result]]
"""Asks one question or several that build on each other, and turns the answers into a result."""

_WATCH_S = 0.05
_BREATH = 32
_CENT = 0.01
_USUAL = RetryPolicy()


@dataclass(frozen=True, slots=True)
class Estimate:
    """What a batch would take.

    `kept` questions are cached and free. `cost` is in US dollars by the price table of `priced_on`; None if the model
    has no price. `warnings` are sentences, for example that the model will be shut down.
    """

    calls: int
    kept: int
    tokens_in: int
    tokens_out: int
    cost: float | None
    priced_on: date | None
    model: str
    host: str
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class BatchProgress:
    """A question asked on its own is a job. `cost` is in US dollars so far, None without a price."""

    done: int
    kept: int
    failed: int
    of: int
    cost: float | None
    tokens: int = 0
    uncounted: int = 0
    """Requests of which the server did not say all tokens."""
    asked: int = 0
    """Questions of all jobs, answered or not."""
    failures: Mapping[Failure, int] = field(default_factory=dict)

    @property
    def share(self) -> float | None:
        return self.done / self.of if self.of else None

    @property
    def text(self) -> str:
        """For people: "3 of 12 · 2 reused · $0.04"."""
        kept = f"{self.kept:,} reused" if self.kept else ""
        failed = f"{self.failed:,} failed" if self.failed else ""
        return " · ".join(filter(None, (f"{self.done:,} of {self.of:,}", kept, failed, self.price)))

    @property
    def price(self) -> str:
        if self.cost is None:
            return "Price unknown"
        return f"${self.cost:,.2f}" if self.cost >= _CENT or not self.cost else f"${self.cost:,.4f}"

    @property
    def spent(self) -> str:
        """For people: "$0.04, 12,300 tokens"."""
        kept = f", {self.kept:,} reused at no cost" if self.kept else ""
        guessed = f" (estimated for {self.uncounted:,} requests without a count)" if self.uncounted else ""
        return f"{self.price}, {self.tokens:,} tokens{guessed}{kept}"


class Batch:
    """Asks `model`, at most `at_once` questions at a time, and never one whose answer is cached.

    `budget` limits the cost of all runs of this object together, in US dollars. Raises BudgetError if there is one and
    the model has no price.
    """

    def __init__(  # noqa: PLR0913 - values by keyword, each with a plain default
        self,
        model: LanguageModel,
        cache: AnswerCache,
        prices: Prices,
        *,
        at_once: int = 8,
        budget: float | None = None,
        retry: RetryPolicy = _USUAL,
    ) -> None:
        self._model = model
        self._cache = cache
        self._prices = prices
        self._budget = Budget(prices, model.name, budget)
        self._retry = retry
        self._at_once = at_once

    def run(
        self,
        jobs: Sequence[Job[_Result]],
        *,
        progress: Callable[[BatchProgress], None] = lambda _: None,
        cancelled: Callable[[], bool] = lambda: False,
    ) -> list[_Result | LanguageModelError]:
        """The outcome of each job, in order: its result, or the LanguageModelError that ended it.

        Blocks. Jobs run in the calling thread, `at_once` at a time; each may ask any number of questions, and answers
        are cached as they arrive. `progress` and `cancelled` are called in that thread. Raises CancelledError once
        `cancelled` returns True, abandoning pending requests. Any other error of a job ends the run.
        """
        return asyncio.run(self._run(jobs, progress, cancelled))

    def ask_all(
        self,
        questions: Sequence[ModelRequest],
        *,
        progress: Callable[[BatchProgress], None] = lambda _: None,
        cancelled: Callable[[], bool] = lambda: False,
    ) -> list[ModelAnswer | LanguageModelError]:
        """The answers in order, or the error of each. Blocks and raises as `run`."""
        return self.run([partial(_one, question) for question in questions], progress=progress, cancelled=cancelled)

    def estimate(self, questions: Iterable[ModelRequest], *, share: float = 1.0) -> Estimate:
        """Blocks; unless all are cached, it asks the server for its models. `share` is of the usual price."""
        name, host = self._model.name, self._model.host
        seen: set[bytes] = set()
        calls, whole = 0, Usage(0, 0)
        for question in questions:  # one at a time: those of a whole dataset do not fit into memory
            key = question_key(question, name, host)
            if (short := bytes.fromhex(key)) in seen:
                continue
            seen.add(short)
            if (kept := self._cache.find(question, key)) is not None:
                if kept.attempts == 1:
                    self._budget.learn(question, kept.usage)
            else:
                whole += self._budget.estimated(question)
                calls += 1
        cost = self._budget.cost(whole)
        return Estimate(
            calls, len(seen) - calls, whole.tokens_in, whole.tokens_out, None if cost is None else cost * share,
            self._prices.date, name, host, tuple(self._warnings()) if calls else (),
        )  # fmt: skip

    def kept(self, question: ModelRequest) -> ModelAnswer | None:
        return self._cache.find(question, question_key(question, self._model.name, self._model.host))

    def cost(self, usage: Usage) -> float | None:
        """In US dollars; None without a price."""
        return self._budget.cost(usage)

    def call(self, question: ModelRequest, answer: ModelAnswer) -> ModelCall:
        """The cost is that of the original request, even if the answer came from the cache."""
        usage = answer.usage
        cost = self._budget.cost(usage, answer.model_answered)
        if cost is not None and answer.is_batched:
            cost *= BATCH_PRICE
        return ModelCall(
            question.prompt, answer.model_asked, answer.model_answered, answer.host, answer.at,
            usage.tokens_in, usage.tokens_out, cost, answer.key,
        )  # fmt: skip

    async def _run(
        self, jobs: Sequence[Job[_Result]], progress: Callable[[BatchProgress], None], cancelled: Callable[[], bool]
    ) -> list[_Result | LanguageModelError]:
        requester = Requester(self._model, self._cache, self._budget, self._retry, self._at_once)
        run = _Run(jobs, requester, lambda ended: progress(ended.progress(self._budget)))
        try:
            async with asyncio.TaskGroup() as group:
                watch = group.create_task(_watch(cancelled))
                for _ in run.rounds():
                    await asyncio.wait([group.create_task(run.work()) for _ in range(self._at_once)])
                watch.cancel()
        except ExceptionGroup as failed:
            raise failed.exceptions[0] from None
        finally:
            await self._model.close()
        return run.results()

    # Warnings.

    def _warnings(self) -> Iterator[str]:
        facts = self._prices.of(self._model.name)
        try:
            offered = asyncio.run(self._offered())
        except LanguageModelError as error:
            yield str(error)
            offered = ()
        ends = next(
            (model.ends_on for model in offered if model.name == self._model.name and model.ends_on), facts.ends
        )
        if ends is not None:
            yield _farewell(self._model.name, ends, datetime.now(UTC).date())
        if self._cache.problem:
            yield self._cache.problem

    async def _offered(self) -> Sequence[OfferedModel]:
        try:
            return await self._model.offered()
        finally:
            await self._model.close()


class _Run(Generic[_Result]):
    def __init__(
        self, jobs: Sequence[Job[_Result]], requester: Requester, ended: Callable[["_Run[_Result]"], None]
    ) -> None:
        self._jobs = jobs
        self._waiting: Iterator[int] = iter(())
        self._of = len(jobs)
        self._requester = requester
        self._ended = ended
        self._results: dict[int, _Result | LanguageModelError] = {}
        self._kept = self._failed = 0

    def results(self) -> list[_Result | LanguageModelError]:
        return [self._results[number] for number in range(self._of)]

    def progress(self, budget: Budget) -> BatchProgress:
        return BatchProgress(
            len(self._results), self._kept, self._failed, self._of, budget.spent, budget.tokens, budget.uncounted,
            self._requester.asked, dict(self._requester.failures),
        )  # fmt: skip

    def rounds(self) -> Iterator[None]:
        """The second is for jobs that the server made fail, if these are few."""
        self._waiting = iter(range(self._of))
        yield
        again = [number for number in range(self._of) if self._is_broken(number)]
        if again and is_mostly_whole(len(again), self._of):
            self._failed -= len(again)
            self._waiting = iter(again)
            yield

    def _is_broken(self, number: int) -> bool:
        result = self._results.get(number)
        return isinstance(result, LanguageModelError) and failure_of(result) == "broken"

    async def work(self) -> None:
        for number in self._waiting:
            try:
                self._results[number] = await self._do(self._jobs[number])
            except LanguageModelError as error:
                self._results[number] = error
                self._failed += 1
            self._ended(self)
            if number % _BREATH == 0:
                await asyncio.sleep(0)  # cached answers never wait, so give `cancelled` a chance

    async def _do(self, job: Job[_Result]) -> _Result:
        is_kept = True

        async def ask(question: ModelRequest) -> ModelAnswer:
            nonlocal is_kept
            answer = await self._requester.ask(question)
            is_kept = is_kept and answer.is_kept
            return answer

        result = await job(ask)
        self._kept += is_kept
        return result


async def _one(question: ModelRequest, ask: Ask) -> ModelAnswer:
    return await ask(question)


async def _watch(cancelled: Callable[[], bool]) -> None:
    while not cancelled():
        await asyncio.sleep(_WATCH_S)
    raise CancelledError("Cancelled. Answers so far are kept.")


def _farewell(model: str, ends: date, today: date) -> str:
    if ends <= today:
        return f"The model {model!r} was scheduled to shut down on {ends} and may no longer respond. Choose another."
    return f"The model {model!r} is scheduled to shut down on {ends}. Results cannot be reproduced after that."
