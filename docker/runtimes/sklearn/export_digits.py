"""Writes scikit-learn's 1,797 scans of handwritten digits as PNG files into class folders: ``TARGET/<label>/<index>.png``.

``--holdback N --holdback-dir DIR`` writes N of them, spread evenly over the classes, to DIR instead, for a check on
images that training never saw. The choice depends on nothing but N.
"""

import argparse
import os

import numpy
from PIL import Image
from sklearn.datasets import load_digits


def held_back(labels, count):
    """Indices of ``count`` images, class by class in turn, chosen by a fixed seed."""
    generator = numpy.random.default_rng(7)
    queues = [generator.permutation(numpy.flatnonzero(labels == label)).tolist() for label in range(10)]
    chosen = set()
    while len(chosen) < count:
        for queue in queues:
            if queue and len(chosen) < count:
                chosen.add(queue.pop())
    return chosen


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("target")
    parser.add_argument("--holdback", type=int, default=0)
    parser.add_argument("--holdback-dir")
    parser.add_argument("--size", type=int, default=32, help="side of the PNG files in pixels")
    options = parser.parse_args()
    digits = load_digits()
    if not 0 <= options.holdback < len(digits.target):
        parser.error(f"--holdback must be between 0 and {len(digits.target) - 1}")
    if options.holdback and not options.holdback_dir:
        parser.error("--holdback needs --holdback-dir")
    apart = held_back(digits.target, options.holdback)
    for index, (scan, label) in enumerate(zip(digits.images, digits.target, strict=True)):
        folder = os.path.join(options.holdback_dir if index in apart else options.target, str(label))
        os.makedirs(folder, exist_ok=True)
        # The scans hold ink from 0 to 16 on an 8 x 8 grid.
        picture = Image.fromarray(numpy.rint(scan * (255 / 16)).astype(numpy.uint8), mode="L")
        picture.resize((options.size, options.size), Image.Resampling.NEAREST).save(os.path.join(folder, f"{index:04d}.png"), optimize=True)
    print(f"{len(digits.target) - len(apart)} images in {options.target}" + (f", {len(apart)} in {options.holdback_dir}" if apart else ""))


if __name__ == "__main__":
    main()
