"""Metrics of rankings, estimates and intervals against a known truth, and effect sizes between methods."""

from adjudge.evaluation.effect import cliffs_delta, cliffs_word, rank_sum, win_tie_loss
from adjudge.evaluation.error import mean_squared_error, relative_efficiency
from adjudge.evaluation.intervals import coverage, mean_width
from adjudge.evaluation.ranking import jaccard, kendall, spearman, top_k
from adjudge.evaluation.regret import cumulative_regret, labels_to_within, regret

__all__ = [
    "cliffs_delta",
    "cliffs_word",
    "coverage",
    "cumulative_regret",
    "jaccard",
    "kendall",
    "labels_to_within",
    "mean_squared_error",
    "mean_width",
    "rank_sum",
    "regret",
    "relative_efficiency",
    "spearman",
    "top_k",
    "win_tie_loss",
]
