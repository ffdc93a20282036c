"""What clusters of samples, such as all questions on one document, change about an answer."""

from dataclasses import asdict, dataclass

import numpy as np

from adjudge.core.index import counted
from adjudge.core.labels import Labels
from adjudge.core.predictions import Predictions
from adjudge.decisions.rank import drawn_in_clusters
from adjudge.inference.clusters import Clusters
from adjudge.inference.stratum import known_losses
from adjudge.losses.loss import Loss, default_loss


@dataclass(frozen=True)
class ClusterSummary:
    """Labels and the clusters that they come from.

    Attributes
    ----------
    design_effect
        The variance of a mean over clusters, over that of independent samples: the median of all models.
    drawn
        Whether labels were drawn at random; otherwise there are no intervals about the pool.
    by_clusters
        Whether they may have been drawn cluster by cluster, so that these intervals are wider.
    complete
        Whether the whole pool is labeled, so that only what is said about future data can be wrong.
    """

    column: str
    clusters: int
    labeled_clusters: int
    labels: int
    design_effect: float
    drawn: bool
    by_clusters: bool
    complete: bool

    @property
    def effective_labels(self) -> float:
        return self.labels / self.design_effect

    @property
    def sentence(self) -> str:
        """What was done about clusters, in words."""
        count = f"{counted(self.labels, 'label')} of {counted(self.labeled_clusters, 'cluster')} by {self.column!r}"
        like = f"{count} tell about as much as {self.effective_labels:.0f} independent ones"
        if self.complete:
            return f"{like}: what is said about future data allows for that."
        if self.by_clusters:
            return f"{like}: intervals allow for that if whole clusters were drawn, and nothing else is guaranteed."
        if not self.drawn:
            return f"{like}; how they were chosen is not known, so there are no intervals to widen."
        return f"Samples were drawn one by one, so clusters by {self.column!r} change nothing about this pool."

    def to_dict(self) -> dict[str, object]:
        return asdict(self) | {"effective_labels": self.effective_labels, "sentence": self.sentence}


def cluster_summary(
    predictions: Predictions, labels: Labels | None, column: str, loss: Loss | None = None
) -> ClusterSummary | None:
    """What is known about clusters from the labels; None: there are no labels."""
    clusters = Clusters.of(predictions, column)
    if labels is None or not labels.usable.any():
        return None
    log = labels.settled()
    known = known_losses(predictions, log, loss or default_loss(predictions, log))
    rows, used = clusters.of_rows(log.sample), known.observed.any(axis=0)
    effect = rows.design_effect(known.losses, known.observed)
    return ClusterSummary(
        column,
        len(np.unique(clusters.code)),
        len(np.unique(rows.code[used])),
        int(np.count_nonzero(used)),
        float(np.median(effect)),
        bool((~np.isnan(labels.weight)).any()),
        drawn_in_clusters(labels),
        bool(np.count_nonzero(labels.answered) == labels.pool),
    )
