"""How one question comes to its answer: kept or asked, waited for, asked again, repaired once, and paid for."""

import asyncio
import random
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace

from odyssey_recorder.errors import (
    AnswerError,
    BrokenAnswerError,
    ModelBusyError,
    ModelUnusableError,
)
from odyssey_recorder.llm.answer_cache import AnswerCache, question_key
from odyssey_recorder.llm.budget import Budget
from odyssey_recorder.llm.model import ChatMessage, LanguageModel, ModelAnswer, ModelRequest, Usage, Words
from odyssey_recorder.llm.retry import RetryPolicy, given_up

_SENT_BACK = 4_000
"""Letters of a broken answer that its model is shown again: enough to tell what is wrong with it."""
_GIVEN_UP_IN_A_ROW = 3
"""So many questions given up without an answer between them, and the server is held to be down for all."""
_REPAIR = (
    "This cannot be used. {fault}\nAnswer the question again: one JSON object that keeps to the schema, with nothing "
    "before or after it."
)


@dataclass(frozen=True, slots=True)
class Patience:
    """When a question is asked again, and by which clock is waited for that; `chance` spreads the waits."""

    policy: RetryPolicy = field(default_factory=RetryPolicy)
    now_s: Callable[[], float] = time.monotonic
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    chance: Callable[[], float] = random.random


@dataclass(slots=True)
class _OnItsWay:
    """A question while it is asked: how many requests it took, and what they used."""

    question: ModelRequest
    key: str
    requests: int = 0
    tokens_in: int = 0
    tokens_out: int = 0

    def count(self, tokens_in: int, tokens_out: int) -> None:
        self.tokens_in += tokens_in
        self.tokens_out += tokens_out


class Requester:
    """Asks for the length of one run, in one event loop; `at_once` requests at a time."""

    def __init__(
        self, model: LanguageModel, kept: AnswerCache, budget: Budget, patience: Patience, at_once: int
    ) -> None:
        self._model = model
        self._kept = kept
        self._budget = budget
        self._patience = patience
        self._room = asyncio.Semaphore(at_once)
        self._twins: dict[str, asyncio.Lock] = {}
        self._open_at_s = 0.0
        self._given_up_in_a_row = 0
        self._closed = ""

    async def ask(self, question: ModelRequest) -> ModelAnswer:
        """The answer, which is kept from now on. Raises LanguageModelError.

        Of two equal questions the second waits for the answer to the first.
        """
        key = question_key(question, self._model.name, self._model.host)
        return self._kept.find(question, key) or await self._asked_once(question, key)

    async def _asked_once(self, question: ModelRequest, key: str) -> ModelAnswer:
        async with self._twins.setdefault(key, asyncio.Lock()):
            answer = self._kept.find(question, key)  # a twin may have brought it meanwhile
            if answer is None:
                answer = await self._asked(_OnItsWay(question, key))
                self._kept.keep(question, answer)
        return answer

    async def _asked(self, asked: _OnItsWay) -> ModelAnswer:
        try:
            answer = await self._patiently(asked, asked.question)
        except BrokenAnswerError as broken:
            answer = await self._patiently(asked, _repairing(asked.question, broken))
        usage = Usage(asked.tokens_in, asked.tokens_out)
        return replace(answer, key=asked.key, attempts=asked.requests, usage=usage)

    async def _patiently(self, asked: _OnItsWay, question: ModelRequest) -> ModelAnswer:
        """Ask until there is an answer or no patience left."""
        tried = 0
        while True:
            tried += 1
            try:
                answer = await self._once(asked, question)
            except ModelBusyError as error:
                await self._after(error, tried)
            except ModelUnusableError as error:
                self._closed = str(error)
                raise
            else:
                self._given_up_in_a_row = 0
                return answer

    async def _once(self, asked: _OnItsWay, question: ModelRequest) -> ModelAnswer:
        async with self._room:
            await self._until_open()
            laid_aside = self._budget.lay_aside(question)
            asked.requests += 1
            try:
                answer = await self._model.ask(question)
            except AnswerError as error:
                asked.count(error.tokens_in, error.tokens_out)
                self._budget.pay(Usage(error.tokens_in, error.tokens_out))
                self._kept.keep_broken(asked.question, asked.key, error)
                raise
            finally:
                self._budget.give_back(laid_aside)
            asked.count(answer.usage.tokens_in, answer.usage.tokens_out)
            self._budget.pay(answer.usage, answer.model_answered)
            return answer

    # Waiting.

    async def _after(self, error: ModelBusyError, tried: int) -> None:
        """Wait until it may be asked again. Raises ModelBusyError where no patience is left."""
        wait_s = self._patience.policy.wait_s(error, tried, self._patience.chance())
        if wait_s is None:
            self._given_up_in_a_row += 1
            last = given_up(error, tried)
            if self._given_up_in_a_row >= _GIVEN_UP_IN_A_ROW:
                self._closed = f"Not asked, since {_GIVEN_UP_IN_A_ROW} questions in a row were given up. {last}"
            raise last from None
        if error.for_all:
            self._open_at_s = max(self._open_at_s, self._patience.now_s() + wait_s)
        else:
            await self._patience.sleep(wait_s)

    async def _until_open(self) -> None:
        """Wait as long as the server asked for, from whichever question. Raises ModelUnusableError where it is down."""
        while (wait_s := self._open_at_s - self._patience.now_s()) > 0:
            await self._patience.sleep(wait_s)
        if self._closed:
            raise ModelUnusableError(self._closed)


def _repairing(question: ModelRequest, broken: BrokenAnswerError) -> ModelRequest:
    """The question with the beginning of what was said to it, and what is wrong with that."""
    said = ChatMessage("assistant", (Words(broken.raw[:_SENT_BACK]),))
    fault = ChatMessage("user", (Words(_REPAIR.format(fault=broken)),))
    return replace(question, messages=(*question.messages, said, fault))
