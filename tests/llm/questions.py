"""Sample questions, models and batches."""

import asyncio
from collections.abc import Coroutine, Iterator, Mapping
from pathlib import Path
from typing import Any, TypeVar
from weakref import finalize

from pydantic import BaseModel, SecretStr

from odyssey_recorder.errors import BudgetError
from odyssey_recorder.llm.answer_cache import AnswerCache
from odyssey_recorder.llm.batch import Batch
from odyssey_recorder.llm.model import ChatMessage, Image, LanguageModel, ModelRequest, Words
from odyssey_recorder.llm.openai import OpenAIModel
from odyssey_recorder.llm.prices import ModelFacts, Prices, read_prices
from odyssey_recorder.llm.retry import RetryPolicy
from tests.llm.stand_in import MODEL, StandIn

_T = TypeVar("_T")


class Rewrite(BaseModel):
    text: str


def question(
    words: str = "Say it differently.", *, parameters: Mapping[str, float] | None = None, image: bytes = b""
) -> ModelRequest:
    parts = (Words(words), Image(image)) if image else (Words(words),)
    messages = (ChatMessage("system", (Words("You rewrite tasks."),)), ChatMessage("user", parts))
    return ModelRequest("rewrite/1", "0" * 64, messages, "rewrite", Rewrite, parameters or {})


def questions(count: int) -> list[ModelRequest]:
    return [question(f"Task {number}.") for number in range(count)]


def priced() -> Prices:
    shipped = read_prices()
    return Prices(shipped.date, (ModelFacts(name=MODEL, input=1, output=4), *shipped.models))


def model_at(server: StandIn, *, name: str = MODEL, key: str | None = None, read_s: float = 10.0) -> OpenAIModel:
    return OpenAIModel(name, server.url, SecretStr(key) if key else None, read_s=read_s)


def run_and_close(model: OpenAIModel, call: Coroutine[Any, Any, _T]) -> _T:
    async def called() -> _T:
        try:
            return await call
        finally:
            await model.close()

    return asyncio.run(called())


def batch(
    server: StandIn, file: Path | None = None, *, at_once: int = 8, budget: float | None = None, tries: int = 4
) -> Batch:
    retry = RetryPolicy(tries=tries, first_wait_s=0.001)
    return batch_with(model_at(server), priced(), file, at_once=at_once, budget=budget, retry=retry)


def batch_with(model: LanguageModel, prices: Prices, file: Path | None = None, **options: Any) -> Batch:
    """A batch with its own cache, which is closed with it."""
    cache = AnswerCache(file)
    try:
        made = Batch(model, cache, prices, **options)
    except BudgetError:
        cache.close()
        raise
    finalize(made, cache.close)
    return made


def chain(error: BaseException | None) -> Iterator[BaseException]:
    """An error and its causes and contexts."""
    if error is not None:
        yield error
        yield from chain(error.__cause__)
        yield from chain(error.__context__)
