from collections.abc import Callable
from datetime import datetime
from itertools import count
from operator import itemgetter
from random import Random

import pytest

from odyssey_recorder.agreement.page import render_quality_page
from odyssey_recorder.agreement.quality_report import (
    QualityReport,
    QuestionAgreement,
    defect_bound,
    quality_report,
)
from odyssey_recorder.agreement.reviewed import AllReviewed, Reviewed
from odyssey_recorder.agreement.sections import hasty_text
from odyssey_recorder.model.finding import Criterion
from odyssey_recorder.review.review import Decision, Subject, Verdict
from tests.checking.reviewed import reviewed
from tests.checking.verdicts import reference_kappa, verdict


def report_of(*episodes: Reviewed) -> QualityReport:
    return quality_report(AllReviewed(episodes))


def question(report: QualityReport, place: int) -> QuestionAgreement:
    """0 for the decision, then the criteria in order."""
    return report.pairs.questions[place]


def test_dataset_without_verdicts_has_an_empty_report() -> None:
    empty = report_of()
    assert (empty.episodes, empty.verdicts, empty.accepted.of) == (0, 0, 0)
    assert (empty.bound.n, empty.bound.below) == (0, 1.0)
    assert [one.agreement.n for one in empty.pairs.questions] == [0] * 4
    assert (empty.panels, empty.pace, empty.reasons) == ((), (), ())


def test_kappa_of_verdicts_equals_scikit_learn() -> None:
    rng = Random(5)
    answers = [("".join(rng.choices("ppppfu", k=3)), "".join(rng.choices("ppppfu", k=3))) for _ in range(40)]
    report = report_of(
        *(
            reviewed(number, verdict("Bea", one), verdict("Cem", other, minute=1))
            for number, (one, other) in enumerate(answers)
        )
    )
    rates: list[Callable[[str], object]] = [lambda words: words == "ppp", *map(itemgetter, range(3))]
    for place, rate in enumerate(rates):
        firsts, seconds = ([rate(words) for words in given] for given in zip(*answers, strict=True))
        ours = question(report, place).agreement
        assert ours.n == 40
        assert ours.kappa == pytest.approx(reference_kappa(firsts, seconds))


def test_fix_and_accept_agrees_with_accept_and_reject_with_send_back() -> None:
    fixed = reviewed(1, verdict("Bea", decision=Decision.FIX_AND_ACCEPT), verdict("Cem", minute=1))
    refused = reviewed(2, verdict("Bea", "fpp", Decision.REJECT), verdict("Cem", "fpp", minute=1))
    decided = question(report_of(fixed, refused), 0).agreement
    assert (decided.raw, decided.kappa) == (1.0, 1.0)


def test_third_verdict_adds_a_panel_and_keeps_the_pair() -> None:
    disputed = reviewed(1, verdict("Bea"), verdict("Cem", "fpp", minute=1), verdict("Dan", minute=2))
    agreed = reviewed(2, verdict("Bea"), verdict("Cem", minute=1), sampled=False)
    report = report_of(disputed, agreed)
    assert question(report, 0).agreement.raw == 0.5
    assert (report.sampled_pairs, [panel.reviewers for panel in report.panels]) == (1, [3])
    assert report.panels[0].questions[0].agreement.raw == pytest.approx(1 / 3)


def test_acceptance_counts_final_episodes_by_subject() -> None:
    fold = Subject(recorder=" ADA", category="Multi_Apps", device="Pixel Fold", template="Tell {}")
    report = report_of(
        reviewed(1, verdict("Bea"), sampled=False),
        reviewed(2, verdict("Bea", "pfp"), sampled=False, subject=fold),
        reviewed(3, verdict("Bea", "pfp", Decision.REJECT), sampled=False),
        reviewed(4, verdict("Bea")),
        reviewed(5, subject=Subject()),
    )
    (annotator, *_) = report_of(reviewed(1, verdict("Bea"), sampled=False, subject=Subject())).breakdowns
    assert [share.name for share in annotator.shares] == ["not known"]
    assert (report.accepted.count, report.accepted.of, report.episodes) == (1, 3, 5)
    assert [count for _, count in report.stages] == [1, 1, 0, 1, 1, 1]
    shares = {one.by: [(share.name, share.count, share.of) for share in one.shares] for one in report.breakdowns}
    assert shares == {
        "Annotator": [("Ada", 1, 3)],
        "Category": [("Web_Shopping", 1, 2), ("Multi_Apps", 0, 1)],
        "Device": [("Pixel 8 Pro", 1, 2), ("Pixel Fold", 0, 1)],
        "Template": [("Buy {}", 1, 2), ("Tell {}", 0, 1)],
    }


def verdict_after(seconds: float, by: str = "Bea") -> Verdict:
    return verdict(by).model_copy(update={"seconds": seconds})


def test_pace_is_per_reviewer_and_skips_unmeasured_verdicts() -> None:
    numbers = count()
    times = [("Bea", 10.0), ("bea ", 20.0), ("Bea", 30.0), ("Cem", 100.0), ("Cem", 0.0)]
    pace = report_of(*(reviewed(next(numbers), verdict_after(seconds, by)) for by, seconds in times)).pace
    assert [(one.name, one.n, one.median_s) for one in pace] == [("All", 4, 25.0), ("Bea", 3, 20.0), ("Cem", 1, 100.0)]
    assert pace[1].p90_s == pytest.approx(28.0)
    assert pace[2].p90_s == 100.0


def test_hasty_reviewers_are_named() -> None:
    numbers = count()
    times = [("<b>Bea", 4.4), ("<b>Bea", 4.5), ("Cem", 0.0), ("Cem", 60.0)]  # nine screens each
    report = report_of(*(reviewed(next(numbers), verdict_after(seconds, by)) for by, seconds in times))
    assert [(one.name, one.hasty) for one in report.pace] == [("All", 1), ("<b>Bea", 1), ("Cem", 0)]
    words = "Accepted faster than the screens can be read (0.5 s each): <b>Bea 1 of 2."
    assert hasty_text(report) == words
    page = render_quality_page(report, dataset="d", made_at=datetime.now().astimezone())
    assert words.replace("<b>", "&lt;b&gt;") in page
    slow = report_of(
        reviewed(1, verdict_after(4.5)), reviewed(2, verdict("Bea", "fpp").model_copy(update={"seconds": 1.0}))
    )
    assert hasty_text(slow) == "", "one screen is enough to send an episode back"


def test_reasons_are_counted_by_question() -> None:
    report = report_of(
        reviewed(1, verdict("Bea", "fpu"), verdict("Cem", "fpp", minute=1)), reviewed(2, verdict("Bea", "pfp"))
    )
    assert [(one.criterion, one.text, one.count) for one in report.reasons] == [
        (Criterion.SCREENSHOTS, "It shows an earlier screen", 2),
        (Criterion.SEQUENCE, "The instruction is not completed", 1),
        (Criterion.INSTRUCTION, "A requested detail is missing", 1),
    ]


def test_defect_bound_uses_sampled_second_reviews() -> None:
    good = [reviewed(number, verdict("Bea"), verdict("Cem", minute=1)) for number in range(58)]
    bad = reviewed(100, verdict("Bea"), verdict("Cem", "fpp", minute=1), verdict("Dan", minute=2))
    waiting = reviewed(101, verdict("Bea"))
    warned = reviewed(102, verdict("Bea"), verdict("Cem", "fpp", minute=1), sampled=False)
    refused = reviewed(103, verdict("Bea", "fpp"), verdict("Cem", minute=1))
    unseen = reviewed(104)

    none_found = defect_bound([*good, reviewed(58, verdict("Bea"), verdict("Cem", minute=1))])
    one_found = defect_bound([*good, bad, waiting, warned, refused, unseen])

    assert (none_found.n, none_found.defects, none_found.waiting) == (59, 0, 0)
    assert none_found.below < 0.05
    assert (one_found.n, one_found.defects, one_found.waiting) == (59, 1, 1)
    assert one_found.below > 0.05
