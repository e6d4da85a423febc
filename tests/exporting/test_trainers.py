"""Samples for trainers: as their own tools read them, and the same questions as a model is asked later."""

import json
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import datasets
import pytest
from PIL import Image

from odyssey_recorder.agents.adapter import adapter_named
from odyssey_recorder.curation.redaction import RedactedWords, Redaction, write_redaction
from odyssey_recorder.dataset.codec import action_to_json, read_annotation, write_episode
from odyssey_recorder.dataset.layout import annotation_path
from odyssey_recorder.dataset.provenance import AgentRecord, RejectedRecord
from odyssey_recorder.errors import DatasetError, SettingsError
from odyssey_recorder.evaluation.gold import read_gold
from odyssey_recorder.evaluation.loading import load
from odyssey_recorder.evaluation.predictions import Prediction, PredictionsHeader, header_line, prediction_line, spelled
from odyssey_recorder.evaluation.report import ScoringTerms, evaluate
from odyssey_recorder.exporting.job import run_export
from odyssey_recorder.exporting.prepared import ExportWanted, Prepared, prepare
from odyssey_recorder.exporting.shards import TRAINERS, Options, Planned, Sampling
from odyssey_recorder.model.action import Action, Click, Scroll, Type, scroll_direction
from odyssey_recorder.model.geometry import Point, Size
from odyssey_recorder.training.samples import SampleGold
from odyssey_recorder.training.scoring import official_right
from tests.annotation.texts import remember
from tests.cli import CommandLine
from tests.dataset.drafts import provenance_of, record, write_provenance
from tests.exporting import official_converter
from tests.exporting.sample import SIZE, STEPS, ids, request, write_dataset

COUNT = 6
LINES = ("llamafactory", "ms-swift", "qwen", "trl", "ui-tars")
Dataset = tuple[Path, list[Planned]]


@pytest.fixture(scope="module")
def dataset(tmp_path_factory: pytest.TempPathFactory) -> Dataset:
    root = tmp_path_factory.mktemp("source") / "data"
    return root, write_dataset(root, COUNT, texts=True)


@pytest.fixture(scope="module")
def pool() -> Iterator[Executor]:
    with ThreadPoolExecutor(1) as threads:
        yield threads


def exported(dataset: Dataset, out: Path, pool: Executor, layout: str, samples: Sampling) -> Path:
    return run_export(request(dataset, out, layout, Options(samples=samples)), dataset[1], pool)


def rows(out: Path, part: str = "all") -> list[dict[str, Any]]:
    files = sorted((out / "data" / part).iterdir())
    return [json.loads(line) for file in files for line in file.read_text().splitlines()]


def prepared(root: Path, out: Path, layout: str, samples: Sampling) -> Prepared:
    files = sorted((root / "annotations").iterdir())
    return prepare(ExportWanted(root, out, layout, Options(samples=samples)), files, lambda _path: "")


# The official files.


@pytest.mark.parametrize("level", ["high", "low"])
def test_official_files_are_those_of_the_official_converter(
    dataset: Dataset, tmp_path: Path, pool: Executor, level: Any
) -> None:
    out = exported(dataset, tmp_path / "out", pool, "official-chat", Sampling(levels=(level,)))
    release = run_export(request(dataset, tmp_path / "release", "release"), dataset[1], pool)
    for kind in ("random", "task", "device", "app"):
        train, test = official_converter.train(release, kind, level), official_converter.test(release, kind, level)
        assert (out / f"train_anno/{level}_{kind}_split.json").read_text() == official_converter.spelled(train)
        assert (out / f"test_anno/{level}_{kind}_split.json").read_text() == official_converter.spelled(test)
    history = json.loads((out / "his_index.json").read_text())
    assert history == {one["image"]: one["earlier"] for part in ("train", "test")
                       for one in official_converter.steps_of(release, "random", part)}  # fmt: skip
    assert all((out / name).is_file() for name in history)


def test_official_semantic_samples_are_four_for_each_step(dataset: Dataset, tmp_path: Path, pool: Executor) -> None:
    out = exported(dataset, tmp_path / "out", pool, "official-chat", Sampling(semantic=True, split="random"))
    release = run_export(request(dataset, tmp_path / "release", "release"), dataset[1], pool)
    wanted = official_converter.spelled(official_converter.semantic(release, "random", "high"))
    assert (out / "train_anno/high_sementic_random_split.json").read_text() == wanted
    assert {path.name for path in out.glob("t*_anno/*")} == {
        "high_sementic_random_split.json",
        "high_random_split.json",
    }


@pytest.mark.parametrize("history", ["none", "actions:2"])
def test_the_official_history_can_be_shorter(dataset: Dataset, tmp_path: Path, pool: Executor, history: str) -> None:
    out = exported(dataset, tmp_path / "out", pool, "official-chat", Sampling(history=history))
    release = run_export(request(dataset, tmp_path / "release", "release"), dataset[1], pool)
    length = int(history.partition(":")[2] or 0)
    wanted = official_converter.spelled(official_converter.train(release, "app", "high", length))
    assert (out / "train_anno/high_app_split.json").read_text() == wanted


# Lines.


def asked(row: dict[str, Any]) -> tuple[list[str], list[str], str]:
    """Of a row of any layout: the roles of its turns, its images, and its answer."""
    if "conversations" in row:
        images = row["image"] if isinstance(row["image"], list) else [row["image"]]
        roles = [one["from"] for one in row["conversations"]]
        assert "".join(one["value"] for one in row["conversations"]).count("<image>") == len(images)
        return roles, images, row["conversations"][-1]["value"]
    if "completion" in row:
        parts = [part for turn in row["prompt"] for part in turn["content"]]
        assert sum(part == {"type": "image"} for part in parts) == len(row["images"])
        [answer] = row["completion"]
        return [one["role"] for one in (*row["prompt"], answer)], row["images"], answer["content"][0]["text"]
    roles = [one["role"] for one in row["messages"]]
    if "images" in row:
        assert "".join(one["content"] for one in row["messages"]).count("<image>") == len(row["images"])
        return roles, row["images"], row["messages"][-1]["content"]
    parts = [part for one in row["messages"] if isinstance(one["content"], list) for part in one["content"]]
    assert [one["loss_mask"] for one in row["messages"]] == [0] * (len(roles) - 1) + [1]
    return roles, [part["image_url"]["url"] for part in parts], row["messages"][-1]["content"]


def same(read: Action | None, recorded: Action) -> bool:
    if isinstance(read, Scroll) and isinstance(recorded, Scroll):
        return scroll_direction(read.start, read.end) == scroll_direction(recorded.start, recorded.end)
    return type(read) is type(recorded) and (not isinstance(read, Type) or read == recorded)


@pytest.mark.parametrize("layout", LINES)
def test_each_step_is_a_sample_whose_answer_is_its_action(
    dataset: Dataset, tmp_path: Path, pool: Executor, layout: str
) -> None:
    adapter = adapter_named(TRAINERS[layout])
    history = "none" if layout == "qwen" else "screenshots:2"
    out = exported(dataset, tmp_path / "out", pool, layout, Sampling(adapter.name, history, split="device"))
    train, test = rows(out, "train"), rows(out, "test")
    in_test = [one.episode_id for one in dataset[1] if one.sides["device"] == "test"]
    assert Counter(row["id"].partition("_")[0] for row in test) == dict.fromkeys(in_test, STEPS)
    assert len(train) + len(test) == COUNT * STEPS
    sent = adapter.fit(SIZE)
    for row in (*train, *test):
        episode_id, number = row["id"].split("_")
        step = read_annotation(dataset[0] / annotation_path(episode_id)).steps[int(number)]
        roles, images, answer = asked(row)
        shown = images[-1]
        assert shown == f"screenshots/{step.screenshot}"
        assert (out / shown).samefile(dataset[0] / shown), "a hard link"
        assert len(images) == (1 if layout == "qwen" else min(int(number), 2) + 1)
        assert roles[-1] in ("assistant", "gpt")
        assert same(adapter.read(answer, Size(sent.width, sent.height), SIZE).action, step.action)


def test_a_sample_asks_what_predict_asks(dataset: Dataset, tmp_path: Path, pool: Executor) -> None:
    out = exported(dataset, tmp_path / "out", pool, "trl", Sampling(history="actions:2"))
    row = rows(out)[3]
    assert row["prompt"] == [
        {
            "role": "user",
            "content": [
                {
                    "type": "text",
                    "text": "I'm looking for guidance on how to Buy “0” & <more>.\n"
                    "Previous Actions: 1. TYPE: buy: milk\n2. SCROLL: UP\n\nProvide the command-style action directly.",
                },
                {"type": "image"},
            ],
        }
    ]
    assert row["completion"] == [{"role": "assistant", "content": [{"type": "text", "text": "LONG_PRESS: (100, 900)"}]}]


def test_the_rows_of_trl_are_loaded_with_their_images(dataset: Dataset, tmp_path: Path, pool: Executor) -> None:
    out = exported(dataset, tmp_path / "out", pool, "trl", Sampling(history="screenshots:2"))
    lines = datasets.load_dataset(
        "json", data_files=str(out / "data/all/*.jsonl"), split="train", cache_dir=str(tmp_path)
    )
    loaded = lines.map(lambda row: {"images": [str(out / one) for one in row["images"]]}).cast_column(
        "images", datasets.List(datasets.Image())
    )
    assert len(loaded) == COUNT * STEPS
    assert [one.size for one in loaded[5]["images"]] == [(SIZE.width, SIZE.height)] * 3
    assert loaded[5]["completion"][0]["content"][0]["text"] == "PRESS_HOME"


@pytest.mark.parametrize("adapter", ["odyssey-agent", "ours", "qwen2.5-vl", "ui-tars-1.5"])
def test_answers_to_trl_samples_are_scored_as_predictions_are(
    dataset: Dataset, tmp_path: Path, pool: Executor, adapter: str
) -> None:
    asked = rows(exported(dataset, tmp_path / "out", pool, "trl", Sampling(adapter=adapter, history="none")))
    words = [row["completion"][0]["content"][0]["text"] for row in asked]
    words[::3] = words[1::3] + ["no action"] * (len(words[::3]) - len(words[1::3]))  # some are wrong
    told = official_right(
        (SampleGold.model_validate(row["gold"]), said) for row, said in zip(asked, words, strict=True)
    )
    predictions = tmp_path / "predictions.jsonl"
    lines = [header_line(PredictionsHeader(adapter))]
    for row, said in zip(asked, words, strict=True):
        episode, step = row["id"].split("_")
        size = Size(*row["gold"]["size"])
        action = adapter_named(adapter).read(said, adapter_named(adapter).fit(size), size).action
        lines.append(prediction_line(Prediction(episode, int(step), None if action is None else spelled(action))))
    predictions.write_bytes(b"".join(lines))
    gold, _ = read_gold(dataset[0], frozenset(row["id"].split("_")[0] for row in asked))
    found = evaluate(gold, load(predictions), ScoringTerms("", ""))
    assert 0 < sum(told) < len(told)
    judged = dict(zip(found.scored.rows.tolist(), found.scored.verdicts.right.tolist(), strict=True))
    places = [row["id"].split("_") for row in asked]
    assert [judged[gold.row_of[episode, int(step)]] for episode, step in places] == told


def test_llama_factory_finds_its_files_and_tags(dataset: Dataset, tmp_path: Path, pool: Executor) -> None:
    out = exported(
        dataset, tmp_path / "out", pool, "llamafactory", Sampling("ui-tars-1.0", "screenshots:3", split="app")
    )
    for name, told in json.loads((out / "dataset_info.json").read_text()).items():
        part = name.removeprefix("odyssey_")
        assert ((out / told["file_name"]).is_dir(), told["file_name"]) == (part != "all", f"data/{part}")
        tags, columns = told["tags"], told["columns"]
        for row in rows(out, part) if part != "all" else ():
            roles = [one[tags["role_tag"]] for one in row[columns["messages"]]]
            assert roles[0] == tags["system_tag"]
            assert roles[1:] == [tags["user_tag"], tags["assistant_tag"]] * (len(roles) // 2), "they alternate"
            assert all((out / name).is_file() for name in row[columns["images"]])


def test_only_the_last_answer_of_a_row_of_ms_swift_is_trained_on(
    dataset: Dataset, tmp_path: Path, pool: Executor
) -> None:
    out = exported(dataset, tmp_path / "out", pool, "ms-swift", Sampling("ui-tars-1.0", "screenshots:3"))
    row = rows(out)[4]
    losses = [one.get("loss") for one in row["messages"] if one["role"] == "assistant"]
    assert losses == [False, False, False, None]


def test_steps_are_asked_at_both_levels_and_for_their_texts(dataset: Dataset, tmp_path: Path, pool: Executor) -> None:
    out = exported(dataset, tmp_path / "out", pool, "qwen", Sampling(levels=("high", "low"), semantic=True))
    first = {row["id"]: row["conversations"] for row in rows(out)[:5]}
    kinds = [name.removeprefix(f"{ids(1)[0]}_0").removeprefix("_") for name in first]
    assert kinds == ["", "low", "description", "intention", "context"]
    answers = [said[-1]["value"] for said in first.values()]
    assert answers == ["CLICK: (500, 250)", "CLICK: (500, 250)", "A screen.", "Go on.", "So far, so good."]
    assert "guidance on how to Press the button." in first[f"{ids(1)[0]}_0_low"][0]["value"]


def test_a_history_in_words_is_the_context_of_the_step(dataset: Dataset, tmp_path: Path, pool: Executor) -> None:
    out = exported(dataset, tmp_path / "out", pool, "ms-swift", Sampling(history="context"))
    assert "What has been done so far: So far, so good." in rows(out)[0]["messages"][0]["content"]


def test_a_memory_is_of_the_steps_before_and_without_it_an_episode_is_left_out(tmp_path: Path, pool: Executor) -> None:
    root, (first, second) = tmp_path / "data", ids(2)
    write_dataset(root, 2)
    remember(root, first)
    remember(root, first, step=3, words="Ann has <1 lemon> left.")
    told = RedactedWords(text="lemon", who="Ann", at=datetime.now(UTC), why="a name")
    write_redaction(root, Redaction(episode_id=first, words=(told,)))
    found = prepared(root, tmp_path / "out", "ms-swift", Sampling(history="memory:kept"))
    assert [one.episode_id for one in found.episodes] == [first]
    lacking = "step 1 and others have no memory, or an outdated one. Run `annotate run --memory`."
    assert found.left_out == [f"{second}: {lacking}"]
    asked = [row["messages"][0]["content"] for row in rows(run_export(found.request, found.episodes, pool))]
    assert "What has been done so far" not in asked[0]
    assert "so far: action_result of step 1. Remembered from earlier screens: an app: core of step 0." in asked[1]
    assert not any(f"core of step {at}" in words for at, words in enumerate(asked))
    assert "Remembered from earlier screens: an app: core of step 0. an app: core of step 1." in asked[2]
    assert [words.count("Ann has <1 [redacted]> left.") for words in asked[:6]] == [0, 0, 0, 1, 2, 2]


def test_the_command_exports_a_split_with_a_history(tmp_path: Path, cli: CommandLine) -> None:
    write_dataset(tmp_path / "data", 3)
    options = ("export", tmp_path / "data", tmp_path / "out", "--all", "--as", "llamafactory", "--split", "random")
    told = cli(*options, "--history", "screenshots:2:3", "--adapter", "qwen3-vl")
    assert (told.exit_code, told.out.partition(" to ")[0]) == (0, "3 episodes exported")
    assert [len(row["images"]) for row in rows(tmp_path / "out", "test")] == [1, 1, 1, 2, 2, 2, 3, 3]
    refused = cli(*options, "--adapter", "gpt")
    assert (refused.exit_code, "There is no adapter 'gpt'. Use one of" in refused.err) == (2, True)


def write_pairs(root: Path, episode_id: str) -> None:
    """At steps 0 and 2 a person did what the episode has, instead of what the agent wanted."""
    agent = AgentRecord(adapter="ours", model="m", raw="{}", tokens_in=1, tokens_out=1, seconds=1.0)
    steps = [record((root / f"screenshots/{episode_id}_{number}.png").read_bytes()) for number in range(STEPS)]
    for number, action in ((0, Click(Point(10, 20))), (2, Type("no"))):
        rejected = RejectedRecord(action=action_to_json(action), agent=agent)
        steps[number] = steps[number].model_copy(update={"rejected": (rejected,)})
    write_provenance(root, provenance_of(episode_id, steps, actor="agent"))


def both(row: dict[str, Any]) -> tuple[str, str]:
    """The chosen and the rejected answer of a row of any layout."""
    if "rejected_response" in row:
        return row["messages"][-1]["content"], row["rejected_response"]
    chosen, rejected = (row[key][0] if isinstance(row[key], list) else row[key] for key in ("chosen", "rejected"))
    if isinstance(chosen["content"], str):
        return chosen["content"], rejected["content"]
    return chosen["content"][0]["text"], rejected["content"][0]["text"]


@pytest.mark.parametrize("layout", ["trl", "llamafactory", "ms-swift"])
def test_preference_pairs_have_both_answers(tmp_path: Path, cli: CommandLine, layout: str) -> None:
    root, out = tmp_path / "data", tmp_path / "out"
    write_dataset(root, 2)
    options = ("export", root, out, "--all", "--agents", "--as", layout, "--pairs")
    assert "No episode has a preference pair." in cli(*options).err
    write_pairs(root, ids(1)[0])
    assert cli(*options).exit_code == 0
    found = rows(out)
    assert [row["id"] for row in found] == [f"{ids(1)[0]}_0_pair_0", f"{ids(1)[0]}_2_pair_1"]
    assert [both(row) for row in found] == [("CLICK: (500, 250)", "CLICK: (10, 20)"), ("SCROLL: UP", "TYPE: no")]
    assert "Preference pairs: 2" in (out / "README.md").read_text()
    if layout == "llamafactory":
        told = json.loads((out / "dataset_info.json").read_text())["odyssey_all"]
        assert (told["ranking"], told["columns"]["rejected"]) == (True, "rejected")


# What cannot be exported.


def instruct(root: Path, episode_id: str, words: str) -> None:
    path = root / annotation_path(episode_id)
    episode = read_annotation(path)
    write_episode(path, replace(episode, task=replace(episode.task, instruction=words)))


def test_markup_of_trainers_in_a_text_leaves_the_episode_out_by_name(tmp_path: Path) -> None:
    root, (first, second) = tmp_path / "data", ids(2)
    write_dataset(root, 2)
    instruct(root, second, "Write <image> into the note.")
    found = prepared(root, tmp_path / "out", "trl", Sampling())
    assert [one.episode_id for one in found.episodes] == [first]
    assert found.left_out == [f"{second}: the instruction has the text <image>, which trainers take for markup."]


def test_a_missing_text_is_named(tmp_path: Path) -> None:
    write_dataset(tmp_path / "data", 1)
    for sampling, lacking in (
        (Sampling(levels=("low",)), "low_level_instruction"),
        (Sampling(history="context"), "context"),
        (Sampling(semantic=True), "context"),
    ):
        found = prepared(tmp_path / "data", tmp_path / "out", "trl", sampling)
        assert found.left_out == [f"{ids(1)[0]}: step 0 has no {lacking}. Use annotate, and --texts."]


def test_what_a_model_has_no_words_for_is_counted_in_the_card(tmp_path: Path, pool: Executor) -> None:
    write_dataset(tmp_path / "data", 2)
    found = prepared(tmp_path / "data", tmp_path / "out", "trl", Sampling("agentcpm-gui"))
    out = run_export(found.request, found.episodes, pool)
    assert len(rows(out)) == 2 * (STEPS - 1)
    words = "Steps without a sample, because agentcpm-gui has no words for them: 2 RECENT"
    assert words in found.limits
    assert words in (out / "README.md").read_text()


@pytest.mark.parametrize(
    ("layout", "sampling", "error", "words"),
    [
        ("trl", Sampling("gpt"), SettingsError, "There is no adapter 'gpt'"),
        ("trl", Sampling(history="all"), SettingsError, "The history 'all' is unknown"),
        ("official-chat", Sampling("qwen3-vl"), DatasetError, "official-chat has its own words"),
        ("official-chat", Sampling(history="screenshots:2"), DatasetError, "use --history actions:N"),
        ("ui-tars", Sampling(pairs=True), DatasetError, "Use llamafactory, ms-swift, trl"),
        ("qwen", Sampling("ui-tars-1.0"), DatasetError, "trained on all answers of a sample"),
    ],
)
def test_what_a_layout_cannot_express_is_refused(
    tmp_path: Path, layout: str, sampling: Sampling, error: type[Exception], words: str
) -> None:
    write_dataset(tmp_path / "data", 1)
    with pytest.raises(error, match=words):
        prepared(tmp_path / "data", tmp_path / "out", layout, sampling)


@pytest.mark.parametrize("layout", ["official-chat", "trl"])
def test_without_the_split_that_is_said(tmp_path: Path, pool: Executor, layout: str) -> None:
    planned = [replace(one, sides={}) for one in write_dataset(tmp_path / "data", 1)]
    asked_for = request((tmp_path / "data", planned), tmp_path / "out", layout, Options(samples=Sampling(split="task")))
    with pytest.raises(DatasetError, match="No episode is in the task split"):
        run_export(asked_for, planned, pool)


@pytest.mark.parametrize("layout", ["official-chat", "ui-tars"])
def test_a_screenshot_that_is_no_screenshot_is_named(tmp_path: Path, pool: Executor, layout: str) -> None:
    write_dataset(tmp_path / "data", 1)
    damaged = tmp_path / f"data/screenshots/{ids(1)[0]}_2.png"
    damaged.write_bytes(b"no picture")
    with pytest.raises(DatasetError, match=damaged.name):
        prepared(tmp_path / "data", tmp_path / "out", layout, Sampling())
    damaged.unlink()
    Image.new("RGB", (2, 2)).save(damaged)
    assert prepared(tmp_path / "data", tmp_path / "out", layout, Sampling()).left_out == []
