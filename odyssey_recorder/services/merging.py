"""Two datasets merged into one: planned with `prepare`, carried out with `merge`."""

from odyssey_recorder.merging.apply import merge, prepare
from odyssey_recorder.merging.plan import MergeDecisions, MergePlan, Preference

__all__ = ["MergeDecisions", "MergePlan", "Preference", "merge", "prepare"]
