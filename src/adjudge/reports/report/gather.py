"""All that a report tells, computed once."""

import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from adjudge.core.arrays import IntArray
from adjudge.core.index import counted, ids_at
from adjudge.core.labels import Labels
from adjudge.core.predictions import Predictions
from adjudge.core.ranking import Ranking
from adjudge.core.recommendation import Recommendation
from adjudge.decisions.checks import check_pool
from adjudge.decisions.contested import answers_about, most_contested
from adjudge.decisions.history import ChanceHistory, chance_history
from adjudge.decisions.pairs import PairwiseComparison, pairwise_comparison
from adjudge.decisions.rank import RankOptions, drawn_in_clusters, rank_pool
from adjudge.decisions.shared_errors import SharedErrors, shared_errors
from adjudge.decisions.slices import MINIMUM, Slice, SliceChange, rank_slices, slice_changes
from adjudge.errors import AdjudgeWarning
from adjudge.inference.judge_trust import JudgeTrust, judge_trust
from adjudge.inference.vote_trust import VoteTrust, vote_trust
from adjudge.models.datasets.contents import Samples
from adjudge.reports.report.thumbnails import thumbnail

MOST_MODELS = 30  # in a chart; tables have all of them
MOST_SAMPLES = 12  # of those on which models differ most
LONGEST = 400  # characters of a text
MOST_FIELDS, LONGEST_FIELD = 6, 80  # of a row of a table
Progress = Callable[[int, int], None]  # how many steps of how many are done


@dataclass(frozen=True)
class ContestedSample:
    """A sample on which models differ, and what there is to see of it."""

    name: str
    answers: tuple[tuple[str | None, int], ...]  # with the number of models, the most frequent first; None: no answer
    leader: str | None  # what the first model says
    label: str | None
    text: str | None = None
    fields: Mapping[str, str] = field(default_factory=dict)
    image: str | None = None  # a data URI


@dataclass(frozen=True)
class ReportOptions:
    """What can be said about a report besides predictions and labels.

    Parameters
    ----------
    data
        What there is to see of samples: a folder, a table or arrays.
    column
        Rank on each value of this column too.
    rank
        What `rank` is told.
    annotators
        Sentences about the people who labeled.
    command
        The command that gets so many more labels.
    """

    title: str | None = None
    rank: RankOptions = field(default_factory=RankOptions)
    data: Path | None = None
    column: str | None = None
    annotators: tuple[str, ...] = ()
    command: Callable[[int], str] | None = None


@dataclass(frozen=True, eq=False, repr=False)
class Report:
    """What a report tells; what is not known is None. A notebook shows one line of it: the page has the rest."""

    options: ReportOptions
    predictions: Predictions
    labels: Labels
    ranking: Ranking
    trust: VoteTrust | None
    judges: tuple[JudgeTrust, ...]
    history: ChanceHistory | None
    pairs: PairwiseComparison | None
    shared: SharedErrors | None
    contested: tuple[ContestedSample, ...]
    slices: tuple[Slice, ...]
    changes: tuple[SliceChange, ...]
    warnings: tuple[str, ...]
    path: Path | None = None  # where it was written

    def __repr__(self) -> str:
        (_, lead), *_ = self.advice.words
        return f"Report on {self.title}: {lead}" + (f" All of it: {self.path}" if self.path else "")

    @property
    def shown(self) -> IntArray:
        """The models in charts, best first."""
        return self.ranking.order[:MOST_MODELS]

    @property
    def title(self) -> str:
        models, samples = self.predictions.values.shape
        return self.options.title or f"{counted(models, 'model')} on {counted(samples, 'sample')}"

    @property
    def advice(self) -> Recommendation:
        """The recommendation, with the command that comes next."""
        advice, command = self.ranking.recommendation, self.options.command
        assert advice is not None
        budget = None if command is None else advice.budget(self.ranking.labels)
        return advice if command is None or budget is None else advice.with_command(command(budget))


def gather(
    predictions: Predictions,
    labels: Labels | None = None,
    options: ReportOptions | None = None,
    progress: Progress = lambda done, total: None,
) -> Report:
    """Rank, and look at all that the report tells besides; warnings become a part of it."""
    options = options or ReportOptions()
    check_pool(predictions)
    log = Labels.empty(len(predictions.samples)) if labels is None else labels
    samples = Samples.of(predictions, options.data)  # data that do not fit are told before any work
    with _told() as told:
        ranking = rank_pool(predictions, log, options.rank)
        found: tuple[Slice, ...] = ()
        if options.column is not None:
            found = rank_slices(predictions, log, options.column, minimum=MINIMUM, options=options.rank)
    several, likely = len(predictions.models) > 1, ranking.likely
    shown = ranking.order[:MOST_MODELS]
    return Report(
        options=options,
        predictions=predictions,
        labels=log,
        ranking=ranking,
        trust=vote_trust(predictions, log) if log.usable.any() else None,
        judges=judge_trust(predictions, log, options.rank.loss),
        history=chance_history(predictions, log, likely, progress=progress)
        if several and likely is not None and ranking.labels
        else None,
        pairs=_pairs(predictions, log, ranking, options.rank) if several else None,
        shared=shared_errors(predictions, log, shown) if several else None,
        contested=tuple(_contested(samples, log, ranking)),
        slices=found,
        changes=slice_changes(ranking, found),
        warnings=tuple(dict.fromkeys(told)),
    )


def _pairs(predictions: Predictions, log: Labels, ranking: Ranking, told: RankOptions) -> PairwiseComparison | None:
    """Pairs are compared by their losses; by another metric, label noise or clusters, nothing is known about them."""
    if not ranking.labels or told.metric is not None or told.label_noise:
        return None
    if told.cluster is not None and drawn_in_clusters(log):
        return None
    return pairwise_comparison(predictions, log, ranking, ranking.order[:MOST_MODELS], told.loss)


@contextmanager
def _told() -> Iterator[list[str]]:
    """The warnings of what is done inside, which are raised again when it is done."""
    told: list[str] = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", AdjudgeWarning)
        yield told
    for each in caught:
        if issubclass(each.category, AdjudgeWarning):
            told.append(str(each.message))
    for each in caught:
        warnings.warn(each.message, each.category, stacklevel=4)


def _contested(samples: Samples, labels: Labels, ranking: Ranking) -> Iterator[ContestedSample]:
    predictions, leader = samples.predictions, int(ranking.order[0])
    known = dict(zip(labels.sample[labels.usable].tolist(), labels.value[labels.usable].tolist(), strict=True))
    skipped = set(labels.sample[labels.answered & ~labels.usable].tolist())
    chosen = most_contested(predictions, MOST_SAMPLES)
    for sample, name in zip(chosen.tolist(), ids_at(predictions.samples, np.asarray(chosen)), strict=True):
        answers = answers_about(predictions, sample)
        content, media = samples.content(sample), samples.media(sample)
        text, first = content.text, predictions.models[leader]
        fields = list(content.fields.items())[:MOST_FIELDS]
        yield ContestedSample(
            name,
            tuple((answer, len(names)) for answer, names in answers),
            next(answer for answer, names in answers if first in names),
            _label(predictions, sample, known[sample]) if sample in known else "skipped" if sample in skipped else None,
            None if text is None else _cut(text, LONGEST),
            {key: _cut(value, LONGEST_FIELD) for key, value in fields},
            None if media is None else thumbnail(media),
        )


def _label(predictions: Predictions, sample: int, value: float) -> str:
    """The label of a sample, or the grades of its answers."""
    grades, said = predictions.grades, predictions.values[:, sample]
    if grades is None:
        return predictions.text_of(value)
    numbers = np.unique(said[~np.isnan(said)]).astype(np.int64).tolist()
    return ", ".join(
        f"{grades.given[each]:g} for {_cut(grades.texts[each].as_py(), LONGEST_FIELD)}" for each in numbers
    )


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 1].rstrip() + "…"
