"""What several pages share of running work: the recording, the queue, practice."""
