"""Model versions on the disk: downloaded with resume, checked, tried, and swapped in one step; the one before stays."""

import os
from pathlib import Path
from urllib.parse import quote

from . import predictors
from .client import Absent, waiting_for_token
from .download import InstallFailed, VersionDownload, has_all
from .files import read_json, remove, sync_folder, sync_tree, write_json

#: Ends the name of a folder whose version is on its way.
PART = ".part"


class Installer:
    """
    ``models/<name>/<version>/`` are installed versions. ``installed.json`` lists the active version of each model, the model that
    was deployed last at its end: [{model_name, version, previous: {model_name, version} or null}].
    """

    def __init__(self, folder, log):
        self.models = Path(folder) / "models"
        self.models.mkdir(parents=True, exist_ok=True)
        self.log = log
        self.installed = read_json(self.models / "installed.json", [])
        #: {model_name: why} of models of which no version could be opened.
        self.unopened = {}
        #: (model_name, version, why) of what could not be opened at the start.
        self.failures = []
        #: The active version of the model that predicts, and its predictor.
        self.asked = None, None

    @property
    def predictor(self):
        return self.asked[1]

    @property
    def active(self):
        """What predicts: the model that was deployed last; None: no model was."""
        return self.installed[-1] if self.installed else None

    @property
    def usable(self):
        """What is installed and can be used, as far as is known. The files of the others stay for the next deployment."""
        return [one for one in self.installed if one["model_name"] not in self.unopened]

    def open_active(self):
        """At the start: the active version. Where it does not start any more, the one before takes its place for good."""
        active = self.active
        for wanted in (active, (active or {}).get("previous")):
            if wanted is None:
                continue
            try:
                predictor = predictors.open_tried(self.folder_of(wanted["model_name"], wanted["version"]))
            except Exception as error:  # whatever a library raises over a broken file: the device must come up
                self.log.error("%s version %s cannot be opened: %s", wanted["model_name"], wanted["version"], error)
                self.failures.append((wanted["model_name"], wanted["version"], str(error)[:500]))
                continue
            if wanted is not active:
                self._swap_back(wanted)
            self.asked = self.active, predictor
            return
        if active is not None:
            self.unopened[active["model_name"]] = self.failures[-1][2]

    def _swap_back(self, wanted):
        self.installed = [*self.installed[:-1], {**wanted, "previous": None}]
        try:
            write_json(self.models / "installed.json", self.installed)
            self._remove_others()
        except OSError as error:
            self.log.error("the swap back is not on the disk, and is done again at the next start: %s", error)

    def folder_of(self, name, version):
        return self.models / quote(name, safe="") / str(int(version))

    def install(self, client, name, version, sha256, report):
        """
        Makes the version the active one of its model, and its model the one that predicts. Repeats are harmless: files that are
        there as the platform lists them are not fetched again.
        @param sha256 of the only file of the version; None: what the platform lists
        @param report called with (step, progress from 0 to 1): downloading, installing, verifying
        @raises InstallFailed, Absent, Refused
        """
        folder = self.folder_of(name, version)
        self._fetch(client, name, version, sha256, report)
        report("verifying", 0.0)
        try:
            predictor = predictors.open_tried(folder)
        except Exception as error:  # whatever a library raises over a broken model: the old one stays
            if folder not in self._kept():
                remove(folder)
            raise InstallFailed(f"the model does not start: {error}") from error
        report("verifying", 1.0)
        self._activate(name, int(version), predictor)

    def _fetch(self, client, name, version, sha256, report):
        """
        The folder of the version, with the bytes that the platform lists: also one that is there may hold others, by damage or
        of a version that was there under the same number before. A download that was cut off is kept for the next try, any
        other is removed.
        """
        folder = self.folder_of(name, version)
        work = folder.with_name(folder.name + PART)
        download = VersionDownload(client, name, version, work)
        try:
            # A scope that is missing is worth an end that names it; a token that is refused cannot even say so.
            with waiting_for_token(401):
                listed = download.list(sha256)
                if folder.exists():
                    report("verifying", 0.0)
                if has_all(folder, listed):
                    return
                files = download.fetch(listed, report)
            report("installing", 0.0)
            sync_tree(files)
            remove(folder)
            os.replace(files, folder)
        except Absent:
            raise
        except Exception:
            remove(work)
            raise
        sync_folder(folder.parent)
        remove(work)

    def _activate(self, name, version, predictor):
        before = next((one for one in self.installed if one["model_name"] == name), None)
        if before and before["version"] == version:
            previous = before["previous"]
        else:
            previous = before and {"model_name": name, "version": before["version"]}
        others = [one for one in self.installed if one is not before]
        installed = [*others, {"model_name": name, "version": version, "previous": previous}]
        write_json(self.models / "installed.json", installed)
        self.installed = installed
        self.unopened.pop(name, None)
        self.asked = self.active, predictor
        self._remove_others()

    def _kept(self):
        """Of each model, the folders of its active version and of the one before it."""
        versions = [version for one in self.installed for version in (one, one["previous"]) if version]
        return {self.folder_of(version["model_name"], version["version"]) for version in versions}

    def _remove_others(self):
        kept = self._kept()
        for folder in self._folders():
            if folder not in kept and folder.suffix != PART:
                remove(folder)

    def remove_parts(self):
        """Downloads that broke off; for a time when no command is open that goes on with one."""
        for folder in self._folders():
            if folder.suffix == PART:
                self.log.info("%s is removed: no command asks for it any more", folder)
                remove(folder)

    def _folders(self):
        return [folder for folder in self.models.glob("*/*") if folder.is_dir()]
