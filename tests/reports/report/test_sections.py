"""The sections of a report."""

from adjudge import RankOptions
from adjudge.registry import selector
from adjudge.reports.report.gather import ReportOptions, gather
from adjudge.reports.report.sections import sections
from adjudge.simulation.loop import bought
from tests.support.reported import pool_of


def test_a_ranking_by_another_metric_is_reported_as_one() -> None:
    pool, _, truth = pool_of()
    log = bought(selector("random"), pool, truth, 100, seed=0)
    found = gather(pool, log, ReportOptions(rank=RankOptions(metric="macro-f1")))
    assert found.ranking.estimate.quantity == "macro-f1"
    assert sections(found)[0].chart is not None
