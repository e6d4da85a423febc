"""`annotate run` is killed after chosen numbers of answers, and resumes without loss."""

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
from tests.annotation.vision_model import VisionModel
from tests.cli import CommandLine
from tests.llm.stand_in import MODEL, ReceivedRequest, Reply, StandIn

EPISODES = ("0000000000000001", "0000000000000002")
AT_ONCE = 4


class KillingModel:
    """Answers like a VisionModel; after `left` more answers it kills the asking process instead of answering."""

    def __init__(self, vision: VisionModel) -> None:
        self._vision = vision
        self.left: int | None = None
        self.children: SimpleQueue[subprocess.Popen[bytes]] = SimpleQueue()
        self.requests: defaultdict[str, list[str]] = defaultdict(list)
        """Request bodies by the API key of their process, in process order."""

    def __call__(self, request: ReceivedRequest) -> Reply:
        self.requests[request.headers["authorization"]].append(json.dumps(request.body, sort_keys=True))
        if self.left == 0:
            self.left = None
            child = self.children.get()
            child.kill()
            child.wait()
        elif self.left is not None:
            self.left -= 1
        return self._vision(request)


@pytest.mark.parametrize(("kills", "steps"), [(2, 4), pytest.param(20, 14, marks=pytest.mark.soak)], ids=["2", "20"])
def test_killed_run_repeats_only_requests_in_flight(cli: CommandLine, kills: int, steps: int) -> None:
    root = cli.dataset
    captured = [one for number in EPISODES for one in look_around(root, number, steps)]
    screens = [(one, (root / ui_tree_path(one.episode_id, one.number)).read_text()) for one in captured]
    model = KillingModel(VisionModel(screens))
    undisturbed = Path(shutil.copytree(root, root.parent / "undisturbed"))
    with StandIn(model) as server:
        cli.monkeypatch.setenv("ODYSSEY_MODEL", MODEL)
        cli.monkeypatch.setenv("ODYSSEY_MODEL_URL", server.url)
        for number in range(kills):
            cli.monkeypatch.setenv("ODYSSEY_API_KEY", f"process-{number}")
            run_and_kill(model, root, after=1 + number % 4)
        cli.monkeypatch.setenv("ODYSSEY_API_KEY", "process-last")
        last = cli("annotate", "run", root, "--yes", "--at-once", AT_ONCE)
        assert last.exit_code == 0, last.err
        processes = list(model.requests.values())
        cli.monkeypatch.setenv("ODYSSEY_API_KEY", "undisturbed")
        cli.monkeypatch.setenv("XDG_DATA_HOME", str(root.parent / "other answers"))
        assert cli("annotate", "run", undisturbed, "--yes").exit_code == 0
    assert len(processes) == kills + 1
    assert all(len(own_requests) == len(set(own_requests)) for own_requests in processes)
    for number, own_requests in enumerate(processes[:-1]):
        again = {one for later in processes[number + 1 :] for one in later} & set(own_requests)
        assert len(again) <= AT_ONCE, "only what was in flight"
    whole = model.requests["Bearer undisturbed"]
    assert sorted(whole) == sorted({one for own_requests in processes for one in own_requests}), (
        "nothing else was asked, and each only once"
    )
    for episode_id in EPISODES:
        assert entries(root, episode_id) == entries(undisturbed, episode_id) != []


def run_and_kill(model: KillingModel, root: Path, *, after: int) -> None:
    words = ["annotate", "run", str(root), "--yes", "--at-once", str(AT_ONCE)]
    model.left = after
    with subprocess.Popen(
        [sys.executable, "-m", "odyssey_recorder", *words], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as child:
        model.children.put(child)
        assert child.wait(60) == -9


def entries(root: Path, episode_id: str) -> list[dict[str, object]]:
    """The entries without times, in a fixed order."""
    tree = json.loads((root / semantics_path(episode_id)).read_text())
    found = [one | {"at": "", "call": one["call"] | {"at": ""}} for one in tree["entries"] if one]
    return sorted(found, key=lambda one: str(one["id"]))
