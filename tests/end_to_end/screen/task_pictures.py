"""Makes the images of the lead's guide: tasks generated, rewritten by a fake model, and counted."""

from tests.end_to_end.screen.annotator import Annotator
from tests.end_to_end.screen.sandbox import Sandbox
from tests.llm.careless_model import PRICE, UNCLE, careless
from tests.llm.stand_in import MODEL, StandIn

_SIZE = (1100, 700)
_ADDS = {"hour": UNCLE, "product": PRICE, "film": UNCLE}


def prepare(sandbox: Sandbox) -> None:
    with (
        StandIn(careless(_ADDS)) as model,
        sandbox.first_use("Grace", leads=True, model=MODEL, model_url=model.url, name_apps=False) as lead,
    ):
        lead.xdotool.resize(lead.window.content().window_id, *_SIZE)
        lead.press("Tasks")
        lead.press("Templates", expect="different tasks left")
        lead.save_image("tasks-templates")
        _generate(lead, 60)
        _generate(lead, 30, "Pixel 7 Pro")
        _rewrite_all(lead)
        lead.choose("Media Entertainment · To approve. 1 fault", of="Tasks to prepare", expect="Added: ")
        lead.save_image("tasks-prepare")
        _approve_all(lead)
        lead.press("Coverage")
        lead.select("Simulated emulator's apps", of="Coverage for the apps of")
        lead.wait_for("Multi Apps on Pixel 7 Pro: ")
        lead.keys("n")
        lead.save_image("tasks-coverage", "dark")


def _generate(lead: Annotator, count: int, device: str = "") -> None:
    lead.press("Generate")
    with lead.dialog("Generate tasks"):
        lead.write(str(count), into="Number of tasks")
        lead.select("Simulated emulator's apps", of="For the apps of")
        if device:
            lead.select(device, of="For the device")
        lead.press("Generate")
    lead.wait_for(f"{count} tasks generated.")


def _rewrite_all(lead: Annotator) -> None:
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
