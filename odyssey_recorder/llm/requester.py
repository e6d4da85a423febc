"""From a question to its answer: cache, requests, retries, one correction, and payment."""

import asyncio
from dataclasses import dataclass, replace
from weakref import WeakValueDictionary

from odyssey_recorder.errors import AnswerError, BrokenAnswerError, ModelBusyError, ModelUnusableError
from odyssey_recorder.llm.answer_cache import AnswerCache, question_key
from odyssey_recorder.llm.budget import Budget
from odyssey_recorder.llm.model import ChatMessage, LanguageModel, LazyImage, ModelAnswer, ModelRequest, Usage, Words
from odyssey_recorder.llm.retry import RetryPolicy

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
    tokens_in: int = 0
    tokens_out: int = 0

    def count(self, tokens_in: int, tokens_out: int) -> Usage:
        self.tokens_in += tokens_in
        self.tokens_out += tokens_out
        return Usage(tokens_in, tokens_out)


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

    async def ask(self, question: ModelRequest) -> ModelAnswer:
        """The answer is cached; the second of two equal questions waits for it. Raises LanguageModelError."""
        key = question_key(question, self._model.name, self._model.host)
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
            answer = await self._with_retries(pending, pending.question)
        except BrokenAnswerError as broken:
            answer = await self._with_retries(pending, _correction_of(pending.question, broken))
        usage = Usage(pending.tokens_in, pending.tokens_out)
        return replace(answer, key=pending.key, attempts=pending.requests, usage=usage)

    async def _with_retries(self, pending: _Pending, question: ModelRequest) -> ModelAnswer:
        tried = 0
        while True:
            tried += 1
            try:
                answer = await self._once(pending, question)
            except ModelBusyError as error:
                await self._wait_after(error, tried)
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
            except AnswerError as error:
                self._budget.pay(pending.count(error.tokens_in, error.tokens_out))
                self._cache.keep_broken(pending.question, pending.key, error)
                raise
            finally:
                self._budget.free(reserved)
            if question is pending.question:
                self._budget.learn(question, answer.usage)
            self._budget.pay(pending.count(answer.usage.tokens_in, answer.usage.tokens_out), answer.model_answered)
            return replace(answer, seconds=round(self._retry.now_s() - began_s, 3))

    async def _wait_after(self, error: ModelBusyError, tried: int) -> None:
        wait_s = self._retry.wait_s(error, tried)
        if wait_s is None:
            self._given_up_in_a_row += 1
            times = "1 attempt" if tried == 1 else f"{tried} attempts"
            last = ModelBusyError(f"{error} Gave up after {times}.", error.wait_s, for_all=error.for_all)
            if self._given_up_in_a_row >= _GIVEN_UP_IN_A_ROW:
                self._closed = f"Stopped, because {_GIVEN_UP_IN_A_ROW} requests in a row failed. {last}"
            raise last from None
        if error.for_all:
            self._open_at_s = max(self._open_at_s, self._retry.now_s() + wait_s)
        else:
            await self._retry.sleep(wait_s)

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
