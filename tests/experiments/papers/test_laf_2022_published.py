"""What the paper says."""

from adjudge.experiments.papers.laf_2022_published import shifted
from adjudge.experiments.papers.laf_2022_tables import CORRUPTIONS


def test_what_is_published_is_whole() -> None:
    """Spearman and Kendall of one ranking lie near each other: a number in a wrong place would not."""
    assert len(shifted()) == 150
    for told in shifted().values():
        low, high = map(float, told["robustness"].split("-"))
        assert 0 < low < high < 100
        for method in ("Random", "SDS", "CES", "LaF"):
            spearman, kendall = (float(told[f"{each}_{method}"].split("±")[0]) for each in ("spearman", "kendall"))
            assert abs(kendall) <= abs(spearman) + 0.02, told
            assert abs(spearman - kendall) < 0.22, told
    assert {kind for _, kind, _ in shifted()} == set(CORRUPTIONS)
