"""Makes a small model of the digits: ``train_digits.py PROGRAMS IMAGES OUT``. Nearest neighbours, trained in a moment."""

import os
import sys

sys.path.insert(0, sys.argv[1])

import numpy
from sklearn.neighbors import KNeighborsClassifier

from images import decode
from model_folder import save_model

images, out = sys.argv[2], sys.argv[3]
rows, targets = [], []
labels = sorted(os.listdir(images))
for number, label in enumerate(labels):
    for name in sorted(os.listdir(os.path.join(images, label)))[:60]:
        with open(os.path.join(images, label, name), "rb") as file:
            rows.append(decode(file.read(), 16, True))
        targets.append(number)
hyperparameters = {"image_size": 16, "grayscale": True}
estimator = KNeighborsClassifier(3).fit(numpy.stack(rows), numpy.array(targets))
save_model(out, estimator, labels, {"run_id": "0" * 32, "model": "knn", "hyperparameters": hyperparameters, "metrics": {}, "parameters": 0})
