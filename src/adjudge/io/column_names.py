"""Names that people give to columns, by what the columns hold."""

import re
from collections.abc import Iterable, Sequence

LAYOUT = "layout"  # a note that names and ids of a file are as they were written, and are not guessed
AS_WRITTEN = (LAYOUT, "as written")
UNNAMED = "(no name)"  # the first column of a CSV file whose name is blank: pandas writes its index so
IDS = (
    "sample_id",
    "id",
    *("sampleid", "sample", "uid", "uuid", "guid", "image_id", "image", "img_id", "img", "image_name"),
    *("filename", "file_name", "file", "filepath", "file_path", "path", "example_id", "example", "item_id", "item"),
    *("question_id", "qid", "doc_id", "document_id", "record_id", "row_id", "key", "index", "idx", "row"),
    *("unnamed:_0", UNNAMED.replace(" ", "_")),
)
PREDICTIONS = (
    "prediction",
    *("pred", "preds", "predictions", "predicted", "y_pred", "ypred", "y_hat", "yhat", "y_predicted"),
    *("predicted_label", "predicted_class", "predicted_value", "pred_label", "pred_class", "pred_value"),
    *("prediction_label", "label_pred", "class_pred", "model_output"),
)
MODELS = ("model", "model_name", "model_id", "classifier", "system")
TRUTHS = (
    *("label", "truth", "target", "gold", "class"),
    *("y_true", "ytrue", "true", "true_label", "true_class", "true_value", "ground_truth", "groundtruth", "gt"),
    *("gold_label", "label_true", "labels", "targets", "actual", "y"),
    *("annotation", "human_label"),
)
QUESTIONS = ("text", "question", "prompt")  # facts that are the text of a sample; the first that there is
OPTIONS = "options"  # the fact that lists what it may be answered with
EITHER = ("class", "label")  # of these, what a model may say as well
PROBABILITY = "p_"  # how the columns of probabilities begin, with the name of a class after it
PROBABILITIES = (PROBABILITY, "prob_", "proba_", "probability_", "score_")


def simplified(name: str) -> str:
    """A name without capitals, and with an underscore for whatever else divides words.

    >>> simplified(" Sample ID"), simplified("y-pred")
    ('sample_id', 'y_pred')
    """
    return re.sub(r"[\s.\-/]+", "_", name.strip()).casefold()


def usual(columns: Iterable[str], names: Sequence[str]) -> tuple[str, ...]:
    """The columns that have one of the names: those that are spelled so first, each group in the order of the names.

    >>> usual(["net", "Label", "id", "truth"], TRUTHS)
    ('truth', 'Label')
    """
    place = {name: at for at, name in enumerate(names)}
    found = [(name not in place, place[simplified(name)], name) for name in columns if simplified(name) in place]
    return tuple(name for *_, name in sorted(found, key=lambda each: each[:2]))
