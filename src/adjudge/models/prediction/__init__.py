"""From model files and raw data to predictions."""

from adjudge.models.prediction.many import Predicted, from_estimators, predict
from adjudge.models.prediction.shifts import Shift, predict_shifted, shifts_for
from adjudge.models.prediction.writing import check_holds_labels, write_predicted

__all__ = [
    "Predicted",
    "Shift",
    "check_holds_labels",
    "from_estimators",
    "predict",
    "predict_shifted",
    "shifts_for",
    "write_predicted",
]
