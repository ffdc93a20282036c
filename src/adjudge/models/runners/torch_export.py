"""Programs of torch.export: .pt2 files."""

import warnings
from typing import Any

from adjudge.core.arrays import Array
from adjudge.errors import InputError
from adjudge.io.files import parsing
from adjudge.models.runners.layers import Layer, chosen
from adjudge.models.runners.protocol import NO_HIDDEN, NoFeatures, Raw, Request, Takes, need_trust
from adjudge.models.runners.tensors import SAFER, as_array, as_tensor, torch, versions

__all__ = ["ExportedProgram", "open_model", "versions"]
PRODUCTS = ("aten.linear", "aten.addmm", "aten.mm", "aten.matmul")
WEIGHTED = (*PRODUCTS, "aten.conv", "aten.lstm", "aten.gru", "aten.embedding")


def open_model(request: Request) -> "ExportedProgram":
    assert request.path is not None
    need_trust(request, "a .pt2 file", SAFER)  # it may hold pickles and source code, which torch.export runs
    library = torch()
    with parsing(request.path, "it may be damaged, or made by another version of PyTorch"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        program = library.export.load(request.path)
    return ExportedProgram(program, request)


class ExportedProgram:
    """A program with one input."""

    classes = None

    def __init__(self, program: Any, request: Request) -> None:
        names = set(program.graph_signature.user_inputs)
        inputs = [node for node in program.graph.nodes if node.op == "placeholder" and node.name in names]
        if len(inputs) != 1:
            raise InputError(f"it has {len(inputs)} inputs; only models with one can be run")
        example = inputs[0].meta["val"]
        batch, *shape = [each if isinstance(each, int) else None for each in example.shape]
        dtype = str(example.dtype).removeprefix("torch.")
        self.takes = Takes(tuple(shape), dtype, batch, channels="first")
        self._module = program.module()
        self._tap = _tap(self._module, _hidden(self._module, request.settings.layer)) if request.features else None

    def run(self, inputs: Array) -> Raw:
        with torch().inference_mode():
            if self._tap is None:
                return Raw(as_array(self._module(as_tensor(inputs))))
            outputs = self._tap.run(as_tensor(inputs))
            return Raw(as_array(outputs), self._tap.caught)


def _hidden(module: Any, layer: Layer | None) -> Any:
    """The node that goes into the last matrix product, or the one that was named."""
    nodes = list(module.graph.nodes)
    if layer is not None:
        values = {node.name: node for node in nodes}
        modules = {name: node for node in nodes for name, _ in (node.meta.get("nn_module_stack") or {}).values()}
        computed = [node for node in nodes if node.op == "call_function" and torch().is_tensor(node.meta.get("val"))]
        return chosen(layer, values | modules, {node.name: node for node in computed})
    weighted = [node for node in nodes if str(node.target).startswith(WEIGHTED)]
    products = [node for node in weighted[1:] if str(node.target).startswith(PRODUCTS)]
    if not products:
        raise NoFeatures(NO_HIDDEN)
    return products[-1].args[1 if "addmm" in str(products[-1].target) else 0]


def _tap(module: Any, hidden: Any) -> Any:
    """An interpreter that runs the graph node by node and keeps what one of them gives."""

    class Tap(torch().fx.Interpreter):  # type: ignore[misc]
        caught: Any = None

        def run_node(self, n: Any) -> Any:
            given = super().run_node(n)
            if n is hidden:
                self.caught = as_array(given).copy()  # what comes later may work in place
            return given

    return Tap(module)
