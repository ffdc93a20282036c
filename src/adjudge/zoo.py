"""A small pool of real models on real data: scikit-learn's scanned digits, which ship inside it."""

from collections.abc import Iterator
from typing import Any
from warnings import catch_warnings, simplefilter

import numpy as np

from adjudge.core.arrays import IntArray
from adjudge.core.index import as_index
from adjudge.core.predictions import Predictions
from adjudge.errors import InputError

try:
    from sklearn import (
        discriminant_analysis,
        ensemble,
        linear_model,
        naive_bayes,
        neighbors,
        neural_network,
        svm,
        tree,
    )
    from sklearn.datasets import load_digits
    from sklearn.model_selection import train_test_split
    from threadpoolctl import threadpool_limits
except ImportError as problem:
    raise InputError("the demo trains scikit-learn models; run: pip install 'adjudge[demo]'") from problem


def candidates(seed: int) -> dict[str, Any]:
    """Models of many kinds and qualities, each quick to train."""
    return {
        "nearest-1": neighbors.KNeighborsClassifier(1),
        "nearest-5": neighbors.KNeighborsClassifier(5),
        "nearest-25": neighbors.KNeighborsClassifier(25),
        "nearest-centroid": neighbors.NearestCentroid(),
        "logistic": linear_model.LogisticRegression(max_iter=60),
        "logistic-strict": linear_model.LogisticRegression(C=1e-4, max_iter=200),
        "ridge": linear_model.RidgeClassifier(),
        "perceptron": linear_model.Perceptron(random_state=seed),
        "hinge-sgd": linear_model.SGDClassifier(random_state=seed),
        "lda": discriminant_analysis.LinearDiscriminantAnalysis(),
        "qda": discriminant_analysis.QuadraticDiscriminantAnalysis(reg_param=0.05),
        "bayes-gauss": naive_bayes.GaussianNB(),
        "bayes-multinomial": naive_bayes.MultinomialNB(),
        "bayes-binary": naive_bayes.BernoulliNB(binarize=8),
        "tree-4": tree.DecisionTreeClassifier(max_depth=4, random_state=seed),
        "tree-8": tree.DecisionTreeClassifier(max_depth=8, random_state=seed),
        "tree-full": tree.DecisionTreeClassifier(random_state=seed),
        "forest-10": ensemble.RandomForestClassifier(10, random_state=seed),
        "forest-100": ensemble.RandomForestClassifier(100, random_state=seed),
        "extra-trees": ensemble.ExtraTreesClassifier(100, random_state=seed),
        "adaboost": ensemble.AdaBoostClassifier(n_estimators=40, random_state=seed),
        "svm-linear": svm.LinearSVC(random_state=seed, max_iter=2000),
        "svm-poly": svm.SVC(kernel="poly"),
        "svm-rbf": svm.SVC(),
        "net-16": neural_network.MLPClassifier((16,), max_iter=150, random_state=seed),
        "net-100": neural_network.MLPClassifier((100,), max_iter=150, random_state=seed),
    }


def train(seed: int) -> Iterator[tuple[str, IntArray, IntArray]]:
    """Each model's name, its predictions on the test half, and the truth, as training goes on."""
    images, digits = load_digits(return_X_y=True)
    learn, test, answers, truth = train_test_split(images, digits, test_size=0.5, stratify=digits, random_state=seed)
    for name, model in candidates(seed).items():
        with catch_warnings(), threadpool_limits(1):  # so small a problem is slower with more threads
            simplefilter("ignore")  # a model that did not converge is one more kind of model
            yield name, model.fit(learn, answers).predict(test), truth


def as_pool(trained: list[tuple[str, IntArray, IntArray]]) -> tuple[Predictions, IntArray]:
    """The pool of trained models, and the truth that the demo sells label by label."""
    names, values, truths = zip(*trained, strict=True)
    samples = [f"digit-{number:03d}" for number in range(len(truths[0]))]
    pool = Predictions(np.stack(values).astype(np.int8), names, as_index(samples), tuple("0123456789"))
    return pool, truths[0]
