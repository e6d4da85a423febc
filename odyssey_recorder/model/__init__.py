"""What an episode is: actions, steps and geometry, free of any device, file or clock."""
