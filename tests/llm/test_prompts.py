import json
from hashlib import sha256
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from pydantic import BaseModel

from odyssey_recorder.errors import LanguageModelError
from odyssey_recorder.llm.model import LONGEST_ANSWER, ModelRequest, Words
from odyssey_recorder.llm.prompts import Prompt, read_prompt
from odyssey_recorder.model.episode import Json
from odyssey_recorder.resources import data_folder

FILE = "# Say hello\n\nAsked for fun.\n\n## System\n\nBe kind.\n\n## User\n\n<name>\n{{ name | json }}\n</name>\n"


def prompt(folder: Path, text: str = FILE, name: str = "hello/1") -> Prompt:
    path = folder / f"{name}.md"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return read_prompt(name, folder)


def filled(of: Prompt, **data: Json) -> ModelRequest:
    return of.question(data, schema_name="hello", answer=BaseModel, longest=60)


def words(question: ModelRequest) -> list[str]:
    return [part.text for message in question.messages for part in message.parts if isinstance(part, Words)]


def test_prompt_has_a_system_and_a_user_message(tmp_path: Path) -> None:
    question = filled(prompt(tmp_path), name="Ada")
    assert [message.role for message in question.messages] == ["system", "user"]
    assert words(question) == ["Be kind.", '<name>\n"Ada"\n</name>']
    assert question.parameters == {LONGEST_ANSWER: 60}
    assert (question.prompt, question.prompt_sha256) == ("hello/1", sha256(FILE.encode()).hexdigest())


def test_line_endings_do_not_change_a_prompt(tmp_path: Path) -> None:
    unix = prompt(tmp_path)
    (tmp_path / "hello/1.md").write_bytes(FILE.replace("\n", "\r\n").encode())
    assert read_prompt("hello/1", tmp_path) == unix


@given(st.text())
@example("{{ 7 * 7 }}{% raise %}")
def test_data_cannot_escape_its_tag(tmp_path_factory: pytest.TempPathFactory, data: str) -> None:
    user = words(filled(prompt(tmp_path_factory.getbasetemp()), name=data))[1]
    opened, inside, closed = user.split("\n")
    assert (opened, json.loads(inside), closed) == ("<name>", data, "</name>")
    assert "<" not in inside


def test_missing_variable_is_reported(tmp_path: Path) -> None:
    with pytest.raises(LanguageModelError, match="The prompt hello/1 cannot be filled: 'name' is undefined"):
        filled(prompt(tmp_path))


@pytest.mark.parametrize("name", ["../secret/1", "hello", "hello/0", "hello/1.md", "/etc/passwd", "Hello/1"])
def test_invalid_prompt_name_is_rejected(tmp_path: Path, name: str) -> None:
    with pytest.raises(LanguageModelError, match="names no prompt"):
        read_prompt(name, tmp_path)
    with pytest.raises(LanguageModelError, match=r"2\.md cannot be read"):
        read_prompt("hello/2", tmp_path)


@pytest.mark.parametrize(
    "text", ["", "# Hello\n\nBe kind.\n", "# Hello\n\n## System\n\nBe kind.\n", "## System\n\n## User\n"]
)
def test_prompt_file_without_its_sections_is_rejected(tmp_path: Path, text: str) -> None:
    with pytest.raises(LanguageModelError, match="must have a title, then the parts"):
        prompt(tmp_path, text)


def test_shipped_prompts_are_valid() -> None:
    names = [f"{path.parent.name}/{path.stem}" for path in data_folder("prompts").glob("*/*.md")]
    assert {"rewrite/1", "judge/1", "propose/1"} <= set(names)
    for name in names:
        assert "JSON object" in read_prompt(name).system
