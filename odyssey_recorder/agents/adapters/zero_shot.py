"""Models that nobody trained for phones, asked with the contents of GUI-Odyssey's own prompts, in our words.

They answer with the dataset's commands. `zero-shot-v1` is the prompt of the first release (Fig. 6), which prints no
place for the instruction; ours is before the actions. `zero-shot` and `set-of-marks` are of the second (Fig. 14).
"""

from dataclasses import replace

from odyssey_recorder.agents.adapter import ASKED
from odyssey_recorder.agents.adapters.odyssey_agent import ADAPTERS as OF_DATASET
from odyssey_recorder.llm.prompts import read_slots

ADAPTERS = tuple(
    replace(
        OF_DATASET[0], name=name, asks=read_slots(f"paper_{name.replace('-', '_')}/1", ASKED), source=f"arXiv {source}"
    )
    for name, source in (
        ("zero-shot-v1", "2406.08451v1, Fig. 6"),
        ("zero-shot", "2406.08451v2, Fig. 14"),
        ("set-of-marks", "2406.08451v2, Fig. 14 with OmniParser"),
    )
)
