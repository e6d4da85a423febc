"""The Review page: judging episodes, and the quality figures of the dataset."""
