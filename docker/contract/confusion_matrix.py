"""The picture of a confusion matrix."""

import io
import os

from PIL import Image, ImageDraw, ImageFont

MAX_DRAWN_CLASSES = 40
INK, PAPER, FAINT, GOOD, BAD = (31, 41, 55), (255, 255, 255), (226, 232, 240), (15, 118, 110), (185, 28, 28)


def example_of(path):
    try:
        with Image.open(path) as image:
            return image.convert("RGB")
    except OSError:
        return None


def draw(labels, matrix, title, examples):
    """PNG bytes: the matrix with one example image beside each class; ``examples`` maps a class index to a file."""
    count = min(len(labels), MAX_DRAWN_CLASSES)
    cell = max(18, min(46, 640 // count))
    font, small = ImageFont.load_default(cell // 3 + 2), ImageFont.load_default(13)
    left, top, shown = 150 + cell, 84, [label if len(label) <= 14 else label[:13] + "…" for label in labels[:count]]
    picture = Image.new("RGB", (left + count * cell + 30, top + count * cell + 70), PAPER)
    pen = ImageDraw.Draw(picture)
    pen.text((24, 18), title, fill=INK, font=ImageFont.load_default(19))
    pen.text((24, 46), "rows: true class, columns: predicted class", fill=(100, 116, 139), font=small)
    for row in range(count):
        y = top + row * cell
        pen.text((left - cell - 14, y + cell / 2), shown[row], fill=INK, font=font, anchor="rm")
        example = example_of(examples[row]) if row in examples else None
        if example is not None:
            picture.paste(example.resize((cell - 6, cell - 6), Image.Resampling.NEAREST), (left - cell - 4, y + 3))
        total = max(1, int(matrix[row].sum()))
        for column in range(count):
            value = int(matrix[row, column])
            share = value / total
            colour = GOOD if row == column else BAD
            strength = 0.0 if value == 0 else 0.15 + 0.85 * share if row == column else 0.25 + 0.75 * share
            fill = tuple(round(p + (c - p) * strength) for p, c in zip(PAPER, colour, strict=True))
            x = left + column * cell
            pen.rectangle((x, y, x + cell - 2, y + cell - 2), fill=fill, outline=FAINT)
            if value and cell >= 24:
                pen.text((x + cell / 2 - 1, y + cell / 2 - 1), str(value), fill=PAPER if strength > 0.55 else INK, font=font, anchor="mm")
    for column in range(count):
        pen.text((left + column * cell + cell / 2, top + count * cell + 14), shown[column][:6], fill=INK, font=font, anchor="mm")
    if count < len(labels):
        pen.text((24, picture.height - 24), f"the first {count} of {len(labels)} classes", fill=INK, font=small)
    buffer = io.BytesIO()
    picture.save(buffer, "PNG", optimize=True)
    return buffer.getvalue()


def examples_from(root, samples, truth, indices):
    """The first file of each class among some samples."""
    found = {}
    for place, index in zip(truth, indices, strict=True):
        found.setdefault(int(place), os.path.join(root, samples[index].path))
    return found
