"""The staged dataset: which files, which class, which part; and their pixels."""

import os
from collections import Counter
from dataclasses import dataclass

import numpy

from images import BadImage, decode

EXTENSIONS = (".png", ".jpg", ".jpeg", ".gif", ".tif", ".tiff", ".webp")
PARTS = ("train", "val", "test")
PART_OF_FOLDER = {"train": "train", "val": "val", "valid": "val", "validation": "val", "test": "test"}


class BadDataset(Exception):
    """The dataset cannot be trained on; the message says why and what to do."""


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


def count_leaks(samples, parts):
    """Images of val and test whose bytes are also in train."""
    trained = {samples[index].sha256 for index in parts["train"]} - {None}
    return sum(samples[index].sha256 in trained for name in ("val", "test") for index in parts[name])


def assign_parts(samples, split):
    """Indices of train, val and test. Deterministic for a seed; no part overlaps another."""
    if split["mode"] == "existing":
        parts = {name: [i for i, sample in enumerate(samples) if sample.part == name] for name in PARTS}
    else:
        generator = numpy.random.default_rng(split["seed"])
        groups = {}
        for index, sample in enumerate(samples):
            groups.setdefault(sample.label if split["stratify"] else "", []).append(index)
        parts = {name: [] for name in PARTS}
        for _, members in sorted(groups.items()):
            order = generator.permutation(members).tolist()
            val, test = round(len(order) * split["val"]), round(len(order) * split["test"])
            parts["val"] += order[:val]
            parts["test"] += order[val:val + test]
            parts["train"] += order[val + test:]
    if not parts["train"]:
        raise BadDataset("the training part is empty: give `train` a larger share or add files")
    seen = {samples[index].label for index in parts["train"]}
    lacking = sorted({sample.label for sample in samples} - seen)
    if lacking:
        raise BadDataset(f"no image of class {lacking[0]!r} in the training part: add images or set split.stratify")
    return {name: numpy.array(indices, dtype=numpy.int64) for name, indices in parts.items()}


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
