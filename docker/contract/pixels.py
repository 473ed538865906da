"""Images and their objects on one square of ``size`` pixels: scaled with the sides in proportion, the rest grey."""

import numpy
import torch
from PIL import Image, ImageDraw
from pycocotools import mask as runs

from pictures import open_picture, upright_size

GREY = 114
IGNORE = 255


class Square:
    """Places between an image of ``width`` x ``height`` and the square."""

    def __init__(self, width, height, size):
        self.width, self.height, self.size = width, height, size
        self.scale = size / max(width, height)
        self.inner = max(1, round(width * self.scale)), max(1, round(height * self.scale))
        self.left, self.top = (size - self.inner[0]) // 2, (size - self.inner[1]) // 2

    def picture(self, image):
        square = Image.new("RGB", (self.size, self.size), (GREY, GREY, GREY))
        square.paste(image.resize(self.inner, Image.Resampling.BILINEAR, reducing_gap=2.0), (self.left, self.top))
        return square

    def to_square(self, xs, ys, relative=False):
        """Coordinates of the image (pixels, or parts of it) on the square."""
        fx, fy = (self.width, self.height) if relative else (1, 1)
        return numpy.asarray(xs, float) * fx * self.scale + self.left, numpy.asarray(ys, float) * fy * self.scale + self.top

    def box_to_square(self, box, relative):
        xs, ys = self.to_square(box[0::2], box[1::2], relative)
        xs, ys = numpy.clip(xs, self.left, self.left + self.inner[0]), numpy.clip(ys, self.top, self.top + self.inner[1])
        return [float(xs[0]), float(ys[0]), float(xs[1]), float(ys[1])]

    def to_image(self, xs, ys, cut=True):
        """Coordinates of the square in pixels of the image; with ``cut`` those beyond its border lie on it."""
        xs, ys = (numpy.asarray(xs, float) - self.left) / self.scale, (numpy.asarray(ys, float) - self.top) / self.scale
        return (numpy.clip(xs, 0, self.width), numpy.clip(ys, 0, self.height)) if cut else (xs, ys)

    def mask_to_image(self, mask):
        """A mask of the square as one of the image, both of 0 and 1."""
        inner = mask[self.top:self.top + self.inner[1], self.left:self.left + self.inner[0]]
        return numpy.asarray(Image.fromarray(inner.astype(numpy.uint8)).resize((self.width, self.height), Image.Resampling.NEAREST))

    def mask_of(self, thing):
        """The outline or run-length mask of an object on the square, uint8 of 0 and 1."""
        if isinstance(thing.outline, dict):
            return self.mask_of_runs(thing.outline)
        canvas = Image.new("L", (self.size, self.size))
        pen = ImageDraw.Draw(canvas)
        for part in thing.outline:
            xs, ys = self.to_square(part[0::2], part[1::2], thing.relative)
            pen.polygon(list(zip(xs.tolist(), ys.tolist(), strict=True)), fill=1)
        return numpy.asarray(canvas)

    def mask_of_runs(self, outline):
        height, width = outline["size"]
        packed = runs.frPyObjects(outline, height, width) if isinstance(outline["counts"], list) else outline
        mask = Image.fromarray(runs.decode(packed)).resize(self.inner, Image.Resampling.NEAREST)
        canvas = numpy.zeros((self.size, self.size), numpy.uint8)
        canvas[self.top:self.top + self.inner[1], self.left:self.left + self.inner[0]] = numpy.asarray(mask)
        return canvas


def read_square(data, size):
    """Encoded image to (uint8 tensor 3 x size x size, ``Square``). @raises BadImage"""
    # Annotations speak of the upright image, as the validation of datasets does.
    picture = open_picture(data, draft=(size, size), upright=True)
    square = Square(*upright_size(data), size)
    return torch.from_numpy(numpy.array(square.picture(picture))).permute(2, 0, 1).contiguous(), square


def packed(mask):
    """A mask of 0 and 1 as COCO's compressed run-length text: ``{size: [height, width], counts}``."""
    found = runs.encode(numpy.asfortranarray(mask.astype(numpy.uint8)))
    return {"size": [int(side) for side in found["size"]], "counts": found["counts"].decode("ascii")}


def unpacked(mask):
    """A packed mask as uint8 of 0 and 1."""
    return numpy.ascontiguousarray(runs.decode(mask))
