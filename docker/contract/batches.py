"""Samples as batches of tensors: decoded once where memory allows, in an order that a seed and the epoch decide."""

import os

import numpy
import torch

from pictures import BadImage
from pixels import IGNORE, packed, read_square, unpacked

CACHE_BYTES = 512 << 20


class Pictures:
    """Images of the dataset on squares, by index; unreadable ones are left out when the dataset is opened."""

    def __init__(self, root, samples, hp, task, labels, points, on_progress):
        self.root, self.size, self.task, self.points = root, hp["image_size"], task, points
        self.place = {name: number for number, name in enumerate(labels)}
        self.cache, self.bad, self.samples = {}, [], []
        #: Objects that are smaller than a pixel of the square.
        self.small = 0
        #: Bytes of a pixel: its colours, and its class where an image is painted. Masks of objects are packed.
        depth = 4 if task == "semantic_segmentation" else 3
        self.keeps = len(samples) * depth * self.size**2 <= CACHE_BYTES
        for number, sample in enumerate(samples):
            try:
                read = self.read(sample)
                if self.keeps:
                    self.cache[len(self.samples)] = (read[0], self.target(sample, read[1]), read[1])
                self.samples.append(sample)
                self.small += self.count_small(sample, read[1])
            except (OSError, BadImage) as error:
                self.bad.append((sample.path, str(error)))
            if number % 20 == 0:
                on_progress(number / len(samples))

    def read(self, sample):
        with open(os.path.join(self.root, sample.path), "rb") as file:
            return read_square(file.read(), self.size)

    def count_small(self, sample, square):
        if self.task == "semantic_segmentation":
            return 0
        boxes = [square.box_to_square(thing.box, thing.relative) for thing in sample.things]
        return sum(has_area(box) and is_small(box) for box in boxes)

    def __getitem__(self, index):
        """(uint8 image 3 x size x size, target, ``Square``)."""
        if index in self.cache:
            return self.cache[index]
        sample = self.samples[index]
        image, square = self.read(sample)
        return image, self.target(sample, square), square

    def target(self, sample, square):
        if self.task == "classification":
            return torch.tensor(self.place[sample.label])
        if self.task == "semantic_segmentation":
            return self.painted(sample, square)
        return self.objects(sample, square)

    def painted(self, sample, square):
        """Class number of each pixel, 0 for background; large objects below small ones; ``IGNORE`` beside the image."""
        canvas = numpy.full((self.size, self.size), IGNORE, numpy.uint8)
        canvas[square.top:square.top + square.inner[1], square.left:square.left + square.inner[0]] = 0
        masks = [(square.mask_of(thing), thing) for thing in sample.things]
        for mask, thing in sorted(masks, key=lambda pair: -int(pair[0].sum())):
            canvas[mask == 1] = IGNORE if thing.crowd else self.place[thing.label] + 1
        return torch.from_numpy(canvas)

    def objects(self, sample, square):
        boxes, labels, runs, points, corners, crowds = [], [], [], [], [], []
        for thing in sample.things:
            box = square.box_to_square(thing.box, thing.relative)
            if not has_area(box):
                continue
            boxes.append(box)
            labels.append(self.place[thing.label] + 1)
            crowds.append(thing.crowd)
            if self.task == "instance_segmentation":
                runs.append(packed(square.mask_of(thing)))
            if self.task == "pose":
                points.append(self.placed_points(thing, square))
            if self.task == "obb":
                outline = thing.outline[0]
                corners.append(numpy.stack(square.to_square(outline[0::2], outline[1::2], thing.relative), axis=1))
        target = {"boxes": torch.tensor(boxes, dtype=torch.float32).reshape(-1, 4), "labels": torch.tensor(labels, dtype=torch.int64),
                  "crowds": torch.tensor(crowds, dtype=torch.bool)}
        if self.task == "instance_segmentation":
            target["runs"] = runs
        if self.task == "pose":
            target["keypoints"] = torch.tensor(numpy.array(points), dtype=torch.float32).reshape(-1, self.points, 3)
        if self.task == "obb":
            target["corners"] = torch.tensor(numpy.array(corners), dtype=torch.float32).reshape(-1, 4, 2)
        return target

    def placed_points(self, thing, square):
        rows = numpy.zeros((self.points, 3))
        if thing.points is None:
            return rows
        given = numpy.array(thing.points[:self.points], float)
        xs, ys = square.to_square(given[:, 0], given[:, 1], thing.relative)
        rows[:len(given)] = numpy.stack([xs, ys, given[:, 2]], axis=1)
        rows[rows[:, 2] == 0] = 0
        return rows


def has_area(box):
    """Nothing is left of an object that lies beside the image."""
    return box[2] > box[0] and box[3] > box[1]


def is_small(box):
    return box[2] - box[0] < 1 or box[3] - box[1] < 1


def epochs_order(indices, seed, epoch):
    """The training part in the order of an epoch: the same when the epoch is run again."""
    return numpy.random.default_rng([seed, epoch]).permutation(indices)


def augmented(image, target, hp, generator):
    """A float image of 0..1 and its target, changed as the hyperparameters allow."""
    image = image.float() / 255
    if isinstance(target, dict) and "runs" in target:
        target = with_masks(target, image.shape[-1])
    if hp["augment_brightness"] > 0:
        image = (image * float(1 + generator.uniform(-1, 1) * hp["augment_brightness"])).clamp(0, 1)
    if hp.get("augment_flip") and generator.random() < 0.5:
        image, target = image.flip(-1), flipped(target, image.shape[-1])
    return image, target


def with_masks(target, size):
    """Masks as a network takes them: those of all images at once would not fit into memory."""
    masks = [torch.from_numpy(unpacked(mask)) for mask in target["runs"]]
    made = {key: value for key, value in target.items() if key != "runs"}
    return {**made, "masks": torch.stack(masks) if masks else torch.zeros((0, size, size), dtype=torch.uint8)}


def flipped(target, width):
    if not isinstance(target, dict):
        return target.flip(-1) if target.dim() == 2 else target
    boxes = target["boxes"]
    made = {**target, "boxes": torch.stack([width - boxes[:, 2], boxes[:, 1], width - boxes[:, 0], boxes[:, 3]], dim=1)}
    if "masks" in target:
        made["masks"] = target["masks"].flip(-1)
    if "corners" in target:
        made["corners"] = torch.stack([width - target["corners"][..., 0], target["corners"][..., 1]], dim=-1)
    return made
