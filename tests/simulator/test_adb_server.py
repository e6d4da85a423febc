from odyssey_recorder.simulated.private_adb_server import free_port
from odyssey_simulator.adb_server import announce


def test_announcement_without_a_server_is_not_heard() -> None:
    assert not announce(free_port(), 6001)
