"""Episodes as values: actions, steps and geometry, independent of devices, files and clocks."""
