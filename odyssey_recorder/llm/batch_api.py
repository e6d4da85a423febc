"""Questions through a Batch API: files of requests, answered within a day at half the price.

A batch is in the journal before it is uploaded, and its name goes to the server with it. After a crash it is looked for
there under that name: found, it is collected like any other; not found, its questions are open again.
"""

import asyncio
import os
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import islice
from typing import TypeVar

from pydantic import BaseModel

from odyssey_recorder.errors import BudgetError, LanguageModelError, ModelBusyError, TooLargeRequestError
from odyssey_recorder.llm.answer_cache import AnswerCache, question_key
from odyssey_recorder.llm.batch_journal import BatchJournal, OpenBatch
from odyssey_recorder.llm.batch_lines import FileLimits, FilePart, OutputReader, parts_of, request_line
from odyssey_recorder.llm.budget import Budget
from odyssey_recorder.llm.model import BATCH_PRICE, ModelRequest, RemoteBatch
from odyssey_recorder.llm.openai import BATCH_ENDPOINT, OpenAIModel
from odyssey_recorder.llm.prices import Prices
from odyssey_recorder.llm.retry import RetryPolicy
from odyssey_recorder.model.plain_text import counted

_Result = TypeVar("_Result")
_USUAL = RetryPolicy()
_PER_CORE = 4
"""Requests that are prepared ahead for each core: all that is held of the images that wait."""


@dataclass(slots=True)
class BatchReport:
    """What happened to batches. `open` has a sentence for each that is not over, `lost` for each that the server does
    not know; `texts` were added to the dataset.
    """

    submitted: int = 0
    requests: int = 0
    answered: int = 0
    texts: int = 0
    open: list[str] = field(default_factory=list)
    lost: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)


class BatchApi:
    """Answers go to `cache`, of the type that `answers` names for their prompt; other prompts are left alone.

    `budget` limits the cost of open batches and new ones, in US dollars. All methods block, and raise
    LanguageModelError.
    """

    def __init__(  # noqa: PLR0913 - values by keyword, each with a plain default
        self,
        model: OpenAIModel,
        cache: AnswerCache,
        prices: Prices,
        journal: BatchJournal,
        answers: Mapping[str, type[BaseModel]],
        *,
        budget: float | None = None,
        limits: FileLimits = FileLimits(),  # noqa: B008 - frozen
        retry: RetryPolicy = _USUAL,
    ) -> None:
        self._model = model
        self._cache = cache
        self._journal = journal
        self._answers = answers
        self._budget = Budget(prices, model.name, budget, share=BATCH_PRICE)
        self._limits = limits
        self._retry = retry

    def is_open(self) -> Callable[[ModelRequest], bool]:
        """A test for questions that have no answer and are in no open batch."""
        waiting = self._journal.waiting()

        def is_open(question: ModelRequest) -> bool:
            key = self._key(question)
            return bytes.fromhex(key) not in waiting and self._cache.find(question, key) is None

        return is_open

    def collect(self) -> BatchReport:
        """Cache the answers of batches that are over, and say how far the others are."""
        with self._journal.held():
            return self._done(self._collect())

    def forget(self, batch_id: str) -> int:
        """Open the questions of a batch that the server does not know; returns how many.

        One that the server knows, or that is not in the journal, is refused: its answers would be paid twice.
        """
        with self._journal.held():
            return self._done(self._forget(batch_id))

    def submit(self, questions: Iterable[ModelRequest], prompt: str) -> BatchReport:
        """Those of these questions, all of one prompt, that are open; in as many batches as needed.

        Stops at the budget. After an error in between, `collect` finds out what was created.
        """
        with self._journal.held():
            return self._done(self._submit(questions, prompt))

    # Request files for servers without a Batch API.

    def written(self, questions: Iterable[ModelRequest], problems: list[str]) -> Iterator[FilePart]:
        """The request files of the questions that are open."""
        return parts_of(self._lines(filter(self.is_open(), questions), problems), self._limits)

    def read(self, lines: Iterable[str], questions: Iterable[ModelRequest], prompt: str) -> BatchReport:
        """Cache the answers to these questions, of one prompt, among the lines of an output file."""
        is_open = self.is_open()
        expected = frozenset(bytes.fromhex(self._key(question)) for question in questions if is_open(question))
        reader = self._reader(prompt, expected)
        reader.read(lines)
        reader.finish()
        self._cache.sync()
        return BatchReport(answered=len(reader.answered), problems=_problem_lines(reader))

    # Collecting.

    async def _collect(self) -> BatchReport:
        report = BatchReport()
        await self._settle([batch for batch in self._journal.batches() if not batch.batch_id])
        for batch in self._journal.batches():
            if batch.prompt in self._answers:
                await self._look_at(batch, report)
        return report

    async def _settle(self, unsure: Sequence[OpenBatch]) -> None:
        """Find out which were created. Without its file, one whose creation is still under way cannot begin."""
        if not unsure:
            return
        found = await self._created()
        missing = [batch for batch in unsure if batch.name not in found]
        for batch in missing:
            for file_id in await self._tried(self._model.uploads, batch.name):
                await self._tried(self._model.delete_file, file_id)
        if missing:
            found = await self._created()
        for batch in unsure:
            if batch.name in found:
                self._journal.created(batch, found[batch.name])
            else:
                self._journal.end(batch)

    async def _created(self) -> Mapping[str, str]:
        return {batch.name: batch.id for batch in await self._tried(self._model.batches)}

    async def _look_at(self, batch: OpenBatch, report: BatchReport) -> None:
        remote = await self._tried(self._model.batch, batch.batch_id)
        questions = self._journal.questions(batch)
        if remote is None:
            report.lost.append(
                f"{batch.batch_id}: {self._model.host} does not know it; {counted(questions, 'request')}"
            )
            return
        if not remote.is_over:
            report.open.append(f"{batch.batch_id}: {remote.status}, {remote.done:,} of {counted(questions, 'request')}")
            return
        reader = self._reader(batch.prompt, questions)
        gone = []
        for file_id in remote.files:
            words = await self._tried(self._model.batch_file, file_id)
            reader.read((words or "").split("\n"))
            gone += [f"{self._model.host} no longer has {file_id}, with its answers"] if words is None else []
        reader.finish(questions)
        self._cache.sync()
        await self._delete_files(batch, remote)
        self._journal.end(batch)
        report.answered += len(reader.answered)
        report.problems += (
            f"{batch.batch_id} {remote.status}: {why}" for why in (*remote.problems, *gone, *_problem_lines(reader))
        )

    async def _forget(self, batch_id: str) -> int:
        batch = next((batch for batch in self._journal.batches() if batch_id and batch.batch_id == batch_id), None)
        if batch is None:
            raise LanguageModelError(f"No open batch of {self._model.name} at {self._model.host} is {batch_id!r}.")
        if await self._tried(self._model.batch, batch_id) is not None:
            raise LanguageModelError(
                f"{self._model.host} still has {batch_id}: asked again, its requests would be paid twice."
            )
        await self._tried(self._model.batches)  # a server without a Batch API knows no batch at all
        count = len(self._journal.questions(batch))
        self._journal.end(batch)
        return count

    async def _delete_files(self, batch: OpenBatch, remote: RemoteBatch) -> None:
        for file_id in (*await self._tried(self._model.uploads, batch.name), *remote.files):
            await self._tried(self._model.delete_file, file_id)

    def _reader(self, prompt: str, expected: frozenset[bytes]) -> OutputReader:
        question = ModelRequest(prompt, "", (), "", self._answers[prompt])
        return OutputReader(self._cache, question, expected, self._model.name, self._model.host)

    # Submitting.

    async def _submit(self, questions: Iterable[ModelRequest], prompt: str) -> BatchReport:
        report = BatchReport()
        self._budget.lay_aside(sum(batch.cost for batch in self._journal.batches()))
        costs: dict[str, float] = {}

        def affordable() -> Iterator[ModelRequest]:
            for question in filter(self.is_open(), questions):
                key = self._key(question)
                if key in costs:
                    continue
                try:
                    costs[key] = self._budget.reserve(question)
                except BudgetError as error:
                    report.problems.append(str(error))
                    return
                yield question

        for part in parts_of(self._lines(affordable(), report.problems), self._limits):
            await self._send(part, prompt, costs, report)
        return report

    async def _send(self, part: FilePart, prompt: str, costs: Mapping[str, float], report: BatchReport) -> None:
        batch = self._journal.begin(prompt, sum(costs[key] for key in part.keys), part.keys)
        try:
            file_id = await self._tried(self._model.upload, batch.name, bytes(part.data))
        except TooLargeRequestError as error:
            self._journal.end(batch)
            if len(part.keys) == 1:
                report.problems.append(str(error))
                return
            for half in part.halves():
                await self._send(half, prompt, costs, report)
            return
        self._journal.created(batch, (await self._model.create_batch(batch.name, file_id)).id)
        report.submitted += 1
        report.requests += len(part.keys)

    def _lines(self, questions: Iterable[ModelRequest], problems: list[str]) -> Iterator[tuple[str, bytes]]:
        """Prepared in threads, since Pillow works beside Python; a few at a time."""
        cores = os.cpu_count() or 1
        waiting = iter(questions)
        with ThreadPoolExecutor(cores) as pool:
            while some := list(islice(waiting, cores * _PER_CORE)):
                for key, line in pool.map(self._line, some):
                    if isinstance(line, bytes):
                        yield key, line
                    else:
                        problems.append(str(line))

    def _line(self, question: ModelRequest) -> tuple[str, bytes | LanguageModelError]:
        key = self._key(question)
        try:
            return key, request_line(key, BATCH_ENDPOINT, self._model.body(question))
        except LanguageModelError as error:
            return key, error

    # Both.

    def _key(self, question: ModelRequest) -> str:
        return question_key(question, self._model.name, self._model.host)

    def _done(self, work: Awaitable[_Result]) -> _Result:
        async def whole() -> _Result:
            try:
                return await work
            finally:
                await self._model.close()

        return asyncio.run(whole())

    async def _tried(self, call: Callable[..., Awaitable[_Result]], *given: object) -> _Result:
        """With retries, so only for idempotent calls."""
        tried = 0
        while True:
            tried += 1
            try:
                return await call(*given)
            except ModelBusyError as error:
                wait_s = self._retry.wait_s(error, tried)
                if wait_s is None:
                    raise
                await self._retry.sleep(wait_s)


def _problem_lines(reader: OutputReader) -> list[str]:
    return [f"{counted(count, 'request')}: {why}" for why, count in reader.problems.items()]
