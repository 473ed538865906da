"""The model as a folder: ``MLmodel`` (what it is), ``labels.json``, ``model.safetensors`` (numbers alone, never a pickle)."""

import io
import json
import os
import platform
from datetime import datetime, timezone

import torch
import yaml
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file

import models
from invocations import BadModel

#: Settings that a served network is made with.
SHAPE = ("image_size", "norm")


def encode(state):
    buffer = io.BytesIO()
    torch.save(state, buffer)
    return buffer.getvalue()


def decode(path):
    """State of a training. Only tensors and plain values are read: a checkpoint can run no code."""
    try:
        return torch.load(path, map_location="cpu", weights_only=True)
    except (RuntimeError, EOFError, ImportError, AttributeError) as error:
        raise ValueError(str(error)) from error
    except Exception as error:  # pickle.UnpicklingError and what a torn archive raises
        if isinstance(error, OSError):
            raise
        raise ValueError(str(error)) from error


CHECKPOINT_CODEC = (encode, decode)


def save_model(folder, network, labels, points, description):
    """Writes the folder; ``description``: run_id, task, model, hyperparameters, metrics, parameters."""
    os.makedirs(folder, exist_ok=True)
    save_file({key: value.detach().cpu().contiguous() for key, value in network.state_dict().items()}, os.path.join(folder, "model.safetensors"))
    with open(os.path.join(folder, "labels.json"), "w", encoding="utf-8") as file:
        json.dump(labels, file, ensure_ascii=False)
    hp = description["hyperparameters"]
    outputs = '[{"name": "label", "type": "string"}, {"name": "score", "type": "double"}]'
    if description["task"] != "classification":
        outputs = '[{"name": "detections", "type": "string"}]'
    record = {
        "artifact_path": "model",
        "run_id": description["run_id"],
        "utc_time_created": datetime.now(timezone.utc).strftime("%Y-%m-%d %H:%M:%S.%f"),
        "flavors": {models.FLAVOUR: {
            "format": 1, "task": description["task"], "model": description["model"], "data": "model.safetensors", "labels": "labels.json",
            "keypoints": points, **{key: hp[key] for key in SHAPE if key in hp},
            "torch_version": str(torch.__version__), **models.VERSIONS, "python_version": platform.python_version()}},
        "signature": {"inputs": '[{"name": "image", "type": "string"}]', "outputs": outputs},
        "metadata": {"hyperparameters": hp, "metrics": description["metrics"], "parameters": description["parameters"],
                     **({"licence": description["licence"]} if "licence" in description else {})},
    }
    with open(os.path.join(folder, "MLmodel"), "w", encoding="utf-8") as file:
        yaml.safe_dump(record, file, sort_keys=False, allow_unicode=True)
    with open(os.path.join(folder, "README.md"), "w", encoding="utf-8") as file:
        file.write(card(labels, description))


def card(labels, description):
    """The model card: what people should know who use the model."""
    shown = ", ".join(labels[:20]) + (f" and {len(labels) - 20} more" if len(labels) > 20 else "")
    rows = [("Task", description["task"].replace("_", " ")), ("Network", f"{description['model']}, {description['parameters']:,} parameters"),
            ("Classes", shown), *((name, f"{value:.4f}") for name, value in description["metrics"].items())]
    if "licence" in description:
        rows.append(("Licence", f"{description['licence']}, which binds those who pass the model on or serve it"))
    return f"# {description['model']}\n\n| | |\n|---|---|\n" + "".join(f"| {name} | {value} |\n" for name, value in rows)


def plain_name(name):
    """A file beside ``MLmodel``; whoever wrote it may name no other. @raises ValueError"""
    if not isinstance(name, str) or name in ("", ".", "..") or os.path.basename(name) != name or "\\" in name or "\0" in name:
        raise ValueError(f"{name!r} is not the name of a file in it")
    return name


def load_model(folder):
    """Network in evaluation, labels and the flavour's settings of a model folder. @raises BadModel"""
    try:
        with open(os.path.join(folder, "MLmodel"), encoding="utf-8") as file:
            settings = yaml.safe_load(file)["flavors"][models.FLAVOUR]
        with open(os.path.join(folder, plain_name(settings["labels"])), encoding="utf-8") as file:
            labels = json.load(file)
        network = models.create(settings["task"], settings["model"], settings, len(labels), len(settings["keypoints"]))
        network.load_state_dict(load_file(os.path.join(folder, plain_name(settings["data"]))))
        return network.eval(), labels, settings
    except (OSError, KeyError, TypeError, ValueError, RuntimeError, SafetensorError, yaml.YAMLError) as error:
        raise BadModel(f"the folder does not hold a model of this runtime: {error}") from error
