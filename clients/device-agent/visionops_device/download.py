"""The files of a model version, fetched one by one: each goes on where it was cut off and is checked by its sha256."""

import http.client
import os
import shutil
from dataclasses import dataclass
from urllib.parse import quote

from .client import Absent, Refused
from .files import remove, sha256_of

BLOCK = 1 << 20
#: Room that must stay free beside a model, as a share of the disk.
FREE_SHARE = 0.05


class InstallFailed(Exception):
    """The device keeps the version that it had."""


@dataclass(frozen=True)
class RemoteFile:
    #: Within the folder of the model.
    path: str
    size: int
    sha256: str


class VersionDownload:
    """
    A version on its way into the folder ``work``: whole files lie in ``work/files``, the one that is under way in
    ``work/<its sha256>``.
    """

    def __init__(self, client, name, version, work):
        self.client = client
        self.model = f"/api/v1/edge/models/{quote(name, safe='')}"
        self.name, self.version = name, int(version)
        self.work = work
        self.files = work / "files"

    def fetch(self, listed, report):
        """
        @param report called with ("downloading", progress from 0 to 1)
        @returns the folder with all files @raises InstallFailed, Absent, Refused
        """
        report("downloading", 0.0)
        self.files.mkdir(parents=True, exist_ok=True)
        self._remove_others(listed)
        lacking = [file for file in listed if not self._place(file).is_file()]
        total = sum(file.size for file in listed)
        have = total - sum(file.size for file in lacking)
        self._require_room(total - have - sum(self._size_of_part(file) for file in lacking))
        for file in lacking:
            self._fetch(file, lambda size, before=have: report("downloading", (before + size) / total if total else 1.0))
            have += file.size
        return self.files

    def list(self, sha256):
        """
        The files of the version.
        @param sha256 of its only file, as the command promised it; None: what the platform lists is taken
        @raises InstallFailed, Absent, Refused
        """
        versions = self.client.json("GET", f"{self.model}/versions?version={self.version}").get("items", [])
        found = next((one for one in versions if one["version"] == self.version), None)
        if found is None:
            raise Refused(404, f"the platform has no version {self.version} of {self.name}")
        listed = [RemoteFile(one["path"], one["size_bytes"], one["sha256"]) for one in found["files"]]
        if sha256 is not None and [file.sha256 for file in listed] != [sha256]:
            raise InstallFailed(f"the platform lists other files than the one with the sha256 {sha256} that was promised")
        return listed

    def _remove_others(self, listed):
        """What an earlier try has left of a version that was listed with other files."""
        wanted = {(file.path, file.sha256) for file in listed}
        for path, digest in _digests(self.files).items():
            if (path, digest) not in wanted:
                remove(self.files / path)

    def _place(self, file):
        target = (self.files / file.path).resolve()
        if not target.is_relative_to(self.files.resolve()):
            raise InstallFailed(f"the version names a place outside of its folder: {file.path}")
        return target

    def _part(self, file):
        return self.work / file.sha256

    def _size_of_part(self, file):
        part = self._part(file)
        return part.stat().st_size if part.exists() else 0

    def _require_room(self, size):
        usage = shutil.disk_usage(self.work)
        if usage.free < size + usage.total * FREE_SHARE:
            raise InstallFailed(f"the disk has {usage.free} bytes free, {size} are needed beside {FREE_SHARE:.0%} that stay free")

    def _fetch(self, file, progress):
        part = self._part(file)
        have = self._size_of_part(file)
        # What a power cut has left may be damaged: it is then fetched from its beginning.
        for start in dict.fromkeys([have if have <= file.size else 0, 0]):
            self._append(file, part, start, progress)
            found = sha256_of(part)
            if found == file.sha256:
                target = self._place(file)
                target.parent.mkdir(parents=True, exist_ok=True)
                os.replace(part, target)
                return
        remove(part)
        raise InstallFailed(f"{file.path} has sha256 {found}, {file.sha256} was promised")

    def _append(self, file, part, have, progress):
        if have == file.size > 0:
            return
        headers = {"Range": f"bytes={have}-", "If-Range": f'"{file.sha256}"'} if have else {}
        path = f"{self.model}/{self.version}/download?path={quote(file.path, safe='')}"
        response = self.client.open("GET", path, headers=headers)
        if response.status != 206:
            have = 0
        try:
            if response.getheader("Repr-Digest") is None:
                raise Absent(f"{response.status}: the answer is not a file of the platform")
            with open(part, "ab" if have else "wb") as out:
                for block in iter(lambda: _read(response), b""):
                    out.write(block)
                    have += len(block)
                    progress(have)
                out.flush()
                os.fsync(out.fileno())
            if have < file.size:
                raise Absent(f"the download was cut off after {have} of {file.size} bytes of {file.path}")
        except Exception:
            # The rest of the answer stands in the way of the next request.
            self.client.close()
            raise


def has_all(folder, listed):
    """Whether the folder holds the listed files, byte for byte, and no other."""
    return _digests(folder) == {file.path: file.sha256 for file in listed}


def _digests(folder):
    return {path.relative_to(folder).as_posix(): sha256_of(path) for path in folder.rglob("*") if path.is_file()}


def _read(response):
    try:
        return response.read(BLOCK)
    except (OSError, http.client.HTTPException) as error:
        raise Absent(f"the download was cut off: {error}") from error
