"""All checks in one table: id, severity, title, criterion, and the function that looks at an episode."""

from odyssey_recorder.quality.checks import actions, apps, recorded, screenshots, targets, texts, words
from odyssey_recorder.quality.checks.check import Check, Said, Unseen
from odyssey_recorder.quality.evidence import EpisodeEvidence
from odyssey_recorder.quality.finding import Criterion, EpisodeReport, Finding, NotChecked, Severity, in_order

_ERROR, _WARNING, _NOTE = Severity.ERROR, Severity.WARNING, Severity.NOTE
_PICTURES, _SEQUENCE, _INSTRUCTION = Criterion.PICTURES, Criterion.SEQUENCE, Criterion.INSTRUCTION


def _judged(_evidence: EpisodeEvidence) -> Said:
    """A language model judges it, which no check calls: its word is advice, and asked for elsewhere."""
    yield Unseen(None, "it needs a language model")


CHECKS: tuple[Check, ...] = (
    Check("IMG01", _ERROR, _PICTURES, "A picture is missing or broken", screenshots.whole_files),
    Check("IMG02", _ERROR, _PICTURES, "Steps, names and pictures do not agree", screenshots.counted_and_named),
    Check("IMG03", _ERROR, _PICTURES, "A screenshot does not have the device's size", screenshots.sizes),
    Check("IMG04", _ERROR, _PICTURES, "A picture is blank", screenshots.shows_something),
    Check("IMG05", _WARNING, _PICTURES, "A picture is not proved to be of its moment", screenshots.taken_in_time),
    Check("IMG06", _WARNING, _PICTURES, "A picture is also that of another step"),
    Check("IMG07", _WARNING, _PICTURES, "An action had no effect", screenshots.has_an_effect),
    Check("IMG08", _WARNING, _PICTURES, "The screen was not at rest", screenshots.at_rest),
    Check("ACT01", _ERROR, _SEQUENCE, "An action is not one of the format's", actions.in_the_vocabulary),
    Check("ACT02", _ERROR, _SEQUENCE, "A place is not on the grid", actions.on_the_grid),
    Check("ACT03", _ERROR, _SEQUENCE, "The episode does not end as it must", actions.ends_once),
    Check("ACT04", _WARNING, _SEQUENCE, "The action may be of another type", actions.of_the_right_kind),
    Check("ACT05", _WARNING, _SEQUENCE, "Typed text is empty, or went nowhere", actions.typed_and_seen),
    Check("ACT06", _WARNING, _SEQUENCE, "The same is done again and again", actions.gets_on),
    Check("ACT07", _WARNING, _SEQUENCE, "A click meets nothing", targets.hits_a_view),
    Check("ACT08", _WARNING, _SEQUENCE, "A system key did not do what it does", targets.keys_work),
    Check("ACT09", _ERROR, _SEQUENCE, "A bounding box is wrong", targets.boxes_hold),
    Check("ACT10", _ERROR, _SEQUENCE, "An action is not the one that was recorded", recorded.as_recorded),
    Check("EPI01", _WARNING, _SEQUENCE, "The apps are not those of the task", apps.apps_in_front),
    Check("EPI02", _ERROR, _SEQUENCE, "Too few apps for the category", apps.enough_apps),
    Check("EPI03", _WARNING, _SEQUENCE, "The episode is unusually short or long"),
    Check("EPI04", _WARNING, _SEQUENCE, "IMPOSSIBLE without a reason", apps.has_a_reason),
    Check("EPI05", _WARNING, _SEQUENCE, "Two episodes are nearly the same"),
    Check("EPI06", _NOTE, _SEQUENCE, "What a language model says of the steps", _judged),
    Check("INS01", _ERROR, _INSTRUCTION, "The instruction has lost something", words.keeps_the_items),
    Check("INS02", _WARNING, _INSTRUCTION, "The apps of the instruction are others", words.names_its_apps),
    Check("INS03", _WARNING, _INSTRUCTION, "The instruction does not mean the task", words.judged_the_same),
    Check("INS04", _WARNING, _INSTRUCTION, "An instruction occurs more than once"),
    Check("ANN01", _ERROR, None, "An annotation is empty or outdated", texts.whole_texts),
    Check("ANN02", _WARNING, None, "An annotation is not of its form", texts.plain_texts),
    Check("PRV01", _WARNING, None, "Personal data may be shown", texts.nothing_private),
    Check("EXP01", _ERROR, _PICTURES, "An exported folder is not whole"),
    Check("SET01", _WARNING, None, "Files of an episode that is not there"),
    Check("SET02", _NOTE, None, "Files that are none of the dataset's"),
    Check("SET03", _WARNING, None, "The list of all episodes is not right"),
    Check("SET04", _WARNING, None, "Some episodes have no proof"),
    Check("SPL01", _ERROR, None, "A split cannot be used as it is"),
    Check("SPL02", _ERROR, None, "An episode is in train and in test"),
    Check("SPL03", _WARNING, None, "An episode is in no part of a split, or twice"),
    Check("SPL04", _ERROR, None, "What a split holds apart is on both sides"),
)
"""In the order of docs/quality.md. Checks without a look concern the whole dataset (quality/dataset_wide)."""


def check_episode(evidence: EpisodeEvidence) -> EpisodeReport:
    said = [one for check in CHECKS for one in check.run(evidence)]
    return EpisodeReport(
        evidence.episode.episode_id,
        in_order(one for one in said if isinstance(one, Finding)),
        tuple(one for one in said if isinstance(one, NotChecked)),
    )
