"""The ability of each model and the ease of each sample, fitted together by expectation-maximization: LaF and GLAD.

P(model j is right on sample i) = sigmoid(ability_j * ease_i), and a wrong model predicts each of the other classes with
the same probability.

Samples may come in parts, in memory or on other machines. Abilities are those of the whole pool, and the parameter of a
sample stays with its part. In this order:

1. `order_of`: `company` of each part; their sum and the start values give the `model_order`.
2. `parts_of`: `group_samples` of each part in that order, and `SamplePart.begin` with the start values of its samples.
3. `fit` with all parts, behind the one function of `Parts`. Each call takes a step on every part and brings back what
   the parts add up to: some (models,) and (pieces, terms) numbers, never one for each sample.
4. Then the parts hold the parameters of their samples; another `SamplePart.expect` gives their class posterior.

The result is the same to the last bit for any division into parts: see `part.py`.
"""

from adjudge.methods.ability.expectation_maximization import HeldParts, Parts, Settings, fit
from adjudge.methods.ability.groups import DIGITS, SampleGroups, company, group_samples, model_order
from adjudge.methods.ability.part import SamplePart
from adjudge.methods.ability.pool import order_of, parts_of

__all__ = [
    "DIGITS",
    "HeldParts",
    "Parts",
    "SampleGroups",
    "SamplePart",
    "Settings",
    "company",
    "fit",
    "group_samples",
    "model_order",
    "order_of",
    "parts_of",
]
