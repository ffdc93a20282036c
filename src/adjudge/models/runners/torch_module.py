"""A PyTorch module built by a function of yours, with its weights in a safetensors file."""

from pathlib import Path
from typing import Any

from adjudge.core.arrays import Array
from adjudge.errors import InputError
from adjudge.io.files import parsing
from adjudge.models.extras import extra
from adjudge.models.runners.layers import chosen
from adjudge.models.runners.protocol import NO_HIDDEN, NoFeatures, Raw, Request, Takes
from adjudge.models.runners.python_function import from_file
from adjudge.models.runners.tensors import EXTRA, as_array, as_tensor, torch, versions

__all__ = ["BuiltModule", "open_model", "versions", "weights_of"]


def open_model(request: Request) -> "BuiltModule":
    """Build the module, and fill it with the weights next to it, or those named with `build` in their TOML."""
    assert request.path is not None
    library, path, entry = torch(), request.path, request.entry
    if not entry:
        if request.settings.build is None:
            raise InputError('a safetensors file holds weights alone; say build = "module.py:function" in its TOML')
        if not request.trust:
            raise InputError("its TOML names code that would be run; allow that with --trust (trust=True in Python)")
        file, _, entry = request.settings.build.rpartition(":")
        path = Path(file)
    weights = weights_of(request.path)
    module = from_file(path, entry)()
    if not isinstance(module, library.nn.Module):
        raise InputError(f"{entry} of {path.name} returns a {type(module).__name__}, not a PyTorch module")
    with parsing(weights, "the weights do not fit the module, or the file is damaged"):
        module.load_state_dict(extra("safetensors.torch", *EXTRA).load_file(weights))
    return BuiltModule(module.eval(), request)


def weights_of(path: Path) -> Path:
    weights = path.with_suffix(".safetensors")
    if not weights.exists():
        raise InputError(f"{weights.name} is not next to {path.name}; save its state dict there with safetensors")
    return weights


class BuiltModule:
    """A module in evaluation mode; its input shape is not known."""

    classes = None
    takes = Takes(channels="first")

    def __init__(self, module: Any, request: Request) -> None:
        self._module, self._layer = module, request.settings.layer
        self._caught: Array | None = None
        self._watched = request.features
        if request.features and self._layer is not None:
            layers = {name: each for name, each in module.named_modules() if name}
            single = {name: each for name, each in layers.items() if not list(each.children())}
            chosen(self._layer, layers, single).register_forward_hook(lambda _, given, made: self._catch(made))
        elif request.features:
            weighted = [each for each in module.modules() if list(each.parameters(recurse=False))]
            linear = [each for each in weighted[1:] if isinstance(each, torch().nn.Linear)]
            if not linear:
                raise NoFeatures(NO_HIDDEN)
            linear[-1].register_forward_pre_hook(lambda _, given: self._catch(given[0]))

    def run(self, inputs: Array) -> Raw:
        self._caught = None
        with torch().inference_mode():
            outputs = as_array(self._module(as_tensor(inputs)))
        if self._watched and self._caught is None:
            raise InputError(f"the layer {self._layer!r} was not used when the model ran; name another layer")
        return Raw(outputs, self._caught)

    def _catch(self, given: Any) -> None:
        self._caught = as_array(given).copy()  # what comes later may work in place
