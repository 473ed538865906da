"""The staged dataset: which files, which class, which part; and their pixels."""

import os
from collections import Counter
from dataclasses import dataclass

import numpy

from images import decode
from parts import PART_OF_FOLDER, BadDataset
from pictures import EXTENSIONS, BadImage


@dataclass(frozen=True)
class Sample:
    path: str
    label: str
    part: str | None
    sha256: str | None = None


def list_samples(manifest, mode, classes):
    """Samples of the wanted classes. Class and part are the entry's; without them the first folder is the class, with mode ``existing`` the part."""
    files = manifest.get("files", []) if isinstance(manifest, dict) else manifest
    samples = []
    for entry in files:
        path = entry["path"]
        folders = path.split("/")[:-1]
        if not path.lower().endswith(EXTENSIONS):
            continue
        part = None
        if mode == "existing":
            part = entry.get("split")
            if part is None and folders:
                part = PART_OF_FOLDER.get(folders[0].lower())
                folders = folders[1:]
            if part is None:
                continue
        label = entry.get("label") or (folders[0] if folders else None)
        if label is not None and (not classes or label in classes):
            samples.append(Sample(path, label, part, entry.get("sha256")))
    counts = Counter(sample.label for sample in samples)
    missing = sorted(set(classes) - set(counts))
    if missing:
        raise BadDataset(f"no image of class {missing[0]!r}: the folder of a file is its class")
    if len(counts) < 2:
        raise BadDataset(f"{len(counts)} class found, at least two are needed: the folder of a file is its class")
    return sorted(samples, key=lambda sample: sample.path)


def load_pixels(root, samples, size, grayscale, on_progress):
    """Rows of all readable samples and the samples that go with them; unreadable ones are named and left out."""
    width = size * size * (1 if grayscale else 3)
    rows = numpy.zeros((len(samples), width), dtype=numpy.float32)
    kept, bad = [], []
    for index, sample in enumerate(samples):
        try:
            with open(os.path.join(root, sample.path), "rb") as file:
                rows[len(kept)] = decode(file.read(), size, grayscale)
            kept.append(sample)
        except (OSError, BadImage) as error:
            bad.append((sample.path, str(error)))
        if index % 100 == 0:
            on_progress(index / len(samples))
    if not kept:
        raise BadDataset(f"no image could be read; the first reason: {bad[0][1]}")
    return rows[:len(kept)], kept, bad


def shifted(rows, size, channels, pixels):
    """The rows and their copies moved by ``pixels`` in the four directions; the border is repeated."""
    images = rows.reshape(-1, size, size, channels)
    padded = numpy.pad(images, ((0, 0), (pixels, pixels), (pixels, pixels), (0, 0)), mode="edge")
    places = [(pixels, pixels), (0, pixels), (2 * pixels, pixels), (pixels, 0), (pixels, 2 * pixels)]
    return numpy.concatenate([padded[:, y:y + size, x:x + size].reshape(len(rows), -1) for y, x in places])
