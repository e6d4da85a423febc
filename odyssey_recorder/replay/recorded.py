"""Where the files of a recorded episode lie, and whether they are whole enough to be replayed."""

from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from PIL import Image
from pydantic import ValidationError

from odyssey_recorder.dataset.codec import read_episode
from odyssey_recorder.dataset.durable import dataset_of
from odyssey_recorder.dataset.png import read_png
from odyssey_recorder.dataset.provenance import FORMAT, EpisodeProvenance, StepRecord, StrokeRecord
from odyssey_recorder.errors import ReplayError
from odyssey_recorder.files import Largest, read_json
from odyssey_recorder.gesture.touch import TouchSample, TouchStroke
from odyssey_recorder.model.episode import Episode
from odyssey_recorder.model.geometry import Pixel, Size


@dataclass(frozen=True, slots=True)
class RecordedEpisode:
    """An episode, a screenshot for each step, and its provenance; None for released data."""

    episode: Episode
    screenshots: tuple[Path, ...]
    provenance: EpisodeProvenance | None = None

    def picture(self, number: int) -> Image.Image:
        """The screenshot of step `number` in RGB; ReplayError where it is missing or no whole PNG."""
        path = self.screenshots[number]
        try:
            return read_png(path)
        except FileNotFoundError as error:
            raise ReplayError(f"The screenshot of step {number} is missing: {path}.") from error
        except OSError as error:
            raise ReplayError(f"The screenshot of step {number} cannot be read, {path}: {error.strerror}.") from error

    def stroke(self, number: int) -> TouchStroke | None:
        """The finger of step `number` in pixels of its screenshot; None where none is on record."""
        record = self._record(number)
        if record is None or not isinstance(record.input, StrokeRecord) or not record.input.samples:
            return None
        samples = tuple(TouchSample(Pixel(x, y), time_us) for x, y, time_us in record.input.samples)
        return TouchStroke(samples, record.input.duration_us)

    def check(self) -> None:
        """Raise ReplayError for the first screenshot that is missing, broken, or not the recorded one."""
        size = self.episode.device.size
        for number, path in enumerate(self.screenshots):
            picture = self.picture(number)
            if Size(*picture.size) not in (size, size.turned()):
                raise ReplayError(
                    f"The screenshot of step {number} is {picture.width}x{picture.height}, but the episode's "
                    f"device has {size}: {path}."
                )
            record = self._record(number)
            if record is not None and sha256(picture.tobytes()).hexdigest() != record.frame.rgb_sha256:
                raise ReplayError(
                    f"The screenshot of step {number} is not the one that was recorded: its pixels are not "
                    f"those of the provenance, {path}. Bring the original file back."
                )

    def _record(self, number: int) -> StepRecord | None:
        return None if self.provenance is None else self.provenance.steps[number]


def load_recorded(path: Path) -> RecordedEpisode:
    """The episode in the annotation file `path`.

    In a dataset folder (``annotations/<id>.json``) the pictures are in ``screenshots/`` and the provenance in
    ``provenance/`` beside ``annotations/``; beside a lone file they are where it is, with no provenance.
    Raises DatasetError or InvalidEpisodeError for the episode, ReplayError for its provenance.
    """
    episode = read_episode(path)
    dataset = dataset_of(path)
    pictures = path.parent if dataset is None else dataset / "screenshots"
    screenshots = tuple(pictures / step.screenshot for step in episode.steps)
    provenance = None if dataset is None else _read_provenance(dataset / "provenance" / path.name, episode)
    return RecordedEpisode(episode, screenshots, provenance)


def _read_provenance(path: Path, episode: Episode) -> EpisodeProvenance | None:
    try:
        provenance = EpisodeProvenance.model_validate_json(read_json(path, Largest.PROOF, within=dataset_of(path)))
    except FileNotFoundError:
        return None
    except (OSError, ValidationError) as error:
        raise ReplayError(f"The provenance cannot be read, {path}: {error}.") from error
    if provenance.format > FORMAT:
        raise ReplayError(f"{path} was written by a newer version of this program. Update it.")
    if (provenance.episode_id, len(provenance.steps)) != (episode.episode_id, len(episode.steps)):
        raise ReplayError(f"{path} is not the provenance of this episode: the id or the number of steps differs.")
    return provenance
