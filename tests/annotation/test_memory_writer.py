"""Writing the memory of episodes: requests, choice of candidates, and amendments."""

import json
from collections import Counter
from hashlib import sha256
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from odyssey_recorder.annotation.conversations import Ended
from odyssey_recorder.annotation.inputs import inputs_of
from odyssey_recorder.annotation.listing import write_memory
from odyssey_recorder.annotation.memory import StepMemory, memory_of
from odyssey_recorder.annotation.memory_writer import MemoryWriter, Mode
from odyssey_recorder.annotation.redacted_episode import open_dataset_episode
from odyssey_recorder.annotation.semantics import Remembered, SemanticsStore, TextState
from odyssey_recorder.checking.checker import Checker
from odyssey_recorder.dataset.layout import annotation_path, provenance_path, screenshot_path
from odyssey_recorder.errors import DatasetError
from tests.annotation.episode_dataset import EPISODE, EpisodeDataset
from tests.annotation.memory_model import APP, CORE, RESULT, SCREEN, MemoryModel
from tests.annotation.phone_dataset import CapturedStep
from tests.annotation.texts import decided
from tests.annotation.vision_model import expected, images_of
from tests.llm.questions import batch
from tests.llm.stand_in import ReceivedRequest, Reply, StandIn, says, server_error

STEPS = 3
RELEASED = Path(__file__).parents[1] / "data" / "episodes" / "v1v2_5342205429089853.json"
WRITTEN = 4 * (STEPS + 1) - 1
"""Four texts for each step, and the first has no action result."""


class MemoryDataset(EpisodeDataset):
    def run(self, server: StandIn, mode: Mode = "full") -> list[Ended]:  # type: ignore[override]
        return self.writer_for(server, mode).run([EPISODE])

    def writer_for(self, server: StandIn, mode: Mode = "full") -> MemoryWriter:
        return MemoryWriter(self.batch(server), self.root, Checker(None).evidence, mode=mode)

    def memory(self) -> list[StepMemory]:
        found = open_dataset_episode(self.root, EPISODE)
        return memory_of(found, SemanticsStore(self.root).read(EPISODE), inputs_of(found))

    def seen(self, number: int) -> str:
        return expected(self.screens, number)


@pytest.fixture
def recorded(recorded: EpisodeDataset, made: tuple[Path, list[CapturedStep]]) -> MemoryDataset:
    return MemoryDataset(recorded.root, made[1])


def test_judge_chooses_among_three_candidates(recorded: MemoryDataset) -> None:
    model = MemoryModel(recorded.screens, best=1)
    with StandIn(model) as server:
        estimate = recorded.writer_for(server).plan([EPISODE]).estimate
        assert recorded.run(server) == [Ended(EPISODE, WRITTEN)]
        count = len(server.questions)
        assert recorded.run(server) == []
    assert len(server.questions) == count <= estimate.calls
    assert server.complaints == []
    steps = recorded.memory()
    bare = [recorded.seen(number).partition(",")[0] for number in range(STEPS)]
    results = [f"From {recorded.seen(number)} to {bare[number + 1]}, way 1." for number in range(STEPS - 1)]
    assert [one.words(RESULT) for one in steps[:STEPS]] == ["", *results]
    assert [one.words(SCREEN) for one in steps[:STEPS]] == [f"It is {one}, way 1." for one in bare]
    for kind, one in (each for step in steps for each in step.kept.items() if each[1].source and each[1].words):
        assert isinstance(one.source, Remembered)
        if kind is APP:
            continue
        assert one.source.judge is not None
        assert (one.source.candidate, one.source.scores) == (1, ((2, 2, 2), (5, 5, 5), (2, 2, 2)))
        assert one.source.judge.prompt == "memory_judge/1"


def test_equal_candidates_are_not_judged_and_unneeded_cores_are_empty(recorded: MemoryDataset) -> None:
    model = MemoryModel(recorded.screens, ways=1)
    with StandIn(model) as server:
        recorded.run(server)
    assert model.judged == 0
    cores = [one.kept[CORE] for one in recorded.memory()]
    numbers = [int(recorded.seen(number).split()[1].strip(",")) for number in range(STEPS)]
    assert [bool(one.words) for one in cores[:STEPS]] == [number % 2 == 0 for number in numbers]
    assert {one.state for one in cores} == {TextState.SUGGESTED}


def test_cheap_mode_judges_only_contradicted_candidates(recorded: MemoryDataset) -> None:
    class InventingModel(MemoryModel):
        def __call__(self, request: ReceivedRequest) -> Reply:
            answer = super().__call__(request)
            if CORE in request.schema["properties"] and "way 0" in answer.raw and "screen 0" in answer.raw:
                return says({"is_needed_later": True, CORE: "The price is 37 dollars."})
            return answer

    model = InventingModel(recorded.screens)
    with StandIn(model) as server:
        recorded.run(server, "cheap")
    steps = recorded.memory()
    judged = [(number, kind) for number, step in enumerate(steps) for kind, one in step.kept.items()
              if isinstance(one.source, Remembered) and one.source.judge is not None]  # fmt: skip
    at_home = [number for number, step in enumerate(steps) if "screen 0" in step.words(SCREEN)]
    assert (0, CORE) in judged
    assert {number for number, kind in judged if kind is CORE} <= set(at_home)
    assert steps[0].words(CORE) == "screen 0, way 2"
    assert steps[0].words(SCREEN) == "It is screen 0, way 0."


def test_cheap_mode_ignores_a_clock_change(recorded: MemoryDataset) -> None:
    show_clock_change(recorded, 1)
    with StandIn(MemoryModel(recorded.screens)) as server:
        recorded.run(server, "cheap")
    assert judged_results(recorded) == [1], "it says what changed, but only the clock did"


def test_cheap_mode_judges_results_that_deny_a_screen_change(recorded: MemoryDataset) -> None:
    model = MemoryModel(recorded.screens)

    def blind(request: ReceivedRequest) -> Reply:
        answer = model(request)
        is_first = RESULT in request.schema["properties"] and "way 0" in answer.raw
        return says({RESULT: "Nothing changed."}) if is_first else answer

    show_clock_change(recorded, 1)
    with StandIn(blind) as server:
        recorded.writer_for(server, "cheap").plan([EPISODE])
        recorded.run(server, "cheap")
    pngs = [(recorded.root / screenshot_path(EPISODE, at)).read_bytes() for at in range(STEPS + 1)]
    assert judged_results(recorded) == [at for at in range(2, STEPS + 1) if pngs[at] != pngs[at - 1]] != []


def judged_results(recorded: MemoryDataset) -> list[int]:
    sources = [step.kept[RESULT].source for step in recorded.memory()]
    return [at for at, one in enumerate(sources) if isinstance(one, Remembered) and one.judge is not None]


def show_clock_change(recorded: MemoryDataset, number: int) -> None:
    """Replace a screenshot by the previous one with another time in the status bar."""
    with Image.open(recorded.root / screenshot_path(EPISODE, number - 1)) as before:
        image = before.convert("RGB")
    image.paste((90, 90, 90), (8, 8, 20, 20))
    path, provenance = recorded.root / screenshot_path(EPISODE, number), recorded.root / provenance_path(EPISODE)
    image.save(path)
    tree = json.loads(provenance.read_text())
    tree["steps"][number]["frame"]["png_sha256"] = sha256(path.read_bytes()).hexdigest()
    provenance.write_text(json.dumps(tree))


def test_decisions_on_memory_count_and_rejections_are_requested_again(recorded: MemoryDataset, tmp_path: Path) -> None:
    model, store = MemoryModel(recorded.screens, ways=9), SemanticsStore(recorded.root)
    with StandIn(model) as server:
        recorded.run(server, "cheap")
        first, second = (recorded.memory()[at].kept for at in (0, 1))
        rejected, core = second[RESULT].suggestion, first[CORE].suggestion
        assert isinstance(rejected, Remembered)
        assert isinstance(core, Remembered)
        store.append(EPISODE, decided(rejected, "reject"), decided(core, "edit", ""))
        assert [one.kept[RESULT].state for one in recorded.memory()[:3]][1] is TextState.MISSING
        with pytest.raises(DatasetError, match="step 2 has no memory"):
            write_memory(recorded.root, EPISODE, "kept", tmp_path)
        assert recorded.run(server, "cheap") == [Ended(EPISODE, 1)]
    now = recorded.memory()[1].kept[RESULT].suggestion
    assert isinstance(now, Remembered)
    assert (now.candidate, now.words != rejected.words) == (3, True)
    write_memory(recorded.root, EPISODE, "kept", tmp_path)
    written = json.loads((tmp_path / "chain_of_memory" / f"{EPISODE}.json").read_text())
    assert written["people"] == ["Ann"]
    assert written["steps"][0]["long_term"]["is_stored"] is False
    assert written["steps"][1]["action_result"] == now.words
    store.append(EPISODE, decided(core, "withdraw"))
    assert recorded.memory()[0].words(CORE) == core.words


@pytest.mark.parametrize("core", ["", "<b>37</b>", "\x00", "x" * 4_001])
def test_unusable_core_text_is_reported_and_not_kept(recorded: MemoryDataset, core: str) -> None:
    model = MemoryModel(recorded.screens)

    def unusable(request: ReceivedRequest) -> Reply:
        is_core = CORE in request.schema["properties"]
        return says({"is_needed_later": True, CORE: core}) if is_core else model(request)

    with StandIn(unusable) as server:
        (ended,) = recorded.run(server)
    assert "core" in ended.problem
    first = recorded.memory()[0]
    assert (first.kept[SCREEN].state, first.kept[CORE].state) == (TextState.SUGGESTED, TextState.MISSING)


def test_server_failure_loses_and_repeats_nothing(recorded: MemoryDataset) -> None:
    model = MemoryModel(recorded.screens)
    with StandIn(lambda request: server_error(503) if model.judged > 1 else model(request)) as server:
        (ended,) = recorded.run(server)
        assert ended.problem
    kept = sum(not one.is_open for step in recorded.memory() for one in step.kept.values()) - 1
    assert 0 < kept < WRITTEN
    model.judged = -1000
    counts = Counter(json.dumps(question.body["messages"]) for question in server.questions[:-1])
    with StandIn(model, port=server.port) as server:
        assert recorded.run(server) == [Ended(EPISODE, WRITTEN - kept)]
    counts += Counter(json.dumps(question.body["messages"]) for question in server.questions)
    assert max(counts.values()) <= 3, "three candidates of one question"


def test_new_instruction_makes_all_memory_but_action_results_stale(recorded: MemoryDataset, tmp_path: Path) -> None:
    with StandIn(MemoryModel(recorded.screens)) as server:
        recorded.run(server, "cheap")
    write_memory(recorded.root, EPISODE, "kept", tmp_path)
    written = json.loads((tmp_path / "chain_of_memory" / f"{EPISODE}.json").read_text())
    assert len(written["steps"]) == STEPS + 1
    assert written["steps"][2]["short_term_memory"] == [one["action_result"] for one in written["steps"][1:3]]
    assert [one["core"] for one in written["steps"][-1]["long_term_memory"]] == [
        one["long_term"]["core"] for one in written["steps"] if one["long_term"]["is_stored"]
    ], "without a known app nothing is replaced"
    (annotation,) = (recorded.root / "annotations").iterdir()
    text = annotation.read_text()
    instruction = json.loads(text)["task_info"]["instruction"]
    annotation.write_text(text.replace(json.dumps(instruction), json.dumps("Do another thing")))
    states = [{kind: one.state for kind, one in step.kept.items()} for step in recorded.memory()]
    assert {one[SCREEN] for one in states} | {one[CORE] for one in states} == {TextState.STALE}
    assert {one[RESULT] for one in states[1:]} == {TextState.SUGGESTED}
    with pytest.raises(DatasetError, match=r"step 1 and others have no memory, or an outdated one"):
        write_memory(recorded.root, EPISODE, "kept", tmp_path)


def test_released_episode_gets_the_apps_of_its_screens_and_replaces_entries(tmp_path: Path) -> None:
    """The model names the apps as the instruction does, or as it likes; the last step is in another app."""
    released = RELEASED.read_bytes()
    episode_id, steps = RELEASED.stem.removeprefix("v1v2_"), len(json.loads(released)["steps"])
    for folder in ("annotations", "screenshots"):
        (tmp_path / folder).mkdir()
    (tmp_path / annotation_path(episode_id)).write_bytes(released)
    for number in range(steps):
        Image.new("RGB", (168, 374), (20 * number,) * 3).save(tmp_path / screenshot_path(episode_id, number))
    names = ["Home screen", *["Setting"] * 4, *["Settings"] * 4, "Home screen", "Todoist"]

    def answer(request: ReceivedRequest) -> Reply:
        fields = request.schema["properties"]
        if APP not in fields:
            given = {"is_needed_later": True, CORE: "It is on."} if CORE in fields else dict.fromkeys(fields, "Words.")
            return says(given)
        assert '["Todoist", "Setting"]' in request.words
        (image,) = images_of(request)
        return says({APP: names[round(np.asarray(image).mean() / 20)]})

    with StandIn(answer) as server:
        writer = MemoryWriter(batch(server, None, tries=1), tmp_path, Checker(None).evidence, mode="cheap")
        assert writer.run([episode_id]) == [Ended(episode_id, 4 * steps - 1)]
    write_memory(tmp_path, episode_id, "paper", tmp_path)
    written = json.loads((tmp_path / "chain_of_memory" / f"{episode_id}.json").read_text())
    apps = [one["long_term"]["app"] for one in written["steps"]]
    assert apps == ["Home screen", *["com.android.settings"] * 8, "Home screen", "com.todoist"]
    kept = [(entry["app"], entry["step"]) for entry in written["steps"][-1]["long_term_memory"]]
    assert kept == [("Home screen", 0), ("com.android.settings", 8), ("Home screen", 9), ("com.todoist", 10)]
