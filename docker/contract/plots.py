"""Pictures and tables of a report, as files by path."""

import io
import json

import numpy
from PIL import Image, ImageDraw, ImageFont

import confusion_matrix

WORST = 50
WIDTH, HEIGHT, LEFT, TOP = 720, 520, 70, 40
INK, PAPER, FAINT, TRUE, FOUND = (31, 41, 55), (255, 255, 255), (226, 232, 240), (22, 163, 74), (220, 38, 38)
COLOURS = [(37, 99, 235), (220, 38, 38), (22, 163, 74), (217, 119, 6), (124, 58, 237), (8, 145, 178), (190, 24, 93), (77, 124, 15)]
MOST_CURVES = 20
MOST_POINTS = 500
LEAST_SIDE = 320


def png(picture):
    buffer = io.BytesIO()
    picture.save(buffer, "PNG", optimize=True)
    return buffer.getvalue()


def confusion(labels, matrix, title, per_class):
    content = {"labels": labels, "matrix": matrix.tolist(), "per_class": per_class}
    return {"confusion_matrix.json": json.dumps(content).encode(), "confusion_matrix.png": confusion_matrix.draw(labels, matrix, title, {})}


def curve(scores, hits):
    """Recall and precision as the least score falls."""
    order = numpy.argsort(-numpy.array(scores), kind="stable")
    found = numpy.cumsum(numpy.array(hits)[order])
    return (found / max(1, sum(hits))).tolist(), (found / numpy.arange(1, len(order) + 1)).tolist()


def thinned(values):
    places = numpy.linspace(0, len(values) - 1, min(len(values), MOST_POINTS)).round().astype(int) if values else []
    return [round(float(values[place]), 5) for place in places]


def precision_recall(curves, prefix=""):
    """``curves``: (name, recall, precision) of each class."""
    return drawn_curves(f"{prefix}pr_curves", ("recall", "precision"), curves)


def overlap(curves):
    """``curves``: (name, least probability, intersection over union) of each class."""
    return drawn_curves("iou_curves", ("probability", "iou"), curves)


def drawn_curves(name, axes, curves):
    """Picture and numbers of curves (name, values along, values upward), both from 0 to 1. ``axes``: names of these values."""
    picture = Image.new("RGB", (WIDTH, HEIGHT), PAPER)
    pen, font = ImageDraw.Draw(picture), ImageFont.load_default(13)
    right, bottom = WIDTH - 190, HEIGHT - 60
    for step in range(6):
        x, y = LEFT + (right - LEFT) * step / 5, bottom - (bottom - TOP) * step / 5
        pen.line((x, TOP, x, bottom), fill=FAINT)
        pen.line((LEFT, y, right, y), fill=FAINT)
        pen.text((x, bottom + 14), f"{step / 5:.1f}", fill=INK, font=font, anchor="mm")
        pen.text((LEFT - 20, y), f"{step / 5:.1f}", fill=INK, font=font, anchor="mm")
    pen.text(((LEFT + right) / 2, bottom + 36), axes[0], fill=INK, font=font, anchor="mm")
    pen.text((14, TOP - 18), axes[1], fill=INK, font=font)
    for number, (label, along, upward) in enumerate(curves[:MOST_CURVES]):
        colour = COLOURS[number % len(COLOURS)]
        places = [(LEFT + (right - LEFT) * x, bottom - (bottom - TOP) * y) for x, y in zip(thinned(along), thinned(upward), strict=True)]
        if len(places) > 1:
            pen.line(places, fill=colour, width=2)
        pen.text((right + 14, TOP + 20 * number), label[:22], fill=colour, font=font)
    content = [{"label": label, axes[0]: thinned(along), axes[1]: thinned(upward)} for label, along, upward in curves]
    return {f"{name}.json": json.dumps(content).encode(), f"{name}.png": png(picture)}


def worst(pictures, entries, regions=None):
    """The worst images with their boxes, and a list of them. ``entries``, worst first: (index, words, score, true boxes, found boxes);
    ``regions``: by index the true and the found class of each pixel, whose borders are drawn."""
    made, listed = {}, []
    for number, (index, words, score, true, found) in enumerate(entries[:WORST], 1):
        path, name = pictures.samples[index].path, f"worst/{number:02d}.png"
        made[name] = drawn(pictures[index][0], words, true, found, (regions or {}).get(index, ()))
        listed.append({"file": name, "image": path, "words": words, "score": round(score, 5)})
    return {**made, "worst.json": json.dumps(listed).encode()}


def borders(regions):
    """Pixels whose class is not that of the pixel to the right or below."""
    edges = numpy.zeros(regions.shape, bool)
    edges[:-1] |= regions[:-1] != regions[1:]
    edges[:, :-1] |= regions[:, :-1] != regions[:, 1:]
    return edges


def drawn(image, words, true, found, regions=()):
    picture = Image.fromarray(image.permute(1, 2, 0).numpy())
    scale = max(1, -(-LEAST_SIDE // picture.width))
    pixels = numpy.array(picture.resize((picture.width * scale, picture.height * scale), Image.Resampling.NEAREST))
    for one, colour in zip(regions, (TRUE, FOUND), strict=False):
        pixels[borders(one.repeat(scale, axis=0).repeat(scale, axis=1))] = colour
    picture = Image.fromarray(pixels)
    pen, font = ImageDraw.Draw(picture), ImageFont.load_default(12)
    for boxes, colour, side in ((true, TRUE, 0), (found, FOUND, 1)):
        for box, text in boxes:
            places = [value * scale for value in box]
            if len(places) > 4:
                pen.polygon(places, outline=colour, width=2)
            else:
                pen.rectangle(places, outline=colour, width=2)
            pen.text((places[0] + 2, places[3 if side else 1] - (14 if side else 0)), text, fill=colour, font=font)
    pen.rectangle((0, 0, picture.width, 16), fill=INK)
    pen.text((4, 2), words, fill=PAPER, font=font)
    return png(picture)
