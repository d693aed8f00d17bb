#!/usr/bin/env python3
"""Pictures of the published series of offsets, of any part: dilations and erosions by 10, 20 and 40 voxels, a section
through a dilation, and a dilation by 64 voxels in 32, 16, 8, 4, 2 passes and one. Writes an `index.html` beside them.

    cargo build --release
    benches/offset_gallery.py PART [--resolution 1024] [--out gallery]
"""
import argparse
import html
import json
import subprocess
import sys
from pathlib import Path

PROGRAM = Path(__file__).resolve().parent.parent / "target/release/shadowgraph"
STEPS = [10, 20, 40]
PASSES = [(32, 2), (16, 4), (8, 8), (4, 16), (2, 32), (1, 64)]


def offset(part, out, distance_mm, resolution, *more):
    command = [PROGRAM, "offset", part, f"--distance-mm={distance_mm!r}", f"--resolution={resolution}", "--json",
               "--picture", out, *more]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(done.stderr)
    return json.loads(done.stdout)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("part")
    parser.add_argument("--resolution", type=int, default=1024)
    parser.add_argument("--out", type=Path, default=Path("gallery"))
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    part, resolution = arguments.part, arguments.resolution
    # A voxel of the part in a domain that leaves room for the largest dilation.
    lattice = offset(part, arguments.out / "part.png", 0.0, resolution)["lattice"]
    voxel = lattice["voxel_mm"] * resolution / (resolution - 2 * 64 - 2)
    shown = [("part.png", "The part")]

    def show(name, caption, distance_mm, *more):
        made = offset(part, arguments.out / name, distance_mm, resolution, *more)
        error = made.get("voxel_error")
        seconds = made["timings_ms"]["voxels"] / 1e3
        caption += f", {seconds:.2f} s" + (f", mean error {error['mean_absolute']:.2f} voxels" if error else "")
        shown.append((name, caption))
        print(caption, flush=True)

    for steps in STEPS:
        show(f"dilation-{steps}.png", f"Dilated by {steps} voxels", steps * voxel)
    for steps in STEPS:
        show(f"erosion-{steps}.png", f"Eroded by {steps} voxels", -steps * voxel)
    show("section.png", "Section through a dilation by 40 voxels", 40 * voxel, "--section", "z:0.5")
    for passes, radius in PASSES:
        show(f"passes-{passes}x{radius}.png", f"Dilated by {passes} x {radius} voxels with rings", 64 * voxel,
             "--method", "ring", "--passes", str(passes))
    figures = "\n".join(f'<figure><img src="{name}" width="480"><figcaption>{html.escape(caption)}</figcaption></figure>'
                        for name, caption in shown)
    style = "body{font-family:sans-serif;display:flex;flex-wrap:wrap}figure{margin:8px}"
    (arguments.out / "index.html").write_text(
        f"<!doctype html><title>Offsets of {html.escape(part)}</title><style>{style}</style>\n{figures}\n")


if __name__ == "__main__":
    main()
