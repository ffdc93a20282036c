"""A report for machines: what `adjudge rank --json` says, and all else that the page shows."""

from dataclasses import asdict, replace
from typing import Any

from adjudge._version import __version__
from adjudge.reports.plain import plain, schema_name
from adjudge.reports.report.gather import ContestedSample, Report
from adjudge.reports.report.pairs import pair_states
from adjudge.reports.report.words import label_counts
from adjudge.reports.tables import ranking_facts


def report_facts(report: Report) -> dict[str, Any]:
    """The ranking as `rank --json` gives it; `report` holds the rest."""
    header, models = report.labels.header, report.ranking.models
    told: dict[str, Any] = {"schema": schema_name("report")}
    told |= ranking_facts(replace(report.ranking, recommendation=report.advice))
    told["vote_trust"] = None if report.trust is None else report.trust.to_dict()
    told["judges"] = [each.to_dict() for each in report.judges]
    told["report"] = {
        "title": report.title,
        "samples": len(report.predictions.samples),
        "chance_of_best": None
        if report.history is None
        else {
            "labels": report.history.labels,
            "models": {name: report.history.chance[:, place] for place, name in enumerate(models)},
        },
        "pairs": [
            {"model": models[report.shown[one]], "other": models[report.shown[other]], "state": state}
            for (one, other), state in ({} if report.pairs is None else pair_states(report.pairs)).items()
            if one < other
        ],
        "fail_together": _shared(report),
        "contested": [_sample(each) for each in report.contested],
        "slices": _slices(report),
        "drawn": label_counts(report.labels)
        | {"method": header.method, "options": dict(header.parameters), "seed": header.seed, "version": header.version},
        "annotators": report.options.annotators,
        "warnings": report.warnings,
        "version": __version__,
    }
    found: dict[str, Any] = plain(told)
    return found


def _sample(sample: ContestedSample) -> dict[str, Any]:
    answers = [{"answer": answer, "models": count} for answer, count in sample.answers]
    return asdict(sample) | {"answers": answers}


def _shared(report: Report) -> dict[str, Any] | None:
    found = report.shared
    if found is None:
        return None
    names = [report.ranking.models[model] for model in found.models]
    return {"measure": found.measure, "labels": found.labels, "models": names, "share": found.share}


def _slices(report: Report) -> dict[str, Any] | None:
    if report.options.column is None:
        return None
    changes = {each.name: asdict(each) | {"verdict": each.verdict} for each in report.changes}
    return {
        "column": report.options.column,
        "slices": [
            {
                "name": each.name,
                "samples": each.samples,
                "labels": each.labels,
                "ranking": None if each.ranking is None else ranking_facts(each.ranking),
                "change": changes.get(each.name),
            }
            for each in report.slices
        ],
    }
