"""Tools that a model calls, as text."""

from odyssey_recorder.llm.tool_calls import ToolCall, calls_in


def test_calls_are_read_as_written_and_other_text_stays() -> None:
    calls = (ToolCall("click", {"x": 1, "why": "a\n</tool_call> “b”"}, "c1", {"signature": "s"}), ToolCall("go_back"))
    broken = '<tool_call>\n{"name": "type", "arguments": "no object"}\n</tool_call>'
    raw = "\n".join(["I look.", *map(str, calls), broken, "Done."])
    text, found = calls_in(raw)
    assert found == calls
    assert [line for line in text.splitlines() if line] == ["I look.", *broken.splitlines(), "Done."]
    assert calls_in("") == ("", ())
