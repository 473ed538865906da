"""The classifiers of this runtime, each trained in rounds so that progress, curves and checkpoints are the same for all."""

import warnings

import numpy
from sklearn.ensemble import RandomForestClassifier
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression, SGDClassifier
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPClassifier

#: How scikit-learn begins what it says of every tree once the threads of a forest have emptied the list of warning filters.
OF_EVERY_TREE = "`sklearn.utils.parallel.delayed` should be used"

warnings.filterwarnings("ignore", category=ConvergenceWarning)


def quiet(show):
    """
    Shows all warnings but that one. A filter would not do: each thread of a forest swaps the list of filters, which all
    threads share, so that it may be empty when the warning comes (scikit-learn 1.9, before Python 3.14).
    """

    def show_warning(message, *rest, **more):
        if not str(message).startswith(OF_EVERY_TREE):
            show(message, *rest, **more)

    return show_warning


warnings.showwarning = quiet(warnings.showwarning)


def create(model, hp):
    seed = hp["seed"]
    if model == "logistic-regression":
        return LogisticRegression(C=hp["c"], max_iter=hp["iterations_per_epoch"], warm_start=True)
    if model == "linear-svm":
        return SGDClassifier(loss="hinge", alpha=hp["alpha"], random_state=seed, average=True)
    if model == "random-forest":
        return RandomForestClassifier(n_estimators=0, max_depth=hp["max_depth"] or None, warm_start=True,
                                      min_samples_leaf=hp["min_samples_leaf"], random_state=seed, n_jobs=-1)
    if model == "knn":
        return KNeighborsClassifier(n_neighbors=hp["neighbors"], weights=hp["weights"], algorithm="brute")
    return MLPClassifier(hidden_layer_sizes=(hp["hidden"],) * hp["layers"], batch_size=hp["batch_size"], alpha=hp["alpha"],
                         learning_rate_init=hp["learning_rate"], random_state=seed)


def rounds_of(model, hp):
    if model == "random-forest":
        return -(-hp["trees"] // hp["trees_per_round"])
    return 1 if model == "knn" else hp["epochs"]


def algebra_threads(hp):
    """Threads for linear algebra, None = as many as there are processors. Small matrices go to one: several would spend their
    time waiting for each other, and on a busy machine more than ten times as long (68 s instead of 5 s, measured)."""
    width = hp["image_size"] ** 2 * (1 if hp["grayscale"] else 3)
    return 1 if width * hp.get("hidden", 1) < 2**19 else None


def fit_round(model, estimator, hp, number, rows, targets, classes):
    """One round: an epoch, a group of trees, or the whole fit. Rounds count from 1 and may go on from a checkpoint."""
    if model in ("linear-svm", "mlp"):
        order = numpy.random.default_rng(hp["seed"] + number).permutation(len(rows))
        size = min(hp.get("batch_size", 200), len(rows))
        if model == "mlp":
            estimator.batch_size = size
        estimator.partial_fit(rows[order], targets[order], classes=classes)
    elif model == "random-forest":
        estimator.n_estimators = min(hp["trees"], number * hp["trees_per_round"])
        estimator.fit(rows, targets)
    else:
        estimator.fit(rows, targets)


def scores_of(estimator, rows):
    """Class scores that sum to 1: probabilities, or the softmax of the margins where a model has none (not calibrated)."""
    if hasattr(estimator, "predict_proba"):
        return estimator.predict_proba(rows)
    margins = estimator.decision_function(rows)
    if margins.ndim == 1:
        margins = numpy.stack([-margins, margins], axis=1)
    exponents = numpy.exp(margins - margins.max(axis=1, keepdims=True))
    return exponents / exponents.sum(axis=1, keepdims=True)


def parameter_count(estimator):
    """Learned numbers in the model (nodes for trees, stored values for nearest neighbours)."""
    if isinstance(estimator, MLPClassifier):
        return int(sum(part.size for part in estimator.coefs_ + estimator.intercepts_))
    if isinstance(estimator, RandomForestClassifier):
        return int(sum(tree.tree_.node_count for tree in estimator.estimators_))
    if isinstance(estimator, KNeighborsClassifier):
        return int(estimator._fit_X.size)
    return int(estimator.coef_.size + estimator.intercept_.size)
