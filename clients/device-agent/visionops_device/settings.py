"""Settings of the agent, read from its environment. Two variables are enough: the platform's address and the device's token."""

import os
import platform
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit


#: What `--help` says of each; the README says the same at greater length.
VARIABLES = {
    "VISIONOPS_URL": "address of the platform, such as https://visionops.example.org (required)",
    "VISIONOPS_DEVICE_TOKEN": "the token that the platform showed once for this device (required)",
    "VISIONOPS_DEVICE_DIR": "models, records, pictures and state; visionops-device of the present folder",
    "VISIONOPS_IMAGES": "pictures that appear in this folder are predicted and removed",
    "VISIONOPS_DEVICE_LOCATION": "where the fleet shows the device",
    "VISIONOPS_DEVICE_OS": "the system that the fleet shows; what Python says of it",
    "VISIONOPS_UPLOAD_BELOW": "pictures whose best score is lower are uploaded, 0 to 1; none",
    "VISIONOPS_UPLOAD_DATASET": "dataset that they go to; one of the device's own",
}


class BadSettings(Exception):
    """One line for whoever starts the agent."""


@dataclass(frozen=True)
class Settings:
    url: str
    token: str
    #: Models, spool and state live below it; it may be removed while the agent is stopped.
    folder: Path
    #: Pictures that appear here are predicted and then removed, or put aside where that fails; None: the agent looks for none.
    images: "Path | None"
    location: "str | None"
    os_name: str
    #: Pictures whose best score is below it are uploaded; 0: none.
    upload_below: float
    #: Dataset that uploaded pictures go to; None: they stay uploads.
    dataset: "str | None"


def read_settings(env=os.environ):
    """@raises BadSettings naming the variable"""
    url = env.get("VISIONOPS_URL", "").rstrip("/")
    if urlsplit(url).scheme not in ("http", "https") or not urlsplit(url).hostname:
        raise BadSettings("VISIONOPS_URL must be the platform's address, such as https://visionops.example.org")
    token = env.get("VISIONOPS_DEVICE_TOKEN", "").strip()
    if not token:
        raise BadSettings("VISIONOPS_DEVICE_TOKEN must hold the token that the platform showed once for this device")
    images = env.get("VISIONOPS_IMAGES")
    return Settings(
        url=url,
        token=token,
        folder=Path(env.get("VISIONOPS_DEVICE_DIR", "visionops-device")).absolute(),
        images=Path(images).absolute() if images else None,
        location=env.get("VISIONOPS_DEVICE_LOCATION"),
        os_name=env.get("VISIONOPS_DEVICE_OS", f"{platform.system()} {platform.release()} {platform.machine()}"),
        upload_below=number(env, "VISIONOPS_UPLOAD_BELOW", 0.0),
        dataset=env.get("VISIONOPS_UPLOAD_DATASET"),
    )


def number(env, name, default):
    try:
        return float(env.get(name, default))
    except ValueError:
        raise BadSettings(f"{name} must be a number") from None
