"""Mean average precision by pycocotools, as COCO defines it."""

import contextlib
import io

import numpy
import torch
from pycocotools import mask as runs
from pycocotools.coco import COCO
from pycocotools.cocoeval import COCOeval

#: Spread of a key point in parts of the object's scale where no table of the joints is known (COCO's mean).
POINT_SIGMA = 0.072


def measure(kind, labels, found, truth):
    """((mAP 50-95, mAP 50), the same for each class); None where no object could be found. ``kind``: bbox, segm or keypoints."""
    images, annotations, results = [], [], []
    for number, (guessed, true) in enumerate(zip(found, truth, strict=True), 1):
        height, width = next((mask["size"] for mask in [*guessed.get("runs", []), *true.get("runs", [])]), (0, 0))
        images.append({"id": number, "height": height, "width": width})
        annotations += [{**entry, "id": len(annotations) + place} for place, entry in enumerate(true_entries(kind, number, true), 1)]
        results += found_entries(kind, number, guessed)
    categories = [{"id": place, "name": name} for place, name in enumerate(labels, 1)]
    if not results:
        there = {entry["category_id"] for entry in annotations if counts(kind, entry)}
        return zero_of(there), [zero_of(place in there) for place in range(1, len(labels) + 1)]
    if not annotations:
        return zero_of(False), [zero_of(False)] * len(labels)
    with contextlib.redirect_stdout(io.StringIO()):
        known = COCO()
        known.dataset = {"info": {}, "images": images, "annotations": annotations, "categories": categories}
        known.createIndex()
        judged = COCOeval(known, known.loadRes(results), kind)
        if kind == "keypoints":
            points = len(annotations[0]["keypoints"]) // 3
            judged.params.kpt_oks_sigmas = numpy.full(points, POINT_SIGMA)
        judged.evaluate()
        judged.accumulate()
    # Thresholds of IoU x recall x class x sizes (0: all) x detections an image (last: the most).
    precision = judged.eval["precision"][:, :, :, 0, -1]
    each = [(mean_of(precision[:, :, place]), mean_of(precision[0, :, place])) for place in range(len(labels))]
    return (mean_of(precision), mean_of(precision[0])), each


def counts(kind, entry):
    """Whether COCO looks for this object: a crowd is none, nor is one without a visible key point."""
    return not entry["iscrowd"] and (kind != "keypoints" or entry["num_keypoints"] > 0)


def zero_of(there):
    return (0.0, 0.0) if there else (None, None)


def mean_of(values):
    """Mean of what was measured; None where nothing was (-1)."""
    known = values[values > -1]
    return float(known.mean()) if known.size else None


def without_crowds(true):
    """(The objects of an image that are to be found, its crowds)."""
    crowd = true["crowds"]
    return tuple({key: [part for part, chosen in zip(value, mask.tolist(), strict=True) if chosen] if isinstance(value, list) else value[mask]
                  for key, value in true.items()} for mask in (~crowd, crowd))


def covered(boxes, crowds):
    """The largest part of each box that lies in a crowd, as COCO compares with crowds; one value a box."""
    low = torch.maximum(boxes[:, None, :2], crowds[None, :, :2])
    high = torch.minimum(boxes[:, None, 2:], crowds[None, :, 2:])
    shared = (high - low).clamp(min=0).prod(dim=2)
    parts = shared / (boxes[:, 2:] - boxes[:, :2]).prod(dim=1).clamp(min=1e-9)[:, None]
    return torch.cat([parts, torch.zeros(len(boxes), 1)], dim=1).max(dim=1).values


def true_entries(kind, image, true):
    for place, (box, label) in enumerate(zip(true["boxes"].tolist(), true["labels"].tolist(), strict=True)):
        entry = {"image_id": image, "category_id": label, "bbox": sides(box), "area": sides(box)[2] * sides(box)[3], "iscrowd": int(true["crowds"][place])}
        if kind == "segm":
            entry |= {"segmentation": true["runs"][place], "area": int(runs.area(true["runs"][place]))}
        if kind == "keypoints":
            points = true["keypoints"][place]
            entry |= {"keypoints": points.flatten().tolist(), "num_keypoints": int((points[:, 2] > 0).sum())}
        yield entry


def found_entries(kind, image, guessed):
    for place, (box, label, score) in enumerate(zip(guessed["boxes"].tolist(), guessed["labels"].tolist(), guessed["scores"].tolist(), strict=True)):
        entry = {"image_id": image, "category_id": label, "score": score}
        if kind == "bbox":
            entry["bbox"] = sides(box)
        elif kind == "segm":
            entry["segmentation"] = guessed["runs"][place]
        else:
            entry["keypoints"] = guessed["keypoints"][place].flatten().tolist()
        yield entry


def sides(box):
    return [box[0], box[1], box[2] - box[0], box[3] - box[1]]


def curve(label, found, truth, least_iou, overlaps):
    """Recall and precision of a class as the least score falls, at one IoU. ``overlaps``: of all objects of an image. What lies in
    a crowd is neither right nor wrong. ``truth``: pairs as ``without_crowds`` makes them."""
    rows, total = [], 0
    for guessed, (true, crowds) in zip(found, truth, strict=True):
        mine, own = guessed["labels"] == label, true["labels"] == label
        crowded = covered(guessed["boxes"][mine], crowds["boxes"][crowds["labels"] == label]) >= least_iou
        total += int(own.sum())
        scores = guessed["scores"][mine]
        overlap, free = overlaps(guessed, true)[mine][:, own], set(range(int(own.sum())))
        for number in scores.argsort(descending=True).tolist():
            best = max(free, key=lambda place: float(overlap[number, place]), default=None)
            hit = best is not None and float(overlap[number, best]) >= least_iou
            if hit:
                free.discard(best)
            elif crowded[number]:
                continue
            rows.append((float(scores[number]), hit))
    rows.sort(reverse=True)
    hits = numpy.cumsum([hit for _, hit in rows]) if rows else numpy.zeros(0)
    return (hits / max(1, total)).tolist(), (hits / numpy.arange(1, len(rows) + 1)).tolist()
