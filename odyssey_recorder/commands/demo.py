"""`demo`: record episodes on a simulated emulator in both modes, publish them, and replay them on a fresh one."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import TypeVar

from rich.box import SIMPLE
from rich.console import Console
from rich.table import Column, Table

from odyssey_recorder.commands.demo_agent import record_with_agent
from odyssey_recorder.commands.demo_annotator import DemoAnnotator, Drag, Eyes, Move, On
from odyssey_recorder.commands.terminal import line, say
from odyssey_recorder.commands.window import require_screen
from odyssey_recorder.dataset.contact_sheet import draw_contact_sheet
from odyssey_recorder.device.adb_server import find_adb
from odyssey_recorder.device.device import ControllableDevice, Device
from odyssey_recorder.files import write_durably
from odyssey_recorder.model.action import SystemKey, action_type
from odyssey_recorder.model.assignment import Assignment
from odyssey_recorder.model.episode import Mode
from odyssey_recorder.recording import script
from odyssey_recorder.recording.recorder import Recorder
from odyssey_recorder.recording.state import State
from odyssey_recorder.recording.view import RecordingView
from odyssey_recorder.replay.compare import StepVerdict
from odyssey_recorder.replay.player import ReplayResult
from odyssey_recorder.replay.replay import replay_episode
from odyssey_recorder.resources import data_folder
from odyssey_recorder.services.recording import RecordingService
from odyssey_recorder.simulated.private_emulators import PrivateEmulators
from odyssey_recorder.tasks.queue.queue import TaskQueue
from odyssey_recorder.wiring.demo import demo_index, demo_inventory, demo_reviews, demo_service, demo_task_service
from odyssey_recorder.wiring.user import opened_later, task_queue

_Outcome = TypeVar("_Outcome")


@dataclass(frozen=True, slots=True)
class Demonstration:
    moves: tuple[Move, ...]
    mode: Mode = "mirror"


FORECAST = "Oslo weather: forecast for the week"
SLEET = (
    "Sleet in the morning turns to light snow by the evening, with temperatures around 2 °C and a fresh wind from the"
    " fjord. Roads above 200 metres may be slippery tonight."
)
DEMONSTRATIONS = {
    "demo-forecast": Demonstration(
        (
            On("Browser"),
            On("Search or type web address"),
            script.TypeText(type="oslo weather"),
            On("Go"),
            On(FORECAST),
            Drag(up=0.3),
            On(SLEET, hold=True),
            On("Select all"),
            On("Copy"),
            script.PressKey(key="HOME"),
            On("Notes"),
            On("New note"),
            script.TypeText(type="Oslo weather"),
            On("Next"),
            On("Note", hold=True),
            On("Paste"),
            script.PressKey(key="BACK"),
            script.PressKey(key="BACK"),
            script.PressKey(key="RECENT"),
            On("Browser"),
            script.ScriptComplete(complete="The forecast is in the note called Oslo weather."),
        )
    ),
    "demo-museum": Demonstration(
        (
            On("Browser"),
            On("Open the home page"),
            On("Search or type web address"),
            script.TypeText(type="zeppelin museum"),
            On("Go"),
            script.ScriptImpossible(impossible="Item not found"),
        )
    ),
    "demo-milk": Demonstration(
        (
            On("Notes"),
            On("New note"),
            script.TypeText(type="buy milk"),
            script.PressKey(key="BACK"),
            script.PressKey(key="BACK"),
            script.PressKey(key="HOME"),
            script.ScriptComplete(complete="There is a note called buy milk."),
        ),
        mode="passive",
    ),
}


def run_demo(folder: Path, profile: str, out: Console) -> bool:
    """Run the demo in `folder`; True if every step of every replay matched. Raises OdysseyError."""
    with PrivateEmulators(Path(find_adb())) as emulators:
        service = demo_service(emulators, folder, actor="script", profile=profile)
        say(f"Recording on a simulated emulator ({profile}) through the real adb …", to=out)
        source = data_folder("tasks") / "demonstrations.jsonl"
        drafts = emulators.server.home / "drafts"  # gone with them: each demo records all tasks again
        with closing(task_queue(source, service.store, service.who_records, drafts=drafts)) as queue:
            record = partial(_record_all, service, emulators=emulators, queue=queue, out=out)
            annotations = _on_a_fresh_phone(service, lambda device: list(record(device)))
        out.print("Replaying on a newly started one …", soft_wrap=True)
        results = _on_a_fresh_phone(service, lambda device: _replay_all(annotations, device, folder))
    out.print(_table(results))
    say("Dataset        ", str(service.store.root), to=out)
    say("Contact sheet  ", str(_contact_sheet(folder, results)), to=out)
    for result in results:
        say("Replay report  ", str(_report(folder, result.episode.episode_id).absolute()), to=out)
    all_match = all(result.outcome == StepVerdict.MATCH.value for result in results)
    out.print("All steps match." if all_match else "Not all steps match. The replay reports show the differences.")
    return all_match


def open_window(folder: Path, profile: str) -> int:
    require_screen()
    from odyssey_recorder.gui.bridges.workplace import Workplace
    from odyssey_recorder.gui.window.app import run

    with PrivateEmulators(Path(find_adb()), window=True) as emulators:
        service = replace(demo_service(emulators, folder, actor="annotator", profile=profile), snapshots="auto")
        store, who = service.store, service.who_records
        with opened_later(partial(task_queue, None, store, who, drafts=folder / "drafts")) as tasks:
            workplace = Workplace(
                dataset=partial(demo_index, emulators, store.root),
                inventory=partial(demo_inventory, emulators, service.connector),
                tasks=tasks,
                task_service=lambda: demo_task_service(tasks(), folder.absolute() / "templates", who),
                review=partial(demo_reviews, emulators, service),
            )
            return run(service, workplace, serial=service.simulate())


def _on_a_fresh_phone(service: RecordingService, do: Callable[[Device], _Outcome]) -> _Outcome:
    device = service.connect(service.simulate())
    try:
        return do(device)
    finally:
        device.close()
        if service.phones is not None:
            service.phones.stop()


def _record_all(
    service: RecordingService, device: Device, *, emulators: PrivateEmulators, queue: TaskQueue, out: Console
) -> Iterator[Path]:
    while (task := queue.claim_next()) is not None:
        published = _record(service, device, emulators, task.listed.assignment, out)
        queue.mark_recorded(task.task_id, published.stem)
        yield published
    yield record_with_agent(service, device, Eyes(emulators, device.serial), out)


def _record(
    service: RecordingService, device: Device, emulators: PrivateEmulators, assignment: Assignment, out: Console
) -> Path:
    demonstration = DEMONSTRATIONS[assignment.task_id]
    device.press(SystemKey.HOME)
    player = script.ScriptPlayer()
    recorder = service.begin(device, assignment, player, demonstration.mode)
    eyes = Eyes(emulators, device.serial)
    try:
        recorder.start()
        if demonstration.mode == "passive":
            work_on_the_phone(service, recorder, eyes, demonstration.moves)
        else:
            play(player, recorder, eyes, demonstration.moves)
        published = player.published(recorder).published
    finally:
        recorder.stop()
        recorder.join()
    assert published is not None
    steps = recorder.view.steps
    kinds = ", ".join(sorted({action_type(step.action) for step in steps}))
    say(f"  {assignment.task.instruction}", to=out)
    say(f"    {demonstration.mode} mode, {len(steps)} steps: {kinds}", to=out)
    return published


def play(player: script.ScriptPlayer, recorder: Recorder, eyes: Eyes, moves: Sequence[Move]) -> None:
    for move in moves:
        recorder.wait_for(lambda view: view.state is State.READY and view.is_read, script.PATIENCE_S)
        player.perform(eyes.command(move), recorder)


def work_on_the_phone(service: RecordingService, recorder: Recorder, eyes: Eyes, moves: Sequence[Move]) -> None:
    recorder.wait_for(lambda view: view.state is State.READY, script.PATIENCE_S)
    with closing(service.connect(recorder.serial)) as device:
        hands, steps = DemoAnnotator(device, eyes), 0
        for move in moves:
            hands.rest()
            recorder.wait_for(lambda view: view.is_read, script.PATIENCE_S)  # so what was typed can be read
            match eyes.command(move):
                case script.ScriptComplete(complete=note):
                    recorder.complete(note)
                case script.TypeText() as typed:
                    hands.carry_out(typed)  # becomes a step with the next action
                    steps += 1
                case command:
                    hands.carry_out(command)
                    steps += 1
                    recorder.wait_for(partial(_has_steps, steps), script.PATIENCE_S)


def _has_steps(count: int, view: RecordingView) -> bool:
    return len(view.steps) == count


def _replay_all(annotations: Sequence[Path], device: ControllableDevice, folder: Path) -> list[ReplayResult]:
    return [replay_episode(path, device, report=_report(folder, path.stem)) for path in annotations]


def _contact_sheet(folder: Path, results: Sequence[ReplayResult]) -> Path:
    path = folder.absolute() / "contact-sheet.png"
    image = BytesIO()
    draw_contact_sheet([result.recorded for result in results]).save(image, "PNG")
    write_durably(path, image.getvalue())
    return path


def _report(folder: Path, episode_id: str) -> Path:
    return folder / f"replay-{episode_id}.html"


def _table(results: Sequence[ReplayResult]) -> Table:
    table = Table(Column("Episode", no_wrap=True), "Task", Column("Steps", justify="right"), box=SIMPLE)
    for verdict in StepVerdict:
        table.add_column(verdict.value, justify="right")
    for result in results:
        episode = result.episode
        counts = [len(episode.steps), *(result.count(verdict) for verdict in StepVerdict)]
        table.add_row(episode.episode_id, line(episode.task.instruction), *map(str, counts))
    return table
