"""A dataset with one episode of the simulated phone, and its step texts."""

from pathlib import Path

from odyssey_recorder.annotation.conversations import Ended
from odyssey_recorder.annotation.inputs import texts_of
from odyssey_recorder.annotation.redacted_episode import open_dataset_episode
from odyssey_recorder.annotation.semantics import SemanticsStore, StepText, Suggestion
from odyssey_recorder.annotation.step_text_writer import StepTextWriter
from odyssey_recorder.annotation.text_kinds import TextKind
from odyssey_recorder.dataset.layout import ui_tree_path
from odyssey_recorder.llm.batch import Batch
from tests.annotation.phone_dataset import CapturedStep
from tests.llm.questions import batch
from tests.llm.stand_in import StandIn

EPISODE = "0000000000000001"


class EpisodeDataset:
    """A dataset with one episode, copied for each test."""

    def __init__(self, root: Path, captured: list[CapturedStep]) -> None:
        self.root = root
        self.screens = [(one, (root / ui_tree_path(EPISODE, one.number)).read_text()) for one in captured]

    def texts(self) -> list[dict[TextKind, StepText]]:
        found = open_dataset_episode(self.root, EPISODE)
        return [dict(step) for step in texts_of(found, SemanticsStore(self.root).read(EPISODE)).steps]

    def suggestion(self, number: int, kind: TextKind) -> Suggestion:
        source = self.texts()[number][kind].source
        assert isinstance(source, Suggestion)
        return source

    def writer(self, server: StandIn, **options: object) -> StepTextWriter:
        return StepTextWriter(self.batch(server), self.root, **options)  # type: ignore[arg-type]

    def run(self, server: StandIn, **options: object) -> list[Ended]:
        return self.writer(server, **options).run([EPISODE])

    def batch(self, server: StandIn) -> Batch:
        return batch(server, self.root / "answers.sqlite", tries=1)
