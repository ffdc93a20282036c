"""How much samples surprise a model, for commands whose method asks for it."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from adjudge.core.predictions import Predictions

ReferenceFile = Annotated[
    Path | None,
    typer.Option(
        "--reference",
        help="For css with by=surprise, what samples are compared with: npz or npy with features of other samples.",
    ),
]


def with_surprise(
    predictions: "Predictions",
    method: str,
    options: Mapping[str, object],
    model: str | None,
    features: Path | None,
    inside: Path,
    reference: Path,
) -> "Predictions":
    """The pool with the surprise of each sample to the model, computed from features of the pool and the reference.

    The features of the pool are in a file of their own, or in that of the predictions.
    """
    from adjudge.cli.output import busy
    from adjudge.core.predictions import place_of
    from adjudge.errors import InputError
    from adjudge.io import read_features
    from adjudge.io.predictions.features import beside, read_reference
    from adjudge.methods.papers.surprise import COMPUTED, likelihood_surprise

    if method != "css" or options.get("by") != COMPUTED:
        raise InputError("--reference is for --method css --option by=surprise; leave it out, or add these")
    file = features or beside(inside)
    if file.exists() and reference.exists() and file.samefile(reference):
        raise InputError(f"{reference} holds the pool itself; give --reference the features of other samples")
    place = place_of(model or str(options.get("model") or predictions.models[0]), predictions)
    name = predictions.models[place]
    known, known_classes = read_reference(reference, predictions, name)
    classes = None if predictions.classes is None else predictions.values[place]
    own = read_features(file, predictions, name)
    with busy("comparing features"):
        return predictions.with_auxiliary(COMPUTED, likelihood_surprise(own, known, classes, known_classes))
