"""What each kind of mistake costs, from a table: a row for each true class, a column for each predicted one."""

import numpy as np

from adjudge.core.arrays import FloatArray
from adjudge.core.index import listed
from adjudge.core.predictions import Predictions
from adjudge.errors import InputError
from adjudge.io.files import PathLike, checked_path, naming
from adjudge.io.labels.values import parsed_numbers
from adjudge.io.predictions.distinct import as_text
from adjudge.io.predictions.sources import open_source


def read_costs(path: PathLike, predictions: Predictions) -> FloatArray:
    """Costs of mistakes, for the loss `Cost`.

    The first column of the file names the true class of the row, the other columns are the predicted classes.

    Returns
    -------
    FloatArray
        (classes, classes), in the order of the pool's classes.
    """
    with naming(path):
        if predictions.classes is None:
            raise InputError("costs are for classes, but these predictions are numbers; use a squared or absolute loss")
        source = open_source(checked_path(path))
        true_names = as_text(source.column(source.columns[0]).combine_chunks())
        rows, columns = true_names.to_pylist(), source.columns[1:]
        for what, names in (("rows", rows), ("columns", columns)):
            if sorted(map(str, names)) != sorted(predictions.classes):
                raise InputError(
                    f"the {what} are {listed(names)}, but the classes are {listed(predictions.classes)}; give one "
                    f"of the {what} to each class"
                )
        costs = np.empty((len(rows), len(columns)))
        order = [rows.index(name) for name in predictions.classes]
        for place, name in enumerate(predictions.classes):
            texts = as_text(source.column(name).combine_chunks())
            costs[:, place] = parsed_numbers(texts, true_names, f"the cost of saying {name!r},", source.name)[order]
        if np.isnan(costs).any():
            raise InputError("a cost is blank; give a number for each pair of classes, 0 on the diagonal")
        return costs
