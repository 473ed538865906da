"""What an endpoint and the agent of devices answer with the same networks, as JSON: `python device_agent.py FOLDERS...`.

The networks have random weights, so that they find much, which overlaps."""

import io
import json
import sys
import tempfile
from pathlib import Path

sys.path[:0] = sys.argv[1:]

import numpy
import torch
from PIL import Image

import models
from export import OF_WHOLE_IMAGES, OUTPUTS, export
from invocations import BadRequest
from model_folder import save_model
from pixels import read_square, unpacked
from predictor import Predictor
from visionops_device.predictors import BadModel
from visionops_device.predictors.onnx_model import OnnxModel

SIZE, LABELS, POINTS = 96, ["cat", "dog"], 3
HP = {"image_size": SIZE, "norm": "group"}
NETWORKS = {"classification": "mobilenet_v3_small", "semantic_segmentation": "lraspp_mobilenet_v3_large",
            "detection": "fcos_resnet18_fpn_small", "instance_segmentation": "maskrcnn_resnet18_fpn_small",
            "pose": "keypointrcnn_resnet18_fpn_small"}


def encoded(picture, kind="PNG", **more):
    data = io.BytesIO()
    picture.save(data, kind, **more)
    return data.getvalue()


def pictures():
    coarse = numpy.random.default_rng(1).integers(0, 65536, (6, 9)).astype(numpy.uint16)
    grey = Image.fromarray((coarse >> 8).astype(numpy.uint8)).resize((180, 120), Image.Resampling.BICUBIC)
    colour = Image.merge("RGB", (grey, grey.transpose(Image.Transpose.FLIP_LEFT_RIGHT), grey.transpose(Image.Transpose.FLIP_TOP_BOTTOM)))
    turned = Image.Exif()
    turned[0x0112] = 6
    return {"colour": encoded(colour), "tall": encoded(colour.resize((60, 200))), "turned": encoded(colour, "JPEG", exif=turned),
            "small": encoded(colour.resize((31, 20))), "16 bits": encoded(Image.fromarray(numpy.asarray(grey).astype(numpy.uint16) * 257)),
            "float": encoded(Image.fromarray(numpy.asarray(grey).astype(numpy.float32)), "TIFF"), "none": b"hello"}


def squares():
    """Those of the pictures that can be read."""
    return [read_square(data, SIZE)[0] for name, data in pictures().items() if name not in ("float", "none")]


def busy(network, task):
    """A network of random weights that finds much, of both classes, with scores far apart and boxes that overlap."""
    if task in OF_WHOLE_IMAGES:
        heads = [module for name, module in network.named_modules() if "classifier" in name and hasattr(module, "weight")]
        torch.nn.init.normal_(heads[-1].weight, std=0.5)
        for module in network.modules():
            if isinstance(module, torch.nn.BatchNorm2d):
                module.momentum = 1.0
        # Without statistics of a batch hardly anything of a picture gets through.
        network.train()(torch.stack([square.float() / 255 for square in squares()]))
    elif task == "detection":
        head = network.head
        torch.nn.init.normal_(head.classification_head.cls_logits.weight, std=0.5)
        torch.nn.init.constant_(head.classification_head.cls_logits.bias, 0.5)
        torch.nn.init.constant_(head.regression_head.bbox_reg.bias, 3.0)
    else:
        torch.nn.init.normal_(network.roi_heads.box_predictor.cls_score.weight, std=0.5)
    return network.eval()


def both(task, folder):
    torch.manual_seed(3)
    points = [f"point {number}" for number in range(POINTS)] if task == "pose" else []
    network = busy(models.create(task, NETWORKS[task], HP, len(LABELS), len(points)), task)
    described = {"run_id": "r", "task": task, "model": NETWORKS[task], "hyperparameters": HP, "metrics": {}, "parameters": 0}
    save_model(str(folder), network, LABELS, points, described)
    entry, = export(network, task, ["onnx"], SIZE, squares()[:2], str(folder))
    if not entry["available"]:
        raise SystemExit(f"{task}: {entry['reason']}")
    write_export(folder, entry)
    device, endpoint = OnnxModel(folder), Predictor(str(folder))
    answers = {name: (answer(device.predict, data), answer(lambda data: endpoint.predict([data], {})[0], data))
               for name, data in pictures().items()}
    if task == "semantic_segmentation":
        by_label(answers.values())
    return {name: compared(*pair) for name, pair in answers.items()}


def write_export(folder, entry):
    (folder / "export.json").write_text(json.dumps({"labels": LABELS, "formats": [entry]}))


def answer(ask, data):
    try:
        return {name: value for name, value in ask(data).items() if name != "prediction_id"}
    except (ValueError, BadRequest) as error:
        return {"refused": str(error).removeprefix("item 0: ")}


def by_label(pairs):
    """Largest first is an order that a few pixels change where two classes fill about as much; each class is there once."""
    for answered in (one for pair in pairs for one in pair):
        answered.get("detections", []).sort(key=lambda one: one["label"])


def compared(device, endpoint):
    """Both answers without masks, and the largest share of pixels by which two masks differ."""
    masks = [[unpacked(one.pop("mask")) for one in answer.get("detections", []) if "mask" in one] for answer in (device, endpoint)]
    apart = [float((mine != its).mean()) for mine, its in zip(*masks)]
    return {"device": device, "endpoint": endpoint, "masks": len(apart), "apart": max(apart, default=0.0)}


def turned_boxes(folder):
    write_export(folder, {"format": "onnx", "available": True, "file": "model.onnx", "image_size": SIZE, "outputs": OUTPUTS["obb"]})
    try:
        OnnxModel(folder)
    except BadModel as error:
        return str(error)
    return None


def main():
    with tempfile.TemporaryDirectory() as home:
        for task in [*NETWORKS, "obb"]:
            (Path(home) / task).mkdir()
        made = {task: both(task, Path(home) / task) for task in NETWORKS}
        print(json.dumps({"answers": made, "turned_boxes": turned_boxes(Path(home) / "obb")}))


main()
