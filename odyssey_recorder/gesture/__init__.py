"""From kernel input events to strokes, gestures and actions."""
