"""Oriented boxes: like `detect.py`, but compared as the four-cornered shapes that they are."""

import math

import numpy
import torch

import detect
from coco_metrics import mean_of

MAIN = "map50"
THRESHOLDS = numpy.linspace(0.5, 0.95, 10)
RECALLS = numpy.linspace(0, 1, 101)
#: Objects of an image that are judged, as COCO has it.
MOST_JUDGED = 100
loss, predict = detect.loss, detect.predict


class Evaluation(detect.Evaluation):
    def overlaps(self, found, truth):
        return overlaps(found["corners"], truth["corners"])

    def metrics(self):
        each = average_precisions(self.labels, self.found, [true for true, _ in self.parted])
        self.per_class = [{**entry, "map": mean_of(row), "map50": mean_of(row[:1])} for entry, row in zip(self.counted(), each, strict=True)]
        return {"map": mean_of(each), "map50": mean_of(each[:, 0])} if (each > -1).any() else {}


def average_precisions(labels, found, truth):
    """Classes x thresholds of IoU, as COCO defines them; -1 for a class without objects."""
    compared = [overlaps(guessed["corners"][guessed["scores"].argsort(descending=True)[:MOST_JUDGED]], true["corners"])
                for guessed, true in zip(found, truth, strict=True)]
    result = numpy.full((len(labels), len(THRESHOLDS)), -1.0)
    for place in range(len(labels)):
        total = sum(int((true["labels"] == place + 1).sum()) for true in truth)
        if total:
            rows = [row for guessed, true, overlap in zip(found, truth, compared, strict=True) for row in matches(place + 1, guessed, true, overlap)]
            rows.sort(key=lambda row: -row[0])
            hits = numpy.array([row[1] for row in rows], bool).reshape(-1, len(THRESHOLDS))
            result[place] = [precision_of(hits[:, column], total) for column in range(len(THRESHOLDS))]
    return result


def matches(label, guessed, true, overlap):
    """(score, hit at each threshold) of the found objects of a class on one image; crowds are no objects to be found."""
    order = guessed["scores"].argsort(descending=True)[:MOST_JUDGED]
    mine, own = (guessed["labels"][order] == label).numpy(), (true["labels"] == label).numpy()
    overlap, scores = overlap.numpy()[mine][:, own], guessed["scores"][order].numpy()[mine]
    taken = numpy.zeros((len(THRESHOLDS), int(own.sum())), bool)
    for row, score in zip(overlap, scores, strict=True):
        hits = []
        for place, least in enumerate(THRESHOLDS):
            free = numpy.where(taken[place], -1.0, row)
            best = int(free.argmax()) if free.size else -1
            hits.append(best >= 0 and free[best] >= least)
            if hits[-1]:
                taken[place, best] = True
        yield float(score), hits


def precision_of(hits, total):
    found = numpy.cumsum(hits)
    recall, precision = found / total, found / numpy.arange(1, len(hits) + 1)
    precision = numpy.maximum.accumulate(precision[::-1])[::-1]
    places = numpy.searchsorted(recall, RECALLS, side="left")
    return float(numpy.mean([precision[place] if place < len(precision) else 0.0 for place in places]))


def apart(found, most_overlap):
    """Places of the objects that remain when those of one class overlap no more than this, the surest first."""
    overlap, kept = overlaps(found["corners"], found["corners"]), []
    for place in found["scores"].argsort(descending=True).tolist():
        if all(found["labels"][place] != found["labels"][other] or overlap[place, other] <= most_overlap for other in kept):
            kept.append(place)
    return kept


def overlaps(some, others):
    """Intersection over union of four-cornered shapes, N x 4 x 2 and M x 4 x 2, as N x M."""
    result = torch.zeros(len(some), len(others))
    if len(some) == 0 or len(others) == 0:
        return result
    near = (some.amin(1)[:, None] < others.amax(1)[None]).all(-1) & (others.amin(1)[None] < some.amax(1)[:, None]).all(-1)
    one, other = some.tolist(), others.tolist()
    for row, column in near.nonzero().tolist():
        common = area(clipped(one[row], other[column]))
        result[row, column] = common / max(1e-9, area(one[row]) + area(other[column]) - common)
    return result


def signed(shape):
    return sum(x * shape[at - 1][1] - shape[at - 1][0] * y for at, (x, y) in enumerate(shape)) / 2


def area(shape):
    return abs(signed(shape)) if len(shape) > 2 else 0.0


def clipped(shape, other):
    """The part of a convex shape within another (Sutherland and Hodgman)."""
    turn = 1 if signed(other) > 0 else -1
    for (ax, ay), (bx, by) in zip(other, other[1:] + other[:1], strict=True):
        sides = [turn * ((bx - ax) * (y - ay) - (by - ay) * (x - ax)) for x, y in shape]
        cut = []
        for at, ((x, y), side) in enumerate(zip(shape, sides, strict=True)):
            (px, py), before = shape[at - 1], sides[at - 1]
            # Inside is where the sides turn to: negative, as `signed` counts the other way round.
            if (side <= 0) != (before <= 0):
                share = before / (before - side)
                cut.append((px + share * (x - px), py + share * (y - py)))
            if side <= 0:
                cut.append((x, y))
        shape = cut
    return shape


def rectangle(corners):
    """Centre, width, height and angle from 0 to a right angle of the smallest rectangle around four points."""
    best = None
    for at in range(4):
        dx, dy = corners[at] - corners[at - 1]
        angle = math.atan2(dy, dx) % (math.pi / 2)
        cosine, sine = math.cos(angle), math.sin(angle)
        along, across = corners[:, 0] * cosine + corners[:, 1] * sine, corners[:, 1] * cosine - corners[:, 0] * sine
        width, height = float(along.max() - along.min()), float(across.max() - across.min())
        if best is None or width * height < best[2] * best[3]:
            u, v = float(along.max() + along.min()) / 2, float(across.max() + across.min()) / 2
            best = (u * cosine - v * sine, u * sine + v * cosine, width, height, angle)
    return best
