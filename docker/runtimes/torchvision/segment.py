"""Semantic segmentation: a label for each pixel."""

import heapq

import numpy
import torch
from torch.nn import functional

import plots
from pixels import IGNORE

MAIN = "miou"
#: Steps of probability of the curves.
STEPS = 100


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
        self.total = numpy.zeros((len(self.names),) * 2, int)
        #: Pixels of each class by the probability that they were given for it: those of other classes, and its own.
        self.pixels = numpy.zeros((len(labels), 2, STEPS), int)
        #: The worst images with their classes by pixel: those of all would not fit into memory.
        self.worst = []

    def add(self, prediction, target, square, index):
        found, truth = prediction.argmax(dim=0).numpy(), target.numpy()
        seen = truth != IGNORE
        count = len(self.names)
        matrix = numpy.bincount(truth[seen].astype(int) * count + found[seen], minlength=count**2).reshape(count, count)
        self.total += matrix
        for place in range(len(self.labels)):
            step = numpy.minimum(prediction[place + 1].numpy()[seen] * STEPS, STEPS - 1).astype(int)
            self.pixels[place] += numpy.bincount((truth[seen] == place + 1) * STEPS + step, minlength=2 * STEPS).reshape(2, STEPS)
        known = ious(matrix)[1:]
        score = float(numpy.nanmean(known)) if not numpy.isnan(known).all() else 1.0
        entry = (-score, -index, numpy.where(seen, truth, 0).astype(numpy.uint8), numpy.where(seen, found, 0).astype(numpy.uint8))
        (heapq.heappush if len(self.worst) < plots.WORST else heapq.heappushpop)(self.worst, entry)

    def metrics(self):
        """Background counts for `pixel_accuracy`, not for `miou`, which a part without objects does not have."""
        values = ious(self.total)
        self.per_class = [{"label": name, "iou": none_of(values[i]), "pixels": int(self.total[i].sum())} for i, name in enumerate(self.names)]
        known = values[1:][~numpy.isnan(values[1:])]
        measured = {"miou": float(known.mean())} if self.total[1:].any() else {}
        return {**measured, "pixel_accuracy": float(numpy.diag(self.total).sum() / max(1, self.total.sum()))}

    def report(self, pictures, title):
        made = plots.confusion(self.names, self.total, title, self.per_class)
        curves = [(name, *curves_of(pixels)) for name, pixels in zip(self.labels, self.pixels, strict=True)]
        made |= plots.precision_recall([(name, recall, precision) for name, recall, precision, _, _ in curves])
        made |= plots.overlap([(name, probability, iou) for name, _, _, probability, iou in curves])
        ordered = sorted(self.worst, key=lambda entry: (-entry[0], -entry[1]))
        regions = {-index: (truth, found) for _, index, truth, found in ordered}
        return made | plots.worst(pictures, [(-index, f"IoU {-score:.2f}", -score, [], []) for score, index, _, _ in ordered], regions)


def curves_of(pixels):
    """Recall, precision, least probability and IoU as the least probability falls, where any pixel is found."""
    wrong, right = pixels[:, ::-1].cumsum(axis=1)
    some = wrong + right > 0
    wrong, right, total = wrong[some], right[some], max(1, int(pixels[1].sum()))
    least = numpy.arange(STEPS)[::-1][some] / STEPS
    return (right / total).tolist(), (right / (right + wrong)).tolist(), least.tolist(), (right / (total + wrong)).tolist()


def ious(matrix):
    """Intersection over union of each class; nan where neither truth nor prediction has it."""
    hits, union = numpy.diag(matrix).astype(float), matrix.sum(axis=0) + matrix.sum(axis=1) - numpy.diag(matrix)
    return numpy.where(union > 0, hits / numpy.maximum(union, 1), numpy.nan)


def none_of(value):
    return None if numpy.isnan(value) else float(value)
