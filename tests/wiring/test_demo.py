"""Services for private emulators."""

from pathlib import Path

from odyssey_recorder.wiring.demo import demo_inventory, demo_service
from tests.cli import SimulatedPhone


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
