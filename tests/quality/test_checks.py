"""The table of all checks: clean evidence has no findings, and document and recorder agree with the table."""

import re
from pathlib import Path

import pytest

from odyssey_recorder.model.flag import Flag, FlagCode
from odyssey_recorder.quality import thresholds
from odyssey_recorder.quality.checks import CHECKS, check_episode
from odyssey_recorder.quality.checks.check import Check
from odyssey_recorder.quality.checks.flags import reporting_check
from odyssey_recorder.quality.finding import Severity
from tests.model.flags import FLAGS
from tests.quality.evidence import evidence, unproved, with_step

DOCUMENT = Path(__file__).parents[2].joinpath("docs", "quality.md").read_text(encoding="utf-8")


def test_nothing_is_found_in_an_episode_in_order_and_what_was_not_looked_at_is_said() -> None:
    report = check_episode(evidence())
    assert report.findings == ()
    assert {one.check for one in report.not_checked} == {"EPI06", "INS03", "ANN01", "ANN02", "PRV01"}


def test_nothing_that_needs_a_provenance_is_passed_without_one() -> None:
    report = check_episode(unproved(evidence()))
    assert report.findings == ()
    assert {one.check for one in report.not_checked} == {
        "IMG01", "IMG05", "IMG08", "ACT04", "ACT05", "ACT07", "ACT08", "ACT09", "ACT10", "EPI01",
        "EPI06", "INS03", "ANN01", "ANN02", "PRV01",
    }  # fmt: skip


def test_the_findings_are_told_by_step_the_gravest_first() -> None:
    spoilt = with_step(with_step(evidence(), 4, change=0.0), 1, screenshot=None)
    assert [one.name for one in check_episode(spoilt).findings] == ["IMG01@1", "ACT08@4", "IMG07@4"]


def test_every_check_is_there_once_and_in_the_document_as_it_is() -> None:
    rows = re.findall(r"^\| ([A-Z]{3}[0-9]{2}) \| (\w+) \| (\w+|-) \| ([^|]+?) \|", DOCUMENT, re.MULTILINE)
    assert len({check.id for check in CHECKS}) == len(CHECKS)
    assert rows == [
        (check.id, check.severity.value, check.criterion.value if check.criterion else "-", check.title)
        for check in CHECKS
    ]


@pytest.mark.parametrize("check", [check for check in CHECKS if check.look], ids=lambda check: check.id)
def test_every_check_of_an_episode_has_its_definition_in_the_document(check: Check) -> None:
    definition = " ".join((check.look.__doc__ or "").split())
    assert definition
    assert definition in DOCUMENT


def test_every_threshold_is_in_the_document_with_its_value() -> None:
    names = [name for name in vars(thresholds) if name.isupper()]
    missing = [name for name in names if f"| `{name}` | {getattr(thresholds, name)} |" not in DOCUMENT]
    assert missing == []


@pytest.mark.parametrize("flag", FLAGS, ids=lambda flag: flag.code.value)
def test_every_flag_of_the_recorder_is_taken_by_a_check_and_found(flag: Flag) -> None:
    check = reporting_check(flag)
    assert check in {one.id for one in CHECKS}
    assert check_of_flag_finds(flag) or check == "IMG03"


def test_a_flag_of_a_newer_recorder_is_found_in_its_own_words() -> None:
    (found,) = check_episode(
        with_step(evidence(), 2, flags=(Flag(FlagCode.OTHER, ("somebody else touched the device",)),))
    ).findings
    assert (found.name, found.found) == ("IMG05@2", "Somebody else touched the device.")


def check_of_flag_finds(flag: Flag) -> bool:
    step = 1 if reporting_check(flag) == "ACT05" else 0
    report = check_episode(with_step(evidence(), step, flags=(flag,)))
    return [one.check for one in report.findings if one.severity is Severity.WARNING] == [reporting_check(flag)]
