import json
import re
from base64 import b64decode
from io import BytesIO
from pathlib import Path

import pytest
from PIL import Image

from odyssey_recorder.dataset.journal import Change
from odyssey_recorder.dataset.layout import HISTORY
from odyssey_recorder.quality.finding import Criterion, EpisodeReport, Finding, NotChecked, Severity
from odyssey_recorder.quality.findings_report import FindingsReport, render_findings_page
from tests.command_line import ESCAPES, CommandLine, Ran
from tests.quality.folders import FIRST, SECOND, edit, write_dataset, write_provenance, write_single_episode
from tests.quality.test_collect import overwrite_silently


@pytest.fixture
def dataset(command_line: CommandLine) -> Path:
    write_dataset(command_line.dataset, FIRST, SECOND, steps=5)
    return command_line.dataset


def check(command_line: CommandLine, *words: object) -> Ran:
    return command_line("check", "--jobs", 1, *words)


def break_screenshot(dataset: Path, episode_id: str = SECOND, step: int = 1) -> None:
    (dataset / "screenshots" / f"{episode_id}_{step}.png").write_bytes(b"no picture")


def test_a_dataset_without_errors_is_clean(command_line: CommandLine, dataset: Path) -> None:
    ran = command_line("check", dataset)
    assert (ran.exit_code, ran.err) == (0, "")
    assert ran.out.splitlines()[-1].startswith("2 episodes: 0 errors, ")


def test_an_error_is_told_with_its_episode_its_step_and_what_to_do(command_line: CommandLine, dataset: Path) -> None:
    break_screenshot(dataset)
    tree = json.loads(check(command_line, dataset, "--json").out)
    assert (tree["exit_code"], tree["format"], tree["episodes"], tree["counts"]["error"] >= 1) == (1, 1, 2, True)
    unlooked = next(one for one in tree["not_checked"] if one["check"] == "EPI06")
    assert (unlooked["episodes"], bool(unlooked["why"])) == ([FIRST, SECOND], True)
    assert [one["not_checked"] for one in tree["checks"] if one["check"] == "EPI06"] == [2]
    broken = next(one for one in tree["findings"] if one["check"] == "IMG01")
    assert (broken["severity"], broken["criterion"], broken["step"]) == ("error", "pictures", 1)
    ran = check(command_line, dataset)
    assert ran.exit_code == 1
    lines = ran.out.splitlines()
    at = lines.index(f"Episode {SECOND}")
    assert lines[at + 1].startswith("  IMG01 error   step 2: ")
    assert lines[at + 2].strip()
    assert any(line.endswith("IMG01  A screenshot is missing or broken") for line in map(str.rstrip, lines))


def test_warnings_fail_only_where_that_is_asked(command_line: CommandLine, dataset: Path) -> None:
    screenshots = dataset / "screenshots"
    (screenshots / f"{SECOND}_2.png").write_bytes((screenshots / f"{SECOND}_1.png").read_bytes())
    write_provenance(dataset, SECOND, 5)
    assert check(command_line, dataset).exit_code == 0
    assert check(command_line, dataset, "--fail-on", "warning").exit_code == 1


def test_a_second_run_opens_nothing_that_has_not_changed(command_line: CommandLine, dataset: Path) -> None:
    first = check(command_line, dataset)
    for path in (dataset / "screenshots").iterdir():
        overwrite_silently(path)
    assert check(command_line, dataset) == first
    assert check(command_line, dataset, "--no-cache").exit_code == 1


@pytest.mark.parametrize("where", ["", "annotations", f"annotations/{FIRST}.json"])
def test_a_dataset_its_annotations_or_one_file_is_checked(command_line: CommandLine, dataset: Path, where: str) -> None:
    ran = check(command_line, dataset / where, "--json")
    assert ran.exit_code == 0
    assert json.loads(ran.out)["episodes"] == (1 if where.endswith(".json") else 2)


def test_released_data_are_checked_too(command_line: CommandLine, dataset: Path) -> None:
    for name in ("provenance", "ui_trees"):
        (dataset / name).rename(command_line.folder / name)
    (dataset / "all_annot.json").write_text("[]")
    tree = json.loads(check(command_line, dataset, "--json").out)
    assert tree["episodes"] == 2
    assert "IMG05" in {one["check"] for one in tree["not_checked"]}
    assert "SET03" in {one["check"] for one in tree["findings"]}


def test_a_folder_of_files_is_checked_without_what_is_of_a_dataset(command_line: CommandLine) -> None:
    screenshot = (
        write_dataset(command_line.dataset, FIRST)[0].parent.parent / "screenshots" / f"{FIRST}_0.png"
    ).read_bytes()
    folder = command_line.folder / "loose"
    for episode_id in (FIRST, SECOND):
        write_single_episode(folder, episode_id, [screenshot] * 5)
    (folder / "all_annot.json").write_text("[]")
    tree = json.loads(check(command_line, folder, "--json").out)
    assert tree["episodes"] == 2
    assert not {one["check"] for one in tree["checks"]} & {"SET01", "SET03", "EXP01"}


def test_an_episode_that_cannot_be_read_is_a_finding(command_line: CommandLine, dataset: Path) -> None:
    (dataset / "annotations" / f"{FIRST}.json").write_text("[")
    ran = check(command_line, dataset)
    assert ran.exit_code == 1
    assert "The episode could not be checked" in ran.out


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("nowhere",), "no such file or folder"),
        (("dataset", "--html", "nowhere/page.html"), "cannot be written"),
        (("dataset", "--fail-on", "note"), "--fail-on"),
        (("dataset", "--jobs", "0"), "--jobs"),
        (("dataset/screenshots",), "it contains no episode file"),
    ],
)
def test_what_could_not_be_run_is_another_failure(
    command_line: CommandLine, dataset: Path, words: tuple[str, ...], expected: str
) -> None:
    command_line.monkeypatch.chdir(dataset.parent)
    ran = check(command_line, *words)
    assert ran.exit_code == 2
    assert expected in ran.err


def test_what_a_file_holds_is_text_on_a_terminal_and_on_a_page(command_line: CommandLine, dataset: Path) -> None:
    annotation = dataset / "annotations" / f"{FIRST}.json"
    edit(annotation, task_info="<script>alert(1)</script>", steps=[{"step": ESCAPES, "action": "<img src=x>"}])
    page = command_line.folder / "page.html"
    ran = check(command_line, dataset, "--html", page)
    assert ran.exit_code == 1
    assert not {"\x1b", "\x9b", "\u202e"} & set(ran.out)
    words = page.read_text()
    assert "<script" not in words.casefold()
    assert "<img src=x" not in words.casefold()
    assert set(re.findall(r"<img src=(.{12})", words)) <= {'"data:image/'}
    assert f"Episode {FIRST}" in words


def test_of_hundreds_of_findings_the_gravest_are_printed_and_the_rest_is_counted(
    command_line: CommandLine, dataset: Path
) -> None:
    for number in range(3, 11):
        write_dataset(dataset, f"{number:016}", steps=5)
    for path in (dataset / "screenshots").iterdir():
        path.write_bytes(b"")
    ran = check(command_line, dataset)
    assert len(re.findall(r"^  [A-Z]{3}[0-9]{2} ", ran.out, re.MULTILINE)) == 40
    assert "more. Use --html FILE or --json to see all." in ran.out


def test_a_page_shows_every_finding_and_needs_nothing_else(tmp_path: Path) -> None:
    report = FindingsReport(tmp_path / "<b>dataset</b>")
    hostile = "<script>alert('x')</script> & </dd>"
    finding = Finding("IMG01", Severity.ERROR, Criterion.SCREENSHOTS, FIRST, 3, hostile, hostile)
    report.add(EpisodeReport(FIRST, (finding,), (NotChecked("EPI06", hostile),)))
    report.add(EpisodeReport(SECOND))
    report.add_together([Finding("SET01", Severity.WARNING, None, "", None, "two files", "Move them.")])
    page = render_findings_page(report)
    assert "<script" not in page
    assert "<b>dataset" not in page
    assert page.count("&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt; &amp; &lt;/dd&gt;") == 3
    assert "http://" not in page
    assert "src=" not in page
    assert (report.episodes, report.clean) == (2, 1)
    assert report.summary == "2 episodes: 1 error, 1 warning, 0 notes; 1 check could not look everywhere"
    assert [episode_id for episode_id, _ in report.by_episode] == ["", FIRST]


def test_a_page_shows_the_screenshots_of_the_findings_and_which_are_damaged_or_missing(
    command_line: CommandLine, dataset: Path
) -> None:
    screenshots = dataset / "screenshots"
    (screenshots / f"{SECOND}_2.png").write_bytes((screenshots / f"{SECOND}_1.png").read_bytes())
    break_screenshot(dataset, step=3)
    (screenshots / f"{FIRST}_0.png").unlink()
    page = command_line.folder / "page.html"
    check(command_line, dataset, "--html", page)
    words = page.read_text()
    assert "The screenshot is missing." in words
    assert "The screenshot is damaged: it is not a PNG of a screen." in words
    shown = [Image.open(BytesIO(b64decode(data))) for data in re.findall(r'"data:image/webp;base64,([^"]+)"', words)]
    assert shown
    assert all(max(one.size) <= 240 for one in shown)
    assert len(re.findall('alt="Screenshot of step', words)) == len(shown)
    assert "<script" not in words


def test_a_page_of_many_findings_shows_the_first_screenshots_only(dataset: Path) -> None:
    report = FindingsReport(dataset)
    told = [Finding("IMG01", Severity.ERROR, Criterion.SCREENSHOTS, FIRST, step, "It.", "Do.") for step in range(205)]
    report.add(EpisodeReport(FIRST, (*told, told[0])))
    page = render_findings_page(report, [dataset / "annotations" / f"{FIRST}.json"])
    assert (page.count("<img"), page.count("The screenshot is missing.")) == (5, 195)
    assert page.count("Not shown: the page has only the first 200 screenshots.") == 5


def test_all_checks_that_looked_everywhere_and_found_nothing_are_not_listed(tmp_path: Path) -> None:
    report = FindingsReport(tmp_path)
    report.add(EpisodeReport(FIRST))
    assert report.checks == []
    assert "Every check looked everywhere, and found nothing." in render_findings_page(report)
    assert not report.fails(from_=Severity.WARNING)


def test_a_fix_that_was_cut_short_is_said_and_left_to_the_review(command_line: CommandLine, dataset: Path) -> None:
    version = f"reviews/history/{FIRST}/{'a' * 64}-{'0' * 16}"
    change = Change(episode_id=FIRST, source=version, target=version)
    intent = dataset / HISTORY / "change.json"
    intent.parent.mkdir(parents=True)
    intent.write_text(change.model_dump_json())
    ran = check(command_line, dataset)
    assert ran.err.startswith(f"A fix of episode {FIRST} is in progress or was interrupted")
    assert intent.exists()
