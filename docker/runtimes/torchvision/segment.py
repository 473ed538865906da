"""Semantic segmentation: a label for each pixel."""

import numpy
import torch
from torch.nn import functional

import plots
from pixels import IGNORE

MAIN = "miou"


def loss(network, images, targets, hp):
    scores = network(images).float()
    weight = torch.full((scores.shape[1],), float(hp["object_weight"]), device=scores.device)
    weight[0] = 1.0
    return functional.cross_entropy(scores, torch.stack(targets).long().to(scores.device), weight=weight, ignore_index=IGNORE)


def predict(network, images):
    """Probability of each class (0: background) at each pixel, one tensor an image."""
    return list(network(images).float().softmax(dim=1).cpu())


class Evaluation:
    def __init__(self, labels, points, evaluation):
        self.labels, self.names = labels, ["background", *labels]
        self.total, self.images = numpy.zeros((len(self.names),) * 2, int), []

    def add(self, prediction, target, square, index):
        found, truth = prediction.argmax(dim=0).numpy().ravel(), target.numpy().ravel()
        seen = truth != IGNORE
        count = len(self.names)
        matrix = numpy.bincount(truth[seen].astype(int) * count + found[seen], minlength=count**2).reshape(count, count)
        self.total += matrix
        self.images.append((index, ious(matrix)))

    def metrics(self):
        """Background counts for `pixel_accuracy`, not for `miou`."""
        values = ious(self.total)
        self.per_class = [{"label": name, "iou": none_of(values[i]), "pixels": int(self.total[i].sum())} for i, name in enumerate(self.names)]
        known = values[1:][~numpy.isnan(values[1:])]
        return {"miou": float(known.mean()) if len(known) else 0.0,
                "pixel_accuracy": float(numpy.diag(self.total).sum() / max(1, self.total.sum()))}

    def report(self, pictures, title):
        made = plots.confusion(self.names, self.total, title, self.per_class)
        scored = []
        for index, values in self.images:
            known = values[1:][~numpy.isnan(values[1:])]
            scored.append((index, float(known.mean()) if len(known) else 1.0))
        scored.sort(key=lambda pair: pair[1])
        return made | plots.worst(pictures, [(index, f"IoU {score:.2f}", score, [], []) for index, score in scored])


def ious(matrix):
    """Intersection over union of each class; nan where neither truth nor prediction has it."""
    hits, union = numpy.diag(matrix).astype(float), matrix.sum(axis=0) + matrix.sum(axis=1) - numpy.diag(matrix)
    return numpy.where(union > 0, hits / numpy.maximum(union, 1), numpy.nan)


def none_of(value):
    return None if numpy.isnan(value) else float(value)
