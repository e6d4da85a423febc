"""To which hosts screenshots of a dataset may be sent, and how many: ``metadata/consents.jsonl``, a line for each."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

from pydantic import AfterValidator, Field, ValidationError

from odyssey_recorder.dataset.change_journal import locked
from odyssey_recorder.dataset.layout import CONSENTS
from odyssey_recorder.errors import MissingFileError
from odyssey_recorder.files import Largest, make_folder, read_file, storage_errors, write_durably
from odyssey_recorder.llm.model import is_on_this_computer
from odyssey_recorder.model.moment import in_utc
from odyssey_recorder.validation import FrozenModel


class Consent(FrozenModel):
    """`by` agreed that up to so many different screenshots, of about `bytes` in all, are sent to `host`."""

    host: str = Field(min_length=1)
    screenshots: int = Field(ge=0)
    bytes: int = Field(ge=0)
    by: str = Field(pattern=r"\S")
    at: Annotated[datetime, AfterValidator(in_utc)]


def needs_consent(root: Path, host: str, screenshots: int, size: int) -> bool:
    """A host on this computer needs none. Raises DatasetError."""
    if not screenshots or is_on_this_computer(host):
        return False
    given = [consent for consent in _consents(_read(root)) if consent.host == host]
    return not any(consent.screenshots >= screenshots and consent.bytes >= size for consent in given)


def give_consent(root: Path, host: str, screenshots: int, size: int, *, by: str) -> None:
    """Raises DatasetError."""
    consent = Consent(host=host, screenshots=screenshots, bytes=size, by=by, at=datetime.now(UTC))
    with locked(root):
        before = _read(root)
        make_folder((root / CONSENTS).parent, within=root)
        begun = before if not before or before.endswith(b"\n") else before + b"\n"
        write_durably(root / CONSENTS, begun + f"{consent.model_dump_json()}\n".encode(), within=root)


def _read(root: Path) -> bytes:
    try:
        with storage_errors(root / CONSENTS, "read"):
            return read_file(root / CONSENTS, Largest.WRITTEN_BY_HAND, within=root)
    except MissingFileError:
        return b""


def _consents(data: bytes) -> list[Consent]:
    """What cannot be read is no consent."""
    found = []
    for line in data.splitlines():
        try:
            found.append(Consent.model_validate_json(line))
        except ValidationError:
            continue
    return found
