"""For each option of each command, the parameter in Python that does the same."""

from collections.abc import Mapping

FILE = {
    "predictions": "read.path",
    "--id": "read.id",
    "--prediction-column": "read.prediction_column",
    "--label-column": "read.label_column",
    "--model-column": "read.model_column",
    "--join": "read.join",
    "--columns": "read.columns",
    "--classes": "read.classes",
    "--regression": "read.regression",
    "--normalize": "read.normalize",
    "--scores": "read.scores",
    "--abstain": "read.abstain",
    "--memory": "read.memory",
}
READ = FILE | {"--engine": "read.engine", "--scheduler": "read.scheduler"}
POOL = READ | {
    "--only": "Predictions.only.models",
    "--without": "Predictions.only.models",
    "--judge": "read_judge.path",
}
WORKERS = {"--engine": "simulate.workers", "--scheduler": "dask_cluster.scheduler"}
LABELS = {"--labels": "read_labels.path", "--drawn": "read_labels.drawn"}
LOSS = {"--loss": "named_loss.name", "--range": "named_loss.span"}
COSTS = LOSS | {"--costs": "read_costs.path"}
PRICES = {"--prices": "read_prices.path"}
SELECTOR = {
    "--method": "select.method",
    "--goal": "select.options",
    "--option": "select.options",
    "--model": "select.options",
    "--features": "read_features.path",
    "--reference": "read_reference.path",
}
LABEL_STUDIO = READ | {"--plan": "read_labels.path"}
EXPORTED = {
    "--database": "export_log.database",
    "--database-file": "export_log.database",
    "project": "export_log.project",
    "--out": "export_log.out",
}
RUNS = {
    "paths": "import_runs.paths",
    "--out": "import_runs.out",
    "--with-truth": "import_runs.with_truth",
    "--normalize": "import_runs.normalize",
    "--abstain": "import_runs.abstain",
    "--epochs": "import_runs.epochs",
    "--names": "import_runs.names",
}
DOOR: Mapping[str, Mapping[str, str]] = {
    "predict": {
        "models": "predict.models",
        "--data": "read_data.path",
        "--id": "read_data.id",
        "--columns": "read_data.columns",
        "--labels": "truth_of.path",
        "--features": "predict.features",
        "--probabilities": "predict.probabilities",
        "--settings": "predict.settings",
        "--batch": "predict.batch",
        "--trust": "predict.trust",
        "--fresh": "predict.fresh",
        "--engine": "predict.workers",
        "--scheduler": "dask_cluster.scheduler",
        "--corrupt": "shifts_for.kinds",
        "--severity": "shifts_for.severities",
        "--seed": "predict_shifted.seed",
        "--out": "write_predicted.path",
    },
    "merge": FILE
    | {"predictions": "merge.path"}
    | {f"--{name}": f"merge.{name.replace('-', '_')}" for name in ("memory", "out", "rows", "with-truth")},
    "check": READ | {"--merged": "write_equivalences.path"},
    "samples": READ | {"--seed": "samples.seed"},
    "prefer": {
        "votes": "read_preferences.path",
        "--column": "read_preferences.columns",
        "--level": "prefer.level",
        "--next": "prefer.next",
    },
    "repeats": READ
    | LABELS
    | COSTS
    | {"--more-labels": "repeats.more_labels", "--more-runs": "repeats.more_runs", "--level": "repeats.level"},
    "plan": READ
    | LABELS
    | {f"--{name}": f"plan.{name}" for name in ("difference", "models", "metric", "level", "power", "simultaneous")}
    | {"--class": "plan.positive"},
    "rank": POOL
    | LABELS
    | COSTS
    | PRICES
    | {
        "--margin": "rank.margin",
        "--cluster": "rank.cluster",
        "--method": "rank.method",
        "--option": "rank.options",
        "--metric": "rank.metric",
        "--class": "rank.positive",
        "--level": "rank.level",
        "--label-noise": "rank.label_noise",
        "--slice": "rank_slices.column",
        "--slice-labels": "rank_slices.minimum",
        "--clean": "slice_changes.clean",
        "--until": "until.rule",
        "--log-mlflow": "log_mlflow.uri",
    },
    "report": POOL
    | LABELS
    | COSTS
    | PRICES
    | {
        "--margin": "RankOptions.margin",
        "--cluster": "RankOptions.cluster",
        "--database": "read_project.database",
        "--title": "ReportOptions.title",
        "--data": "ReportOptions.data",
        "--slice": "ReportOptions.column",
        "--method": "RankOptions.method",
        "--option": "RankOptions.options",
        "--metric": "RankOptions.metric",
        "--class": "RankOptions.positive",
        "--level": "RankOptions.level",
        "--label-noise": "RankOptions.label_noise",
        "--out": "report.out",
        "--log-mlflow": "log_mlflow.uri",
    },
    "estimate": POOL
    | LABELS
    | COSTS
    | {
        "--model": "estimate.model",
        "--cluster": "estimate.cluster",
        "--metric": "estimate.metric",
        "--class": "estimate.positive",
        "--level": "estimate.level",
    },
    "compare": POOL
    | LABELS
    | COSTS
    | {
        "a": "compare.a",
        "b": "compare.b",
        "--test": "compare.test",
        "--margin": "compare.margin",
        "--about": "compare.about",
        "--anytime": "compare.anytime",
        "--cluster": "compare.cluster",
        "--level": "compare.level",
        "--metric": "compare.metric",
        "--class": "compare.positive",
        "--label-noise": "compare.label_noise",
    },
    "select": POOL
    | LABELS
    | SELECTOR
    | {
        "--budget": "select.budget",
        "--models": "select.models",
        "--metric": "select.metric",
        "--class": "select.positive",
        "--grade": "graded.low",
        "--seed": "select.seed",
        "--out": "write_labels.path",
    },
    "label": READ
    | LABELS
    | LOSS
    | {
        "--project": "label_project.folder",
        "--database": "label_project.database",
        "--database-file": "label_project.database",
        "--data": "ProjectSettings.data",
        "--template": "ProjectSettings.template",
        "--guidelines": "ProjectSettings.guidelines",
        "--hide-ranking": "ProjectSettings.hide_ranking",
        "--grade": "ProjectSettings.grade",
        "--method": "ProjectSettings.method",
        "--option": "ProjectSettings.options",
        "--until": "ProjectSettings.until",
        "--metric": "ProjectSettings.metric",
        "--class": "ProjectSettings.positive",
        "--level": "ProjectSettings.level",
        "--budget": "ProjectSettings.budget",
        "--overlap": "ProjectSettings.overlap",
        "--overlap-share": "ProjectSettings.share",
        "--lease": "ProjectSettings.lease",
        "--seed": "ProjectSettings.seed",
        "--name": "LabelingPage.name",
        "--host": "LabelingPage.host",
        "--port": "LabelingPage.port",
        "--public": "LabelingPage.public",
        "--token": "LabelingPage.token",
        "--token-file": "LabelingPage.token",
        "--local-token": "LabelingPage.local_token",
        "--workers": "LabelingPage.workers",
        "--users": "LabelingPage.users",
        "--browser": "serve.browser",
    },
    "users add": {"file": "add_user.path", "name": "add_user.name", "--role": "add_user.role"},
    "simulate": POOL
    | WORKERS
    | COSTS
    | SELECTOR
    | {
        "--model": "simulate_single_model.model",
        "--metric": "simulate.metric",
        "--class": "simulate.positive",
        "--budget": "simulate.budget",
        "--batch": "simulate.batch",
        "--seeds": "simulate.seeds",
        "--seed": "simulate.seed",
        "--ranker": "simulate.ranker",
        "--truth": "read_truth.path",
        "--until": "simulate_stopping.rule",
    },
    "bench": {
        "spec": "bench.spec",
        "--out": "bench.out",
        "--task": "bench.tasks",
        "--repetitions": "bench.repetitions",
        "--seed": "bench.seed",
        "--engine": "bench.workers",
        "--scheduler": "dask_cluster.scheduler",
    },
    "corrupt": {
        "data": "write_shifted.data",
        "--kind": "write_shifted.kinds",
        "--severity": "write_shifted.severities",
        "--out": "write_shifted.out",
        "--labels": "write_shifted.labels",
        "--id": "write_shifted.id",
        "--columns": "write_shifted.columns",
        "--seed": "write_shifted.seed",
        "--sheet": "write_sheet.path",
    },
    "shift": {
        "models": "shift_study.models",
        "--data": "shift_study.data",
        "--labels": "shift_study.labels",
        "--out": "shift_study.out",
        "--engine": "shift_study.workers",
        "--scheduler": "dask_cluster.scheduler",
        "--columns": "shift_study.columns",
        "--corrupt": "shift_study.kinds",
        "--severity": "shift_study.severities",
        "--repetitions": "shift_study.repetitions",
        "--seed": "shift_study.seed",
        "--features": "predict.features",
        "--probabilities": "predict.probabilities",
        "--settings": "predict.settings",
        "--trust": "predict.trust",
    },
    "zoo": {"--data": "train_zoo.data", "--out": "train_zoo.out", "--seed": "train_zoo.seed"},
    "doctor": {},
    "schema": {"command": "json_schema.command"},
    "methods": {},
    "demo": {"--out": "demo.out", "--seed": "demo.seed"},
    "export log": EXPORTED,
    "export merged": {option: target.replace("export_log", "export_merged") for option, target in EXPORTED.items()},
    "export folder": {option: target.replace("export_log", "export_folder") for option, target in EXPORTED.items()},
    "export dataset": READ | {"--out": "write_dataset.path"},
    "export label-studio": LABEL_STUDIO
    | {
        "--out": "export_label_studio.out",
        "--data": "export_label_studio.data",
        "--media": "export_label_studio.media",
        "--hide-models": "export_label_studio.hide",
    },
    "import inspect": RUNS | {"--scorer": "import_runs.scorer"},
    "import lm-eval": RUNS | {"--filter": "import_runs.filter"},
    "import every-eval-ever": RUNS,
    "import promptfoo": RUNS,
    "import table": RUNS | {"--column": "import_runs.columns"},
    "import mlflow": RUNS | {"--column": "import_runs.columns", "--experiment": "import_runs.experiment"},
    "import label-studio": LABEL_STUDIO
    | {
        "--export": "read_annotations.path",
        "--url": "fetch_annotations.url",
        "--token": "fetch_annotations.token",
        "--project": "fetch_annotations.project",
        "--out": "write_labels.path",
    },
}
