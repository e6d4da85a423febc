import re
from collections import Counter
from datetime import date

import pytest

from odyssey_recorder.model.episode import Category
from odyssey_recorder.tasks.generation.generator import GenerationOrder, generate
from odyssey_recorder.tasks.templates.filling import Fillings
from odyssey_recorder.tasks.templates.template import TemplateLibrary

DAY = date(2026, 12, 1)
UNGRAMMATICAL = re.compile(
    r"\b(\w+) \1\b"
    r"|\b(?:on|for|at|by|until|from|before) in \d+ days"
    r"|\b(?:on|in|at) (?:tomorrow|today|this coming)\b(?!')"
    r"|\b[Aa] (?!one\b|eu)[aeio]|\b[Aa]n (?!hour|hon|8|MBA|NBA|MP|SUV|R)[^aeiouAEIOU]"
    r"|  | [,.;:?!]|[.,]{2}"
)
"""A repeated word, a preposition that does not go with a day, a wrong article, misplaced spaces and punctuation."""


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
