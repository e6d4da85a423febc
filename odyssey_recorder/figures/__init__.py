"""The figures of a dataset, as in the paper: values without a screen, drawn as SVG or in the window."""
