"""ONNX files as the platform's exports write them: ``model.onnx`` with ``export.json`` beside it."""

import json

import numpy
import onnxruntime
from PIL import Image

from . import BadModel
from .encoded import open_picture, upright_size

GREY = 114
#: Objects with a lower score are left out, as serving endpoints do unless they are set otherwise.
LEAST_SCORE = 0.25


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
        if self.outputs[0] not in ("scores", "boxes"):
            raise BadModel(f"this device does not read the output {self.outputs[0]}")
        self.session = onnxruntime.InferenceSession(str(record.parent / entry["file"]), providers=onnxruntime.get_available_providers())
        self.input = self.session.get_inputs()[0].name

    def predict(self, data):
        """``data``: an encoded picture. @returns a label with scores, or detections with boxes in pixels of the upright picture"""
        pixels, place = self._square(data)
        found = dict(zip(self.outputs, self.session.run(None, {self.input: pixels})))
        return self._classes(found["scores"][0]) if self.outputs[0] == "scores" else self._objects(found, place)

    def _square(self, data):
        """The picture on a grey square, its sides in proportion, with scale, offsets and size to find the way back."""
        picture = open_picture(data, draft=(self.size, self.size), upright=True)
        width, height = upright_size(data)
        scale = self.size / max(width, height)
        inner = max(1, round(width * scale)), max(1, round(height * scale))
        left, top = (self.size - inner[0]) // 2, (self.size - inner[1]) // 2
        square = Image.new("RGB", (self.size, self.size), (GREY, GREY, GREY))
        square.paste(picture.resize(inner, Image.Resampling.BILINEAR, reducing_gap=2.0), (left, top))
        pixels = numpy.asarray(square, dtype=numpy.float32).transpose(2, 0, 1)[None] / 255
        return numpy.ascontiguousarray(pixels), (scale, left, top, width, height)

    def _classes(self, scores):
        order = numpy.argsort(-scores, kind="stable")
        named = {self.labels[int(at)]: round(float(scores[at]), 6) for at in order}
        best = self.labels[int(order[0])]
        return {"label": best, "score": named[best], "scores": named}

    def _objects(self, found, place):
        scale, left, top, width, height = place
        detections = []
        for box, label, score in zip(found["boxes"], found["labels"], found["scores"]):
            if score < LEAST_SCORE:
                continue
            xs = numpy.clip((box[0::2] - left) / scale, 0, width)
            ys = numpy.clip((box[1::2] - top) / scale, 0, height)
            corners = [xs[0], ys[0], xs[1], ys[1]]
            detections.append({"label": self.labels[int(label) - 1], "score": round(float(score), 6), "box": [round(float(v), 2) for v in corners]})
        return {"detections": detections}
