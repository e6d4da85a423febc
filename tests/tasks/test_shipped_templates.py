import random
import re
from collections import Counter
from collections.abc import Iterator
from datetime import date

import pytest

from odyssey_recorder.model.episode import Category
from odyssey_recorder.tasks.generation.generator import GenerationOrder, generate
from odyssey_recorder.tasks.templates.filling import Fillings, fill
from odyssey_recorder.tasks.templates.template import Items, Template, TemplateLibrary
from odyssey_recorder.tasks.templates.template_rules import players

DAY = date(2026, 12, 1)
UNGRAMMATICAL = re.compile(
    r"\b(\w+) \1\b"
    r"|\b(?:on|for|at|by|until|from|before) in \d+ days"
    r"|\b(?:on|in|at) (?:tomorrow|today|this coming)\b(?!')"
    r"|\b[Aa] (?!one\b|eu)[aeio]|\b[Aa]n (?!hour|hon|8|MBA|NBA|MP|SUV|R)[^aeiouAEIOU]"
    r"|  | [,.;:?!]|[.,]{2}|,(?: and)?,|\band (?:and|or)\b|[{}]"
)
"""A repeated word, a preposition that does not go with a day, a wrong article, misplaced spaces and punctuation, a list
that is not joined, a gap."""
NOT_IT = re.compile(r"^the .*(?:headphones|shoes|blocks|mugs)\b|^(?:Nelson Mandela|the Vikings|board games)$")
"""Items of which one says "them", "her" or "him"."""
IT = re.compile(r"\b(?:buy(?:ing)?|find|save|share|send|(?:book|facts|sentences) (?:about|on)) it\b", re.IGNORECASE)
DRAWS = 40


def fillings_of(template: Template) -> Iterator[dict[str, str]]:
    """The values of gaps and roles of some tasks, evenly spread over all that the template gives."""
    fillings = Fillings(template, DAY)
    rng = random.Random(template.template_id)
    for number in rng.sample(range(fillings.count), min(DRAWS, fillings.count)):
        roles = {role.name: f"App {place}" for place, role in enumerate(template.roles, 1)}
        yield {**fillings.nth(number), **roles}


def test_android_has_ninety_templates_across_all_categories(library: TemplateLibrary) -> None:
    counts = Counter(template.category for template in library.of("android"))
    assert sum(counts.values()) >= 90
    assert all(counts[category] >= 10 for category in Category)


def test_templates_yield_over_ten_thousand_tasks(library: TemplateLibrary) -> None:
    counts: Counter[Category] = Counter()
    for template in library.of("android"):
        counts[template.category] += Fillings(template, DAY).count
    assert sum(counts.values()) > 10_000
    assert all(counts[category] >= 1_000 for category in Category)


def test_catalogue_has_150_apps_in_25_classes(library: TemplateLibrary) -> None:
    catalogue = library.catalogues["android"]
    assert len(catalogue.apps) >= 150
    assert len(catalogue.classes) == 25
    assert {app.app_class for app in catalogue.apps} >= set(catalogue.classes)


def test_every_phrasing_is_a_sentence(library: TemplateLibrary) -> None:
    phrasings = [text for one in library.templates for text in (*one.phrasings, *one.named_phrasings)]
    assert [text for text in phrasings if not re.search(r"""^["{A-Z].*[.?!}"]$""", text)] == []


@pytest.mark.parametrize("names_apps", [True, False])
@pytest.mark.parametrize("catalogue", ["android", "simulated_phone"])
def test_filled_gaps_read_grammatically(library: TemplateLibrary, catalogue: str, *, names_apps: bool) -> None:
    order = GenerationOrder(3_000, seed=1, day=DAY, catalogue=catalogue, names_apps=names_apps)
    texts = {text for task in generate(library, order).tasks for text in (task.task.task, task.task.instruction)}
    assert {text for text in texts if UNGRAMMATICAL.search(text)} == set()


def test_every_phrasing_of_every_template_reads_grammatically(library: TemplateLibrary) -> None:
    wrong = {
        text
        for template in library.templates
        for values in fillings_of(template)
        for phrasing in (template.meta_task, *template.phrasings, *template.named_phrasings)
        if UNGRAMMATICAL.search(text := fill(phrasing, values))
    }
    assert wrong == set()


def test_an_app_that_serves_one_country_only_is_asked_for_with_a_place_there(library: TemplateLibrary) -> None:
    catalogue = library.catalogues["android"]
    cities = next(template for template in library.templates if template.template_id == "home_viewing").slots["city"]
    wrong = [
        (template.template_id, app.name)
        for template in library.of("android")
        for role in template.roles
        for app in players(role, catalogue)
        if app.countries
        and not (
            "United States" in app.countries
            and (cities in template.slots.values() or "United States" in template.notes)
        )
    ]
    assert wrong == []


def test_what_may_be_several_or_a_person_is_never_called_it(library: TemplateLibrary) -> None:
    wrong = [
        (template.template_id, phrasing)
        for template in library.templates
        if any(isinstance(slot, Items) and any(map(NOT_IT.match, slot.texts)) for slot in template.slots.values())
        for phrasing in (*template.phrasings, *template.named_phrasings)
        if IT.search(phrasing)
    ]
    assert wrong == []
