"""What can go wrong, as the people who must mend it are told: one tree of errors, each message fit to be shown."""


def showable(text: str) -> str:
    """`text` with what no file or terminal can hold spelled out: names of files need not be UTF-8."""
    return text.encode(errors="backslashreplace").decode()


class OdysseyError(Exception):
    """Something the user can understand and act on; the message says what failed, on what, and what to do."""

    def __str__(self) -> str:
        return showable(super().__str__())


class DeviceError(OdysseyError):
    """The device, or the way to it, failed."""


class DeviceDisconnectedError(DeviceError):
    """The device is gone: unplugged, offline, shut down, or its adb server died."""


class DeviceTimeoutError(DeviceError):
    """The device is listed but did not answer in time."""


class InputRefusedError(DeviceError):
    """The device, or the path to it, did not carry out this input as it was meant; its step must not be kept."""


class DatasetError(OdysseyError):
    """The dataset folder could not be read or written."""


class MissingFileError(DatasetError):
    """There is no such file in the dataset."""


class UnfitFileError(DatasetError, OSError):
    """A file is not read or written for what it is: a pipe, a device, far too large, a link that leads elsewhere.

    An OSError too: whoever reads files tells of it as of any other that cannot be read.
    """

    def __str__(self) -> str:
        return showable(f"{self.filename} is not used: {self.strerror}.")


class InvalidEpisodeError(DatasetError):
    """An episode file says something that the format does not allow; the message names file, step and field."""


class RecordingError(OdysseyError):
    """The recording cannot go on, or this step cannot be taken; what was recorded is kept."""


class ScriptError(OdysseyError):
    """A recording script is not what the recorder can play; the message names the line."""


class ReplayError(OdysseyError):
    """An episode cannot be replayed here; the message says why."""


class SettingsError(OdysseyError):
    """A setting is missing or contradicts another."""


class SdkError(OdysseyError):
    """A part of the Android SDK is missing or does not work; the message has the command that brings it."""


class CancelledError(OdysseyError):
    """What took long was given up because somebody asked for it; nothing failed."""


class TaskError(OdysseyError):
    """A list of tasks is not what can be read, or a task cannot be had; the message names line and key, or the task."""


class PracticeError(OdysseyError):
    """A practice task, its gold episode or an annotator's profile cannot be read; the message names the file."""


class ReviewError(OdysseyError):
    """A verdict or a fix cannot be taken, or a review file not be read; the message names the episode or the place."""


class LanguageModelError(OdysseyError):
    """A language model could not be asked, or its answer not be used; the message never holds the key."""


class ModelBusyError(LanguageModelError):
    """The server is busy, failed or did not answer: the same question may be asked again, `wait_s` seconds later.

    None where the server did not say how long. `for_all`: it takes no other question before that either.
    """

    def __init__(self, message: str, wait_s: float | None = None, *, for_all: bool = False) -> None:
        super().__init__(message)
        self.wait_s = wait_s
        self.for_all = for_all


class ModelUnusableError(LanguageModelError):
    """No question is answered until somebody mends something: the key, the model's name, the address, the quota."""


class AnswerError(LanguageModelError):
    """A model answered, but not what was asked for; `raw` is what it said, and the tokens are what it took."""

    def __init__(self, message: str, raw: str = "", *, tokens_in: int = 0, tokens_out: int = 0) -> None:
        super().__init__(message)
        self.raw = raw
        self.tokens_in = tokens_in
        self.tokens_out = tokens_out


class RefusedAnswerError(AnswerError):
    """The model declined, or the server's filter took the answer away."""


class TruncatedAnswerError(AnswerError):
    """The answer ended before it was whole."""


class BrokenAnswerError(AnswerError):
    """The answer is no JSON, or not of the schema."""


class BudgetError(LanguageModelError):
    """Another question would cost more than what may be spent; what was answered is kept."""
