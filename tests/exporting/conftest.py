"""A dataset that the tests of exports share; they only read it."""

import pytest

from tests.exporting.sample import Dataset, write_dataset

COUNT = 12


@pytest.fixture(scope="package")
def dataset(tmp_path_factory: pytest.TempPathFactory) -> Dataset:
    root = tmp_path_factory.mktemp("source") / "data"
    return Dataset(root, write_dataset(root, COUNT, texts=True))
