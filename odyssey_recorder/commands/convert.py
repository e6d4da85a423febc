"""`convert`: which episodes of a dataset are converted."""

import os
from pathlib import Path

from odyssey_recorder.admission import Admission, refusal
from odyssey_recorder.dataset.codec import Dialect
from odyssey_recorder.dataset.convert import Conversion, convert
from odyssey_recorder.dataset.layout import redaction_path
from odyssey_recorder.errors import DatasetError


def convert_admitted(
    source: Path, target: Path, dialect: Dialect, admission: Admission, *, with_screenshots: bool
) -> Conversion:
    """Convert what is admitted of `source`, as `dataset.convert` does; the others are among the failures."""
    if not source.is_dir() and admission.accepted:
        raise DatasetError(f"{source} is not a dataset folder, so its reviews are unknown.")
    if not source.is_dir():
        return convert(source, target, dialect, with_screenshots=with_screenshots)
    admit = refusal(source, admission, dialect) if admission != Admission() else lambda _: ""

    def refuse(annotation: Path) -> str:
        if with_screenshots and os.path.lexists(source / redaction_path(annotation.stem)):
            return f"{annotation.name} has a redaction, which only `export` applies. Export the episode."
        return admit(annotation)

    return convert(source, target, dialect, with_screenshots=with_screenshots, refuse=refuse)
