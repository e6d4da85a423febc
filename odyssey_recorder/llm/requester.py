"""From a question to its answer: cache, requests, retries, one correction, and payment."""

import asyncio
from collections import Counter
from dataclasses import dataclass, field, replace
from weakref import WeakValueDictionary

from odyssey_recorder.errors import (
    AnswerError,
    BrokenAnswerError,
    BrokenReplyError,
    LanguageModelError,
    ModelBusyError,
    ModelUnusableError,
    RefusedRequestError,
)
from odyssey_recorder.llm.answer_cache import AnswerCache, question_key
from odyssey_recorder.llm.budget import Budget
from odyssey_recorder.llm.model import ChatMessage, LanguageModel, LazyImage, ModelAnswer, ModelRequest, Usage, Words
from odyssey_recorder.llm.retry import RetryPolicy
from odyssey_recorder.model.answer_failure import Failure, failure_of

_SENT_BACK = 4_000
"""Characters of an invalid answer that its model is shown again: enough to see what is wrong."""
_GIVEN_UP_IN_A_ROW = 3
"""After this many failed questions in a row the server counts as down."""
_REPAIR = (
    "This cannot be used. {fault}\nAnswer the question again: one JSON object that keeps to the schema, with nothing "
    "before or after it."
)


@dataclass(slots=True)
class _Pending:
    question: ModelRequest
    key: str
    requests: int = 0
    used: Usage = field(default=Usage(0, 0))


class Requester:
    """Sends the requests of one run in one event loop, `at_once` at a time."""

    def __init__(
        self, model: LanguageModel, cache: AnswerCache, budget: Budget, retry: RetryPolicy, at_once: int
    ) -> None:
        self._model = model
        self._cache = cache
        self._budget = budget
        self._retry = retry
        self._slots = asyncio.Semaphore(at_once)
        self._locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        self._open_at_s = 0.0
        self._given_up_in_a_row = 0
        self._closed = ""
        self._failed: dict[str, Failure] = {}
        self.asked = 0
        self.failures: Counter[Failure] = Counter()
        """What was wrong with the last answer to a question."""

    async def ask(self, question: ModelRequest) -> ModelAnswer:
        """The answer is cached; the second of two equal questions waits for it. Raises LanguageModelError."""
        key = question_key(question, self._model.name, self._model.host)
        try:
            answer = await self._found(question, key)
        except LanguageModelError as error:
            self._note(key, failure_of(error))
            raise
        self._note(key, answer.failure or None)
        return answer

    def _note(self, key: str, failure: Failure | None) -> None:
        before = self._failed.pop(key, None)
        self.asked += before is None
        self.failures.subtract([before] if before else [])
        if failure is not None:
            self._failed[key] = failure
            self.failures[failure] += 1

    async def _found(self, question: ModelRequest, key: str) -> ModelAnswer:
        if (known := self._cache.find(question, key)) is not None:
            return known
        lock = self._locks.setdefault(key, asyncio.Lock())
        async with lock:
            answer = self._cache.find(question, key)
            if answer is None:
                answer = await self._answer(_Pending(question, key))
                self._cache.keep(question, answer)
        return answer

    async def _answer(self, pending: _Pending) -> ModelAnswer:
        try:
            answer = await self._with_one_correction(pending)
        except LanguageModelError as error:
            used = pending.used
            raise error.costing(used.tokens_in, used.tokens_out, is_estimated=used.is_estimated) from None
        return replace(answer, key=pending.key, attempts=pending.requests, usage=pending.used)

    async def _with_one_correction(self, pending: _Pending) -> ModelAnswer:
        try:
            return await self._with_retries(pending, pending.question)
        except BrokenAnswerError as broken:
            if pending.question.is_judged:
                raise
            return await self._with_retries(pending, _correction_of(pending.question, broken))

    async def _with_retries(self, pending: _Pending, question: ModelRequest) -> ModelAnswer:
        tried, is_again = 0, False
        while True:
            tried += 1
            try:
                answer = await self._once(pending, question)
            except BrokenReplyError:
                if is_again:
                    raise
                is_again = True
                await self._retry.sleep(self._retry.first_wait_s)
            except ModelBusyError as error:
                await self._wait_after(error, tried)
            except RefusedRequestError as error:
                self._give_up(error)
                raise
            except ModelUnusableError as error:
                self._closed = str(error)
                raise
            else:
                self._given_up_in_a_row = 0
                return answer

    async def _once(self, pending: _Pending, question: ModelRequest) -> ModelAnswer:
        async with self._slots:
            await self._until_open()
            reserved = self._budget.reserve(question)
            pending.requests += 1
            try:
                loaded = await _loaded(question)
                began_s = self._retry.now_s()
                answer = await self._model.ask(loaded)
            except LanguageModelError as error:
                if isinstance(error, ModelBusyError) and error.is_estimated:
                    used = self._budget.lost(question)
                else:
                    used = Usage(error.tokens_in, error.tokens_out, error.is_estimated)
                pending.used += used
                self._budget.pay(used)
                if isinstance(error, AnswerError):
                    self._cache.keep_broken(pending.question, pending.key, error)
                raise
            finally:
                self._budget.free(reserved)
            used = answer.usage
            if question is pending.question and not used.is_estimated:
                self._budget.learn(question, used)
            pending.used += used
            self._budget.pay(used, answer.model_answered)
            return replace(answer, seconds=round(self._retry.now_s() - began_s, 3))

    async def _wait_after(self, error: ModelBusyError, tried: int) -> None:
        wait_s = self._retry.wait_s(error, tried)
        if wait_s is None:
            times = "1 attempt" if tried == 1 else f"{tried} attempts"
            last = ModelBusyError(f"{error} Gave up after {times}.", error.wait_s, for_all=error.for_all)
            self._give_up(last)
            raise last from None
        if error.for_all:
            self._open_at_s = max(self._open_at_s, self._retry.now_s() + wait_s)
        else:
            await self._retry.sleep(wait_s)

    def _give_up(self, error: LanguageModelError) -> None:
        self._given_up_in_a_row += 1
        if self._given_up_in_a_row >= _GIVEN_UP_IN_A_ROW:
            self._closed = f"Stopped, because {_GIVEN_UP_IN_A_ROW} requests in a row failed. {error}"

    async def _until_open(self) -> None:
        """Wait as long as the server demanded in any response. Raises ModelUnusableError if it is down."""
        while (wait_s := self._open_at_s - self._retry.now_s()) > 0:
            await self._retry.sleep(wait_s)
        if self._closed:
            raise ModelUnusableError(self._closed)


async def _loaded(question: ModelRequest) -> ModelRequest:
    """With its images made, off the event loop."""
    if not any(isinstance(part, LazyImage) for message in question.messages for part in message.parts):
        return question
    return replace(question, messages=await asyncio.to_thread(_with_images, question.messages))


def _with_images(messages: tuple[ChatMessage, ...]) -> tuple[ChatMessage, ...]:
    return tuple(
        replace(message, parts=tuple(part.load() if isinstance(part, LazyImage) else part for part in message.parts))
        for message in messages
    )


def _correction_of(question: ModelRequest, broken: BrokenAnswerError) -> ModelRequest:
    answer = ChatMessage("assistant", (Words(broken.raw[:_SENT_BACK]),))
    fault = ChatMessage("user", (Words(_REPAIR.format(fault=broken)),))
    return replace(question, messages=(*question.messages, answer, fault))
