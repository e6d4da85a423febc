"""An episode as a model may see it: private content is hidden in screenshots and texts."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path

from odyssey_recorder.annotation.inputs import EpisodeTexts, texts_of
from odyssey_recorder.annotation.memory import StepMemory, memory_of
from odyssey_recorder.annotation.screenshots import Box, ShownScreenshot, around
from odyssey_recorder.annotation.semantics import SemanticsStore
from odyssey_recorder.curation.redaction import Redaction, read_redaction
from odyssey_recorder.dataset.amending import provenance_refusal, touched_pixel
from odyssey_recorder.dataset.codec import Dialect, decode, encode
from odyssey_recorder.dataset.layout import annotation_path, read_dataset_file
from odyssey_recorder.dataset.opened import OpenedEpisode, open_published
from odyssey_recorder.dataset.provenance import StepRecord
from odyssey_recorder.device.view_hierarchy import ViewNode, parse
from odyssey_recorder.errors import DatasetError, DeviceError, MissingFileError
from odyssey_recorder.files import Largest
from odyssey_recorder.model.action import Action, Click, LongPress, Type, action_type, in_words, is_terminal
from odyssey_recorder.model.episode import Episode
from odyssey_recorder.model.plain_text import step_number

HIDDEN = "[hidden]"


@dataclass(frozen=True, slots=True)
class RedactedStep:
    """`action` describes it to a model, `act` is the action itself without private content.

    `views` are the screenshot, and a copy with the mark of a press. `day` (UTC) and `app`, the package in front, are
    None and empty if they are not known. `nodes` are the views on the screen, empty without a view hierarchy.
    """

    action: str
    act: Action
    views: tuple[ShownScreenshot, ...]
    is_terminal: bool
    day: date | None = None
    app: str = ""
    nodes: tuple[ViewNode, ...] = ()


@dataclass(frozen=True, slots=True)
class RedactedEpisode:
    episode_id: str
    instruction: str
    steps: tuple[RedactedStep, ...]
    texts: EpisodeTexts
    memory: Sequence[StepMemory]
    redaction: Redaction | None = None
    apps: tuple[str, ...] = ()

    def shown(self, text: str) -> str:
        """Text about the episode without redacted words."""
        return text if self.redaction is None else self.redaction.without_words(text)


def open_dataset_episode(root: Path, episode_id: str) -> OpenedEpisode:
    """Raises DatasetError, also if its provenance is unreadable or belongs to other steps."""
    annotation = root / annotation_path(episode_id)
    found = open_published(annotation)
    if found.problem:
        raise DatasetError(f"{episode_id}: {found.problem}")
    if found.provenance is not None and (refusal := provenance_refusal(found.episode, found.provenance)):
        raise DatasetError(refusal)
    return found


def read_redacted_episode(root: Path, episode_id: str) -> RedactedEpisode:
    """Raises DatasetError if what must be hidden cannot be, ReviewError if its texts have unreadable places."""
    file = SemanticsStore(root).read_complete(episode_id)
    found = open_dataset_episode(root, episode_id)
    redaction = read_redaction(root, episode_id)
    shown = _redacted(found.episode, redaction)
    texts = texts_of(found, file)
    steps = []
    for number, step in enumerate(shown.steps):
        nodes = _nodes(found, number)
        passwords = (node.box for node in nodes if node.password)
        hidden = ((box.left, box.top, box.right, box.bottom) for box in passwords)
        masks = (*hidden, *_drawn(redaction, number, texts.inputs[number].png_sha256))
        record, inputs = found.record(number), texts.inputs[number]
        size = found.episode.device.size if record is None else record.frame.size
        plain = ShownScreenshot(found.files.screenshot(number), inputs.png_sha256, size, masks)
        steps.append(redacted_step(step.action, plain, nodes, record, inputs.box))
    memory = memory_of(found, file, texts.inputs)
    task = shown.task
    return RedactedEpisode(episode_id, task.instruction, tuple(steps), texts, memory, redaction, task.apps)


def redacted_step(
    action: Action, plain: ShownScreenshot, nodes: Sequence[ViewNode], record: StepRecord | None, box: Box | None
) -> RedactedStep:
    """A step on a screen that is shown as `plain`; what was typed into a password field is hidden."""
    is_secret = isinstance(action, Type) and any(node.password and node.focused for node in nodes)
    act, words = (Type(HIDDEN), f"Type {HIDDEN}") if is_secret else (action, spoken(action))
    views = [plain]
    if isinstance(action, Click | LongPress):
        mark = box or around(touched_pixel(action, record, plain.size), plain.size)
        views.append(replace(plain, mark=mark))
    day, app = (None, "") if record is None else (record.day, record.package)
    return RedactedStep(words, act, tuple(views), is_terminal(act), day, app, tuple(nodes))


def spoken(action: Action) -> str:
    """The action as described to a model, without the text of the touched element."""
    match action:
        case Click() | LongPress():
            return f"{action_type(action)} on the marked element"
        case _:
            return in_words(action)


def _redacted(episode: Episode, redaction: Redaction | None) -> Episode:
    if redaction is None:
        return episode
    tree = redaction.applied(json.loads(encode(episode, Dialect.RELEASE)))
    return decode(json.dumps(tree), source=episode.episode_id)


def _nodes(found: OpenedEpisode, number: int) -> tuple[ViewNode, ...]:
    """Empty without a view hierarchy; one that should be there and is unreadable might hide a password."""
    record, path = found.record(number), found.files.ui_tree(number)
    if record is None or record.ui_tree is None or path is None:
        return ()
    try:
        return parse(read_dataset_file(path, Largest.TREE).decode(errors="replace"))
    except (MissingFileError, DeviceError) as error:
        raise DatasetError(
            f"{path} cannot be read ({error}), so passwords on the screenshot cannot be hidden. It was not sent."
        ) from error


def _drawn(redaction: Redaction | None, step: int, png_sha256: str) -> Iterator[Box]:
    if redaction is None:
        return
    for box in redaction.boxes:
        if box.step == step and box.sha256 != png_sha256:
            raise DatasetError(
                f"The redaction of {redaction.episode_id} was drawn on another screenshot of step {step_number(step)}. "
                "Redact the episode again."
            )
        if box.step == step:
            yield box.box
