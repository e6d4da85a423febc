"""The shown settings, their groups and texts."""

from collections.abc import Mapping
from functools import partial

from odyssey_recorder.gui.frame.roles import ROLE_LABELS
from odyssey_recorder.gui.settings.setting_fields import (
    PathControl,
    Setting,
    TextControl,
    choice_control,
    number_control,
    switch_control,
)
from odyssey_recorder.settings import Role

_FILE = partial(PathControl, is_file=True)
_LEADS: tuple[Role, ...] = ("", "lead")
_ROLES = {"": "Not set: I see everything"} | {str(role): text for role, text in ROLE_LABELS.items()}
_RECORDERS: tuple[Role, ...] = ("annotator", *_LEADS)

# fmt: off
GROUPS: Mapping[str, tuple[Setting, ...]] = {
    "Folders": (
        Setting("dataset", "Dataset", "Where published episodes are stored.", PathControl),
        Setting(
            "drafts", "Drafts",
            "Where recordings are stored until they are published. Use a local disk, not a network drive.",
            PathControl, seen_by=_RECORDERS,
        ),
        Setting(
            "tasks", "Task list", "The file with the tasks to record.",
            partial(_FILE, default="The list for the simulated emulator"), seen_by=_RECORDERS,
        ),
        Setting(
            "queue", "Team queue",
            "The PostgreSQL database shared by all annotators. Put the password in ~/.pgpass.",
            partial(TextControl, default="A file on this computer"), seen_by=_LEADS,
        ),
        Setting(
            "templates", "Templates", "A folder with your own task templates.", partial(PathControl, default="None"),
            seen_by=_LEADS,
        ),
    ),
    "Device connection": (
        Setting("adb", "adb", "The adb program.", partial(_FILE, default="The adb on the PATH, or the bundled one")),
        Setting(
            "adb_server_port", "adb server", "The port where the adb server listens; usually 5037.",
            partial(number_control, lowest=1, highest=65535),
        ),
        Setting(
            "capture", "Screenshots and touches",
            "How they are transferred. gRPC is faster.",
            partial(choice_control, choices={
                "auto": "gRPC where the emulator offers it", "grpc": "Always gRPC", "adb": "Always adb",
            }),
        ),
        Setting(
            "shared_memory", "Shared memory",
            "Uses less CPU, but a screenshot may show a slightly later moment. Not for passive mode.",
            partial(switch_control, text="Read the emulator's frames from shared memory"),
        ),
        Setting(
            "animations", "Animations", "Without animations, screens settle sooner.",
            partial(switch_control, text="Leave animations on when preparing a device"),
        ),
    ),
    "Recording": (
        Setting(
            "start", "Start of a task", "How the device is prepared when the task does not say.",
            partial(choice_control, choices={
                "as found": "As the device is", "clean home": "Home screen, recent apps closed; apps keep their data",
            }),
            seen_by=_RECORDERS,
        ),
        Setting(
            "step_snapshots", "Snapshots for Undo",
            "Taken before each step, so that Undo can restore the device.",
            partial(choice_control, choices={
                "auto": "If one takes at most 1 second", "always": "Always", "never": "Never",
            }),
            seen_by=_RECORDERS,
        ),
        Setting(
            "view_trees", "View hierarchies",
            "The view hierarchy of each screen is read in the background and stored with the episode.",
            partial(switch_control, text="Store view hierarchies"), seen_by=_RECORDERS,
        ),
    ),
    "You": (
        Setting(
            "annotator", "Your name", "Stored in the provenance of each episode.",
            partial(TextControl, default="Your name on this computer"),
        ),
        Setting(
            "role", "Your role", "What you see in this window. Changes take effect when you save.",
            partial(choice_control, choices=_ROLES), is_at_once=True,
        ),
        Setting(
            "practice_tasks", "Practice", "Practice tasks to pass before recording; 0 for none.",
            partial(number_control, lowest=0, highest=1000), seen_by=_LEADS,
        ),
    ),
    "Language model": (
        Setting(
            "model", "Model", "Rewrites tasks, writes step texts and runs agents. Enter the provider's name for it.",
            partial(TextControl, default="None"), is_at_once=True, seen_by=_LEADS,
        ),
        Setting(
            "model_url", "Address", "The address of the server; it usually ends in /v1.",
            partial(TextControl, default="OpenAI's own"), is_at_once=True, seen_by=_LEADS,
        ),
        Setting(
            "name_apps", "Apps in instructions", "The paper leaves the apps out; the released data include them.",
            partial(switch_control, text="Instructions name the apps to use"), is_at_once=True, seen_by=_LEADS,
        ),
    ),
    "Appearance": (
        Setting(
            "theme", "Colours", "Shown right away, kept when you save.",
            partial(choice_control, choices={"system": "Same as the system", "light": "Light", "dark": "Dark"}),
            is_at_once=True,
        ),
        Setting(
            "text_size", "Text size", "Shown right away, kept when you save.",
            partial(choice_control, choices={
                "small": "Small", "normal": "Normal", "large": "Large", "extra large": "Extra large",
            }),
            is_at_once=True,
        ),
        Setting(
            "outlines", "Outlines", "While you record, the pointer shows what a click would hit.",
            partial(switch_control, text="Outline the element under the pointer"), seen_by=_RECORDERS,
        ),
        Setting(
            "sounds", "Sounds", "One beep: ready after a wait. Two: published. Three: an error.",
            partial(switch_control, text="Beep while I record"), seen_by=_RECORDERS,
        ),
    ),
    "Shortcuts": (),
    "Log": (
        Setting(
            "log_level", "Detail", "How much is written to the log.",
            partial(choice_control, choices={
                "DEBUG": "Everything", "INFO": "Actions", "WARNING": "Failures", "ERROR": "Errors only",
            }),
        ),
    ),
}
# fmt: on
