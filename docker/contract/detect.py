"""Detection, instance segmentation and pose: boxes with labels, and masks or key points with them."""

import numpy
import torch
from pycocotools import mask as runs
from torchvision.ops import batched_nms, box_iou

import coco_metrics
import plots
from pixels import packed

MAIN = "map50"
TARGETS = ("boxes", "labels", "masks", "keypoints", "corners")
#: Probability from which on a pixel belongs to an object.
SURE = 0.5


def loss(network, images, targets, hp):
    given = []
    for target in targets:
        # A network learns nothing of what is smaller than a pixel of its square.
        sides = target["boxes"][:, 2:] - target["boxes"][:, :2]
        seen = ~target["crowds"] & (sides >= 1).all(dim=1)
        made = {key: target[key][seen].to(images.device) for key in TARGETS if key in target}
        if "masks" in made:
            made["masks"] = made["masks"].to(torch.uint8)
        given.append(made)
    return sum(network(list(images), given).values())


def predict(network, images):
    """For each image tensors ``boxes``, ``labels`` (from 1), ``scores``, and ``masks`` (probabilities), ``keypoints`` or ``corners``."""
    return [{key: value.float().cpu() if value.is_floating_point() else value.cpu() for key, value in found.items()}
            for found in network(list(images))]


class Evaluation:
    """Compared on the square that the network sees, so that lengths are the same for all images."""

    def __init__(self, labels, points, evaluation):
        self.labels, self.points = labels, points
        given = {key: value for key, value in evaluation.items() if value is not None}
        self.least_score, self.least_iou = given.get("conf", 0.25), given.get("iou", 0.5)
        self.found, self.truth, self.parted, self.indices = [], [], [], []

    def add(self, prediction, target, square, index):
        self.found.append(with_runs(prediction))
        self.truth.append(with_runs(target))
        self.parted.append(coco_metrics.without_crowds(self.truth[-1]))
        self.indices.append(index)

    def overlaps(self, found, truth):
        """Intersection over union of each found object with each true one."""
        return box_iou(found["boxes"], truth["boxes"])

    def metrics(self):
        values, self.per_class = {}, self.counted()
        kinds = [("bbox", "")]
        if any("runs" in target for target in self.truth):
            kinds.append(("segm", "mask_"))
        if any("keypoints" in target for target in self.truth):
            kinds.append(("keypoints", "keypoint_"))
        for kind, prefix in kinds:
            overall, each = coco_metrics.measure(kind, self.labels, self.found, self.truth)
            values |= {f"{prefix}map": overall[0], f"{prefix}map50": overall[1]} if overall[0] is not None else {}
            for entry, (value, value50) in zip(self.per_class, each, strict=True):
                entry |= {f"{prefix}map": value, f"{prefix}map50": value50}
        return values

    def counted(self):
        """For each class how many objects there are to be found."""
        labels = [true["labels"] for true, _ in self.parted]
        support = torch.bincount(torch.cat(labels), minlength=len(self.labels) + 1).tolist() if labels else [0] * (len(self.labels) + 1)
        return [{"label": name, "support": support[place]} for place, name in enumerate(self.labels, 1)]

    def matched(self, at):
        """Pairs (true label, found label) of one image, 0 for none, and how many are wrong; each box is used once, the surest first.
        What lies in a crowd is neither right nor wrong."""
        found, (truth, crowds) = self.found[at], self.parted[at]
        sure = found["scores"] >= self.least_score
        labels, order = found["labels"][sure], found["scores"][sure].argsort(descending=True)
        overlap, free, pairs = self.overlaps(found, truth)[sure], set(range(len(truth["labels"]))), []
        crowded = coco_metrics.covered(found["boxes"][sure], crowds["boxes"]) >= self.least_iou
        for number in order.tolist():
            best = max(free, key=lambda place: float(overlap[number, place]), default=None)
            if best is not None and float(overlap[number, best]) >= self.least_iou:
                free.discard(best)
                pairs.append((int(truth["labels"][best]), int(labels[number])))
            elif not crowded[number]:
                pairs.append((0, int(labels[number])))
        pairs += [(int(truth["labels"][place]), 0) for place in free]
        return pairs, sum(a != b for a, b in pairs)

    def report(self, pictures, title):
        matrix, scored = numpy.zeros((len(self.labels) + 1,) * 2, int), []
        for at, index in enumerate(self.indices):
            pairs, wrong = self.matched(at)
            for true, guessed in pairs:
                matrix[true, guessed] += 1
            scored.append((wrong / max(1, len(pairs)), at, index, wrong))
        made = plots.confusion(["background", *self.labels], matrix, title, self.per_class)
        curves = [(name, *coco_metrics.curve(place + 1, self.found, self.parted, self.least_iou, self.overlaps)) for place, name in enumerate(self.labels)]
        made |= plots.precision_recall(curves)
        if any("runs" in target for target in self.truth):
            masks = [(name, *coco_metrics.curve(place + 1, self.found, self.parted, self.least_iou, mask_overlaps)) for place, name in enumerate(self.labels)]
            made |= plots.precision_recall(masks, "mask_")
        scored.sort(key=lambda entry: (-entry[0], -entry[3]))
        worst = []
        for share, at, index, wrong in scored:
            sure = self.found[at]["scores"] >= self.least_score
            guessed = [(box, f"{self.labels[int(label) - 1]} {score:.2f}") for box, label, score in
                       zip(shapes(self.found[at])[sure].tolist(), self.found[at]["labels"][sure], self.found[at]["scores"][sure], strict=True)]
            true = [(box, self.labels[int(label) - 1]) for box, label in zip(shapes(self.truth[at]).tolist(), self.truth[at]["labels"], strict=True)]
            worst.append((index, f"{wrong} wrong", 1 - share, true, guessed))
        return made | plots.worst(pictures, worst)


def mask_overlaps(found, truth):
    """As `overlaps` of the evaluation, of masks."""
    values = runs.iou(found["runs"], truth["runs"], [0] * len(truth["runs"]))
    return torch.as_tensor(numpy.array(values, float)).reshape(len(found["runs"]), len(truth["runs"]))


def shapes(objects):
    """What is drawn of objects: corners where they have any, otherwise boxes; one row an object."""
    return objects["corners"].flatten(1) if "corners" in objects else objects["boxes"]


def with_runs(objects):
    """Masks as run lengths: those of a whole part of the dataset would not fit into memory."""
    if "masks" not in objects:
        return objects
    size = objects["masks"].shape[-2:]
    runs = [packed(mask.numpy() > SURE) for mask in objects["masks"].reshape(-1, *size)]
    return {**{key: value for key, value in objects.items() if key != "masks"}, "runs": runs}


def apart(found, most_overlap):
    """Places of the boxes that remain when those of one class overlap no more than this, the surest first."""
    return batched_nms(found["boxes"], found["scores"], found["labels"], most_overlap).tolist()
