"""No failure leaks the API key into errors, logs or files."""

import logging
import pickle
import traceback
from contextlib import closing
from pathlib import Path

import pytest
from pydantic import SecretStr

from odyssey_recorder.errors import LanguageModelError, ModelUnusableError
from odyssey_recorder.llm.answer_cache import AnswerCache
from odyssey_recorder.llm.batch import Batch
from odyssey_recorder.llm.openai import OpenAIModel
from odyssey_recorder.llm.retry import RetryPolicy
from odyssey_recorder.logs import logging_to
from tests.llm.questions import chain, model_at, priced, questions
from tests.llm.stand_in import (
    DroppedConnection,
    ErrorReply,
    RawReply,
    Reply,
    StandIn,
    Turn,
    in_turn,
    no_quota,
    rate_limited,
    refuses,
    server_error,
    truncated,
)

KEY = "sk-planted-7c1f0d9be2"

TURNS: list[Turn] = [
    Reply('{"text": "Other words."}'), Reply("no JSON"), refuses(), truncated(), rate_limited(), no_quota(),
    server_error(), DroppedConnection(), RawReply("<html>"), ErrorReply(302, "", {"location": "http://127.0.0.1:9/"}),
    # A careless server, which returns what it was sent.
    *(ErrorReply(status, {"message": f"What is 'Bearer {KEY}'?"}) for status in (400, 401, 403, 404, 413, 422, 500)),
]  # fmt: skip


def visible_in(error: BaseException) -> str:
    """Everything visible of an error: message, traceback, and chained errors."""
    parts = ["".join(traceback.format_exception(error))]
    for one in chain(error):
        parts += [str(one), repr(one), repr(one.args), repr(vars(one)), repr(pickle.dumps(one.args))]
    return "\n".join(parts)


@pytest.mark.parametrize("turn", TURNS)
def test_key_appears_in_no_error_log_or_file(
    turn: Turn, tmp_path: Path, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    caplog.set_level(logging.DEBUG)
    with (
        logging_to(tmp_path / "log", "DEBUG"),
        StandIn(in_turn(turn, turn, turn, turn), key=KEY) as server,
        closing(AnswerCache(tmp_path / "answers.sqlite")) as cache,
    ):
        model = model_at(server, key=KEY)
        asks = Batch(model, cache, priced(), at_once=2, retry=RetryPolicy(tries=2, first_wait_s=0.001))
        visible = [repr(asks.estimate(questions(2)))]
        visible += [
            visible_in(one) if isinstance(one, LanguageModelError) else repr(one) for one in asks.ask_all(questions(2))
        ]
        visible += [repr(model), repr(vars(model)), repr(asks), cache.problem]
        logging.getLogger(__name__).info("The key is %s.", KEY)
        cache.close()
        assert server.questions[0].headers["authorization"] == f"Bearer {KEY}", "the key was used"
    assert KEY not in "\n".join(visible)
    records = [record for record in caplog.records if record.name != __name__]
    assert any(record.name.startswith("openai") for record in records), "the library logs, too"
    assert KEY not in "\n".join(f"{record.getMessage()} {record.args!r} {record.exc_info}" for record in records)
    assert KEY not in "".join(capfd.readouterr())
    written = [file for file in tmp_path.rglob("*") if file.is_file()]
    assert {"log", "answers.sqlite"} <= {file.name for file in written}
    assert [file for file in written if KEY.encode() in file.read_bytes()] == []


@pytest.mark.parametrize("odd", ["\nnext line", "é", " a"])
def test_invalid_key_is_rejected_without_showing_it(odd: str) -> None:
    with pytest.raises(ModelUnusableError) as raised:
        OpenAIModel("any", "http://127.0.0.1:9/v1", SecretStr(KEY + odd))
    assert KEY not in visible_in(raised.value)
