"""Frozen types that pass between the stages. No I/O, no imports from other layers but errors."""
