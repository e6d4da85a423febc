"""Every program that the simulated shell finds on its path."""

from odyssey_recorder.simulator.shell import input as input_program
from odyssey_recorder.simulator.shell import plain, properties, screencap
from odyssey_recorder.simulator.shell.program import Programs

PROGRAMS: Programs = {
    **plain.PROGRAMS,
    **properties.PROGRAMS,
    **screencap.PROGRAMS,
    **input_program.PROGRAMS,
}
