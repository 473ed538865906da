"""Reference agent for edge devices of VisionOps: registers, reports, takes commands, installs models, predicts, uploads."""

__version__ = "0.2.0"
