"""Drafts on disk are complete at every instant, whatever happens to the process."""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from odyssey_recorder.dataset.draft import Draft, read_head
from odyssey_recorder.dataset.provenance import TextRecord
from odyssey_recorder.dataset.store import EpisodeStore
from odyssey_recorder.errors import DatasetError
from odyssey_recorder.model.action import Complete, Press, Scroll, SystemKey, Type
from odyssey_recorder.model.flag import Flag, FlagCode
from tests.dataset.drafts import DEVICE, ORIGIN, TASK, add_step, begin, png, record, store_in


@pytest.fixture
def store(tmp_path: Path) -> EpisodeStore:
    return store_in(tmp_path)


@pytest.fixture
def draft(store: EpisodeStore) -> Draft:
    return begin(store)


FORMAT_1 = Path(__file__).parent / "format_1"
"""Drafts of recorders without amendments of any step, view hierarchies and live fingers."""


def reopened(draft: Draft) -> Draft:
    draft.close()
    return Draft(draft.folder)


def test_a_draft_knows_after_reopening_what_it_was_begun_with(store: EpisodeStore, draft: Draft) -> None:
    again = reopened(draft)
    assert (again.task, again.device, again.origin) == (TASK, DEVICE, ORIGIN)
    assert again.dataset == store.root
    assert again.started_us == draft.started_us
    assert (again.steps, again.dropped, again.complete, again.uncertain) == ((), (), False, False)


def test_steps_are_there_again_with_screenshots_and_records(draft: Draft) -> None:
    add_step(draft, Type("milk 🥛\n"), shade=1)
    add_step(draft, Press(SystemKey.BACK), shade=2)
    draft.amend_last({"sent_until_us": 99, "flags": ["odd"]})
    again = reopened(draft)
    assert again.steps == draft.steps
    assert [step.action for step in again.steps] == [Type("milk 🥛\n"), Press(SystemKey.BACK)]
    assert [step.screenshot.read_bytes() for step in again.steps] == [png(1), png(2)]
    assert again.steps[1].record.sent_until_us == 99
    assert again.steps[1].record.flags == (Flag(FlagCode.OTHER, ("odd",)),)


def test_several_steps_go_at_once_are_remembered_and_the_first_of_them_is_wanted_back(draft: Draft) -> None:
    for shade in range(3):
        add_step(draft, Type(str(shade)), shade=shade)
    draft.drop_last("undone by the annotator", 2, leads_back=True)
    again = reopened(draft)
    assert [step.action for step in again.steps] == [Type("0")]
    assert [(one.action, one.why) for one in again.dropped] == [("TYPE", "undone by the annotator")] * 2
    assert again.wanted is not None
    again.forget_screenshot(again.wanted.screenshot)
    assert again.wanted.screenshot.read_bytes() == png(1)
    assert again.next_key == 3
    add_step(again, Type("other"), shade=4)
    assert reopened(again).wanted is None


def test_a_draft_is_uncertain_until_its_last_input_is_known_to_be_carried_out(draft: Draft) -> None:
    add_step(draft)
    assert draft.uncertain
    draft.amend_last({"sent_until_us": 5})
    assert not draft.uncertain
    add_step(draft, Complete("done"))
    assert draft.complete
    assert not reopened(draft).uncertain, "the end sends nothing"


def test_screenshots_are_never_written_over_one_another_and_can_be_forgotten_twice(draft: Draft) -> None:
    first = draft.keep_screenshot(png(1))
    again = reopened(draft)
    second = again.keep_screenshot(png(2))
    assert (first.read_bytes(), second.read_bytes()) == (png(1), png(2))
    again.forget_screenshot(second)
    again.forget_screenshot(second)
    assert not second.exists()


@settings(max_examples=30)
@given(st.integers(min_value=0))
def test_a_line_torn_anywhere_costs_that_line_only(cut: int) -> None:
    with tempfile.TemporaryDirectory() as folder:  # a new one for each example
        draft = begin(store_in(Path(folder)))
        for shade in range(3):
            add_step(draft, shade=shade)
        log = draft.folder / "steps.jsonl"
        whole = log.read_bytes()
        log.write_bytes(whole[: cut % (len(whole) + 1)])
        lines = log.read_bytes().count(b"\n")
        again = reopened(draft)
        assert len(again.steps) == lines
        add_step(again, Type("after the crash"))
        assert [type(step.action) for step in reopened(again).steps] == [Press] * lines + [Type]


def test_a_broken_line_in_the_middle_is_named(draft: Draft) -> None:
    add_step(draft)
    add_step(draft)
    draft.close()
    log = draft.folder / "steps.jsonl"
    first, second, _ = log.read_text().split("\n")
    log.write_text("\n".join([first[:-9], second, ""]))
    with pytest.raises(DatasetError, match=r"steps\.jsonl, line 1: not a valid line of a draft log"):
        Draft(draft.folder)
    log.write_text("\n".join([first, second, ""]))
    mended = Draft(draft.folder)
    assert len(mended.steps) == 2, "a draft that could not be opened is not locked for good"


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
def test_a_log_that_says_what_a_log_cannot_say_is_refused(draft: Draft, change: dict[str, Any]) -> None:
    add_step(draft)
    draft.close()
    log = draft.folder / "steps.jsonl"
    log.write_text(json.dumps({**json.loads(log.read_text()), **change}) + "\n")
    with pytest.raises(DatasetError, match=r"steps\.jsonl"):
        Draft(draft.folder)


def test_changes_of_steps_that_are_not_there_are_refused_and_leave_the_log_whole(draft: Draft) -> None:
    with pytest.raises(DatasetError, match="a step that does not exist"):
        draft.amend_last({"flags": []})
    add_step(draft)
    with pytest.raises(DatasetError, match="a step that does not exist"):
        draft.drop_last("undone by the annotator", 2)
    assert len(reopened(draft).steps) == 1


def test_what_a_failed_write_left_is_written_over(draft: Draft) -> None:
    add_step(draft)
    with (draft.folder / "steps.jsonl").open("ab") as log:
        log.write(b'{"kind": "step", "pict')
    add_step(draft)
    assert len(reopened(draft).steps) == 2


def test_a_log_that_vanished_is_not_begun_anew(draft: Draft) -> None:
    add_step(draft)
    (draft.folder / "steps.jsonl").unlink()
    with pytest.raises(DatasetError, match="is missing"):
        add_step(draft)


def test_a_draft_is_open_in_one_place_at_a_time_and_the_death_of_a_process_frees_it(draft: Draft) -> None:
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
    assert Draft(draft.folder).broken_touch, "the finger was noted at once"


def test_what_is_no_draft_is_refused_and_left_as_it_is(tmp_path: Path) -> None:
    with pytest.raises(DatasetError, match="its folder is missing"):
        Draft(tmp_path / "0000000000000000")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("text", ["", "{}", "[]", "\0", '{"format": 1'])
def test_a_broken_head_is_named(draft: Draft, text: str) -> None:
    draft.close()
    (draft.folder / "draft.json").write_text(text)
    with pytest.raises(DatasetError, match=r"draft\.json is not a valid draft"):
        Draft(draft.folder)


@pytest.mark.parametrize("change", [{"format": 99}, {"episode_id": "1234567890123456"}])
def test_a_draft_of_another_id_or_of_a_newer_recorder_is_refused(draft: Draft, change: dict[str, Any]) -> None:
    draft.close()
    path = draft.folder / "draft.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), **change}))
    with pytest.raises(DatasetError, match="newer"):
        read_head(draft.folder)


@pytest.mark.skipif(os.name != "posix", reason="limits of a process are POSIX")
def test_a_full_disk_leaves_the_draft_as_it_was_and_room_lets_it_go_on(draft: Draft) -> None:
    add_step(draft)
    draft.close()
    code = """
import resource, signal, sys
from pathlib import Path
from odyssey_recorder.dataset.draft import Draft
from odyssey_recorder.errors import DatasetError
from tests.dataset.drafts import add_step, png
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
draft = Draft(Path(sys.argv[1]))
size = (draft.folder / "steps.jsonl").stat().st_size
for limit in (10, size + 5):
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, resource.RLIM_INFINITY))
    try:
        add_step(draft)
    except DatasetError as error:
        print(error)
    assert len(draft.steps) == 1
resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
add_step(draft)
draft.close()
"""
    done = subprocess.run(
        [sys.executable, "-c", code, str(draft.folder)], capture_output=True, text=True, check=False, timeout=60
    )
    assert done.returncode == 0, done.stderr
    screenshot, log = done.stdout.splitlines()
    assert screenshot.startswith(f"{draft.folder}{os.sep}")
    assert log.startswith(str(draft.folder / "steps.jsonl"))
    assert all("the disk is full. Free some space" in line for line in (screenshot, log))
    assert len(reopened(draft).steps) == 2
    assert list(draft.folder.glob("*.part")) == []


def test_a_step_is_refused_whose_text_json_cannot_hold(draft: Draft) -> None:
    screenshot = draft.keep_screenshot(png(1))
    with pytest.raises(DatasetError, match="contains an invalid character"):
        draft.add_step(Type("\ud800"), screenshot, record(png(1)))
    add_step(draft)
    assert len(reopened(draft).steps) == 1


# What becomes known later.


def test_any_step_can_be_amended_and_the_others_stay_as_they_were(draft: Draft) -> None:
    keys = [add_step(draft, shade=shade) for shade in range(3)]
    assert draft.amend(keys[1], {"bbox": [1, 2, 30, 40], "bbox_source": "hierarchy"})
    again = reopened(draft)
    assert [step.record.bbox for step in again.steps] == [None, (1, 2, 30, 40), None]
    assert again.steps == draft.steps


def test_an_amendment_finds_its_step_after_others_were_undone_and_after_reopening(draft: Draft) -> None:
    first, undone = add_step(draft), add_step(draft)
    draft.drop_last("undone by the annotator")
    later = add_step(draft, Type("later"))
    assert later not in (first, undone)
    again = reopened(draft)
    assert again.amend(first, {"flags": ["first"]})
    assert not again.amend(undone, {"flags": ["undone"]})
    assert again.amend(later, {"flags": ["later"]})
    assert add_step(again) == later + 1
    assert [step.record.flags for step in reopened(again).steps[:2]] == [
        (Flag(FlagCode.OTHER, (word,)),) for word in ("first", "later")
    ]


def test_a_text_that_is_read_back_late_becomes_that_of_its_step_and_of_its_provenance(draft: Draft) -> None:
    typed, pressed = add_step(draft, Type("")), add_step(draft)
    assert draft.amend_text(typed, "你好 🥛")
    with pytest.raises(DatasetError, match="adds text to a step that is not a TYPE"):
        draft.amend_text(pressed, "oops")
    again = reopened(draft)
    assert again.steps[0].action == Type("你好 🥛")
    assert again.steps[0].record.input == TextRecord(text="你好 🥛")
    assert len(again.steps) == 2
    assert not again.amend_text(99, "nobody's")


@pytest.mark.parametrize("name", ["../../secret.xml", "/etc/passwd", "1.xml\n", "1.png", "lock"])
def test_a_name_that_is_no_view_trees_own_is_refused(draft: Draft, name: str) -> None:
    key = add_step(draft)
    with pytest.raises(DatasetError, match="contains an invalid step record"):
        draft.amend(key, {"ui_tree": name})
    assert reopened(draft).steps[0].tree is None


# Screenshots and view hierarchies.


def test_a_screenshot_that_two_steps_share_is_not_forgotten_while_one_of_them_is_there(draft: Draft) -> None:
    screenshot = draft.keep_screenshot(png(1))
    for _ in range(2):
        draft.add_step(Press(SystemKey.BACK), screenshot, record(png(1)))

    draft.drop_last("undone by the annotator")
    draft.forget_screenshot(screenshot)
    assert draft.steps[0].screenshot.read_bytes() == png(1)

    draft.drop_last("undone by the annotator")
    draft.forget_screenshot(screenshot)
    assert screenshot.exists(), "the device shows it, as far as is known"

    draft.note_screen(draft.keep_screenshot(png(2)), ())
    draft.forget_screenshot(screenshot)
    assert not screenshot.exists()


def test_a_view_tree_is_kept_for_its_step_and_others_are_gone_when_the_draft_is_opened_again(draft: Draft) -> None:
    key = add_step(draft)
    name = draft.keep_tree("<hierarchy>你好</hierarchy>")
    draft.amend(key, {"ui_tree": name})
    draft.keep_tree("<late/>")
    again = reopened(draft)
    [step] = again.steps
    assert step.tree is not None
    assert step.tree.read_text(encoding="utf-8") == "<hierarchy>你好</hierarchy>"
    assert [path.name for path in again.folder.glob("*.xml")] == [name]
    assert again.keep_tree("<next/>") != name


def test_half_a_character_does_not_cost_the_view_tree(draft: Draft) -> None:
    name = draft.keep_tree("<node text='\ud83e'/>")
    assert (draft.folder / name).read_text() == "<node text='?'/>"


# A live finger.


def test_a_finger_that_was_down_when_the_recorder_died_is_told_at_the_next_opening(draft: Draft) -> None:
    screenshot = draft.keep_screenshot(png(1))
    assert not draft.broken_touch
    draft.note_touch(screenshot, 5)
    again = reopened(draft)
    assert again.broken_touch
    again.drop_touch("the recorder died under it")
    last = reopened(again)
    assert not last.broken_touch
    assert [(dropped.action, dropped.why) for dropped in last.dropped] == [("TOUCH", "the recorder died under it")]


def test_a_finger_that_became_a_step_is_not_broken_whatever_became_known_meanwhile(draft: Draft) -> None:
    earlier = add_step(draft)
    screenshot = draft.keep_screenshot(png(1))
    draft.note_touch(screenshot, 5)
    draft.amend(earlier, {"ui_tree_absent": "the screen moved"})
    again = reopened(draft)
    assert again.broken_touch
    again.add_step(Press(SystemKey.BACK), screenshot, record(png(1)))
    assert not again.broken_touch


# What older recorders wrote.


def test_a_draft_of_the_first_recorders_goes_on(tmp_path: Path) -> None:
    folder = tmp_path / json.loads((FORMAT_1 / "draft.json").read_text())["episode_id"]
    folder.mkdir()
    for name in ("draft.json", "steps.jsonl"):
        (folder / name).write_bytes((FORMAT_1 / name).read_bytes())

    draft = Draft(folder)

    home, scroll = draft.steps
    assert (home.action, type(scroll.action), draft.dropped[0].action) == (Press(SystemKey.HOME), Scroll, "TYPE")
    assert (scroll.record.sent_until_us, scroll.record.flags) == (99, (Flag(FlagCode.UNCHANGED),))
    assert (scroll.record.age_us, scroll.tree, scroll.record.bbox) == (None, None, None)
    assert not scroll.record.frame.streamed
    assert draft.amend(scroll.key, {"age_us": 3})
    assert reopened(draft).steps[1].record.age_us == 3


def test_a_copy_of_a_screenshot_that_somebody_put_there_is_no_hindrance(tmp_path: Path) -> None:
    store = store_in(tmp_path)
    draft = begin(store)
    add_step(draft)
    draft.close()
    copies = [draft.folder / name for name in ("1 (copy).png", "1 (copy).xml", "٣.png")]
    for copy in copies:
        copy.write_bytes(b"copy")
    assert [found.problem for found in store.drafts()] == [""]
    assert all(copy.exists() for copy in copies)
