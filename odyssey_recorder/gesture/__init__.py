"""How kernel input events become strokes, gestures and at last actions."""
