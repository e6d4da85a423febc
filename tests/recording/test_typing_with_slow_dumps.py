"""Texts typed with natural pauses on a device whose views take two seconds to read."""

import random
from dataclasses import dataclass, field

import pytest

from odyssey_recorder.model.action import Complete, SystemKey
from odyssey_recorder.recording import effects, events
from odyssey_recorder.recording.events import TextEntered
from tests.recording.passive_bench import KEYS, PLAIN, TYPING, Bench, Views

WORDS = ("milk", "bread and butter", "Ada", "call the dentist", "pizza", "rain jacket", "see you at 7", "thanks")
ROWS = ("qwertyuiop", "asdfghjkl", "zxcvbnm")
DIGITS = "1234567890"
SHIFT, DELETE, ENTER, LAYER, SPACE = (0.07, 0.68), (0.93, 0.68), (0.93, 0.9), (0.07, 0.9), (0.5, 0.9)
HEIGHTS = (0.2, 0.44, 0.68)


@dataclass
class Person:
    """Types into an app of one kind, by the computer's keyboard or with a finger, with pauses as people make them."""

    bench: Bench
    phone: Views
    chance: random.Random
    by_finger: bool
    pace: float = 1.0
    corrects: bool = False
    typed: list[str] = field(default_factory=list)

    def think(self, median_s: float) -> None:
        """Thinking times are log-normal; nobody acts within 150 ms."""
        self.bench.wait(int(1000 * max(0.15, self.chance.lognormvariate(0, 0.5) * median_s * self.pace)))

    def change(self) -> None:
        self.bench.show(self.bench.screen + 1)

    def tap(self) -> None:
        """Anywhere in the app; it changes the screen."""
        self.bench.tap(500, 700, then=self.bench.screen + 1)

    def open(self, *labels: str, **fields: str) -> None:
        """Another page, by a tap; reading it takes a while."""
        self.tap()
        self.bench.areas = PLAIN
        self.show(*labels, **fields)
        self.think(2.5)

    def show(self, *labels: str, **fields: str) -> None:
        self.phone.fields, self.phone.labels, self.phone.focus = fields, frozenset(labels), ""

    def focus(self, name: str) -> None:
        self.tap()
        self.bench.areas, self.phone.focus = TYPING, name
        self.think(0.9)

    def write(self, text: str) -> None:
        """One in eight letters is mistyped and corrected at once."""
        self.typed.append(text)
        for character in text:
            if self.chance.random() < 0.12:
                self.strike(self.chance.choice("abcdefghijklmnop"))
                self.strike("\b")
            self.strike(character)
        if self.corrects and self.chance.random() < 0.5:
            name = self.phone.focus
            self.typed[-1] = f"{text[:-1]}e"
            self.phone.fields[name] = self.phone.fields[name][:-1] + "e"
            self.change()

    def strike(self, character: str) -> None:
        name = self.phone.focus
        held = self.phone.fields[name]
        if self.by_finger:
            self.touch(character)
        else:
            self.press(character)
        if character != "\n":
            self.phone.fields[name] = held[:-1] if character == "\b" else held + character
        self.change()
        low, high = (180, 420) if self.by_finger else (90, 260)
        self.bench.wait(self.chance.randrange(low, high, 20))

    def press(self, character: str) -> None:
        codes = {" ": "SPACE", "\b": "BACKSPACE", "\n": "ENTER"}
        self.bench.strike(f"KEY_{codes.get(character, character.upper())}", shifted=character.isupper())

    def touch(self, character: str) -> None:
        if character.isupper():
            self.tap_key(SHIFT)
        if character in DIGITS:
            self.tap_key(LAYER)
            self.tap_key((0.05 + DIGITS.index(character) / 10, HEIGHTS[0]))
            self.tap_key(LAYER)
        elif character in "\b\n ":
            self.tap_key({"\b": DELETE, "\n": ENTER, " ": SPACE}[character])
        else:
            lower = character.lower()
            row = next(number for number, letters in enumerate(ROWS) if lower in letters)
            column = ROWS[row].index(lower) / 10 + (0.05, 0.1, 0.2)[row]
            self.tap_key((column, HEIGHTS[row]))

    def tap_key(self, at: tuple[float, float]) -> None:
        across = at[0] + self.chance.uniform(-0.035, 0.035)
        x = KEYS.left + int(across * (KEYS.right - KEYS.left))
        self.bench.down().wait(80)
        self.bench.up((x, KEYS.top + int(at[1] * (KEYS.bottom - KEYS.top))))
        self.bench.wait(60)

    # Apps, each with one or two texts.

    def search(self, text: str) -> None:
        self.open("Home", query="")
        self.focus("query")
        self.write(text)
        self.think(0.6)
        self.strike("\n")
        self.bench.areas = PLAIN
        self.show("Offers", "Prices", query=self.typed[-1])
        self.change()
        self.think(2.5)

    def list(self, text: str) -> None:
        self.open("To do", "Water the plants", entry="")
        self.focus("entry")
        self.write(text)
        self.think(0.6)
        self.strike("\n")
        self.show("To do", "Water the plants", self.typed[-1], entry="")
        self.change()
        self.think(2.5)

    def chat(self, text: str) -> None:
        self.open("Grace", "Hello!", message="")
        self.focus("message")
        self.write(text)
        self.think(0.6)
        self.tap()
        self.show("Grace", "Hello!", self.typed[-1], message="")
        self.think(2.5)

    def form(self, first: str, second: str) -> None:
        self.open("New contact", name="", company="")
        self.focus("name")
        self.write(first)
        self.think(0.5)
        self.focus("company")
        self.write(second)
        self.think(0.8)
        self.tap()
        self.bench.areas = PLAIN
        self.show("Contact", *self.typed[-2:])
        self.think(2.5)

    def note(self, text: str) -> None:
        """A field with old text; the keyboard writes behind it."""
        self.open("Notes", body="Buy ")
        self.focus("body")
        self.write(text)
        self.think(1.2)
        self.tap()
        self.bench.areas = PLAIN
        self.show("Notes", f"Buy {self.typed[-1]}", body=f"Buy {self.typed[-1]}")
        self.think(2.0)


def work(seed: int, *, by_finger: bool, pace: float = 1.0, corrects: bool = False) -> Person:
    """An episode of ten texts in five apps. `pace`: how long the person thinks. The keyboard may correct the texts."""
    phone, chance = Views(), random.Random(seed)
    person = Person(Bench(phone=phone, look_ms=120).begin(), phone, chance, by_finger, pace, corrects)
    words = [chance.choice(WORDS) for _ in range(10)]
    person.search(words[0])
    person.list(words[1])
    person.form(words[2], words[3])
    person.chat(words[4])
    person.note(words[5])
    person.search(words[6])
    person.form(words[7], words[8])
    person.list(words[9])
    person.bench.send(events.Intended(Complete(), person.bench.now_ns))
    person.bench.wait(16_000)
    return person


def texts_of(person: Person) -> list[tuple[str, str | None]]:
    """What was typed, and what was recorded; None if the annotator was asked."""
    asked = {question.step for question in person.bench.questions}
    recorded = [
        None if number in asked else step.intent.text
        for number, step in enumerate(person.bench.steps)
        if isinstance(step.intent, TextEntered)
    ]
    return list(zip(person.typed, recorded, strict=True))


@pytest.mark.parametrize("by_finger", [False, True], ids=["computer's keyboard", "on-screen keyboard"])
def test_texts_are_known_without_asking(by_finger: bool) -> None:
    texts = [text for seed in (1, 2) for text in texts_of(work(seed, by_finger=by_finger))]

    assert len(texts) == 20
    assert sum(recorded is None for _, recorded in texts) <= 1
    assert [pair for pair in texts if pair[1] not in {pair[0], None}] == []


@pytest.mark.parametrize("by_finger", [False, True], ids=["computer's keyboard", "on-screen keyboard"])
def test_no_text_of_a_hurry_is_wrong(by_finger: bool) -> None:
    texts = [text for seed in (3, 4) for text in texts_of(work(seed, by_finger=by_finger, pace=0.4))]

    assert sum(recorded is None for _, recorded in texts) < len(texts)
    assert [pair for pair in texts if pair[1] not in {pair[0], None}] == []


def test_text_that_the_keyboard_corrects_is_what_the_field_holds() -> None:
    texts = [text for seed in (5, 6) for text in texts_of(work(seed, by_finger=True, corrects=True))]

    assert [pair for pair in texts if pair[1] not in {pair[0], None}] == []


def test_undone_text_is_neither_amended_nor_asked_for() -> None:
    phone = Views({"query": ""}, "query", frozenset({"Home"}))
    bench = Bench(phone=phone).begin().wait(3000).type("KEY_O", "KEY_K")
    bench.tap(500, 700).wait(200)
    assert isinstance(bench.steps[0].intent, TextEntered)
    bench.send(events.UndoWanted(bench.now_ns, 2)).wait(200)
    phone.fields["query"] = "ok"
    bench.wait(20_000)

    assert bench.questions == []
    assert not any(isinstance(effect, effects.AmendText) for effect in bench.emitted)


def test_question_about_keys_of_the_computer_proposes_them() -> None:
    bench = Bench(field_text=None).begin()
    bench.strike("KEY_O", shifted=True).type("KEY_K", "KEY_X", "KEY_BACKSPACE", "KEY_ENTER")
    bench.press(SystemKey.HOME).wait(16_000)

    assert bench.questions == [effects.AskText(0, "Ok")]
