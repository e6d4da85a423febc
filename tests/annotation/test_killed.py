"""`annotate run` is killed at chosen moments, by the number of answers, and goes on as if nothing had happened."""

import json
import shutil
import subprocess
import sys
from collections import defaultdict
from pathlib import Path
from queue import SimpleQueue

import pytest

from odyssey_recorder.dataset.layout import semantics_path, ui_tree_path
from tests.annotation.phone_dataset import look_around
from tests.annotation.seeing_model import SeeingModel
from tests.cli import CommandLine
from tests.llm.stand_in import MODEL, Asked, Says, StandIn

EPISODES = ("0000000000000001", "0000000000000002")
AT_ONCE = 4


class Killer:
    """Answers as a model that sees; kills the asking process instead of an answer, once it has given `left` of them."""

    def __init__(self, seeing: SeeingModel) -> None:
        self._seeing = seeing
        self.left: int | None = None
        self.children: SimpleQueue[subprocess.Popen[bytes]] = SimpleQueue()
        self.asked: defaultdict[str, list[str]] = defaultdict(list)
        """The questions by the key of their process, in the order of the processes."""

    def __call__(self, asked: Asked) -> Says:
        self.asked[asked.headers["authorization"]].append(json.dumps(asked.body, sort_keys=True))
        if self.left == 0:
            self.left = None
            child = self.children.get()
            child.kill()
            child.wait()
        elif self.left is not None:
            self.left -= 1
        return self._seeing(asked)


@pytest.mark.parametrize(("kills", "steps"), [(3, 4), pytest.param(20, 14, marks=pytest.mark.soak)], ids=["3", "20"])
def test_a_run_that_is_killed_loses_nothing_and_repeats_only_what_was_in_flight(
    cli: CommandLine, kills: int, steps: int
) -> None:
    root = cli.dataset
    touched = [one for number in EPISODES for one in look_around(root, number, steps)]
    screens = [(one, (root / ui_tree_path(one.episode_id, one.number)).read_text()) for one in touched]
    killer = Killer(SeeingModel(screens))
    undisturbed = Path(shutil.copytree(root, root.parent / "undisturbed"))
    with StandIn(killer) as server:
        cli.monkeypatch.setenv("ODYSSEY_MODEL", MODEL)
        cli.monkeypatch.setenv("ODYSSEY_MODEL_URL", server.url)
        for number in range(kills):
            cli.monkeypatch.setenv("ODYSSEY_API_KEY", f"process-{number}")
            killed(killer, root, after=1 + number % 4)
        cli.monkeypatch.setenv("ODYSSEY_API_KEY", "process-last")
        last = cli("annotate", "run", root, "--yes", "--at-once", AT_ONCE)
        assert last.exit_code == 0, last.err
        lives = list(killer.asked.values())
        cli.monkeypatch.setenv("ODYSSEY_API_KEY", "undisturbed")
        cli.monkeypatch.setenv("XDG_DATA_HOME", str(root.parent / "other answers"))
        assert cli("annotate", "run", undisturbed, "--yes").exit_code == 0
    assert len(lives) == kills + 1
    assert all(len(life) == len(set(life)) for life in lives)
    for number, life in enumerate(lives[:-1]):
        again = {one for later in lives[number + 1 :] for one in later} & set(life)
        assert len(again) <= AT_ONCE, "only what was in flight"
    whole = killer.asked["Bearer undisturbed"]
    assert sorted(whole) == sorted({one for life in lives for one in life}), (
        "nothing else was asked, and each only once"
    )
    for episode_id in EPISODES:
        assert entries(root, episode_id) == entries(undisturbed, episode_id) != []


def killed(killer: Killer, root: Path, *, after: int) -> None:
    words = ["annotate", "run", str(root), "--yes", "--at-once", str(AT_ONCE)]
    killer.left = after
    with subprocess.Popen(
        [sys.executable, "-m", "odyssey_recorder", *words], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as child:
        killer.children.put(child)
        assert child.wait(60) == -9


def entries(root: Path, episode_id: str) -> list[dict[str, object]]:
    """Without the moments, in a fixed order."""
    tree = json.loads((root / semantics_path(episode_id)).read_text())
    found = [one | {"at": "", "call": one["call"] | {"at": ""}} for one in tree["entries"] if one]
    return sorted(found, key=lambda one: str(one["id"]))
