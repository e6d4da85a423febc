"""Starts recordings: from an assignment and a device, or from a draft."""

import time
from collections.abc import Callable, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, field
from datetime import datetime
from itertools import chain, pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from odyssey_recorder import __version__
from odyssey_recorder.dataset.layout import PROVENANCE, EpisodeFiles
from odyssey_recorder.dataset.store import DraftSummary, EpisodeStore
from odyssey_recorder.device.connector import DeviceConnector
from odyssey_recorder.device.device import SIMULATED, Device, DeviceProperties, ListedDevice
from odyssey_recorder.device.measured import long_press_ms
from odyssey_recorder.device.profile import device_name
from odyssey_recorder.errors import DatasetError, DeviceError, RecordingError
from odyssey_recorder.model.action import Complete, Impossible
from odyssey_recorder.model.assignment import AsFound, Assignment, CleanHome, FromSnapshot, StartState
from odyssey_recorder.model.episode import Actor, DeviceInfo, Mode
from odyssey_recorder.progress import never
from odyssey_recorder.services.practice import PracticeService
from odyssey_recorder.simulated.private_emulators import PhoneProcesses

if TYPE_CHECKING:
    from odyssey_recorder.dataset import provenance
    from odyssey_recorder.dataset.draft import Draft
    from odyssey_recorder.device.inventory import DeviceInventory
    from odyssey_recorder.gesture.recognizer import TouchRules
    from odyssey_recorder.model.finding import EpisodeReport
    from odyssey_recorder.recording.recorder import Recorder
    from odyssey_recorder.recording.slow_work import SnapshotPolicy
    from odyssey_recorder.recording.view import Listener

__all__ = ["DraftSummary"]

PRACTICE_START = FromSnapshot("odyssey-practice")
"""Saved before the first practice task on a device, so that no attempt sees the traces of another."""


_BREAK_S = 300
"""A longer time between two steps is a break."""


@dataclass(frozen=True, slots=True)
class DayCount:
    """One's own published episodes of today, and the seconds of work on them, without breaks."""

    episodes: int = 0
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class RecordingService:
    """What an annotator needs: devices, a dataset, and simulated emulators on demand. Calls raise OdysseyError.

    `start` is for tasks without a start state. Without `practice` there is no consent, and without `inventory` no
    virtual device is started.
    """

    connector: DeviceConnector
    store: EpisodeStore
    annotator: str
    actor: Actor = "annotator"
    phones: PhoneProcesses | None = None
    profile: str = "pixel_7_pro"
    view_hierarchies: bool = True
    snapshots: "SnapshotPolicy" = "never"
    start: StartState = field(default_factory=AsFound)
    practice: PracticeService | None = None
    inventory: "Callable[[], DeviceInventory] | None" = None

    def who_records(self) -> str:
        return self.annotator if self.practice is None else self.practice.annotator

    def reply(self, episode_id: str, words: str) -> None:
        """Say something to the reviewer who sent the annotator's episode back."""
        from odyssey_recorder.services.review_files import add_reply  # imported late: slow to load

        add_reply(self.store.root, self.who_records(), episode_id, words)

    @property
    def can_simulate(self) -> bool:
        return self.phones is not None

    def devices(self) -> Sequence[ListedDevice]:
        return self.connector.devices()

    def simulate(self, profile: str = "") -> str:
        """Returns the serial; without `profile` it has that of the settings."""
        if self.phones is None:
            raise DeviceError("A simulated emulator cannot be started from here. Run: odyssey-recorder simulate")
        serial = self.phones.start(profile or self.profile)
        self.connect(serial).close()
        return serial

    def show_window(self, serial: str, *, on: bool) -> None:
        """The own window of a simulated emulator that was started here."""
        if self.phones is not None:
            self.phones.show_window(serial, on=on)

    def connect(self, serial: str) -> Device:
        return self.connector.connect(serial)

    def touch_rules(self, device: Device) -> "TouchRules":
        from odyssey_recorder.gesture.recognizer import TouchRules

        return TouchRules.for_density(device.properties().density, long_press_ms(device))

    def drafts(self) -> Sequence[DraftSummary]:
        """Newest first."""
        drafts = [draft for store in self._stores for draft in store.drafts()]
        return sorted(drafts, key=lambda draft: draft.changed_at, reverse=True)

    def discarded(self) -> Sequence[DraftSummary]:
        """Those that can be restored, newest first."""
        drafts = [draft for store in self._stores for draft in store.discarded()]
        return sorted(drafts, key=lambda draft: draft.changed_at, reverse=True)

    def discard(self, episode_id: str) -> None:
        self._store_of(episode_id).discard_unopened(episode_id)

    def restore(self, episode_id: str) -> None:
        """Make a discarded recording a draft again. Raises DatasetError."""
        known = (store for store in self._stores if any(one.episode_id == episode_id for one in store.discarded()))
        next(known, self.store).restore(episode_id)

    def recorded_today(self) -> DayCount:
        """Reads the provenance of episodes that were written today; unreadable ones do not count."""
        from odyssey_recorder.review.status import same_person  # imported late: the window opens sooner

        midnight_s = datetime.now().astimezone().replace(hour=0, minute=0, second=0, microsecond=0).timestamp()
        count, who = DayCount(), self.who_records()
        for path in (self.store.root / PROVENANCE).glob("*.json"):
            with suppress(OSError, DatasetError):
                known = self.store.provenance(path.stem) if path.stat().st_mtime >= midnight_s else None
                if known and same_person(known.origin.annotator, who) and known.published_us >= midnight_s * 1e6:
                    count = DayCount(count.episodes + 1, count.seconds + _worked_s(known))
        return count

    def begin(  # noqa: PLR0913 - values by keyword
        self,
        device: Device,
        assignment: Assignment,
        listener: "Listener",
        mode: Mode = "mirror",
        actor: Actor | None = None,
        *,
        may_clear: bool = False,
    ) -> "Recorder":
        """The recorder is not started yet. `actor` None: the service's own.

        Only with `may_clear`, to which the annotator has agreed, is the data of the task's apps deleted.
        """
        self._refuse_doubtful_screenshots(mode)
        start = self._start_of(assignment, device)
        _bring_to_start(device, start)
        properties = device.properties()
        origin = self._origin(properties, assignment, start, mode)
        own: dict[str, object] = {"long_press_ms": long_press_ms(device)}
        own |= {} if actor is None else {"actor": actor}
        if start == CleanHome(clears_apps=True):
            apps = assignment.task.apps
            known = _clear_apps(device, apps) if may_clear else {"kept": tuple(apps)}
            own["start"] = origin.start.model_copy(update=known)
        origin = origin.model_copy(update=own)
        store = self._practice_store() if assignment.is_practice else self.store
        draft = store.create_draft(task=assignment.task, device=_device_info(properties), origin=origin)
        return self._recorder(device, draft, store, listener)

    def assignment_of(self, recorder: "Recorder") -> Assignment:
        """What is being recorded, to begin it again."""
        origin = recorder.origin
        is_practice = self._store_of(recorder.episode_id) is not self.store
        return Assignment(recorder.task, origin.task_id, start_state(origin.start), is_practice, origin.making)

    def suits(self, device: DeviceProperties, draft: DraftSummary) -> bool:
        """Whether a draft can be continued on a device: one with the same screen, and simulated only if it was."""
        return device.size == draft.device.size and device.is_simulated == _is_simulated(draft)

    def device_for(self, draft: DraftSummary) -> str:
        """The serial of a device on which a draft can be continued; one is started if none runs, which takes minutes.

        The draft's own device comes first. Raises RecordingError if there is none.
        """
        running = [self._properties(listed.serial) for listed in self.devices() if listed.is_ready]
        suited = [device for device in running if self.suits(device, draft)]
        if suited:
            own = draft.avd_name, draft.serial
            return min(suited, key=lambda one: (one.avd_name != own[0], one.serial != own[1])).serial
        if _is_simulated(draft) and self.can_simulate:
            return self.simulate(draft.avd_name.removeprefix(SIMULATED))
        if self.inventory is not None and not _is_simulated(draft):
            inventory = self.inventory()
            stopped = [(one.avd, one.profile) for one in inventory.listing().members if one.avd and not one.serial]
            named = (avd.name for avd, _ in stopped if avd.name == draft.avd_name)
            alike = (avd.name for avd, profile in stopped if profile and profile.size == draft.device.size)
            for name in (*named, *alike):
                return inventory.start(name, lambda _share, _text: None, never)
        raise RecordingError(
            f"This recording needs a {draft.device.device_name} ({draft.device.size}). Start one, then resume it."
        )

    def _properties(self, serial: str) -> DeviceProperties:
        with closing(self.connect(serial)) as device:
            return device.properties()

    def resume(self, device: Device, episode_id: str, listener: "Listener") -> "Recorder":
        """The recorder is not started yet."""
        properties = device.properties()
        store = self._store_of(episode_id)
        draft = store.resume(episode_id)
        try:
            self._refuse_doubtful_screenshots(draft.origin.mode)
            if draft.device.size != properties.size:
                raise RecordingError(
                    f"The draft {episode_id} was begun on a {draft.device.device_name} ({draft.device.size}); "
                    f"{device.label} has {properties.size}. Continue it on a device of that kind."
                )
            draft.note_resumed(_resumed_record(properties))
        except (RecordingError, DatasetError):
            draft.close()
            raise
        return self._recorder(device, draft, store, listener)

    def check_trial(self, recorder: "Recorder", ending: Complete | Impossible) -> "EpisodeReport":
        """Check the episode that `recorder` would publish with `ending`; nothing is published or kept."""
        with TemporaryDirectory(prefix="odyssey-trial-") as folder:
            return check_alone(recorder.write_trial(ending, Path(folder)))

    @property
    def _stores(self) -> tuple[EpisodeStore, ...]:
        return (self.store,) if self.practice is None else (self.store, self.practice.store)

    def _practice_store(self) -> EpisodeStore:
        if self.practice is None:
            raise RecordingError("Practice episodes cannot be recorded here; they never become part of the dataset.")
        return self.practice.store

    def _store_of(self, episode_id: str) -> EpisodeStore:
        return next((store for store in self._stores if store.has_draft(episode_id)), self.store)

    def _refuse_doubtful_screenshots(self, mode: Mode) -> None:
        if mode == "passive" and self.connector.shared_memory:
            raise RecordingError("Passive mode needs screenshots with exact times. Turn off the setting shared_memory.")

    def _start_of(self, assignment: Assignment, device: Device) -> StartState:
        """Practice tasks always start from the same state, so that every attempt finds the same device."""
        if assignment.is_practice:
            return PRACTICE_START if device.keeps_snapshots else CleanHome()
        return self.start if assignment.start == AsFound() else assignment.start

    def _recorder(self, device: Device, draft: "Draft", store: EpisodeStore, listener: "Listener") -> "Recorder":
        """Practice always reads view hierarchies, which its scoring uses."""
        from odyssey_recorder.gesture.areas import NavigationRules
        from odyssey_recorder.gesture.recognizer import TouchRules
        from odyssey_recorder.recording.engine import RecordingRules
        from odyssey_recorder.recording.recorder import Recorder  # imported late: slow to load

        density = device.properties().density
        rules = RecordingRules(
            TouchRules.for_density(density, draft.origin.long_press_ms),
            NavigationRules.for_density(density),
            view_hierarchies=self.view_hierarchies or store is not self.store,
            snapshots=self.snapshots,
        )
        return Recorder(device, draft, store, listener=listener, rules=rules)

    def _origin(
        self, device: DeviceProperties, assignment: Assignment, start: StartState, mode: Mode
    ) -> "provenance.Origin":
        from odyssey_recorder.dataset import provenance

        match start:
            case AsFound():
                record = provenance.StartRecord()
            case CleanHome():
                record = provenance.StartRecord(kind="clean_home")
            case FromSnapshot(name):
                record = provenance.StartRecord(kind="snapshot", snapshot=name)
        return provenance.Origin(
            recorder_version=__version__,
            mode=mode,
            actor=self.actor,
            annotator=self.who_records(),
            task_id=assignment.task_id,
            serial=device.serial,
            model=device.model,
            fingerprint=device.fingerprint,
            avd_name=device.avd_name,
            density=device.density,
            emulator_version=device.emulator_version,
            system_image=device.system_image,
            start=record,
            making=assignment.making,
            consent="" if self.practice is None else self.practice.agreed_version,
        )


def _worked_s(known: "provenance.EpisodeProvenance") -> float:
    moments = [known.started_us, *(step.touched_us for step in known.steps), known.published_us]
    times_s = ((after - before) / 1e6 for before, after in pairwise(moments))
    return sum(time_s for time_s in times_s if 0 < time_s < _BREAK_S)


def check_alone(annotation: Path) -> "EpisodeReport":
    """Check a single episode; nothing is kept. Raises OdysseyError."""
    from odyssey_recorder.checking.check_cache import Cache, CodeHashes  # imported late: slow to load
    from odyssey_recorder.checking.collect import collect, read_annotation
    from odyssey_recorder.checking.image_metrics import ImageMetrics
    from odyssey_recorder.checking.one_episode import check_episode

    metrics = ImageMetrics(Cache(None, CodeHashes("", "")))
    return check_episode(collect(EpisodeFiles.of(annotation), read_annotation(annotation), metrics, ()))


def _is_simulated(draft: DraftSummary) -> bool:
    return draft.avd_name.startswith(SIMULATED)


def _bring_to_start(device: Device, start: StartState) -> None:
    match start:
        case AsFound():
            pass
        case CleanHome():
            device.close_recents()
        case FromSnapshot(name) if start is PRACTICE_START and name not in device.snapshots():
            device.close_recents()
            device.save_snapshot(name)
        case FromSnapshot(name):
            device.load_snapshot(name)


def _clear_apps(device: Device, apps: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Delete what these apps have stored; the packages that Android has cleared, and the apps that keep their data."""
    from odyssey_recorder.checking.one_episode.apps import packages_of  # imported late: slow to load

    done = {app: [package for package in packages_of(app) if device.clear_data(package)] for app in apps}
    kept = tuple(app for app, packages in done.items() if not packages)
    return {"cleared": tuple(chain.from_iterable(done.values())), "kept": kept}


def start_state(record: "provenance.StartRecord") -> StartState:
    match record.kind:
        case "as_found":
            return AsFound()
        case "clean_home":
            return CleanHome(clears_apps=bool(record.cleared or record.kept))
        case "snapshot":
            return FromSnapshot(record.snapshot)


def _resumed_record(device: DeviceProperties) -> "provenance.ResumedRecord":
    from odyssey_recorder.dataset.provenance import ResumedRecord

    return ResumedRecord(
        resumed_us=time.time_ns() // 1000,
        serial=device.serial,
        model=device.model,
        fingerprint=device.fingerprint,
        avd_name=device.avd_name,
    )


def _device_info(device: DeviceProperties) -> DeviceInfo:
    return DeviceInfo(
        device_name=device_name(device),
        size=device.size,
        product=device.product,
        release_version=device.release_version,
        sdk_version=device.sdk_version,
    )
