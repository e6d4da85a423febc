"""A second model that names the action of an instruction: it flags wrong ones but never accepts a text."""

import io
import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from PIL import Image

from odyssey_recorder.agents.action_naming import ActionNaming
from odyssey_recorder.annotation.checking import checked_texts
from odyssey_recorder.annotation.conversations import Ended
from odyssey_recorder.annotation.findings import Support, TextFinding
from odyssey_recorder.annotation.near_duplicates import SeenTexts
from odyssey_recorder.annotation.semantics import Named, SemanticsStore, TextState
from odyssey_recorder.annotation.text_kinds import TextKind
from odyssey_recorder.checking.checker import Checker
from odyssey_recorder.curation.redaction import RedactedWords, Redaction, write_redaction
from odyssey_recorder.dataset.layout import annotation_path, ui_tree_path
from odyssey_recorder.device.view_hierarchy import name_at, parse
from odyssey_recorder.model.geometry import Pixel, Size, to_grid
from tests.annotation.episode_dataset import EPISODE, EpisodeDataset
from tests.annotation.phone_dataset import CapturedStep
from tests.annotation.suggestions import suggest
from tests.annotation.texts import decided, moment
from tests.annotation.vision_model import VisionModel, images_of
from tests.cli import CommandLine
from tests.llm.stand_in import MODEL, ReceivedRequest, Reply, StandIn, says

STEPS, WRONG = 12, 3
KEYS = {"Press Back.": "BACK", "Press Home.": "HOME"}


class ScreenReader:
    """Finds the element that the instruction names on the shown screen; otherwise answers COMPLETE."""

    def __init__(self, screens: list[tuple[CapturedStep, str]]) -> None:
        self._vision, self._screens = VisionModel(screens), screens

    def __call__(self, request: ReceivedRequest) -> Reply:
        [instruction] = re.findall("Instruction: (.*)", request.words)
        number = int(self._vision.seen(images_of(request)).split()[1].strip(","))
        fields = {"reason": "", "action": "COMPLETE", "x": None, "y": None, "direction": None, "text": None}
        match re.findall("“(.*)”", instruction), instruction:
            case [name], _ if instruction.startswith("Tap") and (at := self._position(number, name)) is not None:
                return says(fields | {"action": "CLICK", "x": at[0], "y": at[1]})
            case [typed], _ if instruction.startswith("Type"):
                return says(fields | {"action": "TYPE", "text": typed})
            case _, "Scroll down.":
                return says(fields | {"action": "SCROLL", "direction": "UP"})
            case _:
                return says(fields | {"action": KEYS.get(instruction, "COMPLETE")})

    def _position(self, number: int, name: str) -> tuple[int, int] | None:
        one, xml = self._screens[number]
        nodes, size = parse(xml), Size(*Image.open(io.BytesIO(one.png)).size)
        for node in nodes:
            at = Pixel((node.box.left + node.box.right) // 2, (node.box.top + node.box.bottom) // 2)
            if node.clickable and name_at(nodes, at, size) == name:
                point = to_grid(at, size)
                return point.x, point.y
        return None


@pytest.fixture(scope="module")
def made(made: tuple[Path, list[CapturedStep]]) -> tuple[Path, list[CapturedStep]]:
    suggest(*made, wrong_each=WRONG)
    return made


@pytest.fixture
def server(recorded: EpisodeDataset) -> Iterator[StandIn]:
    with StandIn(ScreenReader(recorded.screens)) as running:
        yield running


def run_naming(recorded: EpisodeDataset, server: StandIn) -> list[Ended]:
    return ActionNaming(recorded.batch(server), recorded.root, MODEL).run([EPISODE])


def flags(recorded: EpisodeDataset) -> list[TextFinding]:
    checker = Checker(None)
    evidence = checker.evidence(recorded.root / annotation_path(EPISODE))
    checker.close()
    checked = checked_texts(recorded.root, EPISODE, evidence, SeenTexts())
    return [finding for one in checked for finding in one.findings if finding.check == "ANN14"]


def wrong_steps(recorded: EpisodeDataset) -> list[int]:
    return [at for at, (one, _) in enumerate(recorded.screens) if at % WRONG == 1 and one.name]


def test_exactly_the_wrong_instructions_are_flagged(recorded: EpisodeDataset, server: StandIn) -> None:
    assert run_naming(recorded, server) == [Ended(EPISODE, STEPS)]
    count = len(server.questions)
    assert run_naming(recorded, server) == []
    assert len(server.questions) == count <= STEPS
    found = flags(recorded)
    assert [one.step for one in found] == wrong_steps(recorded)
    assert {(one.verdict, one.kind) for one in found} == {(Support.CONTRADICTS, TextKind.INSTRUCTION)}
    assert found[0].found == "Another model, stand-in-1, reads “COMPLETE” out of it."
    assert found[0].evidence[0].source == f"stand-in-1 at {server.url.removesuffix('/v1')}"
    assert {step[TextKind.INSTRUCTION].state for step in recorded.texts()[:-1]} == {TextState.SUGGESTED}, (
        "none accepted"
    )


def test_unreadable_answer_leaves_the_text_unchecked(recorded: EpisodeDataset) -> None:
    with StandIn(lambda _: Reply("<html>Sorry</html>")) as server:
        assert run_naming(recorded, server) == [Ended(EPISODE, STEPS)]
    assert {one.verdict for one in flags(recorded)} == {Support.COULD_NOT_LOOK}


def test_edited_instruction_is_unflagged_and_checked_again(recorded: EpisodeDataset, server: StandIn) -> None:
    at = wrong_steps(recorded)[0]
    run_naming(recorded, server)
    source = recorded.suggestion(at, TextKind.INSTRUCTION)
    SemanticsStore(recorded.root).append(EPISODE, decided(source, "edit", f"Tap “{recorded.screens[at][0].name}”."))
    assert at not in [one.step for one in flags(recorded)]
    assert run_naming(recorded, server) == [Ended(EPISODE, 1)]
    assert at not in [one.step for one in flags(recorded)]


def test_private_words_are_not_sent(recorded: EpisodeDataset, server: StandIn) -> None:
    private = RedactedWords(text="sour cherries", who="Ann", at=moment(), why="a name")
    write_redaction(recorded.root, Redaction(episode_id=EPISODE, words=(private,)))
    run_naming(recorded, server)
    assert any("[redacted]" in request.words for request in server.questions)
    assert not any("sour cherries" in request.words for request in server.questions)


def test_typed_password_is_not_checked(recorded: EpisodeDataset, server: StandIn) -> None:
    at = next(n for n, step in enumerate(recorded.texts()) if "Type" in step[TextKind.INSTRUCTION].words)
    path = recorded.root / ui_tree_path(EPISODE, at)
    tree = re.sub('focused="false"', 'focused="true"', path.read_text(), count=1)
    path.write_text(tree.replace('password="false"', 'password="true"', 1))
    assert run_naming(recorded, server) == [Ended(EPISODE, STEPS - 1)]


def test_check_command_uses_another_model_with_consent(
    recorded: EpisodeDataset, cli: CommandLine, server: StandIn
) -> None:
    check = "annotate", "check", recorded.root, "--model", MODEL
    cli.monkeypatch.setenv("ODYSSEY_MODEL", "the-writer")
    cli.monkeypatch.setenv("ODYSSEY_MODEL_URL", server.url)
    alone = cli("annotate", "check", recorded.root)
    assert "ANN14" not in alone.out
    unsure = cli(*check)
    assert (unsure.exit_code, server.questions) == (2, []), unsure.err
    ran = cli(*check, "--yes")
    assert (ran.exit_code, ran.out.count("(ANN14)")) == (1, len(wrong_steps(recorded))), ran.err
    assert {request.body["model"] for request in server.questions} == {MODEL}
    rows = json.loads(cli("annotate", "check", recorded.root, "--json").out)
    flagged = [finding for row in rows for finding in row["findings"] if finding["check"] == "ANN14"]
    assert [one["evidence"][0]["said"] for one in flagged] == ["“COMPLETE”"] * len(wrong_steps(recorded))
    entries = [one for one in SemanticsStore(recorded.root).read(EPISODE).entries if isinstance(one, Named)]
    assert {one.call.prompt for one in entries} == {"name/ours"}
    cli.monkeypatch.setenv("ODYSSEY_MODEL_URL", "http://model.invalid/v1")
    refused = cli("annotate", "check", recorded.root, "--model", "gpt-6-luna", "--yes")
    assert refused.exit_code == 2
    assert "has not agreed that its screenshots are sent to http://model.invalid" in refused.err
