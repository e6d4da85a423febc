"""`predict`: from a dataset to a file of predictions, with a gold replayer behind a stand-in for a server."""

import json
import re
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from odyssey_recorder.agents.adapter import adapter_named, all_adapters
from odyssey_recorder.agents.history import HistoryRule
from odyssey_recorder.agents.predict import next_step, sampled
from odyssey_recorder.annotation.memory import Recall
from odyssey_recorder.annotation.semantics import SemanticsStore
from odyssey_recorder.dataset.codec import action_from_json, write_episode
from odyssey_recorder.dataset.layout import annotation_path, screenshot_path
from odyssey_recorder.errors import SettingsError
from odyssey_recorder.model.action import Action, Complete, Impossible, action_type
from odyssey_recorder.model.episode import Category, DeviceInfo, Episode, Step, TaskInfo, screenshot_name
from odyssey_recorder.model.geometry import Size
from tests.agents.gold_replayer import LACKING, GoldReplayer, colour, is_same_action
from tests.annotation.memory_model import Rememberer, told_after
from tests.annotation.texts import remember
from tests.cli import CommandLine, Result
from tests.exporting.sample import ACTIONS
from tests.llm.other_servers import peers, pictures_in
from tests.llm.stand_in import MODEL, Behaviour, ErrorReply, ReceivedRequest, Reply, StandIn, Turn, json_reply

SIZE = Size(500, 900)
ENDS: tuple[Action, ...] = (Complete("12"), Impossible("no such shop"))
IDS = ["0000000000000001", "0000000000000002"]
GOLDS = [action for end in ENDS for action in (*ACTIONS, end)]
GOLD = GoldReplayer("ours", GOLDS, SIZE)


@pytest.fixture
def dataset(cli: CommandLine) -> Path:
    """Two episodes, whose device_info has width and height swapped; each screen has its own colour."""
    root = cli.dataset
    for name in ("annotations", "screenshots", "splits"):
        (root / name).mkdir(parents=True)
    for episode, (episode_id, end) in enumerate(zip(IDS, ENDS, strict=True)):
        steps = tuple(Step(screenshot_name(episode_id, at), one) for at, one in enumerate((*ACTIONS, end)))
        task = TaskInfo(list(Category)[episode].value, ("Notes",), "Buy {}.", "Buy.", f"Buy “{episode}” & <more>.")
        made = Episode(episode_id, DeviceInfo("Small Phone", SIZE.turned()), task, steps)
        write_episode(root / annotation_path(episode_id), made)
        for at in range(len(steps)):
            screen = Image.new("RGB", (SIZE.width, SIZE.height), colour(episode * len(steps) + at))
            screen.save(root / screenshot_path(episode_id, at))
    parts = {"train": [f"{IDS[0]}.json"], "test": [f"{IDS[1]}.json"]}
    (root / "splits" / "app_split.json").write_text(json.dumps(parts))
    return root


@pytest.fixture
def out(cli: CommandLine, dataset: Path) -> Path:
    """The predictions for the dataset."""
    return cli.folder / "out.jsonl"


@contextmanager
def serving(cli: CommandLine, behaviour: Behaviour = GOLD) -> Iterator[StandIn]:
    others = peers(behaviour.says) if isinstance(behaviour, GoldReplayer) else lambda _: None
    with StandIn(behaviour, others=others) as server:
        cli.monkeypatch.setenv("ODYSSEY_MODEL", "another")
        cli.monkeypatch.setenv("ODYSSEY_MODEL_URL", server.url)
        yield server


@pytest.fixture
def server(cli: CommandLine) -> Iterator[StandIn]:
    with serving(cli) as running:
        yield running


def predict(cli: CommandLine, out: Path, *options: object) -> Result:
    return cli("predict", cli.dataset, out, "--model", MODEL, "--yes", *options)


def rows(out: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]


def without_words(action: Action) -> Action:
    """As a file of predictions has it: the words of an ending are in the raw answer only."""
    return Complete() if isinstance(action, Complete) else Impossible("") if isinstance(action, Impossible) else action


OF_EACH_KIND = (
    "ours",
    "cogagent",
    "ui-tars-1.5",
    "ui-venus-1.5",
    "gemini-mobile",
    "openai-computer-tool",
    "claude-computer-tool",
)
"""JSON, calls, turns, a list of answers, and the three other wires."""


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(one, marks=() if one in OF_EACH_KIND else pytest.mark.soak)
        for one, adapter in all_adapters().items()
        if not adapter.needs_marks
    ],
)
def test_gold_replayed_by_every_adapters_writer_scores_100(cli: CommandLine, out: Path, name: str) -> None:
    with serving(cli, GoldReplayer(name, GOLDS, SIZE)) as server:
        ran = predict(cli, out, "--adapter", name, "--history", "screenshots:1")
        assert ran.exit_code == 0, ran.err
        assert server.complaints == []
        fitted = adapter_named(name).fit(SIZE)
        assert {one.size for request in server.seen for one in pictures_in(request.body)} == {
            (fitted.width, fitted.height)
        }
    header, *predictions = rows(out)
    assert header == {
        "format": "odyssey-predictions", "version": 1, "adapter": name, "model": MODEL, "history": "screenshots:1",
        "level": "high", "sample": "",
    }  # fmt: skip
    assert [(row["episode"], row["step"]) for row in predictions] == [(one, n) for one in IDS for n in range(8)]
    for gold, row in zip(GOLDS, predictions, strict=True):
        if action_type(gold) in LACKING.get(name, ()):
            assert (row["action"], row["raw"]) == (None, "I cannot say this.")
            assert row["problem"].startswith("unreadable")
        else:
            assert row["problem"] == ""
            assert is_same_action(without_words(gold), action_from_json(row["action"], source="prediction")), row
        assert (row["tokens_in"] > 0, row["tokens_out"] > 0, row["seconds"] >= 0) == (True, True, True)
    lacks = [action_type(gold) in LACKING.get(name, ()) for gold in GOLDS]
    lacking, half = sum(lacks), len(GOLDS) // len(IDS)
    score = cli.json("evaluate", out, "--data", cli.dataset)
    assert score["ams"] == round(100 * (len(GOLDS) - lacking) / len(GOLDS), 2)
    assert score["sr"] == 50 * [any(lacks[:half]), any(lacks[half:])].count(False)


def test_gold_scores_100_and_random_is_chance_without_a_model(cli: CommandLine, out: Path) -> None:
    """No server is running."""
    assert cli("predict", cli.dataset, out, "--agent", "gold").out == "16 steps of 2 episodes, 0 without an action\n"
    score = cli.json("evaluate", out, "--data", cli.dataset)
    assert (score["ams"], score["sr"], score["model"], score["notes"]) == (100, 100, "gold", [])
    drawn = []
    for seed in (1, 1, 2):
        cli.output("predict", cli.dataset, out, "--agent", "random", "--seed", seed)
        drawn.append(out.read_bytes())
    assert (drawn[0] == drawn[1], drawn[1] == drawn[2]) == (True, False)
    said = cli.output("evaluate", out, "--data", cli.dataset)
    assert "The actions of this file are random, so its scores are chance." in said
    assert cli.json("evaluate", out, "--data", cli.dataset)["ams"] < 50


def test_interrupted_run_is_continued_without_repeating_requests(cli: CommandLine, out: Path, server: StandIn) -> None:
    left = iter([*[True] * 5, *[False] * 99])
    server.behaviour = lambda request: GOLD(request) if next(left) else ErrorReply(401, "no")
    first = predict(cli, out)
    assert (first.exit_code, out.exists()) == (1, False)
    assert "Run the same command to continue" in first.err
    server.behaviour = GOLD
    assert predict(cli, out).exit_code == 0
    answered = len(server.questions)
    whole = out.read_bytes()
    out.unlink()
    assert predict(cli, out).exit_code == 0
    assert out.read_bytes() == whole
    assert len(server.questions) == answered


def test_split_filter_and_sample_select_episodes(cli: CommandLine, out: Path, server: StandIn) -> None:
    server.behaviour = lambda _: Reply("Sorry, no.", finish_reason="length", refusal="No.")
    ran = predict(cli, out, "--split", "app/test", "--sample", 5)
    none = predict(cli, out, "--filter", "steps:>99")
    summary = (
        r"8 steps of 1 episode, 8 without an action\n\d+\.\d\d seconds an answer \(median\), \d+\.\d\d tokens a second "
        r"of whole requests\. Answers are not streamed, so no time to the first token is measured\.\n"
    )
    assert (ran.exit_code, bool(re.fullmatch(summary, ran.out))) == (0, True), ran.err + ran.out
    assert {row["episode"] for row in rows(out)[1:]} == {IDS[1]}
    assert {(row["raw"], row["action"]) for row in rows(out)[1:]} == {("Sorry, no.", None)}
    assert (none.exit_code, "No episode of" in none.err) == (2, True)


def test_sample_of_single_steps_is_asked_and_scored_alone(cli: CommandLine, out: Path, server: StandIn) -> None:
    assert predict(cli, out, "--sample", 5, "--unit", "step").exit_code == 0
    header, *predicted = rows(out)
    assert (header["sample"], len(predicted), len(server.questions)) == ("5 steps", 5, 5)
    baseline = cli.dataset.with_name("gold.jsonl")
    cli.output("predict", cli.dataset, baseline, "--agent", "gold", "--sample", 5, "--unit", "step")
    assert [(row["episode"], row["step"]) for row in rows(baseline)[1:]] == [
        (row["episode"], row["step"]) for row in predicted
    ]
    for protocol in ("official", "paper", "strict"):
        score = cli.json("evaluate", baseline, "--data", cli.dataset, "--protocol", protocol)
        assert (score["steps"], score["ams"], score["sr"], score["file"]["missing"]) == (5, 100, None, 0)
        assert "The file has a sample of 5 steps: SR counts episodes that are whole in it." in score["notes"]


@pytest.mark.usefixtures("server")
def test_unreadable_episode_is_reported_and_others_are_predicted(cli: CommandLine, out: Path) -> None:
    (cli.dataset / screenshot_path(IDS[0], 3)).unlink()
    ran = predict(cli, out)
    assert (ran.exit_code, IDS[0] in ran.err) == (1, True)
    assert {row["episode"] for row in rows(out)[1:]} == {IDS[1]}


def test_consent_is_required_and_foreign_files_are_not_replaced(cli: CommandLine, out: Path) -> None:
    cli.monkeypatch.setenv("ODYSSEY_MODEL_URL", "http://model.invalid/v1")
    refused = predict(cli, out)
    assert (refused.exit_code, out.exists()) == (2, False)
    assert "16 screenshots" in refused.err
    assert "has not agreed that its screenshots are sent to http://model.invalid" in refused.err
    out.write_text("mine")
    kept = predict(cli, out, "--consent")
    assert (kept.exit_code, out.read_text()) == (2, "mine")
    assert "is not a file of predictions" in kept.err


def prompts(cli: CommandLine, out: Path, history: str) -> list[str]:
    """One for each step of the first episode."""
    with serving(cli) as server:
        ran = predict(cli, out, "--history", history, "--filter", f"id:{IDS[0]}", "--at-once", 1)
        assert ran.exit_code == 0, ran.err
        return [request.words for request in server.questions]


def test_history_option_determines_the_prompt(cli: CommandLine, dataset: Path, out: Path) -> None:
    assert [("buy: milk" in words) for words in prompts(cli, out, "actions:2")] == [
        False, False, True, True, *[False] * 4
    ]  # fmt: skip
    assert not any("buy: milk" in words for words in prompts(cli, out, "none"))
    assert SemanticsStore(dataset).read(IDS[0]).entries == ()


def test_step_recalls_no_memory_of_later_steps(cli: CommandLine, dataset: Path, out: Path) -> None:
    remember(dataset, IDS[0])
    before = prompts(cli, out, "memory")
    assert rows(out)[0]["history"] == "memory:paper"
    assert "Done so far:\nRemembered: app of step 0.: core of step 0.\n" in before[0]
    assert (
        "so far:\naction_result of step 1. Remembered: app of step 0.: core of step 0. app of step 1.: core"
        in before[1]
    )
    recalled = [words.partition("Done so far:")[2] for words in before]
    assert [recalled[5].count(f"action_result of step {at}.") for at in range(8)] == [0, 0, 1, 1, 1, 1, 0, 0]
    assert [recalled[5].count(f"core of step {at}.") for at in range(8)] == [*[1] * 6, *[0] * 2]
    remember(dataset, IDS[0], step=5, words="Other words.")
    after = prompts(cli, out, "memory")
    changed = [at for at, (one, other) in enumerate(zip(before, after, strict=True)) if one != other]
    assert changed == [5, 6, 7], "at step 5 the result of step 4, which its screen shows"
    assert after[5].count("Other words.") == 3, "as action result, core and app"


def test_memory_that_the_model_writes_is_that_of_the_offline_writer(cli: CommandLine, dataset: Path, out: Path) -> None:
    """With the answers to the same questions, of which none is asked again; nothing is kept in the dataset."""
    model = Rememberer(GOLD)
    one = ("--filter", f"id:{IDS[0]}")
    with serving(cli, model) as server:
        plan = predict(cli, out, "--history", "memory:kept:live", *one, "--at-once", 1)
        asked = len(server.questions)
        assert (plan.exit_code, asked) == (0, 8 + 4 * 8 - 1), plan.err
        assert "8 screenshots" in plan.err
        assert SemanticsStore(dataset).read(IDS[0]).entries == ()
        cli.monkeypatch.setenv("ODYSSEY_MODEL", MODEL)
        cli.output("annotate", "run", dataset, "--memory", "cheap", "--yes", *one)
        assert len(server.questions) == asked
    cli.output("annotate", "export", dataset, "--memory", "kept", "--out", cli.folder, *one)
    assert model.told == told_after(cli.folder, IDS[0])
    assert rows(out)[0]["history"] == "memory:kept:live"
    assert [row["problem"] for row in rows(out)[1:]] == [""] * 8


def test_refused_memory_is_empty_and_other_servers_cannot_write_one(cli: CommandLine, dataset: Path, out: Path) -> None:
    def refusing(request: ReceivedRequest) -> Turn:
        return GOLD(request) if "reason" in request.schema["properties"] else Reply("", refusal="I must not.")

    with serving(cli, refusing) as server:
        assert predict(cli, out, "--history", "memory:live", "--filter", f"id:{IDS[0]}").exit_code == 0
        decisions = [one.words for one in server.questions if "reason" in one.schema["properties"]]
    assert all("Done so far:\nnothing\n" in words for words in decisions)
    assert len(decisions) == 8
    other = predict(cli, out, "--history", "memory:live", "--adapter", "gemini-mobile")
    assert (other.exit_code, "it cannot write a memory" in other.err) == (2, True)


def test_missing_text_history_is_reported(cli: CommandLine, dataset: Path, server: StandIn, out: Path) -> None:
    remember(dataset, IDS[0])
    remembered = predict(cli, out, "--history", "memory:kept")
    assert remembered.exit_code == 1
    assert f"{IDS[1]}: step 1 and others have no memory" in remembered.err
    count = len(server.questions)
    context = predict(cli, out, "--history", "context")
    assert (context.exit_code, len(server.questions)) == (1, count)
    assert "Step 2 has no context. Use annotate run first." in context.err


def test_a_file_of_the_user_is_the_question_and_its_hash_is_in_the_result(
    cli: CommandLine, out: Path, server: StandIn
) -> None:
    mine = cli.folder / "mine.txt"
    asked = []
    for text in ("{screenshot}\nDo {task} ({width}x{height})\n{history}", "{task}{screenshot}", "{task}{screenshot}"):
        mine.write_text(text)
        before = len(server.questions)
        assert predict(cli, out, "--prompt", mine, "--filter", f"id:{IDS[0]}", "--at-once", 1).exit_code == 0
        assert rows(out)[0]["adapter"] == f"ours with mine.txt@{sha256(text.encode()).hexdigest()[:16]}"
        asked.append(server.questions[before:])
        assert next_step("predict", adapter_named("ours", mine), ()).prompt_sha256 == sha256(text.encode()).hexdigest()
    assert [len(requests) for requests in asked] == [8, 8, 0], "a changed file is asked anew, the same one is not"
    image, words = asked[0][2].body["messages"][0]["content"]
    assert image["type"] == "image_url"
    task, *history = words["text"].split("\n")
    assert task == "Do Buy “0” & <more>. (500x900)"
    assert [line.partition("{")[0] for line in history] == ["Step1: ", "Step2: "]
    assert asked[0][0].words.endswith("\nNone")
    assert cli.json("evaluate", out, "--data", cli.dataset)["ams"] == 100
    mine.write_text("{task} {screen}")
    refused = predict(cli, out, "--prompt", mine)
    assert refused.exit_code == 2
    assert (
        "has the unknown slot {screen}, lacks the slot {screenshot}. These exist: {task}, {screenshot}" in refused.err
    )


@pytest.mark.usefixtures("server")
def test_set_of_marks_needs_boxes(cli: CommandLine, out: Path) -> None:
    ran = predict(cli, out, "--adapter", "set-of-marks")
    assert (ran.exit_code, "has no view hierarchies, so nothing can be tagged" in ran.err) == (1, True)
    layout = ("--as", "llamafactory", "--adapter", "set-of-marks", "--texts", "all")
    assert "set-of-marks needs numbers on the screenshots" in cli.error("export", cli.dataset, out, *layout)


def test_low_level_instructions_can_be_given_to_the_model(
    cli: CommandLine, dataset: Path, server: StandIn, out: Path
) -> None:
    for path in (dataset / "annotations").iterdir():
        tree = json.loads(path.read_text())
        for number, step in enumerate(tree["steps"]):
            step["low_level_instruction"] = f"Do {number}."
        path.write_text(json.dumps(tree))
    without = predict(cli, out, "--level", "low")
    assert (without.exit_code, server.questions) == (1, [])
    assert "Step 1 has no low-level instruction" in without.err
    cli("annotate", "import", dataset)
    assert predict(cli, out, "--level", "low", "--at-once", 1).exit_code == 0
    assert all(f"Do {number}." in request.words for number, request in enumerate(server.questions[:7]))


@pytest.mark.parametrize(
    "text",
    [
        "", "all", "none:3", "actions:0", "actions:100", "screenshots", "screenshots:²", "screenshots:2:0",
        "actions:2:2", "memory:ours", "memory:kept:2", "context:1", "memory:stm:paper", "memory:n=0", "memory:stm+",
    ],
)  # fmt: skip
def test_unknown_history_is_rejected(text: str) -> None:
    with pytest.raises(SettingsError, match="The history"):
        HistoryRule.parse(text)


@pytest.mark.parametrize(
    ("text", "recall"),
    [
        ("memory", Recall()),
        ("memory:kept:stm", Recall("kept", ("stm",))),
        ("memory:ltm+screen:live", Recall("paper", ("ltm", "screen"))),
        ("memory:stm+ltm+screen:n=6", Recall("paper", ("stm", "ltm", "screen"), 6)),
    ],
)
def test_parts_of_the_memory_can_be_told_alone(text: str, recall: Recall) -> None:
    rule = HistoryRule.parse(text)
    assert (rule.recall, rule.is_live, HistoryRule.parse(str(rule))) == (recall, text.endswith("live"), rule)


def test_every_second_screenshot_is_shown_with_all_actions_since() -> None:
    rule = HistoryRule.parse("screenshots:3:2")
    assert str(rule) == "screenshots:3:2"
    assert [list(rule.earlier_steps(step)) for step in (0, 3, 7)] == [[], [0, 1, 2], [1, 2, 3, 4, 5, 6]]
    assert [sorted(rule.with_screenshot(step, 2)) for step in (0, 1, 3, 7)] == [[], [], [1], [1, 3, 5]]


def test_history_of_the_maker_has_all_actions_and_its_number_of_screenshots() -> None:
    rule = HistoryRule.for_agent("maker")
    assert (str(rule), list(rule.earlier_steps(3))) == ("maker", [0, 1, 2])
    assert [list(rule.with_screenshot(step, 2)) for step in (0, 1, 3)] == [[], [0], [2, 1]]
    assert list(rule.with_screenshot(3, 0)) == []


def test_sample_is_stratified_and_reproducible() -> None:
    categories = {f"{number:016}": "abbcccc"[number % 7] for number in range(700)}
    drawn = sampled(categories, 70, seed=3)
    assert Counter(categories[one] for one in drawn) == {"a": 10, "b": 20, "c": 40}
    assert sampled(dict(reversed(categories.items())), 70, seed=3) == drawn == sorted(drawn)
    assert sampled(categories, 70, seed=4) != drawn
    assert [len(sampled(categories, count, seed=0)) for count in (1, 2, 699, 700, 9_999)] == [1, 2, 699, 700, 700]


def test_failures_are_counted_in_columns_and_a_broken_server_is_an_error(cli: CommandLine, out: Path) -> None:
    empty, cut_off = json_reply({"choices": []}), Reply("I look", finish_reason="length")
    turns = iter((Reply("", refusal="I must not."), cut_off, Reply("Sure."), empty, empty))
    by_question: dict[str, Turn] = {}

    def answer(request: ReceivedRequest) -> Turn:
        asked = json.dumps(request.body)
        if asked not in by_question:
            by_question[asked] = next(turns, None) or GOLD(request)
        return by_question[asked]

    with serving(cli, answer):
        ran = predict(cli, out, "--at-once", 1)
    titles, counts = (re.split("  +", line.strip()) for line in ran.err.splitlines()[-3:-1])
    assert dict(zip(titles, counts, strict=True)) == {
        "answers": "16", "usable": "11", "refused": "1", "cut off": "1", "unreadable": "1", "unmapped": "0",
        "outside": "0", "not an action": "0", "broken": "2",
    }  # fmt: skip
    assert "2 of 16 answers are broken" in ran.err
    assert ran.exit_code == 1
    problems = [row["problem"] for row in rows(out)[1:] if row["action"] is None]
    assert [problem.partition(":")[0] for problem in problems[2:]] == ["unreadable", "broken", "broken"]
    assert problems[:2] == ["refused: I must not.", "cut off after 1 tokens; the limit is 4,000"]
    failures = cli.json("evaluate", out, "--data", cli.dataset)["file"]["failures"]
    assert failures == {"refused": 1, "cut off": 1, "unreadable": 1, "broken": 2}
    assert ran.err.splitlines()[-3:] == cli("evaluate", out, "--data", cli.dataset).err.splitlines()[-3:]
