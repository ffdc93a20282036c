"""What the paper says."""

import pytest

from adjudge.experiments.papers.sds_2021_published import TABLE_2


@pytest.mark.parametrize("indicator", list(TABLE_2))
def test_the_published_averages_are_those_of_the_published_cutoffs(indicator: str) -> None:
    """Two of thirty were rounded from more digits than the table has."""
    for rows in TABLE_2[indicator].values():
        *cutoffs, averages = ([float(each) for each in row.split()[1:]] for row in rows[:7])
        means = [sum(column) / 6 for column in zip(*cutoffs, strict=True)]
        assert averages == pytest.approx(means, abs=0.0007)
