"""`record`: record an episode by script, with progress on the terminal."""

from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

from odyssey_recorder.commands.terminal import err
from odyssey_recorder.device.device import Device
from odyssey_recorder.errors import OdysseyError, RecordingError, ScriptError
from odyssey_recorder.files import Largest, read_text
from odyssey_recorder.logs import spelled_out
from odyssey_recorder.model.action import in_words, is_terminal
from odyssey_recorder.model.assignment import Assignment
from odyssey_recorder.model.episode import Actor, Mode, TaskInfo
from odyssey_recorder.model.plain_text import step_number
from odyssey_recorder.recording import script
from odyssey_recorder.recording.recorder import Recorder
from odyssey_recorder.recording.step_writer import NO_TREES
from odyssey_recorder.recording.view import Listener
from odyssey_recorder.settings import Settings
from odyssey_recorder.wiring.user import recording_service, user_connector


@dataclass(frozen=True, slots=True)
class RecordOptions:
    """What to record, or the draft to resume; with `accepts_screen` from whatever screen the device shows."""

    task: TaskInfo
    serial: str | None = None
    draft: str = ""
    accepts_screen: bool = False


def record_by_script(settings: Settings, request: RecordOptions, file: Path) -> Path:
    """Record and publish; returns the annotation file. Raises OdysseyError; the draft is kept, as on Ctrl-C."""
    commands = script.read_script(_text_of(file), source=file.name)
    with connected(settings, request, "script") as (_, begin), _progress(len(commands)) as show:
        player = script.ScriptPlayer(show)
        recorder = begin(player, "mirror")
        steps = recorder.view.steps
        if steps and is_terminal(steps[-1].action):
            err.print("The draft is complete. It was published without playing the script.")
            commands = ()
        return _play(player, commands, recorder, accepts_screen=request.accepts_screen)


@contextmanager
def connected(
    settings: Settings, request: RecordOptions, actor: Actor = "annotator"
) -> Iterator[tuple[Device, Callable[[Listener, Mode], Recorder]]]:
    """The device, closed in the end, and what begins or resumes the recording on it."""
    connector = user_connector(settings)
    service = recording_service(settings, connector, actor)

    def begin(listener: Listener, mode: Mode) -> Recorder:
        if request.draft:
            return service.resume(device, request.draft, listener)
        return service.begin(device, Assignment(request.task), listener, mode)

    with closing(connector.connect_chosen(request.serial)) as device:
        yield device, begin


def _play(
    player: script.ScriptPlayer, commands: tuple[script.Command, ...], recorder: Recorder, *, accepts_screen: bool
) -> Path:
    go_on = f"Continue it: --resume {recorder.episode_id} and a script of the remaining steps."
    try:
        recorder.start()
        if commands:
            view = player.play(commands, recorder, accepts_screen=accepts_screen)
        else:
            view = player.published(recorder)
    except OdysseyError as error:
        raise RecordingError(f"{error} {go_on}") from error
    except KeyboardInterrupt:
        err.print(f"Stopped. The draft is saved. {go_on}", soft_wrap=True)
        raise
    finally:
        recorder.stop()
        recorder.join()
    assert view.published is not None
    _report_trees(recorder)
    return view.published


def _report_trees(recorder: Recorder) -> None:
    """Say which steps have no view hierarchy, and why."""
    whys = {step.number: step.no_tree for step in recorder.view.steps if step.no_tree not in {"", NO_TREES}}
    for why in dict.fromkeys(whys.values()):
        steps = ", ".join(str(step_number(number)) for number in whys if whys[number] == why)
        err.print(f"No view hierarchy for step {steps}: {why.rstrip('.')}.", soft_wrap=True)


@contextmanager
def _progress(total: int) -> Iterator[Callable[[script.ScriptProgress], None]]:
    columns = TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn()
    with Progress(*columns, console=err) as progress:
        bar = progress.add_task("Preparing", total=total)

        def show(now: script.ScriptProgress) -> None:
            last = now.view.steps[-1:]
            text = in_words(last[0].action) if last and not now.view.is_typing else now.view.message
            progress.update(bar, completed=now.done, description=spelled_out(text[:60])[:60])

        yield show


def _text_of(path: Path) -> str:
    try:
        return read_text(path, Largest.WRITTEN_BY_HAND)
    except OSError as error:
        raise ScriptError(f"The script {path} cannot be read: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise ScriptError(f"The script {path} is not UTF-8 text: {error}.") from error
