"""What the window says of a published episode: where it is, and what the checks found."""

from pathlib import Path

from odyssey_recorder.gui.banner import Banner, Tone
from odyssey_recorder.gui.commands import Command, Commands
from odyssey_recorder.gui.parts import breakable
from odyssey_recorder.quality.finding import EpisodeReport, Finding, Severity

_NAMED = 2
"""This many findings are shown in full; the rest is for the reviewer."""


class Publication(Banner):
    def __init__(self, commands: Commands) -> None:
        super().__init__(commands.button(Command.COPY_PLACE, wordless=True), commands.button(Command.ANOTHER))
        self.annotation: Path | None = None

    def show_published(self, annotation: Path) -> None:
        if annotation == self.annotation:
            return
        self.annotation = annotation
        self.setToolTip(str(annotation))
        self.show_message(Tone.SUCCESS, "The episode is published.", f"{self._file}\nChecking…")

    def show_report(self, report: EpisodeReport) -> None:
        if self.annotation is None or report.episode_id != self.annotation.stem:
            return
        grave = [one for one in report.findings if one.severity is not Severity.NOTE]
        if not grave:
            self.show_message(Tone.SUCCESS, "The episode is published. The checks found no problems.", self._file)
            return
        more = len(grave) - _NAMED
        lines = [_finding_text(one) for one in grave[:_NAMED]] + (
            [f"{more} more, which a reviewer will see."] if more > 0 else []
        )
        self.show_message(
            Tone.WARNING, f"The episode is published with {_counted(report)}.", "\n".join([*lines, self._file])
        )

    def show_failure(self, words: str) -> None:
        self.show_message(
            Tone.WARNING, "The episode is published, but the checks could not run.", f"{words}\n{self._file}"
        )

    @property
    def _file(self) -> str:
        return "" if self.annotation is None else breakable(self.annotation.name)


def _finding_text(finding: Finding) -> str:
    place = "" if finding.step is None else f"Step {finding.step + 1}: "
    return f"{place}{finding.found} {finding.todo}"


def _counted(report: EpisodeReport) -> str:
    errors, warnings = report.count(Severity.ERROR), report.count(Severity.WARNING)
    counted = [
        f"{count} {word}{'s' * (count > 1)}" for count, word in ((errors, "error"), (warnings, "warning")) if count
    ]
    return " and ".join(counted)
