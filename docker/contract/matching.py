"""Which image an annotation speaks of, by its path. For manifests that were frozen before they said so themselves (`matched.py`)
alone: the validation knows more places, and new rules belong there."""

import posixpath

from pictures import EXTENSIONS

PART_WORDS = {"train": "train", "training": "train", "val": "val", "valid": "val", "validation": "val", "test": "test"}


def part_of(path):
    """The part of the dataset that a folder or the name of a file names; None where none does."""
    stem = posixpath.splitext(path)[0].lower()
    for word in stem.replace("_", "/").replace("-", "/").split("/"):
        found = PART_WORDS.get(word.rstrip("0123456789"))
        if found:
            return found
    return None


class Images:
    """The images of a dataset, found by the places where an annotation expects them, then by their name."""

    def __init__(self, paths):
        self.paths = [path for path in paths if path.lower().endswith(EXTENSIONS)]
        self.exact = set(self.paths)
        self.by_base, self.by_name = {}, {}
        for path in self.paths:
            self.by_base.setdefault(posixpath.splitext(path)[0], []).append(path)
            self.by_name.setdefault(posixpath.basename(path).lower(), []).append(path)
            self.by_name.setdefault(posixpath.splitext(posixpath.basename(path))[0].lower(), []).append(path)

    def named(self, name, beside):
        """An image by the name that an annotation file at ``beside`` gives; None when there is none or more than one."""
        name = posixpath.normpath(name.replace("\\", "/").lstrip("/"))
        folder, part = posixpath.dirname(beside), part_of(beside)
        places = [folder, posixpath.dirname(folder), ""]
        for place in places:
            for inner in ("", "images", *((part, f"images/{part}") if part else ())):
                path = posixpath.normpath(posixpath.join(place, inner, name))
                if path in self.exact:
                    return path
        ends = [path for path in self.by_name.get(posixpath.basename(name).lower(), []) if path.lower().endswith(name.lower())]
        fitting = [path for path in ends if part is None or part_of(path) in (None, part)]
        if len(fitting) == 1:
            return fitting[0]
        return self.alone(posixpath.basename(name)) if not ends else None

    def alone(self, name):
        found = self.by_name.get(posixpath.splitext(name)[0].lower(), [])
        return found[0] if len(found) == 1 else None

    def of_label_file(self, path):
        """The image of a YOLO label file: in `images` where the labels lie in `labels`, or beside it."""
        base = posixpath.splitext(path)[0]
        folders = base.split("/")
        candidates = [base]
        for at in range(len(folders) - 2, -1, -1):
            if folders[at] == "labels":
                candidates.insert(0, "/".join(folders[:at] + ["images"] + folders[at + 1:]))
                candidates.append("/".join(folders[:at] + folders[at + 1:]))
        for candidate in candidates:
            found = self.by_base.get(candidate, [])
            if len(found) == 1:
                return found[0]
        return None
