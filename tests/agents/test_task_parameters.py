"""Tasks with parameters: what a seed chooses, how templates are filled, and how difficult a task is."""

import json
from pathlib import Path
from typing import Any

import pytest

from odyssey_recorder.agents.benchmark import Difficulty, TaskTemplate, read_benchmark, shipped_benchmark
from odyssey_recorder.agents.outcome import StopReason
from odyssey_recorder.agents.results import TaskResult, summary
from odyssey_recorder.commands.agent_tasks import chosen_tasks
from odyssey_recorder.dataset.goals import TaskGoal, values_at
from odyssey_recorder.errors import TaskError
from tests.agents.controlled_model import says
from tests.cli import CommandLine
from tests.llm.stand_in import MODEL, StandIn

ALARMS = ["17:20", "5:40", "9:50"]
PARAMETERS: dict[str, Any] = {
    "title": ["Milk", "Tea", "Coffee"],
    "time": [
        {"words": "7:20", "of_day": 440, "taps": [{"on": "07"}, {"on": "20"}]},
        {"words": "8", "of_day": 480, "taps": []},
    ],
}
ROW: dict[str, Any] = {
    "task_id": "brew",
    "parameters": PARAMETERS,
    "task": {"category": "General_Tool", "instruction": "Brew {title} at {time.words}", "apps": ["Clock"]},
    "goals": [
        {"path": "clock.alarms[label={title}].minute", "op": "equals", "value": "{time.of_day}"},
        {"path": "clock.alarms.words", "op": "contains", "value": ["{title}", "at {time.of_day}"]},
    ],
    "answer": "{time.words}",
    "gold": [{"on": "Clock"}, "{time.taps}", {"type": "{title}"}],
}


def template(folder: Path, **changed: Any) -> TaskTemplate:
    path = folder / "goals.jsonl"
    path.write_text(json.dumps(ROW | changed, ensure_ascii=False) + "\n", encoding="utf-8")
    return read_benchmark(path)["brew"]


def test_seed_fills_text_goals_answer_and_script_consistently(tmp_path: Path) -> None:
    made = template(tmp_path)
    seen = []
    for seed in range(6):
        chosen, task = made.chosen(seed), made.filled(seed)
        title, time = chosen["title"], chosen["time"]
        assert task.listed is not None
        assert task.listed.task.instruction == f"Brew {title} at {time['words']}"
        assert task.goals[0] == TaskGoal(path=f"clock.alarms[label={title}].minute", op="equals", value=time["of_day"])
        assert task.goals[1].value == [title, f"at {time['of_day']}"]
        assert task.answer == time["words"]
        moves = [move.model_dump(exclude_defaults=True) for move in task.gold]
        assert moves == [{"on": "Clock"}, *time["taps"], {"type": title}]
        seen.append(chosen)
    assert all(one not in seen[:place] for place, one in enumerate(seen))
    assert [template(tmp_path).chosen(seed) for seed in range(12)] == seen * 2


def test_seeds_are_reproducible_across_computers() -> None:
    shipped = read_benchmark(shipped_benchmark())
    chosen = [shipped["sim-alarm-time"].chosen(seed)["time"]["words"] for seed in range(3)]
    assert chosen == ALARMS


@pytest.mark.parametrize("text", ['a.b "c" [d] = ~ \\ e', "]", '"', "a\nb", "{title}", "{", "ü\u2028"])
@pytest.mark.parametrize(
    "place", ["notes[title={text}].body", "by_title.{text}", 'by_title."{text}"', "notes[title~{text}].body"]
)
def test_values_cannot_break_a_path(text: str, place: str, tmp_path: Path) -> None:
    goals = [{"path": place, "op": "equals", "value": "{text}"}]
    made = template(tmp_path, parameters={"text": [text]}, goals=goals, task=None, answer="", gold=[{"type": "{text}"}])
    task = made.filled(0)
    facts = {"notes": [{"title": text, "body": text}, {"title": "x", "body": "y"}], "by_title": {text: text, "x": "y"}}
    assert values_at(task.goals[0].path, facts) == [text]
    assert task.goals[0].is_met({}, facts)
    assert task.gold[0].model_dump() == {"type": text}


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"answer": "{tilte}"}, r"there is no parameter {tilte}\. There are {title}, {time\.words}, {time\.of_day}"),
        ({"answer": "{title.words}"}, r"there is no parameter {title\.words}"),
        ({"answer": "{time.hour}"}, r"there is no parameter {time\.hour}"),
        ({"answer": "{}"}, r"there is no parameter {}"),
        ({"answer": "at {time}"}, r"{time} is neither a text nor a whole number"),
        ({"answer": "{time.of_day}"}, r"answer: Input should be a valid string"),
        ({"parameters": PARAMETERS | {"title": []}}, r"parameters\.title"),
        ({"goals": [{"path": "notes[{title}]", "op": "any"}]}, r"goals\.0\.path: expected a path"),
        ({"task": ROW["task"] | {"category": "Tea"}}, r"Not a task: Input should be 'General_Tool'"),
        ({"task": ROW["task"] | {"instruction": "Brew {tea}"}}, r"there is no parameter {tea}"),
    ],
)
def test_template_that_cannot_be_filled_is_rejected_with_its_line(
    changed: dict[str, Any], message: str, tmp_path: Path
) -> None:
    with pytest.raises(TaskError, match=rf"goals\.jsonl, line 1: .*{message}"):
        template(tmp_path, **changed)


def test_braces_are_ordinary_text_without_parameters(tmp_path: Path) -> None:
    made = template(tmp_path, parameters={}, answer="{x}", goals=[{"path": "a", "op": "any"}], gold=[])
    assert made.filled(0).answer == made.filled(7).answer == "{x}"


@pytest.mark.parametrize(
    ("moves", "apps", "difficulty"),
    [
        (8, 1, "easy"), (9, 1, "medium"), (20, 1, "medium"), (21, 1, "hard"),
        (3, 2, "medium"), (21, 2, "hard"),
        (3, 3, "hard"),
    ],
)  # fmt: skip
def test_difficulty_follows_from_moves_and_apps(moves: int, apps: int, difficulty: str) -> None:
    assert Difficulty.of(moves=moves, apps=apps) == difficulty


def test_user_list_is_used_alone_and_unknown_tasks_are_rejected(tmp_path: Path) -> None:
    listed = tmp_path / "tasks.jsonl"
    listed.write_text(json.dumps({"task_id": "tea", **ROW["task"]}) + "\n")
    assert [(job.task_id, job.difficulty) for job in chosen_tasks(listed, None, (), (0,))] == [("tea", None)]
    assert [job.seed for job in chosen_tasks(None, None, ["sim-alarm-time"], range(2))] == [0, 1]
    with pytest.raises(TaskError, match=r"no task 'tea' in .*simulated_phone\.jsonl or .*_goals\.jsonl"):
        chosen_tasks(None, None, ["tea"], (0,))


def test_success_is_summarized_by_difficulty() -> None:
    outcomes = [(Difficulty.EASY, True), (Difficulty.EASY, False), (Difficulty.HARD, False), (None, True)]
    results = [
        TaskResult(task_id="a", seed=seed, stop=StopReason.COMPLETE, difficulty=difficulty, is_met=is_met)
        for seed, (difficulty, is_met) in enumerate(outcomes)
    ]
    lines = list(summary(results))
    assert [line.partition(";")[0] for line in lines[:3]] == [
        "Success: 50.0% (2 of 4",
        "Success, easy: 50.0% (1 of 2",
        "Success, hard: 0.0% (0 of 1",
    ]
    assert not any("medium" in line for line in lines)


def test_each_seed_is_a_separate_attempt(cli: CommandLine) -> None:
    folder = cli.folder / "bench"
    with StandIn(lambda _: says("COMPLETE")) as server:
        cli.monkeypatch.setenv("ODYSSEY_MODEL_URL", server.url)
        output = cli.output(
            "agent", "bench", "--model", MODEL, "--out", folder, "--task", "sim-alarm-time", "--seeds", 2
        )
        prompts = [question.words for question in server.questions]
    rows = [json.loads(line) for line in (folder / "results.jsonl").read_text().splitlines()[1:]]
    attempts = sorted((row["seed"], row["difficulty"], row["is_met"]) for row in rows)
    assert attempts == [(0, "easy", False), (1, "easy", False)]
    assert len(prompts) == len(rows)
    for words in ALARMS[:2]:
        assert any(f"Set an alarm in Clock for {words}" in one for one in prompts)
    assert "Success, easy: 0.0% (0 of 2; 95% interval 0.0% to" in output
