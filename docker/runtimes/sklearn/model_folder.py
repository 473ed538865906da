"""The model as a folder: ``MLmodel`` (what it is), ``labels.json``, ``model.skops`` (the estimator, never a pickle)."""

import json
import os
import platform
from datetime import datetime, timezone

import skops.io
import yaml
from sklearn import __version__ as sklearn_version
from sklearn.neural_network import MLPClassifier

from invocations import BadModel

# Types that skops does not trust by itself and that the estimators of this runtime are made of.
TRUSTED = [
    "sklearn.neural_network._stochastic_optimizers.AdamOptimizer",
    "sklearn.tree._tree.Tree",
]


def load_file(path):
    """Content of a skops file made of trusted types only."""
    untrusted = sorted(set(skops.io.get_untrusted_types(file=path)) - set(TRUSTED))
    if untrusted:
        raise BadModel(f"the model file holds the type {untrusted[0]}, which is not on the list of trusted types")
    return skops.io.load(path, trusted=TRUSTED)


def load_checkpoint(path):
    """Checkpoints of release 0.1 call the state ``estimator``."""
    kept = load_file(path)
    return kept if "state" in kept else {**kept, "state": kept["estimator"]}


CHECKPOINT_CODEC = (skops.io.dumps, load_checkpoint)


def save_model(folder, estimator, labels, description):
    """Writes the folder; ``description`` adds run, model name, hyperparameters and metrics to ``MLmodel``."""
    os.makedirs(folder, exist_ok=True)
    if isinstance(estimator, MLPClassifier) and hasattr(estimator, "_optimizer"):
        del estimator._optimizer  # the state of training is of no use to a served model
    skops.io.dump(estimator, os.path.join(folder, "model.skops"))
    with open(os.path.join(folder, "labels.json"), "w", encoding="utf-8") as file:
        json.dump(labels, file, ensure_ascii=False)
    hp = description["hyperparameters"]
    record = {
        "artifact_path": "model",
        "run_id": description["run_id"],
        "utc_time_created": datetime.now(timezone.utc).strftime("%Y-%m-%d %H:%M:%S.%f"),
        "flavors": {"visionops_sklearn": {
            "format": 1, "task": "classification", "model": description["model"], "data": "model.skops", "labels": "labels.json",
            "image_size": hp["image_size"], "grayscale": hp["grayscale"],
            "sklearn_version": sklearn_version, "python_version": platform.python_version()}},
        "signature": {"inputs": '[{"name": "image", "type": "string"}]', "outputs": '[{"name": "label", "type": "string"}, {"name": "score", "type": "double"}]'},
        "metadata": {"hyperparameters": hp, "metrics": description["metrics"], "parameters": description["parameters"]},
    }
    with open(os.path.join(folder, "MLmodel"), "w", encoding="utf-8") as file:
        yaml.safe_dump(record, file, sort_keys=False, allow_unicode=True)


def plain_name(name):
    """A file beside ``MLmodel``; whoever wrote it may name no other. @raises ValueError"""
    if not isinstance(name, str) or name in ("", ".", "..") or os.path.basename(name) != name or "\\" in name or "\0" in name:
        raise ValueError(f"{name!r} is not the name of a file in it")
    return name


def load_model(folder):
    """Estimator, labels and the flavour's settings of a model folder."""
    try:
        with open(os.path.join(folder, "MLmodel"), encoding="utf-8") as file:
            settings = yaml.safe_load(file)["flavors"]["visionops_sklearn"]
        with open(os.path.join(folder, plain_name(settings["labels"])), encoding="utf-8") as file:
            labels = json.load(file)
        return load_file(os.path.join(folder, plain_name(settings["data"]))), labels, settings
    except (OSError, KeyError, TypeError, ValueError, yaml.YAMLError) as error:
        raise BadModel(f"the folder does not hold a model of this runtime: {error}") from error
