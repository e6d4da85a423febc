import pytest

from odyssey_recorder.simulator.apps.web_pages import Link, article_at, articles, search
from odyssey_recorder.simulator.ui.draw import icon_mask
from tests.simulator.person import Person

ENTER = 66


def look_up(person: Person, words: str) -> None:
    person.tap("Address bar")
    person.type(words)
    person.phone.press_key(ENTER)


def test_a_search_leads_to_an_article_and_back(person: Person) -> None:
    person.open("Browser")
    look_up(person, "What is the weather in Oslo")

    assert person.sees("3 results", "Oslo: 2 °C, sleet. Tomorrow 0 °C with snow.")

    person.tap("Oslo weather: forecast for the week")
    assert person.sees("Updated Saturday, 9:40")
    assert not person.sees("3 results")

    person.back()
    assert person.sees("3 results")


def test_words_that_no_page_has_give_no_results(person: Person) -> None:
    person.open("Browser")
    look_up(person, "unicorn concert tickets")

    assert person.sees("No results")


def test_an_address_is_opened_and_an_unknown_one_cannot_be_reached(person: Person) -> None:
    person.open("Browser")
    look_up(person, "https://plainmath.example/triangle")
    assert person.sees("The triangle: area, angles, kinds")

    look_up(person, "nowhere.example")
    assert person.sees("ERR_NAME_NOT_RESOLVED")


def test_a_long_press_selects_a_word_that_can_be_pasted_elsewhere(person: Person) -> None:
    person.open("Browser")
    look_up(person, "kitchenhours.example/pancakes")
    person.hold_at(*person.field("text0").bounds.center)
    person.tap("Select all", "Copy")

    assert person.phone.get_clipboard().startswith("Thick, soft and golden")


def test_an_article_scrolls_to_links_that_lead_on(person: Person) -> None:
    person.open("Browser")
    look_up(person, "gearcheck.example/headphones")
    person.scroll_to("Five running shoes compared")
    person.tap("Five running shoes compared")

    assert person.sees("Five running shoes for wet autumn roads")


def test_bookmarks_and_history_stay_when_the_task_is_gone(person: Person) -> None:
    person.open("Browser")
    look_up(person, "harborgazette.example/comet")
    person.tap("Bookmark this page")
    person.home()
    person.phone.clear_recents()
    person.open("Browser", "More options", "Bookmarks")
    assert person.sees("A comet you can see without a telescope")

    person.back()
    person.tap("More options", "History")
    assert person.sees("A comet you can see without a telescope")


def test_a_page_is_shared_with_the_to_do_list(person: Person) -> None:
    person.open("Browser")
    look_up(person, "openatlas.example/lisbon")
    person.tap("More options", "Share", "Add to To-do")
    person.back()

    assert person.sees("Three days in Lisbon: a walker's guide")
    assert person.phone.state().package == "com.odyssey.todo"


def test_an_app_that_opens_an_address_gets_the_article(person: Person) -> None:
    person.phone.start_activity("", action="android.intent.action.VIEW", data="https://wellspring.example/sleep")

    assert person.sees("Seven habits for better sleep")


def test_every_link_leads_to_an_article_and_every_icon_exists() -> None:
    assert len(articles()) >= 25
    for article in articles():
        assert icon_mask(article.icon, 24).getbbox()
        for block in article.blocks:
            assert not isinstance(block, Link) or article_at(block.address)


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("weather in Lisbon", "weather.meridian.example/lisbon"),
        ("area of a triangle", "plainmath.example/triangle"),
        ("football results", "scoreline.example/football"),
        ("best headphones", "gearcheck.example/headphones"),
        ("how to remove coffee stains", "dailyfix.example/coffee-stains"),
        ("pancake recipe", "kitchenhours.example/pancakes"),
    ],
)
def test_the_fittest_article_comes_first(query: str, first: str) -> None:
    assert search(query)[0].address == first


def test_a_restored_phone_shows_the_same_article_at_the_same_place(person: Person) -> None:
    person.open("Browser")
    look_up(person, "openatlas.example/kyoto")
    person.scroll_to("Tea")
    snapshot, before = person.phone.save_snapshot(), person.words
    person.home()
    person.phone.load_snapshot(snapshot)

    assert person.words == before
    person.scroll_to("Weather in Tokyo")
    person.tap("Weather in Tokyo")
    assert person.sees("Tokyo weather: forecast for the week")


def test_a_link_is_copied_and_a_bookmark_removed(person: Person) -> None:
    person.open("Browser")
    look_up(person, "weather.meridian.example/oslo")
    person.tap("More options", "Copy link")
    assert person.phone.get_clipboard() == "https://weather.meridian.example/oslo"

    person.tap("Remove bookmark", "Open the home page", "More options", "Bookmarks")
    assert not person.sees("Oslo weather: forecast for the week")


def test_the_history_is_cleared(person: Person) -> None:
    person.open("Browser")
    look_up(person, "wellspring.example/sleep")
    person.tap("More options", "History", "Clear history")

    assert person.sees("No history yet")


def test_a_search_of_before_is_offered_again(person: Person) -> None:
    person.open("Browser")
    look_up(person, "lentil soup")
    person.tap("Open the home page", "Address bar", "lentil soup")

    assert person.sees("Red lentil soup with lemon")
