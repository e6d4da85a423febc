"""What an episode proves about each of its steps, arranged for questions that its texts raise."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache, cached_property

from odyssey_recorder.annotation.findings import Evidence
from odyssey_recorder.checking.evidence import EpisodeEvidence, StepEvidence
from odyssey_recorder.checking.one_episode.apps import is_app, is_launcher, is_of_android
from odyssey_recorder.checking.one_episode.check import is_without_effect
from odyssey_recorder.checking.one_episode.targets import may_be_keyboard
from odyssey_recorder.dataset.amending import touched_pixel
from odyssey_recorder.device.view_hierarchy import ViewNode, hit_at, labels_of
from odyssey_recorder.model.action import Action, Click, LongPress, Type, action_type
from odyssey_recorder.model.geometry import Pixel, Size
from odyssey_recorder.model.plain_text import step_number
from odyssey_recorder.tasks.templates.template_files import shipped_catalogues
from odyssey_recorder.tasks.wording.equivalence import bare_words
from odyssey_recorder.tasks.wording.stems import stem, words_of

_LONGEST_LABEL = 200


@cache
def app_of_package() -> Mapping[str, str]:
    return {app.package: app.name for catalogue in shipped_catalogues().values() for app in catalogue.apps}


@dataclass(frozen=True)
class SourceWords:
    """Texts of one place of evidence."""

    source: str
    texts: tuple[str, ...]

    @cached_property
    def bare(self) -> str:
        return f" {' | '.join(map(bare_words, self.texts))} "

    @cached_property
    def numbers(self) -> frozenset[str]:
        return frozenset(re.findall(r"\d+", self.bare))

    @cached_property
    def stems(self) -> frozenset[str]:
        return frozenset(stem(word) for text in self.texts for word in words_of(text))


@dataclass(frozen=True, slots=True)
class Target:
    """What a touch hit: `labels` are its own and its parts'. `others` are the labels of each other view to be hit."""

    labels: tuple[str, ...]
    others: tuple[tuple[str, ...], ...]


class Course:
    """The course of one episode; a step's values are computed once."""

    def __init__(self, evidence: EpisodeEvidence) -> None:
        self.evidence = evidence
        self.steps = evidence.steps
        self._screens: dict[int, SourceWords | None] = {}
        self._targets: dict[int, Target | str] = {}
        task = evidence.episode.task
        self.asked = SourceWords("instruction", (task.instruction, task.task, *task.apps))

    def action(self, number: int) -> Action | None:
        return self.steps[number].spelled.action

    def kind(self, number: int) -> str:
        """The action's name in the paper, or empty."""
        action = self.action(number)
        return "" if action is None else action_type(action)

    def screen(self, number: int) -> SourceWords | None:
        """The texts of the view hierarchy; None if there is none."""
        if number not in self._screens:
            self._screens[number] = _screen(self.steps[number])
        return self._screens[number]

    def front(self, number: int) -> str:
        """The package in front, or empty."""
        record = self.steps[number].record
        return record.screen.package if record and record.screen else ""

    def front_name(self, number: int) -> str:
        package = self.front(number)
        return "the home screen" if is_launcher(package) else app_of_package().get(package, package)

    def fronts(self, until: int) -> frozenset[str]:
        """Packages in front at steps 0 to `until`, exclusive, without those of Android."""
        return frozenset(app for app in map(self.front, range(until)) if not is_of_android(app))

    def was_in_front(self, app: str, until: int) -> bool:
        """At one of the steps 0 to `until`, exclusive."""
        return any(is_app(package, app) for package in self.fronts(until))

    def typed(self, until: int) -> SourceWords:
        """What was typed at steps 0 to `until`, inclusive."""
        texts = (self.action(number) for number in range(until + 1))
        return SourceWords("typed text", tuple(action.text for action in texts if isinstance(action, Type)))

    def had_effect(self, number: int) -> bool | None:
        """Whether the screen after a step differs from that before; None if that is not known."""
        without = is_without_effect(self.evidence, self.steps[number])
        return None if without is None else not without

    def target(self, number: int) -> Target | str:
        """What was hit, or why that is unknown."""
        if number not in self._targets:
            self._targets[number] = _target(self.steps[number])
        return self._targets[number]

    def touched(self, until: int) -> Iterator[str]:
        """Labels of what was touched at steps 0 to `until`, exclusive."""
        for number in range(until):
            if isinstance(target := self.target(number), Target):
                yield from target.labels

    def evidence_of_action(self, number: int) -> Evidence:
        record = self.steps[number].record
        source = "provenance" if record is not None else "annotation file"
        return Evidence(f"{source}, step {step_number(number)}", self.kind(number))


def size_of(step: StepEvidence) -> Size | None:
    return step.record.frame.size if step.record else step.screenshot.size if step.screenshot else None


def touch_of(step: StepEvidence) -> tuple[Pixel, Size] | str:
    """The pixel of a press and the screenshot's size, or why they are unknown."""
    action, size = step.spelled.action, size_of(step)
    if not isinstance(action, Click | LongPress):
        return "the step touches no element"
    if size is None:
        return "the size of the screenshot is unknown"
    return touched_pixel(action, step.record, size), size


def _screen(step: StepEvidence) -> SourceWords | None:
    if step.views is None:
        return None
    labels = (
        text.strip()
        for view in step.views
        for text in (view.text, view.description, view.hint, id_text(view))
        if text and view.active and not view.password
    )
    return SourceWords(f"view hierarchy of step {step_number(step.number)}", tuple(dict.fromkeys(labels)))


def id_text(view: ViewNode) -> str:
    """The words of a resource id: "new note" for ``com.example:id/new_note``."""
    return " ".join(re.findall(r"[A-Z]?[a-z]+|[A-Z]+|\d+", view.resource_id.rpartition("/")[2]))


def _target(step: StepEvidence) -> Target | str:
    touch = touch_of(step)
    if isinstance(touch, str):
        return touch
    if step.views is None:
        return f"there is no view hierarchy: {step.no_views}"
    at, size = touch
    hit = hit_at(step.views, at, size)
    if hit is None or may_be_keyboard(step, at):
        return "the touch is on no element of the view hierarchy"
    labels = _labels(step.views, hit)
    others = (
        _labels(step.views, place)
        for place, view in enumerate(step.views)
        if place != hit and (view.clickable or view.long_clickable)
    )
    return Target(labels, tuple(texts for texts in others if texts and texts != labels))


def _labels(views: tuple[ViewNode, ...], place: int) -> tuple[str, ...]:
    named = (*labels_of(views, place), id_text(views[place]))
    # A field that shows its hint as text is named by it.
    shown = (views[place].text,) if views[place].is_field and not views[place].password else ()
    return tuple(dict.fromkeys(label[:_LONGEST_LABEL].strip() for label in (*named, *shown) if label.strip()))
