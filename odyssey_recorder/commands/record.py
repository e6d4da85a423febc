"""`record`: an episode by script, with progress on the terminal."""

from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

from odyssey_recorder.errors import ScriptError
from odyssey_recorder.model.action import describe
from odyssey_recorder.model.episode import TaskInfo
from odyssey_recorder.recording import script
from odyssey_recorder.settings import Settings
from odyssey_recorder.wiring import Desk, episode_store, started_server, the_only_device


@dataclass(frozen=True, slots=True)
class Request:
    """What is to be recorded: a task by a script, on the only device unless one is named; or on with a draft."""

    task: TaskInfo
    script: Path
    serial: str | None = None
    draft: str = ""


def record_by_script(settings: Settings, request: Request, console: Console) -> Path:
    """Record and publish; the annotation file. Raises OdysseyError; what was recorded is kept as a draft."""
    commands = script.read_script(_text_of(request.script), source=request.script.name)
    server = started_server(settings)
    desk = Desk(server, episode_store(settings), settings.annotator, "script")
    device = desk.connect(request.serial or the_only_device(server))
    columns = TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn()
    with Progress(*columns, console=console) as progress:
        bar = progress.add_task("Getting ready", total=len(commands))

        def show(now: script.Progress) -> None:
            last = now.view.steps[-1:]
            words = describe(last[0].action) if last else now.view.message
            progress.update(bar, completed=now.done, description=words[:60].replace("[", "("))

        player = script.ScriptPlayer(show)
        if request.draft:
            recorder = desk.resume(device, request.draft, player)
        else:
            recorder = desk.begin(device, request.task, player)
        try:
            recorder.start()
            published = player.play(commands, recorder).published
        finally:
            recorder.stop()
            device.close()
            recorder.join()
    assert published is not None
    return published


def _text_of(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ScriptError(f"The script {path} cannot be read: {error}.") from error
