"""COCO JSON files: boxes, outlines and masks, key points."""

import json
from dataclasses import replace

from texts import text_of

MOST_BYTES = 1 << 30


def read(root, paths, images, found, thing):
    """Reads every COCO file among ``paths`` into ``found``. Returns whether there was one."""
    seen = False
    for path in sorted(paths):
        if not path.lower().endswith(".json"):
            continue
        try:
            data = json.loads(text_of(root, path, MOST_BYTES))
        except ValueError:
            continue
        if isinstance(data, dict) and isinstance(data.get("images"), list) and isinstance(data.get("annotations"), list):
            seen = True
            read_file(path, data, images, found, thing)
    return seen


def read_file(path, data, images, found, thing):
    categories = {}
    for entry in data.get("categories") or []:
        categories[entry["id"]] = found.name_class(str(entry["name"]).strip())
        if entry.get("keypoints") and not found.keypoints:
            found.keypoints = [str(name) for name in entry["keypoints"]]
    places = {}
    for entry in data["images"]:
        place = images.named(str(entry.get("file_name", "")), path)
        if place is None:
            found.unmatched += 1
        else:
            places[entry.get("id")] = place
            found.image(place)
    earlier = {place: {(known.label, known.box): at for at, known in enumerate(found.image(place))} for place in places.values()}
    for entry in data["annotations"]:
        place, label = places.get(entry.get("image_id")), categories.get(entry.get("category_id"))
        if place is not None and label is not None:
            made = to_thing(entry, label, thing)
            if made is not None:
                keep(found.image(place), earlier[place], made)


def keep(things, earlier, made):
    """One object may stand in two files: with its outline in one (instances), with its key points in the other (person_keypoints)."""
    at = earlier.get((made.label, made.box))
    if at is None:
        things.append(made)
    else:
        things[at] = replace(things[at], outline=things[at].outline or made.outline, points=things[at].points or made.points)


def to_thing(entry, label, thing):
    outline = entry.get("segmentation") or None
    if isinstance(outline, list):
        outline = [part for part in outline if isinstance(part, list) and len(part) >= 6] or None
    box = entry.get("bbox")
    if not isinstance(box, list) or len(box) != 4:
        if not isinstance(outline, list):
            return None
        xs, ys = [x for part in outline for x in part[0::2]], [y for part in outline for y in part[1::2]]
        box = [min(xs), min(ys), max(xs) - min(xs), max(ys) - min(ys)]
    x, y, width, height = (float(value) for value in box)
    points = entry.get("keypoints")
    rows = tuple(tuple(float(v) for v in points[at:at + 3]) for at in range(0, len(points) - 2, 3)) if points else None
    return thing(label, (x, y, x + width, y + height), outline, rows, bool(entry.get("iscrowd")))
