"""Weights to begin with: a file that the platform placed below ``weights/``, known by its sha256. Nothing is ever fetched
from elsewhere."""

import hashlib
import os

import torch
from safetensors.torch import load_file

from job import BadConfig, say

LEAST_SHARE = 0.5
#: Tensors that the log names.
MOST_NAMED = 8


def begin_with(root, network, pretrained):
    """Loads what fits of ``pretrained.file`` into the network. @raises BadConfig when the file is another or fits too little"""
    name = pretrained.get("file")
    if not name:
        say("Training from scratch: no weights were given")
        return
    path = os.path.join(root, "weights", os.path.basename(name))
    digest = hashlib.sha256()
    try:
        with open(path, "rb") as file:
            while piece := file.read(1 << 20):
                digest.update(piece)
    except OSError as error:
        raise BadConfig(f"pretrained.file: {name} is not there: {error.strerror}") from error
    if digest.hexdigest() != pretrained.get("sha256"):
        raise BadConfig(f"pretrained.sha256: the weights have {digest.hexdigest()}")
    try:
        given = tensors_of(path)
    except Exception as error:  # a file of another kind fails in many ways
        raise BadConfig(f"pretrained.file: {name} holds no weights: {type(error).__name__}") from error
    own = network.state_dict()
    fitting = {key: given[found] for key in own if (found := place_of(key, own[key], given)) is not None}
    share = sum(own[key].numel() for key in fitting) / max(1, sum(value.numel() for value in own.values()))
    if share < LEAST_SHARE:
        raise BadConfig(f"pretrained.file: {share:.0%} of the network's numbers fit; the weights are of another model (or hyperparameter norm)")
    network.load_state_dict(fitting, strict=False)
    say(f"Beginning with {name}: {int(share * 100)}% of the network's numbers")
    fresh = [key for key in own if key not in fitting]
    if fresh:
        more = f" and {len(fresh) - MOST_NAMED} more" if len(fresh) > MOST_NAMED else ""
        say(f"Initialised anew, as the weights have nothing of their shape: {', '.join(fresh[:MOST_NAMED])}{more}")


def tensors_of(path):
    """Tensors by name. What kind of file it is its bytes say: addresses end in anything."""
    with open(path, "rb") as file:
        is_safetensors = file.read(9)[8:] == b"{"
    given = load_file(path) if is_safetensors else torch.load(path, map_location="cpu", weights_only=True)
    given = given.get("state_dict", given)
    return {name: value for name, value in given.items() if isinstance(value, torch.Tensor)}


def place_of(key, value, given):
    """Where given weights hold the network's: under its own name, without its wrapping, or as those of a backbone."""
    for name in (key, key.removeprefix("network."), key.removeprefix("backbone.body."), key.removeprefix("network.backbone.")):
        if name in given and given[name].shape == value.shape:
            return name
    return None
