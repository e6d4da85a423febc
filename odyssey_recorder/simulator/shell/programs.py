"""Every program that the simulated shell finds on its path."""

from odyssey_recorder.simulator.shell import (
    dumpsys,
    getevent,
    ime,
    packages,
    plain,
    properties,
    screencap,
    uiautomator,
    window_manager,
)
from odyssey_recorder.simulator.shell import input as input_program
from odyssey_recorder.simulator.shell.program import Programs

_FAMILIES = (
    dumpsys,
    getevent,
    ime,
    input_program,
    packages,
    plain,
    properties,
    screencap,
    uiautomator,
    window_manager,
)
PROGRAMS: Programs = {name: program for family in _FAMILIES for name, program in family.PROGRAMS.items()}
