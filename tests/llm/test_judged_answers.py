"""Requests with `is_judged`: any text is an answer, with or without a schema, and its duration is stored."""

from dataclasses import replace
from pathlib import Path

from odyssey_recorder.llm.model import ModelAnswer
from odyssey_recorder.llm.schema import FreeText
from tests.llm.questions import batch, question
from tests.llm.stand_in import Reply, StandIn, in_turn, refuses

JUDGED = replace(question(parameters={"temperature": 0.0}), is_judged=True)
FREE = replace(JUDGED, answer=FreeText)


def test_free_text_is_requested_without_a_schema() -> None:
    with StandIn(lambda _: Reply("CLICK: (5, 5)"), refuses=["json_schema"]) as server:
        [free] = batch(server).ask_all([FREE])
        [judged] = batch(server).ask_all([JUDGED])
        requests = server.questions
    assert isinstance(free, ModelAnswer)
    assert isinstance(judged, ModelAnswer)
    assert (free.raw, judged.data) == ("CLICK: (5, 5)", FreeText(text="CLICK: (5, 5)"))
    assert ["response_format" in one.body for one in requests] == [False, True, True]
    assert ["schema" in one.words for one in requests] == [False, False, True]


def test_any_reply_is_an_answer_and_is_not_requested_again(tmp_path: Path) -> None:
    for number, turn in enumerate((Reply('{"a": ', finish_reason="length"), refuses("No."), Reply("prose"))):
        with StandIn(in_turn(turn)) as server:
            asking = batch(server, tmp_path / f"{number}.sqlite")
            first, again = (asking.ask_all([JUDGED])[0] for _ in range(2))
            assert isinstance(first, ModelAnswer)
            assert isinstance(again, ModelAnswer)
            assert first.raw == again.raw == (turn.raw or turn.refusal)
            assert (first.seconds, again.is_kept) == (again.seconds, True)
            assert len(server.questions) == 1
