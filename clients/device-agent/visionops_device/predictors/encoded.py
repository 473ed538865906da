"""Encoded images of datasets and requests, read with limits; the same in training and serving."""

import io
import warnings

import numpy
from PIL import Image, ImageOps, UnidentifiedImageError

MAX_PIXELS = 50_000_000
FORMATS = ("PNG", "JPEG", "GIF", "TIFF", "WEBP", "AVIF")
EXTENSIONS = (".png", ".jpg", ".jpeg", ".gif", ".tif", ".tiff", ".webp", ".avif")

# Tag of EXIF, and its values that swap width and height.
ORIENTATION, TURNED = 0x0112, (5, 6, 7, 8)

Image.MAX_IMAGE_PIXELS = MAX_PIXELS


class BadImage(ValueError):
    """Bytes that are not an image the runtimes read; the message is for people."""


def open_picture(data, mode="RGB", draft=None, upright=False):
    """Encoded image to a picture in ``mode``. ``draft``: (width, height) that suffice. ``upright``: turned as its EXIF says.

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
                if draft is not None:
                    image.draft("RGB", draft)
                return eight_bits(ImageOps.exif_transpose(image) if upright else image).convert(mode)
    except (Image.DecompressionBombError, Image.DecompressionBombWarning) as error:
        raise BadImage(f"the image has more than {MAX_PIXELS} pixels") from error
    except BadImage:
        raise
    except (UnidentifiedImageError, OSError, ValueError, SyntaxError, EOFError) as error:
        raise BadImage("not a readable image (PNG, JPEG, GIF, TIFF, WebP or AVIF)") from error


def eight_bits(image):
    """Grey of 16 bits as grey of 8: Pillow itself would cut off what is above 255. @raises BadImage for more than 16 bits"""
    if image.mode in ("I", "F"):
        raise BadImage("grey values of 32 bits are not read; convert it to 8 or 16 bits")
    if not image.mode.startswith("I;16"):
        return image
    return Image.fromarray((numpy.asarray(image) // 257).astype(numpy.uint8))


def upright_size(data):
    """(width, height) of an image that `open_picture` has read, turned as its EXIF says; a draft may be smaller."""
    with Image.open(io.BytesIO(data)) as image:
        turned = image.getexif().get(ORIENTATION) in TURNED
        return image.size[::-1] if turned else image.size
