"""Writes Phosphor-Subset.ttf, the icons that src/app/icons.rs names, from the whole font.

Usage: make_icons.py PHOSPHOR_TTF (src/regular/Phosphor.ttf of the npm package @phosphor-icons/web, version 2.1.2).
Needs the Python package fonttools.
"""

import re
import sys
from pathlib import Path

from fontTools import subset

FOLDER = Path(__file__).resolve().parent
names = (FOLDER.parent.parent / "src/app/icons.rs").read_text()
letters = ",".join(sorted(set(re.findall(r'"\\u\{(\w+)\}"', names))))
target = FOLDER / "Phosphor-Subset.ttf"
subset.main([sys.argv[1], f"--unicodes={letters}", f"--output-file={target}", "--no-hinting"])
