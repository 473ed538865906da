"""Run lengths of COCO masks: counted, or compressed as COCO's mask API does. Columns from the upper left corner on."""

import numpy


def counts_of(outline):
    """Run lengths as a list: in turns of pixels that are not set and that are."""
    counts = outline["counts"]
    if isinstance(counts, list):
        return counts
    runs, value, shift = [], 0, 0
    for character in counts:
        group = ord(character) - 48
        value |= (group & 31) << shift
        shift += 5
        if group & 32:
            continue
        if group & 16:
            value -= 1 << shift
        runs.append(value + (runs[-2] if len(runs) > 2 else 0))
        value = shift = 0
    return runs


def box_of(outline):
    """Left, top, width, height around the pixels that are set; without area where none is."""
    height = outline["size"][0]
    runs = numpy.array(counts_of(outline), numpy.int64)
    ends = numpy.cumsum(runs)[1::2]
    firsts, lasts = ends - runs[1::2], ends - 1
    some = firsts <= lasts
    firsts, lasts = firsts[some], lasts[some]
    if not len(firsts):
        return [0, 0, 0, 0]
    left, right = int((firsts // height).min()), int((lasts // height).max()) + 1
    # A run over the end of a column reaches from its bottom to the top of the next one.
    over = firsts // height < lasts // height
    top = 0 if over.any() else int((firsts % height).min())
    bottom = height if over.any() else int((lasts % height).max()) + 1
    return [left, top, right - left, bottom - top]


def pixels_of(outline):
    """The mask as rows of 0 and 1."""
    height, width = outline["size"]
    runs = counts_of(outline)
    values = numpy.arange(len(runs), dtype=numpy.uint8) % 2
    return numpy.repeat(values, runs).reshape(width, height).T


def outline_of(pixels):
    """Counted run lengths of rows of 0 and 1."""
    flat = numpy.concatenate([[0], pixels.T.reshape(-1)])
    changes = numpy.flatnonzero(numpy.diff(flat)) if flat.size else []
    runs = numpy.diff([0, *changes, flat.size - 1]).tolist()
    return {"size": [int(side) for side in pixels.shape], "counts": [int(run) for run in runs]}
