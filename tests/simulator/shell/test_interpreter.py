import pytest

from tests.simulator.bench import Bench


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("echo a; echo b", "a\nb\n"),
        ("true && echo yes || echo no", "yes\n"),
        ("false && echo yes || echo no", "no\n"),
        ("echo \"$USER-${USER}\" '$USER'", "shell-shell $USER\n"),
        ("no_such_program 2>/dev/null; echo $?", "127\n"),
        ("true | false; echo $?", "1\n"),
        ("echo one two | cat | wc -w", "2\n"),
        ("echo keep > /sdcard/f; echo more >> /sdcard/f; cat < /sdcard/f", "keep\nmore\n"),
        ("no_such_program 2>&1 | cat", "/system/bin/sh: no_such_program: inaccessible or not found\n"),
        ("echo hidden > /dev/null", ""),
        ("cat /no/such 2>&1", "cat: /no/such: No such file or directory\n"),
        ("dumpsys window | grep mCurrentFocus | head -n 1 | wc -l", "1\n"),
        ("/system/bin/echo path", "path\n"),
        ("echo -n no newline", "no newline"),
        ("sleep 0; echo awake", "awake\n"),
        ("date +%Y > /sdcard/year; wc -c < /sdcard/year", "5\n"),
        ("whoami; id | grep -c shell", "shell\n1\n"),
        ("cat /sdcard 2>&1", "cat: /sdcard: Is a directory\n"),
        (
            "mkdir /sdcard/d; mkdir -p /sdcard/d/e/f; ls /sdcard/d; mkdir /sdcard/d 2>&1",
            "e\nmkdir: '/sdcard/d': File exists\n",
        ),
        (
            "touch /sdcard/d/t; ls -l /sdcard/d/t | wc -w; rm -r /sdcard/d; ls -d /sdcard/d 2>&1",
            "8\nls: /sdcard/d: No such file or directory\n",
        ),
        (
            "rm /sdcard/none 2>&1; rm /sdcard 2>&1",
            "rm: /sdcard/none: No such file or directory\nrm: /sdcard: Is a directory\n",
        ),
        ("echo a; echo B | grep -i b | grep -v x; echo c | grep -q c && echo found", "a\nB\nfound\n"),
        ("getevent -p | tail -n 2 | head -n 1", "  input props:\n"),
        ("cat /proc/uptime | wc -w; uptime | grep -c up", "2\n1\n"),
        ("echo x > /sdcard/f/g 2>&1; echo $?", "1\n"),
        ("rm -f /sdcard/f; ls /sdcard/f 2>/dev/null || echo gone", "gone\n"),
    ],
)
def test_shell_line_prints_expected_output(bench: Bench, line: str, expected: str) -> None:
    assert bench.adb("shell", line).stdout.decode() == expected


def test_syntax_error_is_printed_to_stderr(bench: Bench) -> None:
    completed = bench.adb("shell", "echo $(reboot)")
    assert (completed.returncode, completed.stdout) == (1, b"")
    assert completed.stderr == b"/system/bin/sh: syntax error: unexpected '$('\n"


def test_unwritable_file_stops_only_its_command(bench: Bench) -> None:
    completed = bench.adb("shell", "echo a > /no/such/folder; echo b")
    assert completed.stdout == b"b\n"
    assert completed.stderr == b"/system/bin/sh: can't open /no/such/folder: No such file or directory\n"


def test_writer_ends_when_its_reader_exits(bench: Bench) -> None:
    with bench.running("shell", "getevent | true") as process:
        bench.console("event", "text", "a")
        assert process.wait(60) == 0
