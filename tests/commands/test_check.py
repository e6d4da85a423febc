import json
import re
from base64 import b64decode
from io import BytesIO
from pathlib import Path

import pytest
from PIL import Image

from odyssey_recorder.checking.findings_report import FindingsReport, render_findings_page
from odyssey_recorder.dataset.change_journal import Change
from odyssey_recorder.dataset.layout import HISTORY
from odyssey_recorder.model.finding import Criterion, EpisodeReport, Finding, NotChecked, Severity
from tests.checking.folders import FIRST, SECOND, edit, write_dataset, write_provenance, write_single_episode
from tests.checking.test_collect import overwrite_silently
from tests.cli import ESCAPES, CommandLine, Result


@pytest.fixture
def dataset(cli: CommandLine) -> Path:
    write_dataset(cli.dataset, FIRST, SECOND, steps=5)
    return cli.dataset


def check(cli: CommandLine, *arguments: object) -> Result:
    return cli("check", "--jobs", 1, *arguments)


def break_screenshot(dataset: Path, episode_id: str = SECOND, step: int = 1) -> None:
    (dataset / "screenshots" / f"{episode_id}_{step}.png").write_bytes(b"no picture")


def test_dataset_without_errors_passes(cli: CommandLine, dataset: Path) -> None:
    result = cli("check", dataset)
    assert (result.exit_code, result.err) == (0, "")
    assert result.out.splitlines()[-1].startswith("2 episodes: 0 errors, ")


def test_error_is_reported_with_episode_step_and_remedy(cli: CommandLine, dataset: Path) -> None:
    break_screenshot(dataset)
    tree = json.loads(check(cli, dataset, "--json").out)
    assert (tree["exit_code"], tree["format"], tree["episodes"], tree["counts"]["error"] >= 1) == (1, 1, 2, True)
    unchecked = next(one for one in tree["not_checked"] if one["check"] == "EPI06")
    assert (unchecked["episodes"], bool(unchecked["why"])) == ([FIRST, SECOND], True)
    assert [one["not_checked"] for one in tree["checks"] if one["check"] == "EPI06"] == [2]
    broken = next(one for one in tree["findings"] if one["check"] == "IMG01")
    assert (broken["severity"], broken["criterion"], broken["step_index"]) == ("error", "pictures", 1)
    result = check(cli, dataset)
    assert result.exit_code == 1
    lines = result.out.splitlines()
    start = lines.index(f"Episode {SECOND}")
    assert lines[start + 1].startswith("  IMG01 error   step 2: ")
    assert lines[start + 2].strip()
    assert any(line.endswith("IMG01  A screenshot is missing or broken") for line in map(str.rstrip, lines))


def test_warnings_fail_only_on_request(cli: CommandLine, dataset: Path) -> None:
    screenshots = dataset / "screenshots"
    (screenshots / f"{SECOND}_2.png").write_bytes((screenshots / f"{SECOND}_1.png").read_bytes())
    write_provenance(dataset, SECOND, 5)
    assert check(cli, dataset).exit_code == 0
    assert check(cli, dataset, "--fail-on", "warning").exit_code == 1


def test_second_run_uses_the_cache(cli: CommandLine, dataset: Path) -> None:
    first = check(cli, dataset)
    for path in (dataset / "screenshots").iterdir():
        overwrite_silently(path)
    assert check(cli, dataset) == first
    assert check(cli, dataset, "--no-cache").exit_code == 1


@pytest.mark.parametrize("where", ["", "annotations", f"annotations/{FIRST}.json"])
def test_dataset_annotations_or_one_file_can_be_checked(cli: CommandLine, dataset: Path, where: str) -> None:
    result = check(cli, dataset / where, "--json")
    assert result.exit_code == 0
    assert json.loads(result.out)["episodes"] == (1 if where.endswith(".json") else 2)


def test_released_dataset_is_checked(cli: CommandLine, dataset: Path) -> None:
    for name in ("provenance", "ui_trees"):
        (dataset / name).rename(cli.folder / name)
    (dataset / "all_annot.json").write_text("[]")
    tree = json.loads(check(cli, dataset, "--json").out)
    assert tree["episodes"] == 2
    assert "IMG05" in {one["check"] for one in tree["not_checked"]}
    assert "SET03" in {one["check"] for one in tree["findings"]}


def test_loose_files_are_checked_without_dataset_checks(cli: CommandLine) -> None:
    screenshot = (write_dataset(cli.dataset, FIRST)[0].parent.parent / "screenshots" / f"{FIRST}_0.png").read_bytes()
    folder = cli.folder / "loose"
    for episode_id in (FIRST, SECOND):
        write_single_episode(folder, episode_id, [screenshot] * 5)
    (folder / "all_annot.json").write_text("[]")
    tree = json.loads(check(cli, folder, "--json").out)
    assert tree["episodes"] == 2
    assert not {one["check"] for one in tree["checks"]} & {"SET01", "SET03", "EXP01"}


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (("nowhere",), "no such file or folder"),
        (("dataset", "--html", "nowhere/page.html"), "cannot be written"),
        (("dataset", "--fail-on", "note"), "--fail-on"),
        (("dataset", "--jobs", "0"), "--jobs"),
        (("dataset/screenshots",), "it contains no episode file"),
    ],
)
def test_unusable_arguments_exit_with_2(
    cli: CommandLine, dataset: Path, arguments: tuple[str, ...], expected: str
) -> None:
    cli.monkeypatch.chdir(dataset.parent)
    assert expected in cli.error("check", "--jobs", 1, *arguments)


def test_file_contents_are_escaped_on_terminal_and_page(cli: CommandLine, dataset: Path) -> None:
    annotation = dataset / "annotations" / f"{FIRST}.json"
    edit(annotation, task_info="<script>alert(1)</script>", steps=[{"step": ESCAPES, "action": "<img src=x>"}])
    page = cli.folder / "page.html"
    result = check(cli, dataset, "--html", page)
    assert result.exit_code == 1
    assert not {"\x1b", "\x9b", "\u202e"} & set(result.out)
    html = page.read_text()
    assert "<script" not in html.casefold()
    assert "<img src=x" not in html.casefold()
    assert set(re.findall(r"<img src=(.{12})", html)) <= {'"data:image/'}
    assert f"Episode {FIRST}" in html


def test_only_the_gravest_findings_are_printed(cli: CommandLine, dataset: Path) -> None:
    for number in range(3, 11):
        write_dataset(dataset, f"{number:016}", steps=5)
    for path in (dataset / "screenshots").iterdir():
        path.write_bytes(b"")
    result = check(cli, dataset)
    assert len(re.findall(r"^  [A-Z]{3}[0-9]{2} ", result.out, re.MULTILINE)) == 40
    assert "more. Use --html FILE or --json to see all." in result.out


def test_page_is_self_contained_and_shows_every_finding(tmp_path: Path) -> None:
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


def test_page_shows_screenshots_of_findings(cli: CommandLine, dataset: Path) -> None:
    screenshots = dataset / "screenshots"
    (screenshots / f"{SECOND}_2.png").write_bytes((screenshots / f"{SECOND}_1.png").read_bytes())
    break_screenshot(dataset, step=3)
    (screenshots / f"{FIRST}_0.png").unlink()
    page = cli.folder / "page.html"
    check(cli, dataset, "--html", page)
    html = page.read_text()
    assert "The screenshot is missing." in html
    assert "The screenshot is damaged: it is not a PNG of a screen." in html
    shown = [Image.open(BytesIO(b64decode(data))) for data in re.findall(r'"data:image/webp;base64,([^"]+)"', html)]
    assert shown
    assert all(max(one.size) <= 240 for one in shown)
    assert len(re.findall('alt="Screenshot of step', html)) == len(shown)
    assert "<script" not in html


def test_page_limits_its_screenshots(dataset: Path) -> None:
    report = FindingsReport(dataset)
    findings = [
        Finding("IMG01", Severity.ERROR, Criterion.SCREENSHOTS, FIRST, step, "It.", "Do.") for step in range(205)
    ]
    report.add(EpisodeReport(FIRST, (*findings, findings[0])))
    page = render_findings_page(report, [dataset / "annotations" / f"{FIRST}.json"])
    assert (page.count("<img"), page.count("The screenshot is missing.")) == (5, 195)
    assert page.count("Not shown: the page has only the first 200 screenshots.") == 5


def test_complete_checks_without_findings_are_not_listed(tmp_path: Path) -> None:
    report = FindingsReport(tmp_path)
    report.add(EpisodeReport(FIRST))
    assert report.checks == []
    assert "Every check looked everywhere, and found nothing." in render_findings_page(report)
    assert not report.fails(from_=Severity.WARNING)


def test_interrupted_fix_is_reported_and_left_alone(cli: CommandLine, dataset: Path) -> None:
    version = f"reviews/history/{FIRST}/{'a' * 64}-{'0' * 16}"
    change = Change(episode_id=FIRST, source=version, target=version)
    intent = dataset / HISTORY / "change.json"
    intent.parent.mkdir(parents=True)
    intent.write_text(change.model_dump_json())
    result = check(cli, dataset)
    assert result.err.startswith(f"A fix of episode {FIRST} is in progress or was interrupted")
    assert intent.exists()
