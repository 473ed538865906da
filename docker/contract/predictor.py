"""Answers for images with a trained network of PyTorch. Objects come as ``detections`` in pixels of the image."""

import os
import threading
import uuid

os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")

import torch

import detect
import models
from invocations import opened
from model_folder import load_model
from pixels import packed, read_square

LEAST_SCORE, MOST_OVERLAP = 0.25, 0.5


class Predictor:
    def __init__(self, folder):
        self.network, self.labels, settings = load_model(folder)
        self.task, self.size = settings["task"], int(settings["image_size"])
        self.program = models.PROGRAMS.get(self.task, detect)
        self.lock = threading.Lock()
        torch.set_num_threads(os.cpu_count() or 1)

    def predict(self, images, params):
        """``images``: encoded bytes. ``params``: top_k, conf (least score), iou (most overlap of boxes of one class)."""
        answers = []
        for picture, square in opened(images, lambda data: read_square(data, self.size)):
            # One at a time: a forward pass uses every processor by itself.
            with self.lock, torch.inference_mode():
                found = self.program.predict(self.network, picture.unsqueeze(0).float() / 255)[0]
            shaped = {"classification": self.scores, "semantic_segmentation": self.regions}.get(self.task, self.objects)
            answers.append({**shaped(found, square, params), "prediction_id": str(uuid.uuid4())})
        return answers

    def scores(self, found, square, params):
        order = found.argsort(descending=True, stable=True)[: params.get("top_k") or len(found)].tolist()
        return {"label": self.labels[order[0]], "score": round(float(found[order[0]]), 6),
                "scores": {self.labels[place]: round(float(found[place]), 6) for place in order}}

    def regions(self, found, square, params):
        """One detection for each class that some pixel has, the surest first: its mean probability there, its extent, its mask."""
        detections, chosen = [], found.argmax(dim=0)
        for place, label in enumerate(self.labels, 1):
            inner = (chosen == place).numpy()
            if not inner.any():
                continue
            score, mask = float(found[place][chosen == place].mean()), square.mask_to_image(inner)
            ys, xs = mask.nonzero()
            if len(xs) and score >= params.get("conf", 0):
                box = [float(xs.min()), float(ys.min()), float(xs.max() + 1), float(ys.max() + 1)]
                detections.append({"label": label, "score": round(score, 6), "box": box, "mask": packed(mask)})
        detections.sort(key=lambda entry: -entry["score"])
        return {"detections": detections[: params.get("top_k") or len(detections)]}

    def objects(self, found, square, params):
        sure = found["scores"] >= params.get("conf", LEAST_SCORE)
        found = {key: value[sure] for key, value in found.items()}
        detections = []
        for place in self.program.apart(found, params.get("iou", MOST_OVERLAP)):
            box = found["boxes"][place].tolist()
            xs, ys = square.to_image(box[0::2], box[1::2])
            entry = {"label": self.labels[int(found["labels"][place]) - 1], "score": round(float(found["scores"][place]), 6),
                     "box": [round(float(value), 2) for value in (xs[0], ys[0], xs[1], ys[1])]}
            if "masks" in found:
                entry["mask"] = packed(square.mask_to_image((found["masks"][place, 0] > detect.SURE).numpy()))
            if "keypoints" in found:
                points = found["keypoints"][place]
                xs, ys = square.to_image(points[:, 0], points[:, 1])
                entry["keypoints"] = [[round(float(x), 2), round(float(y), 2), 2] for x, y in zip(xs, ys, strict=True)]
            if "corners" in found:
                xs, ys = square.to_image(found["corners"][place][:, 0], found["corners"][place][:, 1], cut=False)
                entry["corners"] = [[round(float(x), 2), round(float(y), 2)] for x, y in zip(xs, ys, strict=True)]
            detections.append(entry)
        return {"detections": detections[: params.get("top_k") or len(detections)]}
