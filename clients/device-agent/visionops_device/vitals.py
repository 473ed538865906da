"""How the machine is, from the standard library alone: shares from 0 to 100."""

import os
import shutil


class Vitals:
    def __init__(self, folder):
        self.folder = folder
        self.before = _cpu_times()

    def read(self):
        """{cpu, mem, disk} in percent; what the system does not say is left out."""
        now = _cpu_times()
        before, self.before = self.before, now
        found = {"cpu": _busy(before, now), "mem": _memory(), "disk": _disk(self.folder)}
        return {name: value for name, value in found.items() if value is not None}


def _cpu_times():
    try:
        with open("/proc/stat", encoding="ascii") as file:
            return [int(part) for part in file.readline().split()[1:]]
    except (OSError, ValueError):
        return None


def _busy(before, now):
    if before is None or now is None:
        return round(min(100.0, os.getloadavg()[0] / (os.cpu_count() or 1) * 100), 1) if hasattr(os, "getloadavg") else None
    total = sum(now) - sum(before)
    idle = now[3] + now[4] - before[3] - before[4]
    return round((1 - idle / total) * 100, 1) if total > 0 else 0.0


def _memory():
    try:
        with open("/proc/meminfo", encoding="ascii") as file:
            sizes = {line.split(":")[0]: int(line.split()[1]) for line in file}
        return round((1 - sizes["MemAvailable"] / sizes["MemTotal"]) * 100, 1)
    except (OSError, KeyError, ValueError, IndexError):
        return None


def _disk(folder):
    usage = shutil.disk_usage(folder)
    return round(usage.used / usage.total * 100, 1)
