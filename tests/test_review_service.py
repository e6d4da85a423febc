import io
import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from hashlib import sha256
from pathlib import Path
from threading import Condition

import pytest
from rich.console import Console

from odyssey_recorder.commands.quality_report import report_quality
from odyssey_recorder.dataset.amendment import DropSteps, NewApps, NewInstruction, NewText
from odyssey_recorder.dataset.codec import read_episode, write_episode
from odyssey_recorder.dataset.store import EpisodeStore
from odyssey_recorder.dataset.trash import Trash
from odyssey_recorder.errors import DatasetError, ReviewError
from odyssey_recorder.model.episode import Category
from odyssey_recorder.quality.checker import Checker
from odyssey_recorder.quality.evidence import EpisodeEvidence
from odyssey_recorder.quality.finding import Criterion, EpisodeReport, Finding, Severity
from odyssey_recorder.quality.reviewing.review import Decision, Fix, Move
from odyssey_recorder.quality.reviewing.review_log import ReviewLog
from odyssey_recorder.quality.reviewing.review_merge import check_reviews
from odyssey_recorder.quality.reviewing.review_store import ReviewStore
from odyssey_recorder.quality.reviewing.status import ReviewerRole, ReviewPolicy, ReviewStage, SecondReviewReason
from odyssey_recorder.quality.reviewing.views import OpenedReview, ReviewNews, ReviewRow, VerdictDraft
from odyssey_recorder.review_service import ReviewService
from odyssey_recorder.selection.index import EpisodeIndex
from tests.dataset.published_episode import recorded, released
from tests.quality.verdicts import judgements, verdict

PATIENCE_S = 60.0
RECORDER = "ann"


@dataclass
class Checks:
    found: dict[str, Severity] = field(default_factory=dict)

    def __call__(self, evidence: EpisodeEvidence) -> EpisodeReport:
        episode_id = evidence.episode.episode_id
        severity = self.found.get(episode_id)
        if severity is None:
            return EpisodeReport(episode_id)
        finding = Finding("IMG07", severity, Criterion.SCREENSHOTS, episode_id, 1, "Nothing changed.", "Look at it.")
        return EpisodeReport(episode_id, (finding,))


@dataclass
class Place:
    root: Path
    checks: Checks

    def service(self, reviewer: str) -> ReviewService:
        service = self.new_service(reviewer)
        service.check_all()
        return service

    def new_service(self, reviewer: str) -> ReviewService:
        cache = self.root.parent / "checks.sqlite"
        return ReviewService(EpisodeIndex(self.root, None), Checker(cache, 1, judge=self.checks), lambda: reviewer)

    def record(self) -> str:
        episode_id = recorded(self.root.parent).episode_id
        written = read_episode(self.annotation(episode_id))
        words = f"Write {episode_id} down."
        task = replace(written.task, task=words, instruction=f"{words} {'Go on. ' * int(episode_id[-1])}")
        write_episode(self.annotation(episode_id), replace(written, task=task))
        return episode_id

    @property
    def reviews(self) -> ReviewStore:
        return ReviewStore(self.root)

    def annotation(self, episode_id: str) -> Path:
        return self.root / "annotations" / f"{episode_id}.json"


@pytest.fixture
def place(tmp_path: Path) -> Place:
    """No episode is drawn for a second review."""
    place = Place(tmp_path / "dataset", Checks())
    place.record()
    place.reviews.set_policy(ReviewPolicy(seed=1, second_share=0.0))
    return place


@pytest.fixture
def one(place: Place) -> str:
    return EpisodeStore(place.root, drafts=place.root).episodes()[0]


def judge(
    service: ReviewService, episode_id: str, decision: Decision = Decision.ACCEPT, answers: str = "ppp"
) -> ReviewRow:
    opened = service.open(episode_id)
    return service.submit(episode_id, verdict_draft(opened, decision, answers))


def verdict_draft(opened: OpenedReview, decision: Decision = Decision.ACCEPT, answers: str = "ppp") -> VerdictDraft:
    return VerdictDraft(decision, judgements(answers, step=2), "", opened.revision, 12.0)


def revision(place: Place, episode_id: str) -> str:
    return sha256(place.annotation(episode_id).read_bytes()).hexdigest()


def test_nobody_judges_what_they_recorded(place: Place, one: str) -> None:
    service = place.service(" ANN ")
    assert service.open(one).row.role is None
    with pytest.raises(ReviewError, match="You recorded this episode"):
        judge(service, one)
    with pytest.raises(ReviewError, match="You recorded this episode"):
        service.fix(one, NewInstruction(instruction="Write milk down"), "shorter", revision(place, one))
    assert place.reviews.read(one).entries == ()


def test_answers_or_errors_of_the_checks_that_do_not_bear_the_decision_are_refused(place: Place, one: str) -> None:
    place.checks.found[one] = Severity.ERROR
    with pytest.raises(ReviewError, match="Accepting needs 3 passes"):
        judge(place.service("Bea"), one, Decision.ACCEPT, "pfp")
    with pytest.raises(ReviewError, match=r"IMG07@1.*Nothing changed"):
        judge(place.service("Bea"), one)
    assert place.reviews.read(one).entries == ()


def test_an_episode_with_warnings_is_judged_twice_and_the_second_is_blind(place: Place, one: str) -> None:
    place.checks.found[one] = Severity.WARNING
    first = place.service("Bea")
    first.fix(one, NewText(step=1, text="oat milk"), "as typed", revision(place, one))
    assert judge(first, one).stage is ReviewStage.SECOND
    assert dict(first.figures().stages)[ReviewStage.SECOND] == 1
    seen = place.service("Cleo").open(one)
    assert (seen.row.role, seen.row.twice) == (ReviewerRole.SECOND, SecondReviewReason.WARNINGS)
    (fix,) = seen.entries
    assert isinstance(fix, Fix)
    assert fix.by == "another reviewer"
    assert judge(place.service("Cleo"), one).stage is ReviewStage.ACCEPTED
    assert len(place.service("Dora").open(one).entries) == 3


def test_what_was_refused_or_has_no_sender_is_not_requested(place: Place, one: str) -> None:
    summary = place.service("Bea").open(one).row.summary
    with pytest.raises(ReviewError, match="Enter your name first"):
        ReviewLog(place.root, lambda: " ").request(summary, "")
    judge(place.service("Bea"), one, Decision.SEND_BACK, "pfp")
    lead = ReviewLog(place.root, lambda: "Lea")
    assert (lead.request(summary, ""), lead.withdraw(one, "")) == (False, False)


def test_a_disagreement_goes_to_a_third_who_sees_both(place: Place, one: str) -> None:
    place.checks.found[one] = Severity.WARNING
    judge(place.service("Bea"), one)
    assert judge(place.service("Cleo"), one, Decision.REJECT, "pfp").stage is ReviewStage.DISPUTED
    with pytest.raises(ReviewError, match="reviewed this episode"):
        judge(place.service("Bea"), one)
    third = place.service("Dora")
    assert [entry.by for entry in third.open(one).entries] == ["Bea", "Cleo"]
    assert judge(third, one).stage is ReviewStage.ACCEPTED


def test_an_episode_that_both_reject_goes_to_the_trash_and_can_come_back(place: Place, one: str) -> None:
    before = place.annotation(one).read_bytes()
    place.reviews.set_policy(ReviewPolicy(seed=1, second_share=1.0))
    row = judge(place.service("Cleo"), one, Decision.REJECT, "fpp")
    assert (row.stage, row.twice) == (ReviewStage.SECOND, SecondReviewReason.SAMPLE)
    assert place.annotation(one).exists()
    service = place.service("Bea")
    assert judge(service, one, Decision.REJECT, "fpp").stage is ReviewStage.REJECTED
    assert not place.annotation(one).exists()
    assert [trashed.episode_id for trashed in Trash(place.root).episodes()] == [one]
    service.restore(one, "it was the wrong one")
    assert place.annotation(one).read_bytes() == before
    assert service.open(one).row.role is ReviewerRole.FIRST
    moves = [entry for entry in place.reviews.read(one).entries if isinstance(entry, Move)]
    assert [(move.to, move.by) for move in moves] == [("trash", "Bea"), ("dataset", "Bea")]
    assert moves[0].why == "It shows an earlier screen, at step 3"


def test_what_is_sent_back_says_why_and_where(place: Place, one: str) -> None:
    assert judge(place.service("Bea"), one, Decision.SEND_BACK, "pfp").stage is ReviewStage.SENT_BACK
    move = place.reviews.read(one).entries[-1]
    assert isinstance(move, Move)
    assert (move.to, move.by) == ("annotator", "Bea")
    assert "at step 3" in move.why
    assert place.annotation(one).exists()


def test_a_fix_is_kept_and_can_be_taken_back(place: Place, one: str) -> None:
    before = place.annotation(one).read_bytes()
    service = place.service("Bea")
    fixed = service.fix(one, DropSteps(first=1, last=2), "they were stray", revision(place, one))
    assert len(fixed.opened.episode.steps) == 3
    service.fix(one, NewInstruction(instruction="Note: milk"), "shorter", revision(place, one))
    assert service.undo(one, revision(place, one)).opened.episode.task.instruction != "Note: milk"
    assert len(service.undo(one, revision(place, one)).opened.episode.steps) == 5
    assert place.annotation(one).read_bytes() == before
    with pytest.raises(ReviewError, match="no fix"):
        service.undo(one, revision(place, one))
    fixes = place.reviews.read(one).fixes
    assert [bool(fix.undoes) for fix in fixes] == [False, False, True, True]
    assert {fix.why for fix in fixes} >= {"they were stray", "shorter"}


def test_an_episode_with_too_few_apps_is_repaired_by_a_fix_and_is_as_before_when_that_is_taken_back(
    place: Place, one: str
) -> None:
    written = read_episode(place.annotation(one))
    task = replace(written.task, category="Web_Shopping", apps=("Shop",))
    write_episode(place.annotation(one), replace(written, task=task))
    before = place.annotation(one).read_bytes()
    service = ReviewService(EpisodeIndex(place.root, None), Checker(None, 1), lambda: "Bea")
    assert "EPI02" in {finding.check for finding in service.open(one).report.findings}

    whole = NewApps(category=Category.WEB_SHOPPING, apps=("Shop", "Notes"))
    fixed = service.fix(one, whole, "an app is missing", revision(place, one))

    assert fixed.opened.episode.task.apps == ("Shop", "Notes")
    assert "EPI02" not in {finding.check for finding in fixed.report.findings}
    (fix,) = place.reviews.read(one).fixes
    assert (fix.amendment, fix.why) == (whole, "an app is missing")
    service.undo(one, revision(place, one))
    assert place.annotation(one).read_bytes() == before


def test_a_fix_says_which_texts_it_removed_and_taken_back_it_brings_them_back(tmp_path: Path) -> None:
    there = released(tmp_path)
    place, one = Place(there.root, Checks()), there.episode_id
    before = place.annotation(one).read_bytes()
    service = place.service("Bea")
    service.fix(one, NewText(step=1, text="oat milk"), "as typed", revision(place, one))
    (fix,) = place.reviews.read(one).fixes
    assert fix.removed == {"intention": (1,)}
    assert b"intent 1" not in place.annotation(one).read_bytes()
    service.undo(one, revision(place, one))
    assert place.annotation(one).read_bytes() == before
    assert (place.root / "reviews" / f"{one}.json").read_text().count('"removed"') == 1


def test_of_two_windows_that_show_the_same_steps_only_one_drops_one(place: Place, one: str) -> None:
    first, second = place.service("Bea"), place.service("Bea")
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


def test_what_is_changed_while_it_is_opened_is_not_taken_for_what_is_shown(place: Place, one: str) -> None:
    def check_slowly(evidence: EpisodeEvidence) -> EpisodeReport:
        written = read_episode(place.annotation(one))
        write_episode(place.annotation(one), replace(written, task=replace(written.task, instruction="Something else")))
        return EpisodeReport(evidence.episode.episode_id)

    service = ReviewService(
        EpisodeIndex(place.root, None), Checker(place.root.parent / "slow.sqlite", 1, judge=check_slowly), lambda: "Bea"
    )
    shown = revision(place, one)
    opened = service.open(one)
    assert opened.opened.episode.task.instruction != "Something else"
    assert opened.revision == shown != revision(place, one)


def test_who_accepts_what_they_fixed_has_fixed_and_accepted(place: Place, one: str) -> None:
    service = place.service("Bea")
    with pytest.raises(ReviewError):
        service.fix(one, DropSteps(first=0, last=4), "all of it", revision(place, one))
    with pytest.raises(ReviewError, match="You have not fixed anything"):
        judge(service, one, Decision.FIX_AND_ACCEPT)
    service.fix(one, NewInstruction(instruction="Note: milk"), "shorter", revision(place, one))
    assert judge(service, one).stage is ReviewStage.ACCEPTED
    assert place.reviews.read(one).verdicts[0].decision is Decision.FIX_AND_ACCEPT
    written = read_episode(place.annotation(one))
    write_episode(place.annotation(one), replace(written, task=replace(written.task, instruction="Something else")))
    assert place.service("Cleo").open(one).row.role is ReviewerRole.FIRST, "changed by hand, it is judged again"


def test_a_verdict_is_kept_and_where_its_file_is_broken_that_is_said_and_none_written_over(
    place: Place, one: str
) -> None:
    assert judge(place.service("Bea"), one).stage is ReviewStage.ACCEPTED
    (kept,) = place.reviews.read(one).verdicts
    assert (kept.by, kept.decision, kept.seconds) == ("Bea", Decision.ACCEPT, 12.0)
    assert (kept.subject.recorder, kept.subject.category, kept.subject.steps) == (RECORDER, "General_Tool", 5)
    file = place.root / "reviews" / f"{one}.json"
    file.write_bytes(file.read_bytes()[:-20])
    broken = file.read_bytes()
    opened = place.service("Cleo").open(one)
    assert opened.row.problem
    with pytest.raises((ReviewError, DatasetError)):
        place.service("Cleo").submit(one, verdict_draft(opened))
    assert file.read_bytes() == broken


class Reader:
    def __init__(self) -> None:
        self.rows: dict[str, ReviewRow] = {}
        self.stages: dict[str, list[ReviewStage]] = {}
        """Consecutive repetitions are left out."""
        self.warnings: list[str] = []
        self._came = Condition()

    def take(self, news: ReviewNews) -> None:
        with self._came:
            self.rows.update((row.episode_id, row) for row in news.read)
            for row in news.read:
                told = self.stages.setdefault(row.episode_id, [])
                if told[-1:] != [row.stage]:
                    told.append(row.stage)
            for gone in news.gone:
                self.rows.pop(gone, None)
            self._came.notify_all()

    def warn(self, words: str) -> None:
        with self._came:
            self.warnings.append(words)
            self._came.notify_all()

    def wait_for(self, wanted: Callable[[dict[str, ReviewRow]], bool]) -> None:
        with self._came:
            assert self._came.wait_for(lambda: wanted(self.rows), PATIENCE_S), self.rows


Follow = Callable[[ReviewService], Reader]


@pytest.fixture
def follow() -> Iterator[Follow]:
    followed = []

    def follow(service: ReviewService) -> Reader:
        reader = Reader()
        followed.append(service.follow(reader.take, reader.warn))
        return reader

    yield follow
    for one in followed:
        one.close()


def test_the_list_tells_how_each_stands_and_what_others_do(place: Place, one: str, follow: Follow) -> None:
    reader = follow(place.service("Cleo"))
    reader.wait_for(lambda rows: one in rows and rows[one].role is ReviewerRole.FIRST)
    judge(place.service("Bea"), one)  # on another computer
    reader.wait_for(lambda rows: rows[one].stage is ReviewStage.ACCEPTED)
    another = place.record()
    reader.wait_for(lambda rows: another in rows)


def test_an_accepted_episode_is_judged_again_on_request(place: Place, one: str, follow: Follow) -> None:
    assert judge(place.service("Bea"), one).stage is ReviewStage.ACCEPTED
    reader = follow(place.service("Cleo"))
    reader.wait_for(lambda rows: one in rows and rows[one].stage is ReviewStage.ACCEPTED)
    lead = ReviewLog(place.root, lambda: "Lea")
    summary = reader.rows[one].summary
    assert lead.request(summary, "part of the release")
    assert not lead.request(summary, "again")
    reader.wait_for(lambda rows: rows[one].twice is SecondReviewReason.REQUEST)
    assert (reader.rows[one].stage, reader.rows[one].role) == (ReviewStage.SECOND, ReviewerRole.SECOND)
    assert reported(place)[0] == {ReviewStage.SECOND.value: 1}
    assert judge(place.service("Cleo"), one).stage is ReviewStage.ACCEPTED
    assert lead.withdraw(one, "a mistake")
    assert not lead.request(summary, "judged twice")
    assert [entry.by for entry in place.reviews.read(one).entries] == ["Bea", "Lea", "Cleo", "Lea"]


def test_a_date_beyond_the_calendar_is_a_fault_of_its_own_file_alone(place: Place, one: str, follow: Follow) -> None:
    other = place.record()
    for episode_id in (one, other):
        judge(place.service("Bea"), episode_id)
    file = place.root / "reviews" / f"{one}.json"
    file.write_text(re.sub('"at": "[^"]*"', '"at": "0001-01-01T00:00:00+14:00"', file.read_text()))
    reader = follow(place.service("Cleo"))
    reader.wait_for(lambda rows: len(rows) == 2)
    assert "expected a time from 1970-01-02 to 2999-12-31" in reader.rows[one].problem
    assert (reader.rows[other].problem, reader.rows[other].stage) == ("", ReviewStage.ACCEPTED)
    assert place.reviews.accepted([one, other]) == {other: "Bea"}
    assert [f"{one}.json" in fault for fault in check_reviews(place.reviews)] == [True]


def test_what_became_final_elsewhere_is_carried_out_here(place: Place, one: str, follow: Follow) -> None:
    other = place.record()
    service = place.service("Bea")
    for episode_id, (answers, decision) in {one: ("fpp", Decision.REJECT), other: ("pfp", Decision.SEND_BACK)}.items():
        revision = service.open(episode_id).revision
        place.reviews.append(episode_id, verdict("Bea", answers, decision, revision=revision, recorder=RECORDER))
    reader = follow(place.service("Cleo"))
    reader.wait_for(lambda rows: one not in rows and other in rows and rows[other].stage is ReviewStage.SENT_BACK)
    moves = {
        entry.to: entry.by
        for episode_id in (one, other)
        for entry in place.reviews.read(episode_id).entries
        if isinstance(entry, Move)
    }
    assert moves == {"trash": "Bea", "annotator": "Bea"}


def reported(place: Place) -> tuple[dict[str, int], list[str]]:
    out = io.StringIO()
    report_quality(place.new_service(""), Console(file=out, width=1000), html=None, as_json=True)
    tree = json.loads(out.getvalue())
    return {stage: count for stage, count in tree["stages"].items() if count}, tree["problems"]


def test_all_who_look_see_the_same_stages_at_first_and_after_a_change(place: Place, one: str, follow: Follow) -> None:
    twin, other = place.record(), place.record()
    words = read_episode(place.annotation(one)).task.instruction
    written = read_episode(place.annotation(twin))
    write_episode(place.annotation(twin), replace(written, task=replace(written.task, instruction=words)))
    for episode_id in (one, twin, other):
        given = verdict("Bea", revision=revision(place, episode_id), recorder=RECORDER)
        place.reviews.append(episode_id, given)
    place.reviews.append(other, verdict(RECORDER, minute=1))
    desks, told = [place.new_service("Cleo"), place.new_service("Dora")], list[str]()
    readers = [follow(service) for service in desks]

    for reader in readers:
        reader.wait_for(lambda rows: len(rows) == 3)  # seen before the checks begin

    def wait_for(stages: dict[str, ReviewStage]) -> None:
        for service, reader in zip(desks, readers, strict=True):
            service.check_all(lambda _share, words: told.append(words), lambda: False)
            reader.wait_for(lambda rows: {one: row.stage for one, row in rows.items()} == stages)
            assert {stage.value: count for stage, count in service.figures().stages if count} == reported(place)[0]
        assert reported(place) == (
            {stage.value: list(stages.values()).count(stage) for stage in stages.values()},
            list(check_reviews(place.reviews)),
        )

    wait_for({one: ReviewStage.SECOND, twin: ReviewStage.SECOND, other: ReviewStage.ACCEPTED})
    assert told[:3] == [f"{number} of 3 episodes" for number in (1, 2, 3)]
    for reader in readers:
        assert reader.stages[one] == [ReviewStage.CHECKING, ReviewStage.SECOND], "no status that changed by itself"
        assert reader.stages[other] == [ReviewStage.CHECKING, ReviewStage.ACCEPTED]
    fixed = desks[0].fix(twin, NewInstruction(instruction="Milk, please"), "a twin", revision(place, twin))
    assert fixed.row.stage is ReviewStage.ACCEPTED, "known at once, without all being checked again"
    wait_for({one: ReviewStage.ACCEPTED, twin: ReviewStage.ACCEPTED, other: ReviewStage.ACCEPTED})


def test_while_the_policy_cannot_be_read_no_verdict_is_taken(place: Place, one: str, follow: Follow) -> None:
    (place.root / "reviews" / "policy.json").write_text('{"second_share": 2}')
    service = place.service("Bea")
    reader = follow(service)
    reader.wait_for(lambda rows: one in rows and bool(reader.warnings))
    assert "policy.json: second_share" in reader.warnings[0]
    with pytest.raises(ReviewError, match="second_share"):
        judge(service, one)
    with pytest.raises(ReviewError, match="second_share"):
        service.figures()
    another = place.record()
    reader.wait_for(lambda rows: another in rows)


def test_where_there_is_no_dataset_yet_all_figures_are_nothing(tmp_path: Path) -> None:
    assert Place(tmp_path / "nowhere", Checks()).service("Bea").figures().episodes == 0
