"""The square that a network sees, and the way back to the picture; as training and serving have it."""

import numpy
from PIL import Image

from .encoded import open_picture, upright_size

GREY = 114


class Square:
    """A picture scaled onto a square of ``size`` pixels with its sides in proportion, the rest grey. @raises BadImage"""

    def __init__(self, data, size):
        picture = open_picture(data, draft=(size, size), upright=True)
        self.width, self.height = upright_size(data)
        self.scale = size / max(self.width, self.height)
        self.inner = max(1, round(self.width * self.scale)), max(1, round(self.height * self.scale))
        self.left, self.top = (size - self.inner[0]) // 2, (size - self.inner[1]) // 2
        square = Image.new("RGB", (size, size), (GREY, GREY, GREY))
        square.paste(picture.resize(self.inner, Image.Resampling.BILINEAR, reducing_gap=2.0), (self.left, self.top))
        #: 1 x 3 x size x size of 0..1
        self.pixels = numpy.ascontiguousarray(numpy.asarray(square, dtype=numpy.float32).transpose(2, 0, 1)[None] / 255)

    def to_picture(self, xs, ys):
        """Coordinates of the square in pixels of the upright picture; those beyond its border lie on it."""
        xs, ys = numpy.asarray(xs, float), numpy.asarray(ys, float)
        return numpy.clip((xs - self.left) / self.scale, 0, self.width), numpy.clip((ys - self.top) / self.scale, 0, self.height)

    def mask_to_picture(self, mask):
        """A mask of the square as one of the upright picture, of 0 and 1."""
        inner = mask[self.top:self.top + self.inner[1], self.left:self.left + self.inner[0]]
        picture = Image.fromarray(inner.astype(numpy.uint8)).resize((self.width, self.height), Image.Resampling.NEAREST)
        return numpy.asarray(picture)
