"""Review status: which verdicts count, their result, and who may give the next."""

from itertools import pairwise, permutations
from unicodedata import normalize

import pytest
from hypothesis import given
from hypothesis import strategies as st

from odyssey_recorder.quality.finding import Criterion
from odyssey_recorder.quality.reviewing.review import REASONS, Decision, Fix, Judgement, Rating, Verdict
from odyssey_recorder.quality.reviewing.status import (
    ReviewerRole,
    ReviewPolicy,
    ReviewStage,
    ReviewStatus,
    SecondReviewReason,
    Stratum,
    agrees,
    decision_fault,
    refusal_reasons,
    reviewer_role,
    revisions_to,
    same_person,
    sample,
    verdict_status,
)
from tests.quality.verdicts import BEGIN, PRESENT, judgements, verdict

_OLD = "b" * 64
_NAMES = ("Ada", "Bea", "Cem", "Dan", "bea ", "ADA")


def _status(*verdicts: Verdict, twice: SecondReviewReason | None = None) -> ReviewStatus:
    return verdict_status(verdicts, {PRESENT}, twice, recorder="Ada")


# Results of verdicts.


def test_an_episode_without_a_verdict_is_unreviewed() -> None:
    assert _status() == ReviewStatus(ReviewStage.UNREVIEWED)


@pytest.mark.parametrize(
    ("answers", "decision", "stage"),
    [
        ("ppp", Decision.ACCEPT, ReviewStage.ACCEPTED),
        ("ppp", Decision.FIX_AND_ACCEPT, ReviewStage.ACCEPTED),
        ("pfp", Decision.SEND_BACK, ReviewStage.SENT_BACK),
        ("pfp", Decision.REJECT, ReviewStage.REJECTED),
    ],
)
def test_one_verdict_decides_where_one_is_enough(answers: str, decision: Decision, stage: ReviewStage) -> None:
    assert _status(verdict("Bea", answers, decision)).stage is stage


@pytest.mark.parametrize("twice", list(SecondReviewReason))
def test_a_first_verdict_of_two_decides_nothing(twice: SecondReviewReason) -> None:
    now = _status(verdict("Bea"), twice=twice)
    assert (now.stage, now.twice) == (ReviewStage.SECOND, twice)


def test_two_that_agree_end_the_review() -> None:
    now = _status(
        verdict("Bea"), verdict("Cem", "ppp", Decision.FIX_AND_ACCEPT, minute=1), twice=SecondReviewReason.SAMPLE
    )
    assert now.stage is ReviewStage.ACCEPTED


def test_two_on_different_sides_leave_it_to_a_third() -> None:
    first, second = verdict("Bea"), verdict("Cem", "ppf", minute=1)
    assert _status(first, second, twice=SecondReviewReason.SAMPLE).stage is ReviewStage.DISPUTED
    assert (
        _status(first, second, verdict("Dan", minute=2), twice=SecondReviewReason.SAMPLE).stage is ReviewStage.ACCEPTED
    )


def test_who_refuse_it_for_opposite_reasons_disagree() -> None:
    assert _status(verdict("Bea", "pfp"), verdict("Cem", "fpp", minute=1)).stage is ReviewStage.DISPUTED


def test_unsure_contradicts_neither_a_pass_nor_a_fail() -> None:
    assert agrees(verdict("Bea", "puf"), verdict("Cem", "uff"))
    assert not agrees(verdict("Bea", "ppp"), verdict("Cem", "puu"))  # one accepts, the other does not


def test_it_is_rejected_where_both_reject_it_otherwise_sent_back() -> None:
    reject, back = verdict("Bea", "pfp", Decision.REJECT), verdict("Cem", "pfp", Decision.SEND_BACK, minute=1)
    assert _status(reject, back).stage is ReviewStage.SENT_BACK
    assert _status(back, reject).stage is ReviewStage.SENT_BACK
    assert _status(reject, verdict("Cem", "pfp", Decision.REJECT, minute=1)).stage is ReviewStage.REJECTED


def test_a_second_verdict_that_nobody_asked_for_is_heard() -> None:
    assert _status(verdict("Bea"), verdict("Cem", "pfp", minute=1), twice=None).stage is ReviewStage.DISPUTED


def test_a_third_cannot_turn_what_two_agreed_on() -> None:
    late = verdict("Dan", "fff", Decision.REJECT, minute=2)
    assert _status(verdict("Bea"), verdict("Cem", minute=1), late).stage is ReviewStage.ACCEPTED


# What counts.


def test_the_recorders_own_verdict_never_counts() -> None:
    assert _status(verdict(" ADA ", recorder="")) == ReviewStatus(ReviewStage.UNREVIEWED)


def test_a_recorder_whom_only_the_verdict_knows_is_one_too() -> None:
    own = verdict("Bea", recorder="bea")
    assert verdict_status([own], {PRESENT}, None, recorder="").stage is ReviewStage.UNREVIEWED


def test_of_one_reviewer_the_newest_verdict_counts() -> None:
    first, again = verdict("Bea"), verdict("BEA ", "pfp", minute=5)
    now = _status(again, first, twice=SecondReviewReason.SAMPLE)
    assert (now.stage, now.verdicts) == (ReviewStage.SECOND, (again,))


def test_a_verdict_that_its_answers_do_not_bear_does_not_count() -> None:
    assert _status(verdict("Bea", "ppf", Decision.ACCEPT)).stage is ReviewStage.UNREVIEWED


def test_a_verdict_on_files_that_were_changed_behind_it_does_not_count() -> None:
    now = _status(verdict("Bea", revision=_OLD))
    assert now == ReviewStatus(ReviewStage.UNREVIEWED, changed=True)


def test_a_verdict_counts_that_fixes_have_led_from() -> None:
    fixes = [_fix("1", "2"), _fix("2", "3"), _fix("9", "2"), _fix("3", "4")]
    assert revisions_to("3", fixes) == {"1", "2", "3", "9"}
    assert verdict_status([verdict("Bea", revision="1")], revisions_to("3", fixes), None, recorder="Ada").verdicts


def test_a_fix_that_was_taken_back_leads_to_what_was_there_before() -> None:
    assert revisions_to("1", [_fix("1", "2"), _fix("2", "1")]) == {"1", "2"}


def test_an_episode_that_nobody_changed_is_its_own_revision() -> None:
    assert revisions_to("1", []) == {"1"}


# Reviewer roles.


def test_the_turns_go_from_the_first_to_the_third() -> None:
    first, second = verdict("Bea"), verdict("Cem", "ppf", minute=1)
    twice = SecondReviewReason.WARNINGS
    assert reviewer_role(_status(twice=twice), recorder="Ada", reviewer="Bea") is ReviewerRole.FIRST
    assert reviewer_role(_status(first, twice=twice), recorder="Ada", reviewer="Cem") is ReviewerRole.SECOND
    assert reviewer_role(_status(first, second, twice=twice), recorder="Ada", reviewer="Dan") is ReviewerRole.THIRD


@pytest.mark.parametrize("name", ["Ada", " ada ", "ADA", "\u00a0Ada"])
def test_the_recorder_is_told_to_leave_it_to_somebody_else(name: str) -> None:
    assert "You recorded this episode" in str(reviewer_role(_status(), recorder="Ada", reviewer=name))


def test_nobody_judges_twice() -> None:
    now = _status(verdict("Bea"), verdict("Cem", "ppf", minute=1))
    for name in ("bea", "CEM "):
        assert "You have judged" in str(reviewer_role(now, recorder="Ada", reviewer=name))


@pytest.mark.parametrize("decision", list(Decision))
def test_nobody_judges_what_is_settled(decision: Decision) -> None:
    now = _status(verdict("Bea", "ppp" if decision.accepts else "pfp", decision))
    assert "nothing more is to be judged" in str(reviewer_role(now, recorder="Ada", reviewer="Cem"))


@pytest.mark.parametrize("name", ["", "  "])
def test_nobody_judges_without_a_name(name: str) -> None:
    assert "Say who you are" in str(reviewer_role(_status(), recorder="", reviewer=name))


def test_who_judged_it_before_it_was_changed_may_judge_it_again() -> None:
    now = _status(verdict("Bea", revision=_OLD))
    assert reviewer_role(now, recorder="Ada", reviewer="Bea") is ReviewerRole.FIRST


def test_an_episode_of_nobody_may_be_judged_by_anybody() -> None:
    assert reviewer_role(ReviewStatus(ReviewStage.UNREVIEWED), recorder="", reviewer="Ada") is ReviewerRole.FIRST


def test_a_name_is_the_same_in_every_unicode_form() -> None:
    assert same_person(normalize("NFC", "Zoë Åström"), normalize("NFD", "ZOË ÅSTRÖM"))
    assert same_person("STRASSE", "straße")
    assert not same_person("Zoe", "Zoë")


# Answers and decisions.


@pytest.mark.parametrize("decision", [Decision.ACCEPT, Decision.FIX_AND_ACCEPT])
def test_accepting_takes_three_passes(decision: Decision) -> None:
    assert decision_fault(decision, judgements("ppp")) == ""
    for answers in ("pfp", "ppu", "fff"):
        assert "three passes" in decision_fault(decision, judgements(answers))


@pytest.mark.parametrize("decision", [Decision.SEND_BACK, Decision.REJECT])
def test_refusing_takes_an_answer_that_is_no_pass(decision: Decision) -> None:
    assert "Say what is wrong" in decision_fault(decision, judgements("ppp"))
    assert decision_fault(decision, judgements("pup")) == decision_fault(decision, judgements("fff")) == ""


def test_what_is_not_passed_needs_a_reason_of_its_own_question() -> None:
    passed = judgements("ppp")
    for reason in ("", "lost", "no such reason"):
        wrong = Judgement(criterion=Criterion.PICTURES, answer=Rating.FAIL, reason=reason)
        assert "Choose a reason for what you say of the screenshots" in decision_fault(
            Decision.REJECT, (wrong, *passed[1:])
        )


@pytest.mark.parametrize("words", ["", " "])
def test_another_reason_is_said_in_words(words: str) -> None:
    passed = judgements("ppp")
    wrong = Judgement(criterion=Criterion.INSTRUCTION, answer=Rating.UNSURE, reason="other", words=words)
    assert "Say in words what is wrong with the instruction" in decision_fault(Decision.REJECT, (*passed[:2], wrong))
    said = wrong.model_copy(update={"words": "It names a shop that is closed."})
    assert decision_fault(Decision.REJECT, (*passed[:2], said)) == ""


def test_all_three_questions_are_answered() -> None:
    pictures, sequence, _ = judgements("ppp")
    assert decision_fault(Decision.ACCEPT, (pictures, sequence)) == "Answer each of the three questions once."
    assert decision_fault(Decision.ACCEPT, (pictures, sequence, sequence)) == "Answer each of the three questions once."


@pytest.mark.parametrize("criterion", list(Criterion))
def test_every_reason_code_bears_a_refusal(criterion: Criterion) -> None:
    others = [one for one in judgements("ppp") if one.criterion is not criterion]
    for reason in REASONS[criterion]:
        wrong = Judgement(criterion=criterion, answer=Rating.FAIL, reason=reason, words="So.")
        assert decision_fault(Decision.REJECT, [*others, wrong]) == ""


# Messages to the annotator.


def test_the_annotator_is_told_each_reason_once_with_its_step() -> None:
    first = verdict("Bea", "pfp", step=3)
    second = verdict("Cem", "pff", minute=1, step=3).model_copy(update={"note": "The cart was empty."})
    assert refusal_reasons(_status(first, second)) == (
        "The instruction is not carried out to its end, at step 3; Something that was asked for is lost, at step 3;"
        " The cart was empty."
    )


def test_the_annotator_is_told_in_the_reviewers_words() -> None:
    passed = judgements("ppp")
    spelled = Judgement(criterion=Criterion.SEQUENCE, answer=Rating.FAIL, reason="text", words="Not\n'cofee'")
    other = Judgement(
        criterion=Criterion.INSTRUCTION, answer=Rating.UNSURE, reason="other", step=0, words="Whose list?"
    )
    said = verdict("Bea", "pff").model_copy(update={"judgements": (passed[0], spelled, other)})
    assert refusal_reasons(_status(said)) == "The text is not right: Not 'cofee'; at step 0: Whose list?"


def test_who_takes_the_episode_is_not_quoted_to_the_annotator() -> None:
    back = verdict("Bea", "upp")
    fine = verdict("Cem", minute=1).model_copy(update={"note": "Well done"})
    assert refusal_reasons(_status(back, fine, verdict("Dan", "upp", minute=2))) == "It shows what was there earlier"


# Properties for any verdicts, reviewers and order of merging.

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
_TWICE = st.sampled_from([None, *SecondReviewReason])


@given(_VERDICTS.filter(lambda verdicts: len(verdicts) < 5), _TWICE)
def test_the_order_of_merging_makes_no_difference(verdicts: list[Verdict], twice: SecondReviewReason | None) -> None:
    assert len({_status(*order, twice=twice) for order in permutations(verdicts)}) == 1


@given(_VERDICTS, _TWICE)
def test_what_is_accepted_was_accepted_by_somebody_else_than_its_recorder(
    verdicts: list[Verdict], twice: SecondReviewReason | None
) -> None:
    now = _status(*verdicts, twice=twice)
    without_recorder = [one for one in verdicts if not same_person(one.by, "Ada")]
    assert now == _status(*without_recorder, twice=twice)
    if now.stage is ReviewStage.ACCEPTED:
        assert any(one.decision.accepts and not same_person(one.by, "Ada") for one in now.verdicts)


@given(_VERDICTS, st.sampled_from(SecondReviewReason))
def test_a_second_verdict_that_is_needed_is_never_skipped(verdicts: list[Verdict], twice: SecondReviewReason) -> None:
    now = _status(*verdicts, twice=twice)
    people = {one.by.strip().casefold() for one in now.verdicts}
    assert len(people) == len(now.verdicts)
    assert not now.stage.is_final or len(people) >= 2


@given(_VERDICTS, _TWICE)
def test_a_dispute_is_never_settled_by_two(verdicts: list[Verdict], twice: SecondReviewReason | None) -> None:
    now = _status(*verdicts, twice=twice)
    if len(now.verdicts) == 2 and not agrees(*now.verdicts):
        assert now.stage is ReviewStage.DISPUTED
    assert all(one.at <= two.at for one, two in pairwise(now.verdicts))


@given(_VERDICTS, _TWICE, st.sampled_from(_NAMES))
def test_whoever_may_judge_brings_the_review_on(
    verdicts: list[Verdict], twice: SecondReviewReason | None, reviewer: str
) -> None:
    now = _status(*verdicts, twice=twice)
    whose = reviewer_role(now, recorder="Ada", reviewer=reviewer)
    if isinstance(whose, ReviewerRole):
        then = _status(*verdicts, verdict(reviewer, minute=60), twice=twice)
        assert len(then.verdicts) == len(now.verdicts) + 1 == list(ReviewerRole).index(whose) + 1


# The sample.

_EPISODES = st.dictionaries(
    st.integers(0, 10**16 - 1).map("{:016}".format),
    st.builds(Stratum, st.sampled_from(["Web_Shopping", "Multi_Apps"]), st.just("Pixel 8"), st.sampled_from(_NAMES)),
    max_size=60,
)
_POLICIES = st.builds(ReviewPolicy, st.integers(0, 99), st.sampled_from([0.0, 0.07, 0.1, 0.5, 1.0]))


def _by_stratum(ids: frozenset[str], episodes: dict[str, Stratum]) -> dict[tuple[str, str], int]:
    count: dict[tuple[str, str], int] = {}
    for one in ids:
        key = episodes[one].category, episodes[one].annotator.strip().casefold()
        count[key] = count.get(key, 0) + 1
    return count


@given(_EPISODES, _POLICIES)
def test_of_each_stratum_the_share_is_drawn_rounded_up(episodes: dict[str, Stratum], policy: ReviewPolicy) -> None:
    drawn = _by_stratum(sample(episodes, policy), episodes)
    for stratum, size in _by_stratum(frozenset(episodes), episodes).items():
        hundredths = round(policy.second_share * 100)
        assert drawn.get(stratum, 0) == (size * hundredths + 99) // 100


@given(_EPISODES, _POLICIES)
def test_an_episode_that_comes_moves_at_most_one_other(episodes: dict[str, Stratum], policy: ReviewPolicy) -> None:
    before = sample(episodes, policy)
    after = sample({**episodes, "x": Stratum("Multi_Apps", "Pixel 8", "Ada")}, policy)
    assert len(before - after) <= 1
    assert len(after - before) <= 1


def test_another_seed_draws_others() -> None:
    episodes = {f"{number:016}": Stratum("Multi_Apps", "Pixel 8", "Ada") for number in range(100)}
    draws = {sample(episodes, ReviewPolicy(seed)) for seed in range(5)}
    assert len(draws) == 5
    assert all(len(drawn) == 10 for drawn in draws)


def test_a_share_is_what_is_written() -> None:
    episodes = {f"{number:016}": Stratum("Multi_Apps", "Pixel 8", "Ada") for number in range(100)}
    assert len(sample(episodes, ReviewPolicy(0, 0.07))) == 7  # in binary, 0.07 of 100 is slightly more


def test_the_draw_is_the_same_on_every_computer() -> None:
    episodes = {f"{number:016}": Stratum("Multi_Apps", "Pixel 8", "Ada") for number in range(30)}
    assert sample(episodes, ReviewPolicy(7)) == {f"{number:016}" for number in (1, 3, 24)}


def _fix(before: str, after: str) -> Fix:
    return Fix(id="0" * 32, at=BEGIN, by="Bea", amendment=None, why="", before=before, after=after)
