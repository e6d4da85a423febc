"""How a recorded episode is carried out again and its screens are compared with the recorded ones."""
