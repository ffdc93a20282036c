"""The options that say how samples are chosen."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from adjudge.cli.inputs import Goal, OptionList, SelectMethod, told_options

if TYPE_CHECKING:
    from adjudge.core.labels import Labels, RunHeader
    from adjudge.core.predictions import Predictions


@dataclass(frozen=True)
class SelectorOptions:
    """The method that chooses samples, and what it is told."""

    method: SelectMethod = None
    goal: Annotated[
        Goal | None,
        typer.Option(
            "--goal", help="What the labels are for: the best model, the whole ranking, accuracies. (default: best)"
        ),
    ] = None
    option: OptionList = None
    model: Annotated[str | None, typer.Option("--model", help="The model that the method looks at.")] = None
    features: Annotated[
        Path | None, typer.Option("--features", help="Its features: npy or npz. (default: those of the predictions)")
    ] = None
    reference: Annotated[
        Path | None,
        typer.Option(
            "--reference",
            help="For css with by=surprise, what samples are compared with: npz or npy with features of other samples.",
        ),
    ] = None

    def name(self, header: "RunHeader | None" = None) -> str:
        """The method: the one that was told, or that of the log that is gone on with, or the default."""
        from adjudge.registry import selector_for

        return selector_for(self.method, header)

    def check_model(self, method: str) -> None:
        """Refuse a model that the method would not look at."""
        from adjudge.errors import InputError
        from adjudge.registry import takes

        if self.model is not None and not (takes(method, "model") or takes(method, "features")):
            raise InputError(f"{method!r} does not look at a single model; leave out --model")

    def for_pair(self) -> str | None:
        """The method that was told for draws from where two models differ; what says nothing about them is refused."""
        from adjudge.errors import InputError

        told: dict[str, object] = {"--goal": self.goal, "--option": self.option or None, "--model": self.model}
        told |= {"--features": self.features, "--reference": self.reference}
        for name, given in told.items():
            if given is not None:
                raise InputError(f"--models draws with equal chances where the two differ; leave out {name}")
        return self.method

    def made(
        self, predictions: "Predictions", inside: Path, log: "Labels | None"
    ) -> "tuple[Predictions, str | None, dict[str, Any]]":
        """The pool, the method and its options, to go on with a log."""
        header = None if log is None else log.header
        method = self.name(header)
        self.check_model(method)
        predictions, options = self.read(predictions, inside, header)
        return predictions, method, options

    def read(
        self, predictions: "Predictions", inside: Path, header: "RunHeader | None" = None
    ) -> "tuple[Predictions, dict[str, Any]]":
        """The pool, with surprise if that is asked for, and the options of the method.

        Features are in a file of their own, or inside that of the predictions.
        """
        method, told = self.name(header), told_options(self.option)
        if self.reference is None:
            return predictions, self._options(method, told, predictions, self.features, inside)
        before = header.parameters if header is not None and header.method == method else {}
        predictions = self._with_surprise(method, {**before, **told}, predictions, inside, self.reference)
        return predictions, self._options(method, told, predictions, None, inside)

    def _options(
        self, method: str, told: Mapping[str, str], predictions: "Predictions", features: Path | None, inside: Path
    ) -> dict[str, Any]:
        """Those that were told, and the model with its features where the method takes them."""
        from adjudge.errors import InputError
        from adjudge.registry import takes

        if features is not None and not takes(method, "features"):
            raise InputError(f"{method!r} does not use features; leave out --features")
        options: dict[str, Any] = dict(told)
        if self.goal is not None:
            if not takes(method, "goal"):
                raise InputError(f"{method!r} has no goal to choose; leave out --goal, or use --method pooled")
            options["goal"] = self.goal.value
        if takes(method, "model") and self.model is not None:
            options["model"] = self.model
        if takes(method, "features") and self.model is not None:
            from adjudge.io import read_features
            from adjudge.io.predictions.features import beside

            options["features"] = read_features(features or beside(inside), predictions, self.model)
        return options

    def _with_surprise(
        self, method: str, told: Mapping[str, str], predictions: "Predictions", inside: Path, reference: Path
    ) -> "Predictions":
        """The pool with the surprise of each sample to the model."""
        from adjudge.cli.output import busy
        from adjudge.core.predictions import place_of
        from adjudge.errors import InputError
        from adjudge.io import read_features
        from adjudge.io.predictions.features import beside, read_reference
        from adjudge.methods.papers.surprise import COMPUTED, with_surprise

        if method != "css" or told.get("by") != COMPUTED:
            raise InputError("--reference is for --method css --option by=surprise; leave it out, or add these")
        file = self.features or beside(inside)
        if file.exists() and reference.exists() and file.samefile(reference):
            raise InputError(f"{reference} holds the pool itself; give --reference the features of other samples")
        name = self.model or told.get("model") or predictions.models[0]
        place_of(name, predictions)  # an unknown one is refused before anything is read
        known, known_classes = read_reference(reference, predictions, name)
        own = read_features(file, predictions, name)
        with busy("comparing features"):
            return with_surprise(predictions, name, own, known, known_classes)
