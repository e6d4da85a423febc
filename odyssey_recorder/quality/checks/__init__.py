"""All checks in one table: what each is called, how grave it is, what it serves, and the look it takes at an episode."""

from collections.abc import Iterator

from odyssey_recorder.quality.checks import actions, annotations, course, pictures, private_words, targets, words
from odyssey_recorder.quality.checks.check import Check, Found, Unseen
from odyssey_recorder.quality.evidence import EpisodeEvidence
from odyssey_recorder.quality.finding import Criterion, EpisodeReport, Finding, NotChecked, Severity, in_order

_ERROR, _WARNING, _NOTE = Severity.ERROR, Severity.WARNING, Severity.NOTE
_PICTURES, _SEQUENCE, _INSTRUCTION = Criterion.PICTURES, Criterion.SEQUENCE, Criterion.INSTRUCTION


def _judged(_evidence: EpisodeEvidence) -> Iterator[Found | Unseen]:
    """A language model judges it, which no check calls: its word is advice, and asked for elsewhere."""
    yield Unseen(None, "it needs a language model")


CHECKS: tuple[Check, ...] = (
    Check("IMG01", _ERROR, _PICTURES, "every screenshot is there, whole, and the recorder's", pictures.whole_files),
    Check("IMG02", _ERROR, _PICTURES, "steps and screenshots are counted and named", pictures.counted_and_named),
    Check("IMG03", _ERROR, _PICTURES, "screenshots have the size of the device", pictures.sizes),
    Check("IMG04", _ERROR, _PICTURES, "no screenshot is black or blank", pictures.shows_something),
    Check("IMG05", _WARNING, _PICTURES, "screenshots were taken in time", pictures.taken_in_time),
    Check("IMG06", _WARNING, _PICTURES, "no screenshot is another episode's"),
    Check("IMG07", _WARNING, _PICTURES, "every action had an effect", pictures.has_an_effect),
    Check("IMG08", _WARNING, _PICTURES, "the screen was at rest", pictures.at_rest),
    Check("ACT01", _ERROR, _SEQUENCE, "actions are words of the format", actions.in_the_vocabulary),
    Check("ACT02", _ERROR, _SEQUENCE, "places are on the grid", actions.on_the_grid),
    Check("ACT03", _ERROR, _SEQUENCE, "the episode ends once, at its end", actions.ends_once),
    Check("ACT04", _WARNING, _SEQUENCE, "actions are of the right kind", actions.of_the_right_kind),
    Check("ACT05", _WARNING, _SEQUENCE, "what was typed is there", actions.typed_and_seen),
    Check("ACT06", _WARNING, _SEQUENCE, "the episode does not go in circles", actions.gets_on),
    Check("ACT07", _WARNING, _SEQUENCE, "clicks hit something", targets.hits_a_view),
    Check("ACT08", _WARNING, _SEQUENCE, "HOME and BACK do what they do", targets.keys_work),
    Check("ACT09", _ERROR, _SEQUENCE, "boxes hold what was pressed", targets.boxes_hold),
    Check("EPI01", _WARNING, _SEQUENCE, "the task's apps were in front", course.apps_in_front),
    Check("EPI02", _ERROR, _SEQUENCE, "there are as many apps as the category asks for", course.enough_apps),
    Check("EPI03", _WARNING, _SEQUENCE, "the episode is as long as others"),
    Check("EPI04", _WARNING, _SEQUENCE, "IMPOSSIBLE has its reason", course.has_a_reason),
    Check("EPI05", _WARNING, _SEQUENCE, "no episode is nearly another one"),
    Check("EPI06", _NOTE, _SEQUENCE, "a language model's word on the steps", _judged),
    Check("INS01", _ERROR, _INSTRUCTION, "the instruction keeps what the task was filled with", words.keeps_the_items),
    Check("INS02", _WARNING, _INSTRUCTION, "the instruction names the task's apps", words.names_its_apps),
    Check("INS03", _WARNING, _INSTRUCTION, "instruction and task mean the same", _judged),
    Check("INS04", _WARNING, _INSTRUCTION, "no instruction is used twice"),
    Check("ANN01", _ERROR, None, "annotations are whole", annotations.whole_texts),
    Check("ANN02", _WARNING, None, "annotations are plain sentences", annotations.plain_texts),
    Check("PRV01", _WARNING, None, "nothing private is in the texts", private_words.nothing_private),
    Check("EXP01", _ERROR, _PICTURES, "an export is whole, and its splits are clean"),
    Check("SET01", _WARNING, None, "every file has its episode"),
    Check("SET02", _NOTE, None, "no stray files"),
    Check("SET03", _WARNING, None, "lists of episodes agree with the files"),
    Check("SET04", _WARNING, None, "all recordings have their proof, or none"),
)
"""In the order of the documents. Those without a look are made over the whole dataset (quality/across.py)."""


def check_episode(evidence: EpisodeEvidence) -> EpisodeReport:
    """What all checks of one episode say of it."""
    said = [one for check in CHECKS for one in check.run(evidence)]
    return EpisodeReport(
        evidence.episode.episode_id,
        in_order(one for one in said if isinstance(one, Finding)),
        tuple(one for one in said if isinstance(one, NotChecked)),
    )
