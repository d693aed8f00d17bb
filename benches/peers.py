#!/usr/bin/env python3
"""Times Open3D, libigl, small_gicp and CloudCompare beside `shadowgraph bench`, on the same data and threads, in one run.

    python3 -m venv venv && venv/bin/pip install open3d==0.20.0 libigl==2.6.3 small_gicp==1.0.1 numpy
    cargo build --release
    venv/bin/python benches/peers.py [--scale 1.0] [--runs 5]

Index builds are timed apart; every query is one call over the whole array; distances are compared with ours.
"""
import argparse
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
PROGRAM = ROOT / "target/release/shadowgraph"
THREADS = os.cpu_count()


def median_ms(work, runs):
    work()
    times = []
    for _ in range(runs):
        start = time.perf_counter()
        result = work()
        times.append((time.perf_counter() - start) * 1e3)
    return result, statistics.median(times)


def report(name, ms, extra=""):
    print(f"{name:64} {ms:10.1f} ms  {extra}", flush=True)


def load_ply_points(path):
    with open(path, "rb") as file:
        count = 0
        while True:
            line = file.readline().strip()
            if line.startswith(b"element vertex"):
                count = int(line.split()[-1])
            if line == b"end_header":
                break
        return np.frombuffer(file.read(), dtype="<f8").reshape(count, 3).copy()


def our_inspection(stl, ply, pose, folder):
    """The deviation of every point, by our own inspection at a given pose."""
    out = folder / "ours"
    command = [PROGRAM, "inspect", "--nominal", stl, "--scan", ply, "--align", "none", "--pose", pose,
               "--max-distance-mm", "1000", "--max-angle-deg", "180", "--no-pictures", "--out", out]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode not in (0, 1):  # 1: out of tolerance
        sys.exit(done.stderr)
    return np.genfromtxt(out / "deviations.csv", delimiter=",", skip_header=1)[:, 3]


def write_pose(path, matrix):
    np.savetxt(path, matrix, fmt="%.17g")
    return path


def open3d_case(stl, points, runs, ours):
    import open3d as o3d
    mesh = o3d.io.read_triangle_mesh(str(stl))
    tensor = o3d.t.geometry.TriangleMesh.from_legacy(mesh)
    def build():
        scene = o3d.t.geometry.RaycastingScene(nthreads=THREADS)
        scene.add_triangles(tensor)
        return scene
    scene, ms = median_ms(build, max(1, runs // 2))
    report("Open3D build", ms)
    query = o3d.core.Tensor(points.astype(np.float32))
    distance, ms = median_ms(lambda: scene.compute_distance(query, nthreads=THREADS).numpy(), runs)
    report("Open3D unsigned", ms, f"differs by at most {np.max(np.abs(np.abs(ours) - distance)):.2e} mm")
    _, ms = median_ms(lambda: scene.compute_signed_distance(query, nthreads=THREADS).numpy(), runs)
    report("Open3D signed", ms)
    return mesh


def igl_case(stl, points, runs, ours):
    import igl
    import open3d as o3d
    mesh = o3d.io.read_triangle_mesh(str(stl))
    mesh.merge_close_vertices(0.0)
    vertices, facets = np.asarray(mesh.vertices), np.asarray(mesh.triangles).astype(np.int64)
    result, ms = median_ms(lambda: igl.point_mesh_squared_distance(points, vertices, facets), max(1, runs // 2))
    report("libigl unsigned (build included)", ms,
           f"differs by at most {np.max(np.abs(np.abs(ours) - np.sqrt(result[0]))):.2e} mm")
    result, ms = median_ms(lambda: igl.signed_distance(points, vertices, facets,
                           sign_type=igl.SIGNED_DISTANCE_TYPE_PSEUDONORMAL), max(1, runs // 2))
    report("libigl signed (build included)", ms)


def cloudcompare_case(stl, points, folder, ours):
    """CloudCompare prints its own time of the distances, to hundredths of a second; one run."""
    text, out = folder / "scan.xyz", folder / "cloudcompare.asc"
    np.savetxt(text, points, fmt="%.9f")
    command = ["CloudCompare", "-SILENT", "-AUTO_SAVE", "OFF", "-C_EXPORT_FMT", "ASC", "-PREC", "9", "-O", text, "-O", stl,
               "-C2M_DIST", "-MAX_TCOUNT", str(THREADS), "-SAVE_CLOUDS", "FILE", out]
    try:
        start = time.perf_counter()
        done = subprocess.run(command, capture_output=True, text=True, timeout=900,
                              env={**os.environ, "QT_QPA_PLATFORM": "offscreen"})
        whole = (time.perf_counter() - start) * 1e3
    except FileNotFoundError:
        print("CloudCompare: not installed (Debian package cloudcompare)")
        return
    seconds = re.findall(r"Time[: ]+([0-9.]+) *s", done.stdout)
    if not seconds or not out.exists():
        print("CloudCompare gave no time:", done.stdout[-2000:], done.stderr[-500:])
        return
    distance = np.loadtxt(out)[:, -1]
    report("CloudCompare signed (octree included)", float(seconds[-1]) * 1e3,
           f"differs by at most {np.max(np.abs(ours - distance)):.2e} mm; {whole:.0f} ms with reading and writing")


def gicp_case(runs, folder):
    """The same files as ours; small_gicp takes points, so the target is the facets' centroids."""
    import open3d as o3d
    import small_gicp
    mesh = o3d.io.read_triangle_mesh(str(folder / "fit-nominal.stl"))
    vertices, facets = np.asarray(mesh.vertices), np.asarray(mesh.triangles)
    t, t_tree = small_gicp.preprocess_points(vertices[facets].mean(1), downsampling_resolution=1e-3, num_threads=THREADS)
    s, _ = small_gicp.preprocess_points(load_ply_points(folder / "fit-scan.ply"), downsampling_resolution=1e-3,
                                        num_threads=THREADS)

    def distance_rms(pose):
        deviations = our_inspection(folder / "fit-nominal.stl", folder / "fit-scan.ply", pose, folder)
        return np.sqrt(np.nanmean(deviations**2))

    report("Shadowgraph: RMS to the facets at its pose", float("nan"), f"{distance_rms(folder / 'fit-pose.txt'):.6f} mm")
    for kind in ("ICP", "PLANE_ICP", "GICP"):
        result, ms = median_ms(lambda: small_gicp.align(t, s, t_tree, registration_type=kind, num_threads=THREADS,
                               max_correspondence_distance=10.0, max_iterations=50), max(1, runs // 2))
        pose = write_pose(folder / "peer-pose.txt", result.T_target_source)
        report(f"small_gicp {kind}, {s.size()} on {t.size()} points", ms,
               f"{result.iterations} iterations, RMS to the facets {distance_rms(pose):.6f} mm")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--scale", type=float, default=1.0)
    parser.add_argument("--runs", type=int, default=5)
    arguments = parser.parse_args()
    if not PROGRAM.exists():
        sys.exit("Build first: cargo build --release")
    print(f"{THREADS} threads, {arguments.runs} runs, scale {arguments.scale}")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for suite in ("deviation", "register"):
            command = [PROGRAM, "bench", suite, "--json", "--runs", str(arguments.runs), "--scale", str(arguments.scale),
                       "--data", folder]
            rows = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)["rows"]
            for row in rows:
                extra = f"{row['iterations']} iterations, RMS {row['rms_mm']:.5f}" if "iterations" in row else ""
                report(f"Shadowgraph {row['case']}", row["median_ms"], extra)
        points = load_ply_points(folder / "scan.ply")
        identity = write_pose(folder / "identity.txt", np.eye(4))
        for stl in sorted(folder.glob("cone-*.stl"), key=lambda path: path.stat().st_size):
            print(f"-- {len(points)} points, {stl.name}")
            ours = our_inspection(stl, folder / "scan.ply", identity, folder)
            open3d_case(stl, points, arguments.runs, ours)
            igl_case(stl, points, arguments.runs, ours)
            cloudcompare_case(stl, points, folder, ours)
        gicp_case(arguments.runs, folder)


if __name__ == "__main__":
    main()
