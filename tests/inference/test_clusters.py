"""Intervals for samples that come in clusters: coverage by simulation, and never narrower than without."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

import adjudge
from adjudge.core.arrays import FloatArray, IntArray
from adjudge.core.labels import Labels
from adjudge.core.predictions import Predictions
from adjudge.decisions.clusters import cluster_summary
from adjudge.errors import AdjudgeError
from adjudge.inference.clusters import ClusteredIntervals, ClusteredRows, Clusters
from adjudge.inference.future import future_intervals
from adjudge.inference.weighted import FixedBudgetIntervals, pool_mean
from adjudge.losses.loss import ZeroOne
from adjudge.reports.report.gather import gather
from tests.support.pools import pool_of, uniform_log
from tests.support.repeated import repeated

MEANS = (0.8, 0.7)  # of two models


def clustered_pool(rng: np.random.Generator, clusters: int, size: int = 6) -> tuple[Predictions, FloatArray]:
    """Questions of a document are easy or hard together, and for the second model more so."""
    sizes = 1 + rng.poisson(size - 1, clusters)
    group = np.repeat(np.arange(clusters), sizes)
    hard = rng.random(clusters) < 0.5
    right = [
        rng.random(len(group)) < np.where(hard[group], mean - apart, mean + apart)
        for mean, apart in zip(MEANS, (0.15, 0.25), strict=True)
    ]
    pool = pool_of((~np.array(right)).astype(np.int64))
    return replace(pool, columns=pa.table({"document": pa.array(group)})), np.zeros(len(group))


def codes(pool: Predictions) -> IntArray:
    return Clusters.of(pool, "document").code


@repeated(60, 4000)
def test_intervals_for_future_data_cover_where_clusters_are_independent(repeats: int) -> None:
    covered = np.zeros((2, 2))
    for run in range(repeats):
        pool, truth = clustered_pool(np.random.default_rng([5, run]), 40)
        for place, clusters in enumerate((None, Clusters.of(pool, "document"))):
            found = future_intervals(pool, Labels.complete(truth), ZeroOne(), leader=0, clusters=clusters)
            assert found is not None
            mean, apart = found.estimate, found.difference_to_leader
            covered[place, 0] += mean.low[1] <= MEANS[1] <= mean.high[1]
            covered[place, 1] += apart.low[1] <= MEANS[0] - MEANS[1] <= apart.high[1]
    check_coverage(covered, repeats)


@repeated(25, 3000)
def test_labels_of_whole_clusters_give_intervals_that_cover_the_pool(repeats: int) -> None:
    covered = np.zeros((2, 2))
    for run in range(repeats):
        rng = np.random.default_rng([6, run])
        pool, truth = clustered_pool(rng, 120)
        drawn = np.flatnonzero(np.isin(codes(pool), rng.choice(120, 25, replace=False)))
        log = uniform_log(truth, rng.permutation(drawn))
        mean = pool_mean(pool, log, ZeroOne())
        plain = FixedBudgetIntervals(mean, 0.95, mean.pairs)
        wrong, (first, second) = (pool.values != 0).mean(axis=1), np.eye(2, dtype=bool)
        clusters = ClusteredIntervals(plain, Clusters.of(pool, "document").of_rows(log.sample))
        both: tuple[FixedBudgetIntervals | ClusteredIntervals, ...] = (plain, clusters)
        for place, times in enumerate(both):
            _, low, high = times.errors()
            covered[place, 0] += low[1] <= wrong[1] <= high[1]
            _, low, high = times.between(np.flatnonzero(second), np.flatnonzero(first))
            covered[place, 1] += low[0, 0] <= wrong[1] - wrong[0] <= high[0, 0]
    check_coverage(covered, repeats)


def check_coverage(covered: FloatArray, repeats: int) -> None:
    """Of a mean and of a difference, as if samples were independent, and by clusters."""
    (alone, _), clustered = covered / repeats
    assert (clustered >= 0.94 - 3 * np.sqrt(0.05 * 0.95 / repeats)).all()
    assert alone < 0.92 + 3 * np.sqrt(0.05 * 0.95 / repeats) * (repeats < 1000)


def test_a_design_effect_is_one_for_independent_rows_and_the_size_for_copies() -> None:
    rng = np.random.default_rng(0)
    rows, used = (rng.random((3, 400)) < 0.3).astype(np.float64), np.ones((3, 400), dtype=bool)
    alone = ClusteredRows(np.arange(400))
    assert alone.design_effect(rows, used) == pytest.approx(1.0)
    assert alone.stretch(np.ones(3), used, 0.95) == pytest.approx(1.0, abs=0.01)
    fours = ClusteredRows(np.repeat(np.arange(100), 4))
    copies = np.repeat(rows[:, :100], 4, axis=1)
    assert fours.design_effect(copies, used) == pytest.approx(4.0, rel=0.05)
    assert fours.design_effect(np.zeros((1, 400)), used[:1]) == pytest.approx(4.0)  # as if all of a cluster were one
    assert fours.effective_clusters(used) == pytest.approx(100)
    one = ClusteredRows(np.zeros(400, dtype=np.int64))
    assert np.isinf(one.stretch(np.ones(3), used, 0.95)).all()


@pytest.mark.filterwarnings("ignore::adjudge.errors.AdjudgeWarning")
def test_clusters_only_widen_and_samples_drawn_one_by_one_need_none() -> None:
    rng = np.random.default_rng(3)
    pool, truth = clustered_pool(rng, 60)
    code = codes(pool)
    log = uniform_log(truth, np.flatnonzero(code < 20))
    plain, wide = (adjudge.rank(pool, log, "drawn", cluster=each) for each in (None, "document"))
    assert (wide.estimate.low < plain.estimate.low).all()
    assert (wide.estimate.high > plain.estimate.high).all()
    assert wide.guaranteed is None
    assert wide.recommendation is not None
    assert "fixed in advance" in dict(wide.recommendation.words)["Guaranteed"]
    single = adjudge.estimate(pool, "m1", log, cluster="document")
    assert (single.estimate.low[0], single.estimate.high[0]) == (wide.estimate.low[1], wide.estimate.high[1])
    summary = cluster_summary(pool, log, "document")
    assert summary is not None
    assert (summary.labeled_clusters, summary.clusters) == (20, 60)
    assert summary.design_effect > 1
    assert "tell about as much as" in summary.sentence
    told = cluster_summary(pool, replace(log, weight=np.full(len(log), np.nan)), "document")
    assert told is not None
    assert "how they were chosen is not known" in told.sentence
    own = adjudge.select(pool, 40, "random").answer_all(truth)
    plain, same = (adjudge.rank(pool, own, "drawn", cluster=each) for each in (None, "document"))
    assert same.estimate.low.tolist() == plain.estimate.low.tolist()
    told = cluster_summary(pool, own, "document")
    assert told is not None
    assert "change nothing about this pool" in told.sentence


@pytest.mark.filterwarnings("ignore::adjudge.errors.AdjudgeWarning")
def test_nothing_is_guaranteed_at_any_time_by_labels_of_whole_clusters() -> None:
    pool, truth = clustered_pool(np.random.default_rng(3), 60)
    log = uniform_log(truth, np.flatnonzero(codes(pool) < 40))
    alone, clustered = (
        gather(pool, log, adjudge.ReportOptions(rank=adjudge.RankOptions("drawn", cluster=each)))
        for each in (None, "document")
    )
    assert alone.pairs is not None
    assert clustered.pairs is None
    assert clustered.ranking.likely is None
    plain, wide = (adjudge.compare(pool, "m0", "m1", log, cluster=each) for each in (None, "document"))
    assert wide.low < plain.low < plain.high < wide.high
    assert adjudge.compare(pool, "m0", "m1", log, anytime=True).anytime
    with pytest.raises(AdjudgeError, match="by clusters is for a number of labels fixed in advance; leave out"):
        adjudge.compare(pool, "m0", "m1", log, anytime=True, cluster="document")
    with pytest.raises(AdjudgeError, match="f1 cannot be combined with clusters"):
        adjudge.rank(pool, log, metric="f1", positive="c1", cluster="document")


def test_a_difference_on_future_data_is_wider_by_clusters_and_has_no_exact_test() -> None:
    pool, truth = clustered_pool(np.random.default_rng(4), 40)
    log = Labels.complete(truth)
    plain, wide = (adjudge.compare(pool, "m0", "m1", log, cluster=each) for each in (None, "document"))
    assert wide.future_low < plain.future_low
    assert wide.future_high > plain.future_high
    assert np.isnan(wide.p_value)
    assert wide.method.endswith("widened for clusters of 'document'")
    one, other = (adjudge.rank(pool, log, cluster=each).recommendation for each in (None, "document"))
    assert one is not None
    assert other is not None
    assert one.future is not None
    assert other.future is not None
    assert other.future > one.future


def test_samples_without_a_cluster_are_their_own_and_a_wrong_column_is_refused() -> None:
    pool = replace(pool_of([[0, 1, 0, 1]]), columns=pa.table({"document": ["a", None, "a", None]}))
    assert len(set(codes(pool).tolist())) == 3
    for other, says in ((pool, "'document'; add --columns page"), (pool_of([[0, 1]]), "no columns of facts")):
        with pytest.raises(AdjudgeError, match=says):
            Clusters.of(other, "page")


@pytest.mark.filterwarnings("ignore::adjudge.errors.AdjudgeWarning")
def test_labels_of_whole_clusters_stay_so_when_select_goes_on_from_them(tmp_path: Path) -> None:
    pool, truth = clustered_pool(np.random.default_rng(3), 60)
    given = uniform_log(truth, np.flatnonzero(codes(pool) < 20))
    file = tmp_path / "log.csv"
    adjudge.write_labels(adjudge.select(pool, 5, "random", labels=given).answer_all(truth), pool, file)
    assert f"# given: {len(given)}" in file.read_text()
    _, log = adjudge.read_labels(file, pool)
    further = adjudge.select(pool, 5, labels=log).answer_all(truth)
    assert further.header.given == len(given)
    for each in (log, further):
        plain, wide = (adjudge.rank(pool, each, "drawn", cluster=column) for column in (None, "document"))
        assert (wide.estimate.low < plain.estimate.low).all()
    own = adjudge.select(pool, 40, "random").answer_all(truth)
    assert adjudge.select(pool, 5, labels=own).header.given == 0
    adjudge.write_labels(own, pool, file)
    assert adjudge.read_labels(file, pool, drawn="uniform")[1].header.given == 40
    file.write_text(file.read_text().replace("# seed", "# given: many\n# seed"))
    with pytest.raises(AdjudgeError, match=r"the given 'many' in log\.csv is not a whole number"):
        adjudge.read_labels(file, pool)
