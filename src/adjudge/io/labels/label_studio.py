"""Label Studio: tasks for it, and annotations from it, as files or over its web interface."""

import json
import urllib.error
import urllib.request
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any
from xml.sax.saxutils import quoteattr

import numpy as np

from adjudge.core.arrays import IntArray
from adjudge.core.index import ids_at
from adjudge.core.labels import SKIP
from adjudge.core.predictions import Predictions
from adjudge.core.votes import votes
from adjudge.errors import InputError, LabelsError
from adjudge.io.files import PathLike, parsing

ID, LABEL, SHOWN = "sample_id", "label", "sample"  # our id among the data of a task, and the names of the controls
SECONDS = 60
LARGEST = 1 << 30  # bytes of an answer of the server


def tasks(
    predictions: Predictions, samples: IntArray, shown: Mapping[int, Mapping[str, str]], *, hide: bool = False
) -> list[dict[str, Any]]:
    """Tasks in this order; `shown` is what each sample has to show, `hide` leaves out what the models said.

    `score` is the share of models that agree with the majority vote: sort by it to see what is in dispute first.

    >>> pool = Predictions(np.array([[0, 1], [0, 0]]), ("a", "b"), range(2), ("cat", "dog"))
    >>> [task] = tasks(pool, np.array([1]), {})
    >>> task["data"]
    {'sample_id': '1', 'order': 0, 'score': 0.5}
    """
    counted = None if predictions.classes is None else votes(predictions)
    found: list[dict[str, Any]] = []
    for order, (sample, name) in enumerate(zip(samples.tolist(), ids_at(predictions.samples, samples), strict=True)):
        data: dict[str, Any] = {**shown.get(sample, {}), ID: name, "order": order}
        if counted is not None:
            data["score"] = round(float(counted.top[sample]) / max(1, int(counted.present[sample])), 6)
        said = [] if hide else [_prediction(predictions, model, sample) for model in range(len(predictions.models))]
        found.append({"data": data, "predictions": [each for each in said if each is not None]})
    return found


def _prediction(predictions: Predictions, model: int, sample: int) -> dict[str, Any] | None:
    value = predictions.values[model, sample]
    if predictions.classes is None:
        missing = bool(np.isnan(value))
        result: dict[str, Any] = {"type": "number", "value": {"number": float(value)}}
    else:
        missing = value < 0  # an abstention is none of the choices
        result = {"type": "choices", "value": {"choices": [predictions.classes[value]]}}
    if missing:
        return None
    result |= {"from_name": LABEL, "to_name": SHOWN}
    return {"model_version": predictions.models[model], "result": [result]}


def label_config(predictions: Predictions, shown: str) -> str:
    """The labeling interface that fits the tasks; `shown` is the field to show, such as text or image."""
    tag = {"image": "Image", "audio": "Audio"}.get(shown, "Text")
    if predictions.classes is None:
        control = f'<Number name="{LABEL}" toName="{SHOWN}"/>'
    else:
        choices = "".join(f"<Choice value={quoteattr(name)}/>" for name in predictions.classes)
        control = f'<Choices name="{LABEL}" toName="{SHOWN}" choice="single">{choices}</Choices>'
    return f'<View><{tag} name="{SHOWN}" value="${shown}"/>{control}</View>\n'


def read_annotations(path: PathLike) -> dict[str, object]:
    """What was annotated in Label Studio, from its JSON or JSON-MIN export.

    Returns
    -------
    dict[str, object]
        By sample id: a label, or SKIP where people skipped; what most people said, where there are several.
    """
    file = Path(path)
    with parsing(file):
        told = json.loads(file.read_text(encoding="utf-8"))
    return annotations(told, file.name)


def fetch_annotations(url: str, token: str, project: int) -> dict[str, object]:
    """What was annotated so far in a project of a live Label Studio server, as `read_annotations` returns it."""
    if not url.startswith(("http://", "https://")):
        raise InputError(f"{url!r} is not the address of a Label Studio server; begin it with http:// or https://")
    address = f"{url.rstrip('/')}/api/projects/{project}/export?exportType=JSON"
    request = urllib.request.Request(address, headers={"Authorization": f"Token {token}"})
    try:
        with urllib.request.urlopen(request, timeout=SECONDS) as answer:
            told = json.loads(answer.read(LARGEST))
    except (urllib.error.URLError, OSError, ValueError) as problem:
        raise InputError(f"Label Studio at {url} does not answer ({problem}); check address and token") from None
    return annotations(told, "the export of Label Studio")


def annotations(told: object, where: str) -> dict[str, object]:
    """The answer of most annotators for each task; the first of those who tie."""
    if not isinstance(told, list) or not all(isinstance(task, dict) for task in told):
        raise LabelsError(f"{where} is not a list of tasks; export it as JSON or JSON-MIN")
    found: dict[str, object] = {}
    for task in told:
        data = task.get("data", task)
        if not isinstance(data, dict) or ID not in data:
            raise LabelsError(f"a task in {where} has no {ID!r}; make the tasks with `adjudge export label-studio`")
        said = list(_answers(task))
        if said:
            found[str(data[ID])] = Counter(said).most_common(1)[0][0]
    return found


def _answers(task: Mapping[str, Any]) -> Iterable[object]:
    if "annotations" not in task:  # JSON-MIN: one flat row
        if LABEL in task:
            yield str(task[LABEL])
        return
    for annotation in task["annotations"]:
        if annotation.get("was_cancelled"):
            yield SKIP
            continue
        for result in annotation.get("result", ()):
            value = result.get("value", {})
            if result.get("from_name") == LABEL and value.get("choices"):
                yield str(value["choices"][0])
            elif result.get("from_name") == LABEL and "number" in value:
                yield repr(float(value["number"]))
