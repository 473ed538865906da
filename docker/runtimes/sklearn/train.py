"""Trains an image classifier as docs/reference/runtime-contract.md says: reads config.json, manifest.json and dataset/
from its directory, prints its log, sends metrics and artifacts to the tracker, ends with a tabled exit code."""

import json
import os
import sys
import time

import numpy
from threadpoolctl import threadpool_limits

import confusion_matrix
import estimators
import report
from checkpoint import Checkpoints, fingerprint
from dataset import list_samples, load_pixels, shifted
from job import CHECKPOINT_EVERY_S, Terminated, keep, keep_folder, read_config, read_json, run, say, terminating, tracker
from model_folder import CHECKPOINT_CODEC, save_model
from parts import BadDataset, assign_parts, count_leaks
from tracker import TrackerUnreachable


class Training:
    def __init__(self, root):
        self.root, self.tracker = root, tracker
        self.config, entry, self.hp, self.split, self.evaluation = read_config(root)
        self.model = entry["name"]

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
        checkpoints = self.checkpoints = Checkpoints(
            self.root, self.tracker, fingerprint(self.model, self.hp, self.labels, self.samples), "latest.skops", CHECKPOINT_CODEC)
        estimator, done = checkpoints.load() or (estimators.create(self.model, self.hp), 0)
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
            points = checkpoints.once("round", self.measure_round(estimator, number, total), number)
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
        # The rounds have sent these of the validation part.
        sent = {"val/loss", "val/accuracy"}
        rest = {key: value for key, value in metrics.items() if key not in sent}
        self.tracker.add(self.checkpoints.once(part, rest, estimators.rounds_of(self.model, self.hp)))
        say(f"{part.capitalize()}: accuracy {quality[f'{part}/accuracy']:.4f}, macro F1 {quality[f'{part}/f1_macro']:.4f} on {len(indices)} images")
        examples = confusion_matrix.examples_from(os.path.join(self.root, "dataset"), self.samples, truth, indices)
        title = f"{self.model}: {quality[f'{part}/accuracy']:.1%} of {len(indices)} {part} images right"
        keep(self.root, "confusion_matrix.json", json.dumps({"split": part, "labels": self.labels, "matrix": matrix.tolist(),
                                                       "per_class": report.per_class(self.labels, truth, predicted)}).encode())
        keep(self.root, "confusion_matrix.png", confusion_matrix.draw(self.labels, matrix, title, examples))
        return metrics

    def finish(self, estimator, metrics):
        parameters = estimators.parameter_count(estimator)
        folder = os.path.join(self.root, "output", "model")
        save_model(folder, estimator, self.labels, {"run_id": self.tracker.run_id, "model": self.model, "hyperparameters": self.hp,
                                                    "metrics": metrics, "parameters": parameters})
        keep_folder(self.root, "model")
        keep(self.root, "metrics.json", json.dumps({"metrics": metrics, "parameters": parameters}).encode())
        self.tracker.add(self.checkpoints.once("parameters", {"system/parameters": parameters}, 0))
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


if __name__ == "__main__":
    sys.exit(run(train))
