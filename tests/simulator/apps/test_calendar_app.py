from tests.simulator.person import Person, person_with


def make_event(person: Person, title: str) -> None:
    person.open("Calendar", "New event")
    person.type(title)
    person.back()


def test_a_new_event_is_on_its_day_when_one_comes_back(person: Person) -> None:
    make_event(person, "Dinner with Ada")
    person.tap("Sat, Nov 21", "Next month", "Thursday, December 3", "12:00")
    for _ in range(6):
        person.tap("Later hour")
    for _ in range(3):
        person.tap("Later minute")
    person.tap("OK", "Save")
    assert person.sees("December 2026")

    person.home()
    person.phone.clear_recents()
    person.open("Calendar")
    assert person.sees("Saturday, November 21")
    person.tap("Next month", "Thursday, December 3", "Dinner with Ada")
    assert person.sees("Thursday, December 3, 2026\n18:15 \u2013 19:15")


def test_a_day_shows_its_agenda(person: Person) -> None:
    person.open("Calendar", "Thursday, November 26")

    assert person.sees("Slides for the board")
    person.tap("Monday, November 30")
    assert person.sees("Nothing planned")


def test_an_event_without_a_title_cannot_be_saved(person: Person) -> None:
    person.open("Calendar", "New event")

    person.tap("Save")
    assert person.sees("New event")
    assert not person.sees("Event saved")


def test_an_event_that_ends_before_it_begins_is_refused(person: Person) -> None:
    make_event(person, "Backwards")
    person.tap("13:00", "Earlier hour", "Earlier hour", "OK", "Save")

    assert person.sees("The event would end before it begins")


def test_an_event_is_edited_and_deleted(person: Person) -> None:
    person.open("Calendar", "Farmers' market with Nora", "Edit event")
    person.tap_field("place")
    person.type(", north side")
    person.back()
    person.tap("Save")
    assert person.sees("Quay Square, north side")

    person.tap("Delete event", "Delete")
    assert not person.sees("Farmers' market with Nora")


def test_the_search_finds_events_of_any_month(person: Person) -> None:
    person.open("Calendar", "Search events")
    person.type("lindau")

    assert person.sees("Train to Lindau")
    person.type("x")
    assert person.sees("No events found")


def test_a_swipe_turns_the_month(person: Person) -> None:
    person.open("Calendar")
    x, y = person.find("Wednesday, November 11").bounds.center
    person.swipe((x + 200, y), (x - 200, y))

    assert person.sees("December 2026")


def test_a_shared_text_becomes_an_event() -> None:
    with person_with("medium_phone") as person:
        person.open("Notes", "Book club", "Share", "New event", "Save")

        assert person.sees("Book club", "12:00 \u2013 13:00")
