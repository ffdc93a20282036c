"""What a pick looks at: patterns whose labels may be asked for, and in a large pool, some samples for all of them."""

import numpy as np

from adjudge.core.arrays import BoolArray, FloatArray, IntArray
from adjudge.core.cache import cache
from adjudge.core.labels import Labels
from adjudge.core.predictions import Predictions
from adjudge.core.votes import votes
from adjudge.inference.missing_predictions import share_lacking
from adjudge.methods.pooled.consensus import consensus, labeled_design
from adjudge.methods.pooled.design_matrix import DesignMatrix, design_matrix
from adjudge.methods.pooled.expected_accuracy import accuracies, consensus_accuracy, expected_sums
from adjudge.methods.pooled.patterns import MIN_MODELS, prediction_patterns

CANDIDATES = 4096  # patterns at most: those with contradictions first, the most common, then a seeded choice
LOOKED_AT = 1 << 22  # predictions at most: beyond, expected accuracies are estimated for picks
IN_DISPUTE = 0.9  # share of these on which models differ: the others hardly move one model against another


def candidates(predictions: Predictions) -> tuple[IntArray, DesignMatrix]:
    """The patterns whose labels may be asked for, and their features."""

    def choose() -> tuple[IntArray, DesignMatrix]:
        first, _, size = prediction_patterns(predictions)
        found = np.flatnonzero(differs(predictions)[first])
        if len(found) > CANDIDATES:
            shuffled = np.random.default_rng(CANDIDATES).permutation(len(found))
            order = np.lexsort((shuffled, -size[found], votes(predictions).unanimous[first[found]]))
            found = np.sort(found[order[:CANDIDATES]])
        return found, design_matrix(predictions, first[found])

    return cache.get(predictions, "candidates", choose)


def differs(predictions: Predictions) -> BoolArray:
    """(samples,): whether a label may change the difference between two models.

    This includes samples with a prediction of some models only, but none on which all of them abstain. It is not
    `core.strata.disputed`, which says from which stratum a label was drawn: a part of a pool keeps the strata of the
    whole.
    """
    counted = votes(predictions)
    some = (counted.present > 0) & (counted.present < np.count_nonzero(predictions.n_predicted))
    return np.asarray((some | ~counted.unanimous) & (counted.majority >= 0))


def unlabeled_count(predictions: Predictions, labels: Labels) -> FloatArray:
    """(candidates,): the number of unlabeled samples that each stands for; in sum, all that are in dispute."""
    first, group, size = prediction_patterns(predictions)
    unlabeled = size - np.bincount(group[labels.sample[labels.usable]], minlength=len(first))
    in_dispute = differs(predictions)[first]
    count = unlabeled[candidates(predictions)[0]]
    return np.asarray(count * (unlabeled[in_dispute].sum() / max(count.sum(), 1)))


def nearly_consensus_accuracy(predictions: Predictions, labels: Labels) -> FloatArray:
    """(models,): accuracies under the consensus, for a pick; in a large pool, those of a seeded sample of its samples.

    With 100 models, two that differ on a tenth of the pool are compared with a standard error of 0.16 points, far below
    what labels leave open while a pick matters. An answer never comes from here.
    """
    first, _, _ = prediction_patterns(predictions)
    most = LOOKED_AT // max(len(predictions.models), MIN_MODELS)
    if len(first) <= most:
        return consensus_accuracy(predictions, labels)
    weight, design = cache.get(predictions, "sampled patterns", lambda: _sampled(predictions, most))
    modes, lacking = consensus(predictions, labels).modes, share_lacking(predictions)
    rows = np.sort(labels.sample[labels.usable])
    # what is labeled is known, whether it is in the sample or not
    known = expected_sums(modes, lacking, labeled_design(predictions, rows), np.ones(len(rows)))
    return accuracies(predictions, labels, expected_sums(modes, lacking, design, weight) - known)


def _sampled(predictions: Predictions, most: int) -> tuple[FloatArray, DesignMatrix]:
    """Patterns of samples that are drawn for all, how many samples each stands for, and the features of these."""
    first, group, _ = prediction_patterns(predictions)
    rng, weight, disputed = np.random.default_rng(LOOKED_AT), np.zeros(len(first)), differs(predictions)
    for members, share in ((disputed, IN_DISPUTE), (~disputed, 1 - IN_DISPUTE)):
        places = np.flatnonzero(members)
        drawn = rng.choice(places, min(len(places), round(share * most)), replace=False)
        weight += np.bincount(group[drawn], minlength=len(first)) * (len(places) / max(len(drawn), 1))
    chosen = np.flatnonzero(weight)
    return weight[chosen], design_matrix(predictions, first[chosen])
