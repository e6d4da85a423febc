import io
import json
import re
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import redirect_stdout
from functools import partial
from hashlib import sha256
from pathlib import Path
from threading import Barrier, Condition

import pytest

from odyssey_recorder.checking.checker import Checker
from odyssey_recorder.checking.evidence import EpisodeEvidence
from odyssey_recorder.commands.quality_report import report_quality
from odyssey_recorder.dataset.amendment import DropSteps, NewInstruction, NewText
from odyssey_recorder.dataset.codec import read_episode
from odyssey_recorder.dataset.layout import episode_ids
from odyssey_recorder.dataset.trash import Trash
from odyssey_recorder.dataset_index.index import EpisodeIndex
from odyssey_recorder.errors import DatasetError, ReviewError
from odyssey_recorder.model.finding import EpisodeReport, Severity
from odyssey_recorder.review.review import Decision, Defect, Fix, Move, ReplayEvidence, Request
from odyssey_recorder.review.review_log import ReviewLog
from odyssey_recorder.review.review_merge import check_reviews
from odyssey_recorder.review.status import (
    ReviewerRole,
    ReviewPolicy,
    ReviewStage,
    SecondReviewReason,
    StatusRule,
    review_status,
)
from odyssey_recorder.review.views import OpenedReview, ReviewNews, ReviewRow, VerdictDraft, outcome_text
from odyssey_recorder.services.review import ReviewService
from odyssey_recorder.services.review_files import add_reply, review_thread, trashed_episodes
from tests.checking.verdicts import BEGIN, judgements, verdict
from tests.dataset.published_episode import released
from tests.review.review_dataset import FakeChecks, ReviewDataset

PATIENCE_S = 60.0
RECORDER = "ann"


@pytest.fixture
def dataset(tmp_path: Path) -> ReviewDataset:
    """One episode, and none is drawn for a second review."""
    dataset = ReviewDataset(tmp_path / "dataset", FakeChecks())
    dataset.record()
    dataset.reviews.set_policy(ReviewPolicy(seed=1, second_share=0.0))
    return dataset


@pytest.fixture
def one(dataset: ReviewDataset) -> str:
    return min(episode_ids(dataset.root))


def judge(
    service: ReviewService, episode_id: str, decision: Decision = Decision.ACCEPT, answers: str = "ppp"
) -> ReviewRow:
    opened = service.open(episode_id)
    return service.submit(episode_id, verdict_draft(opened, decision, answers))


def verdict_draft(opened: OpenedReview, decision: Decision = Decision.ACCEPT, answers: str = "ppp") -> VerdictDraft:
    return VerdictDraft(decision, judgements(answers, step=2), "", opened.revision, 12.0)


def revision(dataset: ReviewDataset, episode_id: str) -> str:
    return sha256(dataset.annotation(episode_id).read_bytes()).hexdigest()


def test_annotator_cannot_judge_their_own_episode(dataset: ReviewDataset, one: str) -> None:
    service = dataset.service(" ANN ")
    assert service.open(one).row.role is None
    with pytest.raises(ReviewError, match="You recorded this episode"):
        judge(service, one)
    with pytest.raises(ReviewError, match="You recorded this episode"):
        service.fix(one, NewInstruction(instruction="Write milk down"), "shorter", revision(dataset, one))
    assert dataset.reviews.read(one).entries == ()


def test_decision_must_agree_with_answers_and_checks(dataset: ReviewDataset, one: str) -> None:
    dataset.checks.found[one] = Severity.ERROR
    with pytest.raises(ReviewError, match="Accepting needs 3 passes"):
        judge(dataset.service("Bea"), one, Decision.ACCEPT, "pfp")
    with pytest.raises(ReviewError, match=r"step 2, IMG07.*Nothing changed"):
        judge(dataset.service("Bea"), one)
    assert dataset.reviews.read(one).entries == ()


def test_own_replay_of_the_same_files_is_the_evidence(dataset: ReviewDataset, one: str) -> None:
    now = revision(dataset, one)
    replays = [replay(by, of) for by, of in (("bea", "0" * 64), ("bea ", now), ("Cem", now))]
    dataset.reviews.append(one, *replays)
    judge(dataset.service("Bea"), one)
    (given,) = dataset.reviews.read(one).verdicts
    assert given.replay == replays[1].id


def replay(by: str, of: str) -> ReplayEvidence:
    return ReplayEvidence(
        id=sha256(f"{by}{of}".encode()).hexdigest()[:32], at=BEGIN, by=by, revision=of, serial="emulator-5554",
        outcome="match", steps=(),
    )  # fmt: skip


def test_episode_with_warnings_gets_a_blind_second_review(dataset: ReviewDataset, one: str) -> None:
    dataset.checks.found[one] = Severity.WARNING
    first = dataset.service("Bea")
    first.fix(one, NewText(step=1, text="oat milk"), "as typed", revision(dataset, one))
    assert judge(first, one).stage is ReviewStage.SECOND
    assert dict(first.figures().stages)[ReviewStage.SECOND] == 1
    seen = dataset.service("Cleo").open(one)
    assert (seen.row.role, seen.row.twice) == (ReviewerRole.SECOND, SecondReviewReason.REQUEST)
    fix, request = seen.entries
    assert isinstance(fix, Fix)
    assert isinstance(request, Request)
    assert fix.by == request.by == "another reviewer"
    assert judge(dataset.service("Cleo"), one).stage is ReviewStage.ACCEPTED
    assert len(dataset.service("Dora").open(one).entries) == 4


def test_second_review_request_needs_a_name_and_an_open_episode(dataset: ReviewDataset, one: str) -> None:
    episode = dataset.service("Bea").open(one).row.episode
    with pytest.raises(ReviewError, match="Enter your name first"):
        ReviewLog(dataset.root, lambda: " ").request(episode, "")
    judge(dataset.service("Bea"), one, Decision.SEND_BACK, "pfp")
    lead = ReviewLog(dataset.root, lambda: "Lea")
    assert (lead.request(episode, ""), lead.withdraw(one, "")) == (False, False)


def test_third_reviewer_settles_a_disagreement(dataset: ReviewDataset, one: str) -> None:
    dataset.checks.found[one] = Severity.WARNING
    judge(dataset.service("Bea"), one)
    assert judge(dataset.service("Cleo"), one, Decision.REJECT, "pfp").stage is ReviewStage.DISPUTED
    with pytest.raises(ReviewError, match="reviewed this episode"):
        judge(dataset.service("Bea"), one)
    third = dataset.service("Dora")
    assert [entry.by for entry in third.open(one).entries] == ["Bea", "Cleo"]
    assert judge(third, one).stage is ReviewStage.ACCEPTED


def test_annotator_withdraws_own_episodes_until_they_are_reviewed(dataset: ReviewDataset, one: str) -> None:
    before, other = dataset.annotation(one).read_bytes(), dataset.record()
    judge(dataset.service("Bea"), other)
    own = dataset.service(RECORDER.upper())
    with pytest.raises(ReviewError, match="Bea has reviewed"):
        own.withdraw_episodes([one, other], "blurred")
    with pytest.raises(ReviewError, match=f"recorded by {RECORDER}"):
        dataset.service("Bea").withdraw_episodes([one], "blurred")
    assert dataset.annotation(one).exists(), "all or none"
    own.withdraw_episodes([one], "blurred")
    assert not dataset.annotation(one).exists()
    (trashed,) = trashed_episodes(dataset.root)
    assert (trashed.episode_id, trashed.by, trashed.why) == (one, RECORDER.upper(), "blurred")
    assert trashed.instruction.startswith(f"Write {one} down.")
    assert reported(dataset) == ({"Accepted": 1}, []), "it waits for nobody"
    with pytest.raises(DatasetError, match=f"no episode {other} in the trash"):
        own.restore([one, other], "")
    assert not dataset.annotation(one).exists(), "all or none"
    own.restore([one], "")
    assert dataset.annotation(one).read_bytes() == before
    assert judge(dataset.service("Bea"), one).stage is ReviewStage.ACCEPTED


def test_rejected_episode_is_moved_to_trash_and_restored(dataset: ReviewDataset, one: str) -> None:
    before = dataset.annotation(one).read_bytes()
    dataset.reviews.set_policy(ReviewPolicy(seed=1, second_share=1.0))
    row = judge(dataset.service("Cleo"), one, Decision.REJECT, "fpp")
    assert (row.stage, row.twice) == (ReviewStage.SECOND, SecondReviewReason.SAMPLE)
    assert dataset.annotation(one).exists()
    service = dataset.service("Bea")
    assert judge(service, one, Decision.REJECT, "fpp").stage is ReviewStage.REJECTED
    assert not dataset.annotation(one).exists()
    assert [trashed.episode_id for trashed in Trash(dataset.root).episodes()] == [one]
    service.restore([one], "it was the wrong one")
    assert dataset.annotation(one).read_bytes() == before
    assert service.open(one).row.role is ReviewerRole.FIRST
    moves = [entry for entry in dataset.reviews.read(one).entries if isinstance(entry, Move)]
    assert [(move.to, move.by) for move in moves] == [("trash", "Bea"), ("dataset", "Bea")]
    assert moves[0].why == "It shows an earlier screen, at step 3"


@pytest.mark.parametrize(
    ("decision", "answers"), [(Decision.ACCEPT, "ppp"), (Decision.SEND_BACK, "pfp"), (Decision.REJECT, "fpp")]
)
def test_verdict_is_taken_back_and_given_again(
    dataset: ReviewDataset, one: str, decision: Decision, answers: str
) -> None:
    service = dataset.service("Bea")
    judge(service, one, decision, answers)
    before = dataset.reviews.read(one)
    opened = service.reopen(one)
    assert (opened.row.stage, opened.row.role, opened.row.reopens) == (ReviewStage.UNREVIEWED, ReviewerRole.FIRST, "")
    assert dataset.annotation(one).exists()
    after = dataset.reviews.read(one)
    assert after.entries[: len(before.entries)] == before.entries, "nothing is removed from the file"
    assert (after.reopenings[0].by, after.reopenings[0].verdict) == ("Bea", before.verdicts[0].id)
    assert judge(service, one, Decision.SEND_BACK, "pfp").stage is ReviewStage.SENT_BACK
    assert [move.to for move in dataset.reviews.read(one).moves] == ["annotator"], "carried out once more"
    with pytest.raises(ReviewError, match="no verdict to take back"):
        service.reopen(one), service.reopen(one)


def test_verdict_of_somebody_else_is_taken_back_only_when_finished_and_with_a_reason(
    dataset: ReviewDataset, one: str
) -> None:
    dataset.checks.found[one] = Severity.WARNING
    judge(dataset.service("Bea"), one)
    assert dataset.service("Bea").open(one).row.reopens == "Bea"
    assert dataset.service("Cleo").open(one).row.reopens == ""
    with pytest.raises(ReviewError, match="not finished, and its last verdict is not yours"):
        dataset.service("Cleo").reopen(one, "I see it differently")
    judge(dataset.service("Cleo"), one)
    with pytest.raises(ReviewError, match="You recorded this episode"):
        dataset.service("ann").reopen(one, "mine")
    with pytest.raises(ReviewError, match=r"Give a reason.*by Cleo"):
        dataset.service("Lea").reopen(one, " ")
    opened = dataset.service("Lea").reopen(one, "The last screen is missing")
    assert (opened.row.stage, opened.row.role) == (ReviewStage.SECOND, ReviewerRole.SECOND), "Bea's verdict stays"
    assert judge(dataset.service("Lea"), one, Decision.SEND_BACK, "pfp").stage is ReviewStage.DISPUTED


def test_one_of_two_rejections_is_taken_back(dataset: ReviewDataset, one: str) -> None:
    dataset.checks.found[one] = Severity.WARNING
    judge(dataset.service("Bea"), one, Decision.REJECT, "fpp")
    judge(dataset.service("Cleo"), one, Decision.REJECT, "fpp")
    assert not dataset.annotation(one).exists()
    assert dataset.service("Cleo").reopen(one).row.stage is ReviewStage.SECOND
    assert judge(dataset.service("Cleo"), one, Decision.REJECT, "fpp").stage is ReviewStage.REJECTED
    assert not dataset.annotation(one).exists()


def test_fix_does_not_replace_the_second_review(dataset: ReviewDataset, one: str) -> None:
    dataset.checks.found[one] = Severity.WARNING
    first = dataset.service("Bea")
    first.fix(one, NewInstruction(instruction="Note: milk"), "shorter", revision(dataset, one))
    dataset.checks.found.clear()  # the fix has removed the warning
    assert judge(dataset.service("Bea"), one).stage is ReviewStage.SECOND
    second = dataset.service("Cleo")
    assert second.open(one).row.twice is SecondReviewReason.REQUEST
    second.fix(one, NewInstruction(instruction="Note: oat milk"), "as typed", revision(dataset, one))
    row = judge(dataset.service("Cleo"), one)
    assert row.stage is ReviewStage.SECOND, "nobody but Cleo has seen what Cleo changed"
    assert dataset.service("Cleo").open(one).row.role is None
    assert dataset.service("Dora").open(one).row.role is ReviewerRole.SECOND
    assert judge(dataset.service("Bea"), one).stage is ReviewStage.ACCEPTED, "Bea judges what Cleo changed"


def test_fixed_episode_that_needs_one_review_is_accepted_by_its_fixer(dataset: ReviewDataset, one: str) -> None:
    service = dataset.service("Bea")
    service.fix(one, NewInstruction(instruction="Note: milk"), "shorter", revision(dataset, one))
    assert dataset.reviews.read(one).requests == ()
    assert judge(service, one).stage is ReviewStage.ACCEPTED


def test_annotator_and_reviewer_talk_about_an_episode_that_was_sent_back(dataset: ReviewDataset, one: str) -> None:
    bea = dataset.service("Bea")
    for call in (partial(bea.reply, one, "So do I"), partial(review_thread, dataset.root, one)):
        with pytest.raises(ReviewError, match="not sent back"):
            call()
    judge(bea, one, Decision.SEND_BACK, "pfp")
    for by, words, refusal in (("", "It is right", "your name"), (RECORDER, " ", "Write what")):
        with pytest.raises(ReviewError, match=refusal):
            add_reply(dataset.root, by, one, words)
    add_reply(dataset.root, RECORDER, one, "The cart is empty\non purpose")
    row = bea.open(one).row
    assert (row.thread, row.is_replied) == (review_thread(dataset.root, one), True)
    row = bea.reply(one, "Then say so in the note").row
    assert [re.sub(r", \d{4}-\d\d-\d\d \d\d:\d\d: ", " said: ", line) for line in row.thread] == [
        "Bea said: The instruction is not completed, at step 3",
        f"{RECORDER} said: The cart is empty on purpose",
        "Bea said: Then say so in the note",
    ]
    assert not row.is_replied, "the reviewer had the last word"
    assert bea.reopen(one).row.thread == (), "ended by taking the verdict back"


def finished(dataset: ReviewDataset, decision: Decision, answers: str) -> str:
    episode_id = dataset.record()
    judge(dataset.service("Bea"), episode_id, decision, answers)
    return episode_id


def test_control_looks_unreviewed_and_its_verdicts_only_measure(dataset: ReviewDataset, one: str) -> None:
    good, bad = finished(dataset, Decision.ACCEPT, "ppp"), finished(dataset, Decision.SEND_BACK, "pfp")
    add_reply(dataset.root, RECORDER, bad, "no")
    lead = dataset.service("Lea")
    before_entries = [[type(entry) for entry in dataset.reviews.read(one).entries] for one in (good, bad)]
    assert lead.control([good, bad, one]) == sorted([good, bad]), "one has no known verdict"
    before = {stage: count for stage, count in lead.figures().stages if count}
    cleo, ordinary = dataset.service("Cleo"), dataset.service("Cleo").open(one)
    for episode_id in (good, bad):
        opened = cleo.open(episode_id)
        hidden = (opened.row.stage, opened.row.role, opened.row.twice, opened.row.thread, opened.row.reopens)
        assert hidden == (ReviewStage.UNREVIEWED, ReviewerRole.FIRST, None, (), "")
        assert opened.entries == ordinary.entries == ()
        for knows in ("Bea", "Lea", "ann"):
            assert dataset.service(knows).open(episode_id).row.role is None
    with pytest.raises(ReviewError, match="cannot be fixed now"):
        cleo.fix(good, NewInstruction(instruction="Note"), "shorter", revision(dataset, good))
    hit, miss = judge(cleo, good), judge(cleo, bad)
    assert (hit.is_hit, hit.stage, miss.is_hit, miss.stage) == (
        True,
        ReviewStage.ACCEPTED,
        False,
        ReviewStage.SENT_BACK,
    )
    assert outcome_text(miss).endswith("known to be bad: your decision is wrong")
    with pytest.raises(ReviewError, match="nothing left to review"):
        judge(cleo, good)
    report = dataset.service("Lea").figures()
    assert {stage: count for stage, count in report.stages if count} == before
    assert report.verdicts == 2, "verdicts on controls are none of the episode's"
    (rate,) = report.controls
    assert (rate.name, rate.good.count, rate.good.of, rate.bad.count, rate.bad.of) == ("Cleo", 1, 1, 0, 1)
    assert [[type(entry) for entry in dataset.reviews.read(one).entries] for one in (good, bad)] == before_entries
    assert dataset.reviews.accepted([good, bad]) == {good: "Bea"}
    files = [path.read_text() for path in (dataset.root / "reviews").glob("*.json")]
    assert not any("control" in text.removeprefix('{"format": 1, "episode_id": "controls"') for text in files)
    assert not any("Cleo" in text or "Lea" in text for text in files), "nothing tells of the control but the one file"


@pytest.mark.parametrize("defect", Defect)
def test_planted_defect_is_shown_to_reviewers_and_in_no_file(dataset: ReviewDataset, one: str, defect: Defect) -> None:
    good, bad = finished(dataset, Decision.ACCEPT, "ppp"), finished(dataset, Decision.SEND_BACK, "pfp")
    files = {path: path.read_bytes() for path in dataset.root.rglob("*.*") if path.suffix in (".json", ".png")}
    lead, true = dataset.service("Lea"), dataset.service("Bea").open(good)
    assert lead.control([good, bad, one], defect) == [good], "the others are not known to be good"
    assert [(listed.episode_id, listed.defect, listed.by, listed.judged) for listed in lead.controls()] == [
        (good, defect, "Lea", 0)
    ]
    shown = dataset.service("Cleo").open(good)
    steps, row = true.opened.episode.steps, shown.row.episode
    pictures = [shown.opened.files.screenshot(step).name for step in range(len(shown.opened.episode.steps))]
    whole = [true.opened.files.screenshot(step).name for step in range(len(steps))]
    match defect:
        case Defect.SCREENSHOT:
            ((before, wrong, right),) = (
                three for three in zip(whole, pictures[1:], whole[1:], strict=False) if three[1] != three[2]
            )
            assert (before == wrong, right == whole[-1]) == (True, False)
        case Defect.STEP:
            (left_out,) = {*whole} - {*pictures}
            assert left_out in whole[1:-1]
            assert (pictures, row.steps) == ([one for one in whole if one != left_out], len(steps) - 1)
            assert shown.opened.provenance is not None
            assert len(shown.opened.provenance.steps) == row.steps
        case Defect.INSTRUCTION:
            assert shown.opened.episode.task.instruction == row.instruction != true.row.episode.instruction
    assert (shown.row.stage, shown.entries) == (ReviewStage.UNREVIEWED, ())
    missed, found = judge(dataset.service("Cleo"), good), judge(dataset.service("Dora"), good, Decision.REJECT, "pfp")
    assert (missed.is_hit, found.is_hit, found.stage) == (False, True, ReviewStage.ACCEPTED)
    assert outcome_text(found).startswith(f"Saved. {found.defect} This was a control episode, known to be bad")
    assert dataset.service("Eve").judge(good, Decision.ACCEPT, judgements("ppp")).is_hit, "judged by the files"
    rates = [(rate.name, rate.good.of, rate.bad.count, rate.bad.of) for rate in lead.figures().controls]
    assert rates == [("Cleo", 0, 0, 1), ("Dora", 0, 1, 1), ("Eve", 1, 0, 0)]
    assert {path: path.read_bytes() for path in files} == files


def test_control_ends_when_it_is_withdrawn_or_reopened(dataset: ReviewDataset) -> None:
    good, other = (finished(dataset, Decision.ACCEPT, "ppp") for _ in range(2))
    lead = dataset.service("Lea")
    lead.control([good, other])
    judge(dataset.service("Cleo"), good)
    assert lead.end_controls([other]) == [other]
    assert dataset.service("Cleo").open(other).row.role is None
    dataset.service("Bea").reopen(good)
    assert dataset.service("Dora").open(good).row.role is ReviewerRole.FIRST
    assert dataset.service("Lea").figures().controls == (), "without a known verdict nobody is right or wrong"
    assert judge(dataset.service("Dora"), good, Decision.SEND_BACK, "pfp").is_hit is None, "an ordinary verdict"
    (rate,) = dataset.service("Lea").figures().controls
    assert (rate.good.of, rate.bad.count, rate.bad.of) == (0, 0, 1), "what is known now counts"


def test_fixes_are_recorded_and_can_be_undone(dataset: ReviewDataset, one: str) -> None:
    before = dataset.annotation(one).read_bytes()
    service = dataset.service("Bea")
    fixed = service.fix(one, DropSteps(first=1, last=2), "they were stray", revision(dataset, one))
    assert len(fixed.opened.episode.steps) == 3
    service.fix(one, NewInstruction(instruction="Note: milk"), "shorter", revision(dataset, one))
    assert service.undo(one, revision(dataset, one)).opened.episode.task.instruction != "Note: milk"
    assert len(service.undo(one, revision(dataset, one)).opened.episode.steps) == 5
    assert dataset.annotation(one).read_bytes() == before
    with pytest.raises(ReviewError, match="no fix"):
        service.undo(one, revision(dataset, one))
    fixes = dataset.reviews.read(one).fixes
    assert [bool(fix.undoes) for fix in fixes] == [False, False, True, True]
    assert {fix.why for fix in fixes} >= {"they were stray", "shorter"}


def test_undoing_a_fix_restores_the_texts_it_removed(tmp_path: Path) -> None:
    episode = released(tmp_path)
    dataset, one = ReviewDataset(episode.root, FakeChecks()), episode.episode_id
    before = dataset.annotation(one).read_bytes()
    service = dataset.service("Bea")
    service.fix(one, NewText(step=1, text="oat milk"), "as typed", revision(dataset, one))
    (fix,) = dataset.reviews.read(one).fixes
    assert fix.removed == {"intention": (1,)}
    assert b"intent 1" not in dataset.annotation(one).read_bytes()
    service.undo(one, revision(dataset, one))
    assert dataset.annotation(one).read_bytes() == before
    assert (dataset.root / "reviews" / f"{one}.json").read_text().count('"removed"') == 1


def test_concurrent_change_of_an_episode_is_rejected(dataset: ReviewDataset, one: str) -> None:
    first, second = dataset.service("Bea"), dataset.service("Bea")
    seen = first.open(one).revision
    opened = second.open(one)
    assert opened.revision == seen
    fixed = first.fix(one, DropSteps(first=1, last=1), "stray", seen)
    with pytest.raises(ReviewError, match="has changed since you opened it"):
        second.submit(one, verdict_draft(opened))
    with pytest.raises(ReviewError, match="changed since it was opened"):
        second.fix(one, DropSteps(first=1, last=1), "stray", seen)
    assert len(second.open(one).opened.episode.steps) == 4
    first.fix(one, NewInstruction(instruction="Note: milk"), "shorter", fixed.revision)
    with pytest.raises(ReviewError, match="changed since it was opened"):
        second.undo(one, fixed.revision)
    assert second.open(one).opened.episode.task.instruction == "Note: milk"


def test_opened_revision_is_the_one_shown(dataset: ReviewDataset, one: str) -> None:
    def check_slowly(evidence: EpisodeEvidence) -> EpisodeReport:
        dataset.change_task(one, instruction="Something else")
        return EpisodeReport(evidence.episode.episode_id)

    checker = Checker(dataset.root.parent / "slow.sqlite", 1, judge=check_slowly)
    service = ReviewService(EpisodeIndex(dataset.root, None), checker, lambda: "Bea")
    shown_revision = revision(dataset, one)
    opened = service.open(one)
    assert opened.opened.episode.task.instruction != "Something else"
    assert opened.revision == shown_revision != revision(dataset, one)


def test_accepting_after_a_fix_counts_as_fix_and_accept(dataset: ReviewDataset, one: str) -> None:
    service = dataset.service("Bea")
    with pytest.raises(ReviewError):
        service.fix(one, DropSteps(first=0, last=4), "all of it", revision(dataset, one))
    with pytest.raises(ReviewError, match="You have not fixed anything"):
        judge(service, one, Decision.FIX_AND_ACCEPT)
    service.fix(one, NewInstruction(instruction="Note: milk"), "shorter", revision(dataset, one))
    assert judge(service, one).stage is ReviewStage.ACCEPTED
    assert dataset.reviews.read(one).verdicts[0].decision is Decision.FIX_AND_ACCEPT
    dataset.change_task(one, instruction="Something else")
    assert dataset.service("Cleo").open(one).row.role is ReviewerRole.FIRST, "changed by hand, it is judged again"


def test_verdict_is_stored_with_its_episode(dataset: ReviewDataset, one: str) -> None:
    assert judge(dataset.service("Bea"), one).stage is ReviewStage.ACCEPTED
    (stored,) = dataset.reviews.read(one).verdicts
    assert (stored.by, stored.decision, stored.seconds) == ("Bea", Decision.ACCEPT, 12.0)
    assert (stored.subject.recorder, stored.subject.category, stored.subject.steps) == (RECORDER, "General_Tool", 5)


class Listener:
    def __init__(self) -> None:
        self.rows: dict[str, ReviewRow] = {}
        self.stages: dict[str, list[ReviewStage]] = {}
        """Consecutive repetitions are left out."""
        self.warnings: list[str] = []
        self._changed = Condition()

    def take(self, news: ReviewNews) -> None:
        with self._changed:
            self.rows.update((row.episode_id, row) for row in news.read)
            for row in news.read:
                stages = self.stages.setdefault(row.episode_id, [])
                if stages[-1:] != [row.stage]:
                    stages.append(row.stage)
            for gone in news.gone:
                self.rows.pop(gone, None)
            self._changed.notify_all()

    def warn(self, text: str) -> None:
        with self._changed:
            self.warnings.append(text)
            self._changed.notify_all()

    def wait_for(self, wanted: Callable[[dict[str, ReviewRow]], bool]) -> None:
        with self._changed:
            assert self._changed.wait_for(lambda: wanted(self.rows), PATIENCE_S), self.rows


Listen = Callable[[ReviewService], Listener]


@pytest.fixture
def listen() -> Iterator[Listen]:
    subscriptions = []

    def listen(service: ReviewService) -> Listener:
        listener = Listener()
        subscriptions.append(service.follow(listener.take, listener.warn))
        return listener

    yield listen
    for one in subscriptions:
        one.close()


def test_accepted_episode_is_reviewed_again_on_request(dataset: ReviewDataset, one: str, listen: Listen) -> None:
    assert judge(dataset.service("Bea"), one).stage is ReviewStage.ACCEPTED
    listener = listen(dataset.service("Cleo"))
    listener.wait_for(lambda rows: one in rows and rows[one].stage is ReviewStage.ACCEPTED)
    lead = ReviewLog(dataset.root, lambda: "Lea")
    episode = listener.rows[one].episode
    assert lead.request(episode, "part of the release")
    assert not lead.request(episode, "again")
    listener.wait_for(lambda rows: rows[one].twice is SecondReviewReason.REQUEST)
    assert (listener.rows[one].stage, listener.rows[one].role) == (ReviewStage.SECOND, ReviewerRole.SECOND)
    assert reported(dataset)[0] == {ReviewStage.SECOND.value: 1}
    assert judge(dataset.service("Cleo"), one).stage is ReviewStage.ACCEPTED
    assert lead.withdraw(one, "a mistake")
    assert not lead.request(episode, "judged twice")
    assert [entry.by for entry in dataset.reviews.read(one).entries] == ["Bea", "Lea", "Cleo", "Lea"]


def test_invalid_date_only_affects_its_own_file(dataset: ReviewDataset, one: str, listen: Listen) -> None:
    other = dataset.record()
    for episode_id in (one, other):
        judge(dataset.service("Bea"), episode_id)
    file = dataset.root / "reviews" / f"{one}.json"
    file.write_text(re.sub('"at": "[^"]*"', '"at": "0001-01-01T00:00:00+14:00"', file.read_text()))
    listener = listen(dataset.service("Cleo"))
    listener.wait_for(lambda rows: len(rows) == 2)
    assert "expected a time from 1970-01-02 to 2999-12-31" in listener.rows[one].problem
    assert (listener.rows[other].problem, listener.rows[other].stage) == ("", ReviewStage.ACCEPTED)
    assert dataset.reviews.accepted([one, other]) == {other: "Bea"}
    assert [f"{one}.json" in fault for fault in check_reviews(dataset.reviews)] == [True]


def test_decisions_made_elsewhere_are_carried_out(dataset: ReviewDataset, one: str, listen: Listen) -> None:
    other = dataset.record()
    service = dataset.service("Bea")
    for episode_id, (answers, decision) in {one: ("fpp", Decision.REJECT), other: ("pfp", Decision.SEND_BACK)}.items():
        revision = service.open(episode_id).revision
        dataset.reviews.append(episode_id, verdict("Bea", answers, decision, revision=revision, recorder=RECORDER))
    listener = listen(dataset.service("Cleo"))
    listener.wait_for(lambda rows: one not in rows and other in rows and rows[other].stage is ReviewStage.SENT_BACK)
    moves = {
        entry.to: (entry.by, entry.why)
        for episode_id in (one, other)
        for entry in dataset.reviews.read(episode_id).entries
        if isinstance(entry, Move)
    }
    assert moves == {
        "trash": ("Bea", "It shows an earlier screen"),
        "annotator": ("Bea", "The instruction is not completed"),
    }


@pytest.mark.parametrize(
    ("decision", "answers", "programs"), [(Decision.REJECT, "fpp", 2), (Decision.SEND_BACK, "pfp", 1)]
)
def test_decision_seen_by_several_at_once_is_carried_out_once(
    dataset: ReviewDataset, one: str, decision: Decision, answers: str, programs: int
) -> None:
    present = revision(dataset, one)
    dataset.reviews.append(one, verdict("Bea", answers, decision, revision=present, recorder=RECORDER))
    status = review_status(dataset.reviews.read(one), StatusRule(), recorder=RECORDER, revision=lambda: present)
    logs = [ReviewLog(dataset.root, lambda: "Cleo") for _ in range(programs)]
    together = Barrier(8)

    def settle(number: int) -> None:
        together.wait()
        logs[number % programs].settle(one, status)

    with ThreadPoolExecutor(8) as threads:
        assert list(threads.map(settle, range(8))) == [None] * 8
    assert len([entry for entry in dataset.reviews.read(one).entries if isinstance(entry, Move)]) == 1


def reported(dataset: ReviewDataset) -> tuple[dict[str, int], list[str]]:
    with redirect_stdout(io.StringIO()) as out:
        report_quality(dataset.new_service(""), html=None, as_json=True)
    tree = json.loads(out.getvalue())
    return {stage: count for stage, count in tree["stages"].items() if count}, tree["problems"]


def test_all_readers_see_the_same_stages(dataset: ReviewDataset, one: str, listen: Listen) -> None:
    duplicate, other = dataset.record(), dataset.record()
    dataset.change_task(duplicate, instruction=read_episode(dataset.annotation(one)).task.instruction)
    for episode_id in (one, duplicate, other):
        first_verdict = verdict("Bea", revision=revision(dataset, episode_id), recorder=RECORDER)
        dataset.reviews.append(episode_id, first_verdict)
    dataset.reviews.append(other, verdict(RECORDER, minute=1))
    services, progress = [dataset.new_service("Cleo"), dataset.new_service("Dora")], list[str]()
    listeners = [listen(service) for service in services]

    for listener in listeners:
        listener.wait_for(lambda rows: len(rows) == 3)  # seen before the checks begin

    def wait_for(stages: dict[str, ReviewStage]) -> None:
        for service, listener in zip(services, listeners, strict=True):
            service.check_all(lambda _share, text: progress.append(text), lambda: False)
            listener.wait_for(lambda rows: {one: row.stage for one, row in rows.items()} == stages)
            assert {stage.value: count for stage, count in service.figures().stages if count} == reported(dataset)[0]
        assert reported(dataset) == (
            {stage.value: list(stages.values()).count(stage) for stage in stages.values()},
            list(check_reviews(dataset.reviews)),
        )

    wait_for({one: ReviewStage.SECOND, duplicate: ReviewStage.SECOND, other: ReviewStage.ACCEPTED})
    assert progress[:3] == [f"{number} of 3 episodes" for number in (1, 2, 3)]
    for listener in listeners:
        assert listener.stages[one] == [ReviewStage.CHECKING, ReviewStage.SECOND], "no status that changed by itself"
        assert listener.stages[other] == [ReviewStage.CHECKING, ReviewStage.ACCEPTED]
    fixed = services[0].fix(
        duplicate, NewInstruction(instruction="Milk, please"), "a twin", revision(dataset, duplicate)
    )
    assert fixed.row.is_settled, "known at once, without all being checked again"
    wait_for({one: ReviewStage.ACCEPTED, duplicate: ReviewStage.SECOND, other: ReviewStage.ACCEPTED})


def test_unreadable_policy_blocks_verdicts(dataset: ReviewDataset, one: str, listen: Listen) -> None:
    (dataset.root / "reviews" / "policy.json").write_text('{"second_share": 2}')
    service = dataset.service("Bea")
    listener = listen(service)
    listener.wait_for(lambda rows: one in rows and bool(listener.warnings))
    assert "policy.json: second_share" in listener.warnings[0]
    with pytest.raises(ReviewError, match="second_share"):
        judge(service, one)
    with pytest.raises(ReviewError, match="second_share"):
        service.figures()
    another = dataset.record()
    listener.wait_for(lambda rows: another in rows)


def test_missing_dataset_has_zero_figures(tmp_path: Path) -> None:
    assert ReviewDataset(tmp_path / "nowhere", FakeChecks()).service("Bea").figures().episodes == 0
