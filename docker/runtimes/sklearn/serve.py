"""Serves one model of this runtime; `invocations.py` says how it is asked."""

import sys
import uuid

import numpy
from threadpoolctl import threadpool_limits

import estimators
from images import decode
from invocations import opened, serve
from model_folder import load_model


class Predictor:
    def __init__(self, folder):
        self.estimator, self.labels, settings = load_model(folder)
        self.size, self.grayscale = int(settings["image_size"]), bool(settings["grayscale"])
        # Requests are the parallelism here; threads of one request would wait for those of another.
        threadpool_limits(1, user_api="blas")

    def predict(self, images, params):
        """``images``: encoded bytes. ``params.top_k`` limits ``scores`` to the best."""
        rows = numpy.stack(opened(images, lambda data: decode(data, self.size, self.grayscale)))
        answers = []
        for scores in estimators.scores_of(self.estimator, rows):
            order = numpy.argsort(-scores, kind="stable")[: params.get("top_k") or len(scores)]
            answers.append({
                "label": self.labels[int(order[0])], "score": round(float(scores[order[0]]), 6),
                "scores": {self.labels[int(place)]: round(float(scores[place]), 6) for place in order},
                "prediction_id": str(uuid.uuid4())})
        return answers


if __name__ == "__main__":
    sys.exit(serve(Predictor))
