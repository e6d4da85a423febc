"""Samples for trainers: readable by their own tools, with the same prompts as predictions."""

import json
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from odyssey_recorder.agents.adapter import adapter_named
from odyssey_recorder.curation.redaction import RedactedWords, Redaction, write_redaction
from odyssey_recorder.dataset.codec import action_to_json, read_annotation
from odyssey_recorder.dataset.layout import annotation_path
from odyssey_recorder.dataset.provenance import AgentRecord, RejectedRecord
from odyssey_recorder.errors import DatasetError, SettingsError
from odyssey_recorder.evaluation.gold import read_gold
from odyssey_recorder.evaluation.loading import load
from odyssey_recorder.evaluation.predictions import Prediction, PredictionsHeader, header_line, prediction_line, spelled
from odyssey_recorder.evaluation.protocols import ScoringTerms
from odyssey_recorder.evaluation.report import evaluate
from odyssey_recorder.exporting.export_plan import TRAINERS, Options, Planned, Sampling
from odyssey_recorder.exporting.job import run_export
from odyssey_recorder.exporting.prepared import ExportWanted, Prepared, prepare
from odyssey_recorder.exporting.trainers import plan
from odyssey_recorder.model.action import Action, Click, Scroll, Type, scroll_direction
from odyssey_recorder.model.geometry import Point, Size
from odyssey_recorder.training.samples import SampleGold
from odyssey_recorder.training.scoring import official_right
from tests.annotation.texts import remember
from tests.annotation.vision_model import mark_of
from tests.cli import CommandLine
from tests.dataset.drafts import provenance_of, record, write_provenance
from tests.exporting import official_converter
from tests.exporting.conftest import COUNT
from tests.exporting.sample import EVERY, SIZE, STEPS, Dataset, export, ids, write_dataset

LINES = ("llamafactory", "ms-swift", "qwen", "trl", "ui-tars")


@pytest.fixture
def two_episodes(tmp_path: Path) -> Dataset:
    """Without texts; a test may change them."""
    return Dataset(tmp_path / "data", write_dataset(tmp_path / "data", 2))


def export_samples(dataset: Dataset, out: Path, layout: str, samples: Sampling) -> Path:
    return export(dataset, out, layout, Options(samples=samples))


def rows(out: Path, part: str = "all") -> list[dict[str, Any]]:
    files = sorted((out / "data" / part).iterdir())
    return [json.loads(line) for file in files for line in file.read_text().splitlines()]


def prepared(root: Path, layout: str, samples: Sampling) -> Prepared:
    wanted = ExportWanted(root, root.parent / "out", layout, Options(samples=samples))
    return prepare(wanted, sorted((root / "annotations").iterdir()), lambda _path: "")


def run_prepared(prepared: Prepared) -> Path:
    with ThreadPoolExecutor(1) as pool:
        return run_export(prepared.request, prepared.episodes, pool)


@pytest.fixture(scope="module")
def release(dataset: Dataset, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What the official converter reads."""
    return export(dataset, tmp_path_factory.mktemp("released") / "release", "release")


@pytest.mark.parametrize("level", ["high", "low"])
def test_official_files_equal_those_of_the_converter(
    dataset: Dataset, tmp_path: Path, release: Path, level: Any
) -> None:
    out = export_samples(dataset, tmp_path / "out", "official-chat", Sampling(levels=(level,)))
    for kind in EVERY:
        for part, converted in (("train", official_converter.train), ("test", official_converter.test)):
            written = (out / f"{part}_anno/{level}_{kind}_split.json").read_text()
            assert written == official_converter.spelled(converted(release, kind, level))
    history = json.loads((out / "his_index.json").read_text())
    assert history == {one["image"]: one["earlier"] for part in ("train", "test")
                       for one in official_converter.steps_of(release, "random", part)}  # fmt: skip
    assert all((out / name).is_file() for name in history)


def test_official_semantic_samples_equal_those_of_the_converter(
    dataset: Dataset, tmp_path: Path, release: Path
) -> None:
    sampling = Sampling(semantic=("SD", "CI", "DR"), split="random")
    out = export_samples(dataset, tmp_path / "out", "official-chat", sampling)
    converted = official_converter.semantic(release, "random", "high")
    assert (out / "train_anno/high_sementic_random_split.json").read_text() == official_converter.spelled(converted)
    names = {path.name for path in out.glob("t*_anno/*")}
    assert names == {"high_sementic_random_split.json", "high_random_split.json"}
    two = export_samples(dataset, tmp_path / "two", "official-chat", replace(sampling, semantic=("DR", "SD")))
    written = json.loads((two / "train_anno/high_sementic_random_split.json").read_text())
    assert written == [one for one in converted if not one["id"].endswith("_context")]


@pytest.mark.parametrize("history", ["none", "actions:2"])
def test_official_history_can_be_shorter(dataset: Dataset, tmp_path: Path, release: Path, history: str) -> None:
    out = export_samples(dataset, tmp_path / "out", "official-chat", Sampling(history=history))
    length = int(history.partition(":")[2] or 0)
    wanted = official_converter.spelled(official_converter.train(release, "app", "high", length))
    assert (out / "train_anno/high_app_split.json").read_text() == wanted


def parts_of(row: dict[str, Any]) -> tuple[list[str], list[str], str]:
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


def is_same_action(read: Action | None, recorded: Action) -> bool:
    if isinstance(read, Scroll) and isinstance(recorded, Scroll):
        return scroll_direction(read.start, read.end) == scroll_direction(recorded.start, recorded.end)
    return type(read) is type(recorded) and (not isinstance(read, Type) or read == recorded)


@pytest.mark.parametrize("layout", LINES)
def test_answer_of_each_sample_is_the_action_of_its_step(dataset: Dataset, tmp_path: Path, layout: str) -> None:
    adapter = adapter_named(TRAINERS[layout])
    history = "none" if layout == "qwen" else "screenshots:2"
    out = export_samples(dataset, tmp_path / "out", layout, Sampling(adapter.name, history, split="device"))
    train, test = rows(out, "train"), rows(out, "test")
    in_test = [one.episode_id for one in dataset.planned if one.sides["device"] == "test"]
    assert Counter(row["id"].partition("_")[0] for row in test) == dict.fromkeys(in_test, STEPS)
    assert len(train) + len(test) == COUNT * STEPS
    sent = adapter.fit(SIZE)
    for row in (*train, *test):
        episode_id, number = row["id"].split("_")
        step = read_annotation(dataset.root / annotation_path(episode_id)).steps[int(number)]
        roles, images, answer = parts_of(row)
        shown = images[-1]
        assert shown == f"screenshots/{step.screenshot}"
        assert (out / shown).samefile(dataset.root / shown), "a hard link"
        assert len(images) == (1 if layout == "qwen" else min(int(number), 2) + 1)
        assert roles[-1] in ("assistant", "gpt")
        assert is_same_action(adapter.read(answer, Size(sent.width, sent.height), SIZE).action, step.action)


def test_sample_has_the_prompt_of_predict(dataset: Dataset, tmp_path: Path) -> None:
    out = export_samples(dataset, tmp_path / "out", "trl", Sampling(history="actions:2"))
    row = rows(out)[3]
    words = (
        "I'm looking for guidance on how to Buy “0” & <more>.\n"
        "Previous Actions: 1. TYPE: buy: milk\n2. SCROLL: UP\n\nProvide the command-style action directly."
    )
    assert row["prompt"] == [{"role": "user", "content": [{"type": "text", "text": words}, {"type": "image"}]}]
    assert row["completion"] == [{"role": "assistant", "content": [{"type": "text", "text": "LONG_PRESS: (100, 900)"}]}]


def test_trl_rows_load_with_images(dataset: Dataset, tmp_path: Path) -> None:
    import datasets  # here, because it takes a second

    out = export_samples(dataset, tmp_path / "out", "trl", Sampling(history="screenshots:2"))
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
def test_trl_answers_are_scored_like_predictions(dataset: Dataset, tmp_path: Path, adapter: str) -> None:
    samples = rows(export_samples(dataset, tmp_path / "out", "trl", Sampling(adapter=adapter, history="none")))
    answers = [row["completion"][0]["content"][0]["text"] for row in samples]
    answers[::3] = answers[1::3] + ["no action"] * (len(answers[::3]) - len(answers[1::3]))  # some are wrong
    are_right = official_right(
        (SampleGold.model_validate(row["gold"]), answer) for row, answer in zip(samples, answers, strict=True)
    )
    steps = [(episode_id, int(number)) for episode_id, number in (row["id"].split("_") for row in samples)]
    lines = [header_line(PredictionsHeader(adapter))]
    for (episode_id, number), row, answer in zip(steps, samples, answers, strict=True):
        size = Size(*row["gold"]["size"])
        action = adapter_named(adapter).read(answer, adapter_named(adapter).fit(size), size).action
        lines.append(prediction_line(Prediction(episode_id, number, None if action is None else spelled(action))))
    predictions = tmp_path / "predictions.jsonl"
    predictions.write_bytes(b"".join(lines))
    gold, _ = read_gold(dataset.root, frozenset(episode_id for episode_id, _ in steps))
    scored = evaluate(gold, load(predictions), ScoringTerms("", "")).scored
    assert 0 < sum(are_right) < len(are_right)
    right_by_row = dict(zip(scored.rows.tolist(), scored.verdicts.right.tolist(), strict=True))
    assert [right_by_row[gold.row_of[step]] for step in steps] == are_right


def test_llama_factory_finds_its_files_and_tags(dataset: Dataset, tmp_path: Path) -> None:
    sampling = Sampling("ui-tars-1.0", "screenshots:3", split="app")
    out = export_samples(dataset, tmp_path / "out", "llamafactory", sampling)
    for name, info in json.loads((out / "dataset_info.json").read_text()).items():
        part = name.removeprefix("odyssey_")
        assert ((out / info["file_name"]).is_dir(), info["file_name"]) == (part != "all", f"data/{part}")
        tags, columns = info["tags"], info["columns"]
        for row in rows(out, part) if part != "all" else ():
            roles = [one[tags["role_tag"]] for one in row[columns["messages"]]]
            assert roles[0] == tags["system_tag"]
            assert roles[1:] == [tags["user_tag"], tags["assistant_tag"]] * (len(roles) // 2), "they alternate"
            assert all((out / name).is_file() for name in row[columns["images"]])


def test_ms_swift_trains_on_the_last_answer_only(dataset: Dataset, tmp_path: Path) -> None:
    out = export_samples(dataset, tmp_path / "out", "ms-swift", Sampling("ui-tars-1.0", "screenshots:3"))
    row = rows(out)[4]
    losses = [one.get("loss") for one in row["messages"] if one["role"] == "assistant"]
    assert losses == [False, False, False, None]


def test_samples_cover_both_levels_and_all_texts(dataset: Dataset, tmp_path: Path) -> None:
    sampling = Sampling(levels=("high", "low"), semantic=("SD", "CI", "DR"))
    out = export_samples(dataset, tmp_path / "out", "qwen", sampling)
    first = {row["id"]: row["conversations"] for row in rows(out)[:5]}
    kinds = [name.removeprefix(f"{ids(1)[0]}_0").removeprefix("_") for name in first]
    assert kinds == ["", "low", "description", "intention", "context"]
    answers = [turns[-1]["value"] for turns in first.values()]
    assert answers == ["CLICK: (500, 250)", "CLICK: (500, 250)", "A screen.", "Go on.", "So far, so good."]
    only = export_samples(dataset, tmp_path / "only", "qwen", Sampling(semantic=("CI",)))
    assert [row["id"].rpartition("_")[2] for row in rows(only)[:4]] == ["0", "context", "1", "context"]
    assert "guidance on how to Press the button." in first[f"{ids(1)[0]}_0_low"][0]["value"]


def test_context_history_is_the_context_of_the_step(dataset: Dataset, tmp_path: Path) -> None:
    out = export_samples(dataset, tmp_path / "out", "ms-swift", Sampling(history="context"))
    assert "\nPrevious Actions: So far, so good.\n" in rows(out)[0]["messages"][0]["content"]


def test_memory_covers_earlier_steps_and_is_required(two_episodes: Dataset) -> None:
    root, (first, second) = two_episodes.root, ids(2)
    remember(root, first)
    remember(root, first, step=3, words="Ann has <1 lemon> left.")
    redacted = RedactedWords(text="lemon", who="Ann", at=datetime.now(UTC), why="a name")
    write_redaction(root, Redaction(episode_id=first, words=(redacted,)))
    found = prepared(root, "ms-swift", Sampling(history="memory:kept"))
    assert [one.episode_id for one in found.episodes] == [first]
    lacking = "step 1 and others have no memory, or an outdated one. Run `annotate run --memory`."
    assert found.left_out == [f"{second}: {lacking}"]
    prompts = [row["messages"][0]["content"] for row in rows(run_prepared(found))]
    assert "\nPrevious Actions: Remembered: app of step 0.: core of step 0.\n" in prompts[0]
    assert "Actions: action_result of step 1. Remembered: app of step 0.: core of step 0. app of step 1.:" in prompts[1]
    assert not any(f"core of step {at + 1}" in prompt for at, prompt in enumerate(prompts))
    assert [prompt.count("Ann has <1 [redacted]> left.") for prompt in prompts[:6]] == [0, 0, 0, 3, 3, 3]


def test_memory_can_be_what_a_model_is_trained_to_write(two_episodes: Dataset) -> None:
    root, (first, second) = two_episodes.root, ids(2)
    remember(root, first)
    found = prepared(root, "trl", Sampling(history="memory:stm", semantic=("AR", "SI", "CM")))
    assert [one.episode_id for one in found.episodes] == [first]
    assert second in found.left_out[0]
    out = run_prepared(found)
    samples = {row["id"].removeprefix(f"{first}_"): row for row in rows(out)}
    kinds = Counter("_".join(name.split("_")[1:]) for name in samples)
    steps = read_annotation(root / annotation_path(first)).steps
    assert kinds == {"": len(steps), "action_result": len(steps) - 1, "screen_info": len(steps), "core": len(steps)}
    answers = [samples[f"1_{kind}"]["completion"][0]["content"][0]["text"] for kind in list(kinds)[1:]]
    assert [json.loads(answer) for answer in answers] == [
        {"screen_info": "screen_info of step 1."},
        {"is_needed_later": True, "core": "core of step 1."},
        {"action_result": "action_result of step 1."},
    ]
    press = next(at for at, step in enumerate(steps) if isinstance(step.action, Click))
    names = [f"screenshots/{first}_{name}.png" for name in (press, f"{press}_marked", press + 1)]
    result = samples[f"{press + 1}_action_result"]
    assert (result["images"], samples[f"{press}_core"]["images"]) == (names, [])
    assert "action_result of step 1." in samples["1_core"]["prompt"][-1]["content"][0]["text"]
    with Image.open(out / names[0]) as plain, Image.open(out / names[1]) as marked:
        assert (mark_of(plain.convert("RGB")), plain.size) == (None, marked.size)
        assert mark_of(marked.convert("RGB")) is not None
    assert {name for row in samples.values() for name in row["images"]} <= {
        path.relative_to(out).as_posix() for path in (out / "screenshots").iterdir()
    }


def test_command_exports_a_split_with_history(tmp_path: Path, cli: CommandLine) -> None:
    write_dataset(tmp_path / "data", 3)
    options = ("export", tmp_path / "data", tmp_path / "out", "--jobs", 1, "--all", "--as", "llamafactory")
    words = ("--split", "random", "--history", "screenshots:2:3", "--adapter", "qwen3-vl")
    assert cli.output(*options, *words).startswith("3 episodes exported to ")
    assert [len(row["images"]) for row in rows(tmp_path / "out", "test")] == [1, 1, 1, 2, 2, 2, 3, 3]
    assert "There is no adapter 'gpt'. Use one of" in cli.error(*options, "--adapter", "gpt")
    assert "No episode has a preference pair." in cli.error(*options, "--pairs")
    assert "step 1 has no context. Use annotate" in cli.error(*options, "--semantic", "DR,CI")
    assert "--semantic: 'XX' is unknown. Use SD, CI, DR" in cli.error(*options, "--semantic", "SD,XX")


def write_pairs(root: Path, episode_id: str) -> None:
    """At steps 0 and 2 a person did what the episode has, instead of what the agent wanted."""
    agent = AgentRecord(adapter="ours", model="m", raw="{}", tokens_in=1, tokens_out=1, seconds=1.0)
    steps = [record((root / f"screenshots/{episode_id}_{number}.png").read_bytes()) for number in range(STEPS)]
    for number, action in ((0, Click(Point(10, 20))), (2, Type("no"))):
        rejected = RejectedRecord(action=action_to_json(action), agent=agent)
        steps[number] = steps[number].model_copy(update={"rejected": (rejected,)})
    write_provenance(root, provenance_of(episode_id, steps, actor="agent"))


def answer_pair(row: dict[str, Any]) -> tuple[str, str]:
    """The chosen and the rejected answer of a row of any layout."""
    if "rejected_response" in row:
        return row["messages"][-1]["content"], row["rejected_response"]
    chosen, rejected = (row[key][0] if isinstance(row[key], list) else row[key] for key in ("chosen", "rejected"))
    if isinstance(chosen["content"], str):
        return chosen["content"], rejected["content"]
    return chosen["content"][0]["text"], rejected["content"][0]["text"]


@pytest.mark.parametrize("layout", ["trl", "llamafactory", "ms-swift"])
def test_preference_pairs_have_both_answers(two_episodes: Dataset, layout: str) -> None:
    write_pairs(two_episodes.root, ids(1)[0])
    out = run_prepared(prepared(two_episodes.root, layout, Sampling(pairs=True)))
    found = rows(out)
    assert [row["id"] for row in found] == [f"{ids(1)[0]}_0_pair_0", f"{ids(1)[0]}_2_pair_1"]
    assert [answer_pair(row) for row in found] == [("CLICK: (500, 250)", "CLICK: (10, 20)"), ("SCROLL: UP", "TYPE: no")]
    assert "Preference pairs: 2" in (out / "README.md").read_text()
    if layout == "llamafactory":
        info = json.loads((out / "dataset_info.json").read_text())["odyssey_all"]
        assert (info["ranking"], info["columns"]["rejected"]) == (True, "rejected")


def test_episode_with_trainer_markup_is_left_out_by_name(two_episodes: Dataset) -> None:
    first, second = ids(2)
    path = two_episodes.root / annotation_path(second)
    path.write_text(path.read_text().replace("Buy “1”", "Write <image> into"))
    found = prepared(two_episodes.root, "trl", Sampling())
    assert [one.episode_id for one in found.episodes] == [first]
    assert found.left_out == [f"{second}: the instruction has the text <image>, which trainers take for markup."]


@pytest.mark.parametrize(
    ("sampling", "lacking"),
    [
        (Sampling(levels=("low",)), "low_level_instruction"),
        (Sampling(history="context"), "context"),
        (Sampling(semantic=("SD", "CI", "DR")), "context"),
        (Sampling(semantic=("DR",)), "intention"),
    ],
)
def test_missing_text_is_named(two_episodes: Dataset, sampling: Sampling, lacking: str) -> None:
    found = prepared(two_episodes.root, "trl", sampling)
    assert found.left_out[0] == f"{ids(1)[0]}: step 1 has no {lacking}. Use annotate, and --texts."


def test_actions_unknown_to_a_model_are_counted_in_the_card(two_episodes: Dataset) -> None:
    found = prepared(two_episodes.root, "trl", Sampling("agentcpm-gui"))
    out = run_prepared(found)
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
def test_unsupported_sampling_is_rejected(
    dataset: Dataset, layout: str, sampling: Sampling, error: type[Exception], words: str
) -> None:
    with pytest.raises(error, match=words):
        prepared(dataset.root, layout, sampling)


@pytest.mark.parametrize("layout", ["official-chat", "trl"])
def test_missing_split_is_reported(dataset: Dataset, tmp_path: Path, layout: str) -> None:
    without_splits = dataset._replace(planned=[replace(one, sides={}) for one in dataset.planned])
    with pytest.raises(DatasetError, match="No episode is in the task split"):
        export_samples(without_splits, tmp_path / "out", layout, Sampling(split="task"))


def test_samples_are_in_the_parts_of_a_split_for_one_device() -> None:
    sides = {"1" * 16: "test", "2" * 16: "train"}
    planned = [Planned(name, 1, {"random": "test", "device_pixel_fold": side}) for name, side in sides.items()]
    shards = plan("trl", planned, Options(samples=Sampling(split="device_pixel_fold")))
    assert {
        name: side for shard in shards for side in sides.values() for name in shard.ids if side in shard.name
    } == sides


@pytest.mark.parametrize("layout", ["official-chat", "ui-tars"])
def test_invalid_screenshot_is_named(two_episodes: Dataset, layout: str) -> None:
    damaged = two_episodes.root / f"screenshots/{ids(1)[0]}_2.png"
    damaged.write_bytes(b"not an image")
    with pytest.raises(DatasetError, match=damaged.name):
        prepared(two_episodes.root, layout, Sampling())
    Image.new("RGB", (2, 2)).save(damaged)
    assert prepared(two_episodes.root, layout, Sampling()).left_out == []
