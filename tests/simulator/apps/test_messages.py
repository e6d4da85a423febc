from tests.simulator.person import Person, person_with

ENTER = 66


def conversation(person: Person, name: str) -> None:
    person.open("Messages", name)


def test_a_message_that_was_sent_is_the_last_of_its_conversation_which_moves_to_the_top(person: Person) -> None:
    conversation(person, "Lena Hartmann")
    person.tap_field("message")
    person.type("Two tickets, please")
    person.phone.press_key(ENTER)
    assert person.sees("Two tickets, please")
    person.back()

    assert person.sees("You: Two tickets, please")
    rows = [node for node in person.nodes if node.content_desc in {"Mira Vogel", "Lena Hartmann"}]
    assert [row.content_desc for row in rows] == ["Lena Hartmann", "Mira Vogel"]


def test_a_conversation_that_was_opened_counts_as_read(person: Person) -> None:
    person.open("Messages")
    assert person.sees("2")
    person.tap("Lena Hartmann")
    person.back()

    assert not person.sees("2")


def test_an_answer_that_is_offered_is_sent_by_one_tap(person: Person) -> None:
    conversation(person, "Mira Vogel")
    person.tap("I'll bring cake")
    person.back()

    assert person.sees("You: I'll bring cake")


def test_what_was_typed_but_not_sent_is_kept_as_a_draft(person: Person) -> None:
    conversation(person, "Mum")
    person.tap_field("message")
    person.type("Potato")
    person.phone.force_stop("com.odyssey.messages")
    person.open("Messages")
    assert person.sees("Draft: Potato")
    person.tap("Mum")

    assert person.field("message").text == "Potato"


def test_a_long_press_copies_a_message(person: Person) -> None:
    conversation(person, "Aisha Rahman")
    person.hold("The review is moved to Monday 14:00, room 3.12.")
    person.tap("Copy")

    assert person.phone.get_clipboard() == "The review is moved to Monday 14:00, room 3.12."


def test_a_message_can_be_forwarded_to_another_app(person: Person) -> None:
    conversation(person, "Aisha Rahman")
    person.hold("The review is moved to Monday 14:00, room 3.12.")
    person.tap("Forward", "Notes")

    assert person.field("body").text == "The review is moved to Monday 14:00, room 3.12."


def test_a_search_looks_into_the_messages(person: Person) -> None:
    person.open("Messages")
    person.tap_field("search")
    person.type("saffron")
    assert person.sees("Sofia Rossi")
    assert not person.sees("Mira Vogel")
    person.tap("Clear search")

    assert person.sees("Mira Vogel")


def test_a_new_conversation_begins_with_a_name_and_a_shared_text_is_its_draft(person: Person) -> None:
    person.phone.start_activity("com.odyssey.messages", action="android.intent.action.SEND", data="Doors at 19:30")
    person.tap_field("to")
    person.type("grace")
    person.phone.press_key(ENTER)
    assert person.field("message").text == "Doors at 19:30"
    person.tap("Send message")
    person.phone.force_stop("com.odyssey.messages")
    person.open("Messages")

    assert person.sees("Grace Mensah", "You: Doors at 19:30")


def test_a_conversation_is_deleted_after_the_question(person: Person) -> None:
    person.open("Messages")
    person.hold("Mum")
    person.tap("Delete", "Delete")

    assert not person.sees("Mum")


def test_a_shared_photo_is_shown_as_a_picture(person: Person) -> None:
    conversation(person, "Jonas Weber")

    assert person.sees("First frost on the ridge")
    assert not any("photos.example" in words for words in person.words)


def test_a_wide_screen_shows_list_and_conversation_side_by_side() -> None:
    with person_with("pixel_tablet") as person:
        person.open("Messages")
        assert person.sees("Choose a conversation")
        person.tap("Jonas Weber", "Mum")
        assert person.sees("So happy you like it!")
        person.back()

        assert person.sees("Choose a conversation")


def test_whoever_wrote_before_can_be_chosen_and_so_can_a_bare_number(person: Person) -> None:
    person.open("Messages", "Start chat")
    person.type("mum")
    person.tap("Mum")
    assert person.sees("Will do.")
    person.phone.force_stop("com.odyssey.messages")
    person.open("Messages", "Start chat")
    person.type("+49 761 555")
    person.phone.press_key(ENTER)

    assert person.sees("Say hello to +49 761 555")
