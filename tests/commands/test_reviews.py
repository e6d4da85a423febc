import json
from pathlib import Path

import pytest

from odyssey_recorder.dataset.entry_file import spell
from odyssey_recorder.dataset.trash import Trash
from odyssey_recorder.quality.reviewing.review import Move, ReviewFile
from odyssey_recorder.quality.reviewing.review_store import ReviewStore
from odyssey_recorder.quality.reviewing.status import ReviewPolicy
from tests.command_line import ESCAPES, CommandLine
from tests.dataset.published_episode import recorded
from tests.quality.verdicts import verdict

ONE, OTHER = "1111111111111111", "2222222222222222"


@pytest.fixture
def store(command_line: CommandLine) -> ReviewStore:
    command_line.dataset.mkdir()
    store = ReviewStore(command_line.dataset)
    store.append(ONE, verdict("Bea"))
    return store


def _elsewhere(folder: Path, *, spoilt: bool = False) -> Path:
    folder.mkdir()
    text = spell(ReviewFile(OTHER, (verdict("Cem"), verdict(ESCAPES, minute=1)))).decode()
    (folder / f"{OTHER}.json").write_text(text.replace('"send back"', '"x"').replace("null", "7" if spoilt else "null"))
    return folder


@pytest.mark.usefixtures("store")
def test_review_files_without_a_fault_are_said_to_be(command_line: CommandLine) -> None:
    ran = command_line("reviews", "check")
    assert (ran.exit_code, ran.out, ran.err) == (0, "0 problems\n", "")


def test_each_fault_is_told_with_its_place(command_line: CommandLine, store: ReviewStore) -> None:
    path = store.root / "reviews" / f"{OTHER}.json"
    path.write_text('{"entries": [{"kind": "\x7f"}, 7]}')
    ran = command_line("reviews", "check")
    assert (ran.exit_code, ran.out) == (1, "2 problems\n")
    assert [line.split(": ")[0] for line in ran.err.splitlines()] == [f"{path}, entry {number}" for number in (1, 2)]
    assert "\x7f" not in ran.err
    assert len(json.loads(command_line("reviews", "check", "--json").out)["faults"]) == 2


def test_a_second_review_is_requested_and_withdrawn(command_line: CommandLine) -> None:
    one, other = (recorded(command_line.folder).episode_id for _ in range(2))
    told = command_line("reviews", "request", one, "--as", "Lea", "--why", "new reviewer")
    assert (told.exit_code, told.out) == (0, "Second review of 1 episode requested, 0 left out\n")
    told = command_line("reviews", "request", "--filter", "verdict:unreviewed", "--as", "Lea")
    assert told.out == "Second review of 1 episode requested, 1 left out\n"
    told = command_line("reviews", "request", one, other, "--withdraw", "--as", "Lea")
    assert told.out == "Second review of 2 episodes withdrawn, 0 left out\n"
    requests = ReviewStore(command_line.dataset).read(one).entries
    assert [(entry.by, entry.kind) for entry in requests] == [("Lea", "request")] * 2
    assert command_line("reviews", "request", "--as", "Lea").exit_code == 2
    told = command_line("reviews", "request", OTHER, "--as", "Lea")
    assert (told.exit_code, f"There is no episode {OTHER}" in told.err) == (2, True)


@pytest.mark.usefixtures("store")
def test_what_is_not_there_cannot_be_checked_or_merged(command_line: CommandLine) -> None:
    for command in ("check", "merge"):
        ran = command_line("reviews", command, command_line.folder / "nothing")
        assert ran.exit_code == 2
        assert "Nothing found at" in ran.err


def test_reviews_from_elsewhere_come_once(command_line: CommandLine, store: ReviewStore) -> None:
    elsewhere = _elsewhere(command_line.folder / "elsewhere")
    ran = command_line("reviews", "merge", elsewhere)
    assert (ran.exit_code, ran.out) == (0, f"{OTHER}: 2 new entries\n2 new entries of 1 episode, 0 problems\n")
    assert store.ids() == [ONE, OTHER]
    assert command_line("reviews", "merge", elsewhere).out == "0 new entries of 0 episodes, 0 problems\n"


def test_what_could_not_be_read_is_told_and_the_rest_comes(command_line: CommandLine, store: ReviewStore) -> None:
    ran = command_line("reviews", "merge", _elsewhere(command_line.folder / "elsewhere", spoilt=True))
    assert ran.exit_code == 1
    assert ran.out.endswith("2 new entries of 1 episode, 1 problem\n")
    assert "entry 3: expected an object, found 7" in ran.err
    assert len(store.read(OTHER).entries) == 2


def test_copies_of_a_conflict_are_taken_in(command_line: CommandLine, store: ReviewStore) -> None:
    copy = store.root / "reviews" / f"{ONE} (1).json"
    copy.write_bytes(spell(ReviewFile(ONE, (verdict("Cem", minute=1),))))
    assert command_line("reviews", "check").exit_code == 1
    assert command_line("reviews", "merge").out.startswith(f"{ONE}: 1 new entry\n")
    assert command_line("reviews", "check").exit_code == 0


def told_policy(percent: int, *, seed: int) -> str:
    of = "of the episodes of each category, device and annotator"
    return f"{percent}% {of} get a second review, chosen at random (seed {seed})\n"


def test_the_policy_is_shown_and_set_for_all(command_line: CommandLine, store: ReviewStore) -> None:
    assert command_line("reviews", "policy").out == told_policy(10, seed=0)
    assert not (store.root / "reviews" / "policy.json").exists()
    ran = command_line("reviews", "policy", "--share", "0.25", "--seed", "7")
    assert ran.out == told_policy(25, seed=7)
    assert store.policy() == ReviewPolicy(7, 0.25)
    assert command_line("reviews", "policy", "--share", "1.5").exit_code == 2


def test_a_policy_that_cannot_be_read_is_told(command_line: CommandLine, store: ReviewStore) -> None:
    (store.root / "reviews" / "policy.json").write_text("{")
    ran = command_line("reviews", "policy")
    assert ran.exit_code == 2
    assert "policy.json: line 1" in ran.err


def test_a_rejected_episode_is_listed_and_comes_back(command_line: CommandLine) -> None:
    there = recorded(command_line.folder)
    absent = command_line("reviews", "restore", there.episode_id)
    assert (absent.exit_code, absent.out) == (2, "")
    assert f"no episode {there.episode_id} in the trash" in absent.err
    Trash(there.root).move(there.episode_id)
    assert there.annotation() is None

    listed = command_line("reviews", "restore")
    assert listed.exit_code == 0
    assert listed.out.splitlines()[0].startswith(there.episode_id)
    assert listed.out.endswith("1 episode in the trash\n")

    ran = command_line("reviews", "restore", there.episode_id, "--as", "Bea", "--why", "it was another one")
    assert ran.exit_code == 0, ran.err
    assert there.annotation() is not None
    (move,) = ReviewStore(there.root).read(there.episode_id).entries
    assert isinstance(move, Move)
    assert (move.to, move.by, move.why) == ("dataset", "Bea", "it was another one")
