import json
from hashlib import sha256
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from pydantic import BaseModel

from odyssey_recorder.errors import LanguageModelError
from odyssey_recorder.llm.model import LONGEST_ANSWER, Image, LazyImage, ModelRequest, Words
from odyssey_recorder.llm.prompts import Prompt, SlotPrompt, Slots, chosen_prompts, read_prompt, read_slots
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


SLOTS = Slots(("screenshot", "task"), ("marked_screenshot", "done"))
KNOWN = {"look": ("step_all/1", SLOTS), "sum_up": ("step_context/1", Slots(("done",), ("task",)))}


def mine(folder: Path, text: str) -> SlotPrompt:
    path = folder / "mine.txt"
    path.write_text(text, encoding="utf-8")
    return read_slots(path, SLOTS)


def image(name: str) -> LazyImage:
    return LazyImage(name, (9, 9), lambda: Image(b""))


def test_data_and_images_are_where_the_slots_of_a_file_are(tmp_path: Path) -> None:
    text = 'One: {screenshot}\nTwo: {marked_screenshot}\n{task}\n{done}\n{{"a": {{"b": 1}}}} 5 $ {% if 1 %}'
    with pytest.raises(LanguageModelError, match=r"unknown slot \{% if 1 %\}"):
        mine(tmp_path, text)
    prompt = mine(tmp_path, text.replace("{% if 1 %}", ""))
    done: list[Json] = [{"action": "Tap.", "intention": "To look."}, {"action": "Type.", "intention": ""}]
    data: dict[str, Json] = {"task": "{done} {{x}} <b>", "done": done, "unused": 1}
    both = {"screenshot": image("first"), "marked_screenshot": image("second")}
    told = '{done} {{x}} <b>\n1. action: Tap.; intention: To look.\n2. action: Type.; intention: \n{"a": {"b": 1}} 5 $'
    assert prompt.parts(data, both) == (Words("One:"), image("first"), Words("Two:"), image("second"), Words(told))
    assert prompt.parts(data, {"screenshot": image("first")})[2:] == (Words(f"Two: \n{told}"),)


def test_a_file_is_named_with_its_hash_which_is_part_of_the_request(tmp_path: Path) -> None:
    prompt = mine(tmp_path, "{screenshot}{task}")
    question = prompt.question(
        {"task": "Go."}, schema_name="s", answer=BaseModel, longest=9, images={"screenshot": image("")}
    )
    whole = sha256(b"{screenshot}{task}").hexdigest()
    assert (question.prompt, question.prompt_sha256) == (f"mine.txt@{whole[:16]}", whole)
    assert [message.role for message in question.messages] == ["user"]
    assert mine(tmp_path, "\ufeff{screenshot}{task}") == prompt


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("", r"lacks the slot {screenshot}, lacks the slot {task}\. These exist: {screenshot}, {task}, {marked_scr"),
        ("{screenshot}", r"mine\.txt lacks the slot {task}"),
        ("{screenshot}{task}{instuction}", "has the unknown slot {instuction}"),
        ("{screenshot}{task}{}", "has the unknown slot {}"),
        ("{screenshot}{task}{task.__class__}", "has the unknown slot {task.__class__}"),
        ("{screenshot}{task}{task[0]}", r"has the unknown slot {task\[0\]}"),
        ("{screenshot}{task!r:>9}", "has the unknown slot {task!r:>9}"),
        ('{screenshot}{task}\n"intention"\n}', "a single brace in line 3"),
        ("{screenshot}{task}\n{", "a single brace in line 2.*Write {{ and }} for braces"),
    ],
)
def test_a_file_with_other_slots_is_rejected(tmp_path: Path, text: str, fault: str) -> None:
    with pytest.raises(LanguageModelError, match=fault):
        mine(tmp_path, text)


def test_prompts_are_chosen_by_name_or_by_question(tmp_path: Path) -> None:
    own = mine(tmp_path, "{screenshot}{task}")
    path = tmp_path / "mine.txt"

    def names(*wanted: str, known: dict[str, tuple[str, Slots]] = KNOWN) -> list[str]:
        return [prompt.name for prompt in chosen_prompts(wanted, known).values()]

    assert names() == ["step_all/1", "step_context/1"]
    assert names("paper") == ["step_all/1", "paper_step_context/1"], "the paper has none for all texts in one"
    assert names("paper", "sum_up=ours") == names()
    assert names(f"look={path}") == [own.name, "step_context/1"]
    assert names(str(path), known={"look": KNOWN["look"]}) == [own.name]
    with pytest.raises(LanguageModelError, match=r"as QUESTION=FILE\. The questions are look, sum_up"):
        names(str(path))
    with pytest.raises(LanguageModelError, match=r"papers cannot be read.*Give ours, paper, or a text file"):
        names("look=papers")
