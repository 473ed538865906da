"""Annotation files as text."""

import os

from parts import BadDataset


def text_of(root, path, most=64 << 20):
    """Text of an annotation file; one of more than ``most`` bytes is refused."""
    full = os.path.join(root, path)
    if os.path.getsize(full) > most:
        raise BadDataset(f"{path} is larger than {most >> 20} MiB")
    with open(full, encoding="utf-8-sig", errors="replace") as file:
        return file.read()
