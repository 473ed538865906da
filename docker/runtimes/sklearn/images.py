"""From encoded images to rows of numbers; the same steps in training and serving."""

import io
import warnings

import numpy
from PIL import Image, UnidentifiedImageError

MAX_PIXELS = 50_000_000
FORMATS = ("PNG", "JPEG", "GIF", "TIFF", "WEBP")

Image.MAX_IMAGE_PIXELS = MAX_PIXELS


class BadImage(ValueError):
    """Bytes that are not an image this runtime reads; the message is for people."""


def decode(data, size, grayscale):
    """Encoded image to a flat float32 row of ``size * size`` (times 3 in colour) values in 0..1.

    The header is checked before any pixel is decoded, so that a small file cannot claim gigabytes of memory.
    """
    # As datasets refuse it: a model must not be asked for what it cannot be trained on.
    if data.startswith(b"BM"):
        raise BadImage("BMP is not decoded; convert it to PNG or JPEG")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", Image.DecompressionBombWarning)
            with Image.open(io.BytesIO(data), formats=FORMATS) as image:
                width, height = image.size
                if width * height > MAX_PIXELS:
                    raise BadImage(f"the image has {width} x {height} pixels, at most {MAX_PIXELS} are read")
                image.draft("RGB", (size * 2, size * 2))
                picture = image.convert("L" if grayscale else "RGB")
    except (Image.DecompressionBombError, Image.DecompressionBombWarning) as error:
        raise BadImage(f"the image has more than {MAX_PIXELS} pixels") from error
    except BadImage:
        raise
    except (UnidentifiedImageError, OSError, ValueError, SyntaxError, EOFError) as error:
        raise BadImage("not a readable image (PNG, JPEG, GIF, TIFF or WebP)") from error
    if picture.size != (size, size):
        shrinking = picture.width >= size and picture.height >= size
        picture = picture.resize((size, size), Image.Resampling.BOX if shrinking else Image.Resampling.BILINEAR)
    return numpy.asarray(picture, dtype=numpy.float32).reshape(-1) / 255.0
