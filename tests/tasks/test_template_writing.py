from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from odyssey_recorder.errors import TaskError
from odyssey_recorder.model.assignment import AsFound, CleanHome
from odyssey_recorder.model.episode import Category
from odyssey_recorder.tasks.templates.template import DaySlotRange, Items, Numbers, Role, Template
from odyssey_recorder.tasks.templates.template_files import load_library, read_library
from odyssey_recorder.tasks.templates.template_writing import write_template
from tests.tasks.templates import folder_of

TEMPLATE = Template(
    "hear_and_note",
    Category.MEDIA_ENTERTAINMENT,
    "Hear {item} and note {count} by {day}",
    {
        "item": Items(
            ("no: 12:30", "1.10", "yes", "a 'quoted' one # no comment", "Zürich \u201cß\u201d", "- dash", "null")
        ),
        "count": Numbers(2, 8, 2, "{} ideas"),
        "day": DaySlotRange(1, 6, "weekday"),
    },
    (Role("podcast"), Role("notes", ("Notes", "Notes Plus"))),
    ("Hear {item}; {count}, {day}.", "{day}: {item}, {count}.", "{count} out of {item} by {day}."),
    ("Hear {item} in {podcast}; {count}, {day}, in {notes}.", "{notes}, {day}: {count}. {podcast}: {item}."),
    devices=("pixel_fold",),
    start=CleanHome(),
    notes="Any of them: it's all right.",
)


def test_template_survives_writing_and_reading(tmp_path: Path) -> None:
    write_template(folder_of(tmp_path), TEMPLATE)
    (found,) = (one for one in load_library([tmp_path]).templates if one.template_id == TEMPLATE.template_id)
    assert found == replace(TEMPLATE, source=tmp_path / "Media_Entertainment" / "hear_and_note.yaml")


def test_default_keys_are_omitted(tmp_path: Path) -> None:
    plain = replace(TEMPLATE, devices=(), start=AsFound(), notes="")
    text = write_template(tmp_path, plain).read_text("utf-8")
    assert [line.partition(":")[0] for line in text.splitlines() if not line.startswith((" ", "-"))] == [
        "meta_task", "slots", "roles", "phrasings", "named_phrasings",
    ]  # fmt: skip


@given(
    st.lists(
        st.text(min_size=1).filter(lambda text: text.split() and not set("{}") & set(text)), min_size=1, max_size=4
    )
)
def test_any_item_reads_back_with_spaces_collapsed(tmp_path_factory: pytest.TempPathFactory, texts: list[str]) -> None:
    folder = folder_of(tmp_path_factory.mktemp("any"))
    lines = tuple({" ".join(text.split()).casefold(): " ".join(text.split()) for text in texts}.values())
    write_template(folder, replace(TEMPLATE, slots={**TEMPLATE.slots, "item": Items(lines)}))
    read = read_library([folder])
    assert read.problems == ()
    assert any(one.slots.get("item") == Items(lines) for one in read.library.templates)


def test_existing_file_is_never_overwritten(tmp_path: Path) -> None:
    path = write_template(tmp_path, TEMPLATE)
    before = path.read_bytes()
    with pytest.raises(TaskError, match=r"already exists\. Give this one another id"):
        write_template(tmp_path, replace(TEMPLATE, notes="Other words."))
    assert path.read_bytes() == before
    assert list(path.parent.iterdir()) == [path]
    with pytest.raises(TaskError, match="cannot be written"):
        write_template(path, TEMPLATE)


@pytest.mark.parametrize("name", ["../out", "a/b", "", ".hidden", "a b", "C:x", "x\n"])
def test_id_that_is_not_a_file_name_is_rejected(tmp_path: Path, name: str) -> None:
    with pytest.raises(TaskError, match="cannot be a file name"):
        write_template(tmp_path / "inner", replace(TEMPLATE, template_id=name))
    assert list(tmp_path.iterdir()) == []
