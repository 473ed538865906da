"""The folder that pictures appear in, written by somebody else at any speed."""

import hashlib
import os
import stat
import time
import uuid
from pathlib import Path

#: As in ``predictors/encoded.py``, which needs Pillow: the watch goes without.
EXTENSIONS = (".png", ".jpg", ".jpeg", ".gif", ".tif", ".tiff", ".webp", ".avif")
#: Within the folder: pictures that could not be predicted, for people to look at.
REJECTED = "rejected"
#: The oldest of them go beyond this number.
MOST_REJECTED = 1000


class Pictures:
    def __init__(self, folder):
        self.folder = Path(folder)
        self.rejected = self.folder / REJECTED
        #: What each picture was like at the last look.
        self.seen = {}

    def resting(self):
        """Pictures that are as they were at the look before, by name: one that changes is still being written."""
        before, self.seen = self.seen, {}
        for path in sorted(self.folder.iterdir()):
            found = likeness(path) if path.suffix.lower() in EXTENSIONS else None
            if found is not None:
                self.seen[path] = found
        return [path for path, found in self.seen.items() if found == before.get(path)]

    def settle(self, path, is_predicted):
        """Removes a picture that was predicted and puts another aside; one that changed since the look waits for the next."""
        if likeness(path) != self.seen[path]:
            return
        if is_predicted:
            path.unlink()
            return
        self.rejected.mkdir(exist_ok=True)
        place = self.rejected / path.name
        if place.exists():
            place = place.with_name(f"{path.stem[:50]}-{time.time_ns()}{path.suffix}")
        path.rename(place)

    def held(self):
        """Pictures that wait, and those that were put aside."""
        aside = self.rejected.iterdir() if self.rejected.is_dir() else []
        waiting = [path for path in self.folder.iterdir() if path.suffix.lower() in EXTENSIONS] if self.folder.is_dir() else []
        return [path for path in [*waiting, *aside] if likeness(path) is not None]

    def forget(self, path):
        path.unlink(missing_ok=True)

    def trim(self):
        """Keeps the pictures that were put aside last."""
        if not self.rejected.is_dir():
            return
        # A move changes this time and leaves the time of the last write.
        aside = sorted(self.rejected.iterdir(), key=lambda path: path.lstat().st_ctime_ns, reverse=True)
        for path in aside[MOST_REJECTED:]:
            path.unlink(missing_ok=True)


def prediction_id_of(model, name, written_at, data):
    """The same for the same picture and model: one that is predicted again after a power cut is known by it."""
    facts = (model["model_name"], model["version"], name, len(data), written_at, hashlib.sha256(data).hexdigest())
    return str(uuid.uuid5(uuid.NAMESPACE_OID, "\n".join(map(str, facts))))


def readable(name):
    """The name of a file as the platform takes texts: bytes that are no UTF-8 become marks."""
    return os.fsencode(name).decode("utf-8", "replace")


def likeness(path):
    """@returns the size and the time of the last write; None: there is no such file"""
    try:
        found = path.stat()
    except OSError:
        return None
    return (found.st_size, found.st_mtime_ns) if stat.S_ISREG(found.st_mode) else None
