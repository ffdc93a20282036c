"""From model files and raw data to predictions."""

from adjudge.prediction.many import Predicted, predict
from adjudge.prediction.writing import write_predicted

__all__ = ["Predicted", "predict", "write_predicted"]
