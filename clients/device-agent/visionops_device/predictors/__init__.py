"""Models that a device can ask: the kind of a folder decides. Packages are loaded when a model needs them."""

from pathlib import Path

from .blank import blank_picture


class BadModel(Exception):
    """The folder holds no model that this device can ask, and why."""


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
    predictor.predict(blank_picture())
    return predictor
