"""Figures of small made-up evaluations and steps of a small loop, as JSON: `python figures.py CONTRACT_FOLDER RUNTIME_FOLDER`."""

import json
import os
import sys
import tempfile
from types import SimpleNamespace

sys.path[:0] = sys.argv[1:3]

import numpy
import segment
import torch

import classify
import detect
from batches import Pictures, augmented
from export import compared
from loop import Loop
from pixels import Square
from predictor import Predictor
from samples import list_samples
from tracker import points_of


def true(boxes, labels, crowds):
    return {"boxes": torch.tensor(boxes, dtype=torch.float32).reshape(-1, 4), "labels": torch.tensor(labels, dtype=torch.int64),
            "crowds": torch.tensor(crowds, dtype=torch.bool)}


def found(boxes, labels, scores):
    return {"boxes": torch.tensor(boxes, dtype=torch.float32).reshape(-1, 4), "labels": torch.tensor(labels, dtype=torch.int64),
            "scores": torch.tensor(scores, dtype=torch.float32)}


def detected(*images):
    made = detect.Evaluation(["cat", "dog"], 0, {})
    for number, (guessed, truth) in enumerate(images):
        made.add(guessed, truth, None, number)
    return made


def crowd():
    """One cat is found; a second box lies in a crowd of cats, a third beside all."""
    made = detected((found([[0, 0, 10, 10], [50, 50, 60, 60], [80, 0, 90, 10]], [1, 1, 1], [0.9, 0.8, 0.7]),
                     true([[0, 0, 10, 10], [40, 40, 100, 100]], [1, 1], [False, True])))
    pairs, wrong = made.matched(0)
    from coco_metrics import curve
    recall, precision = curve(1, made.found, made.parted, 0.5, made.overlaps)
    return {"metrics": made.metrics(), "per_class": made.per_class, "pairs": sorted(pairs), "wrong": wrong, "recall": recall, "precision": precision}


def nothing_found():
    made = detected((found([], [], []), true([[0, 0, 10, 10]], [1], [False])))
    return {"metrics": made.metrics(), "per_class": made.per_class}


def without_objects():
    made = detected((found([[0, 0, 10, 10]], [1], [0.9]), true([], [], [])))
    return {"metrics": made.metrics(), "per_class": made.per_class}


def unpainted():
    made = segment.Evaluation(["cat"], 0, {})
    made.add(torch.tensor([[[0.2, 0.9]], [[0.8, 0.1]]]), torch.zeros((1, 2), dtype=torch.uint8), None, 0)
    return {"metrics": made.metrics()}


def rare_classes():
    """Three classes, of which the part holds two; both are recognised."""
    made = classify.Evaluation(["cat", "dog", "owl"], 0, {})
    for number, place in enumerate((0, 1)):
        made.add(torch.eye(3)[place], torch.tensor(place), None, number)
    return {"metrics": made.metrics(), "per_class": made.per_class}


def small_objects():
    """Of two objects in a wide image one is smaller than a pixel of the square."""
    made = SimpleNamespace(task="detection", size=16, place={"cat": 0}, points=0)
    things = [SimpleNamespace(label="cat", box=box, outline=None, points=None, crowd=False, relative=False) for box in ((0, 0, 20, 20), (0, 0, 400, 400))]
    square, sample = Square(1600, 1600, 16), SimpleNamespace(things=things)
    target = Pictures.objects(made, sample, square)
    given = []
    detect.loss(lambda images, targets: given.extend(targets) or {"all": torch.zeros(())}, torch.zeros((1, 3, 16, 16)), [target], {})
    return {"truth": len(target["boxes"]), "learned": len(given[0]["boxes"]), "small": Pictures.count_small(made, sample, square)}


def masks():
    """Of two objects in a wide image: what their target takes, and the columns of their masks, also when the image is flipped."""
    made = SimpleNamespace(task="instance_segmentation", size=64, place={"cat": 0}, points=0)
    outlines = ((0, 0, 31, 0, 31, 63, 0, 63), (48, 0, 63, 0, 63, 63, 48, 63))
    things = [SimpleNamespace(label="cat", box=(*outline[:2], *outline[4:6]), outline=[outline], points=None, crowd=False, relative=False) for outline in outlines]
    target = Pictures.objects(made, SimpleNamespace(things=things), Square(64, 64, 64))
    taken = sum(len(mask["counts"]) for mask in target["runs"]) if "runs" in target else target["masks"].nbytes
    generator, sides = SimpleNamespace(random=lambda: 0), []
    for flip in (False, True):
        shown = augmented(torch.zeros((3, 64, 64), dtype=torch.uint8), target, {"augment_brightness": 0, "augment_flip": flip}, generator)[1]
        sides.append([torch.where(mask.any(dim=0))[0][[0, -1]].tolist() for mask in shown["masks"]])
    return {"bytes": taken, "sides": sides}


def unmarked():
    """A person with one key point, one without any, a crowd, and a cup; both persons are found, and somebody in the crowd."""
    boxes, points = ([0, 0, 10, 10], [20, 0, 10, 10], [40, 0, 40, 40], [0, 40, 10, 10]), [5, 5, 2]
    entries = [{"image_id": 1, "category_id": 2 if number == 3 else 1, "bbox": box, "iscrowd": int(number == 2), **({"keypoints": points} if number == 0 else {})}
               for number, box in enumerate(boxes)]
    categories = [{"id": 1, "name": "person", "keypoints": ["nose"]}, {"id": 2, "name": "cup"}]
    with tempfile.TemporaryDirectory() as root:
        with open(os.path.join(root, "people.json"), "w", encoding="utf-8") as file:
            json.dump({"images": [{"id": 1, "file_name": "1.png"}], "annotations": entries, "categories": categories}, file)
        samples, labels, names = list_samples(root, [{"path": "1.png"}, {"path": "people.json"}], "pose", "ratio", [])
    made = SimpleNamespace(task="pose", size=100, place={"person": 0}, points=len(names))
    made.placed_points = lambda thing, square: Pictures.placed_points(made, thing, square)
    target = Pictures.objects(made, samples[0], Square(100, 100, 100))
    judged = detect.Evaluation(labels, len(names), {})
    guessed = found([[20, 0, 30, 10], [0, 0, 10, 10], [50, 10, 60, 20]], [1, 1, 1], [0.9, 0.8, 0.7])
    judged.add({**guessed, "keypoints": torch.tensor([[[25.0, 5, 1]], [[5.0, 5, 1]], [[55.0, 15, 1]]])}, target, None, 0)
    return {"labels": labels, "points": target["keypoints"].tolist(), "crowds": target["crowds"].tolist(), "metrics": judged.metrics()}


def telling():
    """Images to compare an exported detector by, which finds something in the bright ones alone: 3 dark ones, and as many bright ones as given."""
    def places(bright):
        pictures = [torch.full((3, 2, 2), number if number < 3 else 100 + number, dtype=torch.uint8) for number in range(3 + bright)]
        return [int(picture[0, 0, 0]) % 100 for picture in compared(lambda images: [{"boxes": torch.zeros(int(images[0].max() > 0.2), 4)}], "detection", pictures)]
    return {"many": places(12), "few": places(2), "whole": len(compared(None, "classification", [torch.zeros(3, 2, 2)] * 12))}


def regions():
    """Labels of the detections that serving gives for two rows of pixels, one a cat's and one, more surely, a dog's; then with ``top_k``."""
    asked = Predictor.__new__(Predictor)
    asked.labels = ["cat", "dog"]
    pixels = torch.zeros(3, 4, 4)
    pixels[1, :2], pixels[2, 2:] = 0.6, 0.9
    return [[found["label"] for found in asked.regions(pixels, Square(4, 4, 4), params)["detections"]] for params in ({}, {"top_k": 1}, {"conf": 0.7})]


class Counted:
    """A task whose loss counts the images of each step, and whose validation part holds the given figures."""

    MAIN = "map50"

    def __init__(self, figures):
        self.figures, self.steps, self.validated = figures, [], 0

    def loss(self, network, images, targets, hp):
        self.steps.append(len(images))
        return network(images.flatten(1)).sum()

    def predict(self, network, images):
        return [None] * len(images)

    def Evaluation(self, labels, points, evaluation):
        figures = self.figures[min(self.validated, len(self.figures) - 1)]
        self.validated += 1
        return SimpleNamespace(add=lambda *_: None, metrics=lambda: figures)


def looped(images, figures, **given):
    hp = {"batch_size": 2, "epochs": 1, "validate_every": 1, "patience": 0, "learning_rate": 0.1, "weight_decay": 0.0, "warmup_steps": 0, "seed": 1,
          "precision": "float32", "clip_gradient": 1.0, "augment_brightness": 0.0, **given}
    task, picture = Counted(figures), (torch.zeros((3, 2, 2), dtype=torch.uint8), torch.tensor(0), None)
    kept = SimpleNamespace(load=lambda: None, once=lambda _, values, step: points_of(values, step), save=lambda *_: None)
    points = []
    sent = SimpleNamespace(add=points.extend, progress=lambda *_: None)
    loop = Loop(task, torch.nn.Linear(12, 1), [picture] * (images + 1), {"train": numpy.arange(images), "val": numpy.array([images])}, hp, {}, ["cat"], 0, sent, kept)
    loop.fit()
    validated = [[point["step"], point["value"]] for point in points if point["key"] == "val/map50"]
    return {"steps": task.steps, "chosen": loop.chosen_epoch, "finished": loop.finished, "validated": validated}


CASES = {
    "crowd": crowd, "nothing_found": nothing_found, "without_objects": without_objects, "unpainted": unpainted, "rare_classes": rare_classes,
    "small_objects": small_objects, "masks": masks, "unmarked": unmarked, "telling": telling, "regions": regions,
    "single": lambda: looped(3, [{"map50": 0.5}], batch_size=1), "rest": lambda: looped(5, [{"map50": 0.5}]),
    "unmeasured": lambda: looped(2, [{}], epochs=3), "ties": lambda: looped(2, [{"map50": 0.0}], epochs=3),
    "worse": lambda: looped(2, [{"map50": 0.5}, {"map50": 0.7}, {"map50": 0.2}], epochs=3),
    "tired": lambda: looped(2, [{"map50": 0.5}, {"map50": 0.5}], epochs=9, patience=2),
}

if __name__ == "__main__":
    # The log of the loop is not the answer.
    out, sys.stdout = sys.stdout, sys.stderr
    print(json.dumps({name: case() for name, case in CASES.items()}), file=out)
