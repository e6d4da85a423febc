"""The tree of errors; each message can be shown to the user."""


def showable(text: str) -> str:
    """`text` with lone surrogates escaped, which no file or terminal can encode: file names need not be UTF-8."""
    return text.encode(errors="backslashreplace").decode()


class OdysseyError(Exception):
    """An error for the user; the message says what failed, on what, and what to do."""

    def __str__(self) -> str:
        return showable(super().__str__())


class DeviceError(OdysseyError):
    """The device, or the connection to it, failed."""


class DeviceDisconnectedError(DeviceError):
    """The device is gone: unplugged, offline, shut down, or its adb server died."""


class DeviceTimeoutError(DeviceError):
    """The device is listed but did not answer in time."""


class InputRefusedError(DeviceError):
    """An input was not carried out as intended; its step must not be kept."""


class DatasetError(OdysseyError):
    """The dataset folder could not be read or written."""


class MissingFileError(DatasetError): ...


class UnfitFileError(DatasetError, OSError):
    """A file is not used because of its kind or size: a pipe, a device, far too large, a link that leads elsewhere.

    Also an OSError, so that callers report it like any other unreadable file.
    """

    def __str__(self) -> str:
        return showable(f"{self.filename} is not used: {self.strerror}.")


class InvalidEpisodeError(DatasetError):
    """An episode file violates the format; the message names file, step and field."""


class RecordingError(OdysseyError):
    """The recording cannot continue, or this step cannot be taken; what was recorded is kept."""


class ScriptError(OdysseyError):
    """A recording script cannot be played; the message names the line."""


class ReplayError(OdysseyError): ...


class SettingsError(OdysseyError): ...


class SdkError(OdysseyError):
    """A part of the Android SDK is missing or broken; the message has the command that installs it."""


class CancelledError(OdysseyError):
    """A long operation was cancelled on request."""


class TaskError(OdysseyError):
    """A task list is invalid, or a task unavailable; the message names line and key, or the task."""


class PracticeError(OdysseyError):
    """A practice task, gold episode or annotator profile cannot be read; the message names the file."""


class ReviewError(OdysseyError):
    """A verdict or fix is invalid, or a review file unreadable; the message names the episode or field."""


class LanguageModelError(OdysseyError):
    """A language model call failed; the message never contains the API key."""


class ModelBusyError(LanguageModelError):
    """The server is busy, failed or timed out: the question may be repeated after `wait_s` seconds.

    `wait_s` is None if the server gave no time. With `for_all` it accepts no other question before that either.
    """

    def __init__(self, message: str, wait_s: float | None = None, *, for_all: bool = False) -> None:
        super().__init__(message)
        self.wait_s = wait_s
        self.for_all = for_all


class ModelUnusableError(LanguageModelError):
    """No question can succeed until the user fixes something: the key, model name, address or quota."""


class AnswerError(LanguageModelError):
    """A model's answer is unusable; `raw` is its text, the tokens are what it cost."""

    def __init__(self, message: str, raw: str = "", *, tokens_in: int = 0, tokens_out: int = 0) -> None:
        super().__init__(message)
        self.raw = raw
        self.tokens_in = tokens_in
        self.tokens_out = tokens_out


class RefusedAnswerError(AnswerError):
    """The model declined, or the server's filter removed the answer."""


class TruncatedAnswerError(AnswerError):
    """The answer is incomplete."""


class BrokenAnswerError(AnswerError):
    """The answer is not JSON, or does not match the schema."""


class BudgetError(LanguageModelError):
    """The next question would exceed the budget; earlier answers are kept."""
