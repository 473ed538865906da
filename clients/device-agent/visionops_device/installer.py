"""Model versions on the disk: downloaded with resume, checked, tried, and swapped in one step; the one before stays."""

import base64
import os
import re
import shutil
import zipfile
from pathlib import Path
from urllib.parse import quote

from .client import Absent
from .files import read_json, remove, sha256_of, sync_folder, write_json
from .predictors import BadModel, open_predictor

BLOCK = 1 << 20
#: Room that must stay free beside a model, as a share of the disk.
FREE_SHARE = 0.05


class InstallFailed(Exception):
    """The device keeps the version that it had."""


class Installer:
    """
    ``models/<name>/<version>/`` are installed versions, ``active.json`` names the one that is asked:
    {model_name, version, previous: {model_name, version} or null}.
    """

    def __init__(self, folder, log):
        self.models = Path(folder) / "models"
        self.models.mkdir(parents=True, exist_ok=True)
        self.log = log
        self.active = read_json(self.models / "active.json", None)
        self.predictor = None

    def open_active(self):
        """At the start: the active version, or the one before it where that cannot be opened any more."""
        for wanted in (self.active, (self.active or {}).get("previous")):
            if wanted is None:
                continue
            try:
                self.predictor = open_predictor(self.folder_of(wanted["model_name"], wanted["version"]))
                self.active = wanted
                return
            except BadModel as error:
                self.log.error("%s version %s cannot be opened: %s", wanted["model_name"], wanted["version"], error)

    def folder_of(self, name, version):
        return self.models / quote(name, safe="") / str(int(version))

    def install(self, client, name, version, sha256, report):
        """
        Makes the version the active one. Repeats are harmless: what is there is not fetched again.
        @param sha256 of the downloaded archive; None: what the platform's answer says
        @param report called with (step, progress from 0 to 1): downloading, installing, verifying
        @raises InstallFailed, Absent, Refused
        """
        folder = self.folder_of(name, version)
        if not folder.exists():
            archive = self._download(client, name, version, sha256, report)
            report("installing", 0.0)
            self._unpack(archive, folder)
            remove(archive)
        report("verifying", 0.0)
        try:
            predictor = open_predictor(folder)
        except Exception as error:  # whatever a library raises over a broken model: the old one stays
            remove(folder)
            raise InstallFailed(f"the model does not start: {error}") from error
        self._activate(name, int(version), predictor)
        report("verifying", 1.0)

    def _activate(self, name, version, predictor):
        before = self.active
        if before and (before["model_name"], before["version"]) == (name, version):
            previous = before.get("previous")
        else:
            previous = before and {"model_name": before["model_name"], "version": before["version"]}
        active = {"model_name": name, "version": version, "previous": previous}
        write_json(self.models / "active.json", active)
        self.active, self.predictor = active, predictor
        self._remove_others()

    def _remove_others(self):
        kept = {self.folder_of(one["model_name"], one["version"]) for one in (self.active, self.active["previous"]) if one}
        for model in self.models.iterdir():
            for folder in model.iterdir() if model.is_dir() else ():
                if folder not in kept and folder.is_dir():
                    remove(folder)

    def _download(self, client, name, version, sha256, report):
        """The archive, whole and checked; a cut download goes on where it was cut."""
        part = self.models / f"{quote(name, safe='')}-{int(version)}.part"
        path = f"/api/v1/edge/models/{quote(name, safe='')}/{int(version)}/download"
        have = part.stat().st_size if part.exists() else 0
        tag = read_json(part.with_suffix(".json"), {}).get("etag")
        headers = {"Range": f"bytes={have}-", "If-Range": tag} if have and tag else {}
        report("downloading", 0.0)
        response = client.open("GET", path, headers=headers)
        if response.status != 206:
            have = 0
        total = have + int(response.getheader("Content-Length") or 0)
        self._require_room(total - have)
        wanted = sha256 or promised(response.getheader("Repr-Digest", ""))
        write_json(part.with_suffix(".json"), {"etag": response.getheader("ETag")})
        with open(part, "ab" if have else "wb") as file:
            while True:
                try:
                    block = response.read(BLOCK)
                except Exception as error:
                    client.close()
                    raise Absent(f"the download was cut off: {error}") from error
                if not block:
                    break
                file.write(block)
                have += len(block)
                report("downloading", have / total if total else 0.0)
            file.flush()
            os.fsync(file.fileno())
        if total and have < total:
            client.close()
            raise Absent(f"the download was cut off after {have} of {total} bytes")
        found = sha256_of(part)
        if wanted and found != wanted:
            remove(part)
            raise InstallFailed(f"the download has sha256 {found}, {wanted} was promised")
        return part

    def _require_room(self, size):
        usage = shutil.disk_usage(self.models)
        # Once as an archive, once unpacked.
        if usage.free < 2 * size + usage.total * FREE_SHARE:
            raise InstallFailed(f"the disk has {usage.free} bytes free, {2 * size} are needed beside {FREE_SHARE:.0%} that stay free")

    def _unpack(self, archive, folder):
        work = folder.with_name(f"{folder.name}.new")
        remove(work)
        try:
            if zipfile.is_zipfile(archive):
                with zipfile.ZipFile(archive) as content:
                    for member in content.infolist():
                        target = (work / member.filename).resolve()
                        if not target.is_relative_to(work.resolve()):
                            raise InstallFailed(f"the archive names a place outside: {member.filename}")
                    content.extractall(work)
            else:
                work.mkdir(parents=True)
                shutil.copyfile(archive, work / "model.onnx")
        except (OSError, zipfile.BadZipFile, EOFError) as error:
            remove(work)
            raise InstallFailed(f"the archive cannot be unpacked: {error}") from error
        os.replace(work, folder)
        sync_folder(folder.parent)


def promised(header):
    """sha256 of a ``Repr-Digest`` (RFC 9530) in hexadecimal digits; None where it names none, as of an archive made while it is sent."""
    found = re.search(r"sha-256=:([A-Za-z0-9+/=]+):", header)
    return base64.b64decode(found.group(1)).hex() if found else None
