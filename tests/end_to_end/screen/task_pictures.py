"""Makes the images of the lead's guide: tasks generated, rewritten by a stand-in model, and counted."""

from tests.end_to_end.screen.annotator import Annotator
from tests.end_to_end.screen.journey import first_use_of
from tests.end_to_end.screen.keeping import keep
from tests.end_to_end.screen.room import Room
from tests.llm.careless_model import PRICE, UNCLE, careless
from tests.llm.stand_in import MODEL, StandIn

_SIZE = (1100, 700)
_ADDS = {"hour": UNCLE, "product": PRICE, "film": UNCLE}


def prepare(room: Room) -> None:
    with (
        StandIn(careless(_ADDS)) as model,
        first_use_of(room, "Grace", leads=True, model=MODEL, model_url=model.url, name_apps=False) as lead,
    ):
        lead.hands.resize(lead.window.look().window, *_SIZE)
        lead.press("Tasks")
        lead.press("Templates")
        lead.wait_for("different tasks left")
        keep(room, lead, "tasks-templates")
        _make(lead, 60)
        _make(lead, 30, "Pixel 7 Pro")
        _put_into_words(lead)
        lead.choose("Media Entertainment · To approve. 1 fault", of="Tasks to prepare")
        lead.wait_for("Added: ")
        keep(room, lead, "tasks-prepare")
        _approve_all(lead)
        lead.press("Coverage")
        lead.select("Simulated emulator's apps", of="Coverage for the apps of")
        lead.wait_for("Multi Apps on Pixel 7 Pro: ")
        lead.keys("n")
        keep(room, lead, "tasks-coverage", "dark")


def _make(lead: Annotator, count: int, device: str = "") -> None:
    lead.press("Generate")
    with lead.dialog("Generate tasks"):
        lead.write(str(count), into="Number of tasks")
        lead.select("Simulated emulator's apps", of="For the apps of")
        if device:
            lead.select(device, of="For the device")
        lead.press("Generate")
    lead.wait_for(f"{count} tasks generated.")


def _put_into_words(lead: Annotator) -> None:
    lead.press("Rewrite all")
    with lead.dialog("Rewrite"):
        lead.wait_for("Calls")
        lead.keys("Return")
    lead.wait_for("tasks rewritten.")
    lead.press("Dismiss")


def _approve_all(lead: Annotator) -> None:
    lead.keys("ctrl+a", "a")
    with lead.dialog("Approve"):
        lead.keys("Return")
    lead.wait_for("Nothing left to approve.")
