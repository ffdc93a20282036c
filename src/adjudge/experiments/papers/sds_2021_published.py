"""What Meng et al. 2021 (SDS) published: the numbers of Tables I to III, to stand beside ours."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from adjudge.experiments.outputs import MISSING, Cell, Grid, Output, paper

# Table I: models, layers, parameters and accuracy of those from one repository, in the paper's order
TABLE_1: Mapping[str, Sequence[str]] = {
    "MNIST": (
        "1,2 8 1199882 0.9889-0.9905",
        "3-9 14 206826 0.9858-0.9916",
        "10 31 696402 0.9912",
        "11 12 600810 0.992",
        "12 9 79280 0.9919",
        "13 20 330730 0.9925",
        "14 19 327242 0.9959",
        "15 8 1199882 0.9915",
        "16-22 8 151306-1199882 0.9883-0.9922",
        "23-28 8-9 7218-444986 0.8818-0.9853",
    ),
    "Fashion-MNIST": (
        "1,2 31 258826 0.9096-0.9254",
        "3 12 329962 0.9315",
        "4,5 11-13 356234-1199882 0.9195-0.9335",
        "6-20 7-31 693962-258826 0.9046-0.9338",
        "21-25 7 931080-1256080 0.9009-0.9273",
    ),
    "CIFAR-10": (
        "1-3 18-72 274442-1250858 0.7238-0.8000",
        "4,5 18-72 274442-1250858 0.7747-0.8527",
        "6-9 8-65 62006-39002738 0.7149-0.7529",
        "10,11 12 1250858 0.7701-0.7926",
        "12-15 11-13 1248554-2883178 0.7009-0.7336",
        "16 15 2122186 0.7362",
        "17 19 781992 0.7536",
        "18,19 8-19 2915114-4210090 0.7091-0.7944",
        "20 12 1250858 0.7859",
        "21 72 274442 0.7622",
        "22-27 113 470218 0.7748-0.8081",
    ),
}
SAMPLES, CLASSES = "10000", "10"  # Section IV-A
MODELS = {"MNIST": "28", "Fashion-MNIST": "25", "CIFAR-10": "27"}  # Section IV-A
VOTES = {"MNIST": "0.9924", "Fashion-MNIST": "0.9433", "CIFAR-10": "0.8613"}  # Section VI-C, Figure 7
TABLE_2: Mapping[str, Mapping[str, Sequence[str]]] = {  # page 391: labels, then SRS, CES, RDG, DDG and SDS
    "spearman": {
        "MNIST": (
            "35 0.563 0.593 0.541 0.603 0.635",
            "60 0.587 0.636 0.595 0.447 0.673",
            "90 0.628 0.671 0.630 0.405 0.708",
            "120 0.645 0.684 0.634 0.405 0.747",
            "150 0.650 0.699 0.637 0.328 0.771",
            "180 0.659 0.682 0.635 0.308 0.788",
            "average 0.622 0.661 0.612 0.416 0.720",
            "W/T/L 6/0/0 3/3/0 6/0/0 6/0/0 /",
        ),
        "Fashion-MNIST": (
            "35 0.298 0.336 0.233 0.051 0.578",
            "60 0.359 0.367 0.315 0.382 0.670",
            "90 0.386 0.452 0.368 0.335 0.743",
            "120 0.461 0.552 0.407 0.249 0.777",
            "150 0.492 0.589 0.460 0.436 0.798",
            "180 0.532 0.629 0.503 0.618 0.821",
            "average 0.421 0.487 0.381 0.345 0.731",
            "W/T/L 6/0/0 6/0/0 6/0/0 6/0/0 /",
        ),
        "CIFAR-10": (
            "35 0.533 0.562 0.179 0.393 0.790",
            "60 0.657 0.685 0.211 0.192 0.845",
            "90 0.711 0.738 0.226 0.061 0.872",
            "120 0.753 0.785 0.235 -0.029 0.892",
            "150 0.801 0.820 0.243 0.141 0.898",
            "180 0.819 0.842 0.230 0.306 0.904",
            "average 0.713 0.739 0.221 0.177 0.867",
            "W/T/L 6/0/0 6/0/0 6/0/0 6/0/0 /",
        ),
    },
    "jaccard_10": {
        "MNIST": (
            "35 0.254 0.288 0.207 0.177 0.353",
            "60 0.317 0.347 0.221 0.177 0.413",
            "90 0.342 0.375 0.232 0.333 0.422",
            "120 0.372 0.406 0.248 0.333 0.462",
            "150 0.381 0.437 0.264 0.111 0.488",
            "180 0.394 0.459 0.262 0.111 0.481",
            "average 0.344 0.385 0.239 0.207 0.436",
            "W/T/L 6/0/0 4/2/0 6/0/0 6/0/0 /",
        ),
        "Fashion-MNIST": (
            "35 0.354 0.362 0.338 0.333 0.493",
            "60 0.401 0.420 0.346 0.333 0.536",
            "90 0.394 0.434 0.354 0.333 0.592",
            "120 0.435 0.468 0.397 0.177 0.617",
            "150 0.451 0.502 0.401 0.250 0.621",
            "180 0.473 0.534 0.424 0.429 0.631",
            "average 0.418 0.453 0.377 0.309 0.582",
            "W/T/L 6/0/0 6/0/0 6/0/0 6/0/0 /",
        ),
        "CIFAR-10": (
            "35 0.392 0.430 0.210 0.177 0.536",
            "60 0.467 0.490 0.264 0.333 0.568",
            "90 0.548 0.568 0.289 0.250 0.619",
            "120 0.554 0.608 0.328 0.177 0.631",
            "150 0.603 0.627 0.330 0.177 0.635",
            "180 0.628 0.654 0.324 0.333 0.656",
            "average 0.532 0.563 0.291 0.241 0.607",
            "W/T/L 4/2/0 2/4/0 6/0/0 6/0/0 /",
        ),
    },
}
TABLE_3 = {  # seconds: SRS, CES, RDG, DDG and SDS
    "MNIST": "1117 3513 11334 9493 10256",
    "Fashion-MNIST": "1403 31703 10082 8538 9179",
    "CIFAR-10": "4799 15347 11679 9669 10642",
}
SIZES = f"Layers, parameters: of the paper's models; a task does not hold those of its own ({MISSING})."
SHADING = "The paper's rows are as published, without their shading."
CLOCK = "The paper's seconds are of another machine, with its models run on it."


def beside(output: Output) -> Output:
    """A table of ours with the paper's rows below."""
    if not isinstance(output, Grid):
        return output
    if output.name == "table-1":
        ours = tuple((*row, Cell(MISSING), Cell(MISSING)) for row in output.rows)
        header, note = (*output.header, "layers", "parameters"), f"{output.note} {SIZES}"
        return replace(output, header=header, rows=(*ours, *(_pool(name) for name in TABLE_1)), note=note)
    if output.name == "table-3":
        rows = [(paper(name), *map(Cell, told.split())) for name, told in TABLE_3.items()]
        return replace(output, rows=(*output.rows, *rows), note=f"{output.note} {CLOCK}")
    found = TABLE_2.get(output.name.removeprefix("table-2-"), {})
    below = [(paper(name), *_marked(told.split())) for name, rows in found.items() for told in rows]
    return replace(output, rows=(*output.rows, *below), note=f"{output.note} {SHADING}" if below else output.note)


def _pool(name: str) -> tuple[Cell, ...]:
    """The models of a data set as one row of Table I: the paper lists them by repository."""
    _, layers, parameters, accuracy = zip(*(row.split() for row in TABLE_1[name]), strict=True)
    told = (MODELS[name], SAMPLES, CLASSES, _range(accuracy), VOTES[name], MISSING, MISSING)
    return (paper(name), *map(Cell, (*told, _range(layers), _range(parameters))))


def _range(told: Sequence[str]) -> str:
    """From the lowest to the highest of several numbers and ranges, as they are written.

    >>> _range(["8", "14", "8-9"])
    '8-14'
    """
    ends = sorted((end for each in told for end in each.split("-")), key=float)
    return f"{ends[0]}-{ends[-1]}"


def _marked(told: Sequence[str]) -> list[Cell]:
    """A row of Table II, the best of it bold as in the paper."""
    label, *values = told
    best = None if "/" in values[-1] or label == "average" else max(values, key=float)
    return [Cell(label), *(Cell(each, bold=each == best) for each in values)]
