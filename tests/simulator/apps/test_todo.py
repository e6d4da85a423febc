from tests.simulator.person import Person, person_with

ENTER = 66


def test_a_new_task_with_a_date_is_still_there_when_one_comes_back(person: Person) -> None:
    person.open("To-do", "Add task")
    person.type("Buy flour")
    person.tap("Due date", "Wednesday, November 25", "Save")
    person.home()
    person.phone.clear_recents()
    person.open("To-do")

    assert person.sees("Buy flour", "Wed, Nov 25")


def test_enter_saves_a_task_and_without_words_there_is_none(person: Person) -> None:
    person.open("To-do", "Add task")
    person.phone.press_key(ENTER)
    person.tap("Add task")
    person.type("Water the plants")
    person.phone.press_key(ENTER)

    assert person.sees("Water the plants")
    assert len([node for node in person.nodes if node.content_desc.startswith("Complete ")]) == 5


def test_a_ticked_task_is_completed_and_can_be_reopened(person: Person) -> None:
    person.open("To-do", "Complete Call grandma")
    assert person.sees("Completed (2)")

    person.tap("Reopen Call grandma")
    assert person.sees("Completed (1)")


def test_a_deleted_task_comes_back_to_its_place(person: Person) -> None:
    person.open("To-do")
    before = person.words
    person.hold("Call grandma")
    person.tap("Delete")
    assert not person.sees("Call grandma")
    assert person.sees("\u201cCall grandma\u201d deleted")

    person.tap("Undo")
    assert person.words == before


def test_the_offer_to_undo_stays_until_it_is_dismissed(person: Person) -> None:
    person.open("To-do", "Call grandma", "Delete", "Complete Book the dentist")
    assert person.sees("Undo")

    person.tap("Dismiss")
    assert not person.sees("Undo")


def test_a_task_is_edited_and_moved_to_another_list(person: Person) -> None:
    person.open("To-do", "Renew the library card")
    person.tap_field("note")
    person.type("18 euros")
    person.back()
    person.tap("Work")
    person.back()
    assert not person.sees("Renew the library card")

    person.tap("Work")
    assert person.sees("Renew the library card", "18 euros")


def test_a_list_is_made_and_shared() -> None:
    with person_with("pixel_tablet") as person:
        person.open("To-do", "New list")
        person.type("Trip")
        person.tap("Create")
        assert person.sees("Nothing to do here")

        person.tap("Add task")
        person.type("Tickets")
        person.phone.press_key(ENTER)
        person.tap("More options", "Share list", "Notes")
        assert person.field("title").text == "Trip"
        assert person.field("body").text == "- Tickets"


def test_a_deletion_can_be_undone_after_the_phone_was_restored(person: Person) -> None:
    person.open("To-do")
    before = person.words
    person.hold("Call grandma")
    person.tap("Delete")
    snapshot = person.phone.save_snapshot()
    person.tap("Dismiss")
    person.phone.load_snapshot(snapshot)
    person.tap("Undo")

    assert person.words == before


def test_a_shared_text_becomes_a_task_with_a_note(person: Person) -> None:
    person.open("Notes", "Pancakes", "Share", "Add to To-do")

    assert person.field("title").text == "Pancakes"
    assert person.field("note").text.startswith("2 eggs, 200 g flour")


def test_the_menu_sorts_by_date_and_sweeps_what_is_done(person: Person) -> None:
    person.open("To-do", "More options", "Sort by date")
    titles = [words for words in person.words if words in {"Call grandma", "Book the dentist"}]
    assert titles == ["Call grandma", "Book the dentist"]

    person.tap("More options", "Delete completed")
    assert not person.sees("Return the parcel")


def test_a_task_moves_by_a_long_press_and_loses_its_date(person: Person) -> None:
    person.open("To-do")
    person.hold("Call grandma")
    person.tap("Move to Shopping")
    assert not person.sees("Call grandma")

    person.tap("Shopping")
    person.scroll_to("Call grandma")
    person.tap("Call grandma", "Remove due date")
    assert person.sees("Set due date")
    person.tap("Mark completed")
    assert person.sees("Completed (1)")
