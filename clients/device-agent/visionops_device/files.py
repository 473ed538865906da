"""Files that are whole or not there, whenever the power goes."""

import hashlib
import json
import os
import shutil
from pathlib import Path

#: Ends the name of a file that is not whole yet.
NEW = ".new"


def write_whole(path, data):
    """Bytes under a name that appears only when they are on the disk."""
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(path.name + NEW)
    try:
        with open(part, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(part, path)
    except OSError:
        # On a full disk, what was begun takes the room of what is needed.
        part.unlink(missing_ok=True)
        raise
    sync_folder(path.parent)


def remove_unfinished(folder):
    """What a power cut has left of ``write_whole``."""
    for part in Path(folder).glob("*" + NEW):
        part.unlink(missing_ok=True)


def sync_folder(folder):
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def sync_tree(folder):
    """The names within the folder and all below it. Its files must be on the disk already."""
    for place, _, _ in os.walk(folder):
        sync_folder(place)


def read_json(path, default):
    try:
        return json.loads(Path(path).read_text("utf-8"))
    except (FileNotFoundError, ValueError):
        return default


def write_json(path, value):
    write_whole(path, json.dumps(value).encode())


def sha256_of(path):
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        for block in iter(lambda: file.read(1 << 20), b""):
            digest.update(block)
    return digest.hexdigest()


def remove(path):
    path = Path(path)
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)
