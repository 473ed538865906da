"""Which samples are trained on, and which are held back to say how good the model is."""

import numpy

PARTS = ("train", "val", "test")
PART_OF_FOLDER = {"train": "train", "val": "val", "valid": "val", "validation": "val", "test": "test"}


class BadDataset(Exception):
    """The dataset cannot be trained on; the message says why and what to do."""


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
