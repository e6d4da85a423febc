"""The low-level instructions of a dataset through a Batch API, or files for a server that has none."""

import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from odyssey_recorder.annotation.conversations import Plan
from odyssey_recorder.annotation.step_text_writer import StepTextWriter
from odyssey_recorder.errors import LanguageModelError
from odyssey_recorder.files import open_file, write_durably
from odyssey_recorder.llm.batch_api import BatchApi, BatchReport
from odyssey_recorder.llm.model import ModelRequest

_POLL_S, _LONGEST_POLL_S = 60.0, 600.0
_LARGEST_OUTPUT = 1 << 30


class BatchedInstructions:
    """Of the episodes `ids`. All methods block, and raise LanguageModelError, DatasetError or ReviewError."""

    def __init__(self, annotating: StepTextWriter, api: BatchApi, ids: Sequence[str]) -> None:
        self._annotating = annotating
        self._api = api
        self._ids = ids
        self._prompt, _ = annotating.batched

    def plan(self) -> Plan:
        return self._annotating.plan_batch(self._ids, self._api.is_open())

    def forget(self, batch_id: str) -> int:
        return self._api.forget(batch_id)

    def submit(self) -> BatchReport:
        return self._api.submit(self._questions(), self._prompt)

    def collect(self) -> BatchReport:
        """The answers of all batches of this model, even of other datasets; their texts are added by a later run."""
        report = self._api.collect()
        report.texts = self._annotating.add_kept(self._ids)
        return report

    def wait(self) -> BatchReport:
        """Until no batch is open."""
        whole, wait_s = BatchReport(), _POLL_S
        while True:
            report = self.collect()
            whole.answered += report.answered
            whole.texts += report.texts
            whole.problems += report.problems
            if not report.open:
                whole.lost = report.lost
                return whole
            time.sleep(wait_s)
            wait_s = min(2 * wait_s, _LONGEST_POLL_S)

    def write(self, folder: Path) -> tuple[BatchReport, Sequence[Path]]:
        """The request files, whose images are redacted as if they were sent."""
        report, files = BatchReport(), []
        folder.mkdir(parents=True, exist_ok=True)
        for number, part in enumerate(self._api.written(self._questions(), report.problems), 1):
            files.append(folder / f"requests_{number}.jsonl")
            write_durably(files[-1], bytes(part.data))
        return report, files

    def read(self, path: Path) -> BatchReport:
        try:
            with open_file(path, _LARGEST_OUTPUT) as file:
                lines = (line.decode(errors="replace") for line in file)
                report = self._api.read(lines, self._questions(), self._prompt)
        except OSError as error:
            raise LanguageModelError(f"{path} cannot be read: {error}.") from error
        report.texts = self._annotating.add_kept(self._ids)
        return report

    def _questions(self) -> Iterator[ModelRequest]:
        return self._annotating.instruction_questions(self._ids)
