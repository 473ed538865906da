"""Serves one model of this runtime; `invocations.py` says how it is asked."""

import sys

from invocations import serve
from predictor import Predictor

if __name__ == "__main__":
    sys.exit(serve(Predictor))
