"""Trains an image classifier as docs/reference/runtime-contract.md says: reads config.json, manifest.json and dataset/
from its directory, prints its log, sends metrics and artifacts to the tracker, ends with a tabled exit code."""

import json
import os
import signal
import sys
import threading
import time

import numpy
import yaml
from threadpoolctl import threadpool_limits

import estimators
import report
from checkpoint import Checkpoints, fingerprint
from dataset import BadDataset, assign_parts, count_leaks, list_samples, load_pixels, shifted
from model_folder import save_model
from tracker import Canceled, Tracker, TrackerUnreachable, points_of

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


def catalog_entry(model):
    """The one place that states defaults and ranges; the platform checks with the same file."""
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "catalog.yaml"), encoding="utf-8") as file:
        entries = yaml.safe_load(file)["models"]
    found = [entry for entry in entries if entry["name"] == model]
    if not found:
        raise BadConfig(f"model: unknown {model!r}; this runtime has {', '.join(entry['name'] for entry in entries)}")
    return found[0]


def read_config(root):
    config = read_json(os.path.join(root, "config.json"))
    if config.get("task", "classification") != "classification":
        raise BadConfig(f"task: this runtime trains classification only, not {config['task']!r}")
    model = config.get("model") or "mlp"
    hp = estimators.read_hyperparameters(catalog_entry(model), config.get("hyperparameters"))
    split = {**SPLIT_DEFAULTS, **{key: value for key, value in (config.get("split") or {}).items() if value is not None}}
    shares = [split[part] for part in ("train", "val", "test")]
    if split["mode"] == "ratio" and not (all(isinstance(share, int | float) and share >= 0 for share in shares) and abs(sum(shares) - 1) < 1e-6):
        raise BadConfig(f"split: train, val and test must be shares that add up to 1, not {shares}")
    evaluation = {"enabled": True, "split": "test", **(config.get("evaluation") or {})}
    if evaluation["split"] not in ("val", "test"):
        raise BadConfig(f"evaluation.split: must be val or test, not {evaluation['split']!r}")
    return config, model, hp, split, evaluation


class Training:
    def __init__(self, root):
        self.root, self.tracker = root, tracker
        self.config, self.model, self.hp, self.split, self.evaluation = read_config(root)

    def load(self):
        samples = list_samples(read_json(os.path.join(self.root, "manifest.json")), self.split["mode"], self.config.get("classes") or [])
        say(f"Reading {len(samples)} images at {self.hp['image_size']} x {self.hp['image_size']} pixels")

        def on_progress(fraction):
            if terminating.is_set():
                raise Terminated
            self.tracker.progress(0.15 * fraction)

        rows, samples, bad = load_pixels(os.path.join(self.root, "dataset"), samples, self.hp["image_size"], self.hp["grayscale"], on_progress)
        for path, reason in bad[:20]:
            say(f"Left out {path}: {reason}")
        if bad:
            say(f"{len(bad)} images are left out")
        self.samples, self.rows = samples, rows
        self.labels = sorted({sample.label for sample in samples})
        if len(self.labels) < 2:
            raise BadDataset("fewer than two classes have readable images")
        place = {label: index for index, label in enumerate(self.labels)}
        self.truth = numpy.array([place[sample.label] for sample in samples])
        self.parts = assign_parts(samples, self.split)
        sizes = {name: len(indices) for name, indices in self.parts.items()}
        say(f"{len(self.labels)} classes; training on {sizes['train']}, validating on {sizes['val']}, testing on {sizes['test']} images")
        leaks = count_leaks(samples, self.parts)
        if leaks:
            say(f"Warning: {leaks} images of val and test have the same bytes as one of train: the results will look better than they are")
        self.tracker.params({"model": self.model, "classes": len(self.labels), **{f"images_{name}": size for name, size in sizes.items()},
                             **{f"split.{name}": value for name, value in self.split.items()}, **{f"hp.{name}": value for name, value in self.hp.items()}})

    def fit(self):
        rows, truth = self.rows[self.parts["train"]], self.truth[self.parts["train"]]
        if self.hp["augment_shift_px"] > 0:
            channels = 1 if self.hp["grayscale"] else 3
            rows = shifted(rows, self.hp["image_size"], channels, self.hp["augment_shift_px"])
            truth = numpy.tile(truth, 5)
        checkpoints = Checkpoints(self.root, self.tracker, fingerprint(self.model, self.hp, self.labels, self.samples))
        estimator, done = checkpoints.load() or (estimators.create(self.model, self.hp), 0)
        measured = checkpoints.measured()
        total = estimators.rounds_of(self.model, self.hp)
        if done:
            say(f"Going on from the checkpoint after round {done} of {total}")
        classes, saved_at = numpy.arange(len(self.labels)), time.monotonic()
        for number in range(done + 1, total + 1):
            if terminating.is_set():
                if number > 1:
                    checkpoints.save(estimator, number - 1)
                raise Terminated
            estimators.fit_round(self.model, estimator, self.hp, number, rows, truth, classes)
            values, points = self.measure_round(estimator, number, total), measured.get(number)
            if points is None:
                points = points_of(values, number)
                checkpoints.note_measured(number, points)
            try:
                self.tracker.add(points)
                self.tracker.progress(0.15 + 0.75 * number / total)
            except TrackerUnreachable:
                checkpoints.save(estimator, number)
                raise
            if number == total or time.monotonic() - saved_at > CHECKPOINT_EVERY_S:
                checkpoints.save(estimator, number)
                saved_at = time.monotonic()
        return estimator

    def measure_round(self, estimator, number, total):
        """Says how good the round was before it is sent anywhere: the line stands in the log whoever answers."""
        values, texts = {}, []
        for part in ("train", "val"):
            indices = self.parts[part]
            if len(indices) == 0:
                continue
            scores = estimators.scores_of(estimator, self.rows[indices])
            accuracy = float((scores.argmax(axis=1) == self.truth[indices]).mean())
            value = report.loss(self.truth[indices], scores)
            values |= {f"{part}/loss": value, f"{part}/accuracy": accuracy}
            texts.append(f"{part} loss {value:.4f} accuracy {accuracy:.4f}")
        say(f"Epoch {number}/{total}  " + "  ".join(texts))
        return values

    def evaluate(self, estimator):
        """Metrics of the evaluation part and the pictures that go with them."""
        part = self.evaluation["split"]
        if not self.evaluation["enabled"] or len(self.parts[part]) == 0:
            say("No evaluation: it is switched off or its part of the dataset is empty")
            return {}
        indices = self.parts[part]
        scores, truth = estimators.scores_of(estimator, self.rows[indices]), self.truth[indices]
        predicted, quality = scores.argmax(axis=1), report.quality(part, truth, scores)
        chosen = self.evaluation.get("metrics") or []
        metrics = {key: value for key, value in quality.items() if not chosen or key.removeprefix(f"{part}/") in chosen}
        matrix = report.matrix_of(self.labels, truth, predicted)
        for key, value in metrics.items():
            self.tracker.metric(key, value, estimators.rounds_of(self.model, self.hp))
        say(f"{part.capitalize()}: accuracy {quality[f'{part}/accuracy']:.4f}, macro F1 {quality[f'{part}/f1_macro']:.4f} on {len(indices)} images")
        examples = report.examples_from(os.path.join(self.root, "dataset"), self.samples, truth, indices)
        title = f"{self.model}: {quality[f'{part}/accuracy']:.1%} of {len(indices)} {part} images right"
        self.keep("confusion_matrix.json", json.dumps({"split": part, "labels": self.labels, "matrix": matrix.tolist(),
                                                       "per_class": report.per_class(self.labels, truth, predicted)}).encode())
        self.keep("confusion_matrix.png", report.draw(self.labels, matrix, title, examples))
        return metrics

    def keep(self, path, data):
        target = os.path.join(self.root, "output", path)
        os.makedirs(os.path.dirname(target), exist_ok=True)
        with open(target, "wb") as file:
            file.write(data)
        self.tracker.artifact(path, data)

    def finish(self, estimator, metrics):
        parameters = estimators.parameter_count(estimator)
        folder = os.path.join(self.root, "output", "model")
        save_model(folder, estimator, self.labels, {"run_id": self.tracker.run_id, "model": self.model, "hyperparameters": self.hp,
                                                    "metrics": metrics, "parameters": parameters})
        for name in sorted(os.listdir(folder)):
            with open(os.path.join(folder, name), "rb") as file:
                self.tracker.artifact(f"model/{name}", file.read())
        self.keep("metrics.json", json.dumps({"metrics": metrics, "parameters": parameters}).encode())
        self.tracker.metric("system/parameters", parameters)
        self.tracker.progress(1.0)
        self.tracker.flush()
        say(f"Done: {parameters} parameters, model stored")


def train(root):
    training = Training(root)
    say(f"Experiment {training.config.get('experiment_id', '-')}, attempt {training.config.get('attempt', 1)}: {training.model}")
    with threadpool_limits(estimators.algebra_threads(training.hp), user_api="blas"):
        training.load()
        estimator = training.fit()
        if terminating.is_set():
            raise Terminated
        training.finish(estimator, training.evaluate(estimator))


def send_rest():
    """What nobody takes now stands in the checkpoint."""
    try:
        tracker.flush()
    except (TrackerUnreachable, Canceled, RuntimeError):
        pass


def main():
    signal.signal(signal.SIGTERM, on_term)
    root = sys.argv[1] if len(sys.argv) > 1 else "."
    try:
        train(root)
    except (BadConfig, estimators.BadHyperparameters) as error:
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


if __name__ == "__main__":
    sys.exit(main())
