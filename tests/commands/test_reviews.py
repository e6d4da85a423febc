import json
from pathlib import Path

import pytest

from odyssey_recorder.dataset.entry_file import spell
from odyssey_recorder.dataset.trash import Trash
from odyssey_recorder.review.review import Decision, Move, ReviewFile
from odyssey_recorder.review.review_store import ReviewStore
from odyssey_recorder.review.status import ReviewPolicy
from tests.checking.folders import FIRST, SECOND, write_dataset
from tests.checking.verdicts import verdict
from tests.cli import ESCAPES, CommandLine, Result
from tests.dataset.published_episode import recorded

ONE, OTHER = "1111111111111111", "2222222222222222"


@pytest.fixture
def store(cli: CommandLine) -> ReviewStore:
    cli.dataset.mkdir()
    store = ReviewStore(cli.dataset)
    store.append(ONE, verdict("Bea"))
    return store


def reviews_elsewhere(folder: Path, *, damaged: bool = False) -> Path:
    folder.mkdir()
    text = spell(ReviewFile(OTHER, (verdict("Cem"), verdict(ESCAPES, minute=1)))).decode().replace('"send back"', '"x"')
    (folder / f"{OTHER}.json").write_text(text.replace("null", "7") if damaged else text)
    return folder


def test_problems_are_reported_with_their_location(cli: CommandLine, store: ReviewStore) -> None:
    path = store.root / "reviews" / f"{OTHER}.json"
    path.write_text('{"entries": [{"kind": "\x7f"}, 7]}')
    result = cli("reviews", "check")
    assert (result.exit_code, result.out) == (1, "2 problems\n")
    assert [line.split(": ")[0] for line in result.err.splitlines()] == [f"{path}, entry {number}" for number in (1, 2)]
    assert "\x7f" not in result.err
    assert len(cli.json("reviews", "check")["faults"]) == 2


def test_second_review_is_requested_and_withdrawn(cli: CommandLine) -> None:
    one, other = (recorded(cli.folder).episode_id for _ in range(2))
    for words, printed in (
        ((one, "--why", "new reviewer"), "Second review of 1 episode requested, 0 left out\n"),
        (("--filter", "verdict:unreviewed"), "Second review of 1 episode requested, 1 left out\n"),
        ((one, other, "--withdraw"), "Second review of 2 episodes withdrawn, 0 left out\n"),
    ):
        assert cli.output("reviews", "request", *words, "--by", "Lea") == printed
    requests = ReviewStore(cli.dataset).read(one).entries
    assert [(entry.by, entry.kind) for entry in requests] == [("Lea", "request")] * 2
    assert cli("reviews", "request", "--by", "Lea").exit_code == 2
    assert f"There is no episode {OTHER}" in cli.error("reviews", "request", OTHER, "--by", "Lea")


@pytest.mark.usefixtures("store")
def test_missing_folder_cannot_be_checked_or_merged(cli: CommandLine) -> None:
    for command in ("check", "merge"):
        assert "Nothing found at" in cli.error("reviews", command, cli.folder / "nothing")


def test_reviews_from_elsewhere_are_merged_once(cli: CommandLine, store: ReviewStore) -> None:
    elsewhere = reviews_elsewhere(cli.folder / "elsewhere")
    merged = f"{OTHER}: 2 new entries\n2 new entries of 1 episode, 0 problems\n"
    assert cli.output("reviews", "merge", elsewhere) == merged
    assert store.ids() == [ONE, OTHER]
    assert cli("reviews", "merge", elsewhere).out == "0 new entries of 0 episodes, 0 problems\n"


def test_merge_skips_unreadable_entries(cli: CommandLine, store: ReviewStore) -> None:
    result = cli("reviews", "merge", reviews_elsewhere(cli.folder / "elsewhere", damaged=True))
    assert result.exit_code == 1
    assert result.out.endswith("2 new entries of 1 episode, 1 problem\n")
    assert "entry 3: expected an object, found 7" in result.err
    assert len(store.read(OTHER).entries) == 2


def test_conflict_copies_are_merged(cli: CommandLine, store: ReviewStore) -> None:
    copy = store.root / "reviews" / f"{ONE} (1).json"
    copy.write_bytes(spell(ReviewFile(ONE, (verdict("Cem", minute=1),))))
    assert cli("reviews", "check").exit_code == 1
    assert cli("reviews", "merge").out.startswith(f"{ONE}: 1 new entry\n")
    assert cli("reviews", "check") == Result(0, "0 problems\n", "")


def policy_text(percent: int, *, seed: int) -> str:
    of = "of the episodes of each category, device and annotator"
    return f"{percent}% {of} get a second review, chosen at random (seed {seed})\n"


def test_policy_is_shown_and_set(cli: CommandLine, store: ReviewStore) -> None:
    assert cli("reviews", "policy").out == policy_text(10, seed=0)
    assert not (store.root / "reviews" / "policy.json").exists()
    assert cli("reviews", "policy", "--share", "0.25", "--seed", "7").out == policy_text(25, seed=7)
    assert store.policy() == ReviewPolicy(7, 0.25)
    assert cli("reviews", "policy", "--share", "1.5").exit_code == 2


def test_unreadable_policy_is_reported(cli: CommandLine, store: ReviewStore) -> None:
    (store.root / "reviews" / "policy.json").write_text("{")
    assert "policy.json: line 1" in cli.error("reviews", "policy")


PASSES = ("--screenshots", "pass", "--sequence", "pass", "--instruction", "pass")
STRAY = ("--screenshots", "pass", "--sequence", "fail:stray@2", "--instruction", "unsure:other:odd: words")


@pytest.fixture
def two(cli: CommandLine) -> list[str]:
    """Two episodes of 3 steps by Ada, with warnings, so that they are reviewed twice, and without errors."""
    write_dataset(cli.dataset, FIRST, SECOND)
    return [FIRST, SECOND]


@pytest.mark.usefixtures("one_processor")
def test_reply_and_control_episodes(cli: CommandLine, two: list[str]) -> None:
    one, other = two
    for by in ("Bea", "Cem"):
        cli.output("reviews", "send-back", one, *STRAY, "--by", by)
    assert ": It is right\n" in cli.output("reviews", "reply", one, "It is right", "--by", "Ada")
    reason, reply = cli.output("reviews", "reply", one).splitlines()
    assert (reason.split(",")[0], reply.split(",")[0]) == ("Cem", "Ada")
    assert "not sent back" in cli.error("reviews", "reply", other, "It is right", "--by", "Ada")
    said = cli.output("reviews", "control", one, other, "--by", "Lea")
    assert said == "1 control episode added, 1 left out\n"
    assert cli.output("reviews", "control") == f"{one}  as it is, by Lea, judged by 0\n1 control episode\n"
    said = cli.output("reviews", "control", one, "--defect", "step", "--by", "Lea")
    assert said == "0 control episodes added, 1 left out\n", "it is one already"
    judged = cli.output("reviews", "send-back", one, *STRAY, "--by", "Dan")
    assert judged == f"{one}: Saved. This was a control episode, known to be bad: your decision is right\n"
    (rate,) = cli.json("quality-report")["controls"]
    assert (rate["reviewer"], rate["good"]["of"], rate["bad"]["right"], rate["bad"]["of"]) == ("Dan", 0, 1, 1)
    assert "Control episodes, whose verdict is known" in cli.output("quality-report")
    assert cli.output("reviews", "control", one, "--withdraw", "--by", "Lea").startswith("1 control episode withdrawn")


@pytest.mark.usefixtures("one_processor")
def test_verdicts_are_taken_back_one_by_one(cli: CommandLine, two: list[str]) -> None:
    one, other = two
    cli.output("reviews", "send-back", one, *STRAY, "--by", "Bea")
    result = cli("reviews", "reopen", one, other, "--by", "Bea")
    assert (result.exit_code, result.out) == (1, f"{one}: the verdict is taken back. Review status: unreviewed\n")
    assert result.err == f"{other}: This episode has no verdict to take back.\n"
    assert ReviewStore(cli.dataset).read(one).verdicts == ()


@pytest.mark.usefixtures("one_processor")
def test_verdicts_are_saved_for_each_episode_on_its_own(cli: CommandLine, two: list[str]) -> None:
    one, other = two
    judged = cli("reviews", "send-back", one, OTHER, *STRAY, "--by", "Bea", "--why", "as agreed")
    assert judged.exit_code == 1
    assert judged.out == f"{one}: Saved. A second review follows (has warnings)\n"
    assert judged.err.startswith(f"{OTHER}: ")
    again = cli("reviews", "accept", one, other, one, *PASSES, "--by", " BEA ", "--json")
    assert again.exit_code == 1
    assert [(row["episode_id"], row["stage"], row["problem"]) for row in json.loads(again.out)] == [
        (one, "", "You have reviewed this episode. Another reviewer comes next."),
        (other, "Second review", ""),
    ]
    (given,) = ReviewStore(cli.dataset).read(one).verdicts
    assert (given.by, given.note, given.seconds, given.decision) == ("Bea", "as agreed", 0.0, Decision.SEND_BACK)
    assert [(each.answer.value, each.reason, each.step, each.words) for each in given.judgements] == [
        ("pass", "", None, ""), ("fail", "stray", 1, ""), ("unsure", "other", None, "odd: words"),
    ]  # fmt: skip


@pytest.mark.usefixtures("one_processor")
def test_consequences_of_a_final_verdict_are_told(cli: CommandLine, two: list[str]) -> None:
    one, other = two
    for by in ("Bea", "Cem"):
        cli.output("reviews", "reject", one, *STRAY, "--by", by)
        said = cli.output("reviews", "send-back", other, *STRAY, "--by", by)
    assert [trashed.episode_id for trashed in Trash(cli.dataset).episodes()] == [one]
    assert said == f"{other}: Sent back. It has no task in the queue, so tell Ada yourself\n"
    assert "There is nothing left to review" in cli("reviews", "accept", other, *PASSES, "--by", "Dora").err


@pytest.mark.usefixtures("one_processor")
def test_rules_of_the_window_apply_to_verdicts_by_command(cli: CommandLine, two: list[str]) -> None:
    one, _ = two
    for by, refusal in (
        (" ADA", "You recorded this episode. Somebody else must review it."),
        (" ", "Enter your name first."),
    ):
        refused = cli("reviews", "accept", one, *PASSES, "--by", by)
        assert (refused.exit_code, refused.out) == (1, "")
        assert refused.err.startswith(f"{one}: {refusal}")
    (ReviewStore(cli.dataset).root / "screenshots" / f"{one}_0.png").write_bytes(b"broken")
    assert "An episode with an error cannot be accepted" in cli("reviews", "accept", one, *PASSES, "--by", "Bea").err
    beyond = cli("reviews", "reject", one, *STRAY[:3], "fail:stray@4", *STRAY[4:], "--by", "Bea")
    assert (beyond.exit_code, beyond.err) == (1, f"{one}: There is no step 4: the episode has 3 steps.\n")
    assert ReviewStore(cli.dataset).read(one).entries == ()


def test_answers_must_support_the_decision(cli: CommandLine, two: list[str]) -> None:
    assert "Accepting needs 3 passes" in cli.error("reviews", "accept", *two, *STRAY)
    assert "Say what is wrong" in cli.error("reviews", "reject", *two, *PASSES)
    assert "Choose a reason for the instruction: lost" in cli.error(
        "reviews", "reject", *two, *PASSES[:-1], "fail:stray"
    )
    for answer in ("fail", "pass:stale", "fail:stale@0", "maybe"):
        assert "is no answer" in cli("reviews", "reject", *two, "--screenshots", answer, *PASSES[2:]).err
    assert "Missing option" in cli("reviews", "accept", *two, *PASSES[2:]).err


def test_own_episodes_are_withdrawn_by_command(cli: CommandLine, two: list[str]) -> None:
    refused = cli.error("reviews", "withdraw", *two, "--by", "Bea")
    assert "was recorded by Ada, so you cannot withdraw it" in refused
    assert (
        cli.output("reviews", "withdraw", *two, two[0], "--by", "Ada", "--why", "blurred") == "2 episodes withdrawn\n"
    )
    assert " by Ada: blurred\n" in cli.output("reviews", "restore")


def test_rejected_episode_is_listed_and_restored(cli: CommandLine) -> None:
    episode = recorded(cli.folder)
    assert f"no episode {episode.episode_id} in the trash" in cli.error("reviews", "restore", episode.episode_id)
    Trash(episode.root).move(episode.episode_id)
    assert episode.annotation() is None

    output = cli.output("reviews", "restore")
    assert output.splitlines()[0].startswith(episode.episode_id)
    assert output.endswith("1 episode in the trash\n")

    cli.output("reviews", "restore", episode.episode_id, "--by", "Bea", "--why", "it was another one")
    assert episode.annotation() is not None
    (move,) = ReviewStore(episode.root).read(episode.episode_id).entries
    assert isinstance(move, Move)
    assert (move.to, move.by, move.why) == ("dataset", "Bea", "it was another one")
