"""Checks that look at all episodes of a dataset together."""

from collections.abc import Callable, Iterator
from pathlib import Path

from odyssey_recorder.checking.evidence import FactsSource
from odyssey_recorder.checking.whole_dataset.dataset_folder import folder_findings, list_findings
from odyssey_recorder.checking.whole_dataset.episodes import alike_episodes, alike_instructions, odd_lengths
from odyssey_recorder.checking.whole_dataset.exported import export_findings
from odyssey_recorder.checking.whole_dataset.repeated_screenshots import episodes_that_look_alike, repeated_screenshots
from odyssey_recorder.checking.whole_dataset.splits import split_findings
from odyssey_recorder.model.finding import Finding, NotChecked


def check_dataset(root: Path, source: FactsSource) -> Iterator[Finding | NotChecked]:
    """Run all checks of the dataset folder `root` as a whole; `source` is called several times.

    No screenshot is read; memory is a few numbers per screenshot and word. Raises DatasetError.
    """
    yield from check_episodes_together(source)
    yield from folder_findings(root)
    yield from list_findings(root, source)
    yield from split_findings(root, source)
    yield from export_findings(root, source)


def check_episodes_together(source: FactsSource) -> Iterator[Finding | NotChecked]:
    """The checks that need only the facts: IMG06, EPI03, EPI05, INS04."""
    for check in TOGETHER:
        yield from check(source)


TOGETHER: tuple[Callable[[FactsSource], Iterator[Finding | NotChecked]], ...] = (
    repeated_screenshots,
    episodes_that_look_alike,
    odd_lengths,
    alike_episodes,
    alike_instructions,
)
