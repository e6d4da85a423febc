"""The same export in the window and on the command line gives the same files."""

import os
import shutil
from pathlib import Path

import pytest

from odyssey_recorder.checking.checker import Checker
from odyssey_recorder.curation.retired import RetireDecision, record_decisions
from odyssey_recorder.dataset.amendment import DropSteps
from odyssey_recorder.dataset.change_journal import under_way
from odyssey_recorder.dataset.layout import HISTORY
from odyssey_recorder.dataset.versions import Versions
from odyssey_recorder.dataset_index.index import EpisodeIndex
from odyssey_recorder.gui.bridges.workplace import Workplace
from odyssey_recorder.services.review import ReviewService
from tests.checking.folders import FIRST, SECOND, THIRD, write_dataset
from tests.cli import CommandLine
from tests.commands.acceptance import accept_episodes
from tests.exporting.sample import contents
from tests.gui.dataset.page_driver import DatasetDriver
from tests.gui.pilot import OpenAt, Pilot

RETIRED = "0000000000000004"


@pytest.fixture
def dataset(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two accepted episodes, one that nobody has reviewed and a retired one; a fix of the first was interrupted."""
    monkeypatch.setattr(os, "cpu_count", lambda: 1)
    root = tmp_path / "original" / "data"
    write_dataset(root, FIRST, SECOND, THIRD, RETIRED)
    accept_episodes(root, FIRST, SECOND, RETIRED)
    record_decisions(root, [RetireDecision(episode_id=RETIRED, decision="retire", reason="blurred", who="Ada")])
    interrupt_fix(root)
    return root


def interrupt_fix(root: Path) -> None:
    """Drop a step; the journal is left as if the program had been killed before the fix was in the review file."""
    journal, before = root / HISTORY / "change.json", list[bytes]()
    Versions(root).amend(FIRST, DropSteps(first=1, last=1), record=lambda _: before.append(journal.read_bytes()))
    journal.write_bytes(before[0])


def open_page(open_at: OpenAt, root: Path) -> DatasetDriver:
    checker = Checker(None, 1)

    def index() -> EpisodeIndex:
        return EpisodeIndex(root, None, checker.known)

    pilot = open_at(Workplace(dataset=index, review=lambda: ReviewService(index(), checker, lambda: "Rosa")))
    pilot.press("Dataset")
    page = DatasetDriver(pilot)
    page.wait_for_count(3)
    return page


def export_in_window(pilot: Pilot, out: Path, *, only_accepted: bool) -> dict[str, bytes]:
    pilot.press("Export")
    pilot.line("Folder").setText(str(out))
    if not only_accepted:
        pilot.press("Only accepted episodes")
    pilot.press_in(pilot.dialog(), "Export")
    pilot.wait_for_text("exported to")
    return contents(out)


@pytest.mark.parametrize("only_accepted", [True, False])
def test_exports_are_equal_after_an_interrupted_fix(
    cli: CommandLine, dataset: Path, tmp_path: Path, open_at: OpenAt, only_accepted: bool
) -> None:
    in_window = Path(shutil.copytree(dataset, tmp_path / "copy" / "data"))
    out = tmp_path / "by command"
    cli.output("export", dataset, out, "--as", "release", *([] if only_accepted else ["--all"]))

    exported = export_in_window(
        open_page(open_at, in_window).pilot, tmp_path / "by window", only_accepted=only_accepted
    )

    assert exported == contents(out)
    names = {name for name in exported if name.startswith("annotations/")}
    expected = [FIRST, SECOND] if only_accepted else [FIRST, SECOND, THIRD]
    assert names == {f"annotations/{one}.json" for one in expected}
    assert under_way(in_window) is None, "the fix is settled"
