"""Exports of a dataset: as released, as Parquet, as WebDataset, as JSON Lines."""
