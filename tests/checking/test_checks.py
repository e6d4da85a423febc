"""The table of all checks: clean evidence has no findings, and document and recorder agree with the table."""

import re
from pathlib import Path

import pytest

from odyssey_recorder.checking import thresholds
from odyssey_recorder.checking.one_episode import CHECKS, check_episode
from odyssey_recorder.checking.one_episode.check import Check
from odyssey_recorder.checking.one_episode.flags import reporting_check
from odyssey_recorder.gui.record.finishing import annotator_messages
from odyssey_recorder.model.finding import EpisodeReport, Severity
from odyssey_recorder.model.flag import Flag, FlagCode, describe_flag
from tests.checking import screenshot_cases, test_checks_actions, test_checks_texts
from tests.checking.evidence import evidence, found_steps, unchecked_steps, with_step, without_provenance
from tests.model.flags import FLAGS

FOUND = screenshot_cases.FOUND | test_checks_actions.FOUND | test_checks_texts.FOUND
UNSEEN = screenshot_cases.UNSEEN | test_checks_actions.UNSEEN | test_checks_texts.UNSEEN
DOCUMENT = Path(__file__).parents[2].joinpath("docs", "quality.md").read_text(encoding="utf-8")


def test_clean_episode_has_no_findings_but_lists_unchecked() -> None:
    report = check_episode(evidence())
    assert report.findings == ()
    unchecked = {(one.check, one.steps) for one in report.not_checked}
    assert unchecked == {(check, ()) for check in ("EPI06", "INS03", "ANN01", "ANN02", "PRV01")}


def test_checks_that_need_provenance_are_unchecked_without_it() -> None:
    report = check_episode(without_provenance(evidence()))
    assert report.findings == ()
    assert {one.check for one in report.not_checked} == {
        "IMG01", "IMG05", "IMG08", "ACT04", "ACT05", "ACT07", "ACT08", "ACT09", "ACT10", "ACT12", "EPI01",
        "EPI06", "INS03", "ANN01", "ANN02", "PRV01",
    }  # fmt: skip


def test_findings_are_sorted_by_step_then_severity() -> None:
    damaged = with_step(with_step(evidence(), 4, change=0.0), 1, screenshot=None)
    assert [one.name for one in check_episode(damaged).findings] == ["IMG01@1", "ACT08@4", "IMG07@4"]


@pytest.mark.parametrize("case", FOUND)
def test_findings(case: str) -> None:
    one, steps = FOUND[case]
    assert found_steps(case[:5], one) == steps


@pytest.mark.parametrize("case", UNSEEN)
def test_unchecked_steps(case: str) -> None:
    one, steps = UNSEEN[case]
    assert unchecked_steps(case[:5], one) == steps


def test_document_lists_every_check_once() -> None:
    rows = re.findall(r"^\| ([A-Z]{3}[0-9]{2}) \| (\w+) \| (\w+|-) \| ([^|]+?) \|", DOCUMENT, re.MULTILINE)
    assert len({check.id for check in CHECKS}) == len(CHECKS)
    assert rows == [
        (check.id, check.severity.value, check.criterion.value if check.criterion else "-", check.title)
        for check in CHECKS
    ]


@pytest.mark.parametrize("check", [check for check in CHECKS if check.look], ids=lambda check: check.id)
def test_document_defines_every_episode_check(check: Check) -> None:
    definition = " ".join((check.look.__doc__ or "").split())
    assert definition
    assert definition in DOCUMENT


def test_document_has_every_threshold_value() -> None:
    names = [name for name in vars(thresholds) if name.isupper()]
    missing = [name for name in names if f"| `{name}` | {getattr(thresholds, name)} |" not in DOCUMENT]
    assert missing == []


@pytest.mark.parametrize("flag", FLAGS, ids=lambda flag: flag.code.value)
def test_every_recorder_flag_is_reported_by_a_check(flag: Flag) -> None:
    """With its own sentence, and no other."""
    check = reporting_check(flag)
    step = 1 if check == "ACT05" else 0
    damaged = with_step(evidence(), step, flags=(flag,))
    warnings = [one for one in check_episode(damaged).findings if one.severity is Severity.WARNING]
    assert check in {one.id for one in CHECKS}
    assert [one.name for one in warnings] == [f"{check}@{step}"] or check == "IMG03"
    if check != "IMG03":
        said = describe_flag(flag)
        assert warnings[0].found == f"{said[:1].upper()}{said[1:]}."
        assert [*annotator_messages(EpisodeReport("", tuple(warnings)))] == [f"Step {step + 1}: {warnings[0].found}"]


def test_unknown_flag_is_reported_verbatim() -> None:
    (found,) = check_episode(
        with_step(evidence(), 2, flags=(Flag(FlagCode.OTHER, ("somebody else touched the device",)),))
    ).findings
    assert (found.name, found.found) == ("IMG05@2", "Somebody else touched the device.")
