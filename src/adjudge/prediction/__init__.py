"""From model files and raw data to predictions."""

from adjudge.prediction.many import Predicted, predict
from adjudge.prediction.shifts import Shift, predict_shifted, shifts_for
from adjudge.prediction.writing import write_predicted

__all__ = ["Predicted", "Shift", "predict", "predict_shifted", "shifts_for", "write_predicted"]
