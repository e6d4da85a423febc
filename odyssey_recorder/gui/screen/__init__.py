"""Pictures of a device: canvas, viewport, action marks, strip and viewer."""
