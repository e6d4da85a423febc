"""The Python API gives what the command line gives on the same dataset."""

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

import pytest

import odyssey_recorder as oro
from odyssey_recorder.annotation.inputs import inputs_of
from odyssey_recorder.annotation.redacted_episode import open_dataset_episode
from odyssey_recorder.annotation.semantics import FoundBox, SemanticsStore, TextState
from odyssey_recorder.annotation.text_kinds import BoxSource, TextKind
from odyssey_recorder.curation.retired import RetireDecision, record_decisions
from odyssey_recorder.dataset.entry_file import spell
from odyssey_recorder.dataset.layout import annotation_path, redaction_path, screenshot_path
from odyssey_recorder.device.adb_server import find_adb
from odyssey_recorder.errors import DatasetError, DeviceError, FilterError
from odyssey_recorder.evaluation import report
from odyssey_recorder.figures.page import figures_as_json
from odyssey_recorder.model.geometry import Box, Size
from odyssey_recorder.reports import report_json
from odyssey_recorder.review.review import ReviewFile
from odyssey_recorder.review.status import ReviewStage
from tests.annotation.texts import decided, moment, suggestion
from tests.checking.verdicts import verdict
from tests.cli import CommandLine
from tests.dataset.drafts import png, provenance_of, record, write_provenance
from tests.exporting.sample import ACTIONS, SIZE, STEPS, contents, ids, write_dataset

RETIRED, BY_AGENT, RECORDED, RELEASED = ids(10)[2], ids(10)[5], ids(10)[0], ids(10)[1]
DOCUMENT = Path(__file__).parents[1] / "docs" / "python.md"
FILTERS = ["", "category:Multi_Apps", "is:retired", "is:agent", "ending:impossible steps:>5", "split:random/test"]


@pytest.fixture
def root(cli: CommandLine) -> Path:
    """Ten episodes: one retired, one by an agent, one recorded by a person; the others as released."""
    write_dataset(cli.dataset, 10)
    steps = [record(png(shade)).model_copy(update={"touched_us": shade}) for shade in range(STEPS)]
    steps[0] = steps[0].model_copy(update={"bbox": (30, 20, 60, 40), "bbox_source": "hierarchy"})
    write_provenance(cli.dataset, provenance_of(RECORDED, steps, annotator="Ada"))
    write_provenance(cli.dataset, provenance_of(BY_AGENT, steps, actor="agent"))
    record_decisions(cli.dataset, [RetireDecision(episode_id=RETIRED, decision="retire", who="Ada")])
    return cli.dataset


@pytest.fixture
def dataset(root: Path) -> Iterator[oro.Dataset]:
    with oro.open_dataset(root) as opened:
        yield opened


def judge(root: Path, episode_id: str, answers: str = "ppp") -> None:
    revision = sha256((root / annotation_path(episode_id)).read_bytes()).hexdigest()
    (root / "reviews").mkdir(exist_ok=True)
    file = ReviewFile(episode_id, (verdict("Grace", answers, revision=revision, recorder="Bob"),))
    (root / "reviews" / f"{episode_id}.json").write_bytes(spell(file))


def modules_after(program: str) -> set[str]:
    """The modules that a program has loaded at its end."""
    code = f"{program}\nimport sys; print('loaded', *sys.modules)"
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return {*answer.stdout.splitlines()[-1].split()}


# The module.


def test_importing_loads_nothing_else() -> None:
    assert modules_after("import odyssey_recorder") - modules_after("import typing") == {"odyssey_recorder"}


def test_reading_a_dataset_loads_no_window_and_no_heavy_library(root: Path) -> None:
    program = f"""
import odyssey_recorder as oro
with oro.open_dataset({str(root)!r}) as dataset:
    episode = dataset.episodes("steps:>5")[0]
    print(episode.steps[0].image(), episode.steps[0].texts, episode.steps[0].box, dataset.splits)
"""
    heavy = {"PySide6", "grpc", "google.protobuf", "pandas", "numpy", "typer", "sqlalchemy", "openai", "adbutils"}
    loaded = modules_after(program)
    assert "odyssey_recorder.api" in loaded
    assert not loaded & heavy


def test_module_has_the_names_it_lists() -> None:
    assert all(getattr(oro, name).__module__.startswith("odyssey_recorder.") for name in oro.__all__)
    assert {*oro.__all__, "__version__"} <= {*dir(oro)}
    assert not hasattr(oro, "parse_filter")


# Episodes.


@pytest.mark.parametrize("text", FILTERS)
def test_episodes_are_those_of_list(dataset: oro.Dataset, cli: CommandLine, text: str) -> None:
    listed = cli.json("list", "--filter", text)
    found = dataset.episodes(text, agents=True)
    assert [one["episode_id"] for one in listed] == [episode.id for episode in found]
    for one, episode in zip(listed, found, strict=True):
        assert (one["instruction"], one["category"], one["template"]) == (
            episode.instruction, episode.category, episode.template
        )  # fmt: skip
        assert (one["device"], one["steps"], one["ending"], one["annotator"], one["verdict"], one["problem"]) == (
            episode.device, episode.length, episode.ending, episode.annotator, episode.stage.value, episode.problem
        )  # fmt: skip
        assert (tuple(one["apps"]), tuple(one["splits"])) == (episode.apps, episode.splits)
        assert len(episode.steps) == episode.length


def test_retired_episodes_and_those_by_agents_are_left_out_unless_the_filter_has_them(dataset: oro.Dataset) -> None:
    present = [episode.id for episode in dataset.episodes()]
    assert present == [one for one in ids(10) if one not in (RETIRED, BY_AGENT)]
    assert [episode.id for episode in dataset.episodes("is:retired")] == [RETIRED]
    assert [episode.id for episode in dataset.episodes("is:agent")] == [BY_AGENT]
    assert dataset.episode(RETIRED).id == RETIRED
    assert RETIRED not in dataset.reviews
    assert RETIRED not in {*dataset.to_pandas()["episode_id"]}


def test_changed_files_are_read_again(dataset: oro.Dataset, root: Path) -> None:
    before = dataset.episode(RELEASED)
    path = root / annotation_path(RELEASED)
    path.write_text(path.read_text().replace("Multi_Apps", "Other").replace(before.category, "Other"))
    assert dataset.episode(RELEASED).category == "Other"
    assert RELEASED in {episode.id for episode in dataset.episodes("category:other")}
    path.unlink()
    assert RELEASED not in {episode.id for episode in dataset.episodes()}
    with pytest.raises(DatasetError, match=f"There is no episode {RELEASED}"):
        dataset.episode(RELEASED)


def test_steps_have_actions_screenshots_and_provenance(dataset: oro.Dataset, root: Path) -> None:
    episode = dataset.episode(RECORDED)
    assert [step.action for step in episode.steps[:-1]] == [*ACTIONS]
    assert [(step.index, step.number) for step in episode.steps[:2]] == [(0, 1), (1, 2)]
    first = episode.steps[0]
    assert first.screenshot == root / screenshot_path(RECORDED, 0)
    assert (first.image().mode, first.image().size) == ("RGB", (SIZE.width, SIZE.height))
    assert first.provenance is not None
    assert first.provenance.frame.size == Size(72, 128)
    assert episode.provenance is not None
    assert (episode.provenance.origin.annotator, episode.annotator) == ("Ada", "Ada")
    released = dataset.episode(RELEASED)
    assert (released.provenance, released.steps[0].provenance, released.recorded_at) == (None, None, None)


def test_texts_have_state_and_source(dataset: oro.Dataset, root: Path) -> None:
    found = open_dataset_episode(root, RECORDED)
    offered = suggestion(found, 0, TextKind.INSTRUCTION, "Press it.")
    other = suggestion(found, 1, TextKind.INTENTION, "I type.")
    decision = decided(offered, "accept")
    SemanticsStore(root).append(RECORDED, offered, other, decision)

    steps = dataset.episode(RECORDED).steps
    accepted, suggested = steps[0].texts["low_level_instruction"], steps[1].texts["intention"]
    assert (accepted.state, accepted.words, accepted.source) == (TextState.ACCEPTED, "Press it.", decision)
    assert (suggested.state, suggested.words, suggested.source) == (TextState.SUGGESTED, "I type.", other)
    assert steps[2].texts["context"].state is TextState.MISSING


def test_boxes_are_in_pixels_and_name_their_source(dataset: oro.Dataset, root: Path) -> None:
    steps = dataset.episode(RECORDED).steps
    assert steps[0].box is not None
    assert (steps[0].box.box, steps[0].box.source) == (Box(30, 20, 60, 40), BoxSource.HIERARCHY)
    assert steps[1].box is None
    pressed = dataset.episode(RELEASED).steps[0].box
    assert pressed is not None
    assert (pressed.source, pressed.size, pressed.box.area) == (BoxSource.POINT, SIZE, 0)

    key = inputs_of(open_dataset_episode(root, RELEASED))[0].step_key
    found = FoundBox(id="1" * 32, at=moment(), step_key=key, source=BoxSource.SAM2, px=(16, 14, 22, 18))
    SemanticsStore(root).add(RELEASED, [found])
    boxed = dataset.episode(RELEASED).steps[0].box
    assert boxed is not None
    assert (boxed.box, boxed.source) == (Box(16, 14, 22, 18), BoxSource.SAM2)
    row = dataset.to_pandas(f"id:{RELEASED}").iloc[0]
    assert (row["bbox_source"], row["sam2_bbox"]) == ("sam2", [444, 218, 612, 282])


# What is damaged, missing or closed.


def test_damaged_episode_is_listed_and_says_why(dataset: oro.Dataset, root: Path) -> None:
    path = root / annotation_path(RELEASED)
    path.write_text(path.read_text()[:-300])
    [episode] = dataset.episodes(f"id:{RELEASED}")
    assert path.name in episode.problem
    with pytest.raises(DatasetError, match=path.name):
        _ = episode.steps
    frame = dataset.to_pandas()
    assert RELEASED not in {*frame["episode_id"]}
    [why] = frame.attrs["unread"]
    assert path.name in why


def test_provenance_of_other_steps_is_an_error(dataset: oro.Dataset, root: Path) -> None:
    write_provenance(root, provenance_of(RELEASED))
    with pytest.raises(DatasetError, match=RELEASED):
        _ = dataset.episode(RELEASED).steps


def test_missing_screenshot_is_an_error_where_it_is_needed(dataset: oro.Dataset, root: Path) -> None:
    path = root / screenshot_path(RELEASED, 0)
    path.unlink()
    step = dataset.episode(RELEASED).steps[0]
    assert step.action == ACTIONS[0]
    with pytest.raises(DatasetError, match=f"{path} cannot be read: file not found"):
        step.image()
    with pytest.raises(DatasetError, match=path.name):
        _ = step.texts
    path.write_bytes(b"no image")
    with pytest.raises(DatasetError, match="it is not a PNG of a screen"):
        step.image()


def test_closed_dataset_refuses_all_but_what_was_read(dataset: oro.Dataset) -> None:
    episode = dataset.episode(RECORDED)
    dataset.close()
    dataset.close()
    for ask in (dataset.episodes, dataset.check, dataset.stats, dataset.to_pandas, lambda: dataset.splits):
        with pytest.raises(DatasetError, match=r"is closed\. Open it again"):
            ask()
    assert episode.steps[0].image().size == (SIZE.width, SIZE.height)


def test_folder_that_is_no_dataset_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DatasetError, match="is not a dataset folder: annotations/ with episode files is missing"):
        oro.open_dataset(tmp_path)


def test_wrong_words_are_refused_with_the_right_ones(dataset: oro.Dataset, tmp_path: Path) -> None:
    with pytest.raises(FilterError, match="Did you mean “device:”"):
        dataset.episodes("devise:x")
    with pytest.raises(DatasetError, match=r"layout is 'csv'\. Use one of: 'release', 'parquet'"):
        dataset.export(tmp_path / "out", layout="csv")
    with pytest.raises(DatasetError, match="protocol is 'lenient'"):
        dataset.evaluate("x", protocol="lenient")  # type: ignore[arg-type]
    with pytest.raises(DatasetError, match="per is 'app'"):
        dataset.to_pandas(per="app")  # type: ignore[arg-type]
    with pytest.raises(DatasetError, match="v3 is not a dataset folder"):
        dataset.stats("v3")


# Reviews, checks, splits and figures.


def test_reviews_have_the_stage_of_list_and_all_verdicts(dataset: oro.Dataset, cli: CommandLine, root: Path) -> None:
    judge(root, RECORDED)
    judge(root, RELEASED, "pfp")
    reviews = dataset.reviews
    assert {id: review.stage.value for id, review in reviews.items()} == {
        one["episode_id"]: one["verdict"] for one in cli.json("list")
    }
    assert reviews[RELEASED].stage is not ReviewStage.UNREVIEWED
    assert [given.by for given in reviews[RELEASED].verdicts] == ["Grace"]
    (root / "reviews" / f"{RELEASED}.json").write_text("{")
    assert dataset.reviews[RELEASED].problems
    assert reviews[ids(10)[9]] == oro.Review(ReviewStage.UNREVIEWED, ())


def test_check_finds_what_the_command_finds(dataset: oro.Dataset, cli: CommandLine, root: Path) -> None:
    (root / screenshot_path(RELEASED, 0)).unlink()
    reports = dataset.check()
    found = {
        (finding.check, finding.episode_id, finding.step, finding.found)
        for one in reports.values()
        for finding in one.findings
    }
    by_command = {
        (one["check"], one["episode_id"], one["step_index"], one["found"])
        for one in cli.json("check", root)["findings"]
        if one["episode_id"]
    }
    assert found == by_command
    assert reports[RELEASED].has_errors
    unreadable = {one.id for one in dataset.episodes("finding:IMG01")}
    assert unreadable == {id for id, one in reports.items() if "IMG01" in one.failed} - {BY_AGENT}


def test_splits_are_those_of_the_command_without_retired_episodes(
    dataset: oro.Dataset, cli: CommandLine, root: Path
) -> None:
    for path in (root / "splits").iterdir():
        path.unlink()
    assert dataset.splits == {}
    cli("splits", "make", root)
    made = cli.json("splits", "show", root)
    parts = {kind: (len(split.train), len(split.test)) for kind, split in dataset.splits.items()}
    assert parts == {kind: (split["train"], split["test"]) for kind, split in made["splits"].items()}
    random = dataset.splits["random"]
    assert random.test == tuple(episode.id for episode in dataset.episodes("split:random/test"))
    record_decisions(root, [RetireDecision(episode_id=random.train[0], decision="retire", who="Ada")])
    assert dataset.splits["random"].train == random.train[1:]


@pytest.mark.parametrize("options", [(), ("--filter", "category:Multi_Apps"), ("--against", "v1"), ("--agents",)])
def test_stats_are_those_of_the_command(
    dataset: oro.Dataset, cli: CommandLine, root: Path, options: tuple[str, ...]
) -> None:
    given = dict(zip(options[::2], options[1::2], strict=False))
    counted = dataset.stats(
        given.get("--against", "v2"), filter=given.get("--filter", ""), agents="--agents" in options
    )
    assert json.loads(report_json(figures_as_json(counted.figures, counted.source))) == cli.json(
        "stats", root, *options
    )


def test_stats_compare_with_another_dataset(dataset: oro.Dataset, cli: CommandLine, root: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    write_dataset(other, 4)
    counted = dataset.stats(other)
    assert json.loads(report_json(figures_as_json(counted.figures, counted.source))) == cli.json(
        "stats", root, "--against", other
    )


# Exports, scores and data frames.


@pytest.mark.parametrize(
    ("layout", "options"),
    [("release", ()), ("jsonl", ("--steps",)), ("parquet", ()), ("trl", ("--agents",)), ("webdataset", ())],
)
def test_exports_have_the_bytes_of_the_command(
    dataset: oro.Dataset, cli: CommandLine, root: Path, layout: str, options: tuple[str, ...]
) -> None:
    by_command, by_api = cli.folder / "command", cli.folder / "api"
    cli.output("export", root, by_command, "--as", layout, "--all", "--jobs", "1", *options)
    done = dataset.export(
        by_api, layout=layout, only_ready=False, per_step="--steps" in options, agents="--agents" in options
    )
    assert contents(by_api) == contents(by_command) != {}
    assert len(done.episodes) == (9 if "--agents" in options else 8)


def test_export_leaves_out_what_is_not_ready_and_says_why(dataset: oro.Dataset, cli: CommandLine, root: Path) -> None:
    chosen = f"id:{RECORDED}|{RELEASED}"
    with pytest.raises(DatasetError, match="No episode is to be exported"):
        dataset.export(cli.folder / "out", layout="jsonl", filter=chosen)
    (root / redaction_path(RELEASED)).parent.mkdir()
    (root / redaction_path(RELEASED)).write_text("{")
    done = dataset.export(cli.folder / "out", layout="jsonl", filter=chosen, only_ready=False)
    assert [one.episode_id for one in done.episodes] == [RECORDED]
    assert [RELEASED in why for why in done.left_out] == [True]


def write_wrong(dataset: oro.Dataset, path: Path) -> None:
    """The first step of every episode is wrong, and one has no answer."""
    said = {
        (episode.id, step.index): step.action if step.index else episode.steps[3].action
        for episode in dataset.episodes()
        for step in episode.steps
    }
    oro.write_predictions(path, {**said, (RECORDED, 2): None}, model="mine")


@pytest.mark.parametrize("split", ["", "random"])
def test_scores_are_those_of_the_command(dataset: oro.Dataset, cli: CommandLine, root: Path, split: str) -> None:
    mine, gold = cli.folder / "mine.jsonl", cli.folder / "gold.jsonl"
    write_wrong(dataset, mine)
    steps = [(episode.id, step) for episode in dataset.episodes() for step in episode.steps]
    oro.write_predictions(gold, {(id, step.index): step.action for id, step in steps}, model="gold")

    scores = dataset.evaluate(mine, split=split, protocol="strict", against=gold)
    options = ("--data", root, "--protocol", "strict", "--against", gold, *(("--split", split) if split else ()))
    by_command = cli.json("evaluate", mine, *options, "--wrong", 100)
    wrong = by_command.pop("wrong")["steps"]
    assert json.loads(report_json(report.as_json(scores))) == by_command
    assert [(step.episode_id, step.step, step.truth, step.said) for step in oro.wrong_steps(scores)] == [
        (step["episode_id"], step["step_index"], step["truth"], step["predicted"]) for step in wrong
    ]
    assert scores.whole.ams is not None
    assert 0 < scores.whole.ams < 100
    assert len(oro.wrong_steps(scores, most=1)) == 1


def test_predictions_that_cannot_be_read_or_written_are_errors(dataset: oro.Dataset, tmp_path: Path) -> None:
    with pytest.raises(DatasetError, match=r"missing\.jsonl"):
        dataset.evaluate(tmp_path / "missing.jsonl")
    with pytest.raises(DatasetError, match="cannot be written"):
        oro.write_predictions(tmp_path / "no" / "folder.jsonl", {})


def test_data_frame_has_a_row_for_each_step_as_exports_have(dataset: oro.Dataset, cli: CommandLine, root: Path) -> None:
    cli.output("export", root, cli.folder / "out", "--as", "jsonl", "--steps", "--all", "--jobs", "1")
    [lines] = (cli.folder / "out" / "data").glob("*.jsonl")
    frame = dataset.to_pandas()
    paths = frame.pop("path")
    rows = json.loads(frame.to_json(orient="records"))
    assert rows == [json.loads(line) for line in lines.read_text().splitlines()]
    assert paths[1] == str(root / screenshot_path(frame["episode_id"][1], 1))


def test_data_frame_of_episodes_has_the_keys_of_list(dataset: oro.Dataset, cli: CommandLine) -> None:
    frame = dataset.to_pandas(agents=True, per="episode")
    assert json.loads(frame.to_json(orient="records")) == cli.json("list")


def test_missing_pandas_is_named_with_its_command(dataset: oro.Dataset, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(DatasetError, match=r"pip install 'odyssey-recorder\[pandas\]'"):
        dataset.to_pandas()


# Simulated emulators.


@pytest.fixture
def adb_alone(cli: CommandLine) -> None:
    """The user's adb, without the user's settings."""
    cli.monkeypatch.setenv("ODYSSEY_ADB", find_adb())


@pytest.mark.usefixtures("adb_alone")
def test_simulated_emulator_is_reached_through_its_own_adb_server() -> None:
    with oro.simulate("small_phone") as phone:
        listed = subprocess.run(
            [find_adb(), "-P", str(phone.adb_port), "devices"], capture_output=True, text=True, check=True
        )
        assert re.findall(r"^(\S+)\tdevice$", listed.stdout, re.MULTILINE) == [phone.serial]
        assert phone.adb("shell", "wm", "size") == b"Physical size: 720x1280\n"
        with pytest.raises(DeviceError, match=rf"“adb shell cat /nothing” failed on {phone.serial} \(exit code 1\)"):
            phone.adb("shell", "cat", "/nothing")
    with pytest.raises(DeviceError):
        phone.adb("shell", "wm", "size")


@pytest.mark.usefixtures("adb_alone")
def test_unknown_profile_is_refused_with_the_known_ones() -> None:
    with (
        pytest.raises(DeviceError, match="No simulated device 'pixel_99'; there are small_phone"),
        oro.simulate("pixel_99"),
    ):
        pytest.fail("it started")


# The document.


@pytest.mark.usefixtures("adb_alone")
def test_code_of_the_document_runs(
    root: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(root.parent)
    blocks = re.findall(r"^```python\n(.*?)^```", DOCUMENT.read_text(), re.MULTILINE | re.DOTALL)
    assert len(blocks) == 5
    names: dict[str, object] = {}
    for block in blocks:
        exec(compile(block, str(DOCUMENT), "exec"), names)
    tests = [value for name, value in names.items() if name.startswith("test_")]
    for test in tests:
        assert callable(test)
        test()
    assert len(tests) == 1
    printed = capsys.readouterr().out
    assert RECORDED in printed
    assert "CLICK: (500, 250)" in printed
    opened = names["dataset"]
    assert isinstance(opened, oro.Dataset)
    opened.close()
