"""Rules for templates; most are tested with the files."""

from dataclasses import replace

import pytest

from odyssey_recorder.model.episode import Category
from odyssey_recorder.tasks.templates.template import Items, Role
from odyssey_recorder.tasks.templates.template_rules import LONGEST_ID, Fault, faults_of, players
from tests.tasks.templates import catalogue_of, template_of

SHOPS = catalogue_of(shop=("Bazaar", "Market"), notes=("Jotter",))


def test_template_id_leaves_room_for_the_task_suffix() -> None:
    assert faults_of(template_of("a" * LONGEST_ID), SHOPS) == ()
    (fault,) = faults_of(template_of("a" * (LONGEST_ID + 1)), SHOPS)
    assert fault.place == ()


def test_incomplete_template_is_reported() -> None:
    proposal = replace(template_of(), phrasings=("Buy {item}.",), slots={"item": Items(())})
    assert faults_of(proposal, SHOPS) == (
        Fault(("slots", "item"), "has no items"),
        Fault(("phrasings",), "there must be 3 or more, not 1"),
    )


def test_role_is_played_by_all_capable_or_all_named_apps() -> None:
    assert [app.name for app in players(Role("shop"), SHOPS)] == ["Bazaar", "Market"]
    assert [app.name for app in players(Role("shop", ("Market", "Jotter")), SHOPS)] == ["Jotter", "Market"]


@pytest.mark.parametrize(
    ("category", "fitting"),
    [(Category.GENERAL_TOOL, {1, 2}), (Category.MULTI_APPS, {3, 4}), (Category.WEB_SHOPPING, {2})],
)
def test_category_limits_the_number_of_roles(category: Category, fitting: set[int]) -> None:
    roles = ("notes", "podcast", "clock", "video")
    apps = catalogue_of(**{role: (f"{role}app",) for role in roles})
    faulty = {
        number: [fault.place for fault in faults_of(template_of(category=category, roles=roles[:number]), apps)]
        for number in (1, 2, 3, 4)
    }
    assert faulty == {number: [] if number in fitting else [("roles",)] for number in faulty}
