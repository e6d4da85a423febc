"""A folder with every kind of file that the program reads, to be damaged."""

import os
import shutil
from pathlib import Path

from odyssey_recorder.checking.checker import Checker
from odyssey_recorder.dataset.amendment import NewInstruction
from odyssey_recorder.dataset.trash import Trash
from odyssey_recorder.dataset.versions import Versions
from odyssey_recorder.dataset_index.index import EpisodeIndex
from odyssey_recorder.llm import prices
from odyssey_recorder.review.review_store import ReviewStore
from odyssey_recorder.services.review import ReviewService
from odyssey_recorder.settings import read_settings
from odyssey_recorder.tasks.listing import shipped_tasks
from odyssey_recorder.wiring.user import annotator_tasks, episode_store
from tests.checking.folders import FIRST, SECOND, THIRD, write_dataset, write_single_episode
from tests.checking.verdicts import verdict
from tests.dataset.drafts import add_step, begin, complete_draft

SECRET = "Quokka-31416"
"""Occurs only in files outside the sandbox; no command may print or copy it."""
UNTRUSTED = ("dataset", "other", "data/drafts")
"""Folders whose files a stranger may have written; the other files are the user's own."""
_SCRIPT = '{"tap": [10, 20]}\n{"type": "milk"}\n{"complete": "done"}\n'


class Sandbox:
    """The folder `root`; opening it sets home and settings to it."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.dataset, self.other, self.data = root / "dataset", root / "other", root / "data"
        self.outside = root.with_name("outside")
        os.environ |= {
            "HOME": str(root / "home"),
            "ODYSSEY_DRAFTS": str(self.data / "drafts"),
            "ODYSSEY_DATASET": str(self.dataset),
            "ODYSSEY_TASKS": str(self.tasks),
            "ODYSSEY_TEMPLATES": str(self.data / "templates"),
            "ODYSSEY_ANNOTATOR": "bob",
            "ODYSSEY_ADB": "no-such-adb",  # no adb server is started, which would outlive the test
            "ANDROID_ADB_SERVER_PORT": "1",
            **{f"XDG_{kind}_HOME": str(root / "home") for kind in ("CONFIG", "DATA", "STATE", "CACHE")},
        }

    @property
    def tasks(self) -> Path:
        return self.data / "tasks.jsonl"

    def make(self) -> None:
        self._make_outside()
        write_dataset(self.dataset, FIRST, SECOND)
        write_dataset(self.other, SECOND, THIRD)
        write_single_episode(self.root / "lone", FIRST, [b"no picture"] * 2)
        self.data.mkdir()
        self.tasks.write_bytes(b"\n".join(shipped_tasks().read_bytes().split(b"\n")[:4]))
        (self.data / "script.jsonl").write_text(_SCRIPT)
        shutil.copytree(Path(__file__).parents[2] / "templates" / "General_Tool", self.data / "templates/General_Tool")
        settings = self.root / "home/odyssey-recorder/settings.toml"
        settings.parent.mkdir(parents=True)
        settings.write_text('# mine\nlog_level = "INFO"\nname_apps = false\n')
        settings.with_name("prices.toml").write_bytes(Path(prices.__file__).with_name("prices.toml").read_bytes())
        store = episode_store(read_settings())
        annotator_tasks(read_settings()).board()
        store.publish(complete_draft(store))
        complete_draft(store).close()
        draft = begin(store)
        add_step(draft)
        draft.keep_tree("<hierarchy/>")
        draft.close()
        for root in (self.dataset, self.other):
            ReviewStore(root).append(SECOND, verdict("cyn", revision=Versions(root).revision(SECOND)))
            (root / "splits").mkdir()
            (root / "splits/random_split.json").write_text(f'{{"train": ["{FIRST}.json"], "test": ["{SECOND}.json"]}}')
            (root / "all_annot.json").write_text(f'[{{"episode_id": "{FIRST}", "step_length": 3}}]')
            (root / "SHA256SUMS").write_text(f"{'0' * 64}  annotations/{FIRST}.json\n")
        shutil.rmtree(self.other / "provenance")
        service = ReviewService(EpisodeIndex(self.dataset, None), Checker(None), lambda: "bob")
        revision = Versions(self.dataset).revision(FIRST)
        service.fix(FIRST, NewInstruction(instruction="Another one."), "wrong", revision)
        write_dataset(self.dataset, THIRD)
        Trash(self.dataset).move(THIRD)

    def _make_outside(self) -> None:
        write_dataset(self.outside, FIRST, SECOND, THIRD)
        for path in (self.outside / "annotations").iterdir():
            path.write_text(path.read_text().replace("please", SECRET))
        for folder in ("reviews", "history", "trash", "drafts"):
            (self.outside / folder).mkdir()
            (self.outside / folder / f"{SECOND}.json").write_text(f'{{"entries": [{{"note": "{SECRET}"}}]}}')
        (self.outside / "plain").mkdir()
        (self.outside / "plain/file").write_text("nothing to hide\n")
