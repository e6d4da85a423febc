"""EPI01 to EPI04, INS01 to INS03, ANN01, ANN02, PRV01: findings and borderline cases."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from odyssey_recorder.checking.evidence import EpisodeEvidence
from odyssey_recorder.model.action import Click, Complete, Impossible, Type
from odyssey_recorder.model.assignment import TaskOrigin
from odyssey_recorder.model.finding import Finding, Severity
from odyssey_recorder.model.geometry import Point
from odyssey_recorder.model.text_origin import Equivalence, ModelCall, TextOrigin, Writer
from odyssey_recorder.tasks.listing import read_tasks, shipped_tasks
from tests.checking.evidence import (
    CHROME,
    DOCS,
    LAUNCHER,
    Cases,
    evidence,
    found_steps,
    results,
    severities,
    unchecked_steps,
    visiting,
    with_keys,
    with_task,
    with_task_origin,
    with_text,
    without_provenance,
)
from tests.tasks.sample_tasks import human_phrasings, one_task_per_template

CLEAN = evidence()
CLOCK = "com.android.deskclock"


def with_instruction(template: str, task: str, instruction: str) -> EpisodeEvidence:
    return with_task(CLEAN, meta_task=template, task=task, instruction=instruction, apps=())


def saying(instruction: str) -> EpisodeEvidence:
    return with_task(CLEAN, instruction=instruction)


INSTRUCTION = CLEAN.episode.task.instruction.removesuffix(".")
LONG_TEXT = "17 a.b " * 100_000
APP_CHOOSER, KEYBOARD = "com.android.intentresolver", "com.google.android.inputmethod.latin"
USES_TWITTER = visiting(CLEAN, CHROME, *["com.twitter.android"] * 5)
USES_UNKNOWN_APP = visiting(with_task(CLEAN, apps=("Chrome", "Ledger")), CHROME, *["org.example.kontor"] * 5)
NAMES_MESSAGES = saying(f"{INSTRUCTION}, and tell me in Messages.")
NAMES_NO_APP = with_task(
    CLEAN,
    task="Run a speed test",
    apps=("Speedtest", "Google Keep"),
    instruction="Run a speed test of the connection and keep the result in a note.",
)


def uses_app(app: str, package: str) -> EpisodeEvidence:
    return visiting(with_task(CLEAN, apps=(app,)), *[package] * 6)


def impossible(why: str) -> EpisodeEvidence:
    return evidence(Click(Point(1, 1)), Impossible(why))


FOUND: Cases = {
    "EPI01 app that was never in front": (visiting(CLEAN, LAUNCHER, *[CHROME] * 5), [None]),
    "EPI01 other app that stays": (visiting(CLEAN, CHROME, DOCS, CLOCK, CLOCK, CLOCK, CHROME), [None]),
    "EPI01 other app in passing is allowed": (visiting(CLEAN, CHROME, DOCS, CLOCK, CLOCK, DOCS, CHROME), []),
    "EPI01 parts of Android are allowed": (
        visiting(CLEAN, CHROME, DOCS, APP_CHOOSER, APP_CHOOSER, APP_CHOOSER, KEYBOARD),
        [],
    ),
    "EPI01 package with another name is allowed": (with_task(USES_TWITTER, apps=("Chrome", "X")), []),
    "EPI01 package of another app": (with_task(USES_TWITTER, apps=("Chrome", "Google Keep")), [None, None]),
    "EPI01 package of an app without a catalogue is allowed": (USES_UNKNOWN_APP, []),
    "EPI01 singular app name is allowed": (uses_app("Setting", "com.android.settings"), []),
    "EPI01 app name with a hyphen is allowed": (uses_app("To-do", "com.odyssey.todo"), []),
    "EPI01 app of a group is allowed": (uses_app("Google Docs", "com.google.android.apps.docs"), []),
    "EPI01 app of Google is allowed": (uses_app("Clock", "com.google.android.clock"), []),
    "EPI02 app named twice": (with_task(CLEAN, apps=("Shop", "shop")), [None]),
    "EPI04 blank reason": (impossible(" "), [1]),
    "EPI04 reason is allowed": (impossible("Item not found"), []),
    "INS01 adjacent slots": (
        with_instruction("Look up {} {}", "Look up Rome tomorrow", "What is on tomorrow in Rome?"),
        [],
    ),
    "INS01 many slots take no time": (with_instruction("{} " * 60 + "x", "tea " * 400, "tea"), []),
    "INS02 one app named and not the other": (saying("Use Chrome to look it up and write it down."), [None]),
    "INS02 apps in another case are allowed": (saying("Use chrome, then google docs."), []),
    "INS02 app that the task does not have": (NAMES_MESSAGES, [None]),
    "INS02 word with an app's name is allowed": (saying(f"{INSTRUCTION}. Messages may wait."), []),
    "INS02 app that the task mentions is allowed": (
        with_task(NAMES_MESSAGES, task=f"{CLEAN.episode.task.task}; look at my messages, too."),
        [],
    ),
    "INS02 partial app name is allowed": (
        with_task(
            CLEAN, apps=("Setting", "Docs"), instruction="Open Settings, look it up, then write it into Google Docs."
        ),
        [],
    ),
}
UNSEEN: Cases = {
    "EPI01 app without a catalogue": (USES_UNKNOWN_APP, [-1]),
    "EPI01 without provenance": (without_provenance(CLEAN), [-1]),
    "EPI02 unknown category": (with_task(CLEAN, category="Cooking", apps=()), [-1]),
    "INS01 very long instruction": (saying(LONG_TEXT), [-1]),
    "INS02 very long instruction": (saying(LONG_TEXT), [-1]),
    "INS01 very long task": (with_task(CLEAN, task=LONG_TEXT), [-1]),
    "INS01 template of a thousand slots": (with_task(CLEAN, meta_task="{} " * 999), [-1]),
    "INS02 instruction that names no app": (saying("Look up the weather in Beijing."), [-1]),
    "INS02 plain words that are not app names": (NAMES_NO_APP, [-1]),
}


@pytest.mark.parametrize(
    ("category", "apps", "severity"),
    [
        ("Web_Shopping", 1, Severity.ERROR),
        ("Web_Shopping", 2, None),
        ("Multi_Apps", 2, Severity.ERROR),
        ("Multi_Apps", 3, None),
        ("General_Tool", 0, Severity.ERROR),
        ("General_Tool", 1, None),
        ("General_Tool", 2, None),
    ],
)
def test_too_few_apps_for_the_category_are_found(category: str, apps: int, severity: Severity | None) -> None:
    one = with_task(CLEAN, category=category, apps=("Shop", "Notes", "Mail")[:apps])
    assert severities("EPI02", one) == ([] if severity is None else [severity])


JUDGE = ModelCall("judge/1", "judge-1", "judge-1-0815", "http://127.0.0.1:1", datetime(2026, 11, 20, tzinfo=UTC), 9, 9)
AGREED = Equivalence(task_entails_instruction=True, instruction_entails_task=True, judge=JUDGE)


def test_judge_result_is_reported() -> None:
    assert results("INS03", with_text(CLEAN, TextOrigin(Writer.MODEL, equivalence=AGREED))) == []
    disagreed = replace(AGREED, missing=("the unit",), task_entails_instruction=False)
    (finding,) = results("INS03", with_text(CLEAN, TextOrigin(Writer.MODEL, equivalence=disagreed)))
    assert isinstance(finding, Finding)
    assert "judge-1-0815" in finding.found
    assert "the unit" in finding.found


@pytest.mark.parametrize(
    "text",
    [
        TextOrigin(Writer.PHRASING),
        TextOrigin(Writer.MODEL, equivalence=Equivalence(faults=("Leaves out 7.",))),
        TextOrigin(Writer.MODEL, equivalence=replace(AGREED, added=("a deadline",)), edited_by="Ada"),
    ],
    ids=["a person's words", "never judged", "changed since"],
)
def test_unjudged_instruction_is_unchecked(text: TextOrigin) -> None:
    assert found_steps("INS03", with_text(CLEAN, text)) == []
    assert unchecked_steps("INS03", with_text(CLEAN, text)) == [-1]


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
def test_detail_missing_from_the_instruction_is_found(template: str, task: str, instruction: str) -> None:
    assert found_steps("INS01", with_instruction(template, task, instruction)) == [None]


def test_recipient_not_in_the_task_is_a_warning() -> None:
    template, task = "Write down to {}.", "Write down to buy milk."

    def severities_for(instruction: str) -> list[Severity]:
        return severities("INS01", with_instruction(template, task, instruction))

    assert severities_for("Make a note to buy milk and share it with Mira.") == [Severity.WARNING]
    assert severities_for("Make a note to buy milk, then tell Mira.") == [Severity.WARNING]
    assert severities_for("Make a note to buy bread and share it with Mira.") == [Severity.ERROR, Severity.WARNING]
    assert severities_for("Make a note to buy milk, and share it with Messages.") == []
    recipient_in_task = with_instruction(
        "Tell {}.", "Tell a friend of tea.", "Tell Mira in a message about tea, a friend."
    )
    assert found_steps("INS01", recipient_in_task) == []
    answer = "Answer the mail and ask Mira about a present."
    assert found_steps("INS01", with_instruction(answer, answer, "Answer the mail; then ask Mira for an idea.")) == []
    other = with_instruction(answer, answer, "Answer the mail; then ask Jonas about a present.")
    assert severities("INS01", other) == [Severity.WARNING]


def test_another_frequency_is_an_error_but_none_may_be_clear() -> None:
    task = "Set a daily alarm."
    assert found_steps("INS01", with_instruction(task, task, "Set a weekly alarm in Clock.")) == [None]
    assert found_steps("INS01", with_instruction(task, task, "Set an alarm in Clock.")) == []


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
def test_rephrased_detail_is_not_missing(template: str, task: str, instruction: str) -> None:
    assert found_steps("INS01", with_instruction(template, task, instruction)) == []


def test_slot_values_are_read_from_provenance() -> None:
    words = "Keep {city} {when}", "Keep Ho Chi Minh City today", "Keep the weather of Ho Chi Minh City today."
    complete, incomplete = (
        with_instruction(*words),
        with_instruction(*words[:2], "Keep the weather of the city of today."),
    )
    slots = TaskOrigin("keep", {"city": "Ho Chi Minh City", "when": "today"})
    assert found_steps("INS01", with_task_origin(complete, slots)) == []
    (finding,) = results("INS01", with_task_origin(incomplete, slots))
    assert isinstance(finding, Finding)
    assert finding.found == "The instruction lacks Ho Chi Minh City from the task."


def test_shipped_tasks_have_no_findings() -> None:
    tasks = [listed.task for listed in read_tasks(shipped_tasks())]
    assert len(tasks) > 40
    for task in tasks:
        one = replace(CLEAN, episode=replace(CLEAN.episode, task=task))
        assert [*found_steps("INS01", one), *found_steps("INS02", one), *found_steps("PRV01", one)] == [], task.task


def test_human_instructions_without_app_names_have_no_findings() -> None:
    for task in one_task_per_template():
        for words in human_phrasings(task, names_apps=False):
            one = replace(CLEAN, episode=replace(CLEAN.episode, task=replace(task.task, instruction=words)))
            assert [*found_steps("INS01", one), *found_steps("INS02", one)] == [], words


TEXTS = {"description": "This is a page.", "low_level_instruction": "Open the page"}


def with_texts(**texts: str | None) -> EpisodeEvidence:
    one = CLEAN
    for number in range(len(one.steps)):
        one = with_keys(one, number, **TEXTS)
    return with_keys(one, 0, **{**TEXTS, **texts})


@pytest.mark.parametrize(
    ("check", "texts", "steps"),
    [
        ("ANN01", {}, []),
        ("ANN01", {"description": "  "}, [0]),
        ("ANN01", {"description": None}, [0]),
        ("ANN01", {"description": "I'm sorry, but I can't assist with that request."}, [0]),
        ("ANN01", {"description": "As an AI language model, I see no screen."}, [0]),
        ("ANN01", {"description": "To find it, I choose to tap on the"}, [0]),
        ("ANN01", {"description": "The page says “Sorry, we are closed.”"}, []),
        ("ANN01", {"low_level_instruction": "Tap on the"}, [0]),
        ("ANN02", {"low_level_instruction": "Tap at (432, 118)."}, [0]),
        ("ANN02", {"low_level_instruction": "Tap at [432, 118]."}, [0]),
        ("ANN02", {"low_level_instruction": "CLICK [1, 2]."}, [0]),
        ("ANN02", {"low_level_instruction": "Press KEY_HOME."}, [0]),
        ("ANN02", {"description": "Click the 3rd of 12 entries (from 2024)."}, []),
    ],
)
def test_useless_texts_and_coordinates_are_found(check: str, texts: dict[str, str | None], steps: list[int]) -> None:
    assert found_steps(check, with_texts(**texts)) == steps


PRIVATE = (
    "robin.keller@example.org", "call +49 170 5550123", "0761 555 0123", "(212) 555-0123", "212-555-0123",
    "4111 1111 1111 1111", "5500-0000-0000-0004",
)  # fmt: skip
HARMLESS = (
    "$1,299.00", "2026-11-21", "21.11.2026 18:30", "12:00 to 13:00", "HL-20418", "79098 Freiburg",
    "4111 1111 1111 1112", "1.234.567.890", "ada@home", "@kenji", "3.14159265358979",
)  # fmt: skip


@pytest.mark.parametrize("text", PRIVATE)
def test_email_phone_and_card_numbers_are_found(text: str) -> None:
    assert found_steps("PRV01", evidence(Type(text), Complete())) == [0]
    assert found_steps("PRV01", evidence(Type("a"), Complete(text))) == [1]
    assert found_steps("PRV01", saying(f"Write {text}.")) == [None]


@pytest.mark.parametrize("text", HARMLESS)
def test_prices_dates_and_order_numbers_are_not_private(text: str) -> None:
    assert found_steps("PRV01", evidence(Type(text), Complete())) == []


def test_finding_does_not_repeat_private_data() -> None:
    (finding,) = [one for one in results("PRV01", evidence(Type("a@b.org"), Complete())) if isinstance(one, Finding)]
    assert "a@b.org" not in finding.found
