"""ONNX files as the platform's exports write them: ``model.onnx`` with ``export.json`` beside it. Answers are those of an endpoint."""

import json

import numpy
import onnxruntime

from . import BadModel
from .runs import packed
from .square import Square

#: Objects with a lower score are left out, as are those that overlap a surer one of their class by more: serving endpoints do
#: the same unless they are asked otherwise.
LEAST_SCORE, MOST_OVERLAP = 0.25, 0.5
#: Probability from which on a pixel belongs to an object.
SURE = 0.5
OBJECTS = ["boxes", "labels", "scores"]
READ = (["scores"], ["probabilities"], OBJECTS, [*OBJECTS, "masks"], [*OBJECTS, "keypoints"])


class OnnxModel:
    def __init__(self, folder):
        record = next(iter(sorted(folder.rglob("export.json"))), None)
        if record is None:
            raise BadModel("export.json is missing beside the ONNX file")
        export = json.loads(record.read_text("utf-8"))
        entry = next((one for one in export["formats"] if one["format"] == "onnx" and one["available"]), None)
        if entry is None:
            raise BadModel("export.json lists no ONNX file")
        self.labels, self.size, self.outputs = export["labels"], int(entry["image_size"]), entry["outputs"]
        if self.outputs not in READ:
            # Half an answer would pass for a whole one.
            raise BadModel(f"this agent does not read the outputs {', '.join(self.outputs)}: ask the model by an endpoint")
        self.session = onnxruntime.InferenceSession(str(record.parent / entry["file"]), providers=onnxruntime.get_available_providers())
        self.input = self.session.get_inputs()[0].name

    def predict(self, data):
        """``data``: an encoded picture. @returns a label with scores, or detections with boxes in pixels of the upright picture"""
        square = Square(data, self.size)
        found = dict(zip(self.outputs, self.session.run(None, {self.input: square.pixels})))
        if "boxes" in found:
            return {"detections": self._objects(found, square)}
        if "probabilities" in found:
            return {"detections": self._regions(found["probabilities"][0], square)}
        return self._classes(found["scores"][0])

    def _classes(self, scores):
        order = numpy.argsort(-scores, kind="stable")
        named = {self.labels[int(at)]: round(float(scores[at]), 6) for at in order}
        best = self.labels[int(order[0])]
        return {"label": best, "score": named[best], "scores": named}

    def _regions(self, probabilities, square):
        """One detection for each class that some pixel has: its mean probability there, its extent, its mask."""
        detections, chosen = [], probabilities.argmax(axis=0)
        for place, label in enumerate(self.labels, 1):
            inner = chosen == place
            mask = square.mask_to_picture(inner)
            ys, xs = mask.nonzero()
            if len(xs):
                box = [float(xs.min()), float(ys.min()), float(xs.max() + 1), float(ys.max() + 1)]
                score = round(float(probabilities[place][inner].mean()), 6)
                detections.append({"label": label, "score": score, "box": box, "mask": packed(mask)})
        return detections

    def _objects(self, found, square):
        sure = found["scores"] >= LEAST_SCORE
        found = {name: value[sure] for name, value in found.items()}
        return [self._object({name: value[place] for name, value in found.items()}, square) for place in apart(found)]

    def _object(self, one, square):
        xs, ys = square.to_picture(one["boxes"][0::2], one["boxes"][1::2])
        entry = {"label": self.labels[int(one["labels"]) - 1], "score": round(float(one["scores"]), 6),
                 "box": [round(float(value), 2) for value in (xs[0], ys[0], xs[1], ys[1])]}
        if "masks" in one:
            entry["mask"] = packed(square.mask_to_picture(one["masks"][0] > SURE))
        if "keypoints" in one:
            points = zip(*square.to_picture(one["keypoints"][:, 0], one["keypoints"][:, 1]))
            entry["keypoints"] = [[round(float(x), 2), round(float(y), 2), 2] for x, y in points]
        return entry


def apart(found):
    """Places of the objects that remain when those of one class overlap no more than `MOST_OVERLAP`, the surest first."""
    kept = []
    for place in numpy.argsort(-found["scores"], kind="stable"):
        others = [other for other in kept if found["labels"][other] == found["labels"][place]]
        if not (overlaps(found["boxes"][place], found["boxes"][others]) > MOST_OVERLAP).any():
            kept.append(place)
    return kept


def overlaps(box, others):
    """Intersection over union of a box with each of the others, N x 4."""
    sides = numpy.minimum(box[2:], others[:, 2:]) - numpy.maximum(box[:2], others[:, :2])
    shared = sides.clip(0).prod(axis=1)
    union = (box[2:] - box[:2]).prod() + (others[:, 2:] - others[:, :2]).prod(axis=1) - shared
    # Boxes without an area share nothing.
    return shared / numpy.maximum(union, numpy.finfo(numpy.float32).tiny)
