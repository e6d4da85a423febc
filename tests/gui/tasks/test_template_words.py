"""A template as text: fillings of its slots, and apps for its roles."""

import pytest

from odyssey_recorder.gui.tasks.template_words import filled_with, proposal_words, template_passages
from odyssey_recorder.model.episode import Category
from odyssey_recorder.task.templates.template import (
    Catalogue,
    CatalogueApp,
    DaySlotRange,
    Items,
    Numbers,
    Role,
    Slot,
    Template,
)
from odyssey_recorder.task.wording.proposing import Proposal

APPS = Catalogue("android", "Android", ("Notes",), (CatalogueApp("Jot", "org.jot", "Notes", frozenset({"notes"})),))


@pytest.mark.parametrize(
    ("slot", "words"),
    [
        (Items(("a", "b")), "one of 2 items"),
        (Numbers(2, 4), "a number from 2 to 4"),
        (Numbers(10, 60, 5, "{} minutes"), "a number from 10 to 60 by 5, as “{} minutes”"),
        (DaySlotRange(1, 6, "weekday"), "a day, 1 to 6 days after the recording, as “next Friday”"),
    ],
)
def test_every_kind_of_gap_says_what_fills_it(slot: Slot, words: str) -> None:
    assert filled_with(slot) == words


def template(*roles: Role, items: int = 2) -> Template:
    slots: dict[str, Slot] = {"item": Items(tuple(f"item {n}" for n in range(items))), "count": Numbers(2, 4)}
    return Template("note", Category.GENERAL_TOOL, "Note {item} {count}", slots, roles, ("P {item}",), ("N {item}",))


def told(one: Template, heading: str) -> tuple[str, ...]:
    return next(passage.lines for passage in template_passages(one, APPS) if passage.heading.startswith(heading))


def test_roles_name_the_apps_that_may_play_them() -> None:
    roles = template(Role("notes"), Role("shop"), Role("mail", ("Post", "Letter")))
    assert told(roles, "Apps by role") == (
        "notes: any of Jot", "shop: no app in the catalogue", "mail: Post, Letter",
    )  # fmt: skip


def test_items_are_shown_up_to_a_number_and_what_says_nothing_is_left_out() -> None:
    (line,) = told(template(items=100), "{item}")
    assert line.startswith("item 0 · item 1")
    assert line.endswith(" · and 40 more")
    assert told(template(), "{count}") == ("A number from 2 to 4",)
    headings = [passage.heading for passage in template_passages(template(), None)]
    assert "For the annotator" not in headings
    assert told(template(), "Phrasings by people, naming no app") == ("P {item}",)


def test_a_proposal_says_what_is_wrong_with_it_and_what_it_is_like() -> None:
    assert proposal_words(Proposal(template(), ("No such role.",), "jot", 0.62)) == (
        "No such role.", "Most similar to jot (62%).",
    )  # fmt: skip
    assert proposal_words(Proposal(template(), (), "", 0.0)) == ("No faults found.",)
