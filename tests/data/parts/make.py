"""Makes the parts beside this file: pip install cadquery==2.8; python make.py

Machined, turned and bent parts of about 100 mm. Some are symmetric, some all but symmetric: a key, a notch or a mark
tells their poses apart.
"""

from math import cos, pi, sin
from pathlib import Path

import cadquery as cq

W = cq.Workplane


def bracket():
    part = W("XY").box(80, 50, 8, centered=(False, False, False)).union(
        W("XY").box(8, 50, 60, centered=(False, False, False)))
    part = part.union(W("XZ", origin=(8, 21, 8)).polyline([(0, 0), (35, 0), (0, 35)]).close().extrude(-8))
    part = part.cut(W("XY").pushPoints([(60, 12), (60, 38)]).circle(5).extrude(8))
    return part.cut(W("YZ").pushPoints([(14, 44)]).circle(7).extrude(8)).edges("|Y and >X").fillet(2)


def flange(keyed=False):
    part = W("XY").circle(50).extrude(10).union(W("XY").circle(24).extrude(35)).cut(W("XY").circle(15).extrude(35))
    part = part.cut(W("XY").polarArray(38, 0, 360, 6).circle(4.5).extrude(10))
    if keyed:
        part = part.cut(W("XY").center(15, 0).rect(8, 6).extrude(35))
    return part


def fan(blades=7, notch=True):
    part = W("XY").circle(16).extrude(20)
    for k in range(blades):
        blade = W("XZ").center(30, 10).rect(44, 2.5).extrude(14, both=True)
        blade = blade.rotate((0, 0, 10), (1, 0, 10), 35).rotate((0, 0, 0), (0, 0, 1), 360 * k / blades)
        part = part.union(blade)
    part = part.cut(W("XY").circle(6).extrude(20))
    return part.cut(W("XY").center(6, 0).rect(5, 3).extrude(20)) if notch else part


def gear(teeth=24):
    points = []
    for k in range(teeth):
        for at, r in ((0.0, 40), (0.3, 40), (0.42, 46), (0.6, 46), (0.72, 40)):
            a = 2 * pi * (k + at) / teeth
            points.append((r * cos(a), r * sin(a)))
    part = W("XY").polyline(points).close().extrude(14).cut(W("XY").circle(12).extrude(14))
    return part.cut(W("XY").center(12, 0).rect(6, 5).extrude(14))


def plate_holes():
    part = W("XY").box(100, 70, 6, centered=(False, False, False))
    for x, y, r in ((15, 15, 5), (80, 20, 8), (50, 40, 12), (20, 55, 4), (88, 58, 3)):
        part = part.cut(W("XY").center(x, y).circle(r).extrude(6))
    return part


def plate_grid():
    part = W("XY").box(100, 80, 8, centered=(False, False, False))
    part = part.cut(W("XY").center(50, 40).rarray(20, 20, 5, 4).circle(4).extrude(8))
    return part.cut(W("XY").polyline([(0, 0), (8, 0), (0, 8)]).close().extrude(8))


def housing():
    part = W("XY").box(90, 60, 40, centered=(True, True, False)).edges("|Z").fillet(8).faces(">Z").shell(-4)
    bosses = W("XY").workplane(offset=4).pushPoints([(-32, -18), (-32, 18), (32, -18), (30, 14)]).circle(5).extrude(24)
    part = part.union(bosses)
    return part.cut(W("YZ", origin=(-50, 0, 22)).circle(9).extrude(20))


def elbow():
    path = W("XZ").moveTo(0, 0).lineTo(0, 30).radiusArc((30, 60), 30).lineTo(60, 60)
    part = W("XY").circle(14).sweep(path).union(W("XY").circle(26).extrude(6))
    part = part.union(W("YZ", origin=(60, 0, 60)).rect(46, 46).extrude(6))
    part = part.cut(W("XY").circle(10).sweep(path)).cut(W("YZ", origin=(60, 0, 60)).circle(10).extrude(6))
    return part.cut(W("XY").polarArray(20, 0, 360, 3).circle(3).extrude(6))


def slotted_block():
    part = W("XY").box(90, 50, 40, centered=(False, False, False))
    part = part.cut(W("YZ").polyline([(17, 40), (33, 40), (33, 26), (40, 26), (40, 16), (10, 16), (10, 26), (17, 26)]).close().extrude(90))
    return part.cut(W("XZ", origin=(70, 0, 8)).circle(4).extrude(-50)).faces("<X").edges(">Z").chamfer(3)


def shaft():
    part = W("XY").circle(10).extrude(30).union(W("XY").workplane(offset=30).circle(16).extrude(40))
    part = part.union(W("XY").workplane(offset=70).circle(12).extrude(30)).faces(">Z").chamfer(2)
    return part.cut(W("XZ", origin=(0, 17, 84)).rect(6, 20).extrude(9))


def cross():
    part = W("XY").rect(100, 24).extrude(12).union(W("XY").rect(24, 100).extrude(12))
    part = part.cut(W("XY").polarArray(40, 0, 360, 4).circle(6).extrude(12)).edges("|Z").fillet(3)
    return part.cut(W("XY").workplane(offset=10).center(30, 8).circle(2).extrude(2))


def wedge():
    part = W("XZ").polyline([(0, 0), (90, 0), (90, 15), (0, 45)]).close().extrude(-50)
    part = part.cut(W("XY").workplane(offset=12).center(30, 25).rect(36, 26).extrude(60))
    return part.cut(W("XY").center(75, 12).circle(4).extrude(40))


def nut():
    part = W("XY").polygon(6, 90).extrude(30).cut(W("XY").circle(22).extrude(30))
    return part.intersect(W("XY").circle(43.5).extrude(30)).faces(">Z or <Z").edges("%CIRCLE").chamfer(1.5)


def manifold():
    part = W("XY").box(100, 60, 40, centered=(True, True, False))
    part = part.cut(W("XY").workplane(offset=15).pushPoints([(-30, 0), (0, 0), (35, 10)]).circle(8).extrude(40))
    part = part.cut(W("YZ", origin=(-50, 0, 20)).circle(6).extrude(60))
    part = part.cut(W("XZ", origin=(20, -30, 15)).circle(5).extrude(-40))
    return part.union(W("XY").workplane(offset=40).center(-30, 0).circle(14).circle(8).extrude(8))


def clamp():
    part = W("XZ").moveTo(-40, 0).lineTo(-40, 40).threePointArc((0, 80), (40, 40)).lineTo(40, 0).lineTo(26, 0)
    part = part.lineTo(26, 40).threePointArc((0, 66), (-26, 40)).lineTo(-26, 0).close().extrude(-30)
    part = part.cut(W("YZ", origin=(-40, 15, 12)).circle(5).extrude(80))
    return part.union(W("XY").center(0, 15).workplane(offset=76).rect(20, 16).extrude(14))


def bent_sheet():
    line = [(0, 0), (60, 0), (60, 2), (2, 2), (2, 40), (-30, 40), (-30, 38), (0, 38)]
    part = W("XZ").polyline(line).close().extrude(-80)
    part = part.cut(W("XY").pushPoints([(20, 20), (45, 60)]).circle(6).extrude(4))
    part = part.cut(W("YZ", origin=(-5, 0, 0)).center(30, 20).slot2D(24, 8).extrude(10))
    return part.cut(W("XY").workplane(offset=36).center(-15, 62).rect(10, 16).extrude(8))


def dome():
    shell = W("XZ").moveTo(0, 45).threePointArc((32, 32), (45, 0)).lineTo(41, 0).threePointArc((29, 29), (0, 41)).close()
    part = shell.revolve(360, (0, 0, 0), (0, 1, 0))
    for angle in (0, 120, 230):
        lug = W("XY").center(50, 0).rect(18, 16).extrude(5).cut(W("XY").center(53, 0).circle(3).extrude(5))
        part = part.union(lug.rotate((0, 0, 0), (0, 0, 1), angle))
    return part


def impeller():
    part = W("XY").circle(48).extrude(4).union(W("XY").circle(12).extrude(26))
    for k in range(5):
        vane = W("XY").workplane(offset=4).moveTo(11, 0).threePointArc((28, 10), (46, 6)).lineTo(46, 9)
        vane = vane.threePointArc((28, 13), (11, 3)).close().extrude(16)
        part = part.union(vane.rotate((0, 0, 0), (0, 0, 1), 72 * k))
    return part.cut(W("XY").circle(5).extrude(26))


def pillow_block():
    part = W("XZ").moveTo(-50, 0).lineTo(50, 0).lineTo(50, 10).lineTo(26, 14).threePointArc((0, 58), (-26, 14))
    part = part.lineTo(-50, 10).close().extrude(-34)
    part = part.cut(W("XZ").center(0, 32).circle(16).extrude(-34))
    return part.cut(W("XY").pushPoints([(-40, 17), (38, 17)]).circle(4.5).extrude(16))


def ribbed_plate():
    part = W("XY").box(100, 60, 5, centered=(False, False, False))
    for x in (10, 30, 50, 70, 90):
        part = part.union(W("XY").box(3, 60, 15, centered=(True, False, False)).translate((x, 0, 0)))
    return part.cut(W("XY").center(60, 30).circle(5).extrude(5))


PARTS = {
    "bracket": bracket(), "flange": flange(), "flange-keyed": flange(True), "fan": fan(), "gear": gear(),
    "plate-holes": plate_holes(), "plate-grid": plate_grid(), "housing": housing(), "elbow": elbow(),
    "slotted-block": slotted_block(), "shaft": shaft(), "cross": cross(), "wedge": wedge(), "nut": nut(),
    "manifold": manifold(), "clamp": clamp(), "bent-sheet": bent_sheet(), "dome": dome(), "impeller": impeller(),
    "pillow-block": pillow_block(), "ribbed-plate": ribbed_plate(),
}

if __name__ == "__main__":
    for name, part in PARTS.items():
        solid = part.val()
        path = Path(__file__).parent / f"{name}.stl"
        cq.exporters.export(part, str(path), tolerance=0.05, angularTolerance=0.25)
        print(f"{name:14} {solid.isValid()} {part.solids().size()} {path.stat().st_size} bytes")
