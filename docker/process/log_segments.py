"""The log of one instance, within its limit of bytes. Standard library only."""

import os
from collections import deque

TAIL_BYTES = 64 * 1024


class Log:
    """One stream of bytes in files named by the offset of their first byte, so that offsets stay true.

    A job keeps the beginning and the last lines of what exceeds the cap; a service keeps the newest half of the cap.
    """

    def __init__(self, directory, cap, rolling):
        self.directory, self.cap, self.rolling = directory, cap, rolling
        os.makedirs(directory, mode=0o700, exist_ok=True)
        names = self.segments()
        self.base = int(names[-1][:-4]) if names else 0
        self.open()
        self.dropped = 0
        self.tail = deque()
        self.tail_bytes = 0

    def segments(self):
        return sorted(name for name in os.listdir(self.directory) if name.endswith(".log"))

    def open(self):
        path = os.path.join(self.directory, f"{self.base:020d}.log")
        self.file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
        self.size = os.fstat(self.file).st_size

    def append(self, data):
        while data:
            written = os.write(self.file, data)
            self.size += written
            data = data[written:]

    def line(self, text):
        self.write(f"[runner] {text}\n".encode())

    def write(self, data):
        if self.rolling:
            if self.size > 0 and self.size + len(data) > self.cap // 2:
                self.roll()
            self.append(data)
            return
        room = max(0, self.cap - self.size) if self.dropped == 0 else 0
        self.append(data[:room])
        rest = data[room:]
        if rest:
            self.dropped += len(rest)
            self.tail.append(rest)
            self.tail_bytes += len(rest)
            while len(self.tail) > 1 and self.tail_bytes - len(self.tail[0]) >= TAIL_BYTES:
                self.tail_bytes -= len(self.tail.popleft())

    def roll(self):
        os.close(self.file)
        self.base += self.size
        self.open()
        for name in self.segments()[:-2]:
            os.unlink(os.path.join(self.directory, name))

    def close(self):
        if self.dropped:
            tail = b"".join(self.tail)[-TAIL_BYTES:]
            skipped = self.dropped - len(tail)
            self.append(f"\n[runner] The log reached its limit of {self.cap} bytes; {skipped} bytes are left out here.\n".encode())
            self.append(tail)
        os.close(self.file)
