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
from odyssey_recorder.dataset.amendment import NewInstruction
from odyssey_recorder.dataset.layout import annotation_path
from odyssey_recorder.dataset.opened import summarise
from odyssey_recorder.dataset.store import EpisodeStore
from odyssey_recorder.dataset.versions import Versions
from odyssey_recorder.errors import OdysseyError
from odyssey_recorder.quality.checker import Checker
from odyssey_recorder.replay.recorded import check_screenshots, open_recorded
from odyssey_recorder.review_service import ReviewService
from odyssey_recorder.selection.index import EpisodeIndex
from odyssey_recorder.settings import SettingsStore, read_settings
from odyssey_recorder.wiring import annotator_tasks, episode_store
from tests.hostile.damage import damage
from tests.hostile.world import SECRET, World
from tests.quality.folders import FIRST, SECOND, THIRD

_CPU_S = 5
_WALL_S = 60
"""Generous for a busy computer; a command that waits for a pipe never ends."""
_MEMORY = 1 << 30
_ALLOWED = (0, 1, 2)


AREAS = (
    "dataset", "dataset/annotations", "dataset/provenance", "dataset/reviews", "dataset/trash", "other", "lone",
    "data/drafts", "data/queue", "data/templates", "data", "home",
)  # fmt: skip


def commands(world: World, area: str) -> list[tuple[str, ...]]:
    dataset, other, out = str(world.dataset), str(world.other), str(world.root / "out")
    annotation = f"{dataset}/annotations/{FIRST}.json"
    task = ("--instruction", "x", "--category", "General_Tool", "--app", "x")
    of_dataset: list[tuple[str, ...]] = [
        ("check", dataset, "--jobs", "1"),
        ("check", dataset, "--jobs", "1", "--json", "--html", f"{out}.html"),
        ("check", other, "--jobs", "1", "--no-cache"),
        ("check", str(world.root / "lone"), "--jobs", "1"),
        ("convert", dataset, out, "--dialect", "release", "--with-screenshots"),
        ("convert", dataset, out, "--dialect", "release", "--with-screenshots", "--unchecked"),
        ("convert", other, dataset, "--dialect", "card", "--with-screenshots", "--unchecked"),
        ("convert", dataset, out, "--dialect", "card", "--accepted"),
        ("splits", "check", dataset, "--screenshots"),
        ("splits", "make", other),
        ("splits", "show", dataset),
        ("quality-report", dataset, "--html", f"{out}.html"),
        ("replay", annotation, "--dry-run"),
        ("(look)",),
        ("(review)",),
    ]
    of_reviews: list[tuple[str, ...]] = [
        ("reviews", "check"),
        ("reviews", "check", other),
        ("reviews", "merge"),
        ("reviews", "merge", other),
        ("reviews", "policy", "--share", "0.3"),
        ("reviews", "restore"),
        ("reviews", "restore", THIRD, "--why", "it is good"),
    ]
    of_tasks: list[tuple[str, ...]] = [
        ("tasks", "list"),
        ("tasks", "list", "--json"),
        ("tasks", "validate", str(world.tasks)),
        ("tasks", "validate", str(world.data / "templates")),
        ("tasks", "check", str(world.tasks)),
        ("tasks", "import", str(world.tasks), "--to-approve"),
        ("tasks", "generate", "--count", "2", "--seed", "1", "--queue"),
        ("tasks", "export", "--out", f"{out}.jsonl"),
        ("(queue)",),
    ]
    others = [("record", "--script", str(world.data / "script.jsonl"), *task), ("(settings)",)]
    drafts = [("(drafts)",), ("(throw away)",)]
    everything = [*of_dataset, *of_reviews, *of_tasks, *others, *drafts]
    match area.split("/"):
        case ["dataset", "reviews" | "trash"]:
            return [*of_reviews, *of_reviews, *of_dataset]
        case ["dataset" | "other" | "lone", *_]:
            return [*of_dataset, *of_reviews]
        case ["data", "drafts"]:
            return [*drafts, *drafts, ("tasks", "list")]
        case ["data", "queue" | "templates"]:
            return of_tasks
        case _:
            return everything


def _drafts(_: World) -> None:
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


def _throw_away(_: World) -> None:
    store = episode_store(read_settings())
    for draft in store.drafts():
        store.discard_unopened(draft.episode_id)


def _look(world: World) -> None:
    for episode_id in EpisodeStore(world.dataset, drafts=world.data / "drafts").episodes():
        summarise(world.dataset, episode_id)
    check_screenshots(open_recorded(world.dataset / annotation_path(SECOND)))


def _review(world: World) -> None:
    service = ReviewService(EpisodeIndex(world.dataset, None), Checker(None), lambda: "bob")
    service.recover()
    opened = service.open(SECOND)
    service.fix(SECOND, NewInstruction(instruction="Other words."), "wrong", opened.revision)
    service.undo(FIRST, Versions(world.dataset).revision(FIRST))
    service.figures()


def _settings(_: World) -> None:
    SettingsStore().save({"annotator": "eve"})


def _queue(_: World) -> None:
    queue = annotator_tasks(read_settings())
    for task in queue.board().tasks:
        queue.board().task(task.task_id)


_DEEDS: dict[str, Callable[[World], None]] = {
    "drafts": _drafts, "throw away": _throw_away, "look": _look, "review": _review,
    "settings": _settings, "queue": _queue,
}  # fmt: skip


def main(folder: Path, seed: int, cases: int) -> int:
    world, clean = World(folder / "world"), folder / "clean"
    if not clean.exists():
        world.root.mkdir(parents=True)
        world.make()
        world.root.rename(clean)
    os.fsync = lambda fd: None  # waiting for the disk would take most of the time
    before, wrong, result = _fingerprint(world.outside), 0, 0
    slowest: tuple[float, tuple[str, ...]] = 0.0, ()
    for case in range(seed, seed + cases):
        shutil.rmtree(world.root, ignore_errors=True)
        shutil.copytree(clean, world.root, symlinks=True)
        rng = Random(case)
        area = rng.choice(AREAS)
        done = [damage(world, rng, area) for _ in range(rng.choice([1, 1, 1, 2, 4]))]
        for words in rng.sample(commands(world, area), 2):
            took_s, problems = _run(world, words, folder / "printed")
            slowest = max(slowest, (took_s, words))
            result += 1
            if (now := _fingerprint(world.outside)) != before:
                problems.append(f"outside: {now ^ before}")
                before = now
            if problems:
                wrong += 1
                _say(f"case {case}: {done}\n  {' '.join(words)}: {problems}")
    _say(f"{cases} cases, {result} commands, {wrong} wrong; slowest {slowest[0]:.1f} s: {' '.join(slowest[1])}")
    return wrong


def _run(world: World, words: tuple[str, ...], printed: Path) -> tuple[float, list[str]]:
    began_s = time.monotonic()
    child = os.fork()
    if child == 0:
        _become(world, words, printed)
    status = _waited(child, began_s + _WALL_S)
    took_s = time.monotonic() - began_s
    if status is None:
        return took_s, ["hangs"]
    code, kib = os.waitstatus_to_exitcode(status[0]), status[1].ru_maxrss
    told = printed.read_bytes()
    problems = [] if code in _ALLOWED else [f"ended with {code}: {told[-1500:].decode(errors='replace')}"]
    if b"Traceback" in told and code in _ALLOWED:
        problems.append("a traceback")
    if kib > _MEMORY >> 10:
        problems.append(f"{kib >> 10} MiB")
    problems += [f"tells what is outside: {place}" for place in _secrets(world, told)]
    return took_s, problems


def _say(words: str) -> None:
    sys.stdout.write(words.encode(errors="backslashreplace").decode() + "\n")
    sys.stdout.flush()


def _waited(child: int, until_s: float) -> tuple[int, resource.struct_rusage] | None:
    while time.monotonic() < until_s:
        ended, status, usage = os.wait4(child, os.WNOHANG)
        if ended:
            return status, usage
        time.sleep(0.002)
    os.kill(child, signal.SIGKILL)
    os.wait4(child, 0)
    return None


def _become(world: World, words: tuple[str, ...], printed: Path) -> None:
    code: object = 3
    try:
        resource.setrlimit(resource.RLIMIT_CPU, (_CPU_S, _CPU_S))
        resource.setrlimit(resource.RLIMIT_DATA, (_MEMORY, _MEMORY))
        file = os.open(printed, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        os.dup2(file, 1)
        os.dup2(file, 2)
        deed = _DEEDS.get(words[0].strip("()"))
        try:
            if deed is not None:
                deed(world)
                code = 0
            else:
                sys.argv = ["odyssey-recorder", *words]
                cli.main()
        except OdysseyError as error:
            _say(str(error))
            code = 1
        except SystemExit as ended:
            code = ended.code or 0
        except BaseException:  # noqa: BLE001 - that is what the test looks for
            traceback.print_exc()
        sys.stdout.flush()
        sys.stderr.flush()
    finally:
        if code == cli.FAULT:
            log = world.root / "home/odyssey-recorder/log/odyssey-recorder.log"
            os.write(2, log.read_bytes()[-1400:] if log.is_file() else b"")
        os._exit(code if isinstance(code, int) else 99)


def _secrets(world: World, told: bytes) -> Iterator[str]:
    """Leaks of what only outside files contain."""
    if SECRET.encode() in told:
        yield "terminal"
    for root, _, names in os.walk(world.root):
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
