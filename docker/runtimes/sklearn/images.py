"""From encoded images to rows of numbers; the same steps in training and serving."""

import numpy
from PIL import Image

from pictures import open_picture


def decode(data, size, grayscale):
    """Encoded image to a flat float32 row of ``size * size`` (times 3 in colour) values in 0..1."""
    picture = open_picture(data, "L" if grayscale else "RGB", draft=(size * 2, size * 2))
    if picture.size != (size, size):
        shrinking = picture.width >= size and picture.height >= size
        picture = picture.resize((size, size), Image.Resampling.BOX if shrinking else Image.Resampling.BILINEAR)
    return numpy.asarray(picture, dtype=numpy.float32).reshape(-1) / 255.0
