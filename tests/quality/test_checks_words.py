"""EPI01 to EPI04, INS01 to INS03, ANN01, ANN02, PRV01: findings and borderline cases."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from odyssey_recorder.model.action import Click, Complete, Impossible, Type
from odyssey_recorder.model.assignment import TaskOrigin
from odyssey_recorder.model.geometry import Point
from odyssey_recorder.model.text_origin import Equivalence, ModelCall, TextOrigin, Writer
from odyssey_recorder.quality.evidence import EpisodeEvidence
from odyssey_recorder.quality.finding import Finding, Severity
from odyssey_recorder.task.listing import read_tasks, shipped_tasks
from tests.quality.evidence import (
    CHROME,
    DOCS,
    LAUNCHER,
    evidence,
    found,
    in_front,
    said,
    unproved,
    unseen,
    with_keys,
    with_making,
    with_task,
    with_text,
)
from tests.task.worded import human_words, one_of_each

CLEAN = evidence()
CLOCK = "com.android.deskclock"


def asked(template: str, task: str, instruction: str) -> EpisodeEvidence:
    return with_task(CLEAN, meta_task=template, task=task, instruction=instruction, apps=())


# --- the course ------------------------------------------------------------------------------------------


def test_an_app_that_was_never_in_front_is_found() -> None:
    assert found("EPI01", in_front(CLEAN, LAUNCHER, CHROME, CHROME, CHROME, CHROME, CHROME)) == [None]
    assert found("EPI01", CLEAN) == []


def test_an_app_of_no_task_is_found_when_it_stays() -> None:
    assert found("EPI01", in_front(CLEAN, CHROME, DOCS, CLOCK, CLOCK, CLOCK, CHROME)) == [None]
    assert found("EPI01", in_front(CLEAN, CHROME, DOCS, CLOCK, CLOCK, DOCS, CHROME)) == []


def test_parts_of_android_are_no_apps() -> None:
    chooser, keyboard = "com.android.intentresolver", "com.google.android.inputmethod.latin"

    assert found("EPI01", in_front(CLEAN, CHROME, DOCS, chooser, chooser, chooser, keyboard)) == []


def test_the_catalogue_knows_an_app_whose_package_has_another_name() -> None:
    assert found("EPI01", in_front(with_task(CLEAN, apps=("Chrome", "X")), CHROME, *["com.twitter.android"] * 5)) == []
    other = in_front(with_task(CLEAN, apps=("Chrome", "Google Keep")), CHROME, *["com.twitter.android"] * 5)
    assert found("EPI01", other) == [None, None]


def test_an_app_that_no_catalogue_has_may_be_any_other() -> None:
    one = in_front(with_task(CLEAN, apps=("Chrome", "Ledger")), CHROME, *["org.example.kontor"] * 5)

    assert found("EPI01", one) == []
    assert unseen("EPI01", one) == [-1]
    assert unseen("EPI01", unproved(CLEAN)) == [-1]


@pytest.mark.parametrize(
    ("app", "package"),
    [
        ("Setting", "com.android.settings"),
        ("To-do", "com.odyssey.todo"),
        ("Google Docs", "com.google.android.apps.docs"),
        ("Clock", "com.google.android.clock"),
    ],
)
def test_apps_are_known_by_their_packages(app: str, package: str) -> None:
    assert said("EPI01", in_front(with_task(CLEAN, apps=(app,)), *[package] * 6)) == []


@pytest.mark.parametrize(
    ("category", "apps", "severity"),
    [
        ("Web_Shopping", 1, Severity.ERROR),
        ("Web_Shopping", 2, None),
        ("Multi_Apps", 2, Severity.ERROR),
        ("Multi_Apps", 3, None),
        ("General_Tool", 0, Severity.ERROR),
        ("General_Tool", 1, Severity.NOTE),
        ("General_Tool", 2, None),
    ],
)
def test_fewer_apps_than_the_category_asks_for_are_found(category: str, apps: int, severity: Severity | None) -> None:
    one = with_task(CLEAN, category=category, apps=("Shop", "Notes", "Mail")[:apps])

    assert [finding.severity for finding in said("EPI02", one) if isinstance(finding, Finding)] == (
        [] if severity is None else [severity]
    )


def test_an_app_named_twice_counts_once_and_an_unknown_category_asks_for_nothing() -> None:
    assert found("EPI02", with_task(CLEAN, apps=("Shop", "shop"))) == [None]
    assert unseen("EPI02", with_task(CLEAN, category="Cooking", apps=())) == [-1]


def test_impossible_without_a_reason_is_found() -> None:
    assert found("EPI04", evidence(Click(Point(1, 1)), Impossible(" "))) == [1]
    assert found("EPI04", evidence(Click(Point(1, 1)), Impossible("Item not found"))) == []


@pytest.mark.parametrize("check", ["EPI06", "INS03"])
def test_what_only_a_language_model_can_judge_is_not_checked(check: str) -> None:
    assert found(check, CLEAN) == []
    assert unseen(check, CLEAN) == [-1]


JUDGE = ModelCall("judge/1", "judge-1", "judge-1-0815", "http://127.0.0.1:1", datetime(2026, 11, 20, tzinfo=UTC), 9, 9)
AGREED = Equivalence(task_entails_instruction=True, instruction_entails_task=True, judge=JUDGE)


def test_what_the_judge_said_of_the_instruction_is_told() -> None:
    assert said("INS03", with_text(CLEAN, TextOrigin(Writer.MODEL, equivalence=AGREED))) == []
    lacking = replace(AGREED, missing=("the unit",), task_entails_instruction=False)
    (finding,) = said("INS03", with_text(CLEAN, TextOrigin(Writer.MODEL, equivalence=lacking)))
    assert isinstance(finding, Finding)
    assert "judge-1-0815" in finding.found
    assert "the unit" in finding.found


@pytest.mark.parametrize(
    "text",
    [
        TextOrigin(Writer.PHRASING),
        TextOrigin(Writer.MODEL, equivalence=Equivalence(faults=("It lacks 7.",))),
        TextOrigin(Writer.MODEL, equivalence=replace(AGREED, added=("a deadline",)), edited_by="Ada"),
    ],
    ids=["a person's words", "never judged", "changed since"],
)
def test_words_that_no_judge_has_seen_are_not_checked(text: TextOrigin) -> None:
    assert found("INS03", with_text(CLEAN, text)) == []
    assert unseen("INS03", with_text(CLEAN, text)) == [-1]


# --- the instruction -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("template", "task", "instruction"),
    [
        ("Find {}.", "Find tea.", " "),
        ("Find {}.", "Find tea.", "Please find {}, tea."),
        ("Find {item}.", "Find tea.", "Please find {item}, tea."),
        ("Find the {} here.", "Find the zeppelin museum here.", "Look for a big museum."),
        ("Keep the weather of {}.", "Keep the weather of Oslo.", "Keep the weather of Rome in a note."),
        ("Work out {}.", "Work out 7 x 8 tiles.", "How many tiles are 7 x 6?"),
        ("Wake me at {}.", "Wake me at 7:20.", "Set an alarm for 7:30."),
        ("Write {}.", 'Write "Present" down.', "Write it down."),
        ("Meet {}.", "Meet on 25 November.", "Make it the 25th of December."),
        ("Wake me at {}.", "Wake me at 8:00.", "Set an alarm for 8 pm."),
        ("Find {}.", "Find tea for 20 euros.", "Who has tea for 20 dollars?"),
        ("Write down to {}.", "Write down to buy milk.", "Make a note so that I remember to buy bread."),
        ("Look up {}, and do not save it.", "Look up tea, and do not save it.", "Look up tea and save it."),
        ("Send all to {}, except the last.", "Send all to Mira, except the last.", "Send all of them to Mira."),
    ],
)
def test_what_an_instruction_has_lost_is_found(template: str, task: str, instruction: str) -> None:
    assert found("INS01", asked(template, task, instruction)) == [None]


def test_somebody_who_is_told_and_is_not_in_the_task_is_a_warning() -> None:
    template, task = "Write down to {}.", "Write down to buy milk."

    def severities(instruction: str) -> list[Severity]:
        said_of_it = said("INS01", asked(template, task, instruction))
        return [finding.severity for finding in said_of_it if isinstance(finding, Finding)]

    assert severities("Make a note to buy milk and share it with Mira.") == [Severity.WARNING]
    assert severities("Make a note to buy milk, then tell Mira.") == [Severity.WARNING]
    assert severities("Make a note to buy bread and share it with Mira.") == [Severity.ERROR, Severity.WARNING]
    assert severities("Make a note to buy milk, and share it with Messages.") == []
    assert (
        found("INS01", asked("Tell {}.", "Tell a friend of tea.", "Tell Mira in a message about tea, a friend.")) == []
    )


@pytest.mark.parametrize(
    ("template", "task", "instruction"),
    [
        ("Find the {} here.", "Find the zeppelin museum here.", "There must be a museum of zeppelins: find it."),
        ("Time {}.", "Time 6 minutes and 30 seconds.", "Start a timer for six and a half minutes."),
        ("Wake me at {}.", "Wake me at 18:00.", "Set an alarm for 6 pm."),
        ("Find {}.", "Find 1,299 dollars.", "Who has $1299?"),
        ("Meet {}.", "Meet on 25 November.", "Make it Wednesday the 25th of November."),
        ("Meet {}.", "Meet on 25 November.", "Make it Wednesday the 25th."),
        ("Wake me at {}.", "Wake me at 8:00.", "Set an alarm for 8."),
        ("Work out {}.", "Work out the share of 15 percent of 64.80.", "Calculate 15 % of 64.80."),
        ("Write {}.", 'Write "Present" down.', "Write down “present”."),
        ("No gap.", "No gap.", "Something else altogether."),
    ],
)
def test_what_an_instruction_says_otherwise_is_not_lost(template: str, task: str, instruction: str) -> None:
    assert found("INS01", asked(template, task, instruction)) == []


def test_what_filled_the_gaps_is_known_from_the_proof() -> None:
    words = "Keep {city} {when}", "Keep Ho Chi Minh City today", "Keep the weather of Ho Chi Minh City today."
    kept, lost = asked(*words), asked(*words[:2], "Keep the weather of the city of today.")
    slots = TaskOrigin("keep", {"city": "Ho Chi Minh City", "when": "today"})

    assert found("INS01", with_making(kept, slots)) == []
    (finding,) = said("INS01", with_making(lost, slots))
    assert isinstance(finding, Finding)
    assert finding.found == "The instruction lacks Ho Chi Minh City of the task."


def test_gaps_side_by_side_are_filled_with_whole_words() -> None:
    assert found("INS01", asked("Look up {} {}", "Look up Rome tomorrow", "What is on tomorrow in Rome?")) == []


def test_a_template_of_gaps_alone_takes_no_time() -> None:
    assert found("INS01", asked("{} " * 60 + "x", "tea " * 400, "tea")) == []


def test_words_as_long_as_a_book_are_not_checked() -> None:
    book = "17 a.b " * 100_000

    for one in (
        with_task(CLEAN, instruction=book),
        with_task(CLEAN, task=book),
        with_task(CLEAN, meta_task="{} " * 999),
    ):
        assert unseen("INS01", one) == unseen("INS02", one) == [-1]


def test_nothing_is_found_in_the_words_of_the_tasks_that_come_with_the_program() -> None:
    tasks = [listed.task for listed in read_tasks(shipped_tasks())]

    assert len(tasks) > 40
    for task in tasks:
        one = replace(CLEAN, episode=replace(CLEAN.episode, task=task))
        assert [*found("INS01", one), *found("INS02", one), *found("PRV01", one)] == [], task.task


def test_an_instruction_that_names_one_app_and_not_the_other_is_found() -> None:
    assert found("INS02", with_task(CLEAN, instruction="Use Chrome to look it up and write it down.")) == [None]
    assert found("INS02", with_task(CLEAN, instruction="Use chrome, then google docs.")) == []


def test_an_app_that_is_none_of_the_tasks_is_found() -> None:
    words = CLEAN.episode.task.instruction.removesuffix(".")

    assert found("INS02", with_task(CLEAN, instruction=f"{words}, and tell me in Messages.")) == [None]
    assert found("INS02", with_task(CLEAN, instruction=f"{words}. Messages may wait.")) == []
    task = f"{CLEAN.episode.task.task}; look at my messages, too."
    assert found("INS02", with_task(CLEAN, task=task, instruction=f"{words}, and tell me in Messages.")) == []


def test_an_app_that_other_data_call_by_part_of_its_name_is_the_tasks() -> None:
    words = "Open Settings, look it up, then write it into Google Docs."

    assert found("INS02", with_task(CLEAN, apps=("Setting", "Docs"), instruction=words)) == []


def test_an_instruction_that_names_no_app_may_be_meant_so() -> None:
    assert unseen("INS02", with_task(CLEAN, instruction="Look up the weather in Beijing.")) == [-1]


def test_plain_words_are_no_names_of_apps() -> None:
    words = "Run a speed test of the connection and keep the result in a note."
    one = with_task(CLEAN, task="Run a speed test", apps=("Speedtest", "Google Keep"), instruction=words)

    assert unseen("INS02", one) == [-1]


def test_nothing_is_found_in_what_people_wrote_for_the_templates_without_naming_apps() -> None:
    for task in one_of_each():
        for words in human_words(task, names_apps=False):
            one = replace(CLEAN, episode=replace(CLEAN.episode, task=replace(task.task, instruction=words)))
            assert [*found("INS01", one), *found("INS02", one)] == [], words


# --- annotations -----------------------------------------------------------------------------------------


GOOD = {"description": "This is a page.", "low_level_instruction": "Open the page"}


def annotated(**texts: str | None) -> EpisodeEvidence:
    one = CLEAN
    for number in range(len(one.steps)):
        one = with_keys(one, number, **GOOD)
    return with_keys(one, 0, **{**GOOD, **texts})


@pytest.mark.parametrize(
    "text",
    [
        "  ",
        None,
        "I'm sorry, but I can't assist with that request.",
        "As an AI language model, I see no screen.",
        "To find it, I choose to tap on the",
    ],
)
def test_an_annotation_that_says_nothing_is_found(text: str | None) -> None:
    assert found("ANN01", annotated(description=text)) == [0]


def test_whole_annotations_are_right() -> None:
    assert found("ANN01", annotated()) == []
    assert found("ANN01", annotated(description="The page says “Sorry, we are closed.”")) == []
    assert found("ANN01", annotated(low_level_instruction="Tap on the")) == [0]


@pytest.mark.parametrize("text", ["Tap at (432, 118).", "Tap at [432, 118].", "CLICK [1, 2].", "Press KEY_HOME."])
def test_coordinates_and_tags_in_an_annotation_are_found(text: str) -> None:
    assert found("ANN02", annotated(low_level_instruction=text)) == [0]


def test_plain_annotations_are_right() -> None:
    assert found("ANN02", annotated(description="Click the 3rd of 12 entries (from 2024).")) == []


@pytest.mark.parametrize("check", ["ANN01", "ANN02"])
def test_where_there_are_no_annotations_none_are_checked(check: str) -> None:
    assert unseen(check, CLEAN) == [-1]


# --- private data ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "robin.keller@example.org",
        "call +49 170 5550123",
        "0761 555 0123",
        "(212) 555-0123",
        "212-555-0123",
        "4111 1111 1111 1111",
        "5500-0000-0000-0004",
    ],
)
def test_addresses_telephone_numbers_and_cards_are_found(text: str) -> None:
    assert found("PRV01", evidence(Type(text), Complete())) == [0]
    assert found("PRV01", evidence(Type("a"), Complete(text))) == [1]
    assert found("PRV01", with_task(CLEAN, instruction=f"Write {text}.")) == [None]


@pytest.mark.parametrize(
    "text",
    [
        "$1,299.00",
        "2026-11-21",
        "21.11.2026 18:30",
        "12:00 to 13:00",
        "HL-20418",
        "79098 Freiburg",
        "4111 1111 1111 1112",
        "1.234.567.890",
        "ada@home",
        "@kenji",
        "3.14159265358979",
    ],
)
def test_prices_dates_times_and_orders_are_not_private(text: str) -> None:
    assert found("PRV01", evidence(Type(text), Complete())) == []


def test_what_is_private_is_not_repeated() -> None:
    (finding,) = [one for one in said("PRV01", evidence(Type("a@b.org"), Complete())) if isinstance(one, Finding)]

    assert "a@b.org" not in finding.found


def test_pictures_are_not_read() -> None:
    assert unseen("PRV01", CLEAN) == [-1]
