"""The Chat Completions format: encodes requests and turns replies into answers, without any I/O."""

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Literal

from odyssey_recorder.errors import AnswerError, BrokenAnswerError, RefusedAnswerError, TruncatedAnswerError, showable
from odyssey_recorder.llm import model as models
from odyssey_recorder.llm.chat_replies import Reply, TokenCount
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
        case models.Image():
            return {"type": "image_url", "image_url": {"url": part.url, "detail": part.detail}}
        case models.LazyImage():
            return _part(part.load())


# Answers.


def answer_in(reply: Reply, question: models.ModelRequest, model: str, host: str) -> models.ModelAnswer:
    """Raises AnswerError if the answer is refused, cut off or invalid; of a judged question, only if there is none."""
    raw, usage = showable(reply.text), usage_of(reply.tokens, question, reply.text + reply.thoughts)

    def failed(error: AnswerError) -> AnswerError:
        return error.costing(usage.tokens_in, usage.tokens_out, is_estimated=usage.is_estimated)

    if question.is_judged and reply.ended:
        raw = raw or reply.refusal
    elif reply.refusal:
        raise failed(RefusedAnswerError(f"{model} declined: {reply.refusal}", reply.refusal))
    elif reply.ended == "refused":
        raise failed(RefusedAnswerError(f"The content filter of {host} removed the answer of {model}.", raw))
    elif reply.ended == "cut off":
        raise failed(TruncatedAnswerError(f"The answer of {model} was {cut_off_after(usage, question)}.", raw))
    elif question.is_judged and not raw.strip():
        raise failed(BrokenAnswerError(f"The answer of {model} is empty.{_elsewhere(reply)}", raw))
    try:
        data = question.read(raw)
    except BrokenAnswerError as error:
        raise failed(BrokenAnswerError(f"{error}{'' if raw.strip() else _elsewhere(reply)}", raw)) from None
    return models.ModelAnswer(
        data,
        raw,
        model,
        showable(reply.model) or model,
        host,
        datetime.now(UTC),
        usage,
        request_id=showable(reply.id),
        failure=reply.ended,
    )


def usage_of(tokens: TokenCount, question: models.ModelRequest, written: str = "") -> models.Usage:
    """Estimates what the server did not say; without anything `written`, an answer of usual length."""
    if tokens.tokens_in is not None and tokens.tokens_out is not None:
        return models.Usage(tokens.tokens_in, tokens.tokens_out)
    plain = estimated_usage(question, ModelFacts(name=""))
    tokens_out = math.ceil(len(written) / 4) if written else plain.tokens_out
    return models.Usage(
        plain.tokens_in if tokens.tokens_in is None else tokens.tokens_in,
        tokens_out if tokens.tokens_out is None else tokens.tokens_out,
        is_estimated=True,
    )


def cut_off_after(usage: models.Usage, question: models.ModelRequest) -> str:
    """In words, for people."""
    limit = question.parameters.get(models.LONGEST_ANSWER)
    told = f"; the limit is {limit:,}" if isinstance(limit, int) else ""
    return f"cut off after {usage.tokens_out:,} tokens{told}"


def _elsewhere(reply: Reply) -> str:
    if not reply.thoughts:
        return ""
    return (
        " All of its text is in reasoning_content, where a server puts thoughts: switch thinking off, or start the "
        "server without its reasoning parser."
    )
