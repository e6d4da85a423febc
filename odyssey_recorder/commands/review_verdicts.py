"""`reviews accept`, `reviews send-back` and `reviews reject`: verdicts without the window."""

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer

from odyssey_recorder.commands import terminal
from odyssey_recorder.model.plain_text import step_index

if TYPE_CHECKING:
    from odyssey_recorder.model.finding import Criterion
    from odyssey_recorder.review.review import Decision, Judgement
    from odyssey_recorder.settings import Settings

    Answers: TypeAlias = tuple[Judgement, Judgement, Judgement]

_ANSWER = re.compile(r"pass|(?P<answer>fail|unsure):(?P<reason>[a-z]+)(@(?P<step>[1-9][0-9]{0,5}))?(:(?P<words>.*))?")

_IdsArgument = Annotated[list[str], typer.Argument(metavar="ID...", help="The episodes.")]
_ScreenshotsOption = Annotated[str, typer.Option(metavar="ANSWER", help="Are all screenshots present and correct?")]
_SequenceOption = Annotated[str, typer.Option(metavar="ANSWER", help="Do the steps complete the instruction?")]
_InstructionOption = Annotated[
    str, typer.Option(metavar="ANSWER", help="Does the instruction mean the same as the task?")
]
_NoteOption = Annotated[str, typer.Option("--why", metavar="TEXT", help="A note on the verdict.")]
_MORE = """

An ANSWER is pass, or fail or unsure with a reason, and if you like with a step
and words, such as fail:stray@3 or "unsure:other:the cart is empty". The reasons
are in docs/reviews.md. The rules are those of the Review page; each episode is
judged on its own.

Exit code 0: all verdicts are saved; 1: some were refused; 2: the answers do not
support the decision.
"""


def verdict_command(name: str, summary: str) -> Callable[..., None]:
    """A command that decides as `name`, a value of `Decision`, says."""

    def command(  # noqa: PLR0913 - the options
        ids: _IdsArgument,
        *,
        screenshots: _ScreenshotsOption,
        sequence: _SequenceOption,
        instruction: _InstructionOption,
        by: terminal.ByOption = None,
        why: _NoteOption = "",
        dataset: terminal.DatasetOption = None,
        as_json: terminal.JsonOption = False,
    ) -> None:
        from odyssey_recorder.errors import ReviewError
        from odyssey_recorder.model.finding import Criterion
        from odyssey_recorder.review.review import Decision
        from odyssey_recorder.review.status import decision_fault
        from odyssey_recorder.settings import read_settings

        decision = Decision(name)
        answers = (
            _judgement(Criterion.SCREENSHOTS, screenshots),
            _judgement(Criterion.SEQUENCE, sequence),
            _judgement(Criterion.INSTRUCTION, instruction),
        )
        if fault := decision_fault(decision, answers):
            raise ReviewError(fault)
        rows = []
        for row in _judged(read_settings(dataset=dataset, annotator=by), ids, decision, answers, why):
            rows.append(row)
            if not as_json and row["problem"]:
                terminal.print_error(f"{row['episode_id']}: {row['problem']}")
            elif not as_json:
                terminal.say(f"{row['episode_id']}: {row['outcome']}")
        if as_json:
            terminal.print_json(rows)
        terminal.fail_if(any(row["problem"] for row in rows))

    command.__doc__ = summary + _MORE
    return command


def _judgement(criterion: "Criterion", text: str) -> "Judgement":
    from odyssey_recorder.review.review import Judgement, Rating

    if (found := _ANSWER.fullmatch(text)) is None:
        raise typer.BadParameter(f"“{text}” is no answer. Use pass, fail:REASON or unsure:REASON.")
    return Judgement(
        criterion=criterion,
        answer=Rating(found["answer"] or "pass"),
        reason=found["reason"] or "",
        step=step_index(int(found["step"])) if found["step"] else None,
        words=found["words"] or "",
    )


def _judged(
    settings: "Settings", ids: Sequence[str], decision: "Decision", answers: "Answers", note: str
) -> Iterator[dict[str, str]]:
    from odyssey_recorder.errors import DatasetError, ReviewError
    from odyssey_recorder.review.views import outcome_text
    from odyssey_recorder.wiring.user import review_service, user_index

    with closing(user_index(settings.dataset)) as index:
        service = review_service(index, lambda: settings.annotator)
        for episode_id in dict.fromkeys(ids):
            judged = {"episode_id": episode_id, "stage": "", "outcome": "", "problem": ""}
            try:
                with terminal.err.status(terminal.line(f"Checking {settings.dataset} …")):
                    row = service.judge(episode_id, decision, answers, note)
            except (DatasetError, ReviewError) as error:
                yield judged | {"problem": str(error)}
            else:
                yield judged | {"stage": row.stage.value, "outcome": outcome_text(row)}
