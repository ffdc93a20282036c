"""What became of imported runs, in words."""

from collections.abc import Iterator, Mapping, Sequence

from adjudge.core.index import counted, listed, named, shortened
from adjudge.io.runs.join import ImportSummary

NAMED = 3  # samples or models in a sentence before "and 12 more"


def import_sentences(found: ImportSummary) -> list[str]:
    """A sentence for each thing that does not go without saying."""
    return [*_on_samples(found), *_on_answers(found), *_on_rows(found), *_on_the_rest(found)]


def _on_samples(found: ImportSummary) -> Iterator[str]:
    if found.partial:
        lacking = {model: found.samples - count for model, count in found.models.items() if count < found.samples}
        yield (
            f"{_samples(found.partial, 'is', 'are')} only in some runs ({listed(found.partial, NAMED)}): "
            f"{_by_model(lacking, 'lacks', '')}. A sample that a model lacks is not judged."
        )
    if found.own_tasks:
        told = [
            f"{model} has {shortened([f'{task} ({n:,})' for task, n in own.items()], NAMED)}"
            for model, own in found.own_tasks.items()
        ]
        yield f"Runs have different tasks (samples): {shortened(told, 2 * NAMED, '; ')}."
    if found.cut_off:
        looks, it = ("log of {} looks", "it has") if len(found.cut_off) == 1 else ("logs of {} look", "they have")
        others = ", or import the others only" if len(found.models) - len(found.cut_off) > 1 else ""
        first = f"of the samples that the longest run of a task has, {it} only the first"
        if len(found.tasks) <= 1:
            counts = named([f"{found.models[model]:,}" for model in found.cut_off])
            first = f"{it} only the first {counts} of {max(found.models.values()):,} samples"
        yield f"The {looks.format(named(found.cut_off))} cut off: {first}. Finish the run{others}."
    if found.questions_differ:
        names = found.questions_differ
        yield f"Runs ask different questions under one id: {listed(names, NAMED)}."
    if found.options_differ:
        yield (
            f"{_samples(found.options_differ, 'has', 'have')} other options in another run "
            f"({listed(found.options_differ, NAMED)}): answers are told by the options of the first run, and left "
            "blank where it has no such option."
        )
    if found.targets_differ:
        yield (
            f"Runs name different right answers for {_samples(found.targets_differ)} "
            f"({listed(found.targets_differ, NAMED)}), for which no right answer is written."
        )
    if found.several_targets:
        yield (
            f"{_samples(found.several_targets, 'has', 'have')} several right answers "
            f"({listed(found.several_targets, NAMED)}), of which none is written."
        )


def _on_answers(found: ImportSummary) -> Iterator[str]:
    if found.unparsed:
        yield f"In what was said, no answer was found, an abstention written (unparsed): {_by_model(found.unparsed)}."
    if found.refused:
        yield f"Models refused to answer, an abstention written (refused): {_by_model(found.refused)}."
    if found.errored:
        yield f"Errors left no answer, which is blank and not judged: {_by_model(found.errored)}."
    if found.blank:
        yield f"Answers are blank and not judged: {_by_model(found.blank)}."


def _on_rows(found: ImportSummary) -> Iterator[str]:
    if found.duplicates:
        yield f"Rows repeat a sample that has one already, and the first is kept: {_by_model(found.duplicates)}."
    if found.epochs:
        kept = "the first is kept (how much answers change from run to run: --epochs all, then adjudge repeats)"
        if any(model not in found.models for model in found.epochs):
            kept = "each is a model of its own (adjudge repeats puts them together)"
        yield f"Questions were asked in several epochs, of which {kept}: {_by_model(found.epochs)}."


def _on_the_rest(found: ImportSummary) -> Iterator[str]:
    yield from (f"{remark}." for remark in found.remarks)
    if found.normalization != "none":
        yield f"{found.normalization[0].upper()}{found.normalization[1:]}."


def _samples(names: Sequence[str], one: str = "", many: str = "") -> str:
    verb = one if len(names) == 1 else many
    return f"{counted(len(names), 'sample')} {verb}".strip()


def _by_model(counts: Mapping[str, int], verb: str = "", after: str = "") -> str:
    parts = [" ".join(filter(None, (model, verb, f"{count:,}", after))) for model, count in counts.items()]
    return shortened(parts, 2 * NAMED)
