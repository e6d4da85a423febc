"""`odyssey-recorder curate`, and what other commands leave out."""

import json
import shutil
from pathlib import Path

import pytest

from odyssey_recorder.dataset.layout import annotation_path, screenshot_path, ui_tree_path
from tests.cli import CommandLine, Result
from tests.exporting.sample import STEPS, ids, write_dataset

pytestmark = pytest.mark.usefixtures("one_processor")
ONE, TWO, THREE, FOUR, _ = IDS = ids(5)
VIEW = '<hierarchy><node text="Ada Lovelace" class="android.widget.TextView" bounds="[2,8][30,20]"/></hierarchy>'


@pytest.fixture
def root(cli: CommandLine) -> Path:
    write_dataset(cli.dataset, len(IDS), texts=True)
    shutil.rmtree(cli.dataset / "splits")
    return cli.dataset


def contents(root: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in root.rglob("*") if path.is_file() and "lock" not in path.name}


def listed_ids(result: Result) -> list[str]:
    assert result.exit_code == 0
    return [line[:16] for line in result.out.splitlines()]


def test_retired_episode_is_left_out_until_restored(cli: CommandLine, root: Path) -> None:
    before = contents(root)
    retire = ["curate", "retire", root, TWO, THREE, "--why", "blurred", "--superseded-by", ONE, "--as", "Ada"]
    shown = cli(*retire)
    assert f"retire {TWO}, superseded by {ONE}: blurred" in shown.out
    assert "Nothing has changed. Use --yes" in shown.out
    assert contents(root) == before

    assert "2 episodes retired" in cli(*retire, "--yes").out

    all_listed = cli("list", root)
    assert listed_ids(all_listed) == sorted({*IDS} - {TWO, THREE})
    assert "3 of 5 episodes" in all_listed.err
    assert "2 retired episodes left out" in all_listed.err
    assert listed_ids(cli("list", root, "--filter", "is:retired")) == [TWO, THREE]
    filtered = cli("list", root, "--filter", f"id:{TWO}|{FOUR}")
    assert listed_ids(filtered) == [FOUR]
    assert "1 retired episode left out" in filtered.err
    for options, count, note in (
        ((), 3, "2 retired episodes left out"),
        (("--filter", f"id:{TWO}|{FOUR}"), 1, "1 retired episode left out"),
    ):
        stats = cli("stats", root, "--json", *options)
        assert (json.loads(stats.out)["episodes"], note in stats.err) == (count, True)
    out = root.parent / "out"
    exported = cli("export", root, out, "--as", "jsonl", "--all", "--jobs", "1")
    assert "2 retired episodes left out" in exported.err
    lines = (out / "data" / "episodes-00000.jsonl").read_text().splitlines()
    assert [json.loads(line)["episode_id"] for line in lines] == sorted({*IDS} - {TWO, THREE})

    again = cli("curate", "retire", root, TWO, FOUR, "--why", "x")
    assert "1 episode unchanged" in again.out
    assert "1 episode restored" in cli("curate", "restore", root, TWO, "--yes").out
    assert listed_ids(cli("list", root, "--filter", "is:retired")) == [THREE]
    after = contents(root)
    assert {path: data for path, data in after.items() if "retired.jsonl" not in path} == before


def checks_with_results(cli: CommandLine, root: Path) -> set[str]:
    report = cli.json("check", root)
    return {one["check"] for one in report["findings"] + report["not_checked"]}


def test_splits_ignore_retired_episodes(cli: CommandLine, root: Path) -> None:
    made = cli("splits", "make", root)
    assert made.exit_code == 1, made.err  # of few tasks, not every split can be made
    cli("curate", "retire", root, TWO, "--why", "x", "--yes")
    old = cli("splits", "check", root, "--json")
    assert "no_file" not in old.out
    assert "no_part" not in old.out
    assert not checks_with_results(cli, root) & {"SPL01", "SPL03"}, "splits that name it are not wrong"
    assert "1 episode added or removed since" in cli("splits", "show", root).out

    again = cli("splits", "make", root)
    assert "1 retired episode left out" in again.err
    assert TWO not in "".join(file.read_text() for file in (root / "splits").iterdir())
    assert "added or removed" not in cli("splits", "show", root).out
    assert "no_part" not in cli("splits", "check", root, "--json").out
    assert not checks_with_results(cli, root) & {"SPL01", "SPL03"}


@pytest.mark.parametrize(
    "words", [["x"], ["9999999999999999"], [TWO, "--superseded-by", "x"], [TWO, "--superseded-by", TWO]]
)
def test_invalid_retirement_is_rejected(cli: CommandLine, root: Path, words: list[str]) -> None:
    assert cli("curate", "retire", root, *words, "--why", "blurred", "--yes").exit_code == 2
    assert not (root / "metadata").exists()


def test_duplicates_are_shown_and_retired_on_request(cli: CommandLine, root: Path) -> None:
    copy = "9999999999999999"
    (root / annotation_path(copy)).write_text((root / annotation_path(TWO)).read_text().replace(TWO, copy))
    for step in range(STEPS):
        shutil.copy(root / screenshot_path(TWO, step), root / screenshot_path(copy, step))
    before = contents(root)
    shown = cli("curate", "duplicates", root, "--by", "annotation", "--by", "screenshots")
    assert "1 group of episodes" in shown.out
    assert f"keep  {TWO}  not accepted, no provenance, " in shown.out
    assert "Same annotation, screenshots; best: lowest id" in shown.out
    groups = cli.json("curate", "duplicates", root, "--by", "annotation")
    assert groups == [{"same": ["annotation"], "best": TWO, "why": "lowest id", "others": [copy]}]
    planned = cli("curate", "duplicates", root, "--by", "annotation", "--retire-others")
    assert f"retire {copy}, superseded by {TWO}: duplicate: same annotation" in planned.out
    assert contents(root) == before

    cli("curate", "duplicates", root, "--by", "annotation", "--retire-others", "--yes")
    assert listed_ids(cli("list", root, "--filter", "is:retired")) == [copy]
    assert "0 groups" in cli("curate", "duplicates", root, "--by", "annotation").out


@pytest.mark.parametrize(
    "words", [["--retire-others"], ["--by", "colour"], ["--by", "take", "--retire-others", "--json"]]
)
def test_duplicates_require_a_valid_criterion(cli: CommandLine, root: Path, words: list[str]) -> None:
    assert cli("curate", "duplicates", root, *words).exit_code == 2


def test_redaction_is_previewed_and_applied(cli: CommandLine, root: Path) -> None:
    (root / "ui_trees").mkdir()
    (root / ui_tree_path(TWO, 3)).write_text(VIEW)
    before = contents(root)
    redact = ["curate", "redact", root, TWO, "--text", "Ada  lovelace", "--as", "Bob"]
    shown = cli(*redact)
    assert "step 4  2,8,30,20  14.6% of the screen  Ada Lovelace" in shown.out
    assert "No view hierarchy: steps 1 to 3, 5 to 8." in shown.out
    assert "Nothing has changed" in shown.out
    assert contents(root) == before

    hidden = cli(*redact, "--yes")
    assert "1 box and 1 text hidden in exports" in hidden.out
    assert json.loads((root / "redactions" / f"{TWO}.json").read_text())["boxes"][0]["who"] == "Bob"

    manual = cli("curate", "redact", root, TWO, "--step", "1", "--box", "0,0,9,9", "--box", "1,1,2,2", "--yes")
    assert "step 1  0,0,9,9" in manual.out
    assert "2 boxes and 0 texts" in manual.out
    drawn = json.loads((root / "redactions" / f"{TWO}.json").read_text())["boxes"][1:]
    assert [box["step"] for box in drawn] == [0, 0]


@pytest.mark.parametrize(("number", "why"), [("0", "greater than or equal to 1"), ("9", "has no step 9; the last one")])
def test_redaction_refuses_a_step_that_does_not_exist(cli: CommandLine, root: Path, number: str, why: str) -> None:
    assert why in cli.error("curate", "redact", root, TWO, "--step", number, "--box", "0,0,9,9", exit_code=2)


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["--text", "nobody"], 1),
        (["--regex", "("], 2),
        (["--step", "1"], 2),
        (["--box", "0,0,1,1"], 2),
        (["--step", "1", "--box", "0,0,1"], 2),
        (["--step", "1", "--box", "0,0,99,1"], 2),
        (["--text", "a", "--regex", "b"], 2),
        (["--regex", "x*"], 1),
        ([], 2),
    ],
)
def test_redaction_that_hides_nothing_is_not_written(cli: CommandLine, root: Path, words: list[str], code: int) -> None:
    result = cli("curate", "redact", root, TWO, *words, "--yes")
    assert result.exit_code == code, result
    assert not (root / "redactions").exists()


def test_episode_with_an_outdated_redaction_is_not_exported(cli: CommandLine, root: Path) -> None:
    for episode_id in (TWO, THREE):
        cli("curate", "redact", root, episode_id, "--step", "4", "--box", "0,0,9,9", "--yes")
    shutil.copy(root / screenshot_path(TWO, 4), root / screenshot_path(TWO, 3))
    out = root.parent / "out"

    result = cli("export", root, out, "--as", "release", "--all", "--jobs", "1")

    reason = f"{TWO} cannot be redacted: the screenshot of step 4 has changed since its box was drawn"
    assert (result.exit_code, reason in result.err) == (0, True)
    assert {path.stem for path in (out / "annotations").iterdir()} == {*IDS} - {TWO}
    assert (out / screenshot_path(THREE, 3)).read_bytes() != (root / screenshot_path(THREE, 3)).read_bytes()
    assert not any(path.name.startswith(TWO) for path in out.rglob("*"))


def test_convert_skips_redacted_episodes(cli: CommandLine, root: Path) -> None:
    cli("curate", "redact", root, TWO, "--step", "4", "--box", "0,0,9,9", "--yes")
    out = root.parent / "out"
    error = cli.error("convert", root, out, "--dialect", "release", exit_code=1)
    assert "has a redaction, which only `export` applies" in error
    assert not any(path.name.startswith(TWO) for path in out.rglob("*"))
    assert (out / annotation_path(ONE)).exists()
