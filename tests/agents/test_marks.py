"""Set-of-marks: elements with numbers, from view hierarchies or a detector's file."""

import json
import shutil
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import numpy as np
import pytest

from odyssey_recorder.agents.adapter import adapter_named
from odyssey_recorder.agents.marks import Marks, elements, on_screen
from odyssey_recorder.agents.outcome import StopReason
from odyssey_recorder.annotation.redacted_episode import RedactedStep, read_redacted_episode
from odyssey_recorder.dataset.layout import ui_tree_path
from odyssey_recorder.device.view_hierarchy import parse
from odyssey_recorder.model.action import Click, LongPress
from odyssey_recorder.model.geometry import GRID, Box, Point, Size
from tests.agents.conftest import OF_AGENT, SharedRecording
from tests.annotation.phone_dataset import CapturedStep, look_around
from tests.annotation.vision_model import images_of
from tests.cli import CommandLine
from tests.llm.stand_in import MODEL, ReceivedRequest, Reply, StandIn

EPISODE = "0000000000000001"
STEPS = 4


@pytest.fixture(scope="module")
def walk(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[CapturedStep]]:
    root = tmp_path_factory.mktemp("walk")
    return root, look_around(root, EPISODE, STEPS)


@pytest.fixture
def dataset(cli: CommandLine, walk: tuple[Path, list[CapturedStep]]) -> Path:
    return Path(shutil.copytree(walk[0], cli.dataset))


def presses(step: RedactedStep) -> list[tuple[int, int, int, int]]:
    """The boxes of what it presses."""
    return [view.mark for view in step.views if view.mark is not None]


class Replayer:
    """Answers the steps in their order: the number of the pressed element among those of `marks`, or the command."""

    def __init__(self, root: Path, marks: str) -> None:
        self.episode, self.adapter = read_redacted_episode(root, EPISODE), adapter_named("set-of-marks")
        self.marks = Marks(root, marks)
        self.boxes: list[list[Box]] = []

    def __call__(self, request: ReceivedRequest) -> Reply:
        number = len(self.boxes)
        step = self.episode.steps[number]
        self.boxes.append(on_screen(self.marks.of(self.episode, number), step.views[0].size))
        if not isinstance(step.act, Click | LongPress):
            return Reply(str(self.adapter.write(step.act, self.adapter.frame(Size(1, 1), Size(1, 1)))))
        assert step.views[1].mark is not None
        return Reply(f"CLICK: {self.boxes[-1].index(Box(*step.views[1].mark)) + 1}")


def predicted(cli: CommandLine, root: Path, marks: str) -> tuple[Replayer, StandIn]:
    model = Replayer(root, marks)
    with StandIn(model) as server:
        cli.monkeypatch.setenv("ODYSSEY_MODEL_URL", server.url)
        ran = cli("predict", root, cli.folder / "out.jsonl", "--model", MODEL, "--yes", "--adapter", "set-of-marks",
                  "--marks", marks, "--at-once", 1)  # fmt: skip
    assert ran.exit_code == 0, ran.err
    return model, server


def header(cli: CommandLine) -> dict[str, str]:
    first: dict[str, str] = json.loads((cli.folder / "out.jsonl").read_text().partition("\n")[0])
    return first


def test_numbers_of_views_are_read_as_presses_of_their_elements(cli: CommandLine, dataset: Path) -> None:
    model, server = predicted(cli, dataset, "views")
    assert cli.json("evaluate", cli.folder / "out.jsonl", "--data", dataset)["ams"] == 100
    assert header(cli)["adapter"] == "set-of-marks, tags of views"
    for request, boxes in zip(server.questions, model.boxes, strict=True):
        plain, tagged = (np.asarray(image).astype(int) for image in images_of(request))
        differs = np.abs(plain - tagged).max(axis=2) > 30
        assert len(boxes) > 4
        for box in boxes:
            edge = differs[box.top : box.top + 3, box.left : box.right]
            assert edge.any(axis=0).mean() > 0.5, "the upper edge of its frame"


def test_a_detectors_file_gives_the_numbers_and_its_hash_is_in_the_result(cli: CommandLine, dataset: Path) -> None:
    episode, boxes = read_redacted_episode(dataset, EPISODE), cli.folder / "boxes.jsonl"
    lines = [
        {"screenshot": step.views[0].path.name, "boxes": [[-9, -9, 0, 0], [1, 2, 30, 40], *presses(step)], "by": "x"}
        for step in episode.steps
    ]
    boxes.write_text("\n".join(map(json.dumps, lines)))
    model, _ = predicted(cli, dataset, str(boxes))
    assert cli.json("evaluate", cli.folder / "out.jsonl", "--data", dataset)["ams"] == 100
    assert [len(found) for found in model.boxes] == [1 + len(presses(step)) for step in episode.steps]
    assert header(cli)["adapter"] == f"set-of-marks, tags of boxes.jsonl@{sha256(boxes.read_bytes()).hexdigest()[:16]}"


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ('{"screenshot": "a.png", "boxes": []}', f"has no boxes for {EPISODE}_0.png"),
        ('{"screenshot": "a.png", "boxes": []}\n{"screenshot": "b.png", "boxes": [[1, 2, 3]]}', "line 2: boxes.0.3"),
        ('{"screenshot": "a.png", "boxes": [[1, 2, 3, NaN]]}', "line 1: boxes.0.3"),
        (None, "file not found"),
    ],
)
def test_unusable_file_of_boxes_is_reported(cli: CommandLine, dataset: Path, text: str | None, fault: str) -> None:
    boxes = cli.folder / "boxes.jsonl"
    if text is not None:
        boxes.write_text(text)
    with StandIn() as server:
        cli.monkeypatch.setenv("ODYSSEY_MODEL_URL", server.url)
        ran = cli("predict", dataset, cli.folder / "out.jsonl", "--model", MODEL, "--yes", "--adapter", "set-of-marks",
                  "--marks", boxes)  # fmt: skip
    assert (ran.exit_code, fault in ran.err, server.questions) == (1 if "has no" in fault else 2, True, []), ran.err


def test_pressed_element_is_added_only_beside_views(dataset: Path) -> None:
    episode = read_redacted_episode(dataset, EPISODE)
    views, boxes = Marks(dataset, "views"), Marks(dataset, "boxes")
    assert boxes.of(episode, 0) == views.of(episode, 0)
    mark = episode.steps[0].views[1].mark
    assert mark is not None
    tree = dataset / ui_tree_path(EPISODE, 0)
    bounds = f'bounds="[{mark[0]},{mark[1]}][{mark[2]},{mark[3]}]"'
    nodes = tree.read_text().split("<node ")
    tree.write_text("<node ".join(one.replace('clickable="true"', "") if bounds in one else one for one in nodes))
    changed = read_redacted_episode(dataset, EPISODE)
    assert Box(*mark) not in views.of(changed, 0)
    assert sorted(boxes.of(changed, 0), key=str) == sorted(views.of(episode, 0), key=str)
    tree.write_text("<hierarchy/>")
    assert boxes.of(read_redacted_episode(dataset, EPISODE), 0) == [], "alone it would be the answer"


def test_elements_are_what_a_click_at_their_middle_hits() -> None:
    def node(box: str, more: str = 'clickable="true"', inside: str = "") -> str:
        return f'<node class="android.view.View" bounds="{box}" {more}>{inside}</node>'

    row = node("[0,100][400,200]", inside=node("[300,110][390,190]"))
    covered = node("[0,300][400,400]", inside=node("[0,300][400,400]", 'long-clickable="true"'))
    hidden = node("[10,500][50,540]") + node("[0,490][100,560]")
    whole = node("[0,0][400,800]", inside=row + covered + hidden + node("[380,700][500,740]") + node("[0,0][9,9]", ""))
    found = elements(parse(f"<hierarchy>{whole}</hierarchy>"), Size(400, 800))
    assert found == [
        Box(0, 100, 400, 200), Box(300, 110, 390, 190), Box(0, 300, 400, 400), Box(0, 490, 100, 560),
        Box(380, 700, 400, 740),
    ]  # fmt: skip


def test_an_agent_at_work_presses_a_numbered_element(shared: SharedRecording) -> None:
    agent = replace(shared.run.agent, adapter=adapter_named("set-of-marks"))
    shared = replace(shared, run=replace(shared.run, agent=agent))
    shared.thinker.answer("CLICK: 2")
    shared.thinker.answer("CLICK: 1")
    shared.thinker.answer("COMPLETE")
    assert shared.hand_over()() is StopReason.COMPLETE, shared.run.run
    first, _ = shared.recording.draft.steps
    assert first.action == Click(Point(OF_AGENT.x * GRID // 360, OF_AGENT.y * GRID // 640))
    assert (shared.run.run.unreadable, shared.run.run.failures["outside"]) == (1, 1)
