"""The shown settings, their groups and texts."""

from collections.abc import Mapping
from functools import partial

from odyssey_recorder.gui.settings.setting_fields import (
    PathControl,
    Setting,
    TextControl,
    choice_control,
    number_control,
    switch_control,
)

_FILE = partial(PathControl, is_file=True)

# fmt: off
GROUPS: Mapping[str, tuple[Setting, ...]] = {
    "Folders": (
        Setting("dataset", "Dataset", "Where published episodes go.", PathControl),
        Setting(
            "drafts", "Drafts",
            "Where recordings lie until they are published. On this computer's own disk, not on a network.",
            PathControl,
        ),
        Setting(
            "tasks", "List of tasks", "The file with the tasks to record.",
            partial(_FILE, default="The list for the simulated phone"),
        ),
        Setting(
            "queue", "Queue of a team",
            "The PostgreSQL database that all annotators share. The password belongs into ~/.pgpass.",
            partial(TextControl, default="A file on this computer"),
        ),
        Setting(
            "templates", "Templates", "A folder with task templates of your own.", partial(PathControl, default="None"),
        ),
    ),
    "Device connection": (
        Setting("adb", "adb", "The program that reaches devices.", partial(_FILE, default="The adb on the PATH")),
        Setting(
            "adb_server_port", "adb server", "The port where the adb server listens; usually 5037.",
            partial(number_control, lowest=1, highest=65535),
        ),
        Setting(
            "capture", "Pictures and touches",
            "The way they take. gRPC is the emulator's own service, and the faster one.",
            partial(choice_control, choices={
                "auto": "gRPC where the emulator offers it", "grpc": "Always gRPC", "adb": "Always adb",
            }),
        ),
        Setting(
            "shared_memory", "Shared memory",
            "Costs less of the processor, but a picture may show what came a moment later. Not for passive mode.",
            partial(switch_control, words="Take the emulator's pictures from shared memory"),
        ),
        Setting(
            "animations", "Animations", "Without them a screen comes to rest sooner.",
            partial(switch_control, words="Leave animations on where a device is prepared"),
        ),
    ),
    "Recording": (
        Setting(
            "start", "Start of a task", "How the device is brought to it, where the task says nothing.",
            partial(choice_control, choices={
                "as found": "As the device is", "clean home": "Home screen, all recent apps closed",
            }),
        ),
        Setting(
            "step_snapshots", "Snapshots for Undo",
            "Of the emulator, before each step: Undo brings the device back to them.",
            partial(choice_control, choices={
                "auto": "Where one takes at most a second", "always": "Always", "never": "Never",
            }),
        ),
        Setting(
            "view_trees", "View trees",
            "What each screen at rest consists of is read in the background and stored beside the episode.",
            partial(switch_control, words="Store view trees"),
        ),
    ),
    "Practice and annotator": (
        Setting(
            "annotator", "Your name", "Stands in the provenance of each episode.",
            partial(TextControl, default="Your name on this computer"),
        ),
        Setting(
            "practice_tasks", "Practice", "How many practice tasks must be passed before the queue opens; 0 for none.",
            partial(number_control, lowest=0, highest=1000),
        ),
    ),
    "Language model": (
        Setting(
            "model", "Model", "Writes tasks in other words. As its provider spells it.",
            partial(TextControl, default="None"), is_at_once=True,
        ),
        Setting(
            "model_url", "Address", "Of the provider's service.",
            partial(TextControl, default="The provider's own"), is_at_once=True,
        ),
        Setting(
            "name_apps", "Apps in instructions", "The paper leaves them out, the released data have them.",
            partial(switch_control, words="Instructions name the apps to use"), is_at_once=True,
        ),
    ),
    "Appearance": (
        Setting(
            "theme", "Colours", "Shown at once, kept when you save.",
            partial(choice_control, choices={"system": "As the system has them", "light": "Light", "dark": "Dark"}),
            is_at_once=True,
        ),
    ),
    "Shortcuts": (),
    "Log": (
        Setting(
            "log_level", "Detail", "What is written into the log.",
            partial(choice_control, choices={
                "DEBUG": "Everything", "INFO": "What is done", "WARNING": "What fails", "ERROR": "Errors alone",
            }),
        ),
    ),
}
# fmt: on
