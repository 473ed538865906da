"""Masks as COCO's compressed run lengths, as serving endpoints answer them."""

import numpy


def packed(mask):
    """@param mask rows of 0 and 1 @returns {size: [height, width], counts}"""
    pixels = mask.flatten(order="F").astype(bool)
    borders = [0, *(numpy.flatnonzero(pixels[1:] != pixels[:-1]) + 1).tolist(), len(pixels)]
    # Runs of 0 and 1 take turns, and the first is of 0.
    lengths = [0] * bool(pixels[0]) + numpy.diff(borders).tolist()
    # From the fourth on, each is written as the difference to the one before the last.
    written = lengths[:3] + [length - earlier for length, earlier in zip(lengths[3:], lengths[1:])]
    return {"size": [int(side) for side in mask.shape], "counts": "".join(map(letters, written))}


def letters(number):
    """Five bits a letter, the lowest first; a sixth says that more follow."""
    text = ""
    while True:
        bits, number = number & 31, number >> 5
        is_last = number == (-1 if bits & 16 else 0)
        text += chr(48 + bits + 32 * (not is_last))
        if is_last:
            return text
