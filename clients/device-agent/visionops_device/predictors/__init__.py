"""Models that a device can ask: the kind of a folder decides. Packages are loaded when a model needs them."""

import json
from pathlib import Path

from .blank import blank_picture


class BadModel(Exception):
    """The folder holds no model that this device can ask, and why."""


class BadAnswer(Exception):
    """The model has answered what is no result."""


def open_predictor(folder):
    """@returns an object with ``predict(bytes) -> result`` in the shapes of a serving endpoint, without an id. @raises BadModel"""
    folder = Path(folder)
    try:
        if (folder / "model.skops").exists():
            from .sklearn_model import SklearnModel

            return SklearnModel(folder)
        if list(folder.rglob("*.onnx")):
            from .onnx_model import OnnxModel

            return OnnxModel(folder)
    except ImportError as error:
        raise BadModel(f"this device lacks a package that the model needs: {error}") from error
    raise BadModel("the model has neither model.skops nor an ONNX file: export it to ONNX for devices")


def open_tried(folder):
    """A predictor that has answered a picture. @raises BadModel, and whatever a library raises over a broken file"""
    predictor = open_predictor(folder)
    answer_of(predictor, blank_picture())
    return predictor


def answer_of(predictor, data):
    """What the model says of a picture. @raises BadAnswer where a number of it is none, and whatever the model raises"""
    result = predictor.predict(data)
    try:
        json.dumps(result, allow_nan=False)
    except ValueError as error:
        raise BadAnswer("a score or a coordinate is NaN or infinite") from error
    return result
