"""Google's generateContent, which has the tool for mobile devices; Chat Completions has not.

Source: googleapis/python-genai 3.6.1, types.py. Gemini 3 wants the signature of each of its calls back; for a call that
a person made there is none, and Google's documentation names a word for that.
"""

from collections.abc import Iterator, Mapping

from odyssey_recorder.llm.chat_replies import Reply, TokenCount, Tree, ending, mapping
from odyssey_recorder.llm.model import LONGEST_ANSWER, Image, ModelRequest
from odyssey_recorder.llm.other_wire import MADE, Turn, count, items, turns
from odyssey_recorder.llm.tool_calls import ToolCall

_UNSIGNED = "skip_thought_signature_validator"
_NAMES = {LONGEST_ANSWER: "maxOutputTokens", "temperature": "temperature", "top_p": "topP", "top_k": "topK"}
_SAFETY = "safety_decision"
"""In the arguments of a call: the server wants to know that a person agrees."""


class GeminiWire:
    def path(self, model: str) -> str:
        return f"models/{model}:generateContent"

    def headers(self, key: str) -> Mapping[str, str]:
        return {"x-goog-api-key": key}

    def body(self, question: ModelRequest, model: str) -> Tree:
        told = [*turns(question)]
        system = [{"text": text} for turn in told if turn.role == "system" for text in turn.words]
        settings = {_NAMES[name]: value for name, value in question.parameters.items() if name in _NAMES}
        return {
            **({"systemInstruction": {"parts": system}} if system else {}),
            "contents": [_content(turn) for turn in told if turn.role != "system"],
            "tools": list(question.tools),
            "generationConfig": settings,
        }

    def reply(self, tree: Tree) -> Reply:
        used = mapping(tree.get("usageMetadata"))
        tokens = TokenCount(count(used, "promptTokenCount"), count(used, "candidatesTokenCount", "thoughtsTokenCount"))
        [candidate] = items(tree.get("candidates"))[:1] or [{}]
        parts = items(mapping(candidate.get("content")).get("parts"))
        ended = ending(candidate.get("finishReason") or mapping(tree.get("promptFeedback")).get("blockReason"))
        named = str(tree.get("responseId") or ""), str(tree.get("modelVersion") or "")
        return Reply("\n".join(_read(parts)), "", "", ended, tokens, *named)


def _content(turn: Turn) -> Tree:
    words = [{"text": text} for text in turn.words]
    if turn.role == "assistant":
        return {"role": "model", "parts": words + ([_call(turn.call)] if turn.call else [])}
    pictures = [{"inlineData": _data(image)} for image in turn.images]
    if turn.result_of is None:
        return {"role": "user", "parts": [*words, *pictures]}
    return {"role": "user", "parts": [{"functionResponse": _result(turn.result_of, pictures)}, *words]}


def _data(image: Image) -> Tree:
    return {"mimeType": image.media_type, "data": image.base64}


def _call(call: ToolCall) -> Tree:
    signature = call.kept if isinstance(call.kept, str) else _UNSIGNED
    return {"functionCall": {**_named(call), "args": dict(call.arguments)}, "thoughtSignature": signature}


def _result(call: ToolCall, pictures: list[dict[str, Tree]]) -> Tree:
    done = {"output": "done"} | ({"safety_acknowledgement": True} if _SAFETY in call.arguments else {})
    return {**_named(call), "response": done, "parts": pictures}


def _named(call: ToolCall) -> Tree:
    return {"name": call.name} | ({} if call.id.startswith(MADE) else {"id": call.id})


def _read(parts: object) -> Iterator[str]:
    """Thoughts are left out."""
    for part in items(parts):
        if call := mapping(part.get("functionCall")):
            name, call_id = str(call.get("name") or ""), str(call.get("id") or "")
            yield str(ToolCall(name, mapping(call.get("args")), call_id, part.get("thoughtSignature")))
        elif isinstance(part.get("text"), str) and not part.get("thought"):
            yield str(part["text"])
