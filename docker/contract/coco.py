"""COCO JSON files: boxes, outlines and masks, key points."""

import json
from dataclasses import replace

from coco_masks import box_of
from texts import bytes_of

#: As the platform's validation takes them.
MOST_BYTES = 2 << 30


def json_of(root, path):
    return json.loads(bytes_of(root, path, MOST_BYTES).decode("utf-8-sig"))


def read_matched(root, path, file, entries, found, thing):
    """Objects of a file whose images and names the manifest knows: ``entries`` has the path of an image by its position."""
    data = json_of(root, path)
    names = {one["id"]: found.name_class(one["name"]) for one in file.get("names", ())}
    places = {data["images"][position]["id"]: place for position, place in entries.items()}
    found.unmatched += len(data["images"]) - len(entries)
    take_keypoints(data, found)
    take_objects(data, names, places, found, thing)


def read(root, paths, images, found, thing):
    """Reads every COCO file among ``paths`` into ``found``. Returns whether there was one. For manifests that say no matches."""
    seen = False
    for path in sorted(paths):
        if not path.lower().endswith(".json"):
            continue
        try:
            data = json_of(root, path)
        except ValueError:
            continue
        if isinstance(data, dict) and isinstance(data.get("images"), list) and isinstance(data.get("annotations"), list):
            seen = True
            read_file(path, data, images, found, thing)
    return seen


def read_file(path, data, images, found, thing):
    categories = {}
    for entry in data.get("categories") or []:
        categories[entry["id"]] = found.name_class(str(entry["name"]))
    places = {}
    for entry in data["images"]:
        place = images.named(str(entry.get("file_name", "")), path)
        if place is None:
            found.unmatched += 1
        else:
            places[entry.get("id")] = place
    take_keypoints(data, found)
    take_objects(data, categories, places, found, thing)


def take_keypoints(data, found):
    for entry in data.get("categories") or []:
        if entry.get("keypoints") and not found.keypoints:
            found.keypoints = [str(name) for name in entry["keypoints"]]


def take_objects(data, categories, places, found, thing):
    """``categories``: names by id; ``places``: paths of images by their ids."""
    for place in places.values():
        found.image(place)
    earlier = {place: {(known.label, known.box): at for at, known in enumerate(found.image(place))} for place in places.values()}
    for entry in objects_of(data):
        place, label = places.get(entry.get("image_id")), categories.get(entry.get("category_id"))
        if place is not None and label is not None:
            made = to_thing(entry, label, thing)
            if made is not None:
                keep(found.image(place), earlier[place], made)


def objects_of(data):
    """Annotations, and the segments of panoptic ones, which have boxes of their own."""
    for entry in data.get("annotations") or []:
        segments = entry.get("segments_info")
        for segment in segments if isinstance(segments, list) else ():
            if isinstance(segment, dict):
                yield {**segment, "image_id": entry.get("image_id"), "segmentation": None, "keypoints": None}
        yield entry


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
        # A single polygon is sometimes written without the list around it.
        outline = [outline] if all(isinstance(value, int | float) for value in outline) else outline
        outline = [part for part in outline if isinstance(part, list) and len(part) >= 6] or None
    box = entry.get("bbox")
    if not isinstance(box, list) or len(box) != 4:
        if outline is None:
            return None
        box = box_of(outline) if isinstance(outline, dict) else extent_of(outline)
    x, y, width, height = (float(value) for value in box)
    points = entry.get("keypoints")
    rows = tuple(tuple(float(v) for v in points[at:at + 3]) for at in range(0, len(points) - 2, 3)) if points else None
    return thing(label, (x, y, x + width, y + height), outline, rows, bool(entry.get("iscrowd")))


def extent_of(polygons):
    xs, ys = [x for part in polygons for x in part[0::2]], [y for part in polygons for y in part[1::2]]
    return [min(xs), min(ys), max(xs) - min(xs), max(ys) - min(ys)]
