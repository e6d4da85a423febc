"""Runs commands on damaged files, each in a process of its own: `python -m tests.hostile.series FOLDER SEED CASES`.

Prints the cases that went wrong, each with its seed; `SEED CASES` of 1 repeats one. A command must end within seconds,
with a code that is documented and no traceback, in bounded memory, and neither change nor reveal files outside.
"""

import contextlib
import os
import resource
import shutil
import signal
import sys
import time
import traceback
from collections.abc import Callable, Iterator
from hashlib import sha256
from pathlib import Path
from random import Random

from odyssey_recorder import cli
from odyssey_recorder.checking.checker import Checker
from odyssey_recorder.dataset.amendment import NewInstruction
from odyssey_recorder.dataset.episode_row import read_row
from odyssey_recorder.dataset.layout import annotation_path, episode_ids
from odyssey_recorder.dataset.versions import Versions
from odyssey_recorder.dataset_index.index import EpisodeIndex
from odyssey_recorder.errors import OdysseyError
from odyssey_recorder.replay.recorded import check_screenshots, open_recorded
from odyssey_recorder.services.review import ReviewService
from odyssey_recorder.settings import SettingsStore, read_settings
from odyssey_recorder.wiring.user import annotator_tasks, episode_store
from tests.checking.folders import FIRST, SECOND, THIRD
from tests.hostile.damage import damage
from tests.hostile.sandbox import SECRET, Sandbox

_CPU_S = 5
_WALL_S = 60
"""Generous for a busy computer; a command that waits for a pipe never ends."""
_MEMORY = 1 << 30
_EXIT_CODES = (0, 1, 2)


AREAS = (
    "dataset", "dataset/annotations", "dataset/provenance", "dataset/reviews", "dataset/trash", "other", "lone",
    "data/drafts", "data/queue", "data/templates", "data", "home",
)  # fmt: skip


def commands(sandbox: Sandbox, area: str) -> list[tuple[str, ...]]:
    dataset, other, out = str(sandbox.dataset), str(sandbox.other), str(sandbox.root / "out")
    annotation = f"{dataset}/annotations/{FIRST}.json"
    task = ("--instruction", "x", "--category", "General_Tool", "--app", "x")
    dataset_commands: list[tuple[str, ...]] = [
        ("check", dataset, "--jobs", "1"),
        ("check", dataset, "--jobs", "1", "--json", "--html", f"{out}.html"),
        ("check", other, "--jobs", "1", "--no-cache"),
        ("check", str(sandbox.root / "lone"), "--jobs", "1"),
        ("export", dataset, out, "--as", "release", "--jobs", "1"),
        ("export", dataset, out, "--as", "release", "--all", "--jobs", "1"),
        ("convert", dataset, out, "--dialect", "release"),
        ("convert", other, dataset, "--dialect", "card"),
        ("splits", "check", dataset, "--screenshots"),
        ("splits", "make", other),
        ("splits", "show", dataset),
        ("quality-report", dataset, "--html", f"{out}.html"),
        ("replay", annotation, "--dry-run"),
        ("(open)",),
        ("(review)",),
    ]
    review_commands: list[tuple[str, ...]] = [
        ("reviews", "check"),
        ("reviews", "check", other),
        ("reviews", "merge"),
        ("reviews", "merge", other),
        ("reviews", "policy", "--share", "0.3"),
        ("reviews", "restore"),
        ("reviews", "restore", THIRD, "--why", "it is good"),
    ]
    task_commands: list[tuple[str, ...]] = [
        ("tasks", "list"),
        ("tasks", "list", "--json"),
        ("tasks", "validate", str(sandbox.tasks)),
        ("tasks", "validate", str(sandbox.data / "templates")),
        ("tasks", "check", str(sandbox.tasks)),
        ("tasks", "import", str(sandbox.tasks), "--to-approve"),
        ("tasks", "generate", "--count", "2", "--seed", "1", "--queue"),
        ("tasks", "export", "--out", f"{out}.jsonl"),
        ("(queue)",),
    ]
    other_commands = [("record", "--script", str(sandbox.data / "script.jsonl"), *task), ("(settings)",)]
    draft_commands = [("(drafts)",), ("(discard)",)]
    all_commands = [*dataset_commands, *review_commands, *task_commands, *other_commands, *draft_commands]
    match area.split("/"):
        case ["dataset", "reviews" | "trash"]:
            return [*review_commands, *review_commands, *dataset_commands]
        case ["dataset" | "other" | "lone", *_]:
            return [*dataset_commands, *review_commands]
        case ["data", "drafts"]:
            return [*draft_commands, *draft_commands, ("tasks", "list")]
        case ["data", "queue" | "templates"]:
            return task_commands
        case _:
            return all_commands


def _drafts(_: Sandbox) -> None:
    store = episode_store(read_settings())
    store.drafts_of_tasks()
    for draft in store.drafts():
        with contextlib.suppress(OdysseyError):
            opened = store.resume(draft.episode_id)
            if opened.complete:
                store.publish(opened)
            else:
                opened.keep_screenshot(b"")
                opened.drop_last("wrong")


def _discard_drafts(_: Sandbox) -> None:
    store = episode_store(read_settings())
    for draft in store.drafts():
        store.discard_unopened(draft.episode_id)


def _open_episodes(sandbox: Sandbox) -> None:
    for episode_id in sorted(episode_ids(sandbox.dataset)):
        read_row(sandbox.dataset, episode_id)
    check_screenshots(open_recorded(sandbox.dataset / annotation_path(SECOND)))


def _review(sandbox: Sandbox) -> None:
    service = ReviewService(EpisodeIndex(sandbox.dataset, None), Checker(None, 1), lambda: "bob")
    service.recover()
    opened = service.open(SECOND)
    service.fix(SECOND, NewInstruction(instruction="Other words."), "wrong", opened.revision)
    service.undo(FIRST, Versions(sandbox.dataset).revision(FIRST))
    service.figures()


def _settings(_: Sandbox) -> None:
    SettingsStore().save({"annotator": "eve"})


def _queue(_: Sandbox) -> None:
    queue = annotator_tasks(read_settings())
    for task in queue.board().tasks:
        queue.board().task(task.task_id)


_OPERATIONS: dict[str, Callable[[Sandbox], None]] = {
    "drafts": _drafts, "discard": _discard_drafts, "open": _open_episodes, "review": _review,
    "settings": _settings, "queue": _queue,
}  # fmt: skip


def main(folder: Path, seed: int, cases: int) -> int:
    os.fsync = lambda fd: None  # waiting for the disk would take most of the time
    sandbox, clean = Sandbox(folder / "world"), folder / "clean"
    if not clean.exists():
        sandbox.root.mkdir(parents=True)
        sandbox.make()
        sandbox.root.rename(clean)
    before, failures, command_count = _fingerprint(sandbox.outside), 0, 0
    slowest: tuple[float, tuple[str, ...]] = 0.0, ()
    for case in range(seed, seed + cases):
        shutil.rmtree(sandbox.root, ignore_errors=True)
        shutil.copytree(clean, sandbox.root, symlinks=True)
        rng = Random(case)
        area = rng.choice(AREAS)
        damages = [damage(sandbox, rng, area) for _ in range(rng.choice([1, 1, 1, 2, 4]))]
        for command in rng.sample(commands(sandbox, area), 2):
            took_s, problems = _run(sandbox, command, folder / "printed")
            slowest = max(slowest, (took_s, command))
            command_count += 1
            if (now := _fingerprint(sandbox.outside)) != before:
                problems.append(f"outside: {now ^ before}")
                before = now
            if problems:
                failures += 1
                _print(f"case {case}: {damages}\n  {' '.join(command)}: {problems}")
    _print(
        f"{cases} cases, {command_count} commands, {failures} wrong; slowest {slowest[0]:.1f} s: {' '.join(slowest[1])}"
    )
    return failures


def _run(sandbox: Sandbox, command: tuple[str, ...], output_path: Path) -> tuple[float, list[str]]:
    start_s = time.monotonic()
    child = os.fork()
    if child == 0:
        _run_in_child(sandbox, command, output_path)
    status = _wait_for(child, start_s + _WALL_S)
    took_s = time.monotonic() - start_s
    if status is None:
        return took_s, ["hangs"]
    code, peak_kib = os.waitstatus_to_exitcode(status[0]), status[1].ru_maxrss
    output = output_path.read_bytes()
    problems = [] if code in _EXIT_CODES else [f"ended with {code}: {output[-1500:].decode(errors='replace')}"]
    if b"Traceback" in output and code in _EXIT_CODES:
        problems.append("a traceback")
    if peak_kib > _MEMORY >> 10:
        problems.append(f"{peak_kib >> 10} MiB")
    problems += [f"reveals what is outside: {place}" for place in _leaks(sandbox, output)]
    return took_s, problems


def _print(text: str) -> None:
    sys.stdout.write(text.encode(errors="backslashreplace").decode() + "\n")
    sys.stdout.flush()


def _wait_for(child: int, until_s: float) -> tuple[int, resource.struct_rusage] | None:
    while time.monotonic() < until_s:
        ended, status, usage = os.wait4(child, os.WNOHANG)
        if ended:
            return status, usage
        time.sleep(0.002)
    os.kill(child, signal.SIGKILL)
    os.wait4(child, 0)
    return None


def _run_in_child(sandbox: Sandbox, command: tuple[str, ...], output_path: Path) -> None:
    code: object = 3
    try:
        resource.setrlimit(resource.RLIMIT_CPU, (_CPU_S, _CPU_S))
        resource.setrlimit(resource.RLIMIT_DATA, (_MEMORY, _MEMORY))
        file = os.open(output_path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        os.dup2(file, 1)
        os.dup2(file, 2)
        operation = _OPERATIONS.get(command[0].strip("()"))
        try:
            if operation is not None:
                operation(sandbox)
                code = 0
            else:
                sys.argv = ["odyssey-recorder", *command]
                cli.main()
        except OdysseyError as error:
            _print(str(error))
            code = 1
        except SystemExit as ended:
            code = ended.code or 0
        except BaseException:  # noqa: BLE001 - the test looks for tracebacks
            traceback.print_exc()
        sys.stdout.flush()
        sys.stderr.flush()
    finally:
        if code == cli.FAULT:
            log = sandbox.root / "home/odyssey-recorder/log/odyssey-recorder.log"
            os.write(2, log.read_bytes()[-1400:] if log.is_file() else b"")
        os._exit(code if isinstance(code, int) else 99)


def _leaks(sandbox: Sandbox, output: bytes) -> Iterator[str]:
    """Where the secret of the outside files shows up."""
    if SECRET.encode() in output:
        yield "terminal"
    for root, _, names in os.walk(sandbox.root):
        for name in names:
            path = Path(root, name)
            if (
                path.is_file()
                and not path.is_symlink()
                and path.stat().st_size < 10 << 20
                and SECRET.encode() in path.read_bytes()
            ):
                yield str(path)


def _fingerprint(folder: Path) -> frozenset[tuple[object, ...]]:
    return frozenset(
        (str(path), known.st_mode, known.st_mtime_ns, sha256(path.read_bytes()).hexdigest() if path.is_file() else "")
        for path in (folder, *folder.rglob("*"))
        for known in [path.lstat()]
    )


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])) > 0)
