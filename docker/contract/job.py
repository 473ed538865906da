"""What every training program does alike: reads its configuration, prints its log, keeps its files, ends with a tabled code."""

import json
import os
import signal
import sys
import threading
import time

from hyperparameters import BadHyperparameters, catalog_entry, read_hyperparameters
from parts import BadDataset
from tracker import Canceled, Tracker, TrackerUnreachable

EXIT_CONFIG, EXIT_DATASET, EXIT_TRACKER, EXIT_CANCELED, EXIT_MEMORY, EXIT_TERMINATED = 2, 3, 5, 10, 11, 12
CHECKPOINT_EVERY_S = 5.0
SPLIT_DEFAULTS = {"mode": "ratio", "train": 0.8, "val": 0.1, "test": 0.1, "seed": 42, "stratify": False}


class BadConfig(Exception):
    pass


class Terminated(Exception):
    """SIGTERM came: state is saved and the program ends."""


tracker = Tracker.from_environment()
terminating = tracker.ending


def on_term(*_):
    terminating.set()
    # The platform kills after 20 s; a round that takes longer must not lose the exit code.
    timer = threading.Timer(18, lambda: os._exit(EXIT_TERMINATED))
    timer.daemon = True
    timer.start()


def say(text):
    print(f"{time.strftime('%H:%M:%S', time.gmtime())} {text}", flush=True)


def read_json(path):
    try:
        with open(path, encoding="utf-8") as file:
            return json.load(file)
    except (OSError, ValueError) as error:
        raise BadConfig(f"{os.path.basename(path)} cannot be read: {error}") from error


def read_config(root):
    """The configuration, the catalog's entry of its model, hyperparameters, split and evaluation, all complete."""
    config = read_json(os.path.join(root, "config.json"))
    config["task"] = config.get("task") or "classification"
    entry = catalog_entry(config.get("model"), config["task"])
    hp = read_hyperparameters(entry, config.get("hyperparameters"))
    split = {**SPLIT_DEFAULTS, **{key: value for key, value in (config.get("split") or {}).items() if value is not None}}
    shares = [split[part] for part in ("train", "val", "test")]
    if split["mode"] == "ratio" and not (all(isinstance(share, int | float) and share >= 0 for share in shares) and abs(sum(shares) - 1) < 1e-6):
        raise BadConfig(f"split: train, val and test must be shares that add up to 1, not {shares}")
    evaluation = {"enabled": True, "split": "test", **(config.get("evaluation") or {})}
    if evaluation["split"] not in ("val", "test"):
        raise BadConfig(f"evaluation.split: must be val or test, not {evaluation['split']!r}")
    return config, entry, hp, split, evaluation


def keep(root, path, data):
    """Writes a file below ``output/`` and stores it as an artifact of the run."""
    target = os.path.join(root, "output", path)
    os.makedirs(os.path.dirname(target), exist_ok=True)
    with open(target, "wb") as file:
        file.write(data)
    tracker.artifact(path, data)


def keep_folder(root, name):
    """Stores the files of a folder below ``output/`` as artifacts."""
    folder = os.path.join(root, "output", name)
    for member in sorted(os.listdir(folder)):
        with open(os.path.join(folder, member), "rb") as file:
            tracker.artifact(f"{name}/{member}", file.read())


def send_rest():
    """What nobody takes now stands in the checkpoint."""
    try:
        tracker.flush()
    except (TrackerUnreachable, Canceled, RuntimeError):
        pass


def run(train):
    """Calls ``train(directory)`` and returns the exit code."""
    signal.signal(signal.SIGTERM, on_term)
    root = sys.argv[1] if len(sys.argv) > 1 else "."
    try:
        train(root)
    except (BadConfig, BadHyperparameters) as error:
        print(f"Configuration: {error}", file=sys.stderr, flush=True)
        return EXIT_CONFIG
    except BadDataset as error:
        print(f"Dataset: {error}", file=sys.stderr, flush=True)
        return EXIT_DATASET
    except Canceled as error:
        print(f"Canceled: {error}", file=sys.stderr, flush=True)
        return EXIT_CANCELED
    except TrackerUnreachable as error:
        print(f"Tracker: {error}", file=sys.stderr, flush=True)
        return EXIT_TERMINATED if terminating.is_set() else EXIT_TRACKER
    except MemoryError:
        print("Memory: the dataset does not fit; choose a smaller image_size", file=sys.stderr, flush=True)
        return EXIT_MEMORY
    except Terminated:
        print("Terminated on request; a retry goes on from the last checkpoint", file=sys.stderr, flush=True)
        send_rest()
        return EXIT_TERMINATED
    return 0
