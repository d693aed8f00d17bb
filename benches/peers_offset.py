#!/usr/bin/env python3
"""Times OpenVDB (mesh to level set, offset surface), manifold3d (Minkowski sum with a sphere) and dense grids (convolution
with a ball, distance of every voxel) beside `shadowgraph offset`, on the same part, distance, voxels and threads, in one
run. The error of every mesh is measured by libigl: distance of its vertices from the part, less the offset; of dense
grids, that of the voxels on the boundary. Trimesh says whether our mesh is watertight.

    apt-get install python3-openvdb        OpenVDB 10.0, for the system's Python
    /usr/bin/python3 -m venv --system-site-packages venv && venv/bin/pip install manifold3d==3.5.0 libigl==2.6.3 "numpy<2" \
        trimesh==5.2.0 scipy==1.17.1
    cargo build --release
    venv/bin/python benches/peers_offset.py PART.stl [--runs 5] [--resolutions 256 512 1024] [--minkowski]
"""
import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import igl
import numpy as np

ROOT = Path(__file__).resolve().parent.parent
PROGRAM = ROOT / "target/release/shadowgraph"
# The distances, in voxels, of the published comparison.
VOXELS = {256: 12, 512: 25, 1024: 50, 2048: 100}


def read_stl(path):
    data = Path(path).read_bytes()
    count = int(np.frombuffer(data, "<u4", 1, 80)[0])
    record = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")])
    corners = np.frombuffer(data, record, count, 84)["corners"].reshape(-1, 3).astype(np.float64)
    vertices, inverse = np.unique(corners, axis=0, return_inverse=True)
    return vertices, inverse.reshape(-1, 3).astype(np.int64)


def errors_mm(mesh, part, distance_mm):
    points = mesh if len(mesh) < 300_000 else mesh[np.random.default_rng(1).choice(len(mesh), 300_000, replace=False)]
    squared = igl.point_mesh_squared_distance(np.ascontiguousarray(points), *part)[0]
    error = np.sqrt(squared) - abs(distance_mm)
    return float(np.sqrt(np.mean(error**2))), float(np.max(np.abs(error)))


def report(name, seconds, error, voxel_mm, extra=""):
    rms, worst = (value / voxel_mm for value in error)
    print(f"{name:44} {seconds:8.3f} s   error {rms:.4f} voxel RMS, {worst:.4f} max   {extra}", flush=True)


def ours(path, distance_mm, resolution, runs, folder):
    out = folder / "ours.stl"
    command = [PROGRAM, "offset", path, f"--distance-mm={distance_mm!r}", f"--resolution={resolution}", "--json"]
    times, peak = [], 0
    for run in range(runs + 1):
        done = subprocess.run(command + (["--out", out] if run == 0 else []), capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(done.stderr)
        answer = json.loads(done.stdout)
        if run > 0:
            times.append(answer["timings_ms"])
    voxels = statistics.median(time["voxels"] for time in times) / 1e3
    mesh = statistics.median(time["mesh"] for time in times) / 1e3
    vertices, facets = read_stl(out)
    import trimesh

    mesh_is_watertight = trimesh.Trimesh(vertices, facets, process=False).is_watertight
    return voxels, mesh, answer, vertices, f"watertight: {mesh_is_watertight}"


def openvdb(part, distance_mm, lattice, runs):
    import pyopenvdb as vdb

    voxel = lattice["voxel_mm"]
    vertices = (part[0] - np.array(lattice["origin"])).astype(np.float32)
    triangles = part[1].astype(np.uint32)
    transform = vdb.createLinearTransform(voxelSize=voxel)
    levels, meshes = [], []
    for _ in range(runs):
        start = time.perf_counter()
        grid = vdb.FloatGrid.createLevelSetFromPolygons(
            vertices, triangles=triangles, transform=transform, halfWidth=abs(distance_mm) / voxel + 2)
        levels.append(time.perf_counter() - start)
        start = time.perf_counter()
        points = grid.convertToPolygons(isovalue=distance_mm)[0]
        meshes.append(time.perf_counter() - start)
    mesh = points.astype(np.float64) + np.array(lattice["origin"])
    return statistics.median(levels), statistics.median(meshes), grid.memUsage() / 2**20, mesh


def minkowski(part, distance_mm):
    import manifold3d

    mesh = manifold3d.Mesh(part[0].astype(np.float32), part[1].astype(np.uint32))
    solid = manifold3d.Manifold(mesh)
    start = time.perf_counter()
    if solid.is_empty():
        return f"does not take the part: {solid.status().name}"
    grown = solid.minkowski_sum(manifold3d.Manifold.sphere(distance_mm, 64))
    vertices = np.asarray(grown.to_mesh().vert_properties)[:, :3].astype(np.float64)
    return time.perf_counter() - start, vertices


def dense(part, distance_mm, lattice, resolution):
    """Seconds and errors of a convolution with a ball by FFT and of a distance transform, both over all voxels. The part's
    own voxels are not timed."""
    import pyopenvdb as vdb
    from scipy import fft, ndimage

    voxel, origin = lattice["voxel_mm"], np.array(lattice["origin"])
    transform = vdb.createLinearTransform(voxelSize=voxel)
    # The centre of voxel i is at i + 0.5.
    moved = (part[0] - origin - 0.5 * voxel).astype(np.float32)
    grid = vdb.FloatGrid.createLevelSetFromPolygons(moved, triangles=part[1].astype(np.uint32), transform=transform)
    values = np.empty([resolution] * 3, np.float32)
    grid.copyToArray(values)
    solid = values <= 0
    radius = distance_mm / voxel

    def boundary_errors(grown):
        inner = grown.copy()
        for axis in range(3):
            for step in (1, -1):
                inner &= np.roll(grown, step, axis)
        skin = np.argwhere(grown & ~inner)
        return errors_mm((skin + 0.5) * voxel + origin, part, distance_mm)

    start = time.perf_counter()
    ball = np.minimum(np.arange(resolution), resolution - np.arange(resolution)).astype(np.float32) ** 2
    ball = (ball[:, None, None] + ball[None, :, None] + ball[None, None, :] <= radius**2).astype(np.float32)
    workers = os.cpu_count()
    product = fft.rfftn(ball, workers=workers)
    product *= fft.rfftn(solid.astype(np.float32), workers=workers)
    grown = fft.irfftn(product, solid.shape, workers=workers) > 0.5
    convolution = time.perf_counter() - start
    del product, ball
    yield "dense convolution with a ball, FFT", convolution, boundary_errors(grown)
    start = time.perf_counter()
    grown = ndimage.distance_transform_edt(~solid) <= radius
    transform = time.perf_counter() - start
    yield "dense distance transform, 1 thread", transform, boundary_errors(grown)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("part")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--resolutions", type=int, nargs="+", default=[256, 512, 1024])
    parser.add_argument("--minkowski", action="store_true")
    arguments = parser.parse_args()
    part = read_stl(arguments.part)
    size = float(np.max(np.ptp(part[0], axis=0)))
    print(f"{arguments.part}: {len(part[1])} facets, {size:.1f} mm; {os.cpu_count()} threads")
    with tempfile.TemporaryDirectory() as folder:
        for resolution in arguments.resolutions:
            # A distance of so many voxels, in a domain that leaves room for it on every side.
            steps = VOXELS.get(resolution, resolution // 20)
            distance = size * steps / (resolution - 2 - 2 * steps)
            voxels, mesh, answer, vertices, notes = ours(arguments.part, distance, resolution, arguments.runs, Path(folder))
            voxel = answer["lattice"]["voxel_mm"]
            print(f"\n{resolution}³, {distance:.3f} mm = {distance / voxel:.1f} voxels")
            report("shadowgraph: voxels and mesh", voxels + mesh, errors_mm(vertices, part, distance), voxel,
                   f"({voxels:.3f} + {mesh:.3f} s; {answer['statistics']['bytes'] / 2**20:.1f} MiB, {notes})")
            level, surface, memory, vertices = openvdb(part, distance, answer["lattice"], arguments.runs)
            report("OpenVDB: level set and mesh", level + surface, errors_mm(vertices, part, distance), voxel,
                   f"({level:.3f} + {surface:.3f} s; {memory:.1f} MiB)")
            print(f"{'':44} {(level + surface) / (voxels + mesh):8.2f} times as long")
            for name, seconds, error in dense(part, distance, answer["lattice"], resolution) if resolution <= 512 else ():
                report(name, seconds, error, voxel)
            if arguments.minkowski and resolution == arguments.resolutions[0]:
                made = minkowski(part, distance)
                if isinstance(made, str):
                    print(f"manifold3d {made}")
                else:
                    seconds, vertices = made
                    report("manifold3d: Minkowski sum, 64 segments", seconds, errors_mm(vertices, part, distance), voxel)


if __name__ == "__main__":
    main()
