"""Scenes whose truth is known: scikit-learn's scans of handwritten digits pasted into cuts of its two photographs.

``scenes.py TARGET --task TASK --train N --test N`` writes images below TARGET/images/{train,val,test} and, for tasks about
objects, COCO files TARGET/{train,val,test}.json with boxes, masks and key points; oriented boxes (obb) get label files of YOLO with
the corners of turned digits, classification folders TARGET/{train,val,test}/<class>. For segmentation and pose all digits are of one class. The parts share no scan. The same arguments make the same bytes. ``--format yolo`` or ``voc`` annotates the same
pictures by label files (with key points for pose) or files of Pascal VOC.
"""

import argparse
import functools
import json
import math
import os

import numpy
from PIL import Image
from sklearn.datasets import load_digits, load_sample_images

SIDE = 160
LABELS = (0, 3, 7)
NAMES = {0: "zero", 3: "three", 7: "seven"}
INK = 96
MIDDLE = 128
#: Tasks whose digits are of one class.
ONE_CLASS = ("semantic_segmentation", "instance_segmentation", "pose")
POINTS = ["top", "centre", "bottom"]


def scans_by_part():
    """Scans of the chosen digits, split 70, 10 and 20 to the hundred."""
    digits, parts = load_digits(), {"train": {}, "val": {}, "test": {}}
    for label in LABELS:
        scans = [digits.images[place] for place in numpy.flatnonzero(digits.target == label)]
        first, second = round(len(scans) * 0.7), round(len(scans) * 0.8)
        parts["train"][label], parts["val"][label], parts["test"][label] = scans[:first], scans[first:second], scans[second:]
    return parts


def background(photographs, generator):
    photo = photographs[int(generator.integers(len(photographs)))]
    side = int(generator.integers(SIDE, 400))
    left, top = int(generator.integers(0, photo.width - side + 1)), int(generator.integers(0, photo.height - side + 1))
    return photo.crop((left, top, left + side, top + side)).resize((SIDE, SIDE), Image.Resampling.BILINEAR)


def digit(scan, height):
    """A scan as a mask of ink and its tight bounds cut out."""
    picture = Image.fromarray(numpy.rint(scan * (255 / 16)).astype(numpy.uint8), mode="L")
    large = numpy.asarray(picture.resize((height, height), Image.Resampling.BICUBIC)) > INK
    rows, columns = numpy.flatnonzero(large.any(axis=1)), numpy.flatnonzero(large.any(axis=0))
    return large[rows[0]:rows[-1] + 1, columns[0]:columns[-1] + 1]


def turned(mask, angle):
    """A mask turned by degrees, and the corners of its bounds then (rows of x, y)."""
    picture = Image.fromarray(mask.astype(numpy.uint8) * 255).rotate(angle, Image.Resampling.BICUBIC, expand=True)
    along, across = numpy.array([-1, 1, 1, -1]) * mask.shape[1] / 2, numpy.array([-1, -1, 1, 1]) * mask.shape[0] / 2
    cosine, sine = math.cos(math.radians(angle)), math.sin(math.radians(angle))
    corners = numpy.stack([along * cosine + across * sine + picture.width / 2, across * cosine - along * sine + picture.height / 2], axis=1)
    return numpy.asarray(picture) > 127, corners


def scene(photographs, scans, generator, least, most, sizes, angles=None):
    """A picture and its objects (label, mask of the scene, corners); objects do not overlap. ``angles``: how far they are turned."""
    canvas = numpy.array(background(photographs, generator), float)
    things, taken = [], numpy.zeros((SIDE, SIDE), bool)
    wanted = int(generator.integers(least, most + 1))
    for _ in range(wanted * 20):
        if len(things) == wanted:
            break
        label = int(generator.choice(LABELS))
        mask = digit(scans[label][int(generator.integers(len(scans[label])))], int(generator.integers(*sizes)))
        corners = None
        if angles is not None:
            mask, corners = turned(mask, float(generator.uniform(*angles)))
        height, width = mask.shape
        if height > SIDE or width > SIDE:
            continue
        top, left = int(generator.integers(0, SIDE - height + 1)), int(generator.integers(0, SIDE - width + 1))
        if taken[max(0, top - 2):top + height + 2, max(0, left - 2):left + width + 2].any():
            continue
        taken[top:top + height, left:left + width] = True
        whole = numpy.zeros((SIDE, SIDE), bool)
        whole[top:top + height, left:left + width] = mask
        # Ink that stands out, as whoever annotates a photograph must see it: dark where it is bright below, bright where it is dark.
        colour = generator.integers(0, 70, 3) if canvas[whole].mean() > MIDDLE else generator.integers(185, 256, 3)
        canvas[whole] = colour + generator.normal(0, 8, (int(whole.sum()), 3))
        things.append((label, whole, None if corners is None else corners + (left, top)))
    return Image.fromarray(canvas.clip(0, 255).astype(numpy.uint8)), things


def run_lengths(mask):
    """COCO's uncompressed form: runs of 0 and 1 in turn, column by column."""
    flat = numpy.concatenate([[0], mask.T.ravel().astype(int), [0]])
    edges = numpy.flatnonzero(numpy.diff(flat))
    places = numpy.concatenate([[0], edges, [mask.size]])
    counts = numpy.diff(places).tolist()
    return {"size": list(mask.shape), "counts": counts if counts[-1] else counts[:-1]}


def annotation(number, image, category, mask):
    ys, xs = mask.nonzero()
    box = [int(xs.min()), int(ys.min()), int(xs.max() - xs.min() + 1), int(ys.max() - ys.min() + 1)]
    top, bottom = (float(xs[ys == side].mean()) for side in (ys.min(), ys.max()))
    points = [top, int(ys.min()), 2, float(xs.mean()), float(ys.mean()), 2, bottom, int(ys.max()), 2]
    return {"id": number, "image_id": image, "category_id": category, "bbox": box, "area": int(mask.sum()), "iscrowd": 0,
            "segmentation": run_lengths(mask), "keypoints": points, "num_keypoints": 3}


def drawn(target, part, count, scenes, names):
    """Saves pictures and gives the name and objects (label, mask) of each. ``names``: class of each digit; digits of one class
    are fewer and larger, for networks that see eight pixels as one."""
    wanted = (2, 3, (64, 113)) if len(set(names.values())) == 1 else (3, 7, (24, 49))
    folder = os.path.join(target, "images", part)
    os.makedirs(folder, exist_ok=True)
    for number in range(1, count + 1):
        picture, things = scenes(*wanted)
        name = f"{part}-{number:04d}"
        picture.save(os.path.join(folder, f"{name}.png"))
        yield name, [(names[label], mask) for label, mask, _ in things]


def write_objects(target, part, count, scenes, names):
    images, annotations, classes = [], [], sorted(set(names.values()))
    for number, (name, things) in enumerate(drawn(target, part, count, scenes, names), 1):
        images.append({"id": number, "file_name": f"{name}.png", "width": SIDE, "height": SIDE})
        annotations += [annotation(len(annotations) + place, number, classes.index(label) + 1, mask)
                        for place, (label, mask) in enumerate(things, 1)]
    categories = [{"id": place, "name": name, "keypoints": POINTS, "skeleton": [[1, 2], [2, 3]]} for place, name in enumerate(classes, 1)]
    with open(os.path.join(target, f"{part}.json"), "w", encoding="utf-8") as file:
        json.dump({"images": images, "annotations": annotations, "categories": categories}, file)


def write_yolo(target, part, count, scenes, names, has_points):
    classes = sorted(set(names.values()))
    folder = os.path.join(target, "labels", part)
    os.makedirs(folder, exist_ok=True)
    for name, things in drawn(target, part, count, scenes, names):
        with open(os.path.join(folder, f"{name}.txt"), "w", encoding="ascii") as file:
            for label, mask in things:
                found = annotation(0, 0, 0, mask)
                (left, top, width, height), points = found["bbox"], found["keypoints"]
                numbers = [left + width / 2, top + height / 2, width, height, *(points if has_points else [])]
                # The third number of a key point is its visibility, which is no length.
                parts = [value if at >= 4 and at % 3 == 0 else value / SIDE for at, value in enumerate(numbers)]
                file.write(f"{classes.index(label)} " + " ".join(f"{value:.9g}" for value in parts) + "\n")
    shape = f"kpt_shape: [{len(POINTS)}, 3]\n" if has_points else ""
    with open(os.path.join(target, "data.yaml"), "w", encoding="ascii") as file:
        file.write(f"train: images/train\nval: images/val\ntest: images/test\nnames: [{', '.join(classes)}]\n{shape}")


def write_voc(target, part, count, scenes, names):
    folder = os.path.join(target, "annotations", part)
    os.makedirs(folder, exist_ok=True)
    for name, things in drawn(target, part, count, scenes, names):
        with open(os.path.join(folder, f"{name}.xml"), "w", encoding="ascii") as file:
            file.write(f"<annotation><filename>{name}.png</filename><size><width>{SIDE}</width><height>{SIDE}</height></size>")
            for label, mask in things:
                left, top, width, height = annotation(0, 0, 0, mask)["bbox"]
                # Pixels count from 1 here, and the last one belongs to the box.
                sides = f"<xmin>{left + 1}</xmin><ymin>{top + 1}</ymin><xmax>{left + width}</xmax><ymax>{top + height}</ymax>"
                file.write(f"<object><name>{label}</name><bndbox>{sides}</bndbox></object>")
            file.write("</annotation>")


def write_corners(target, part, count, scenes, names):
    classes = sorted(set(names.values()))
    for kind in ("images", "labels"):
        os.makedirs(os.path.join(target, kind, part), exist_ok=True)
    for number in range(1, count + 1):
        picture, things = scenes(3, 6, (28, 57), (-180, 180))
        picture.save(os.path.join(target, "images", part, f"{part}-{number:04d}.png"))
        rows = [f"{classes.index(names[label])} " + " ".join(f"{value / SIDE:.6f}" for value in corners.ravel()) for label, _, corners in things]
        with open(os.path.join(target, "labels", part, f"{part}-{number:04d}.txt"), "w", encoding="ascii") as file:
            file.write("\n".join(rows) + "\n")
    with open(os.path.join(target, "data.yaml"), "w", encoding="ascii") as file:
        file.write(f"train: images/train\nval: images/val\ntest: images/test\nnames: [{', '.join(classes)}]\n")


def write_folders(target, part, count, scenes, names):
    for number in range(1, count + 1):
        picture, things = scenes(1, 1, (80, 151))
        folder = os.path.join(target, part, names[things[0][0]])
        os.makedirs(folder, exist_ok=True)
        picture.save(os.path.join(folder, f"{part}-{number:04d}.png"))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("target")
    parser.add_argument("--task", default="detection")
    parser.add_argument("--format", choices=["coco", "yolo", "voc"], default="coco")
    parser.add_argument("--train", type=int, default=400)
    parser.add_argument("--val", type=int, default=40)
    parser.add_argument("--test", type=int, default=80)
    options = parser.parse_args()
    photographs = [Image.fromarray(image) for image in load_sample_images().images]
    formats = {"coco": write_objects, "voc": write_voc, "yolo": functools.partial(write_yolo, has_points=options.task == "pose")}
    write = {"classification": write_folders, "obb": write_corners}.get(options.task, formats[options.format])
    # Which pixels are ink, and where a digit begins, is learned in minutes from scratch; which digit it is as well is not.
    names = dict.fromkeys(LABELS, "digit") if options.task in ONE_CLASS else NAMES
    for seed, (part, scans) in enumerate(scans_by_part().items()):
        generator = numpy.random.default_rng(1000 + seed)
        write(options.target, part, getattr(options, part), lambda *wanted, g=generator, s=scans: scene(photographs, s, g, *wanted), names)
    print(f"{options.train + options.val + options.test} scenes in {options.target}")


if __name__ == "__main__":
    main()
