//! A drawing's tolerances: from the command line on a part whose errors are known, and by mouse in the window.

mod arcs;
mod command_line;
mod common_datums;
mod constructions;
mod filters_and_fits;
mod kept;
mod rejected;
mod window;

use std::path::{Path, PathBuf};

use shadowgraph::base::random::Random;
use shadowgraph::dispatch::{Command, Features, Select};
use shadowgraph::geometry::subset::{Combine, Subset};
use shadowgraph::geometry::{Cloud, Point};
use shadowgraph::inspect::features::{Kind, Objective};
use shadowgraph::io::write;
use shadowgraph::session::selection::Selectable;

use super::support::{shadowgraph, text};

/// A block of 60 x 40 x 20 mm with a bore of 10.02 mm that stands 0.03 mm off its place, a lid that waves by 0.02 mm,
/// and a wall that leans by 0.04 mm over its height.
fn block() -> String {
    let mut rows = "feature,x_mm,y_mm,z_mm\n".to_owned();
    let mut add = |name: &str, x: f64, y: f64, z: f64| rows.push_str(&format!("{name},{x},{y},{z}\n"));
    for i in 0..12 {
        for j in 0..8 {
            let (u, v) = (f64::from(i) * 5.0, f64::from(j) * 5.0);
            let (across, up) = (f64::from(i) * 3.5, f64::from(j) * 20.0 / 7.0);
            add("bottom", u, v, 0.0);
            add("lid", u, v, 20.0 + if (i + j) % 2 == 0 { 0.01 } else { -0.01 });
            add("side", 0.0, across, up);
            add("front", u, 0.0, up);
            add("wall", 60.0 + 0.002 * up, across, up);
        }
    }
    for i in 0..18 {
        for j in 0..8 {
            let (sin, cos) = (f64::from(i) * 20.0_f64.to_radians()).sin_cos();
            add("bore", 30.03 + 5.01 * cos, 20.0 + 5.01 * sin, f64::from(j) * 20.0 / 7.0);
        }
    }
    rows
}

const PLAN: &str = r#"{
    "datums": { "A": "bottom", "B": "side", "C": "front" },
    "nominals": {
        "bottom": { "shape": { "kind": "plane", "point": [0, 0, 0], "normal": [0, 0, 1] } },
        "side": { "shape": { "kind": "plane", "point": [0, 0, 0], "normal": [1, 0, 0] } },
        "front": { "shape": { "kind": "plane", "point": [0, 0, 0], "normal": [0, 1, 0] } },
        "bore": { "shape": { "kind": "cylinder", "point": [30, 20, 0], "axis": [0, 0, 1], "radius": 5 } }
    },
    "tolerances": [
        { "feature": "bore", "characteristic": "size", "lower_mm": 9.95, "upper_mm": 10.05 },
        { "feature": "lid", "characteristic": "flatness", "limit_mm": 0.03 },
        { "feature": "wall", "characteristic": "perpendicularity", "limit_mm": 0.05, "datums": ["A"] },
        { "name": "Place of the bore", "feature": "bore", "characteristic": "position", "limit_mm": 0.05,
          "datums": ["A", "B", "C"] }
    ]
}"#;

struct Files {
    folder: tempfile::TempDir,
    features: PathBuf,
    plan: PathBuf,
}

fn files() -> Files {
    let folder = tempfile::tempdir().unwrap();
    let (features, plan) = (folder.path().join("touched.csv"), folder.path().join("plan.json"));
    std::fs::write(&features, block()).unwrap();
    std::fs::write(&plan, PLAN).unwrap();
    Files { folder, features, plan }
}

/// Judges with `more` arguments beside the two files.
fn judge(features: &Path, plan: &Path, more: &[&str]) -> std::process::Output {
    let mut arguments = vec!["tolerances", "--features", text(features), "--plan", text(plan)];
    arguments.extend(more);
    shadowgraph(&arguments)
}

const KINDS: [&str; 4] = ["--fit", "wall=plane", "--fit", "lid=plane"];

fn kinds_and<'a>(more: &[&'a str]) -> Vec<&'a str> {
    [&KINDS[..], more].concat()
}

const COLUMNS: u32 = 40;
const PATCH: u32 = COLUMNS * COLUMNS;

/// Three noisy faces of a corner, one after the other: z = 0, x = 0 leaning by 0.08 mm over 20 mm, and y = 0.
fn corner(folder: &Path) -> PathBuf {
    let mut random = Random::new(7, 7);
    let mut points = Vec::new();
    for face in 0..3 {
        for number in 0..PATCH {
            let (u, v) = (f64::from(number % COLUMNS) * 20.0 / 39.0, f64::from(number / COLUMNS) * 20.0 / 39.0);
            let off = 0.0005 * random.normal();
            points.push(match face {
                0 => Point::new(u, v, off),
                1 => Point::new(0.004 * v + off, u, v),
                _ => Point::new(u, off, v),
            });
        }
    }
    let path = folder.join("corner.ply");
    write::cloud(&path, &Cloud::from_points(points)).unwrap();
    path
}

fn face(number: u32) -> Command {
    Command::Select(Select::Numbers(
        Selectable::Points,
        Subset::new((number * PATCH..(number + 1) * PATCH).collect()),
        Combine::Replace,
    ))
}

fn plane() -> Command {
    Command::Features(Features::Fit {
        kind: Kind::Plane,
        objective: Objective::Gaussian,
        robust: false,
        clip_sigmas: None,
    })
}
