"""Everything that templates assume about the simulated emulator exists: apps and the content that tasks mention."""

import re
from collections import Counter

import pytest

from odyssey_recorder.model.episode import Category
from odyssey_recorder.tasks.templates.template import Catalogue, Items, Slot, TemplateLibrary
from odyssey_simulator.apps import APPS
from odyssey_simulator.apps.cities import Cities
from odyssey_simulator.apps.content import table
from odyssey_simulator.apps.goods import Wish, find
from odyssey_simulator.apps.people import people
from odyssey_simulator.apps.photographs import photographs
from odyssey_simulator.apps.recordings import songs
from odyssey_simulator.apps.web_pages import search


@pytest.fixture(scope="module")
def catalogue(library: TemplateLibrary) -> Catalogue:
    """The apps of the simulated emulator according to the templates."""
    return library.catalogues["simulated_phone"]


def test_catalogue_lists_exactly_the_simulated_apps(catalogue: Catalogue) -> None:
    installed = {(app.label, app.package) for app in APPS}
    assert {(app.name, app.package) for app in catalogue.apps} == installed


def test_app_classes_are_those_of_android(library: TemplateLibrary, catalogue: Catalogue) -> None:
    assert set(catalogue.classes) <= set(library.catalogues["android"].classes)
    assert {app.app_class for app in catalogue.apps} == set(catalogue.classes)


def test_every_category_has_templates_for_the_simulated_phone(library: TemplateLibrary) -> None:
    counts = Counter(template.category for template in library.of("simulated_phone"))
    assert all(counts[category] >= 5 for category in Category)


def test_content_named_by_tasks_exists_on_the_phone(library: TemplateLibrary) -> None:
    artists = [song.artist for song in songs()]
    captions = " / ".join(photograph.caption.lower() for photograph in photographs())
    captioned = [
        re.sub("^the picture (of |with the caption )?", "", text)
        for text in items(library, "phone_favourite_picture", "picture")
    ]
    places = {photograph.place for photograph in photographs()}
    weather = [f"weather {city}" for city in items(library, "phone_weather_message", "city")]
    missing = {
        "product": [
            text for text in items(library, "phone_gift", "product") if not find(Wish(text.removeprefix("the ")))
        ],
        "song": {*items(library, "phone_song_share", "song")} - {f"{song.title} by {song.artist}" for song in songs()},
        "artist": [one for one in items(library, "phone_playlist_note", "artist") if artists.count(one) < 4],
        "picture": [words for words in captioned if words.lower().removeprefix("the ") not in captions],
        "place": {text.removeprefix("the ") for text in items(library, "phone_place_pictures", "place")} - places,
        "topic": [words for words in (*items(library, "phone_article_note", "topic"), *weather) if not search(words)],
    }
    assert {what: lost for what, lost in missing.items() if lost} == {}


def test_tasks_use_every_friend_and_city_of_the_phone(library: TemplateLibrary) -> None:
    assert set(items(library, "phone_song_share", "friend")) == {person.name.split()[0] for person in people()}
    cities = Cities.of(table("clock"))
    assert set(items(library, "phone_world_time", "city")) == set(cities.places) - {*cities.shown, cities.home}


def items(library: TemplateLibrary, template_id: str, slot: str) -> tuple[str, ...]:
    found: Slot = next(one.slots[slot] for one in library.templates if one.template_id == template_id)
    assert isinstance(found, Items)
    return found.texts
