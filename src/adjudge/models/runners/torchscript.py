"""TorchScript files: .pt, .pth, .ts."""

import warnings
from typing import Any

from adjudge.core.arrays import Array
from adjudge.io.files import parsing
from adjudge.models.runners.protocol import NoFeatures, Raw, Request, Takes, need_trust
from adjudge.models.runners.tensors import SAFER, as_array, as_tensor, torch, versions

__all__ = ["ScriptedModule", "open_model", "versions"]
ADVICE = (
    "if it is a pickled module or a state dict, save it with torch.export, or give module.py:build with safetensors"
)


def open_model(request: Request) -> "ScriptedModule":
    assert request.path is not None
    need_trust(request, "TorchScript", SAFER)  # as the documentation of torch.jit.load warns
    if request.features:
        raise NoFeatures("TorchScript does not let one look inside; save it with torch.export instead")
    library = torch()
    with parsing(request.path, ADVICE), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # TorchScript is deprecated, but its files are there
        return ScriptedModule(library.jit.load(request.path, map_location="cpu").eval())


class ScriptedModule:
    """A scripted or traced module; its input shape is not known."""

    classes = None
    takes = Takes(channels="first")

    def __init__(self, module: Any) -> None:
        self._module = module

    def run(self, inputs: Array) -> Raw:
        with torch().inference_mode():
            return Raw(as_array(self._module(as_tensor(inputs))))
