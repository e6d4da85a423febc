import sqlite3
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from threading import Barrier

import pytest
from pydantic import BaseModel

from odyssey_recorder.llm.answer_cache import AnswerCache, question_key
from odyssey_recorder.llm.model import Image, ModelAnswer, ModelRequest, Usage
from tests.llm.questions import Rewrite, question, questions

HOST = "https://api.example.com"


def key_of(request: ModelRequest, model: str = "m", host: str = HOST) -> str:
    return question_key(request, model, host)


class Described(Rewrite):
    """A rewrite."""


def answer_to(request: ModelRequest, text: str = "Other words.") -> ModelAnswer:
    now = datetime(2026, 11, 21, 12, 30, 15, 250, tzinfo=UTC)
    raw = f'{{"text": "{text}"}}'
    return ModelAnswer(Rewrite(text=text), raw, "m", "m-1", HOST, now, Usage(31, 7), key_of(request), 2, "req-1")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "cache" / "answers.sqlite"


def test_key_of_a_question_is_stable() -> None:
    assert key_of(question()) == "2fecc8dca06b22f1535f61a912800159438c9ede643bd15fc53c226cdc57ca96"


def test_equal_schemas_give_equal_keys() -> None:
    again = type("Rewrite", (BaseModel,), {"__annotations__": {"text": str}})
    assert key_of(replace(question(), answer=again)) == key_of(question())


def test_everything_that_affects_the_answer_changes_the_key() -> None:
    plain, shown = question(), question(image=b"picture")
    words, image = shown.messages[1].parts
    assert isinstance(image, Image)
    coarse = replace(shown.messages[1], parts=(words, replace(image, detail="original")))
    keys = {
        key_of(plain),
        key_of(question("Other words.")),
        key_of(shown),
        key_of(question(image=b"another")),
        key_of(replace(shown, messages=(shown.messages[0], coarse))),
        key_of(replace(plain, messages=plain.messages[1:])),
        key_of(replace(plain, prompt="rewrite/2")),
        key_of(replace(plain, prompt_sha256="1" * 64)),
        key_of(replace(plain, answer=Described)),
        key_of(replace(plain, schema_name="other")),
        key_of(question(parameters={"temperature": 0.0})),
        key_of(question(parameters={"temperature": 1.0})),
        key_of(replace(plain, candidate=1)),
        key_of(plain, model="other"),
        key_of(plain, host="http://localhost:11434"),
    }
    assert len(keys) == 15


def test_first_answer_is_kept_and_returned_unchanged(file: Path) -> None:
    with closing(AnswerCache(file)) as cache:
        cache.keep(question(), answer_to(question()))
        cache.keep(question(), answer_to(question(), "Second."))
    with closing(AnswerCache(file)) as cache:
        found = cache.find(question(), key_of(question()))
        assert found == replace(answer_to(question()), is_kept=True)
        assert cache.find(question("Other."), key_of(question("Other."))) is None


@pytest.mark.parametrize("wrong", ["raw = 'no JSON'", "at = '0001-01-01T00:00:00+14:00'"])
def test_invalid_row_is_ignored(file: Path, wrong: str) -> None:
    with closing(AnswerCache(file)) as cache:
        cache.keep(question(), answer_to(question()))
    with closing(sqlite3.connect(file)) as database, database:
        database.execute(f"UPDATE answers SET {wrong}")
    with closing(AnswerCache(file)) as cache:
        assert cache.find(question(), key_of(question())) is None


@pytest.mark.parametrize("is_broken", [False, True])
def test_concurrent_writers_share_a_new_file(file: Path, is_broken: bool, caplog: pytest.LogCaptureFixture) -> None:
    file.parent.mkdir()
    if is_broken:
        file.write_bytes(b"no answers")
    together = Barrier(6)

    def write(number: int) -> bool:
        together.wait(30)
        with closing(AnswerCache(file)) as cache:
            for one in questions(20):
                another = replace(one, candidate=number)
                cache.keep(another, answer_to(another))
            return bool(cache.problem)

    with ThreadPoolExecutor(6) as threads:
        assert sum(threads.map(write, range(6))) == is_broken
    assert len(list(file.parent.glob("*.aside-*"))) == is_broken
    caplog.clear()
    with closing(AnswerCache(file)) as cache:
        written = [replace(one, candidate=number) for one in questions(20) for number in range(6)]
        assert all(cache.find(one, key_of(one)) for one in written)


@pytest.mark.parametrize(
    "damage",
    ["", "CREATE TABLE answers (number INTEGER)", "PRAGMA user_version = 99"],
    ids=["broken", "foreign", "newer"],
)
def test_foreign_or_broken_file_is_set_aside(file: Path, damage: str, caplog: pytest.LogCaptureFixture) -> None:
    file.parent.mkdir()
    if "user_version" in damage:
        AnswerCache(file).close()
    if damage:
        with closing(sqlite3.connect(file)) as database, database:
            database.execute(damage)
    else:
        file.write_bytes(b"these are no answers " * 100)
    before = file.read_bytes()
    file.with_name("answers.sqlite.aside-1").write_text("put aside before")
    with closing(AnswerCache(file)) as cache:
        cache.keep(question(), answer_to(question()))
        aside = file.with_name("answers.sqlite.aside-2")
        assert str(aside) in cache.problem
        assert aside.read_bytes() == before
    with closing(AnswerCache(file)) as again:
        assert again.problem == ""
        assert again.find(question(), key_of(question())) is not None
    caplog.clear()


def test_locked_file_falls_back_to_memory(file: Path, caplog: pytest.LogCaptureFixture) -> None:
    AnswerCache(file).close()
    with closing(sqlite3.connect(file)) as holder, closing(AnswerCache(file, wait_s=0.01)) as cache:
        holder.execute("BEGIN EXCLUSIVE")
        cache.keep(question(), answer_to(question()))
        assert "database is locked" in cache.problem
        assert cache.find(question(), key_of(question())) is not None
    caplog.clear()
