"""A second model that names the action of an instruction: it flags the wrong ones, and accepts none."""

import io
import json
import re
import shutil
from pathlib import Path

import pytest
from PIL import Image

from odyssey_recorder.agents.naming import Naming
from odyssey_recorder.annotation.checking import checked_texts
from odyssey_recorder.annotation.conversations import Ended
from odyssey_recorder.annotation.findings import Support, TextFinding
from odyssey_recorder.annotation.kinds import TextKind
from odyssey_recorder.annotation.recycled import SeenTexts
from odyssey_recorder.annotation.semantics import Named, SemanticsStore, Suggestion, TextState
from odyssey_recorder.curation.redaction import RedactedWords, Redaction, write_redaction
from odyssey_recorder.dataset.layout import annotation_path, ui_tree_path
from odyssey_recorder.device.view_hierarchy import name_at, parse
from odyssey_recorder.model.geometry import Pixel, Size, to_grid
from odyssey_recorder.quality.checker import Checker
from tests.annotation.phone_dataset import Touched, look_around
from tests.annotation.seeing_model import SeeingModel, images_of
from tests.annotation.suggested import suggest
from tests.annotation.test_asking import EPISODE, Recorded
from tests.annotation.texts import decided, moment
from tests.cli import CommandLine
from tests.llm.stand_in import MODEL, Asked, Says, StandIn, says

STEPS, WRONG = 12, 3
KEYS = {"Press Back.": "BACK", "Press Home.": "HOME"}


class Reader:
    """Finds what the instruction names on the screen that it is shown, or says that it is done."""

    def __init__(self, screens: list[tuple[Touched, str]]) -> None:
        self._eyes, self._screens = SeeingModel(screens), screens

    def __call__(self, asked: Asked) -> Says:
        [told] = re.findall("Instruction: (.*)", asked.words)
        number = int(self._eyes.seen(images_of(asked)).split()[1].strip(","))
        said = {"reason": "", "action": "COMPLETE", "x": None, "y": None, "direction": None, "text": None}
        match re.findall("“(.*)”", told), told:
            case [name], _ if told.startswith("Tap") and (at := self._place(number, name)) is not None:
                return says(said | {"action": "CLICK", "x": at[0], "y": at[1]})
            case [typed], _ if told.startswith("Type"):
                return says(said | {"action": "TYPE", "text": typed})
            case _, "Scroll down.":
                return says(said | {"action": "SCROLL", "direction": "UP"})
            case _:
                return says(said | {"action": KEYS.get(told, "COMPLETE")})

    def _place(self, number: int, name: str) -> tuple[int, int] | None:
        one, xml = self._screens[number]
        nodes, size = parse(xml), Size(*Image.open(io.BytesIO(one.png)).size)
        for node in nodes:
            at = Pixel((node.box.left + node.box.right) // 2, (node.box.top + node.box.bottom) // 2)
            if node.clickable and name_at(nodes, at, size) == name:
                point = to_grid(at, size)
                return point.x, point.y
        return None


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[Touched]]:
    root = tmp_path_factory.mktemp("made")
    touched = look_around(root, EPISODE, STEPS)
    suggest(root, touched, wrong_each=WRONG)
    return root, touched


@pytest.fixture
def recorded(made: tuple[Path, list[Touched]], tmp_path: Path) -> Recorded:
    root, touched = made
    return Recorded(shutil.copytree(root, tmp_path / "dataset"), touched)


def named(recorded: Recorded, server: StandIn) -> list[Ended]:
    return Naming(recorded.batch(server), recorded.root, MODEL).run([EPISODE])


def flags(recorded: Recorded) -> list[TextFinding]:
    checker = Checker(None)
    evidence = checker.evidence(recorded.root / annotation_path(EPISODE))
    checker.close()
    checked = checked_texts(recorded.root, EPISODE, evidence, SeenTexts())
    return [said for one in checked for said in one.findings if said.check == "ANN14"]


def wrong(recorded: Recorded) -> list[int]:
    return [at for at, (one, _) in enumerate(recorded.screens) if at % WRONG == 1 and one.name]


def test_exactly_the_wrong_instructions_are_flagged_and_asked_for_once(recorded: Recorded) -> None:
    with StandIn(Reader(recorded.screens)) as server:
        assert named(recorded, server) == [Ended(EPISODE, STEPS)]
        asked = len(server.questions)
        assert named(recorded, server) == []
        assert len(server.questions) == asked <= STEPS
    found = flags(recorded)
    assert [one.step for one in found] == wrong(recorded)
    assert {(one.verdict, one.kind) for one in found} == {(Support.CONTRADICTS, TextKind.INSTRUCTION)}
    assert found[0].found == "Another model, stand-in-1, reads “COMPLETE” out of it."
    assert found[0].evidence[0].source == f"stand-in-1 at {server.url.removesuffix('/v1')}"
    assert {step[TextKind.INSTRUCTION].state for step in recorded.texts()[:-1]} == {TextState.SUGGESTED}, (
        "none accepted"
    )


def test_an_answer_that_cannot_be_read_says_nothing_of_the_text(recorded: Recorded) -> None:
    with StandIn(lambda _: Says("<html>Sorry</html>")) as server:
        assert named(recorded, server) == [Ended(EPISODE, STEPS)]
    assert {one.verdict for one in flags(recorded)} == {Support.COULD_NOT_LOOK}


def test_a_changed_text_or_action_is_no_longer_flagged_and_asked_about_again(recorded: Recorded) -> None:
    at = wrong(recorded)[0]
    with StandIn(Reader(recorded.screens)) as server:
        named(recorded, server)
        source = recorded.texts()[at][TextKind.INSTRUCTION].source
        assert isinstance(source, Suggestion)
        SemanticsStore(recorded.root).append(EPISODE, decided(source, "edit", f"Tap “{recorded.screens[at][0].name}”."))
        assert at not in [one.step for one in flags(recorded)]
        assert named(recorded, server) == [Ended(EPISODE, 1)]
    assert at not in [one.step for one in flags(recorded)]


def test_what_is_private_is_not_told(recorded: Recorded) -> None:
    told = RedactedWords(text="sour cherries", who="Ann", at=moment(), why="a name")
    write_redaction(recorded.root, Redaction(episode_id=EPISODE, words=(told,)))
    with StandIn(Reader(recorded.screens)) as server:
        named(recorded, server)
        assert any("[redacted]" in asked.words for asked in server.questions)
        assert not any("sour cherries" in asked.words for asked in server.questions)


def test_a_password_is_not_asked_about(recorded: Recorded) -> None:
    at = next(n for n, step in enumerate(recorded.texts()) if "Type" in step[TextKind.INSTRUCTION].words)
    path = recorded.root / ui_tree_path(EPISODE, at)
    tree = re.sub('focused="false"', 'focused="true"', path.read_text(), count=1)
    path.write_text(tree.replace('password="false"', 'password="true"', 1))
    with StandIn(Reader(recorded.screens)) as server:
        assert named(recorded, server) == [Ended(EPISODE, STEPS - 1)]


def test_the_command_asks_another_model_with_budget_and_consent(recorded: Recorded, cli: CommandLine) -> None:
    check = "annotate", "check", recorded.root, "--model", MODEL
    with StandIn(Reader(recorded.screens)) as server:
        cli.monkeypatch.setenv("ODYSSEY_MODEL", "the-writer")
        cli.monkeypatch.setenv("ODYSSEY_MODEL_URL", server.url)
        alone = cli("annotate", "check", recorded.root)
        assert "ANN14" not in alone.out
        unsure = cli(*check)
        assert (unsure.exit_code, server.questions) == (2, []), unsure.err
        ran = cli(*check, "--yes")
        assert (ran.exit_code, ran.out.count("(ANN14)")) == (1, len(wrong(recorded))), ran.err
        assert {asked.body["model"] for asked in server.questions} == {MODEL}
        rows = json.loads(cli("annotate", "check", recorded.root, "--json").out)
    told = [said for row in rows for said in row["findings"] if said["check"] == "ANN14"]
    assert [one["evidence"][0]["said"] for one in told] == ["“COMPLETE”"] * len(wrong(recorded))
    entries = [one for one in SemanticsStore(recorded.root).read(EPISODE).entries if isinstance(one, Named)]
    assert {one.call.prompt for one in entries} == {"name/ours"}
    cli.monkeypatch.setenv("ODYSSEY_MODEL_URL", "http://model.invalid/v1")
    refused = cli("annotate", "check", recorded.root, "--model", "gpt-6-luna", "--yes")
    assert refused.exit_code == 2
    assert "has not agreed that its screenshots are sent to http://model.invalid" in refused.err
