from tests.simulator.person import Person

ENTER = 66


def test_a_reply_is_among_the_sent_mails_when_one_comes_back(person: Person) -> None:
    person.open("Mail", "Dinner on Saturday", "Reply")
    person.type("Yes, I eat fish.\nRobin")
    assert person.field("to").text == "mira.vogel@post.example"
    person.tap("Send")
    person.home()
    person.phone.clear_recents()
    person.open("Mail", "Open folders", "Sent")

    assert person.sees("To: mira.vogel@post.example", "Re: Dinner on Saturday")
    person.tap("Re: Dinner on Saturday")
    assert person.sees("Yes, I eat fish.\nRobin")


def test_a_name_is_completed_to_an_address(person: Person) -> None:
    person.open("Mail", "Compose")
    person.type("aish")
    person.tap("Aisha Rahman")
    person.type("Figures")
    person.phone.press_key(ENTER)
    person.type("12 hours")

    assert person.field("to").text == "aisha.rahman@northbay.example"
    assert person.field("subject").text == "Figures"
    assert person.field("body").text == "12 hours"


def test_a_mail_to_nobody_is_not_sent(person: Person) -> None:
    person.open("Mail", "Compose")
    person.type("nobody")
    person.tap("Send")

    assert person.sees("Enter a valid address")
    assert person.field("to").focused


def test_what_was_left_unsent_is_a_draft_that_can_be_finished(person: Person) -> None:
    person.open("Mail", "Compose")
    person.type("nora.lindqvist@post.example")
    person.phone.press_key(ENTER)
    person.type("Pumpkins")
    person.back()
    person.back()
    person.tap("Open folders", "Drafts", "Pumpkins", "Send")
    assert person.sees("Nothing in Drafts")


def test_an_archived_mail_comes_back_by_undo(person: Person) -> None:
    person.open("Mail")
    person.hold("Draft of the report")
    person.tap("Archive")
    assert not person.sees("Draft of the report")

    person.tap("Undo")
    assert person.sees("Draft of the report")


def test_a_deleted_mail_is_in_the_trash(person: Person) -> None:
    person.open("Mail", "Quarterly figures by Monday?", "Delete")
    assert not person.sees("Quarterly figures by Monday?")

    person.tap("Open folders", "Trash")
    assert person.sees("Quarterly figures by Monday?")


def test_the_search_finds_words_of_a_body(person: Person) -> None:
    person.open("Mail", "Search in mail")
    person.type("kx7p4m")
    person.phone.press_key(ENTER)
    assert person.sees("Your ticket to Lindau, 4 December")

    person.type("q")
    assert person.sees("No mails found")


def test_a_link_of_a_mail_opens_the_browser(person: Person) -> None:
    person.open("Mail")
    person.scroll_to("Letter of the week: Lisbon on foot")
    person.tap("Letter of the week: Lisbon on foot")
    person.scroll_to("Open https://openatlas.example/lisbon")
    person.tap("Open https://openatlas.example/lisbon")

    assert person.sees("Three days in Lisbon: a walker's guide")


def test_a_shared_note_becomes_a_mail(person: Person) -> None:
    person.open("Notes", "Pancakes", "Share", "Mail")

    assert person.field("subject").text == "Pancakes"
    assert person.field("body").text.startswith("2 eggs, 200 g flour")
    assert person.field("to").focused


def test_a_forwarded_mail_quotes_what_it_was(person: Person) -> None:
    person.open("Mail", "Dinner on Saturday", "Forward")

    assert person.field("subject").text == "Fwd: Dinner on Saturday"
    assert "Forwarded from Mira Vogel:\n> Hi Robin," in person.field("body").text


def test_a_discarded_mail_leaves_no_draft(person: Person) -> None:
    person.open("Mail", "Compose")
    person.type("mira.vogel@post.example")
    person.tap("More options", "Save draft")
    assert person.sees("Draft saved")

    person.tap("More options", "Discard", "Open folders", "Drafts")
    assert person.sees("Nothing in Drafts")

    person.back()
    assert person.sees("Inbox")


def test_a_mail_is_starred_and_its_sender_copied(person: Person) -> None:
    person.open("Mail", "Star Dinner on Saturday", "Dinner on Saturday")
    assert person.sees("Unstar")

    person.tap("More options", "Copy address")
    assert person.phone.get_clipboard() == "mira.vogel@post.example"
    person.back()
    person.tap("Open folders", "Starred")
    assert person.sees("Dinner on Saturday")
