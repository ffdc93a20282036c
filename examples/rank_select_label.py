"""From no label to an answer: rank for free, ask which samples to label, label them, and rank again.

Eight classifiers read scanned digits. Pretend that nobody labeled the test images: the truth is only looked at for the
samples that adjudge asks for, as a person would.

    python examples/rank_select_label.py
"""

from sklearn.datasets import load_digits
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import Perceptron, RidgeClassifier
from sklearn.model_selection import train_test_split
from sklearn.naive_bayes import GaussianNB, MultinomialNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

import adjudge

MODELS = {
    "nearest-5": KNeighborsClassifier(5),
    "ridge": RidgeClassifier(),
    "perceptron": Perceptron(random_state=0),
    "bayes-gauss": GaussianNB(),
    "bayes-counts": MultinomialNB(),
    "tree": DecisionTreeClassifier(random_state=0),
    "forest": RandomForestClassifier(50, random_state=0),
    "svm": SVC(),
}
BUDGET = 60

images, digits = load_digits(return_X_y=True)
learn, test, answers, truth = train_test_split(images, digits, test_size=0.5, random_state=0)
names = [f"digit-{number}" for number in range(len(test))]
said = {name: model.fit(learn, answers).predict(test).astype(str) for name, model in MODELS.items()}

pool = adjudge.from_frame({"sample_id": names, **said})
print("Without any label, by agreement with the other models:\n")
print(adjudge.rank(pool))

plan = adjudge.select(pool, BUDGET)
asked = [names[sample] for sample in plan.sample]
print(f"\nWorth a label, of {len(names)} samples: {', '.join(asked[:3])} and {len(asked) - 3} more.")

labels = adjudge.fill(plan, pool, {names[sample]: str(truth[sample]) for sample in plan.sample})
answer = adjudge.rank(pool, labels)
print(f"\nWith these {BUDGET} labels, with intervals; models of one tier cannot be told apart yet:\n")
print(answer)

best = answer.models[answer.order[0]]
print(f"\nadjudge takes {best}. All {len(truth)} labels, which nobody had to buy, would have said:")
right = {name: (each == truth.astype(str)).mean() for name, each in said.items()}
for name in sorted(right, key=lambda name: -right[name]):
    print(f"  {name:<13}{right[name]:.3f}")
