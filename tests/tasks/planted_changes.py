"""Tasks with instructions that mean the same, and with instructions in which one fact was changed."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from odyssey_recorder.model.episode import Category, TaskInfo
from odyssey_recorder.tasks.listing import ListedTask
from odyssey_recorder.tasks.templates.template_files import shipped_catalogues
from odyssey_recorder.tasks.wording.equivalence import rule_faults

_DATA = Path(__file__).parent / "data"


@dataclass(frozen=True, slots=True)
class Wording:
    """`changed` is the kind of fact that differs from the task's, empty if none does; `part` is that of the file."""

    part: str
    number: int
    changed: str
    task: str
    instruction: str
    faults: tuple[str, ...]


@cache
def wordings(file: str = "planted_changes.jsonl") -> tuple[Wording, ...]:
    rows = (_DATA / file).read_text(encoding="utf-8").splitlines()
    return tuple(wording for line in rows for wording in _wordings(json.loads(line)))


def _wordings(row: dict[str, Any]) -> Iterator[Wording]:
    apps = tuple(row["roles"].values())
    info = TaskInfo(Category.MULTI_APPS.value, apps, row["meta_task"], row["task"], row["task"])
    task = ListedTask(str(row["number"]), info, template=row["template"], slots=row["slots"], roles=row["roles"])
    catalogue = shipped_catalogues()[row["catalogue"]]
    for changed, instruction in (*(("", same) for same in row["same"]), *row["changed"]):
        faults = rule_faults(task, instruction, names_apps=row["names_apps"], catalogue=catalogue)
        yield Wording(row.get("set", ""), row["number"], changed, row["task"], instruction, faults)


def recall_and_precision(of: tuple[Wording, ...]) -> tuple[float, float]:
    planted = [wording for wording in of if wording.changed]
    reported = [wording for wording in of if wording.faults]
    found = [wording for wording in planted if wording.faults]
    return len(found) / len(planted), len(found) / len(reported)
