"""Models of the platform's runtime ``sklearn``; pictures go through the same steps as in training and serving."""

import json

import numpy
import skops.io
import yaml
from PIL import Image

from . import BadModel
from .encoded import open_picture

#: Types that skops does not trust by itself and that these models are made of.
TRUSTED = ["sklearn.neural_network._stochastic_optimizers.AdamOptimizer", "sklearn.tree._tree.Tree"]
FLAVOUR = "visionops_sklearn"


class SklearnModel:
    def __init__(self, folder):
        flavour = yaml.safe_load((folder / "MLmodel").read_text("utf-8")).get("flavors", {}).get(FLAVOUR)
        if flavour is None:
            raise BadModel(f"MLmodel names no flavour {FLAVOUR}")
        file = folder / "model.skops"
        unknown = sorted(set(skops.io.get_untrusted_types(file=file)) - set(TRUSTED))
        if unknown:
            raise BadModel(f"the model file holds the type {unknown[0]}, which is not trusted")
        self.estimator = skops.io.load(file, trusted=TRUSTED)
        self.labels = json.loads((folder / "labels.json").read_text("utf-8"))
        self.size, self.is_grey = int(flavour["image_size"]), bool(flavour["grayscale"])

    def predict(self, data):
        """``data``: an encoded picture. @returns {label, score, scores}"""
        scores = self._scores(self._row(data)[None, :])[0]
        order = numpy.argsort(-scores, kind="stable")
        named = {self.labels[int(place)]: round(float(scores[place]), 6) for place in order}
        best = self.labels[int(order[0])]
        return {"label": best, "score": named[best], "scores": named}

    def _row(self, data):
        picture = open_picture(data, "L" if self.is_grey else "RGB", draft=(self.size * 2, self.size * 2))
        if picture.size != (self.size, self.size):
            is_smaller = picture.width >= self.size and picture.height >= self.size
            picture = picture.resize((self.size, self.size), Image.Resampling.BOX if is_smaller else Image.Resampling.BILINEAR)
        return numpy.asarray(picture, dtype=numpy.float32).reshape(-1) / 255.0

    def _scores(self, rows):
        if hasattr(self.estimator, "predict_proba"):
            return self.estimator.predict_proba(rows)
        margins = self.estimator.decision_function(rows)
        if margins.ndim == 1:
            margins = numpy.stack([-margins, margins], axis=1)
        parts = numpy.exp(margins - margins.max(axis=1, keepdims=True))
        return parts / parts.sum(axis=1, keepdims=True)
