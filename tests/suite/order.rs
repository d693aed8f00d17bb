//! The order in which files list points and facets changes no answer: every command that reads them, with its files shuffled.

use std::path::{Path, PathBuf};

use serde_json::Value;
use shadowgraph::base::Progress;
use shadowgraph::base::random::Random;
use shadowgraph::geometry::Cloud;
use shadowgraph::io::{self, LoadOptions, write};

use super::support::{asset, bracket_pose, errors, shadowgraph, text};

/// Of a scan of 150,000 points every so many are taken.
const STRIDE: usize = 10;
/// Estimates from points or places that are drawn agree to this share of them: which of two facets a point over their edge
/// belongs to depends on their order.
const DRAWN: f64 = 0.03;
/// Where two facets are equally near, a facet of a contact volume is moved away from either.
const CLEARED: f64 = 1e-4;
const ROUNDING: f64 = 1e-6;

/// Files with the same content, as they come and shuffled.
struct Files {
    folder: PathBuf,
}

impl Files {
    fn path(&self, name: &str, is_shuffled: bool) -> PathBuf {
        self.folder.join(if is_shuffled { "shuffled" } else { "as they come" }).join(name)
    }

    fn new(folder: &Path) -> Self {
        let files = Self { folder: folder.to_owned() };
        let load = LoadOptions::default();
        let mesh = io::load_nominal(&asset("bracket.stl"), &load, &Progress::silent()).unwrap().mesh;
        let scan = io::load_scan(&asset("bracket-scan.ply"), &load, &Progress::silent()).unwrap().cloud;
        let points: Vec<_> = scan.points.iter().step_by(STRIDE).copied().collect();
        for is_shuffled in [false, true] {
            let (mut mesh, mut points, mut random) = (mesh.clone(), points.clone(), Random::new(6, 1));
            std::fs::create_dir_all(files.path("", is_shuffled)).unwrap();
            if is_shuffled {
                random.shuffle(&mut mesh.facets);
                random.shuffle(&mut points);
            }
            write::mesh(&files.path("part.stl", is_shuffled), &mesh).unwrap();
            write::cloud(&files.path("scan.ply", is_shuffled), &Cloud::from_points(points)).unwrap();
        }
        files
    }

    /// What the program says of both.
    #[track_caller]
    fn answers(&self, arguments: impl Fn(&dyn Fn(&str) -> String) -> Vec<String>) -> [Value; 2] {
        [false, true].map(|is_shuffled| {
            let mut own = arguments(&|name| text(&self.path(name, is_shuffled)).to_owned());
            own.push("--json".to_owned());
            let told = shadowgraph(&own.iter().map(String::as_str).collect::<Vec<_>>());
            assert_eq!(told.status.code(), Some(0), "{own:?}: {}", errors(&told));
            serde_json::from_slice(&told.stdout).unwrap()
        })
    }
}

/// Whether two answers are the same, but for names of files, times, and last digits.
fn agree(one: &Value, other: &Value, place: &str) {
    match (one, other) {
        (Value::Object(one), Value::Object(other)) => {
            let ignored = [
                "timings_ms",
                "path",
                "blake3",
                "file",
                "files",
                "part",
                "remarks",
                "notes",
                "unmeasured",
                "milliseconds",
            ];
            for (key, own) in one.iter().filter(|own| !ignored.contains(&own.0.as_str()) && !own.0.ends_with("_ms")) {
                agree(own, &other[key], &format!("{place}/{key}"));
            }
        }
        (Value::Array(one), Value::Array(other)) => {
            assert_eq!(one.len(), other.len(), "{place}");
            one.iter().zip(other).enumerate().for_each(|(i, (one, other))| agree(one, other, &format!("{place}/{i}")));
        }
        (Value::Number(one), Value::Number(other)) => {
            let (one, other) = (one.as_f64().unwrap(), other.as_f64().unwrap());
            let drawn = ["uncertainty", "coverage", "detectable", "noise", "sigma", "fraction", "covariance", "gap"];
            let share = if place.starts_with("contact") { CLEARED } else { ROUNDING };
            let share = if drawn.iter().any(|own| place.contains(own)) { DRAWN } else { share };
            assert!((one - other).abs() <= share * one.abs().max(1.0), "{place}: {one} and {other}");
        }
        (Value::String(one), Value::String(other)) if one.contains(char::is_numeric) => {
            let words = |text: &str| text.replace(|own: char| own.is_numeric() || ".+-".contains(own), "");
            assert_eq!(words(one), words(other), "{place}");
        }
        _ => assert_eq!(one, other, "{place}"),
    }
}

#[test]
fn shuffled_files_change_no_answer() {
    let folder = tempfile::tempdir().unwrap();
    let files = Files::new(folder.path());
    let pose = text(&bracket_pose(folder.path())).to_owned();
    let words = |line: &str| line.split(' ').map(str::to_owned).collect::<Vec<_>>();
    let run = |name: &str, line: &str, paths: &[(&str, &str)]| {
        let [one, other] = files.answers(|path| {
            let named = paths.iter().flat_map(|(option, file)| {
                let option = (!option.is_empty()).then(|| (*option).to_owned());
                option.into_iter().chain([path(file)])
            });
            [vec![name.to_owned()], named.collect(), words(line)].concat()
        });
        agree(&one, &other, name);
    };
    let both = [("--nominal", "part.stl"), ("--scan", "scan.ply")];
    let aligned = format!("--pose {pose} --align best-fit");
    let out = text(&folder.path().join("report")).to_owned();
    run("inspect", &format!("{aligned} --no-pictures --out {out}"), &both);
    run("register", &format!("--pose {pose} --align best-fit"), &both);
    run("section", &format!("{aligned} --axis z --at-mm 1.5"), &both);
    run("offset", "--distance-mm 1 --resolution 96", &[("", "part.stl")]);
    run("contact", "--tool-radius-mm 3 --depth-mm 10 --resolution 64", &[("", "part.stl")]);
    run("thickness", "--max-mm 10 --spacing-mm 3", &[("", "part.stl")]);
}
