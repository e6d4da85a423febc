"""The Chat Completions format: encodes requests and parses responses, without any I/O."""

import base64
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from typing import Literal

from pydantic import BaseModel, Field, ValidationError

from odyssey_recorder.errors import BrokenAnswerError, RefusedAnswerError, TruncatedAnswerError
from odyssey_recorder.llm import model as models
from odyssey_recorder.llm.prices import ModelFacts
from odyssey_recorder.llm.tokens import estimated_usage

_FORM = "Answer with one JSON object that keeps to this JSON schema, and with nothing before or after it:\n{schema}"
_LOCAL = ("top_k", "min_p", "repetition_penalty", "chat_template_kwargs")
"""Parameters that vLLM, SGLang and others know, and OpenAI's own server refuses."""


@dataclass(frozen=True, slots=True)
class Wire:
    """What a server accepts besides messages; `bounds` are the names of the token limit in the order of trying."""

    sends_store: bool = True
    sends_temperature: bool = True
    sends_local: bool = True
    form: Literal["json_schema", "json_object", "words"] = "json_schema"
    bounds: tuple[str, ...] = (models.LONGEST_ANSWER, "max_tokens")

    def without(self, refused: str) -> "Wire | None":
        """What to try next after this error message; None if it is about something else."""
        message = refused.lower()
        if self.sends_store and "store" in message:
            return replace(self, sends_store=False)
        if self.sends_temperature and "temperature" in message:  # reasoning models have one only
            return replace(self, sends_temperature=False)
        if self.sends_local and any(name in message for name in _LOCAL):
            return replace(self, sends_local=False)
        if any(bound in message for bound in self.bounds):
            return replace(self, bounds=self.bounds[1:])
        if not any(name in message for name in ("response_format", "json_schema", "json_object", "grammar")):
            return None
        match self.form:
            case "json_schema":
                return replace(self, form="json_object")
            case "json_object":
                return replace(self, form="words")
            case "words":
                return None


OLDER = Wire(bounds=("max_tokens", models.LONGEST_ANSWER))
"""The first try with servers other than OpenAI's: some know only the older name and silently ignore the newer one."""


# Requests.


def body(question: models.ModelRequest, wire: Wire) -> Mapping[str, object]:
    """All of a request but the name of the model. Loads its images."""
    is_told = wire.form == "json_schema" or not question.schema
    messages = question.messages if is_told else _with_schema(question)
    options: dict[str, object] = dict(question.parameters)
    longest = options.pop(models.LONGEST_ANSWER, None)
    if longest is not None and wire.bounds:
        options[wire.bounds[0]] = longest
    if wire.sends_store:
        options["store"] = False
    if not wire.sends_temperature:
        options.pop("temperature", None)
    if not wire.sends_local:
        options = {name: value for name, value in options.items() if name not in _LOCAL}
    match wire.form if question.schema else "words":
        case "json_schema":
            schema = {"name": question.schema_name, "strict": True, "schema": question.schema}
            options["response_format"] = {"type": "json_schema", "json_schema": schema}
        case "json_object":
            options["response_format"] = {"type": "json_object"}
        case "words":
            pass
    return {**options, "messages": [_message(message) for message in messages]}


def _with_schema(question: models.ModelRequest) -> Sequence[models.ChatMessage]:
    form = models.Words(_FORM.format(schema=json.dumps(question.schema)))
    first, *others = question.messages
    if first.role == "system":
        return [replace(first, parts=(*first.parts, form)), *others]
    return [models.ChatMessage("system", (form,)), *question.messages]


def _message(message: models.ChatMessage) -> Mapping[str, object]:
    """Text alone is sent as a plain string: not every server accepts content parts without an image."""
    words = [part.text for part in message.parts if isinstance(part, models.Words)]
    is_plain = len(words) == len(message.parts)
    content = "\n\n".join(words) if is_plain else [_part(part) for part in message.parts]
    return {"role": message.role, "content": content}


def _part(part: models.Part) -> Mapping[str, object]:
    match part:
        case models.Words(text):
            return {"type": "text", "text": text}
        case models.Image(data, media_type, detail):
            url = f"data:{media_type};base64,{base64.b64encode(data).decode()}"
            return {"type": "image_url", "image_url": {"url": url, "detail": detail}}
        case models.LazyImage():
            return _part(part.load())


# Responses.


class _ReplyMessage(BaseModel):
    content: str | None = None
    refusal: str | None = None


class _Choice(BaseModel):
    message: _ReplyMessage
    finish_reason: str | None = None


class _TokenCount(BaseModel):
    prompt_tokens: int
    completion_tokens: int


class Reply(BaseModel):
    id: str = ""
    model: str = ""
    choices: list[_Choice] = Field(min_length=1)
    usage: _TokenCount | None = None


class _ListedModel(BaseModel):
    id: str
    shutdown_date: str | None = None


class _ModelList(BaseModel):
    data: list[_ListedModel]


def _usage(reply: Reply, question: models.ModelRequest) -> models.Usage:
    if reply.usage is not None:
        return models.Usage(reply.usage.prompt_tokens, reply.usage.completion_tokens)
    characters = len(reply.choices[0].message.content or "")
    return replace(estimated_usage(question, ModelFacts(name="")), tokens_out=math.ceil(characters / 4))


def read_reply(text: str) -> Reply | None:
    """None if the text is not in this format."""
    try:
        return Reply.model_validate_json(text)
    except ValidationError:
        return None


def read_models(text: str) -> Sequence[models.OfferedModel]:
    try:
        return [
            models.OfferedModel(model.id, _day(model.shutdown_date))
            for model in _ModelList.model_validate_json(text).data
        ]
    except ValidationError:
        return ()


def answer_in(reply: Reply, question: models.ModelRequest, model: str, host: str) -> models.ModelAnswer:
    """Raises AnswerError if the answer is refused, truncated or invalid."""
    choice, usage = reply.choices[0], _usage(reply, question)
    raw, refusal, ended = choice.message.content or "", choice.message.refusal, choice.finish_reason
    if question.is_judged:
        raw, refusal, ended = raw or refusal or "", None, "stop"
    tokens = {"tokens_in": usage.tokens_in, "tokens_out": usage.tokens_out}
    if refusal:
        raise RefusedAnswerError(f"{model} declined: {refusal}", refusal, **tokens)
    if ended == "content_filter":
        raise RefusedAnswerError(f"The content filter of {host} removed the answer of {model}.", raw, **tokens)
    if ended == "length":
        words = (
            f"The answer of {model} was cut off after {usage.tokens_out} tokens. Choose a model with shorter answers."
        )
        raise TruncatedAnswerError(words, raw, **tokens)
    try:
        data = question.read(raw)
    except BrokenAnswerError as error:
        raise BrokenAnswerError(str(error), raw, **tokens) from None
    return models.ModelAnswer(
        data, raw, model, reply.model or model, host, datetime.now(UTC), usage, request_id=reply.id
    )


def _day(text: str | None) -> date | None:
    try:
        return date.fromisoformat(text[:10]) if text else None
    except ValueError:
        return None
