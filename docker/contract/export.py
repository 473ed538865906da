"""The trained network for other programs: ONNX and TorchScript, each compared in numbers with the network itself."""

import contextlib
import hashlib
import math
import os
import warnings

import torch
from torch import nn

from comparison import compare

#: Largest difference of a score, a probability or a coordinate in pixels that counts as equal.
TOLERANCE = 1e-2
COMPARED = 8
OPSET = 17
#: Tasks that have an answer to every image; the others answer with as many objects as they find.
OF_WHOLE_IMAGES = ("classification", "semantic_segmentation")
OUTPUTS = {"classification": ["scores"], "semantic_segmentation": ["probabilities"],
           "detection": ["boxes", "labels", "scores"], "instance_segmentation": ["boxes", "labels", "scores", "masks"],
           "pose": ["boxes", "labels", "scores", "keypoints"], "obb": ["boxes", "labels", "scores", "corners"]}


class Exported(nn.Module):
    """``images`` of 0..1, N x 3 x size x size (N is 1 for tasks about objects), to a tuple of tensors as ``OUTPUTS`` names them."""

    def __init__(self, network, task):
        super().__init__()
        self.network, self.task = network, task

    def forward(self, images):
        if self.task in OF_WHOLE_IMAGES:
            return (self.network(images).softmax(dim=1),)
        found = self.network([images[0]])[0]
        return tuple(found[name] for name in OUTPUTS[self.task])


def export(network, task, formats, size, images, folder):
    """Writes the formats to the folder. ``images``: examples to compare with. Returns an entry for each format."""
    network = network.cpu().eval()
    wrapped = Exported(network, task).eval()
    with torch.no_grad():
        examples = [image.float().unsqueeze(0) / 255 for image in compared(network, task, images)]
        truth = [[value.numpy() for value in wrapped(example)] for example in examples]
    made = []
    for name in formats:
        writer = {"onnx": onnx, "torchscript": torchscript}.get(name)
        try:
            if writer is None:
                raise ValueError("this runtime does not write it")
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                path, ask = writer(wrapped, network, task, examples[0], folder)
                difference, values = compare(truth, [ask(example) for example in examples])
            if difference > TOLERANCE or values == 0:
                os.remove(os.path.join(folder, path))
                raise ValueError(difference_of(difference, values))
            made.append({"format": name, "available": True, "reason": None, "file": path, "sha256": digest(os.path.join(folder, path)),
                         "image_size": size, "outputs": OUTPUTS[task], "max_difference": difference, "compared_images": len(examples),
                         "compared_values": values, "tolerance": TOLERANCE})
        except Exception as error:  # exporters raise whatever the graph brings; the trained model is worth keeping without it
            made.append({"format": name, "available": False, "reason": reason_of(error)})
    return made


def compared(network, task, images):
    """Of the images those to compare with: where a detector finds nothing there is nothing to compare, so they come last."""
    found, empty = [], []
    for image in images:
        if len(found) == COMPARED:
            break
        is_telling = task in OF_WHOLE_IMAGES or len(network([image.float() / 255])[0]["boxes"]) > 0
        (found if is_telling else empty).append(image)
    return (found + empty)[:COMPARED]


def difference_of(difference, values):
    if math.isinf(difference):
        return "its answers to the examples are not those of the trained network: it finds other objects, or numbers that are none"
    if values == 0:
        return "the network finds no object in the examples, so there is nothing to compare"
    return f"its answers differ from those of the trained network by up to {difference:.4g}"


def reason_of(error):
    """The last line of a message that quotes code says what is wrong."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()] or [""]
    return f"{type(error).__name__}: {lines[-1][:300]}"


def digest(path):
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest() if hasattr(hashlib, "file_digest") else hashlib.sha256(file.read()).hexdigest()


class Squashed(nn.Module):
    """A head of region proposals whose logits are brought between -4 and 4, in their order."""

    def __init__(self, head):
        super().__init__()
        self.head = head

    def forward(self, features):
        logits, deltas = self.head(features)
        return [4 * each / (4 + each.abs()) for each in logits], deltas


@contextlib.contextmanager
def proposals_in_order(network):
    """The logistic function of ONNX Runtime is exact to about 1e-7. Proposals of a trained network have logits of -80 and less:
    they would come out as equals, and others of them would be left than the network leaves."""
    proposals = getattr(network, "rpn", None)
    if proposals is None:
        yield
        return
    head = proposals.head
    proposals.head = Squashed(head)
    try:
        yield
    finally:
        proposals.head = head


def onnx(wrapped, network, task, example, folder):
    import onnxruntime

    path = os.path.join(folder, "model.onnx")
    free = {"images": {0: "batch"}} if task in OF_WHOLE_IMAGES else {}
    free |= {name: {0: "batch" if free else "objects"} for name in OUTPUTS[task]}
    # The tracing exporter: the one by torch.export cannot follow how detectors choose their boxes.
    with proposals_in_order(network):
        torch.onnx.export(wrapped, (example,), path, input_names=["images"], output_names=OUTPUTS[task], dynamic_axes=free,
                          opset_version=OPSET, dynamo=False)
    session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    return "model.onnx", lambda images: session.run(None, {"images": images.numpy()})


def torchscript(wrapped, network, task, example, folder):
    path = os.path.join(folder, "model.torchscript")
    script = None if task in OF_WHOLE_IMAGES else scripted(network)
    (script or torch.jit.trace(wrapped, (example,), check_trace=False)).save(path)
    loaded = torch.jit.load(path)

    def ask(images):
        if script is None:
            return [value.numpy() for value in loaded(images)]
        # A script of a detector takes a list of images and answers (losses, detections).
        found = loaded([images[0]])[1][0]
        return [found[name].numpy() for name in OUTPUTS[task]]

    with torch.no_grad():
        ask(example)
    return "model.torchscript", lambda images: quietly(ask, images)


def scripted(network):
    """A detector as a script; None where its code is none that can be, so that it is traced as for ONNX."""
    try:
        return torch.jit.script(network)
    except Exception:  # the compiler raises errors of many kinds
        return None


def quietly(ask, images):
    with torch.no_grad():
        return ask(images)
