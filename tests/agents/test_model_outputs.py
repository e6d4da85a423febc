"""Answers of models that people met and reported, see data/public_reports; and what becomes of all answers if signs are
lost, moved, doubled or of another kind.
"""
# ruff: noqa: RUF001 - full-width punctuation

import json
import random
import re
import time
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from odyssey_recorder.agents.adapter import Reading, adapter_named
from odyssey_recorder.agents.frames import finger_direction
from odyssey_recorder.model.action import Action, Click, Complete, Impossible, LongPress, Scroll, Type, action_type
from odyssey_recorder.model.geometry import Size
from tests.agents.test_adapters import SAMPLES

TRUE = Size(1440, 3120)
SENT = {"qwen2.5-vl": Size(672, 1456), "ui-tars-1.5": Size(1428, 3108)}
REPORTS = Path(__file__).parent / "data" / "public_reports"
OTHER_READINGS = {"button in small letters (60897751299)": "BACK"}
"""Issue 33 has them read, as the newer models of the same tool write them."""
REQUESTS = {"open an app": "OPEN", "Enter": "KEY"}


def reported() -> list[dict[str, Any]]:
    found = json.loads((REPORTS / "model_outputs.json").read_text())
    return [report | {"adapter": "autoglm-phone"} if "autoglm" in report["expected"] else report for report in found]


def read(name: str, raw: str) -> Reading:
    adapter = adapter_named(name)
    return adapter.read(raw, SENT.get(name, adapter.fit(TRUE)), TRUE)


def is_expected(reading: Reading, words: str) -> bool:
    action, problem = reading.action, reading.problem
    if "request" in words:
        asked = next(kind for word, kind in REQUESTS.items() if word in words)
        return action is None and reading.request is not None and reading.request.kind == asked
    if words.startswith(("unreadable", "unmapped")):
        return (
            action is None and problem.startswith(words.split()[0]) and ("cut off" in problem) >= ("cut off" in words)
        )
    if words.startswith("empty"):
        return action is None and "empty" in problem
    is_said = ("several" in problem) >= ("two" in words) and ("enter" in problem) == ("Enter" in words)
    match re.findall(r"\d+", words), action:
        case [x, y], Click(point):
            return is_said and (point.x, point.y) == (int(x), int(y))
        case _, Type(text):
            return is_said and text in re.findall(r"""TYPE (['"])(.*?)\1""", words)[0]
        case _, Scroll():
            return is_said and words.startswith("SCROLL") and ("up" not in words or finger_direction(action) == "UP")
        case _, None:
            return False
        case _:
            return is_said and words.startswith(action_type(action))


@pytest.mark.parametrize("report", reported(), ids=lambda report: report["name"])
def test_reported_answer_is_read_as_its_report_expects(report: dict[str, Any]) -> None:
    reading = read(report["adapter"], report["raw"])
    assert is_expected(reading, OTHER_READINGS.get(report["name"], report["expected"])), reading


class Sample(NamedTuple):
    adapter: str
    raw: str
    action: Action


def samples() -> list[Sample]:
    """Answers with one action, whose grammar says where it ends, without thoughts in tags or lines in a text."""
    texts = [(name, raw) for name, raw, _ in SAMPLES] + [(report["adapter"], report["raw"]) for report in reported()]
    found = [
        (name, raw, read(name, raw))
        for name, raw in texts
        if not re.search(r"think|9\n", raw) and not COMPACT.match(raw)
    ]
    return [
        Sample(name, raw, reading.action)
        for name, raw, reading in found
        if reading.action and not reading.problem and not has_no_end(name, reading.action)
    ]


def has_no_end(name: str, action: Action) -> bool:
    return isinstance(action, Type) and (name in ("odyssey-agent", "os-atlas", "cogagent-v1") or "\n" in action.text)


COMPACT = re.compile(r"(Thought: x\nAction: )?[a-z_]+>")
SIGNS = [*"{}[]()<>'\",:;=\n \t`“”‘’：（），*|/", "```", "\n\n"]
ENDS = ["<|im_end|>", "</tool_call>", "<tool_call>", "</answer>", "[EOS]", "</s>", "```json\n"]
OTHER_SIGNS = tuple(zip("\"'\"'\"':(),", "'\"“‘”’：（），", strict=True))


def is_sign(character: str) -> bool:
    """Backslashes and underscores are part of words."""
    return not character.isalnum() and character not in "\\_"


def with_sign(seeded: random.Random, raw: str) -> str:
    """One more, instead of another one, or doubled."""
    at = seeded.choice([place for place, character in enumerate(raw) if is_sign(character)])
    sign: str = seeded.choice([*SIGNS, raw[at]])
    return raw[: at + seeded.randrange(2)] + sign + raw[at + seeded.randrange(2) :]


def without_sign(seeded: random.Random, raw: str) -> str:
    at = seeded.choice([place for place, character in enumerate(raw) if is_sign(character)])
    return raw[:at] + raw[at + 1 :]


def with_signs_swapped(seeded: random.Random, raw: str) -> str:
    at = seeded.choice([place for place in range(len(raw)) if is_sign(raw[place])])
    return raw[:at] + raw[at + 1] + raw[at] + raw[at + 2 :] if is_sign(raw[at + 1 : at + 2] or "x") else raw


def with_other_signs(seeded: random.Random, raw: str) -> str:
    old, new = seeded.choice(OTHER_SIGNS)
    return raw.replace(old, new)


def with_end(seeded: random.Random, raw: str) -> str:
    end = seeded.choice(ENDS)
    return seeded.choice((f"{raw}{end}", f"{raw}\n{end}", f"{end}{raw}"))


def with_lines_swapped(seeded: random.Random, raw: str) -> str:
    lines = raw.split("\n")
    return "\n".join(seeded.sample(lines, len(lines)))


def doubled(seeded: random.Random, raw: str) -> str:
    """As a whole, or one of its lines."""
    lines = raw.split("\n")
    at = seeded.randrange(len(lines))
    return seeded.choice((f"{raw}\n{raw}", "\n".join(lines[: at + 1] + lines[at:])))


def in_other_case(seeded: random.Random, raw: str) -> str:
    r"""But for `\n`, which means something else than `\N`."""
    return raw if "\\" in raw else seeded.choice((raw.upper(), raw.lower(), raw.swapcase(), raw.title()))


MUTATIONS = (
    with_sign, without_sign, with_signs_swapped, with_other_signs, with_end, with_lines_swapped, doubled, in_other_case,
)  # fmt: skip


def said(action: Action) -> object:
    """In letters and digits."""
    match action:
        case Click(point) | LongPress(point):
            return action_type(action), point
        case Scroll(start):
            return finger_direction(action), start
        case Type(text) | Complete(text) | Impossible(text):
            return action_type(action), "".join(filter(str.isalnum, text.casefold()))
        case _:
            return action_type(action)


def assert_same_or_none(sample: Sample, raw: str) -> None:
    """A brace that ends the object earlier may leave out the note of COMPLETE."""
    found = read(sample.adapter, raw).action
    is_shorter = isinstance(sample.action, Complete) and found == Complete()
    assert found is None or is_shorter or said(found) == said(sample.action), (sample, raw, found)


@pytest.mark.parametrize("count", [2_000, pytest.param(300_000, marks=pytest.mark.soak)])
def test_answer_whose_signs_changed_says_the_same_or_is_unreadable(count: int) -> None:
    """The letters and digits stay, in their order but for lines, so that no text says another action."""
    seeded = random.Random(33)
    originals = samples()
    read_again = 0
    for _ in range(count):
        sample = seeded.choice(originals)
        raw = sample.raw
        for mutation in seeded.sample(MUTATIONS, seeded.randint(1, 2)):
            raw = mutation(seeded, raw) if any(map(is_sign, raw)) else raw
        assert_same_or_none(sample, raw)
        read_again += read(sample.adapter, raw).action is not None
    assert read_again > count / 3


def test_answer_that_is_cut_off_says_the_same_or_is_unreadable() -> None:
    for sample in samples():
        for end in range(len(sample.raw)):
            assert_same_or_none(sample, sample.raw[:end])


HOSTILE = (
    "{", "[", "(", '"', "'", "\\", "{{", '{"', '{"a":', '["', '"\\', "\\\"", "{'", "<", "<point>", "<function=a>", "\n",
    " ", "\n ", "a=", ",a='", "a(", "f(a=", "f(a='x',", "\nf(", "\nAction:", "a>", "<parameter=a>", "```", "1,", "“",
    "}{", "{x", '{"a" ', "<think>", "</", "<|", "1",
)  # fmt: skip


BEGINNINGS = ("", '{"action": "', "Action: f(a='")


@pytest.mark.parametrize("name", ["ours", "doubao-ui-tars"])
def test_hostile_answer_has_no_action(name: str) -> None:
    for piece in HOSTILE:
        for beginning in BEGINNINGS:
            assert read(name, beginning + piece * (19_600 // len(piece))).action is None


@pytest.mark.soak
@pytest.mark.parametrize("name", ["ours", "doubao-ui-tars", "cogagent", "os-atlas", "android-world"])
def test_time_of_reading_grows_with_the_length(name: str) -> None:
    """For four times the length it may grow tenfold; if it grew with the square, it would be sixteenfold."""
    for piece in HOSTILE:
        for beginning in BEGINNINGS:
            short, long = (seconds(name, beginning + piece * (length // len(piece))) for length in (4_900, 19_600))
            assert long < 10 * max(short, 0.01), (beginning, piece)


def seconds(name: str, raw: str) -> float:
    """The least CPU time of three."""

    def once() -> float:
        begun = time.process_time()
        read(name, raw)
        return time.process_time() - begun

    return min(once() for _ in range(3))
