"""How far the answers of an exported network are from those of the trained one."""

import numpy


def compare(truth, found):
    """(largest difference, compared numbers). Objects are compared in order: both sort by score; unlike counts are not equal,
    and a number that is none is equal to nothing."""
    largest, values = 0.0, 0
    for expected, given in zip(truth, found, strict=True):
        for one, other in zip(expected, given, strict=True):
            if one.shape != other.shape or not (numpy.isfinite(one).all() and numpy.isfinite(other).all()):
                return float("inf"), values
            if one.size:
                largest = max(largest, float(numpy.abs(one.astype(numpy.float64) - other.astype(numpy.float64)).max()))
                values += one.size
    return largest, values
