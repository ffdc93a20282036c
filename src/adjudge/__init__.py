"""Of these many models, which is best on my data, and how sure am I? With few labels, or none.

>>> import adjudge
>>> pool = adjudge.from_frame({"sample_id": ["a", "b", "c"], "net": ["cat", "dog", "cat"],
...                            "tree": ["cat", "dog", "dog"], "rule": ["cat", "cat", "cat"]})
>>> adjudge.rank(pool)
Ranking by agreement, 0 labels
  rank  model  value
     1  net    1.000
     2  tree   0.667
     2  rule   0.667
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from adjudge._version import __version__

if TYPE_CHECKING:
    from adjudge.api import estimate as estimate
    from adjudge.api import fill as fill
    from adjudge.api import rank as rank
    from adjudge.api import select as select
    from adjudge.core.labels import SKIP as SKIP
    from adjudge.core.labels import Labels as Labels
    from adjudge.core.labels import Pick as Pick
    from adjudge.core.losses import Absolute as Absolute
    from adjudge.core.losses import Cost as Cost
    from adjudge.core.losses import Loss as Loss
    from adjudge.core.losses import Squared as Squared
    from adjudge.core.losses import ZeroOne as ZeroOne
    from adjudge.core.predictions import Predictions as Predictions
    from adjudge.core.protocols import Ranker as Ranker
    from adjudge.core.protocols import Selector as Selector
    from adjudge.core.ranking import Estimate as Estimate
    from adjudge.core.ranking import Ranking as Ranking
    from adjudge.decisions.compare import Comparison as Comparison
    from adjudge.decisions.compare import compare as compare
    from adjudge.decisions.item_analysis import ItemAnalysis as ItemAnalysis
    from adjudge.decisions.item_analysis import samples as samples
    from adjudge.decisions.outlook import Outlook as Outlook
    from adjudge.decisions.outlook import outlook as outlook
    from adjudge.decisions.plan import PairPlan as PairPlan
    from adjudge.decisions.plan import Plan as Plan
    from adjudge.decisions.plan import plan as plan
    from adjudge.decisions.rank import RankOptions as RankOptions
    from adjudge.decisions.screening import Screening as Screening
    from adjudge.decisions.screening import screen as screen
    from adjudge.decisions.slices import Slice as Slice
    from adjudge.decisions.slices import SliceChange as SliceChange
    from adjudge.decisions.slices import rank_slices as rank_slices
    from adjudge.decisions.slices import slice_changes as slice_changes
    from adjudge.errors import AdjudgeError as AdjudgeError
    from adjudge.errors import AdjudgeWarning as AdjudgeWarning
    from adjudge.errors import NotEnoughLabels as NotEnoughLabels
    from adjudge.io import from_frame as from_frame
    from adjudge.io import read as read
    from adjudge.io import read_labels as read_labels
    from adjudge.io import read_truth as read_truth
    from adjudge.io import write_labels as write_labels
    from adjudge.io import write_predictions as write_predictions
    from adjudge.models.corruptions import corrupt as corrupt
    from adjudge.models.corruptions import shifted as shifted
    from adjudge.models.datasets import Dataset as Dataset
    from adjudge.models.datasets import read_data as read_data
    from adjudge.models.prediction import Predicted as Predicted
    from adjudge.models.prediction import predict as predict
    from adjudge.models.prediction import write_predicted as write_predicted
    from adjudge.simulation.simulate import Simulation as Simulation
    from adjudge.simulation.simulate import simulate as simulate

# Where each public name lives: imported at first use, so that `adjudge --help` answers at once.
_HOMES = {
    "adjudge.api": ("estimate", "fill", "rank", "select"),
    "adjudge.decisions.compare": ("Comparison", "compare"),
    "adjudge.core.ranking": ("Ranking", "Estimate"),
    "adjudge.core.labels": ("SKIP", "Labels", "Pick"),
    "adjudge.core.losses": ("Absolute", "Cost", "Loss", "Squared", "ZeroOne"),
    "adjudge.core.predictions": ("Predictions",),
    "adjudge.core.protocols": ("Ranker", "Selector"),
    "adjudge.models.corruptions": ("corrupt", "shifted"),
    "adjudge.models.datasets": ("Dataset", "read_data"),
    "adjudge.errors": ("AdjudgeError", "AdjudgeWarning", "NotEnoughLabels"),
    "adjudge.decisions.item_analysis": ("ItemAnalysis", "samples"),
    "adjudge.decisions.outlook": ("Outlook", "outlook"),
    "adjudge.decisions.plan": ("PairPlan", "Plan", "plan"),
    "adjudge.models.prediction": ("Predicted", "predict", "write_predicted"),
    "adjudge.io": ("from_frame", "read", "read_labels", "read_truth", "write_labels", "write_predictions"),
    "adjudge.decisions.screening": ("Screening", "screen"),
    "adjudge.decisions.slices": ("SliceChange", "Slice", "rank_slices", "slice_changes"),
    "adjudge.decisions.rank": ("RankOptions",),
    "adjudge.simulation.simulate": ("Simulation", "simulate"),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}
__all__ = ["__version__", *_HOME_OF]  # noqa: PLE0604


def __getattr__(name: str) -> Any:
    if name not in _HOME_OF:
        raise AttributeError(f"module 'adjudge' has no attribute {name!r}")
    return getattr(import_module(_HOME_OF[name]), name)


def __dir__() -> list[str]:
    return __all__
