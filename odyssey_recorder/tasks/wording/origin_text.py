"""Descriptions of an instruction's origin and of its comparison with the task."""

from collections.abc import Sequence

from odyssey_recorder.model.text_origin import Equivalence, ModelCall, TextOrigin, Writer

_ENTAILED = {True: "Yes", False: "No", None: "Not said"}


def origin_text(origin: TextOrigin | None) -> str:
    if origin is None:
        return "Written by a person, in a list of tasks."
    parts = [_writer(origin)]
    if origin.call is not None:
        parts.append(call_text(origin.call))
    if origin.edited_by:
        parts.append(f"Edited by {origin.edited_by}.")
    if origin.approved_by:
        parts.append(f"{origin.approval.value.capitalize()} by {origin.approved_by}.")
    return " ".join(parts)


def call_text(call: ModelCall) -> str:
    cost = "price unknown" if call.cost is None else f"${call.cost:.4f}"
    tokens = f"{call.tokens_in:,} + {call.tokens_out:,} tokens"
    return f"Prompt {call.prompt}, {call.host}, {call.at.astimezone():%Y-%m-%d %H:%M}, {tokens}, {cost}."


def rule_texts(equivalence: Equivalence | None) -> Sequence[str]:
    return () if equivalence is None else equivalence.faults


def judge_text(equivalence: Equivalence | None) -> str:
    if equivalence is None or equivalence.judge is None:
        return ""
    model = equivalence.judge.model_answered
    if equivalence.holds and not equivalence.faults:
        return f"The judge ({model}) finds that both ask for the same."
    forth, back = equivalence.task_entails_instruction, equivalence.instruction_entails_task
    if forth and back and not (equivalence.missing or equivalence.added):
        return f"The judge ({model}) finds nothing against it."
    lines = [
        f"The judge ({model}): Does the task ask for everything in the instruction? {_ENTAILED[forth]}."
        f" Does the instruction ask for everything in the task? {_ENTAILED[back]}.",
        *(f"Missing: {part}" for part in equivalence.missing),
        *(f"Added: {part}" for part in equivalence.added),
    ]
    return "\n".join(lines)


def _writer(origin: TextOrigin) -> str:
    match origin.writer:
        case Writer.TEMPLATE:
            return "The template's own words, filled in; no phrasing, no model."
        case Writer.PHRASING:
            return "A phrasing that a person wrote with the template; no model was asked."
        case Writer.MODEL:
            return f"Written by the model {origin.call.model_answered}." if origin.call else "Written by a model."
        case Writer.PERSON:
            return "Written by a person."
