"""Writes scenes whose truth is known: scikit-learn's scans of handwritten digits on cuts of its two photographs.

``export_scenes.py TARGET`` writes 60 pictures (480 x 360, JPEG) below TARGET/images/{train,val,test} and a COCO file with boxes for
each part, TARGET/annotations/instances_<part>.json. The parts share no scan. The same release makes the same pictures each time.
"""

import argparse
import json
import os

import numpy
from PIL import Image
from sklearn.datasets import load_digits, load_sample_images

WIDTH, HEIGHT = 480, 360
SCENES = {"train": 42, "val": 9, "test": 9}
NAMES = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"]
INK = 0.4
TRIES = 100


def background(photographs, generator):
    """A cut of a photograph, of the shape of a scene."""
    photo = photographs[int(generator.integers(len(photographs)))]
    width = int(generator.integers(WIDTH // 2, photo.width - 60))
    height = width * HEIGHT // WIDTH
    left, top = int(generator.integers(photo.width - width + 1)), int(generator.integers(max(1, photo.height - height + 1)))
    return photo.resize((WIDTH, HEIGHT), Image.Resampling.BICUBIC, (left, top, left + width, min(top + height, photo.height)))


def ink_of(scan, height):
    """Share of ink at each pixel, from 0 to 1, cut to where there is any."""
    picture = Image.fromarray(numpy.rint(scan * (255 / 16)).astype(numpy.uint8)).resize((height, height), Image.Resampling.BICUBIC)
    ink = numpy.clip(numpy.asarray(picture, float) / 255 * 1.6 - 0.3, 0, 1)
    rows, columns = numpy.flatnonzero((ink > INK).any(axis=1)), numpy.flatnonzero((ink > INK).any(axis=0))
    return ink[rows[0]:rows[-1] + 1, columns[0]:columns[-1] + 1]


def free_place(taken, width, height, generator):
    """Corner of a place that nothing stands on yet, or None."""
    for _ in range(TRIES):
        left, top = int(generator.integers(4, WIDTH - width - 3)), int(generator.integers(4, HEIGHT - height - 3))
        if not any(left < x + w + 4 and x < left + width + 4 and top < y + h + 4 and y < top + height + 4 for x, y, w, h in taken):
            return left, top
    return None


def scene(photographs, digits, scans, generator):
    """A picture and its objects as (label, [left, top, width, height])."""
    canvas = numpy.asarray(background(photographs, generator), float).copy()
    things = []
    for _ in range(int(generator.integers(3, 8))):
        index = int(generator.choice(scans))
        ink = ink_of(digits.images[index], int(generator.integers(44, 120)))
        height, width = ink.shape
        place = free_place([box for _, box in things], width, height, generator)
        if place is None:
            continue
        left, top = place
        under = canvas[top:top + height, left:left + width]
        # Readable on any ground: light on dark, dark on light.
        colour = generator.integers(205, 256, 3) if under.mean() < 120 else generator.integers(0, 60, 3)
        under += (colour - under) * ink[:, :, None]
        things.append((int(digits.target[index]), [left, top, width, height]))
    return Image.fromarray(canvas.round().astype(numpy.uint8)), things


def write_part(target, part, draw):
    folder = os.path.join(target, "images", part)
    os.makedirs(folder, exist_ok=True)
    images, annotations = [], []
    for number in range(1, SCENES[part] + 1):
        picture, things = draw()
        path = f"images/{part}/scene-{number:02d}.jpg"
        picture.save(os.path.join(target, path), quality=88)
        images.append({"id": number, "file_name": path, "width": WIDTH, "height": HEIGHT})
        for label, box in things:
            annotations.append({"id": len(annotations) + 1, "image_id": number, "category_id": label + 1, "bbox": box, "area": box[2] * box[3], "iscrowd": 0})
    categories = [{"id": place, "name": name} for place, name in enumerate(NAMES, 1)]
    os.makedirs(os.path.join(target, "annotations"), exist_ok=True)
    with open(os.path.join(target, "annotations", f"instances_{part}.json"), "w", encoding="utf-8") as file:
        json.dump({"images": images, "annotations": annotations, "categories": categories}, file)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("target")
    target = parser.parse_args().target
    digits = load_digits()
    photographs = [Image.fromarray(image) for image in load_sample_images().images]
    generator = numpy.random.default_rng(11)
    # A class has as many scans in a part as its share of the scenes.
    order = generator.permutation(len(digits.target))
    first, second = round(len(order) * 0.7), round(len(order) * 0.85)
    for part, scans in {"train": order[:first], "val": order[first:second], "test": order[second:]}.items():
        write_part(target, part, lambda s=scans: scene(photographs, digits, s, generator))
    print(f"{sum(SCENES.values())} scenes in {target}")


if __name__ == "__main__":
    main()
