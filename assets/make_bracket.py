"""Draws the demo part: a stamped, ribbed sheet-metal bracket. Writes bracket.step beside this script.

Needs cadquery 2.8 (pip install cadquery==2.8.*). Lengths in mm.
"""
from pathlib import Path

import cadquery as cq

THICKNESS = 1.5

# Base plate: an unequal pentagon, so that no turn or mirror maps it onto itself.
outline = [(0, 0), (118, 0), (118, 46), (84, 78), (0, 78)]
plate = cq.Workplane("XY").polyline(outline).close().extrude(THICKNESS)
plate = plate.edges("|Z").fillet(5.0)

# Upright flange along y = 0, and a lower one along the left side, both with bent roots.
tall = cq.Workplane("XZ").moveTo(14, 0).lineTo(104, 0).lineTo(98, 31).lineTo(26, 31).close().extrude(-THICKNESS)
low = cq.Workplane("YZ").moveTo(20, 0).lineTo(70, 0).lineTo(66, 16).lineTo(24, 16).close().extrude(THICKNESS)
part = plate.union(tall).union(low)

# Two stamped ribs on the plate: half-round ridges with rounded ends, one long and slanted, one short.
def rib(length, radius, x, y, angle):
    body = cq.Workplane("YZ").circle(radius).extrude(length).translate((-length / 2, 0, 0))
    for end in (-length / 2, length / 2):
        body = body.union(cq.Workplane("XY").sphere(radius).translate((end, 0, 0)))
    keep = cq.Workplane("XY").box(length + 4 * radius, 4 * radius, 2 * radius, centered=(True, True, False))
    return body.intersect(keep).rotate((0, 0, 0), (0, 0, 1), angle).translate((x, y, THICKNESS - 1.2))

part = part.union(rib(52, 3.6, 56, 30, 12)).union(rib(24, 3.0, 34, 58, -35))

# A raised boss with a through hole, bolt holes, a slot, and holes in the tall flange.
boss = cq.Workplane("XY").center(86, 48).circle(9).extrude(THICKNESS + 4)
part = part.union(boss)
part = part.cut(cq.Workplane("XY").center(86, 48).circle(5).extrude(20))
for x, y, radius in [(11, 11, 3.25), (107, 11, 3.25), (11, 68, 2.5), (62, 66, 4.0)]:
    part = part.cut(cq.Workplane("XY").center(x, y).circle(radius).extrude(THICKNESS))
part = part.cut(cq.Workplane("XY").center(24, 36).slot2D(16, 5, 70).extrude(THICKNESS))
for x, z, radius in [(42, 18, 4.5), (74, 16, 6.0)]:
    cylinder = cq.Workplane("XZ").center(x, z).circle(radius).extrude(-THICKNESS)
    part = part.cut(cylinder)

# Bend radii where the flanges meet the plate, and the rim of the boss.
part = part.edges(cq.selectors.BoxSelector((20, 1.0, 1.2), (100, 2.0, 1.8))).fillet(1.2)
part = part.edges(cq.selectors.BoxSelector((1.0, 24, 1.2), (2.0, 66, 1.8))).fillet(1.2)

solid = part.val()
assert solid.isValid(), "the part is not a valid solid"
target = Path(__file__).with_name("bracket.step")
cq.exporters.export(part, str(target))
print(f"{target.name}: {len(part.faces().vals())} faces, {solid.Volume():.3f} mm3, {solid.Area():.1f} mm2")
