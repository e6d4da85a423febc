"""A draft on disk: whole at every instant, whatever happens to the process."""

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
from odyssey_recorder.dataset.store import EpisodeStore
from odyssey_recorder.errors import DatasetError
from odyssey_recorder.model.action import Complete, Press, SystemKey, Type
from tests.dataset.drafts import DEVICE, ORIGIN, TASK, add_step, begin, png, record, store_in


@pytest.fixture
def store(tmp_path: Path) -> EpisodeStore:
    return store_in(tmp_path)


@pytest.fixture
def draft(store: EpisodeStore) -> Draft:
    return begin(store)


def reopened(draft: Draft) -> Draft:
    draft.close()
    return Draft(draft.folder)


def test_a_draft_knows_after_reopening_what_it_was_begun_with(store: EpisodeStore, draft: Draft) -> None:
    again = reopened(draft)
    assert (again.task, again.device, again.origin) == (TASK, DEVICE, ORIGIN)
    assert again.dataset == store.root
    assert again.started_us == draft.started_us
    assert (again.steps, again.dropped, again.complete, again.uncertain) == ((), (), False, False)


def test_steps_are_there_again_with_pictures_and_records(draft: Draft) -> None:
    add_step(draft, Type("milk 🥛\n"), shade=1)
    add_step(draft, Press(SystemKey.BACK), shade=2)
    draft.amend_last({"sent_until_us": 99, "flags": ["odd"]})
    again = reopened(draft)
    assert again.steps == draft.steps
    assert [step.action for step in again.steps] == [Type("milk 🥛\n"), Press(SystemKey.BACK)]
    assert [step.picture.read_bytes() for step in again.steps] == [png(1), png(2)]
    assert again.steps[1].record.sent_until_us == 99
    assert again.steps[1].record.flags == ("odd",)


def test_a_dropped_step_is_gone_and_remembered(draft: Draft) -> None:
    add_step(draft)
    add_step(draft, Type("oops"))
    draft.drop_last("undone by the annotator")
    again = reopened(draft)
    assert len(again.steps) == 1
    [dropped] = again.dropped
    assert (dropped.action, dropped.why) == ("TYPE", "undone by the annotator")


def test_a_draft_is_uncertain_until_its_last_input_is_known_to_be_carried_out(draft: Draft) -> None:
    add_step(draft)
    assert draft.uncertain
    draft.amend_last({"sent_until_us": 5})
    assert not draft.uncertain
    add_step(draft, Complete("done"))
    assert draft.complete
    assert not reopened(draft).uncertain, "the end sends nothing"


def test_pictures_are_never_written_over_one_another_not_even_after_reopening(draft: Draft) -> None:
    first = draft.keep_picture(png(1))
    again = reopened(draft)
    second = again.keep_picture(png(2))
    assert first.read_bytes() == png(1)
    assert second.read_bytes() == png(2)


def test_a_picture_can_be_forgotten_twice(draft: Draft) -> None:
    picture = draft.keep_picture(png(1))
    draft.forget_picture(picture)
    draft.forget_picture(picture)
    assert not picture.exists()


@settings(max_examples=30)
@given(st.integers(min_value=0))
def test_a_line_torn_anywhere_costs_that_line_only(cut: int) -> None:
    with tempfile.TemporaryDirectory() as folder:  # one for each example
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
    with pytest.raises(DatasetError, match=r"steps\.jsonl, line 1: not a line of a draft's log"):
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


def test_changes_of_a_step_that_is_not_there_are_refused_and_leave_the_log_whole(draft: Draft) -> None:
    with pytest.raises(DatasetError, match="a step that is not there"):
        draft.drop_last("nothing there")
    with pytest.raises(DatasetError, match="a step that is not there"):
        draft.amend_last({"flags": []})
    add_step(draft)
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
    with pytest.raises(DatasetError, match="is gone"):
        add_step(draft)


def test_a_draft_is_open_in_one_place_at_a_time(draft: Draft) -> None:
    with pytest.raises(DatasetError, match="open in another window"):
        Draft(draft.folder)
    draft.close()
    Draft(draft.folder).close()


def test_another_process_cannot_open_it_either_and_its_death_frees_it(draft: Draft) -> None:
    draft.close()
    code = (
        "import sys; from pathlib import Path; from odyssey_recorder.dataset.draft import Draft\n"
        "draft = Draft(Path(sys.argv[1])); print('open', flush=True); sys.stdin.read()"
    )
    other = subprocess.Popen(
        [sys.executable, "-c", code, str(draft.folder)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert other.stdin is not None
    assert other.stdout is not None
    with other.stdin, other.stdout:
        assert other.stdout.readline().strip() == b"open"
        with pytest.raises(DatasetError, match="open in another window"):
            Draft(draft.folder)
        other.kill()
        other.wait()
    Draft(draft.folder).close()


def test_what_is_no_draft_is_refused_and_left_as_it_is(tmp_path: Path) -> None:
    with pytest.raises(DatasetError, match="its folder is gone"):
        Draft(tmp_path / "0000000000000000")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("text", ["", "{}", "[]", "\0", '{"format": 1'])
def test_a_broken_head_is_named(draft: Draft, text: str) -> None:
    draft.close()
    (draft.folder / "draft.json").write_text(text)
    with pytest.raises(DatasetError, match=r"draft\.json is not a draft's head"):
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
    picture, log = done.stdout.splitlines()
    assert picture.startswith(f"{draft.folder}{os.sep}")
    assert log.startswith(str(draft.folder / "steps.jsonl"))
    assert all("no room is left there. Free some space" in line for line in (picture, log))
    assert len(reopened(draft).steps) == 2
    assert list(draft.folder.glob("*.part")) == []


def test_a_step_is_refused_whose_text_json_cannot_hold(draft: Draft) -> None:
    picture = draft.keep_picture(png(1))
    with pytest.raises(DatasetError, match="half a character"):
        draft.add_step(Type("\ud800"), picture, record(png(1)))
    add_step(draft)
    assert len(reopened(draft).steps) == 1
