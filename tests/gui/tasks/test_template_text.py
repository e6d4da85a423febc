"""A template as text: fillings of its slots, and apps for its roles."""

import pytest

from odyssey_recorder.gui.tasks.template_text import filled_with, proposal_text, template_passages
from odyssey_recorder.model.episode import Category
from odyssey_recorder.tasks.templates.template import (
    Catalogue,
    CatalogueApp,
    DaySlotRange,
    Items,
    Numbers,
    Role,
    Slot,
    Template,
)
from odyssey_recorder.tasks.wording.proposing import Proposal

APPS = Catalogue("android", "Android", ("Notes",), (CatalogueApp("Jot", "org.jot", "Notes", frozenset({"notes"})),))


@pytest.mark.parametrize(
    ("slot", "text"),
    [
        (Items(("a", "b")), "one of 2 items"),
        (Numbers(2, 4), "a number from 2 to 4"),
        (Numbers(10, 60, 5, "{} minutes"), "a number from 10 to 60 by 5, as “{} minutes”"),
        (DaySlotRange(1, 6, "weekday"), "a day, 1 to 6 days after the recording, as “next Friday”"),
    ],
)
def test_slots_describe_what_fills_them(slot: Slot, text: str) -> None:
    assert filled_with(slot) == text


def template(*roles: Role, items: int = 2) -> Template:
    slots: dict[str, Slot] = {"item": Items(tuple(f"item {n}" for n in range(items))), "count": Numbers(2, 4)}
    return Template("note", Category.GENERAL_TOOL, "Note {item} {count}", slots, roles, ("P {item}",), ("N {item}",))


def lines(one: Template, heading: str) -> tuple[str, ...]:
    return next(passage.lines for passage in template_passages(one, APPS) if passage.heading.startswith(heading))


def test_roles_list_their_apps() -> None:
    roles = template(Role("notes"), Role("shop"), Role("mail", ("Post", "Letter")))
    assert lines(roles, "Apps by role") == (
        "notes: any of Jot", "shop: no app in the catalogue", "mail: Post, Letter",
    )  # fmt: skip


def test_long_lists_are_cut_and_empty_parts_left_out() -> None:
    (line,) = lines(template(items=100), "{item}")
    assert line.startswith("item 0 · item 1")
    assert line.endswith(" · and 40 more")
    assert lines(template(), "{count}") == ("A number from 2 to 4",)
    headings = [passage.heading for passage in template_passages(template(), None)]
    assert "For the annotator" not in headings
    assert lines(template(), "Phrasings by people, naming no app") == ("P {item}",)


def test_proposal_lists_faults_and_most_similar_template() -> None:
    assert proposal_text(Proposal(template(), ("No such role.",), "jot", 0.62)) == (
        "No such role.", "Most similar to jot (62%).",
    )  # fmt: skip
    assert proposal_text(Proposal(template(), (), "", 0.0)) == ("No faults found.",)
