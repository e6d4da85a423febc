import subprocess
import sys

HEAVY_LIBRARIES = ("PySide6", "adbutils", "PIL", "openai", "jinja2")


def test_the_command_line_loads_no_heavy_library_before_a_subcommand_needs_it() -> None:
    program = "import odyssey_recorder.cli, sys; print(*sys.modules)"

    answer = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)

    assert not set(HEAVY_LIBRARIES) & set(answer.stdout.split())
