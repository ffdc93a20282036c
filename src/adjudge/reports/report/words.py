"""The sentences of a report that are about labels, methods and how to read it."""

import numpy as np

from adjudge._version import __version__
from adjudge.core.index import counted
from adjudge.core.labels import Labels
from adjudge.core.ranking import Ranking
from adjudge.core.strata import UNANIMOUS
from adjudge.decisions.shared_errors import AGREEMENT, CORRELATION, OVERLAP, SharedErrors
from adjudge.registry import suited
from adjudge.reports.page import Term
from adjudge.reports.report.gather import ContestedSample, Report
from adjudge.reports.tables import noise_sentence


def label_counts(labels: Labels) -> dict[str, int]:
    """How many labels there are of each kind; those that come after a blank one wait where weights are used."""
    used = labels if suited(labels) == "labeled" else labels.settled()
    chosen = np.isnan(used.weight)
    return {
        "labels": labels.labeled,
        "drawn": int(np.count_nonzero(used.usable & ~chosen)),
        "drawn_where_all_agree": int(np.count_nonzero(used.usable & ~chosen & (used.stratum == UNANIMOUS))),
        "chosen": int(np.count_nonzero(used.usable & chosen)),
        "waiting": labels.labeled - used.labeled,
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
        f"{counts['waiting']:,} not used yet, since a sample before them has no label" if counts["waiting"] else "",
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
    if report.options.annotators:
        terms.append(("Labeled by", " ".join(report.options.annotators)))
    return terms


def method_terms(report: Report) -> list[Term]:
    """What computed the numbers, and what it warned of."""
    method = report.options.rank.metric or report.options.rank.method or suited(report.labels, report.predictions)
    terms = [("Ranked by", f"{method}: {report.ranking.estimate.quantity}."), ("Version", f"adjudge {__version__}.")]
    if noise := noise_sentence(report.options.rank.label_noise):
        terms.append(("Label noise", noise))
    if report.trust is not None:
        terms.append(("Majority vote", report.trust.sentence))
    terms += [("Judge", each.sentence) for each in report.judges]
    return [*terms, *(("Warning", f"{told[:1].upper()}{told[1:]}.") for told in report.warnings)]


def chart_sentence(ranking: Ranking) -> str:
    """What the marks of the ranked plot say."""
    if ranking.likely is None or not ranking.labels:
        if ranking.difference_to_leader is None:
            return ""
        level = f"{ranking.estimate.level:.0%} for all models at once"
        tiers = ranking.guaranteed is None and ranking.tier is not None and int(ranking.tier.max()) > 1
        shade = " Below a change of shade, models are worse than the first one above it (tiers)." if tiers else ""
        return f"Lines are what the drawn labels alone say ({level}).{shade}"
    if ranking.guaranteed is None:
        return "Blue: how far each model is likely behind the leader."
    shaded = " Shaded: ruled out as the best, since some model, not always the leader, is proven to be better."
    return (
        "Blue: how far each model is likely behind the leader; the white dot is the best guess. Orange: each line "
        "begins at the smallest gap that the drawn labels guarantee; left of 0, the model is not proven to be worse "
        "than the leader (a line from the edge begins outside the chart)."
        f"{'' if ranking.guaranteed.may_be_best.all() else shaded}"
    )


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
    likely = (
        "Likely",
        "What predictions and labels together suggest. It rests on a statistical model of how the models err. How "
        "often such statements hold was measured on public data, but that is no proof. Use it to decide what to deploy "
        "now.",
    )
    guaranteed = (
        "Guaranteed",
        "What the randomly drawn labels prove by themselves, whatever the models are like, no matter how often you "
        "check and when you stop (anytime-valid). Few labels prove little. Use it where someone asks for a guarantee.",
    )
    both = ("Both are right", "A model can be very likely the best long before draws alone can prove it.")
    interval = "at all times" if ranking.estimate.anytime else "if the number of labels was fixed in advance"
    return [
        *([likely] if ranking.likely is not None else []),
        *([guaranteed] if ranking.guaranteed is not None else []),
        *([both] if ranking.likely is not None and ranking.guaranteed is not None else []),
        (
            ranking.estimate.quantity[:1].upper() + ranking.estimate.quantity[1:],
            f"Its {ranking.estimate.level:.0%} interval comes from the draws, unbiased whatever the consensus is, and "
            f"holds {interval}. A single number is shown only where the labels support it.",
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
    more = len(sample.answers) - 4
    others = f" and {counted(more, 'more answer')}" if more > 0 else ""
    lines = [f"Models say: {said}{others}."]
    lines.append(f"{leader}: {sample.leader or 'no answer'}. Label: {sample.label or 'none yet'}.")
    return (*lines, *(f"{name}: {value}" for name, value in sample.fields.items()))


def share_text(number: float) -> str:
    return f"{100 * number:.0f}%"
