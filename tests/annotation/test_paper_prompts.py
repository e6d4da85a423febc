"""The prompts with the contents of GUI-Odyssey's figures: each as it is sent, beside what its figure demands.

A demand is found by a pattern, after the one before it, so that the order is that of the figure too.
"""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from odyssey_recorder.agents.adapter import History, PastStep, SentScreenshot, adapter_named
from odyssey_recorder.annotation.conversations import Ended
from odyssey_recorder.annotation.memory_writer import MemoryWriter
from odyssey_recorder.annotation.semantics import Remembered, SemanticsStore
from odyssey_recorder.annotation.text_kinds import FIRST_CONTEXT, TextKind
from odyssey_recorder.checking.checker import Checker
from odyssey_recorder.llm.model import Image, LazyImage, Words
from odyssey_recorder.model.action import Click, Press, SystemKey
from odyssey_recorder.model.geometry import Point, Size
from tests.annotation.episode_dataset import EPISODE, EpisodeDataset
from tests.annotation.vision_model import images_of, mark_of
from tests.llm.stand_in import ReceivedRequest, Reply, StandIn, says

STEPS = 3
TASK = "Look around on the phone."
IMAGE = "<image>"
STYLE = {
    "natural language, no coordinates": "everyday language.*coordinates",
    "no tags of actions, with an example": 'tags of actions such as "PRESS_',
}
AS_JSON = {
    "the output as JSON": "Answer in JSON",
    "its braces are single": r'\n[{](?=\n? *")',
}
BARE = {"pure JSON, no json fence": "bare JSON, without a ```json"}
FIG_11 = {
    "original screenshot, then the marked one": f"{IMAGE}\n{IMAGE}",
    "what the two screenshots are": "screen of an Android phone.*frame",
    "the high-level instruction (8.3)": re.escape(TASK),
    "the action (8.3)": "CLICK on the marked element",
    "identify the low-level instruction": 'low-level instruction for this one action.*for example "',
    **STYLE,
    **AS_JSON,
    "the key": '"instruction": "the low-level instruction',
    **BARE,
}
FIG_12 = {
    "the task": f"working on the task: {TASK}",
    "actions with their intentions, in order": r"first action to the last.*1\. action: .*; intention: To one.*2\. ",
    "2-3 sentences about the progress": "two or three sentences, drawn from these actions and intentions",
    "only what is completed, no insight": "Only what has been completed. No outlook",
    "connected, no list": "connected summary, not a list",
    "no time phrases": 'No words for the order of events, like "',
    "completed tone": "something that has happened",
    "objective, concise, impersonal": "Objective, concise and impersonal",
    "the form": r'"So far, \(.*\)\."',
    **STYLE,
    **AS_JSON,
    "the key, 2-3 sentences": '"context": ".*2-3 sentences',
    **BARE,
}
FIG_13 = {
    "original screenshot, then the marked one": f"{IMAGE}\n{IMAGE}",
    "what the two screenshots are": "screen of an Android phone.*frame",
    "first the description": "1. `description`",
    "overall content": "all that the screen shows",
    "a summary of 2-3 sentences": "Two or three concise sentences",
    "its form": r'"This is a screenshot of \[.*\]\."',
    "then the intention": "2. `intention`",
    "the task and the chosen action": f"task on your phone: {TASK} You have decided on this action: CLICK",
    "the reasons": "what speaks for it",
    "the context": re.escape(FIRST_CONTEXT),
    "why it fits, present tense, actively": "fits this situation, in the present tense, as someone .* busy",
    "first person": "first person",
    "2-3 sentences": "Two or three sentences of the form",
    "the pattern": r'"To \[.*\], I choose to \[.*\]\. This allows me to \[.*\]\."',
    **STYLE,
    **AS_JSON,
    "both keys, 2-3 sentences": '"description": ".*2-3 sentences.*"intention": ".*2-3 sentences',
    **BARE,
}
COMMANDS = (
    "TYPE: <text>", "SCROLL: UP", "SCROLL: DOWN", "SCROLL: LEFT", "SCROLL: RIGHT", "PRESS_BACK", "PRESS_HOME",
    "PRESS_RECENT", "IMPOSSIBLE", "COMPLETE",
)  # fmt: skip


def actions(place: str) -> dict[str, str]:
    names = (f"CLICK: <{place}", f"LONG_PRESS: <{place}", *COMMANDS)
    return {name: f"\n{re.escape(name)}" for name in names}


INPUT = {"the screenshot first": f"^{IMAGE}", "given a screenshot and an instruction": "screen.*what its user wants"}
GRID = {"the form (x, y)": r"\(x, y\)", "corners": r"top left corner.*\(0, 0\).*bottom right corner \(1000, 1000\)"}
NORMAL = {"normalized to 0..1000": "normalized.*from 0 to 1000"}
STEP_LINES = {"the history as lines": r"\nStep1: CLICK: \(500, 250\)\nStep2: PRESS_HOME\n"}
FIG_6 = {
    **INPUT, "the instruction": "wants: Buy milk.", **actions("coordinate>"), **GRID, **NORMAL, **STEP_LINES,
    "ask for the action": "action for this screen:$",
}  # fmt: skip
FIG_7 = {
    **INPUT, **actions("coordinate>"), **GRID, **NORMAL, **STEP_LINES,
    "the steps to the instruction, with grounding": r"steps .* to Buy milk\.\? \(with grounding\)$",
}  # fmt: skip
TOLD = {
    "the instruction": "wants: Buy milk.",
    "the history": r"before: Step1: CLICK: \(500, 250\)\nStep2: PRESS_HOME\n",
    "directly the next step": "choose one of the actions, and answer with this next step and nothing else",
}
FIG_14 = {**INPUT, **actions("coordinate>"), **GRID, **TOLD}
FIG_14_OMNIPARSER = {
    "both screenshots": f"^{IMAGE}\n{IMAGE}",
    "two screenshots and an instruction": "twice.*what its user wants",
    "the first is the original, the second has numeric tags": "first picture is.*second one.*tags with numbers",
    "the tag nearest to the place": "click or press.*number whose tag is nearest",
    **actions("number of a tag"),
    **TOLD,
}
ALGORITHM_1 = {
    "action_result": {
        "the screens before and after, with the click": f"{IMAGE}\n{IMAGE}\n{IMAGE}",
        "the action": "CLICK on the marked element",
        "DetectTarget": "find out which element",
        "Compare": "compare the two screens.*`action_result`",
        "no redundant data": "leave out what both screens show alike",
    },
    "screen_info": {
        "the screen": IMAGE,
        "the query": re.escape(TASK),
        "the short-term memory": "led to:\n1. ",
        "the present goal": "aiming at right now",
        "only what matters, in detail": "detailed description of only that.*in full.*Leave out",
    },
    "core": {
        "the query": re.escape(TASK),
        "the short-term memory": "led to:\n1. ",
        "the screen information": "present screen: It is a screen",
        "the core": "`core`",
        "the label, by relevance and later use": "`is_needed_later`: true if.*later steps",
    },
}


def check(sent: str, demands: Mapping[str, str]) -> None:
    at = 0
    for demand, pattern in demands.items():
        found = re.compile(pattern.replace(".*", ".*?"), re.DOTALL | re.MULTILINE).search(sent, at)
        assert found is not None, f"{demand}: not in {sent[at:]!r}"
        at = found.end()


def as_sent(request: ReceivedRequest) -> str:
    assert [message["role"] for message in request.body["messages"]] == ["user"]
    content = request.body["messages"][0]["content"]
    parts: Sequence[Any] = [content] if isinstance(content, str) else content
    return "\n".join(IMAGE if part["type"] == "image_url" else part["text"] for part in _as_parts(parts))


def _as_parts(parts: Sequence[Any]) -> list[dict[str, Any]]:
    return [{"type": "text", "text": part} if isinstance(part, str) else part for part in parts]


class Writer:
    """Answers with the keys of the schema."""

    def __call__(self, request: ReceivedRequest) -> Reply:
        data = {
            "instruction": "Do it.", "context": "So far, one.", "description": "This is a screenshot of it.",
            "intention": "To one, I choose to two. This allows me to three.", "action_result": "It opened.",
            "screen_info": "It is a screen.", "is_needed_later": True, "core": "A core.", "app": "Notes",
        }  # fmt: skip
        return says({name: data[name] for name in request.schema["properties"]})


def test_step_texts_are_asked_for_as_the_figures_demand(recorded: EpisodeDataset) -> None:
    with StandIn(Writer()) as server:
        assert recorded.run(server, prompts=("paper",)) == [Ended(EPISODE, 4 * STEPS - 1)]
    asked: dict[tuple[str, ...], list[ReceivedRequest]] = {}
    for request in server.questions:
        asked.setdefault(tuple(request.schema["properties"]), []).append(request)
    of_press = [one for one in asked["instruction",] if len(images_of(one)) == 2]
    check(as_sent(of_press[0]), FIG_11)
    check(as_sent(asked["context",][-1]), FIG_12)
    check(next(sent for sent in map(as_sent, asked["description", "intention"]) if sent.count(IMAGE) == 2), FIG_13)
    marks = [mark_of(image) is not None for image in images_of(of_press[0])]
    assert marks == [False, True]
    texts = recorded.texts()[0]
    assert texts[TextKind.INSTRUCTION].words == "Do it."
    written = {kind: recorded.suggestion(1, kind).call for kind in TextKind}
    assert {kind.value: call.prompt for kind, call in written.items() if call is not None} == {
        "low_level_instruction": "paper_step_instruction/1", "context": "paper_step_context/1",
        "description": "paper_step_screen/1", "intention": "paper_step_screen/1",
    }  # fmt: skip


def test_memory_is_asked_for_as_algorithm_1_has_it(recorded: EpisodeDataset) -> None:
    with StandIn(Writer()) as server:
        evidence = Checker(None).evidence
        MemoryWriter(recorded.batch(server), recorded.root, evidence, mode="cheap", prompts=("paper",)).run([EPISODE])
    for field, demands in ALGORITHM_1.items():
        sent = [as_sent(one) for one in server.questions if field in one.schema["properties"]]
        check(sent[-1] if field != "action_result" else next(one for one in sent if one.count(IMAGE) == 3), demands)
    entries = SemanticsStore(recorded.root).read(EPISODE).entries
    prompts = {one.call.prompt for one in entries if isinstance(one, Remembered)}
    assert prompts == {*(f"paper_memory_{name}/1" for name in ("result", "screen", "core")), "memory_app/1"}


def test_a_file_for_one_question_is_named_with_its_hash_in_the_text(recorded: EpisodeDataset, tmp_path: Path) -> None:
    mine = tmp_path / "mine.txt"
    mine.write_text("{screenshot}\nName the action in {{}}: {action}")
    with StandIn(Writer()) as server:
        recorded.run(server, prompts=("paper", f"instruction={mine}"))
    call = recorded.suggestion(0, TextKind.INSTRUCTION).call
    assert call is not None
    assert re.fullmatch(r"mine\.txt@[0-9a-f]{16}", call.prompt)
    assert any(
        as_sent(one) == f"{IMAGE}\nName the action in {{}}: CLICK on the marked element" for one in server.questions
    )


@pytest.mark.parametrize(
    ("adapter", "demands"),
    [
        ("zero-shot-v1", FIG_6), ("cogagent-v1", FIG_7), ("zero-shot", FIG_14), ("set-of-marks", FIG_14_OMNIPARSER),
    ],
)  # fmt: skip
def test_agents_are_asked_as_the_figures_demand(adapter: str, demands: Mapping[str, str]) -> None:
    image = LazyImage("", (500, 900), lambda: Image(b""))
    shown = SentScreenshot(image, Size(500, 900), image if adapter == "set-of-marks" else None)
    past = History((PastStep(Click(Point(500, 250))), PastStep(Press(SystemKey.HOME))))
    (message,) = adapter_named(adapter).prompt("Buy milk.", past, shown)
    check("\n".join(part.text if isinstance(part, Words) else IMAGE for part in message.parts), demands)
