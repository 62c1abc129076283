"""The bundled copies of real data, and the script that made them."""

from pathlib import Path

BUNDLED = Path(__file__).parent
