"""Fetches an archive and unpacks it below the place that an entry names. Standard library only."""

import os
import shutil
import tarfile

from fetching import BLOCK, StageError, fetch, safe_path

MAX_UNPACKED_BYTES = 32 << 30


def unpack(root, entry):
    """Leaves alone what was unpacked from the same bytes before: an endpoint is started again long after the address of
    its model has ended, and its further instances start while the first one reads these files."""
    target, sha256 = safe_path(root, entry["path"]), entry.get("sha256")
    marker = f"{target}.sha256"
    if sha256 and os.path.isdir(target) and content_of(marker) == sha256:
        return
    fresh, old, archive = f"{target}.new", f"{target}.old", entry["path"] + ".archive"
    for rest in (fresh, old):
        shutil.rmtree(rest, ignore_errors=True)
    fetch(root, {**entry, "path": archive})
    os.makedirs(fresh)
    extract(safe_path(root, archive), fresh, entry["path"])
    if os.path.lexists(marker):
        os.unlink(marker)
    if os.path.lexists(target):
        os.rename(target, old)
    os.rename(fresh, target)
    if sha256:
        with open(f"{marker}.new", "w", encoding="ascii") as file:
            file.write(sha256)
        os.rename(f"{marker}.new", marker)
    shutil.rmtree(old, ignore_errors=True)
    os.unlink(safe_path(root, archive))


def content_of(path):
    try:
        with open(path, encoding="ascii", errors="replace") as file:
            return file.read()
    except FileNotFoundError:
        return None


def extract(archive, target, name_of_all):
    """Regular files and folders only; anything else in the archive is refused."""
    total = 0
    with tarfile.open(archive, "r|*") as members:
        for member in members:
            name = member.name.removeprefix("./").rstrip("/")
            if name in ("", "."):
                continue
            place = safe_path(target, name)
            if member.isdir():
                os.makedirs(place, exist_ok=True)
            elif member.isfile():
                total += member.size
                if total > MAX_UNPACKED_BYTES:
                    raise StageError(f"{name_of_all}: the archive unpacks to more than {MAX_UNPACKED_BYTES} bytes")
                os.makedirs(os.path.dirname(place), exist_ok=True)
                with open(place, "wb") as file, members.extractfile(member) as source:
                    while block := source.read(BLOCK):
                        file.write(block)
            else:
                raise StageError(f"{name_of_all}: the archive holds {name!r}, which is neither file nor folder")
