"""From model files and raw data to predictions."""

from adjudge.prediction.many import Predicted, predict
from adjudge.prediction.writing import check_target, write_predicted

__all__ = ["Predicted", "check_target", "predict", "write_predicted"]
