"""The sentences of a report that are about labels, methods and how to read it."""

from math import isnan

import numpy as np

from adjudge._version import __version__
from adjudge.core.index import counted
from adjudge.core.labels import Labels
from adjudge.core.ranking import Ranking
from adjudge.core.strata import UNANIMOUS
from adjudge.decisions.shared_errors import AGREEMENT, CORRELATION, OVERLAP, SharedErrors
from adjudge.reports.page import Term
from adjudge.reports.report.gather import ContestedSample, Report


def label_counts(labels: Labels) -> dict[str, int]:
    """How many labels there are of each kind."""
    chosen = np.isnan(labels.weight)
    return {
        "labels": labels.labeled,
        "drawn": int(np.count_nonzero(labels.usable & ~chosen)),
        "drawn_where_all_agree": int(np.count_nonzero(labels.usable & ~chosen & (labels.stratum == UNANIMOUS))),
        "chosen": int(np.count_nonzero(labels.usable & chosen)),
        "skipped": labels.skipped,
        "pending": int(np.count_nonzero(~labels.answered)),
    }


def label_terms(report: Report) -> list[Term]:
    """How labels were drawn, and by whom."""
    labels, counts = report.labels, label_counts(report.labels)
    if not len(labels):
        return [("Labels", "none: the ranking shows how far models agree with each other.")]
    known = bool(labels.header.method)
    picked = "chosen because they tell most about which model is best" if known else "of which nobody said how chosen"
    kinds = [
        f"{counts['drawn']:,} drawn at random, each with a recorded chance" if counts["drawn"] else "",
        f"{counts['chosen']:,} {picked}" if counts["chosen"] else "",
    ]
    terms = [("Labels", f"{counts['labels']:,} of {labels.pool:,} samples: {'; '.join(filter(None, kinds))}.")]
    if counts["drawn_where_all_agree"]:
        terms.append(
            (
                "Checks",
                f"{counts['drawn_where_all_agree']:,} of the drawn labels are on samples where all models agree.",
            )
        )
    for name, word in (("skipped", "which nobody could label"), ("pending", "handed out and not labeled yet")):
        if counts[name]:
            terms.append((name.capitalize(), f"{counted(counts[name], 'sample')}, {word}."))
    header = labels.header
    if header.method:
        told = "".join(f", {name} {value}" for name, value in header.parameters.items())
        seed = "" if header.seed is None else f", seed {header.seed}"
        terms.append(
            ("Selected by", f"{header.method}{told}{seed} (adjudge {header.version or 'of unknown version'}).")
        )
    if report.annotators:
        terms.append(("Labeled by", " ".join(report.annotators)))
    return terms


def method_terms(report: Report, method: str) -> list[Term]:
    """What computed the numbers."""
    terms = [("Ranked by", f"{method}: {report.ranking.estimate.quantity}."), ("Version", f"adjudge {__version__}.")]
    if report.label_noise:
        terms.append(("Label noise", f"intervals allow for {100 * report.label_noise:g} % of labels being wrong."))
    if report.trust is not None:
        terms.append(("Majority vote", report.trust.sentence))
    return [*terms, *(("Warning", f"{told[:1].upper()}{told[1:]}.") for told in report.warnings)]


def reading_terms(ranking: Ranking) -> list[Term]:
    """How to read the page: what each of its words claims, and what it does not."""
    if not ranking.estimate.has_interval:
        return [
            (
                "No guarantee",
                f"Models are ordered by {ranking.estimate.quantity}. That is no measurement of the whole pool, which "
                "needs labels that were drawn at random (adjudge select).",
            )
        ]
    stop = (
        "They hold however often you look and whenever you stop."
        if ranking.estimate.anytime
        else "They hold for a number of labels that was fixed beforehand, not if you stopped because they looked good "
        "(for that: adjudge rank --until)."
    )
    return [
        (
            "Likely",
            "What predictions and labels together suggest. It rests on a statistical model of how the models err, "
            "which was checked on public data but is no proof. Use it to decide what to deploy now.",
        ),
        (
            "Shown by draws",
            "What the labels that were drawn at random prove by themselves, whatever the models are like. Few labels "
            f"prove little, so these intervals are wide. Use them where a guarantee is asked for. {stop}",
        ),
        ("Both are right", "A model can be very likely the best long before draws alone can prove it."),
        (
            "Tier",
            "Every model below a tier was shown to be worse than the first of it. Within a tier nothing is shown.",
        ),
        (
            "About what",
            "All numbers are about the samples of this pool. They say something about other data only as far as those "
            "are of the same kind.",
        ),
    ]


def shared_sentence(found: SharedErrors) -> str:
    """What the map of pairs shows."""
    if found.measure == OVERLAP:
        return (
            "Of the samples that at least one of two models gets wrong, the share that both get wrong, estimated from "
            f"{counted(found.labels, 'label')} by their weights, where not all models agree. Two models that fail "
            "together gain little from being combined."
        )
    if found.measure == AGREEMENT:
        return (
            "How often two models give the same answer where not all models agree. This needs no label: there are too "
            "few drawn ones to say how often two models are wrong together. Models that always say the same also fail "
            "together."
        )
    assert found.measure == CORRELATION
    return (
        f"The correlation of the errors of two models, from {counted(found.labels, 'label')} by their weights. Two "
        " models whose errors go together gain little from being combined."
    )


def sample_lines(sample: ContestedSample, leader: str) -> tuple[str, ...]:
    """What models say about a contested sample, and what is true."""
    said = ", ".join(f"{answer or 'no answer'} ({count})" for answer, count in sample.answers[:4])
    others = len(sample.answers) - 4
    lines = [f"Models say: {said}{f' and {others} more answers' if others > 0 else ''}."]
    lines.append(f"{leader}: {sample.leader or 'no answer'}. Label: {sample.label or 'none yet'}.")
    return (*lines, *(f"{name}: {value}" for name, value in sample.fields.items()))


def percent(number: float | None) -> str:
    """A share as it is read, or nothing."""
    return "" if number is None or isnan(number) else f"{number:.0%}"
