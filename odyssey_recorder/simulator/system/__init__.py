"""What the simulated phone itself shows around and between apps."""
