"""All checks in one table: id, severity, title, criterion, and the function that looks at an episode."""

from odyssey_recorder.checking.evidence import EpisodeEvidence
from odyssey_recorder.checking.one_episode import actions, apps, instruction, recorded, screenshots, targets, texts
from odyssey_recorder.checking.one_episode.check import Check, CheckResults, Unchecked
from odyssey_recorder.checking.one_episode.typed import check_typed_facts
from odyssey_recorder.model.finding import Criterion, EpisodeReport, Finding, NotChecked, Severity, in_order

_ERROR, _WARNING, _NOTE = Severity.ERROR, Severity.WARNING, Severity.NOTE
_SCREENSHOTS, _SEQUENCE, _INSTRUCTION = Criterion.SCREENSHOTS, Criterion.SEQUENCE, Criterion.INSTRUCTION


JUDGED = "EPI06"
"""The check whose results come from a model that `check --judge` asks."""


def _judged(_evidence: EpisodeEvidence) -> CheckResults:
    """A language model was shown the instruction, the actions and the last 12 screenshots, and found that they do not
    complete the instruction. Only `check --judge` asks it, about episodes that end with COMPLETE."""
    yield Unchecked(None, "it needs a language model")


CHECKS: tuple[Check, ...] = (
    Check("IMG01", _ERROR, _SCREENSHOTS, "A screenshot is missing or broken", screenshots.check_files),
    Check("IMG02", _ERROR, _SCREENSHOTS, "Steps, names and screenshots do not match", screenshots.check_names),
    Check("IMG03", _ERROR, _SCREENSHOTS, "A screenshot does not have the device's size", screenshots.check_sizes),
    Check("IMG04", _ERROR, _SCREENSHOTS, "A screenshot is blank", screenshots.check_not_blank),
    Check(
        "IMG05", _WARNING, _SCREENSHOTS, "A screenshot may not show the moment of its action", screenshots.check_time
    ),
    Check("IMG06", _WARNING, _SCREENSHOTS, "A screenshot occurs more than once"),
    Check("IMG07", _WARNING, _SCREENSHOTS, "An action had no effect", screenshots.check_effect),
    Check("IMG08", _WARNING, _SCREENSHOTS, "The screen was still moving", screenshots.check_settled),
    Check("ACT01", _ERROR, _SEQUENCE, "An action is not part of the format", actions.check_vocabulary),
    Check("ACT02", _ERROR, _SEQUENCE, "A point is outside the grid", actions.check_positions),
    Check("ACT03", _ERROR, _SEQUENCE, "The episode ends wrongly", actions.check_ending),
    Check("ACT04", _WARNING, _SEQUENCE, "The action may be of another type", actions.check_kind),
    Check("ACT05", _WARNING, _SEQUENCE, "Typed text is empty or had no effect", actions.check_typed_text),
    Check("ACT06", _WARNING, _SEQUENCE, "An action is repeated", actions.check_repetition),
    Check("ACT07", _WARNING, _SEQUENCE, "A click hits nothing", targets.check_click_target),
    Check("ACT08", _WARNING, _SEQUENCE, "A system key had no effect", targets.check_system_keys),
    Check("ACT09", _ERROR, _SEQUENCE, "A bounding box is wrong", targets.check_boxes),
    Check("ACT10", _ERROR, _SEQUENCE, "An action differs from the recorded one", recorded.check_against_provenance),
    Check("ACT11", _WARNING, _SEQUENCE, "A typed text is not what the task demands", check_typed_facts),
    Check("ACT12", _WARNING, _SEQUENCE, "Steps may not follow from each other", actions.check_order),
    Check("EPI01", _WARNING, _SEQUENCE, "Used apps and named apps differ", apps.check_used_apps),
    Check("EPI02", _ERROR, _SEQUENCE, "Too few apps for the category", apps.check_app_count),
    Check("EPI03", _WARNING, _SEQUENCE, "The episode is unusually short or long"),
    Check("EPI04", _WARNING, _SEQUENCE, "IMPOSSIBLE without a reason", apps.check_reason),
    Check("EPI05", _WARNING, _SEQUENCE, "Two episodes are nearly the same"),
    Check(JUDGED, _NOTE, _SEQUENCE, "A language model's verdict on the steps", _judged),
    Check("INS01", _ERROR, _INSTRUCTION, "The instruction lacks a detail", instruction.check_details),
    Check("INS02", _WARNING, _INSTRUCTION, "The instruction names other apps", instruction.check_named_apps),
    Check(
        "INS03",
        _WARNING,
        _INSTRUCTION,
        "The instruction does not mean the same as the task",
        instruction.check_judgement,
    ),
    Check("INS04", _WARNING, _INSTRUCTION, "An instruction occurs more than once"),
    Check("ANN01", _ERROR, None, "An annotation is empty or outdated", texts.check_completeness),
    Check("ANN02", _WARNING, None, "An annotation is malformed", texts.check_plainness),
    Check("ANN03", _WARNING, None, "A text names another element than the one touched"),
    Check("ANN04", _WARNING, None, "A text says another kind of action"),
    Check("ANN05", _WARNING, None, "A text quotes something else than what was typed"),
    Check("ANN06", _NOTE, None, "A text says another direction"),
    Check("ANN07", _WARNING, None, "A text has a figure, a quote or a name that is nowhere to be seen"),
    Check("ANN08", _WARNING, None, "A text names an app that was not in use"),
    Check("ANN09", _WARNING, None, "A context tells what happens only later"),
    Check("ANN10", _WARNING, None, "A text is that of another screen"),
    Check("ANN11", _WARNING, None, "A text was written for an earlier state of the episode"),
    Check("ANN12", _WARNING, None, "A text has the wrong form"),
    Check("ANN13", _WARNING, None, "A memory says something else than the screens"),
    Check("ANN14", _NOTE, None, "Another model reads another action out of a text"),
    Check("PRV01", _WARNING, None, "Personal data may be shown", texts.check_privacy),
    Check("EXP01", _ERROR, _SCREENSHOTS, "An exported folder is incomplete"),
    Check("SET01", _WARNING, None, "Files without an episode"),
    Check("SET02", _NOTE, None, "Files that do not belong to the dataset"),
    Check("SET03", _WARNING, None, "The list of all episodes is wrong"),
    Check("SET04", _WARNING, None, "Some episodes have no provenance"),
    Check("SPL01", _ERROR, None, "A split cannot be used as it is"),
    Check("SPL02", _ERROR, None, "An episode is in train and in test"),
    Check("SPL03", _WARNING, None, "An episode is missing from a split, or listed twice"),
    Check("SPL04", _ERROR, None, "A split mixes what it should separate"),
)
"""In the order of docs/quality.md. Checks without a look concern the whole dataset (checking/whole_dataset), or the
texts in its semantics files (annotation/checking.py).
"""


def check_episode(evidence: EpisodeEvidence) -> EpisodeReport:
    results = [finding for check in CHECKS for finding in check.run(evidence)]
    return EpisodeReport(
        evidence.episode.episode_id,
        in_order(result for result in results if isinstance(result, Finding)),
        tuple(result for result in results if isinstance(result, NotChecked)),
    )
