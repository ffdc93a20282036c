"""`adjudge rank`: which model is best."""

from adjudge.cli.inputs import (
    AsJson,
    CostFile,
    HowDrawn,
    LabelsFile,
    LossOption,
    OptionList,
    Range,
    RankMethod,
    Source,
    UnusedSeed,
    loss_of,
    options_of,
    with_source,
)
from adjudge.cli.output import print_json, screen


@with_source
def rank(
    source: Source,
    labels: LabelsFile = None,
    method: RankMethod = None,
    option: OptionList = None,
    drawn: HowDrawn = None,
    loss: LossOption = None,
    span: Range = None,
    costs: CostFile = None,
    seed: UnusedSeed = 0,
    as_json: AsJson = False,
) -> None:
    """Rank the models: without labels by agreement, with labels by accuracy, with intervals and ties.

    Example: adjudge rank predictions.csv --labels labels.csv
    """
    from adjudge.api import rank as rank_models
    from adjudge.readers import read_labels
    from adjudge.reports.tables import ranking_table, verdict

    predictions = source.read()
    log = None
    if labels is not None:
        predictions, log = read_labels(labels, predictions, drawn=drawn)
    options = options_of(method, option, predictions, None, None, source.predictions) if method else None
    answer = rank_models(predictions, log, method, loss=loss_of(loss, span, costs, predictions), options=options)
    if as_json:
        print_json(
            {
                "quantity": answer.estimate.quantity,
                "level": answer.estimate.level if answer.estimate.has_interval else None,
                "labels": answer.labels,
                "skipped": answer.skipped,
                "verdict": verdict(answer),
                "models": answer.rows(),
            }
        )
        return
    console = screen()
    console.print(ranking_table(answer, console.width))
    console.print(verdict(answer), markup=False)
