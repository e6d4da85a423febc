"""The texts of an episode with their differences marked, and the notes on its task."""

from odyssey_recorder.dataset.opened import OpenedEpisode
from odyssey_recorder.gui.kit.app_chips import AppChips
from odyssey_recorder.gui.kit.layouts import pile, scroll_area
from odyssey_recorder.gui.kit.marked_text import MarkedRow, MarkedText, TextChanges, difference_text, text_changes
from odyssey_recorder.gui.kit.parts import Card, breakable, fill_column, say, selectable
from odyssey_recorder.gui.kit.task_text import category_text
from odyssey_recorder.model.action import Complete, Impossible
from odyssey_recorder.model.episode import Episode
from odyssey_recorder.review.views import OpenedReview
from odyssey_recorder.tasks.wording.origin_text import judge_text, origin_text, rule_texts


class TextsCard(Card):
    """Template, task, instruction, apps, end and notes as selectable plain text."""

    def __init__(self) -> None:
        super().__init__()
        self._texts = MarkedText("Template, task and instruction")
        self._apps = AppChips()
        self._ending = selectable()
        self._notes = selectable()
        self._origin = selectable("hint")
        self._facts = selectable("hint")
        self._lay_out()

    def show_review(self, review: OpenedReview) -> None:
        opened = review.opened
        task = opened.episode.task
        self._show_changes(text_changes(task.meta_task, task.task, task.instruction))
        self._apps.set_apps(task.apps)
        say(self._ending, _ending(opened.episode))
        say(self._notes, _notes(opened))
        say(self._origin, _origin(opened))
        self._facts.setText(breakable(_facts(review)))

    def _show_changes(self, changes: TextChanges) -> None:
        self._texts.setAccessibleDescription(difference_text(changes))
        self._texts.show_rows(
            MarkedRow(changes.template, "Template"),
            MarkedRow(changes.task, "Task"),
            MarkedRow(changes.instruction, "Instruction", is_new=True),
        )

    def _lay_out(self) -> None:
        parts = (self._texts, self._origin, self._ending, self._notes, self._apps, self._facts)
        area = scroll_area(pile(*parts, right=8), "Task details")
        fill_column(self, area, margins=(14, 10, 6, 10))


def _ending(episode: Episode) -> str:
    match episode.steps[-1].action if episode.steps else None:
        case Complete(note) if note:
            return f"Completed: {note}"
        case Impossible(reason):
            return f"Impossible: {reason}"
        case _:
            return ""


def _notes(opened: OpenedEpisode) -> str:
    records = opened.provenance.steps if opened.provenance is not None else ()
    return "\n".join(f"Note at step {number}: {record.note}" for number, record in enumerate(records, 1) if record.note)


def _origin(opened: OpenedEpisode) -> str:
    """Who wrote the instruction, and its equivalence with the task; empty if unknown."""
    making = opened.provenance.origin.making if opened.provenance is not None else None
    if making is None or making.text is None:
        return ""
    verdict = making.text.equivalence
    return "\n".join((origin_text(making.text), *rule_texts(verdict), *judge_text(verdict).splitlines()))


def _facts(review: OpenedReview) -> str:
    episode, provenance = review.opened.episode, review.opened.provenance
    by = f"recorded by {provenance.origin.annotator}" if provenance is not None else "annotator unknown"
    device = f"{episode.device.device_name} {episode.device.size}" if episode.device.device_name else ""
    facts = (category_text(episode.task.category), f"{len(episode.steps)} steps", device, by)
    return " · ".join(filter(None, facts))
