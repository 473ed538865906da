"""Exports a trained network of PyTorch once more, as docs/reference/runtime-contract.md says: reads config.json, model/ and the
images of examples/, writes the wanted formats and export.json, ends with a tabled exit code."""

import json
import os
import sys

from hyperparameters import catalog_entry
from job import Terminated, keep_folder, read_json, run, say, terminating

os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")


def read_examples(folder, size):
    """Tensors of the images that can be read, in the order of their names."""
    from pictures import BadImage
    from pixels import read_square

    found = []
    for name in sorted(os.listdir(folder)) if os.path.isdir(folder) else []:
        try:
            with open(os.path.join(folder, name), "rb") as file:
                found.append(read_square(file.read(), size)[0])
        except (OSError, BadImage) as error:
            say(f"Left out the example {name}: {error}")
    return found


def earlier_entries(root, formats):
    """What an earlier export or the training wrote in other formats stays listed."""
    try:
        entries = read_json(os.path.join(root, "export", "export.json"))["formats"]
        return [entry for entry in entries if entry["format"] not in formats]
    except Exception:  # there is none, or nothing that we wrote
        return []


def export_model(root):
    config = read_json(os.path.join(root, "config.json"))
    licence = catalog_entry(config["model"], config["task"])["licence"]
    # Loads torch, which takes seconds.
    from export import export
    from invocations import BadModel
    from model_folder import load_model
    from parts import BadDataset

    try:
        network, labels, settings = load_model(os.path.join(root, "model"))
    except BadModel as error:
        raise BadDataset(f"model: {error}") from error
    task, size = settings["task"], int(settings["image_size"])
    images = read_examples(os.path.join(root, "examples"), size)
    if not images:
        raise BadDataset("none of the example images could be read, so nothing can be compared")
    folder, made = os.path.join(root, "output", "export"), []
    os.makedirs(folder, exist_ok=True)
    for name in config["formats"]:
        if terminating.is_set():
            raise Terminated
        say(f"Writing {name}")
        made += export(network, task, [name], size, images, folder)
        entry = made[-1]
        say(f"{name} differs by at most {entry['max_difference']:.2g}" if entry["available"] else f"Warning: no {name}: {entry['reason']}")
    with open(os.path.join(folder, "export.json"), "w", encoding="utf-8") as file:
        json.dump({"labels": labels, "formats": earlier_entries(root, config["formats"]) + made, **({"licence": licence} if licence else {})}, file)
    keep_folder(root, "export")
    say("Done: " + ", ".join(entry["format"] for entry in made if entry["available"]))


if __name__ == "__main__":
    sys.exit(run(export_model))
