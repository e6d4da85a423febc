"""What the window, the page and the command say of a report."""

from dataclasses import replace

from odyssey_recorder.agreement.quality_report import (
    DefectBound,
    QualityReport,
    TextCheckFigures,
    quality_report,
)
from odyssey_recorder.agreement.reviewed import AllReviewed, Reviewed
from odyssey_recorder.agreement.sections import Section, bound_text, percent, seconds, sections
from tests.checking.reviewed import reviewed
from tests.checking.verdicts import verdict


def report_of(*episodes: Reviewed) -> QualityReport:
    return quality_report(AllReviewed(episodes))


def section(report: QualityReport, title: str) -> Section:
    return next(one for one in sections(report) if one.title.startswith(title))


def test_text_of_the_defect_bound() -> None:
    assert bound_text(DefectBound(59, 0, 0, 0.04951)) == (
        "Of 59 accepted episodes that were reviewed again, at random and blind, none was not "
        "accepted the second time: with 95% confidence, less than 5.0% of the episodes that "
        "one reviewer accepts are defective."
    )
    assert "1 was not accepted the second time: with 95% confidence, less than 39.5%" in bound_text(
        DefectBound(10, 1, 0, 0.39416)
    )
    assert "so no estimate is possible. 3 more of the sample wait" in bound_text(DefectBound(0, 0, 3, 1.0))


def test_figures_have_units() -> None:
    assert (percent(0.934), percent(None)) == ("93%", "—")
    assert [seconds(value) for value in (42.4, 119.4, 125, 179.6)] == ["42 s", "119 s", "2 min 05 s", "3 min 00 s"]


def test_report_without_verdicts_says_so() -> None:
    assert [one.title for one in sections(report_of(reviewed(1)))] == ["No reviews yet."]


def test_agreement_is_doubted_without_second_verdicts() -> None:
    once = section(report_of(reviewed(1, verdict("Bea"))), "Agreement")
    assert (once.notes, once.doubt, once.tables) == ((), "No episode has two verdicts yet.", ())


def test_small_sample_says_how_many_are_needed() -> None:
    pairs = [reviewed(number, verdict("Bea"), verdict("Cem", minute=1)) for number in range(59)]
    assert section(report_of(*pairs), "What the sample shows").doubt == ""
    few = section(report_of(pairs[0]), "What the sample shows")
    assert few.doubt == "1 episode: 59 without a defect are needed to say less than 5%."


def test_texts_are_counted_by_the_checks_that_compared_them() -> None:
    texts = TextCheckFigures("ANN03", "Another element", 9, 3, 1), TextCheckFigures("ANN09", "Only later", 0, 0, 4)
    (table,) = section(replace(report_of(), texts=texts), "Texts").tables
    rows = [(row.name, row.count, row.measures[0].text) for row in table.rows]
    assert rows == [
        ("ANN03  Another element", "12", "3 contradicted, 1 not comparable"),
        ("ANN09  Only later", "0", "4 not comparable"),
    ]
    assert table.rows[1].measures[0].bar is None
