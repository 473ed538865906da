"""YOLO label files: boxes, outlines, boxes with key points; names from `data.yaml` or `classes.txt`."""

import posixpath
import re

import yaml

from texts import text_of

NAME_FILES = ("classes.txt", "labels.txt", "obj.names", "_darknet.labels")
CONFIG_NAMES = (".yaml", ".yml")
#: Some tools write classes as `3.0`.
CLASS = re.compile(r"\d{1,6}(\.0*)?")


class Labels:
    """Label files whose images, names and shape of key points the manifest knows. ``files``: its annotation files."""

    def __init__(self, files, found):
        self.names = next((file["names"] for file in files if file["kind"] != "yolo" and file.get("names")), [])
        self.names = {one["id"]: one["name"] for one in self.names}
        self.shape = next((file["keypoint_shape"] for file in files if "keypoint_shape" in file), None)
        name_all(self.names, self.shape, found)

    def read(self, root, path, file, entries, found, thing):
        if not entries:
            found.unmatched += 1
            return
        rows = rows_of(text_of(root, path))
        if rows is None:
            found.unread.append(path)
        else:
            take_rows(rows, found.image(entries[0]), self.names, self.shape, found, thing)


def name_all(names, shape, found):
    for number in sorted(names):
        found.name_class(names[number])
    if shape:
        found.keypoints = [f"point_{number + 1}" for number in range(shape[0])]


def take_rows(rows, things, names, shape, found, thing):
    values = shape[0] * shape[1] + 4 if shape else None
    for number, numbers in rows:
        # As the validation has it: without any names a class is called by its number, beside names it is none.
        name = names.get(number) if names else str(number)
        if name is not None:
            things.append(to_thing(found.name_class(name), numbers, values, shape, thing))


def read(root, paths, images, found, thing):
    """Reads the label files among ``paths`` into ``found``. Returns whether there was one with an object, or a `data.yaml`. For
    manifests that say no matches."""
    names, shape, is_yolo = declared(root, paths)
    pending = []
    for path in sorted(paths):
        if not path.lower().endswith(".txt") or posixpath.basename(path).lower() in NAME_FILES:
            continue
        place = images.of_label_file(path)
        rows = rows_of(text_of(root, path)) if place is not None else None
        if rows is not None:
            pending.append((place, rows))
    if not is_yolo and not any(rows for _, rows in pending):
        return False
    name_all(names, shape, found)
    for place, rows in pending:
        take_rows(rows, found.image(place), names, shape, found, thing)
    return True


def declared(root, paths):
    """(Names by number, shape of key points, whether there is a configuration). Names are those of the configuration nearest to the
    top, otherwise of a list of names, otherwise of a configuration that counts them; the shape is the nearest that is stated."""
    named, counted, listed, shapes, is_yolo = [], [], [], [], False
    for path in sorted(paths, key=lambda path: (len(path), path)):
        if path.lower().endswith(CONFIG_NAMES):
            config = config_of(text_of(root, path, 64 << 10))
            if config is not None:
                is_yolo = True
                names, shape, counts = config
                (counted if counts else named).append(names)
                shapes.append(shape)
        elif posixpath.basename(path).lower() in NAME_FILES:
            lines = text_of(root, path).rstrip().split("\n")
            listed.append({number: line.strip() for number, line in enumerate(lines) if line.strip()})
    return next((names for names in [*named, *listed, *counted] if names), {}), next((shape for shape in shapes if shape), None), is_yolo


def config_of(text):
    """Names by number, the shape of key points, and whether names are only counted, of a `data.yaml`; None for another file."""
    try:
        # All that a name may be is text: YAML 1.1 would make `off` a truth value.
        data = yaml.load(text, yaml.BaseLoader)
    except (yaml.YAMLError, RecursionError):
        return None
    if not isinstance(data, dict) or not ("names" in data or "nc" in data):
        return None
    names = data.get("names") or None
    if not isinstance(names, list | dict | None):
        return None
    names = names or [f"class_{number}" for number in range(int(data.get("nc") or 0))]
    counts = not data.get("names")
    pairs = names.items() if isinstance(names, dict) else enumerate(names)
    shape = data.get("kpt_shape")
    return {int(number): str(name) for number, name in pairs}, tuple(int(side) for side in shape) if shape else None, counts


def rows_of(text):
    """Class number and numbers of each line; None for a text that is no label file."""
    rows = []
    for line in text.split("\n"):
        words = line.split()
        if not words:
            continue
        if not CLASS.fullmatch(words[0]):
            return None
        try:
            number, numbers = int(float(words[0])), [float(word) for word in words[1:]]
        except ValueError:
            return None
        if len(numbers) < 4 or len(numbers) == 5:
            return None
        rows.append((number, numbers))
    return rows


def to_thing(label, numbers, pose_values, shape, thing):
    if len(numbers) == pose_values:
        step = shape[1]
        rows = [numbers[at:at + step] for at in range(4, len(numbers), step)]
        points = tuple((x, y, rest[0] if rest else (2.0 if x or y else 0.0)) for x, y, *rest in rows)
        return thing(label, corners(numbers), None, points, relative=True)
    if len(numbers) == 4:
        return thing(label, corners(numbers), relative=True)
    if len(numbers) % 2:
        rows = [numbers[at:at + 3] for at in range(4, len(numbers) - 2, 3)]
        return thing(label, corners(numbers), None, tuple(tuple(row) for row in rows), relative=True)
    xs, ys = numbers[0::2], numbers[1::2]
    return thing(label, (min(xs), min(ys), max(xs), max(ys)), [numbers], relative=True)


def corners(numbers):
    x, y, width, height = numbers[:4]
    return (x - width / 2, y - height / 2, x + width / 2, y + height / 2)
