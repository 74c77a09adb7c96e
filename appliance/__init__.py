"""Local-model audit appliance: bias audits by two judges on the user's own machine."""

__version__ = "0.1.0"
