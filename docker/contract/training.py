"""One training from its pictures to the stored model, with its report and its export."""

import json
import os

import torch

import detect
import models
from batches import Pictures
from checkpoint import Checkpoints, fingerprint
from export import export
from job import Terminated, keep, keep_folder, say, terminating, tracker
from loop import Loop
from model_folder import CHECKPOINT_CODEC, save_model
from parts import BadDataset, assign_parts, count_leaks
from weights import begin_with

#: Images that an export may choose from to compare with.
EXAMPLES = 24


class Training:
    """``settings``: as `read_config` gives them; ``found``: as `list_samples` does."""

    def __init__(self, root, settings, found):
        self.root, self.found = root, found
        self.config, entry, self.hp, self.split, self.evaluation = settings
        self.task, self.model = self.config["task"], entry["name"]
        #: Licence of a runtime that binds those who pass on or serve what it made.
        self.licence = {"licence": entry["licence"]} if entry["licence"] else {}
        self.program = models.PROGRAMS.get(self.task, detect)

    def load(self):
        samples, self.labels, self.points = self.found
        say(f"Reading {len(samples)} images at {self.hp['image_size']} x {self.hp['image_size']} pixels")

        def on_progress(fraction):
            if terminating.is_set():
                raise Terminated
            tracker.progress(0.1 * fraction)

        self.pictures = Pictures(os.path.join(self.root, "dataset"), samples, self.hp, self.task, self.labels, len(self.points), on_progress)
        for path, reason in self.pictures.bad[:20]:
            say(f"Left out {path}: {reason}")
        if self.pictures.bad:
            say(f"{len(self.pictures.bad)} images are left out")
        if not self.pictures.samples:
            raise BadDataset("no image could be read" + (f"; the first reason: {self.pictures.bad[0][1]}" if self.pictures.bad else ""))
        if self.pictures.small:
            say(f"Warning: {self.pictures.small} objects are smaller than a pixel at this image_size: they count in the evaluation, and nothing is learned of them")
        self.parts = assign_parts(self.pictures.samples, self.split)
        if self.task != "classification" and not any(self.pictures.samples[index].things for index in self.parts["train"]):
            raise BadDataset("the training part holds no object: give `train` a larger share or add annotations")
        self.describe()

    def describe(self):
        sizes = {name: len(indices) for name, indices in self.parts.items()}
        say(f"{len(self.labels)} classes; training on {sizes['train']}, validating on {sizes['val']}, testing on {sizes['test']} images")
        leaks = count_leaks(self.pictures.samples, self.parts)
        if leaks:
            say(f"Warning: {leaks} images of val and test have the same bytes as one of train: the results will look better than they are")
        tracker.params({"model": self.model, "classes": len(self.labels), **{f"images_{name}": size for name, size in sizes.items()},
                        **{f"split.{name}": value for name, value in self.split.items()}, **{f"hp.{name}": value for name, value in self.hp.items()}})
        if self.licence:
            say(f"What is made here is under the licence {self.licence['licence']}, as the runtime is")
            tracker.tags(self.licence)

    def fit(self):
        torch.manual_seed(self.hp["seed"])
        network = models.create(self.task, self.model, self.hp, len(self.labels), len(self.points))
        begin_with(self.root, network, self.config.get("pretrained") or {})
        if any(isinstance(module, torch.nn.BatchNorm2d) for module in network.modules()):
            say("Running means of the network follow its batches with momentum 0.1, so that a short training is useful in evaluation")
        labels = self.labels + self.points
        identity = fingerprint(self.model, self.hp, labels, self.pictures.samples)
        checkpoints = Checkpoints(self.root, tracker, identity, "latest.pt", CHECKPOINT_CODEC)
        self.loop = Loop(self.program, network, self.pictures, self.parts, self.hp, self.evaluation, self.labels, len(self.points), tracker, checkpoints)
        say(f"{models.parameter_count(network):,} parameters on {self.loop.device.type}, {torch.get_num_threads()} threads, {self.hp['precision']}")
        return self.loop.fit()

    def evaluate(self):
        """Metrics of the evaluation part, and the files that go with them."""
        part = self.evaluation["split"]
        if not self.evaluation["enabled"] or len(self.parts[part]) == 0:
            say("No evaluation: it is switched off or its part of the dataset is empty")
            return {}
        judged = self.loop.judge(self.parts[part])
        values, chosen = judged.metrics(), self.evaluation.get("metrics") or []
        main = values.get(self.program.MAIN)
        if main is None:
            say(f"No evaluation: the part {part} holds no object")
            return {}
        metrics = {f"{part}/{key}": value for key, value in values.items() if not chosen or key in chosen}
        # The loop has sent those of the validation part.
        if part == "test":
            tracker.add(self.loop.checkpoints.once(part, metrics, self.loop.chosen_epoch))
        say(f"{part.capitalize()}: " + ", ".join(f"{key} {value:.4f}" for key, value in values.items()) + f" on {len(self.parts[part])} images")
        for path, data in judged.report(self.pictures, f"{self.model}: {self.program.MAIN} {main:.3f} on {len(self.parts[part])} {part} images").items():
            keep(self.root, path, data)
        keep(self.root, "report.json", json.dumps({"split": part, "task": self.task, "model": self.model, "metrics": metrics,
                                                   "per_class": judged.per_class, **self.licence}).encode())
        return metrics

    def export(self, network):
        wanted = self.config.get("export") or {}
        if not wanted.get("enabled"):
            return
        folder = os.path.join(self.root, "output", "export")
        os.makedirs(folder, exist_ok=True)
        examples = [self.pictures[int(index)][0] for index in [*self.parts["test"], *self.parts["val"], *self.parts["train"]][:EXAMPLES]]
        made = export(network, self.task, wanted.get("formats") or ["onnx"], self.hp["image_size"], examples, folder)
        for entry in made:
            if entry["available"]:
                say(f"Exported {entry['format']}: differs by at most {entry['max_difference']:.2g} in {entry['compared_values']} values")
            else:
                say(f"Warning: no {entry['format']}: {entry['reason']}")
        with open(os.path.join(folder, "export.json"), "w", encoding="utf-8") as file:
            json.dump({"labels": self.labels, "formats": made, **self.licence}, file)
        keep_folder(self.root, "export")

    def finish(self, network, metrics):
        parameters = models.parameter_count(network)
        save_model(os.path.join(self.root, "output", "model"), network, self.labels, self.points, {
            "run_id": tracker.run_id, "task": self.task, "model": self.model, "hyperparameters": self.hp, "metrics": metrics, "parameters": parameters, **self.licence})
        keep_folder(self.root, "model")
        self.export(network)
        keep(self.root, "metrics.json", json.dumps({"metrics": metrics, "parameters": parameters}).encode())
        tracker.add(self.loop.checkpoints.once("parameters", {"system/parameters": parameters}, 0))
        tracker.progress(1.0)
        tracker.flush()
        say(f"Done: {parameters} parameters, model stored")
