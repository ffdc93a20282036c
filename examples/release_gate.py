"""May the new model be released? Two models are compared on a random draw of samples; the claim is shown or not.

The candidate is released if it is shown to be no more than two points worse than the model in service. Where the two
say the same they are equally right, so only the samples on which they differ can decide.

    python examples/release_gate.py
"""

import numpy as np
from numpy.typing import NDArray

import adjudge

CLASSES = np.array(["bird", "cat", "dog"])
SAMPLES, BUDGET, MARGIN = 2000, 400, 0.02


def answers_of(truth: NDArray[np.str_], right: float, rng: np.random.Generator) -> NDArray[np.str_]:
    """What a model says that is right on so large a share of the samples."""
    return np.where(rng.random(len(truth)) < right, truth, rng.choice(CLASSES, len(truth)))


rng = np.random.default_rng(0)
truth = rng.choice(CLASSES, SAMPLES)
service = answers_of(truth, 0.80, rng)
candidate = np.where(rng.random(SAMPLES) < 0.7, service, answers_of(truth, 0.95, rng))  # much of it is as before
names = [f"photo-{number}" for number in range(SAMPLES)]
pool = adjudge.from_frame({"sample_id": names, "service": service, "candidate": candidate})

plan = adjudge.select(pool, BUDGET, "random")  # each sample with the same chance; the number is fixed beforehand
labels = adjudge.fill(plan, pool, {names[sample]: str(truth[sample]) for sample in plan.sample})
found = adjudge.compare(pool, "candidate", "service", labels, test="non-inferior", margin=MARGIN)

print(
    f"The two differ on {found.differing} of {found.samples} samples; {found.differing_labeled} of these are labeled."
)
print(f"On those, the candidate does better on {found.a_better} and the model in service on {found.b_better}.")
print(f"Accuracy gained: {found.difference:+.3f}, {found.level:.0%} interval {found.low:+.3f} to {found.high:+.3f}.")
print(f"That it is worse by less than {MARGIN} is {'shown: release it' if found.holds else 'not shown: wait'}.")

better = adjudge.compare(pool, "candidate", "service", labels)
print(f"That it is better is {'shown' if better.holds else 'not shown'} too (p = {better.p_value:.2g}).")
print("On the command line the exit code says the same, 0 or 1:")
print(f"  adjudge compare predictions.csv candidate service --labels labels.csv --test non-inferior --margin {MARGIN}")
