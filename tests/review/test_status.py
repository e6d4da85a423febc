"""Review status: which verdicts count, their result, and who may give the next."""

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import pairwise, permutations
from unicodedata import normalize

import pytest
from hypothesis import given
from hypothesis import strategies as st

from odyssey_recorder.model.finding import Criterion
from odyssey_recorder.review.review import (
    REASONS,
    Decision,
    Entry,
    Fix,
    Judgement,
    Rating,
    Request,
    ReviewFile,
    Verdict,
)
from odyssey_recorder.review.status import (
    QUEUE_RULE,
    TRASH_RULE,
    ReviewerRole,
    ReviewPolicy,
    ReviewStage,
    ReviewStatus,
    SecondReviewReason,
    StatusRule,
    Stratum,
    agrees,
    decision_fault,
    refusal_reasons,
    review_status,
    reviewer_role,
    revisions_to,
    same_person,
    sample,
    verdict_status,
)
from tests.checking.verdicts import BEGIN, PRESENT, judgements, verdict

_OLD = "b" * 64
_NAMES = ("Ada", "Bea", "Cem", "Dan", "bea ", "ADA")


def _status(*verdicts: Verdict, reason: SecondReviewReason | None = None) -> ReviewStatus:
    return verdict_status(verdicts, {PRESENT}, reason, recorder="Ada")


_ACCEPTS = verdict("Bea")
_DIFFERS = verdict("Cem", "ppf", minute=1)
_REJECTS = verdict("Bea", "pfp", Decision.REJECT)
_SENDS_BACK = verdict("Cem", "pfp", Decision.SEND_BACK, minute=1)


_OUTCOMES: dict[str, tuple[tuple[Verdict, ...], ReviewStage]] = {
    "no verdict": ((), ReviewStage.UNREVIEWED),
    "one accepts": ((_ACCEPTS,), ReviewStage.ACCEPTED),
    "one fixes and accepts": ((verdict("Bea", "ppp", Decision.FIX_AND_ACCEPT),), ReviewStage.ACCEPTED),
    "one sends back": ((_SENDS_BACK,), ReviewStage.SENT_BACK),
    "one rejects": ((_REJECTS,), ReviewStage.REJECTED),
    "two agree": ((_ACCEPTS, verdict("Cem", "ppp", Decision.FIX_AND_ACCEPT, minute=1)), ReviewStage.ACCEPTED),
    "two differ": ((_ACCEPTS, _DIFFERS), ReviewStage.DISPUTED),
    "two refuse for different reasons": (
        (verdict("Bea", "pfp"), verdict("Cem", "fpp", minute=1)),
        ReviewStage.DISPUTED,
    ),
    "a third decides": ((_ACCEPTS, _DIFFERS, verdict("Dan", minute=2)), ReviewStage.ACCEPTED),
    "a third cannot overrule two": (
        (_ACCEPTS, verdict("Cem", minute=1), verdict("Dan", "fff", Decision.REJECT, minute=2)),
        ReviewStage.ACCEPTED,
    ),
    "one rejects, one sends back": ((_REJECTS, _SENDS_BACK), ReviewStage.SENT_BACK),
    "both reject": ((_REJECTS, verdict("Cem", "pfp", Decision.REJECT, minute=1)), ReviewStage.REJECTED),
    "by the recorder": ((verdict(" ADA ", recorder=""),), ReviewStage.UNREVIEWED),
    "by the recorder, known only to the verdict": ((verdict("Bea", recorder="bea"),), ReviewStage.UNREVIEWED),
    "answers that contradict the decision": ((verdict("Bea", "ppf", Decision.ACCEPT),), ReviewStage.UNREVIEWED),
}


@pytest.mark.parametrize("case", _OUTCOMES)
def test_verdicts_determine_the_stage(case: str) -> None:
    verdicts, stage = _OUTCOMES[case]
    assert _status(*verdicts).stage is stage


@pytest.mark.parametrize("reason", list(SecondReviewReason))
def test_one_of_two_verdicts_is_not_final_and_the_newest_counts(reason: SecondReviewReason) -> None:
    newer = verdict("BEA ", "pfp", minute=5)
    status = _status(newer, _ACCEPTS, reason=reason)
    assert (status.stage, status.twice, status.verdicts) == (ReviewStage.SECOND, reason, (newer,))


def test_unsure_agrees_with_pass_and_fail() -> None:
    assert agrees(verdict("Bea", "puf"), verdict("Cem", "uff"))
    assert not agrees(verdict("Bea", "ppp"), verdict("Cem", "puu"))  # one accepts, the other does not


def test_verdict_counts_for_present_files_and_those_before_fixes() -> None:
    on_old_files = verdict("Bea", revision=_OLD)
    assert _status(on_old_files) == ReviewStatus(ReviewStage.UNREVIEWED, changed=True)
    assert reviewer_role(_status(on_old_files), recorder="Ada", reviewer="Bea") is ReviewerRole.FIRST
    fixes = [_fix("1", "2"), _fix("2", "3"), _fix("9", "2"), _fix("3", "4")]
    assert revisions_to("3", fixes) == {"1", "2", "3", "9"}
    assert verdict_status([verdict("Bea", revision="1")], revisions_to("3", fixes), None, recorder="Ada").verdicts
    assert revisions_to("1", [_fix("1", "2"), _fix("2", "1")]) == {"1", "2"}, "a fix that was taken back"
    assert revisions_to("1", []) == {"1"}


@pytest.mark.parametrize(
    ("verdicts", "reviewer", "role"),
    [
        ((), "Bea", ReviewerRole.FIRST),
        ((_ACCEPTS,), "Cem", ReviewerRole.SECOND),
        ((_ACCEPTS, _DIFFERS), "Dan", ReviewerRole.THIRD),
        *(((), name, "You recorded this episode") for name in ("Ada", " ada ", "ADA", "\u00a0Ada")),
        *(((_ACCEPTS, _DIFFERS), name, "You have reviewed") for name in ("bea", "CEM ")),
        *(((), name, "Enter your name") for name in ("", "  ")),
        ((_ACCEPTS, verdict("Cem", minute=1)), "Dan", "There is nothing left to review"),
        ((_REJECTS, verdict("Cem", "pfp", Decision.REJECT, minute=1)), "Dan", "There is nothing left to review"),
        ((_REJECTS, _SENDS_BACK), "Dan", "There is nothing left to review"),
    ],
)
def test_role_of_the_next_reviewer(verdicts: tuple[Verdict, ...], reviewer: str, role: ReviewerRole | str) -> None:
    result = reviewer_role(_status(*verdicts, reason=SecondReviewReason.WARNINGS), recorder="Ada", reviewer=reviewer)
    assert str(role) in str(result)


def test_anyone_may_review_an_episode_without_recorder() -> None:
    assert reviewer_role(ReviewStatus(ReviewStage.UNREVIEWED), recorder="", reviewer="Ada") is ReviewerRole.FIRST


def test_names_match_in_every_unicode_form() -> None:
    assert same_person(normalize("NFC", "Zoë Åström"), normalize("NFD", "ZOË ÅSTRÖM"))
    assert same_person("STRASSE", "straße")
    assert not same_person("Zoe", "Zoë")


_PASSED = judgements("ppp")


def _all_but(criterion: Criterion, reason: str, words: str = "") -> list[Judgement]:
    """Passes, but for one answer."""
    others = [one for one in _PASSED if one.criterion is not criterion]
    return [*others, Judgement(criterion=criterion, answer=Rating.UNSURE, reason=reason, words=words)]


@pytest.mark.parametrize(
    ("decision", "result", "fault"),
    [
        (Decision.ACCEPT, _PASSED, ""),
        (Decision.FIX_AND_ACCEPT, _PASSED, ""),
        *((Decision.ACCEPT, judgements(answers), "3 passes") for answers in ("pfp", "ppu", "fff")),
        (Decision.FIX_AND_ACCEPT, judgements("ppu"), "3 passes"),
        (Decision.SEND_BACK, _PASSED, "Say what is wrong"),
        (Decision.REJECT, _PASSED, "Say what is wrong"),
        (Decision.SEND_BACK, judgements("pup"), ""),
        (Decision.REJECT, judgements("fff"), ""),
        *(
            (Decision.REJECT, _all_but(Criterion.SCREENSHOTS, reason), "Choose a reason for the screenshots")
            for reason in ("", "lost", "no such reason")
        ),
        *(
            (Decision.REJECT, _all_but(Criterion.INSTRUCTION, "other", words), "Describe what is wrong with the instr")
            for words in ("", " ")
        ),
        (Decision.REJECT, _all_but(Criterion.INSTRUCTION, "other", "It names a shop that is closed."), ""),
        (Decision.ACCEPT, _PASSED[:2], "Answer each of the 3 questions once."),
        (Decision.ACCEPT, (*_PASSED[:2], _PASSED[1]), "Answer each of the 3 questions once."),
    ],
)
def test_decision_must_fit_the_answers(decision: Decision, result: Sequence[Judgement], fault: str) -> None:
    message = decision_fault(decision, result)
    assert fault in message
    assert bool(fault) == bool(message)


@pytest.mark.parametrize("criterion", list(Criterion))
def test_every_reason_code_allows_a_rejection(criterion: Criterion) -> None:
    for reason in REASONS[criterion]:
        assert decision_fault(Decision.REJECT, _all_but(criterion, reason, "So.")) == ""


_REQUEST = Request(id="d" * 32, at=BEGIN, by="Lea")
_WITHDRAWN = Request(id="e" * 32, at=BEGIN, by="Lea", withdraws=_REQUEST.id)


def _status_by(rule: StatusRule, *entries: Entry) -> ReviewStatus:
    return review_status(ReviewFile("1" * 16, entries), rule, revision=lambda: PRESENT)


@pytest.mark.parametrize("rule", [StatusRule(), StatusRule(sampled=True), StatusRule(warned=None, sampled=None)])
def test_request_requires_second_review_until_withdrawn(rule: StatusRule) -> None:
    status = _status_by(rule, _ACCEPTS, _REQUEST)
    assert (status.stage, status.twice) == (ReviewStage.SECOND, SecondReviewReason.REQUEST)
    assert _status_by(rule, _ACCEPTS, _REQUEST, verdict("Cem", minute=1)).stage is ReviewStage.ACCEPTED
    assert _status_by(rule, _WITHDRAWN, _ACCEPTS, _REQUEST) == _status_by(rule, _ACCEPTS)


@pytest.mark.parametrize("rule", [TRASH_RULE, QUEUE_RULE])
def test_trash_and_queue_need_only_one_verdict(rule: StatusRule) -> None:
    assert _status_by(rule, _ACCEPTS, _REQUEST).stage is ReviewStage.ACCEPTED


def test_refusal_lists_each_reason_once_with_its_step() -> None:
    first = verdict("Bea", "pfp", step=3)
    second = verdict("Cem", "pff", minute=1, step=3).model_copy(update={"note": "The cart was empty."})
    assert refusal_reasons(_status(first, second)) == (
        "The instruction is not completed, at step 4; A requested detail is missing, at step 4; The cart was empty."
    )


def test_refusal_quotes_the_reviewer() -> None:
    passed = judgements("ppp")
    failed = Judgement(criterion=Criterion.SEQUENCE, answer=Rating.FAIL, reason="text", words="Not\n'cofee'")
    other = Judgement(
        criterion=Criterion.INSTRUCTION, answer=Rating.UNSURE, reason="other", step=0, words="Whose list?"
    )
    result = verdict("Bea", "pff").model_copy(update={"judgements": (passed[0], failed, other)})
    assert refusal_reasons(_status(result)) == "The text is wrong: Not 'cofee'; at step 1: Whose list?"


def test_refusal_does_not_quote_accepting_reviewers() -> None:
    sent_back = verdict("Bea", "upp")
    accepted = verdict("Cem", minute=1).model_copy(update={"note": "Well done"})
    assert (
        refusal_reasons(_status(sent_back, accepted, verdict("Dan", "upp", minute=2))) == "It shows an earlier screen"
    )


_VERDICTS = st.lists(
    st.builds(
        verdict,
        st.sampled_from(_NAMES),
        st.text("pfu", min_size=3, max_size=3),
        st.sampled_from(Decision),
        minute=st.integers(0, 3),
        revision=st.sampled_from([PRESENT, PRESENT, _OLD]),
        recorder=st.sampled_from(["Ada", ""]),
    ),
    max_size=5,
    unique_by=lambda one: one.id,
)
_REASONS = st.sampled_from([None, *SecondReviewReason])


@given(_VERDICTS.filter(lambda verdicts: len(verdicts) < 5), _REASONS)
def test_merge_order_does_not_matter(verdicts: list[Verdict], reason: SecondReviewReason | None) -> None:
    assert len({_status(*order, reason=reason) for order in permutations(verdicts)}) == 1


@given(_VERDICTS, _REASONS)
def test_no_verdicts_circumvent_the_rules(verdicts: list[Verdict], reason: SecondReviewReason | None) -> None:
    status = _status(*verdicts, reason=reason)
    others = [one for one in verdicts if not same_person(one.by, "Ada")]
    assert status == _status(*others, reason=reason), "the recorder does not accept their own episode"
    assert status.stage is not ReviewStage.ACCEPTED or any(one.decision.accepts for one in status.verdicts)
    assert len({one.by.strip().casefold() for one in status.verdicts}) == len(status.verdicts), (
        "each person counts once"
    )
    assert not (reason and status.stage.is_final) or len(status.verdicts) >= 2, "a required verdict is not skipped"
    if len(status.verdicts) == 2 and not agrees(*status.verdicts):
        assert status.stage is ReviewStage.DISPUTED, "two do not settle a dispute"
    assert all(one.at <= two.at for one, two in pairwise(status.verdicts))


@given(_VERDICTS, _REASONS, st.sampled_from(_NAMES))
def test_permitted_verdict_advances_the_review(
    verdicts: list[Verdict], reason: SecondReviewReason | None, reviewer: str
) -> None:
    status = _status(*verdicts, reason=reason)
    role = reviewer_role(status, recorder="Ada", reviewer=reviewer)
    if isinstance(role, ReviewerRole):
        next_status = _status(*verdicts, verdict(reviewer, minute=60), reason=reason)
        assert len(next_status.verdicts) == len(status.verdicts) + 1 == list(ReviewerRole).index(role) + 1


_EPISODES = st.dictionaries(
    st.integers(0, 10**16 - 1).map("{:016}".format),
    st.builds(Stratum, st.sampled_from(["Web_Shopping", "Multi_Apps"]), st.just("Pixel 8"), st.sampled_from(_NAMES)),
    max_size=60,
)
_POLICIES = st.builds(ReviewPolicy, st.integers(0, 99), st.sampled_from([0.0, 0.07, 0.1, 0.5, 1.0]))


def _by_stratum(ids: Iterable[str], episodes: dict[str, Stratum]) -> Counter[tuple[str, str]]:
    return Counter((episodes[one].category, episodes[one].annotator.strip().casefold()) for one in ids)


@given(_EPISODES, _POLICIES)
def test_share_of_each_stratum_is_drawn_rounded_up(episodes: dict[str, Stratum], policy: ReviewPolicy) -> None:
    drawn = _by_stratum(sample(episodes, policy), episodes)
    for stratum, size in _by_stratum(episodes, episodes).items():
        hundredths = round(policy.second_share * 100)
        assert drawn[stratum] == (size * hundredths + 99) // 100


@given(_EPISODES, _POLICIES)
def test_new_episode_displaces_at_most_one_other(episodes: dict[str, Stratum], policy: ReviewPolicy) -> None:
    before = sample(episodes, policy)
    after = sample({**episodes, "x": Stratum("Multi_Apps", "Pixel 8", "Ada")}, policy)
    assert len(before - after) <= 1
    assert len(after - before) <= 1


_HUNDRED = {f"{number:016}": Stratum("Multi_Apps", "Pixel 8", "Ada") for number in range(100)}


def test_share_is_an_exact_decimal() -> None:
    assert len(sample(_HUNDRED, ReviewPolicy(0, 0.07))) == 7  # in binary, 0.07 of 100 is slightly more


def test_sample_is_the_same_on_every_computer() -> None:
    thirty = dict(list(_HUNDRED.items())[:30])
    assert sample(thirty, ReviewPolicy(7)) == {f"{number:016}" for number in (1, 3, 24)}


def _fix(before: str, after: str) -> Fix:
    return Fix(id="0" * 32, at=BEGIN, by="Bea", amendment=None, why="", before=before, after=after)
