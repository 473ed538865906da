"""To be imported before anything of the package: what it reads from its environment when it is loaded. It looks for no network,
installs nothing, sends no statistics, and keeps its settings file in the directory of the workload."""

import os
import tempfile

from PIL import Image

OPEN = Image.open

os.environ["YOLO_OFFLINE"] = "true"
os.environ["YOLO_AUTOINSTALL"] = "false"
os.environ["YOLO_VERBOSE"] = "false"
os.environ["YOLO_CONFIG_DIR"] = os.path.join(tempfile.gettempdir(), "ultralytics")
os.environ["MPLCONFIGDIR"] = os.path.join(tempfile.gettempdir(), "matplotlib")
# Without it the package sets it to 1.
os.environ.setdefault("OMP_NUM_THREADS", str(os.cpu_count() or 1))
os.makedirs(os.environ["YOLO_CONFIG_DIR"], exist_ok=True)


def restore():
    """To be called once the package is loaded: it replaces Pillow's `open` by one that installs what an unreadable file may need."""
    Image.open = OPEN
