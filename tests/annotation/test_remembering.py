"""The memory of episodes: what is asked for it, which candidate is kept, and what amendments make of it."""

import json
import shutil
from collections import Counter
from hashlib import sha256
from pathlib import Path

import pytest
from PIL import Image

from odyssey_recorder.annotation.asked import open_dataset_episode
from odyssey_recorder.annotation.conversations import Ended
from odyssey_recorder.annotation.inputs import inputs_of
from odyssey_recorder.annotation.listing import write_memory
from odyssey_recorder.annotation.memory import StepMemory, memory_of
from odyssey_recorder.annotation.remembering import Mode, Remembering
from odyssey_recorder.annotation.semantics import Remembered, SemanticsStore, TextState
from odyssey_recorder.dataset.layout import provenance_path, screenshot_path
from odyssey_recorder.errors import DatasetError
from odyssey_recorder.quality.checker import Checker
from tests.annotation.phone_dataset import Touched, look_around
from tests.annotation.remembering_model import CORE, RESULT, SCREEN, RememberingModel
from tests.annotation.seeing_model import expected
from tests.annotation.test_asking import EPISODE, Recorded
from tests.annotation.texts import decided
from tests.llm.stand_in import Asked, Says, StandIn, says, server_error

STEPS = 3


class RecordedMemory(Recorded):
    def run(self, server: StandIn, mode: Mode = "full") -> list[Ended]:  # type: ignore[override]
        return self.remembering(server, mode).run([EPISODE])

    def remembering(self, server: StandIn, mode: Mode = "full") -> Remembering:
        return Remembering(self.batch(server), self.root, Checker(None).evidence, mode=mode)

    def memory(self) -> list[StepMemory]:
        found = open_dataset_episode(self.root, EPISODE)
        return memory_of(found, SemanticsStore(self.root).read(EPISODE), inputs_of(found))

    def seen(self, number: int) -> str:
        return expected(self.screens, number)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[Touched]]:
    root = tmp_path_factory.mktemp("made")
    return root, look_around(root, EPISODE, STEPS)


@pytest.fixture
def recorded(made: tuple[Path, list[Touched]], tmp_path: Path) -> RecordedMemory:
    root, touched = made
    return RecordedMemory(shutil.copytree(root, tmp_path / "dataset"), touched)


def test_the_judge_chooses_among_three_candidates_that_saw_the_right_screens(recorded: RecordedMemory) -> None:
    model = RememberingModel(recorded.screens, best=1)
    with StandIn(model) as server:
        estimate = recorded.remembering(server).plan([EPISODE]).estimate
        assert recorded.run(server) == [Ended(EPISODE, 3 * (STEPS + 1) - 1)]
        asked = len(server.questions)
        assert recorded.run(server) == []
    assert len(server.questions) == asked <= estimate.calls
    assert server.complaints == []
    steps = recorded.memory()
    bare = [recorded.seen(number).partition(",")[0] for number in range(STEPS)]
    results = [f"From {recorded.seen(number)} to {bare[number + 1]}, way 1." for number in range(STEPS - 1)]
    assert [one.words(RESULT) for one in steps[:STEPS]] == ["", *results]
    assert [one.words(SCREEN) for one in steps[:STEPS]] == [f"It is {one}, way 1." for one in bare]
    for one in (kept for step in steps for kept in step.kept.values() if kept.source is not None and kept.words):
        assert isinstance(one.source, Remembered)
        assert one.source.judge is not None
        assert (one.source.candidate, one.source.scores) == (1, ((2, 2, 2), (5, 5, 5), (2, 2, 2)))
        assert one.source.judge.prompt == "memory_judge/1"


def test_equal_candidates_need_no_judge_and_what_is_not_needed_is_empty(recorded: RecordedMemory) -> None:
    model = RememberingModel(recorded.screens, ways=1)
    with StandIn(model) as server:
        recorded.run(server)
    assert model.judged == 0
    cores = [one.kept[CORE] for one in recorded.memory()]
    numbers = [int(recorded.seen(number).split()[1].strip(",")) for number in range(STEPS)]
    assert [bool(one.words) for one in cores[:STEPS]] == [number % 2 == 0 for number in numbers]
    assert {one.state for one in cores} == {TextState.SUGGESTED}


def test_the_cheap_mode_judges_only_what_the_record_contradicts(recorded: RecordedMemory) -> None:
    class Inventive(RememberingModel):
        def __call__(self, asked: Asked) -> Says:
            said = super().__call__(asked)
            if CORE in asked.schema["properties"] and "way 0" in said.raw and "screen 0" in said.raw:
                return says({"is_needed_later": True, CORE: "The price is 37 dollars."})
            return said

    model = Inventive(recorded.screens)
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


def test_the_cheap_mode_takes_the_tick_of_a_clock_for_no_change(recorded: RecordedMemory) -> None:
    show_a_tick(recorded, 1)
    with StandIn(RememberingModel(recorded.screens)) as server:
        recorded.run(server, "cheap")
    assert judged_results(recorded) == [1], "it says what changed, but only the clock did"


def test_the_cheap_mode_judges_who_says_that_a_changed_screen_did_not_change(recorded: RecordedMemory) -> None:
    model = RememberingModel(recorded.screens)

    def blind(asked: Asked) -> Says:
        said = model(asked)
        is_first = RESULT in asked.schema["properties"] and "way 0" in said.raw
        return says({RESULT: "Nothing changed."}) if is_first else said

    show_a_tick(recorded, 1)
    with StandIn(blind) as server:
        recorded.remembering(server, "cheap").plan([EPISODE])
        recorded.run(server, "cheap")
    pngs = [(recorded.root / screenshot_path(EPISODE, at)).read_bytes() for at in range(STEPS + 1)]
    assert judged_results(recorded) == [at for at in range(2, STEPS + 1) if pngs[at] != pngs[at - 1]] != []


def judged_results(recorded: RecordedMemory) -> list[int]:
    sources = [step.kept[RESULT].source for step in recorded.memory()]
    return [at for at, one in enumerate(sources) if isinstance(one, Remembered) and one.judge is not None]


def show_a_tick(recorded: RecordedMemory, number: int) -> None:
    """The screen of a step becomes that of the step before, with another minute in the status bar."""
    with Image.open(recorded.root / screenshot_path(EPISODE, number - 1)) as before:
        image = before.convert("RGB")
    image.paste((90, 90, 90), (8, 8, 20, 20))
    path, provenance = recorded.root / screenshot_path(EPISODE, number), recorded.root / provenance_path(EPISODE)
    image.save(path)
    told = json.loads(provenance.read_text())
    told["steps"][number]["frame"]["png_sha256"] = sha256(path.read_bytes()).hexdigest()
    provenance.write_text(json.dumps(told))


def test_what_a_person_decides_on_a_memory_counts_and_a_rejected_one_is_asked_for_anew(
    recorded: RecordedMemory, tmp_path: Path
) -> None:
    model, store = RememberingModel(recorded.screens, ways=9), SemanticsStore(recorded.root)
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
def test_an_unusable_core_is_told_and_not_kept(recorded: RecordedMemory, core: str) -> None:
    model = RememberingModel(recorded.screens)

    def bad(asked: Asked) -> Says:
        is_core = CORE in asked.schema["properties"]
        return says({"is_needed_later": True, CORE: core}) if is_core else model(asked)

    with StandIn(bad) as server:
        (ended,) = recorded.run(server)
    assert "core" in ended.problem
    first = recorded.memory()[0]
    assert (first.kept[SCREEN].state, first.kept[CORE].state) == (TextState.SUGGESTED, TextState.MISSING)


def test_a_server_that_fails_loses_nothing_and_nothing_is_asked_twice(recorded: RecordedMemory) -> None:
    model = RememberingModel(recorded.screens)
    with StandIn(lambda asked: server_error(503) if model.judged > 1 else model(asked)) as server:
        (ended,) = recorded.run(server)
        assert ended.problem
    kept = sum(not one.is_open for step in recorded.memory() for one in step.kept.values()) - 1
    assert 0 < kept < 3 * (STEPS + 1) - 1
    model.judged = -1000
    asked = Counter(json.dumps(question.body["messages"]) for question in server.questions[:-1])
    with StandIn(model, port=server.port) as server:
        assert recorded.run(server) == [Ended(EPISODE, 3 * (STEPS + 1) - 1 - kept)]
    asked += Counter(json.dumps(question.body["messages"]) for question in server.questions)
    assert max(asked.values()) <= 3, "three candidates of one question"


def test_a_new_instruction_leaves_action_results_and_its_files_are_refused_until_it_is_remembered(
    recorded: RecordedMemory, tmp_path: Path
) -> None:
    with StandIn(RememberingModel(recorded.screens)) as server:
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
