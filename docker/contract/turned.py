"""Places that annotations state in the stored pixels of an image that lies on its side, in those of the upright image."""

import os
from dataclasses import replace

import numpy
from PIL import Image

from coco_masks import outline_of, pixels_of
from pictures import ORIENTATION

#: By the orientation of EXIF: the place of stored x and y in an image of stored width and height, and rows of pixels likewise.
POINTS = {5: lambda x, y, width, height: (y, x), 6: lambda x, y, width, height: (height - y, x),
          7: lambda x, y, width, height: (height - y, width - x), 8: lambda x, y, width, height: (y, width - x)}
PIXELS = {5: numpy.transpose, 6: lambda rows: numpy.rot90(rows, -1), 7: lambda rows: numpy.rot90(rows, 2).T, 8: numpy.rot90}


def upright(root, path, things):
    """The objects of an image as they lie on it upright; none of an image whose head cannot be read."""
    try:
        with Image.open(os.path.join(root, path)) as image:
            orientation, size = image.getexif().get(ORIENTATION), image.size
    except (OSError, ValueError, SyntaxError):
        return []
    return [turned(thing, orientation, *size) for thing in things] if orientation in POINTS else things


def turned(thing, orientation, width, height):
    def place(x, y):
        return POINTS[orientation](x, y, width, height)

    (x1, y1), (x2, y2) = place(*thing.box[:2]), place(*thing.box[2:])
    points = thing.points and tuple((*(place(x, y) if seen > 0 else (x, y)), seen) for x, y, seen in thing.points)
    box = (min(x1, x2), min(y1, y2), max(x1, x2), max(y1, y2))
    return replace(thing, box=box, outline=turned_outline(thing.outline, orientation, place), points=points)


def turned_outline(outline, orientation, place):
    if isinstance(outline, dict):
        return outline_of(PIXELS[orientation](pixels_of(outline)))
    return outline and [[value for at in range(0, len(part) - 1, 2) for value in place(*part[at:at + 2])] for part in outline]
