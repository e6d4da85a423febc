"""Services for private emulators."""

from contextlib import closing
from pathlib import Path

from odyssey_recorder.dataset.store import EpisodeStore
from odyssey_recorder.wiring.demo import demo_index, demo_inventory, demo_reviews, demo_service, demo_task_service
from odyssey_recorder.wiring.user import task_queue
from tests.checking.folders import FIRST, write_dataset
from tests.cli import SimulatedPhone
from tests.tasks.tasks import row, write_list


def test_simulated_emulator_keeps_snapshots(simulated_phone: SimulatedPhone, tmp_path: Path) -> None:
    device = demo_service(simulated_phone.emulators, tmp_path, actor="script", profile="small_phone").connect(
        simulated_phone.serial
    )
    assert device.keeps_snapshots
    assert "never saved" not in device.snapshots()
    device.close()


def test_inventory_has_only_simulated_emulators(simulated_phone: SimulatedPhone, tmp_path: Path) -> None:
    connector = demo_service(simulated_phone.emulators, tmp_path, actor="annotator", profile="small_phone").connector
    inventory = demo_inventory(simulated_phone.emulators, connector)
    listing = inventory.listing()
    assert simulated_phone.serial in {
        member.serial for member in listing.members if member.is_ready and member.simulated
    }
    assert [member.avd for member in listing.members if member.avd] == []
    assert [finding.found for finding in listing.missing] == ["left alone by the demo"]
    assert inventory.can_simulate


def test_demo_reviews_what_it_recorded_and_its_pages_share_the_findings(
    simulated_phone: SimulatedPhone, tmp_path: Path
) -> None:
    service = demo_service(simulated_phone.emulators, tmp_path, actor="annotator", profile="small_phone")
    write_dataset(service.store.root, FIRST)
    reviews = demo_reviews(simulated_phone.emulators, service)
    assert reviews.reviewer != service.who_records(), "nobody reviews their own episodes"
    assert [report.episode_id for report in reviews.check_all()] == [FIRST]
    with closing(demo_index(simulated_phone.emulators, service.store.root)) as index:
        index.refresh()
        [episode] = index.rows()
    assert episode.is_checked


def test_demo_has_no_language_model(tmp_path: Path) -> None:
    source = write_list(tmp_path / "tasks.jsonl", [row("one")])
    store = EpisodeStore(tmp_path / "dataset", drafts=tmp_path / "drafts")
    with closing(task_queue(source, store, lambda: "demo", drafts=tmp_path / "drafts")) as queue:
        service = demo_task_service(queue, tmp_path / "templates", lambda: "demo")
        assert service.can_ask.startswith("The demo has no language model.")
