#!/usr/bin/env python3
"""Finds parts in piles beside `shadowgraph detect`: OpenCV's ppf_match_3d (point-pair features, then its ICP) and Open3D
(FPFH features, RANSAC, then point-to-plane ICP), on the same scans, in one run. Precision, recall of the parts at least
60 % visible, and time for a kind of part, the median of all piles.

The peers do not decide whether a part is there: they are told which parts lie in the pile and how many of each, and the
floor is taken away for them. `shadowgraph` is told neither and looks for every part. A pose is right if the surfaces are
closer on average than a tenth of the part's diameter (ADD-S).

    python3 -m venv venv && venv/bin/pip install opencv-contrib-python-headless==5.0.0.93 open3d==0.20.0 \
        trimesh==5.2.0 scipy==1.17.1 "numpy<2.3"
    cargo build --release
    target/release/shadowgraph bench detect --parts tests/data/parts --scale 0.1 --data piles
    venv/bin/python benches/peers_detect.py piles tests/data/parts
"""
import argparse
import json
import statistics
import subprocess
import sys
import time
from pathlib import Path

import cv2
import numpy as np
import open3d as o3d
import trimesh
from scipy.spatial import cKDTree

ROOT = Path(__file__).resolve().parent.parent
PROGRAM = ROOT / "target/release/shadowgraph"
MAX_ERROR = 0.1
MIN_VISIBLE = 0.6


class Part:
    """A part with samples of its surface, mm."""

    def __init__(self, path):
        mesh = trimesh.load(path, force="mesh")
        self.name = path.stem
        self.path = path
        self.diameter = float(np.linalg.norm(mesh.extents))
        points, facets = trimesh.sample.sample_surface_even(mesh, 4000, seed=1)
        self.points = np.asarray(points, np.float64)
        self.normals = np.asarray(mesh.face_normals[facets], np.float64)
        self.tree = cKDTree(self.points)

    def error(self, a, b):
        """Mean distance of the surfaces in two poses (ADD-S), as a share of the diameter."""
        moved = transformed(np.linalg.inv(b) @ a, self.points[::20])
        return float(np.mean(self.tree.query(moved)[0])) / self.diameter


def transformed(pose, points):
    return points @ pose[:3, :3].T + pose[:3, 3]


def read_pile(folder):
    cloud = o3d.io.read_point_cloud(str(folder / "scene.ply"))
    truth = json.loads((folder / "truth.json").read_text())
    for own in truth:
        own["scene_from_part"] = np.array(own["scene_from_part"])
    return cloud, truth


def without_floor(cloud, spacing):
    """The points off the widest plane, with normals that face the sensor above it."""
    plane, on_floor = cloud.segment_plane(4.0 * spacing, 3, 400)
    rest = cloud.select_by_index(on_floor, invert=True)
    rest.estimate_normals(o3d.geometry.KDTreeSearchParamHybrid(6.0 * spacing, 30))
    # The sensor looks down onto the floor.
    up = np.array(plane[:3]) * np.sign(plane[:3] @ (rest.get_center() - cloud.get_center()) or 1.0)
    rest.orient_normals_to_align_with_direction(up)
    return rest


def oriented(points, normals):
    return np.ascontiguousarray(np.hstack([points, normals]), np.float32)


def apart(part, poses, count):
    """The first `count` of the poses that are not near each other."""
    kept = []
    for pose in poses:
        if all(part.error(pose, other) > MAX_ERROR for other in kept):
            kept.append(pose)
        if len(kept) == count:
            break
    return kept


def by_opencv(part, scene, count, detectors):
    """Poses by point-pair features; the detector is trained once, before the time is taken."""
    if part.name not in detectors:
        detectors[part.name] = cv2.ppf_match_3d.PPF3DDetector(0.07, 0.05, 30)
        detectors[part.name].trainModel(oriented(part.points, part.normals))
    points = oriented(np.asarray(scene.points), np.asarray(scene.normals))
    started = time.perf_counter()
    results = detectors[part.name].match(points, 1.0 / 10.0, 0.03)
    results = results[:8]
    icp = cv2.ppf_match_3d.ICP(30, 0.005, 2.5, 4)
    _, results = icp.registerModelToScene(oriented(part.points, part.normals), points, results)
    poses = [np.array(result.pose, np.float64) for result in results]
    return apart(part, poses, count), time.perf_counter() - started


def by_open3d(part, scene, count, _):
    """Poses by features and RANSAC, one after the other; what each explains is taken away."""
    cell = part.diameter / 30.0
    model = o3d.geometry.PointCloud(o3d.utility.Vector3dVector(part.points))
    model.normals = o3d.utility.Vector3dVector(part.normals)
    started = time.perf_counter()
    registration = o3d.pipelines.registration
    features = lambda cloud: registration.compute_fpfh_feature(
        cloud, o3d.geometry.KDTreeSearchParamHybrid(5.0 * cell, 100)
    )
    model_few = model.voxel_down_sample(cell)
    of_model = features(model_few)
    left, poses = scene, []
    for _ in range(count):
        few = left.voxel_down_sample(cell)
        if len(few.points) < 50:
            break
        found = registration.registration_ransac_based_on_feature_matching(
            model_few, few, of_model, features(few), True, 1.5 * cell,
            registration.TransformationEstimationPointToPoint(False), 3,
            [registration.CorrespondenceCheckerBasedOnEdgeLength(0.9),
             registration.CorrespondenceCheckerBasedOnDistance(1.5 * cell)],
            registration.RANSACConvergenceCriteria(400_000, 0.999),
        )
        fine = registration.registration_icp(
            model, left, 0.03 * part.diameter, found.transformation,
            registration.TransformationEstimationPointToPlane(),
        )
        poses.append(np.array(fine.transformation))
        placed = cKDTree(transformed(poses[-1], part.points))
        distance = placed.query(np.asarray(left.points), distance_upper_bound=0.03 * part.diameter)[0]
        left = left.select_by_index(np.nonzero(~np.isfinite(distance))[0])
    return poses, time.perf_counter() - started


def by_ours(folder, parts, backend):
    command = [PROGRAM, "detect", folder / "scene.ply", "--json", "--backend", backend]
    for part in parts.values():
        command += ["--part", part.path]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(done.stderr)
    answer = json.loads(done.stdout)
    found = [(own["part"], np.array(own["scene_from_part"])) for own in answer["detections"]]
    return found, answer["timings_ms"]["total"] / 1e3 / len(parts)


class Tally:
    def __init__(self, name):
        self.name, self.right, self.wrong, self.found, self.visible, self.times = name, 0, 0, 0, 0, []

    def add(self, parts, truth, found, seconds):
        self.times.append(seconds)
        taken = set()
        for name, pose in found:
            is_it = lambda index: (
                index not in taken
                and truth[index]["part"] == name
                and parts[name].error(truth[index]["scene_from_part"], pose) < MAX_ERROR
            )
            index = next((index for index in range(len(truth)) if is_it(index)), None)
            if index is None:
                self.wrong += 1
                continue
            taken.add(index)
            self.right += 1
        visible = [index for index, own in enumerate(truth) if own["visible_fraction"] >= MIN_VISIBLE]
        self.visible += len(visible)
        self.found += len(taken & set(visible))

    def print(self):
        precision = self.right / max(self.right + self.wrong, 1)
        print(
            f"{self.name:28} precision {precision:.3f}   recall {self.found / max(self.visible, 1):.3f} of "
            f"{self.visible}   {statistics.median(self.times):7.3f} s a part",
            flush=True,
        )


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("piles", type=Path)
    arguments.add_argument("parts", type=Path)
    arguments.add_argument("--backend", default="auto")
    arguments = arguments.parse_args()
    parts = {path.stem: Part(path) for path in sorted(arguments.parts.glob("*.stl"))}
    peers = {"OpenCV ppf_match_3d": by_opencv, "Open3D FPFH, RANSAC, ICP": by_open3d}
    tallies = {name: Tally(name) for name in ["shadowgraph", *peers]}
    detectors = {}
    for folder in sorted(arguments.piles.glob("pile-*")):
        cloud, truth = read_pile(folder)
        found, seconds = by_ours(folder, parts, arguments.backend)
        tallies["shadowgraph"].add(parts, truth, found, seconds)
        spacing = float(np.median(cloud.compute_nearest_neighbor_distance()[:5000]))
        scene = without_floor(cloud, spacing)
        counts = {}
        for own in truth:
            counts[own["part"]] = counts.get(own["part"], 0) + 1
        for peer, find in peers.items():
            found, times = [], []
            for name, count in counts.items():
                poses, seconds = find(parts[name], scene, count, detectors)
                found += [(name, pose) for pose in poses]
                times.append(seconds)
            tallies[peer].add(parts, truth, found, statistics.median(times))
        print(f"{folder.name}: {len(truth)} parts, {len(cloud.points)} points", flush=True)
        for tally in tallies.values():
            tally.print()


if __name__ == "__main__":
    main()
