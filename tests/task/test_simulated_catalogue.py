"""Everything that templates assume about the simulated emulator exists: apps and the content that tasks mention."""

from collections import Counter

import pytest

from odyssey_recorder.model.episode import Category
from odyssey_recorder.simulator.apps import APPS
from odyssey_recorder.simulator.apps.cities import Cities
from odyssey_recorder.simulator.apps.content import table
from odyssey_recorder.simulator.apps.goods import Wish, find
from odyssey_recorder.simulator.apps.people import people
from odyssey_recorder.simulator.apps.photographs import photographs
from odyssey_recorder.simulator.apps.recordings import songs
from odyssey_recorder.simulator.apps.web_pages import search
from odyssey_recorder.task.templates.template import Catalogue, Items, Slot, TemplateLibrary
from odyssey_recorder.task.templates.template_files import load_library, shipped_templates


@pytest.fixture(scope="module")
def library() -> TemplateLibrary:
    return load_library([shipped_templates()])


@pytest.fixture(scope="module")
def catalogue(library: TemplateLibrary) -> Catalogue:
    """The apps of the simulated emulator according to the templates."""
    return library.catalogues["simulated_phone"]


def test_the_catalogue_holds_the_apps_of_the_phone_and_no_other(catalogue: Catalogue) -> None:
    there = {(app.label, app.package) for app in APPS}
    assert {(app.name, app.package) for app in catalogue.apps} == there


def test_its_classes_are_classes_of_android_apps(library: TemplateLibrary, catalogue: Catalogue) -> None:
    assert set(catalogue.classes) <= set(library.catalogues["android"].classes)
    assert {app.app_class for app in catalogue.apps} == set(catalogue.classes)


def test_every_category_can_be_recorded_on_the_phone(library: TemplateLibrary) -> None:
    there = Counter(template.category for template in library.of("simulated_phone"))
    assert all(there[category] >= 5 for category in Category)


def test_each_product_is_found_by_the_words_of_the_task(library: TemplateLibrary) -> None:
    lost = [text for text in items(library, "phone_gift", "product") if not find(Wish(text.removeprefix("the ")))]
    assert lost == []


def test_each_song_is_in_the_library(library: TemplateLibrary) -> None:
    there = {f"{song.title} by {song.artist}" for song in songs()}
    assert set(items(library, "phone_song_share", "song")) <= there


def test_each_artist_has_as_many_songs_as_a_task_may_ask_for(library: TemplateLibrary) -> None:
    artists = [song.artist for song in songs()]
    assert all(artists.count(artist) >= 4 for artist in items(library, "phone_playlist_note", "artist"))


def test_each_picture_has_the_words_of_the_task_in_its_caption(library: TemplateLibrary) -> None:
    captions = " / ".join(photograph.caption.lower() for photograph in photographs())
    texts = items(library, "phone_favourite_picture", "picture")
    said = [text.removeprefix("the picture ").removeprefix("of ").removeprefix("with the caption ") for text in texts]
    assert [words for words in said if words.lower().removeprefix("the ") not in captions] == []


def test_pictures_come_from_the_places_of_the_tasks(library: TemplateLibrary) -> None:
    there = {photograph.place for photograph in photographs()}
    named = {text.removeprefix("the ") for text in items(library, "phone_place_pictures", "place")}
    assert named <= there


def test_each_friend_is_known_by_the_first_name(library: TemplateLibrary) -> None:
    there = {person.name.split()[0] for person in people()}
    assert set(items(library, "phone_song_share", "friend")) == there


def test_each_city_can_be_added_to_the_clock(library: TemplateLibrary) -> None:
    cities = Cities.of(table("clock"))
    assert set(items(library, "phone_world_time", "city")) == set(cities.places) - {*cities.shown, cities.home}


def test_the_web_answers_each_subject(library: TemplateLibrary) -> None:
    subjects = items(library, "phone_article_note", "topic")
    weather = [f"weather {city}" for city in items(library, "phone_weather_message", "city")]
    assert [words for words in (*subjects, *weather) if not search(words)] == []


def items(library: TemplateLibrary, template_id: str, slot: str) -> tuple[str, ...]:
    found: Slot = next(one.slots[slot] for one in library.templates if one.template_id == template_id)
    assert isinstance(found, Items)
    return found.texts
