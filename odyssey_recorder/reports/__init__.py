"""Writes reports as self-contained HTML pages: every text is escaped, and there are no scripts."""

import base64
import json
from collections.abc import Callable, Mapping
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

from jinja2 import Environment, PackageLoader, StrictUndefined

from odyssey_recorder.files import write_durably
from odyssey_recorder.model.episode import Json
from odyssey_recorder.model.plain_text import on_one_line, step_number

if TYPE_CHECKING:
    from PIL import Image

FORMAT = 1
"""Version of the JSON format; it increases when a key changes its meaning or is removed."""


def render_page(template: str, filters: Mapping[str, Callable[..., object]], **values: object) -> str:
    """Render a template; `filters` are added to Jinja's own."""
    environment = Environment(
        loader=PackageLoader("odyssey_recorder.reports"), autoescape=True, undefined=StrictUndefined,
        trim_blocks=True, lstrip_blocks=True,
    )  # fmt: skip
    environment.filters |= {"one_line": on_one_line, "step_number": step_number, **filters}
    return environment.get_template(template).render(values)


def write_page(path: Path, page: str) -> None:
    """Write a page atomically. Raises DatasetError."""
    write_durably(path, page.encode(errors="backslashreplace"))


def report_json(report: Mapping[str, Json]) -> str:
    return json.dumps({"format": FORMAT, **report}, indent=2)


def data_uri(image: "Image.Image") -> str:
    file = BytesIO()
    image.save(file, "WEBP", quality=82, method=1)
    return f"data:image/webp;base64,{base64.b64encode(file.getvalue()).decode()}"
