"""
The order of what waits on the disk: numbers that file names begin with, each larger than all before. The clock of a device
says nothing of it, since a board without a battery starts at 1970 each time.
"""

import re
import threading

#: Digits enough for the nanoseconds since 1970 that names of earlier agents begin with: numbers go on from them.
DIGITS = 20
NUMBER = re.compile(rf"(\d{{{DIGITS}}})-")
#: Begins the name of what took the place of all that had these numbers.
RANGE = re.compile(rf"(\d{{{DIGITS}}})-(\d{{{DIGITS}}})-")


class Numbers:
    """Shared by all that waits, so that the oldest of all is known."""

    def __init__(self):
        self.last = 0
        self.lock = threading.Lock()

    def go_on_after(self, paths):
        """What lies on the disk at the start keeps its place. Numbers of what has gone are free again."""
        with self.lock:
            self.last = max([self.last, *(range_of(path)[1] for path in paths)])

    def next(self):
        with self.lock:
            self.last += 1
            return f"{self.last:0{DIGITS}d}"


def number_of(path):
    """0 for pictures of earlier agents, whose names have no number: they count as the oldest."""
    found = NUMBER.match(path.name)
    return int(found.group(1)) if found else 0


def range_of(path):
    """@returns the first and the last number of what it holds"""
    found = RANGE.match(path.name)
    return (int(found.group(1)), int(found.group(2))) if found else (number_of(path), number_of(path))


def in_order(paths):
    return sorted(paths, key=lambda path: (number_of(path), path.name))
