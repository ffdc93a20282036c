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
    from adjudge.api import rank as rank
    from adjudge.api import select as select
    from adjudge.core.labels import SKIP as SKIP
    from adjudge.core.labels import Labels as Labels
    from adjudge.core.labels import Pick as Pick
    from adjudge.core.predictions import Predictions as Predictions
    from adjudge.core.ranking import Estimate as Estimate
    from adjudge.core.ranking import Ranker as Ranker
    from adjudge.core.ranking import Ranking as Ranking
    from adjudge.core.recommendation import Recommendation as Recommendation
    from adjudge.core.sampling import Selector as Selector
    from adjudge.decisions.compare import compare as compare
    from adjudge.decisions.comparison import Comparison as Comparison
    from adjudge.decisions.fill import fill as fill
    from adjudge.decisions.item_analysis import ItemAnalysis as ItemAnalysis
    from adjudge.decisions.item_analysis import samples as samples
    from adjudge.decisions.needed import PairPlan as PairPlan
    from adjudge.decisions.needed import Plan as Plan
    from adjudge.decisions.next_votes import NextVote as NextVote
    from adjudge.decisions.outlook import Outlook as Outlook
    from adjudge.decisions.outlook import outlook as outlook
    from adjudge.decisions.plan import plan as plan
    from adjudge.decisions.prefer import PreferenceRanking as PreferenceRanking
    from adjudge.decisions.prefer import PreferredModel as PreferredModel
    from adjudge.decisions.prefer import prefer as prefer
    from adjudge.decisions.rank import RankOptions as RankOptions
    from adjudge.decisions.repeats import HalfWidths as HalfWidths
    from adjudge.decisions.repeats import RepeatedModel as RepeatedModel
    from adjudge.decisions.repeats import Repeats as Repeats
    from adjudge.decisions.repeats import repeats as repeats
    from adjudge.decisions.screening import Screening as Screening
    from adjudge.decisions.screening import missing_inputs as missing_inputs
    from adjudge.decisions.screening import screen as screen
    from adjudge.decisions.slices import Slice as Slice
    from adjudge.decisions.slices import SliceChange as SliceChange
    from adjudge.decisions.slices import rank_slices as rank_slices
    from adjudge.decisions.slices import slice_changes as slice_changes
    from adjudge.decisions.stopping import StoppingRule as StoppingRule
    from adjudge.decisions.stopping import StoppingStatus as StoppingStatus
    from adjudge.decisions.until import until as until
    from adjudge.engine import dask_cluster as dask_cluster
    from adjudge.errors import AdjudgeError as AdjudgeError
    from adjudge.errors import AdjudgeNote as AdjudgeNote
    from adjudge.errors import AdjudgeWarning as AdjudgeWarning
    from adjudge.errors import NotEnoughLabels as NotEnoughLabels
    from adjudge.experiments.zoo.fashion import train_zoo as train_zoo
    from adjudge.inference.judge_trust import JudgeTrust as JudgeTrust
    from adjudge.inference.judge_trust import judge_trust as judge_trust
    from adjudge.inference.vote_trust import VoteTrust as VoteTrust
    from adjudge.inference.vote_trust import vote_trust as vote_trust
    from adjudge.io.labels.grades import fill_grades as fill_grades
    from adjudge.io.labels.judges import read_judge as read_judge
    from adjudge.io.labels.label_studio import fetch_annotations as fetch_annotations
    from adjudge.io.labels.label_studio import read_annotations as read_annotations
    from adjudge.io.labels.log import read_labels as read_labels
    from adjudge.io.labels.log import write_labels as write_labels
    from adjudge.io.labels.preferences import Preferences as Preferences
    from adjudge.io.labels.preferences import preferences_of as preferences_of
    from adjudge.io.labels.preferences import read_preferences as read_preferences
    from adjudge.io.labels.truth import read_truth as read_truth
    from adjudge.io.labels.truth import truth_of as truth_of
    from adjudge.io.predictions.costs import read_costs as read_costs
    from adjudge.io.predictions.dataset_export import write_dataset as write_dataset
    from adjudge.io.predictions.equal_answers import write_equivalences as write_equivalences
    from adjudge.io.predictions.features import read_features as read_features
    from adjudge.io.predictions.features import read_reference as read_reference
    from adjudge.io.predictions.frames import from_frame as from_frame
    from adjudge.io.predictions.merge import MergeSummary as MergeSummary
    from adjudge.io.predictions.merge import merge as merge
    from adjudge.io.predictions.prices import read_prices as read_prices
    from adjudge.io.predictions.read import read as read
    from adjudge.io.predictions.scores import graded as graded
    from adjudge.io.predictions.write import write_predictions as write_predictions
    from adjudge.io.runs.importing import import_runs as import_runs
    from adjudge.io.runs.join import ImportSummary as ImportSummary
    from adjudge.labeling.exchange import export_folder as export_folder
    from adjudge.labeling.exchange import export_label_studio as export_label_studio
    from adjudge.labeling.exchange import export_log as export_log
    from adjudge.labeling.exchange import export_merged as export_merged
    from adjudge.labeling.exchange import import_annotations as import_annotations
    from adjudge.labeling.exchange import read_project as read_project
    from adjudge.labeling.session.project import Project as Project
    from adjudge.labeling.session.project import ProjectSettings as ProjectSettings
    from adjudge.labeling.start import LabelingPage as LabelingPage
    from adjudge.labeling.start import label_project as label_project
    from adjudge.labeling.start import serve as serve
    from adjudge.labeling.web.users import add_user as add_user
    from adjudge.losses.loss import Cost as Cost
    from adjudge.losses.loss import Loss as Loss
    from adjudge.losses.loss import ZeroOne as ZeroOne
    from adjudge.losses.loss import named_loss as named_loss
    from adjudge.losses.numbers import Absolute as Absolute
    from adjudge.losses.numbers import Percentage as Percentage
    from adjudge.losses.numbers import Quantile as Quantile
    from adjudge.losses.numbers import Squared as Squared
    from adjudge.methods.papers.surprise import likelihood_surprise as likelihood_surprise
    from adjudge.methods.papers.surprise import with_surprise as with_surprise
    from adjudge.models.corruptions import corrupt as corrupt
    from adjudge.models.corruptions import shifted as shifted
    from adjudge.models.corruptions.sheet import write_sheet as write_sheet
    from adjudge.models.corruptions.writing import write_shifted as write_shifted
    from adjudge.models.datasets import Dataset as Dataset
    from adjudge.models.datasets import read_data as read_data
    from adjudge.models.prediction import Predicted as Predicted
    from adjudge.models.prediction import Shift as Shift
    from adjudge.models.prediction import from_estimators as from_estimators
    from adjudge.models.prediction import predict as predict
    from adjudge.models.prediction import predict_shifted as predict_shifted
    from adjudge.models.prediction import shifts_for as shifts_for
    from adjudge.models.prediction import write_predicted as write_predicted
    from adjudge.registry import Description as Description
    from adjudge.registry import list_methods as list_methods
    from adjudge.reports.demo import demo as demo
    from adjudge.reports.doctor import Diagnosis as Diagnosis
    from adjudge.reports.doctor import doctor as doctor
    from adjudge.reports.mlflow import log_mlflow as log_mlflow
    from adjudge.reports.report import Report as Report
    from adjudge.reports.report import ReportOptions as ReportOptions
    from adjudge.reports.report import report as report
    from adjudge.reports.schemas import json_schema as json_schema
    from adjudge.reports.studies import StudyResult as StudyResult
    from adjudge.reports.studies import bench as bench
    from adjudge.reports.studies import shift_study as shift_study
    from adjudge.simulation.simulate import Simulation as Simulation
    from adjudge.simulation.simulate import simulate as simulate
    from adjudge.simulation.single_model import SingleModelSimulation as SingleModelSimulation
    from adjudge.simulation.single_model import simulate_single_model as simulate_single_model
    from adjudge.simulation.stopping_runs import StoppingSimulation as StoppingSimulation
    from adjudge.simulation.stopping_runs import simulate_stopping as simulate_stopping

# Where each public name lives: imported at first use, so that `adjudge --help` answers at once.
_HOMES = {
    "adjudge.api": ("estimate", "rank", "select"),
    "adjudge.decisions.fill": ("fill",),
    "adjudge.core.labels": ("SKIP", "Labels", "Pick"),
    "adjudge.losses.loss": ("Cost", "Loss", "ZeroOne", "named_loss"),
    "adjudge.losses.numbers": ("Absolute", "Percentage", "Quantile", "Squared"),
    "adjudge.core.predictions": ("Predictions",),
    "adjudge.core.ranking": ("Estimate", "Ranker", "Ranking"),
    "adjudge.core.recommendation": ("Recommendation",),
    "adjudge.core.sampling": ("Selector",),
    "adjudge.decisions.compare": ("compare",),
    "adjudge.decisions.comparison": ("Comparison",),
    "adjudge.decisions.item_analysis": ("ItemAnalysis", "samples"),
    "adjudge.decisions.outlook": ("Outlook", "outlook"),
    "adjudge.decisions.needed": ("PairPlan", "Plan"),
    "adjudge.decisions.plan": ("plan",),
    "adjudge.decisions.next_votes": ("NextVote",),
    "adjudge.decisions.prefer": ("PreferenceRanking", "PreferredModel", "prefer"),
    "adjudge.decisions.rank": ("RankOptions",),
    "adjudge.decisions.repeats": ("HalfWidths", "RepeatedModel", "Repeats", "repeats"),
    "adjudge.decisions.screening": ("Screening", "missing_inputs", "screen"),
    "adjudge.decisions.slices": ("Slice", "SliceChange", "rank_slices", "slice_changes"),
    "adjudge.decisions.stopping": ("StoppingRule", "StoppingStatus"),
    "adjudge.decisions.until": ("until",),
    "adjudge.engine": ("dask_cluster",),
    "adjudge.errors": ("AdjudgeError", "AdjudgeNote", "AdjudgeWarning", "NotEnoughLabels"),
    "adjudge.experiments.zoo.fashion": ("train_zoo",),
    "adjudge.inference.judge_trust": ("JudgeTrust", "judge_trust"),
    "adjudge.inference.vote_trust": ("VoteTrust", "vote_trust"),
    "adjudge.io.labels.grades": ("fill_grades",),
    "adjudge.io.labels.judges": ("read_judge",),
    "adjudge.io.labels.log": ("read_labels", "write_labels"),
    "adjudge.io.labels.preferences": ("Preferences", "preferences_of", "read_preferences"),
    "adjudge.io.labels.truth": ("read_truth", "truth_of"),
    "adjudge.io.predictions.merge": ("MergeSummary", "merge"),
    "adjudge.io.predictions.costs": ("read_costs",),
    "adjudge.io.predictions.dataset_export": ("write_dataset",),
    "adjudge.io.predictions.features": ("read_features", "read_reference"),
    "adjudge.io.predictions.equal_answers": ("write_equivalences",),
    "adjudge.io.predictions.prices": ("read_prices",),
    "adjudge.io.predictions.read": ("read",),
    "adjudge.io.predictions.scores": ("graded",),
    "adjudge.io.predictions.frames": ("from_frame",),
    "adjudge.io.predictions.write": ("write_predictions",),
    "adjudge.io.runs.importing": ("import_runs",),
    "adjudge.io.runs.join": ("ImportSummary",),
    "adjudge.io.labels.label_studio": ("fetch_annotations", "read_annotations"),
    "adjudge.labeling.exchange": (
        "export_folder",
        "export_label_studio",
        "export_log",
        "export_merged",
        "import_annotations",
        "read_project",
    ),
    "adjudge.labeling.session.project": ("Project", "ProjectSettings"),
    "adjudge.labeling.start": ("LabelingPage", "label_project", "serve"),
    "adjudge.labeling.web.users": ("add_user",),
    "adjudge.methods.papers.surprise": ("likelihood_surprise", "with_surprise"),
    "adjudge.models.corruptions": ("corrupt", "shifted"),
    "adjudge.models.corruptions.sheet": ("write_sheet",),
    "adjudge.models.corruptions.writing": ("write_shifted",),
    "adjudge.models.datasets": ("Dataset", "read_data"),
    "adjudge.models.prediction": (
        "Predicted",
        "Shift",
        "from_estimators",
        "predict",
        "predict_shifted",
        "shifts_for",
        "write_predicted",
    ),
    "adjudge.registry": ("Description", "list_methods"),
    "adjudge.reports.demo": ("demo",),
    "adjudge.reports.doctor": ("Diagnosis", "doctor"),
    "adjudge.reports.mlflow": ("log_mlflow",),
    "adjudge.reports.schemas": ("json_schema",),
    "adjudge.reports.studies": ("StudyResult", "bench", "shift_study"),
    "adjudge.reports.report": ("Report", "ReportOptions", "report"),
    "adjudge.simulation.simulate": ("Simulation", "simulate"),
    "adjudge.simulation.single_model": ("SingleModelSimulation", "simulate_single_model"),
    "adjudge.simulation.stopping_runs": ("StoppingSimulation", "simulate_stopping"),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}
__all__ = ["__version__", *_HOME_OF]  # noqa: PLE0604


def __getattr__(name: str) -> Any:
    if name not in _HOME_OF:
        raise AttributeError(f"module 'adjudge' has no attribute {name!r}")
    return getattr(import_module(_HOME_OF[name]), name)


def __dir__() -> list[str]:
    return __all__
