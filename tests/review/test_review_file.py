"""The review file: round trips, also of files edited by hand or merged by git, without losing anything."""

import json
import re
import subprocess
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from odyssey_recorder.dataset.amendment import NewBox
from odyssey_recorder.dataset.entry_file import spell, union
from odyssey_recorder.errors import ReviewError
from odyssey_recorder.model.finding import Criterion
from odyssey_recorder.review import review
from odyssey_recorder.review.review_file import REVIEW_FORM
from odyssey_recorder.review.review_merge import file_faults
from odyssey_recorder.review.review_store import ReviewStore
from tests.checking.verdicts import BEGIN, verdict
from tests.episodes import json_values

DOCUMENT = Path(__file__).parents[2] / "docs" / "reviews.md"
EPISODE = "0123456789012345"
_FIX = review.Fix(
    id="f" * 32, at=BEGIN, by="Bea", amendment=NewBox(step=2, box=(1, 2, 3, 4)), why="Too large", before="1", after="2"
)
_REPLAY = review.ReplayEvidence(
    id="e" * 32, at=BEGIN, by="Bea", revision="2", serial="emulator-5554", outcome="drift", steps=("match", "drift")
)
_MOVE = review.Move(id="d" * 32, at=BEGIN, by="Bea", to="trash", why="twice")


def _file(*entries: review.Entry) -> review.ReviewFile:
    return union(review.ReviewFile(EPISODE), review.ReviewFile(EPISODE, entries))


def _read(data: bytes | str) -> review.ReviewFile:
    return REVIEW_FORM.read(data if isinstance(data, bytes) else data.encode(), episode_id=EPISODE, source="r.json")


def test_written_file_is_read_back_unchanged() -> None:
    file = _file(verdict("Zoë \u2028 \n", "ufp", step=3), _FIX, _REPLAY, _MOVE)
    assert "Zoë".encode() in spell(file)
    assert _read(spell(file)) == file
    assert file.verdicts[0].by == "Zoë \u2028 \n"
    assert file.fixes == (_FIX,)
    assert json.loads(spell(_file())) == {"format": 1, "episode_id": EPISODE, "entries": [None]}
    assert _read(spell(_file())) == _file()


def test_lone_surrogate_is_rejected() -> None:
    with pytest.raises(ReviewError, match="contains an invalid character"):
        spell(_file(_MOVE.model_copy(update={"why": "\ud83d"})))


def test_pretty_printed_file_is_equal() -> None:
    file = _file(verdict("Bea", "pfp"), _FIX)
    assert _read("\ufeff" + json.dumps(json.loads(spell(file)), indent=4)) == file


def test_handwritten_verdict_needs_few_keys() -> None:
    handwritten = """{"entries": [{
        "by": "Bea", "at": "2026-11-20T10:00:00+01:00", "decision": "send back", "revision": "abc",
        "answers": {"pictures": "pass", "instruction": "pass",
                    "sequence": {"answer": "fail", "reason": "stray", "step": 3}}}]}"""
    (parsed,) = _read(handwritten).verdicts
    assert (parsed.at, parsed.decision, parsed.revision) == (BEGIN, review.Decision.SEND_BACK, "abc")
    assert [
        (one.answer, one.reason, one.step) for one in parsed.judgements if one.answer is not review.Rating.PASS
    ] == [(review.Rating.FAIL, "stray", 3)]
    assert _read(handwritten) == _read(handwritten)  # including its generated id
    assert _read(handwritten.replace("10:00:00+01:00", "09:00:00")).verdicts[0].at == BEGIN, "without a zone it is UTC"
    assert _read(spell(_read(handwritten))) == _read(handwritten)


def test_unknown_keys_survive_at_every_level() -> None:
    tree = json.loads(spell(_file(verdict("Bea"))))
    tree["project"] = {"name": "Ours", "ids": [1, 2]}
    tree["entries"][0]["mood"] = "good"
    tree["entries"][0]["judgements"][1]["sure"] = 0.5
    again = json.loads(spell(_read(json.dumps(tree))))
    assert again == tree


def test_examples_in_the_document_are_valid() -> None:
    text = DOCUMENT.read_text(encoding="utf-8")
    ours, policy, foreign = re.findall(r"^```json\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    file = REVIEW_FORM.read(ours.encode(), episode_id="0141544666483837", source="reviews.md")
    assert file.problems == ()
    assert spell(file).decode() == ours
    assert set(json.loads(policy)) == {"format", "seed", "second_share"}
    handwritten = json.dumps({"entries": [{**json.loads(foreign), "revision": "1"}]})
    assert [one.by for one in _read(handwritten).verdicts] == ["Eva"]


@pytest.mark.parametrize("criterion", list(Criterion))
def test_document_lists_every_reason(criterion: Criterion) -> None:
    codes = ", ".join(f"`{code}`" for code in review.REASONS[criterion])
    assert re.search(
        rf"^\| `{criterion.value}` \| .* \| {codes} \|$", DOCUMENT.read_text(encoding="utf-8"), re.MULTILINE
    )


def _file_with_broken_entry(change: dict[str, Any], **keys: object) -> str:
    intact = verdict("Bea").model_dump(mode="json")
    broken = {**verdict("Cem", minute=1).model_dump(mode="json"), **change}
    return json.dumps({"format": 1, "episode_id": EPISODE, "entries": [intact, broken, None], **keys})


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"decision": "maybe"}, "r.json, entry 2: decision: input should be 'accept'"),
        ({"by": " "}, "entry 2: by: string should match pattern"),
        ({"at": "yesterday"}, "entry 2: at: input should be a valid datetime"),
        ({"seconds": -1}, "entry 2: seconds: input should be greater than or equal to 0; found -1"),
        ({"replay": 7}, "entry 2: replay: input should be a valid string; found 7"),
        ({"judgements": []}, "entry 2: judgements.0: field required"),
        ({"kind": "guess"}, "entry 2: kind: input tag 'guess'"),
        ({"judgements": [{"criterion": "pictures", "answer": "pass"}] * 3}, "the same question is answered twice"),
    ],
)
def test_unreadable_entry_is_named_and_others_are_kept(change: dict[str, Any], words: str) -> None:
    file = _read(_file_with_broken_entry(change))
    assert any(words in problem for problem in file.problems), file.problems
    assert [entry.by for entry in file.entries] == ["Bea"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[]", "r.json: expected an object, found []"),
        ('{"entries": [7]}', "r.json, entry 1: expected an object, found 7."),
        ('{"format": 2, "entries": []}', "format 2 is from a newer version of Odyssey Recorder"),
        ('{"format": "one", "entries": []}', "format: expected 1, found 'one'"),
        ('{"episode_id": "9", "entries": []}', "it contains the reviews of '9'"),
        ('{"format": 1}', "entries: expected a list"),
    ],
)
def test_file_that_is_not_a_review_of_the_episode_has_a_problem(text: str, words: str) -> None:
    file = _read(text)
    assert words in file.problems[0]
    assert file.entries == ()


@pytest.mark.parametrize(
    "damage",
    [
        lambda text: text[: text.rindex("decision")],
        lambda text: text.replace('"entries": [', '"entries": [\n<<<<<<< ours'),
        lambda text: text.replace("null]}", ""),
        lambda text: text.replace('{"format": 1,', '{"format": 1, "format": 1,'),
    ],
)
def test_intact_entries_of_a_damaged_file_are_read(damage: Any) -> None:
    text = spell(_file(verdict("Bea"), verdict("Cem", minute=1), verdict("Dan", minute=2))).decode()
    file = _read(damage(text))
    assert file.problems
    assert {"Bea", "Cem"} <= {entry.by for entry in file.entries}


@given(st.binary(max_size=200))
def test_any_bytes_are_read_as_a_problem(data: bytes) -> None:
    assert _read(data).problems


@settings(max_examples=25)
@given(json_values)
def test_any_json_but_null_is_an_invalid_entry(tree: object) -> None:
    file = _read(json.dumps({"entries": [tree]}))
    assert bool(file.problems) == (tree is not None)


def test_fault_says_why_a_verdict_does_not_count() -> None:
    file = _file(verdict("Bea", "ppf", review.Decision.ACCEPT), verdict("ada", minute=1))
    faults = list(file_faults(file, "", place="reviews"))
    assert "the verdict of 'Bea' at 2026-11-20 09:00 UTC does not count: Accepting needs 3 passes" in faults[0]
    assert "'ada'" in faults[1]
    assert "it is by the annotator of the episode" in faults[1]
    assert list(file_faults(_file(verdict("Bea"), _FIX, _REPLAY, _MOVE), "", place="reviews")) == []


def test_different_entries_with_one_id_are_kept_and_reported() -> None:
    one = verdict("Bea")
    changed = one.model_copy(update={"note": "changed by hand"})
    file = union(_file(one), _file(changed))
    assert set(file.verdicts) == {one, changed}
    assert f"2 different entries have the id {one.id}" in next(file_faults(file, "", place="reviews"))


def test_verdicts_before_a_return_from_trash_do_not_count() -> None:
    before, after = verdict("Bea", "pfp", review.Decision.REJECT), verdict("Bea", minute=5)
    assert _file(before, _MOVE, after).present_verdicts == (before, after)
    back = _MOVE.model_copy(update={"id": "c" * 32, "at": BEGIN + timedelta(minutes=1), "to": "dataset"})
    assert _file(before, _MOVE, back, after).present_verdicts == (after,)


_ENTRIES = st.builds(
    verdict, st.sampled_from(["Bea", "Cem"]), st.text("pf", min_size=3, max_size=3), minute=st.integers(0, 2)
)
_FILES = st.builds(
    lambda entries, extra, problems: union(
        review.ReviewFile(EPISODE), review.ReviewFile(EPISODE, tuple(entries), extra, tuple(problems))
    ),
    st.lists(_ENTRIES | st.sampled_from([_FIX, _REPLAY, _MOVE]), max_size=4),
    st.dictionaries(st.sampled_from("ab"), st.integers(0, 3) | st.text(max_size=2)),
    st.lists(st.sampled_from(["x.", "y."]), max_size=2),
)


@given(_FILES, _FILES, _FILES)
def test_union_is_commutative_associative_and_idempotent(
    one: review.ReviewFile, two: review.ReviewFile, three: review.ReviewFile
) -> None:
    assert union(one, two) == union(two, one)
    assert union(union(one, two), three) == union(one, union(two, three))
    assert union(one, one) == one
    assert _ids(union(one, two)) == _ids(one) | _ids(two)
    with pytest.raises(ReviewError, match="belong to different episodes"):
        union(one, review.ReviewFile("9" * 16))


def _ids(file: review.ReviewFile) -> set[str]:
    return {entry.id for entry in file.entries}


@given(st.lists(_ENTRIES, max_size=4), st.lists(_ENTRIES, max_size=4), st.data())
def test_union_of_lines_equals_union_of_entries(
    ours: list[review.Verdict], theirs: list[review.Verdict], data: st.DataObject
) -> None:
    one, other = _file(*ours), _file(*theirs)
    head, opening, *lines, foot, end = spell(one).decode().split("\n")
    more = spell(other).decode().split("\n")[2:-2]
    merged = data.draw(st.permutations(lines + more))
    assert _read("\n".join([head, opening, *merged, foot, end])) == union(one, other)


def _run_git(folder: Path, *words: str) -> str:
    done = subprocess.run(
        ["git", "-c", "user.name=Test", "-c", "user.email=test@example.org", *words],
        cwd=folder, capture_output=True, text=True, check=True, env={"HOME": str(folder), "PATH": "/usr/bin:/bin"},
    )  # fmt: skip
    return done.stdout


@pytest.mark.parametrize("before", [(), (verdict("Ida"), verdict("Joe", minute=1))], ids=["new file", "more entries"])
def test_git_merges_reviews_of_two_checkouts(tmp_path: Path, before: tuple[review.Entry, ...]) -> None:
    ours, theirs = tmp_path / "ours", tmp_path / "theirs"
    ours.mkdir()
    _run_git(ours, "init", "-q", "-b", "main")
    ReviewStore(ours).append("9" * 16, verdict("Kim"))
    for entry in before:
        ReviewStore(ours).append(EPISODE, entry)
    _run_git(ours, "add", ".")
    _run_git(ours, "commit", "-q", "-m", "before")
    _run_git(tmp_path, "clone", "-q", str(ours), str(theirs))

    for folder, entry in ((ours, verdict("Bea", minute=2)), (theirs, verdict("Cem", "pfp", minute=3))):
        ReviewStore(folder).append(EPISODE, entry)
        _run_git(folder, "add", ".")
        _run_git(folder, "commit", "-q", "-m", "mine")
    _run_git(theirs, "pull", "-q", "--no-rebase", "--no-edit")

    merged = ReviewStore(theirs).read(EPISODE)
    assert merged.problems == ()
    assert _run_git(theirs, "status", "--short") == ""
    assert [entry.by for entry in merged.entries] == [*(entry.by for entry in before), "Bea", "Cem"]
