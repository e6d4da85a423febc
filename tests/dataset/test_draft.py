"""Drafts on disk are complete at every instant, even if the process is killed."""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from odyssey_recorder.dataset.draft import Draft, read_head
from odyssey_recorder.dataset.provenance import FORMAT, TextRecord
from odyssey_recorder.dataset.store import EpisodeStore
from odyssey_recorder.errors import DatasetError
from odyssey_recorder.model.action import Complete, Impossible, Press, SystemKey, Type
from odyssey_recorder.model.flag import Flag, FlagCode
from tests.dataset.drafts import DEVICE, ORIGIN, TASK, add_step, begin, other_flag, png, record, store_in


def reopen(draft: Draft) -> Draft:
    draft.close()
    return Draft(draft.folder)


def test_reopened_draft_is_the_same(store: EpisodeStore, draft: Draft) -> None:
    add_step(draft, Type("milk 🥛\n"), shade=1)
    add_step(draft, Press(SystemKey.BACK), shade=2)
    draft.amend_last({"sent_until_us": 99, "flags": [other_flag("odd")]})
    again = reopen(draft)
    assert (again.task, again.device, again.origin) == (TASK, DEVICE, ORIGIN)
    assert (again.dataset, again.started_us) == (store.root, draft.started_us)
    assert (again.steps, again.state.dropped) == (draft.steps, ())
    assert [step.action for step in again.steps] == [Type("milk 🥛\n"), Press(SystemKey.BACK)]
    assert [step.screenshot.read_bytes() for step in again.steps] == [png(1), png(2)]
    assert again.steps[1].record.sent_until_us == 99
    assert again.steps[1].record.flags == (Flag(FlagCode.OTHER, ("odd",)),)


def test_undone_steps_are_logged_and_the_first_is_the_screen_to_restore(draft: Draft) -> None:
    for shade in range(3):
        add_step(draft, Type(str(shade)), shade=shade)
    draft.drop_last("undone by the annotator", 2, leads_back=True)
    again = reopen(draft)
    assert [step.action for step in again.steps] == [Type("0")]
    assert [(one.action, one.why) for one in again.state.dropped] == [("TYPE", "undone by the annotator")] * 2
    assert again.state.wanted is not None
    again.forget_screenshot(again.state.wanted.screenshot)
    assert again.state.wanted.screenshot.read_bytes() == png(1)
    assert again.state.next_key == 3
    add_step(again, Type("other"), shade=4)
    assert reopen(again).state.wanted is None


def test_draft_is_uncertain_until_its_last_input_was_sent(draft: Draft) -> None:
    add_step(draft)
    assert draft.uncertain
    draft.amend_last({"sent_until_us": 5})
    assert not draft.uncertain
    add_step(draft, Complete("done"))
    assert draft.complete
    assert not reopen(draft).uncertain, "the terminal step sends nothing"


def test_screenshots_are_never_overwritten_and_can_be_forgotten_twice(draft: Draft) -> None:
    first = draft.keep_screenshot(png(1))
    again = reopen(draft)
    second = again.keep_screenshot(png(2))
    assert (first.read_bytes(), second.read_bytes()) == (png(1), png(2))
    again.forget_screenshot(second)
    again.forget_screenshot(second)
    assert not second.exists()


@settings(max_examples=30)
@given(st.integers(min_value=0))
def test_truncated_log_loses_only_the_truncated_line(cut: int) -> None:
    with tempfile.TemporaryDirectory() as folder:  # a new one for each example
        draft = begin(store_in(Path(folder)))
        for shade in range(3):
            add_step(draft, shade=shade)
        log = draft.folder / "steps.jsonl"
        whole = log.read_bytes()
        log.write_bytes(whole[: cut % (len(whole) + 1)])
        lines = log.read_bytes().count(b"\n")
        again = reopen(draft)
        assert len(again.steps) == lines
        add_step(again, Type("after the crash"))
        assert [type(step.action) for step in reopen(again).steps] == [Press] * lines + [Type]


def test_invalid_line_inside_the_log_is_named(draft: Draft) -> None:
    add_step(draft)
    add_step(draft)
    draft.close()
    log = draft.folder / "steps.jsonl"
    first, second, _ = log.read_text().split("\n")
    log.write_text("\n".join([first[:-9], second, ""]))
    with pytest.raises(DatasetError, match=r"steps\.jsonl, line 1: not a valid line of a draft log"):
        Draft(draft.folder)
    log.write_text("\n".join([first, second, ""]))
    repaired = Draft(draft.folder)
    assert len(repaired.steps) == 2, "the failed attempt must not leave the draft locked"


@pytest.mark.parametrize(
    "change",
    [
        {"picture": "../../secret.png"},
        {"picture": "/etc/passwd"},
        {"picture": "1.png\n"},
        {"action": {"action": "FORMAT", "info": ""}},
        {"kind": "what"},
        {"record": {}},
    ],
)
def test_log_with_invalid_values_is_rejected(draft: Draft, change: dict[str, Any]) -> None:
    add_step(draft)
    draft.close()
    log = draft.folder / "steps.jsonl"
    log.write_text(json.dumps({**json.loads(log.read_text()), **change}) + "\n")
    with pytest.raises(DatasetError, match=r"steps\.jsonl"):
        Draft(draft.folder)


def test_change_of_a_nonexistent_step_is_rejected(draft: Draft) -> None:
    with pytest.raises(DatasetError, match="a step that does not exist"):
        draft.amend_last({"flags": []})
    add_step(draft)
    with pytest.raises(DatasetError, match="a step that does not exist"):
        draft.drop_last("undone by the annotator", 2)
    assert len(reopen(draft).steps) == 1


def test_partial_line_of_a_failed_write_is_overwritten(draft: Draft) -> None:
    add_step(draft)
    with (draft.folder / "steps.jsonl").open("ab") as log:
        log.write(b'{"kind": "step", "pict')
    add_step(draft)
    assert len(reopen(draft).steps) == 2


def test_missing_log_is_not_created_again(draft: Draft) -> None:
    add_step(draft)
    (draft.folder / "steps.jsonl").unlink()
    with pytest.raises(DatasetError, match="is missing"):
        add_step(draft)


def test_open_draft_is_locked_until_its_process_ends(draft: Draft) -> None:
    with pytest.raises(DatasetError, match="open in another window"):
        Draft(draft.folder)
    draft.close()
    code = (
        "import sys; from pathlib import Path; from odyssey_recorder.dataset.draft import Draft\n"
        "draft = Draft(Path(sys.argv[1])); draft.note_touch(draft.folder / '1.png', 5)\n"
        "print('open', flush=True); sys.stdin.read()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code, str(draft.folder)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as other:
        assert other.stdout is not None
        assert other.stdout.readline().strip() == b"open"
        with pytest.raises(DatasetError, match="open in another window"):
            Draft(draft.folder)
        other.kill()
    assert Draft(draft.folder).state.touched, "the touch was written at once"


def test_opening_a_missing_draft_creates_nothing(tmp_path: Path) -> None:
    with pytest.raises(DatasetError, match="its folder is missing"):
        Draft(tmp_path / "0000000000000000")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("text", ["", "{}", "[]", "\0", '{"format": 1'])
def test_invalid_head_is_named(draft: Draft, text: str) -> None:
    draft.close()
    (draft.folder / "draft.json").write_text(text)
    with pytest.raises(DatasetError, match=r"draft\.json is not a valid draft"):
        Draft(draft.folder)


def test_draft_with_another_id_is_rejected(draft: Draft) -> None:
    draft.close()
    path = draft.folder / "draft.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "episode_id": "1234567890123456"}))
    with pytest.raises(DatasetError, match="belongs to another draft"):
        read_head(draft.folder)


@contextmanager
def file_size_limit(size: int) -> Iterator[None]:
    """Let this process write no file beyond `size` bytes."""
    import resource

    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.mark.skipif(os.name != "posix", reason="limits of a process are POSIX")
def test_full_disk_leaves_the_draft_unchanged_and_usable(draft: Draft) -> None:
    add_step(draft)
    log = draft.folder / "steps.jsonl"
    for limit, path in ((10, draft.folder), (log.stat().st_size + 5, log)):
        with file_size_limit(limit), pytest.raises(DatasetError, match=r"the disk is full\. Free some space") as error:
            add_step(draft)
        assert str(error.value).startswith(str(path))
        assert len(draft.steps) == 1
    add_step(draft)
    assert len(reopen(draft).steps) == 2
    assert list(draft.folder.glob("*.part")) == []


def test_step_with_lone_surrogate_is_rejected(draft: Draft) -> None:
    screenshot = draft.keep_screenshot(png(1))
    with pytest.raises(DatasetError, match="contains an invalid character"):
        draft.add_step(Type("\ud800"), screenshot, record(png(1)))
    add_step(draft)
    assert len(reopen(draft).steps) == 1


# Amendments.


def test_amendment_changes_only_its_step(draft: Draft) -> None:
    keys = [add_step(draft, shade=shade) for shade in range(3)]
    assert draft.amend(keys[1], {"bbox": [1, 2, 30, 40], "bbox_source": "hierarchy"})
    again = reopen(draft)
    assert [step.record.bbox for step in again.steps] == [None, (1, 2, 30, 40), None]
    assert again.steps == draft.steps


def test_amendments_find_their_steps_by_key(draft: Draft) -> None:
    first, undone = add_step(draft), add_step(draft)
    draft.drop_last("undone by the annotator")
    later = add_step(draft, Type("later"))
    assert later not in (first, undone)
    again = reopen(draft)
    assert again.amend(first, {"flags": [other_flag("first")]})
    assert not again.amend(undone, {"flags": [other_flag("undone")]})
    assert again.amend(later, {"flags": [other_flag("later")]})
    assert add_step(again) == later + 1
    assert [step.record.flags for step in reopen(again).steps[:2]] == [
        (Flag(FlagCode.OTHER, (word,)),) for word in ("first", "later")
    ]


def test_amended_text_is_in_the_step_and_its_record(draft: Draft) -> None:
    typed, pressed = add_step(draft, Type("")), add_step(draft)
    assert draft.amend_text(typed, "你好 🥛")
    with pytest.raises(DatasetError, match="adds text to a step that is not a TYPE"):
        draft.amend_text(pressed, "oops")
    again = reopen(draft)
    assert again.steps[0].action == Type("你好 🥛")
    assert again.steps[0].record.input == TextRecord(text="你好 🥛")
    assert len(again.steps) == 2
    assert not again.amend_text(99, "of no step")


@pytest.mark.parametrize("name", ["../../secret.xml", "/etc/passwd", "1.xml\n", "1.png", "lock"])
def test_invalid_view_hierarchy_name_is_rejected(draft: Draft, name: str) -> None:
    key = add_step(draft)
    with pytest.raises(DatasetError, match="contains an invalid step record"):
        draft.amend(key, {"ui_tree": name})
    assert reopen(draft).steps[0].tree is None


# Screenshots and view hierarchies.


def test_screenshot_in_use_is_not_deleted(draft: Draft) -> None:
    screenshot = draft.keep_screenshot(png(1))
    for _ in range(2):
        draft.add_step(Press(SystemKey.BACK), screenshot, record(png(1)))

    draft.drop_last("undone by the annotator")
    draft.forget_screenshot(screenshot)
    assert draft.steps[0].screenshot.read_bytes() == png(1)

    draft.drop_last("undone by the annotator")
    draft.forget_screenshot(screenshot)
    assert screenshot.exists(), "the device may still show it"

    draft.note_screen(draft.keep_screenshot(png(2)), ())
    draft.forget_screenshot(screenshot)
    assert not screenshot.exists()


def test_reopening_keeps_only_view_hierarchies_of_steps(draft: Draft) -> None:
    key = add_step(draft)
    name = draft.keep_tree("<hierarchy>你好</hierarchy>")
    draft.amend(key, {"ui_tree": name})
    draft.keep_tree("<late/>")
    again = reopen(draft)
    [step] = again.steps
    assert step.tree is not None
    assert step.tree.read_text(encoding="utf-8") == "<hierarchy>你好</hierarchy>"
    assert [path.name for path in again.folder.glob("*.xml")] == [name]
    assert again.keep_tree("<next/>") != name


def test_lone_surrogate_in_a_view_hierarchy_is_replaced(draft: Draft) -> None:
    name = draft.keep_tree("<node text='\ud83e'/>")
    assert (draft.folder / name).read_text() == "<node text='?'/>"


# A live finger.


def test_interrupted_touch_is_known_after_reopening(draft: Draft) -> None:
    screenshot = draft.keep_screenshot(png(1))
    assert not draft.state.touched
    draft.note_touch(screenshot, 5)
    again = reopen(draft)
    assert again.state.touched
    again.drop_touch("the recorder was killed")
    last = reopen(again)
    assert not last.state.touched
    assert [(dropped.action, dropped.why) for dropped in last.state.dropped] == [("TOUCH", "the recorder was killed")]


def test_touch_that_became_a_step_is_not_interrupted(draft: Draft) -> None:
    earlier = add_step(draft)
    screenshot = draft.keep_screenshot(png(1))
    draft.note_touch(screenshot, 5)
    draft.amend(earlier, {"ui_tree_absent": "the screen moved"})
    again = reopen(draft)
    assert again.state.touched
    again.add_step(Press(SystemKey.BACK), screenshot, record(png(1)))
    assert not again.state.touched


# Files that do not fit.


def test_draft_of_another_format_is_listed_with_the_reason_and_kept(store: EpisodeStore, draft: Draft) -> None:
    add_step(draft)
    draft.close()
    head = draft.folder / "draft.json"
    text = head.read_text()
    for number, reason in ((FORMAT - 1, "was written before the first release"), (FORMAT + 1, "by a newer version")):
        head.write_text(json.dumps({**json.loads(text), "format": number}))
        [found] = store.drafts()
        assert reason in found.problem
        with pytest.raises(DatasetError, match=reason):
            store.resume(draft.episode_id)
    head.write_text(text)
    assert len(reopen(draft).steps) == 1


def test_unknown_files_in_a_draft_are_ignored(store: EpisodeStore, draft: Draft) -> None:
    add_step(draft)
    draft.close()
    copies = [draft.folder / name for name in ("1 (copy).png", "1 (copy).xml", "٣.png")]
    for copy in copies:
        copy.write_bytes(b"copy")
    assert [found.problem for found in store.drafts()] == [""]
    assert all(copy.exists() for copy in copies)


def test_unsent_ending_is_kept_whatever_happens_to_the_steps(draft: Draft) -> None:
    add_step(draft)
    for ending in (Complete("Pla"), Complete("Platform 4"), Impossible("no 🚆")):
        draft.keep_ending(ending)
    draft.drop_last("undone by the annotator")
    draft.close()
    again = Draft(draft.folder)
    assert (again.state.note, again.state.reason) == ("Platform 4", "no 🚆")
    again.keep_ending(Complete(""))
    assert (again.state.note, again.steps) == ("", ())
    again.close()
