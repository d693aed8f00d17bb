//! Tolerances judged by the command line, and what it cannot judge.

use std::path::{Path, PathBuf};

use nalgebra::UnitQuaternion;
use serde_json::Value;
use shadowgraph::geometry::{Mesh, Point, mesh::shapes};
use shadowgraph::io::write;

use super::super::support::{errors, text};
use super::{Files, KINDS, PLAN, files, judge, kinds_and};

#[test]
fn known_errors_of_a_block_are_judged_by_the_command_line() {
    let Files { folder, features, plan } = files();
    let output = judge(&features, &plan, &kinds_and(&["--json"]));
    assert_eq!(output.status.code(), Some(0), "{}", errors(&output));
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(answer["schema"], "shadowgraph.tolerances/1");
    let rows = answer["tolerances"].as_array().unwrap();
    let expected = [(10.02, "in"), (0.02, "in"), (0.04, "in"), (0.06, "out")];
    assert_eq!(rows.len(), expected.len());
    for (row, (measured, verdict)) in rows.iter().zip(expected) {
        let own = row["judged"]["measured_mm"].as_f64().unwrap_or_else(|| panic!("{row:#}"));
        assert!((own - measured).abs() < 1e-7, "{own} {row:#}");
        assert_eq!(row["judged"]["verdict"], verdict, "{row:#}");
        assert!(row["judged"]["how"].as_str().unwrap().contains("ISO 1"), "{row:#}");
        assert!(row["judged"]["reading"].as_str().unwrap().contains("our reading of ISO"), "{row:#}");
    }
    // The size and the place follow from fits, whose uncertainty is known.
    assert_eq!(rows[0]["words"], "conforms");
    assert_eq!(rows[3]["words"], "does not conform");
    assert_eq!(answer["features"].as_array().unwrap().len(), 6);

    let table = judge(&features, &plan, &KINDS);
    let table = String::from_utf8_lossy(&table.stdout).into_owned();
    assert!(table.contains("Tolerance “Place of the bore”") && table.contains("0.0600"), "{table}");
    assert!(table.contains("9.9500 to 10.0500 mm") && table.contains("Flatness of “lid”"), "{table}");
    // Which reading of the standards each is judged by stands below the table.
    let reading = "Size of “bore”: Size of the least-squares feature (our reading of ISO 14405-1, GG).";
    assert!(table.contains(reading), "{table}");

    let strict = judge(&features, &plan, &kinds_and(&["--fail-on-out-of-tolerance"]));
    assert_eq!(strict.status.code(), Some(4), "{}", errors(&strict));
    let wide = folder.path().join("wide.json");
    std::fs::write(&wide, PLAN.replace(r#""position", "limit_mm": 0.05"#, r#""position", "limit_mm": 0.07"#)).unwrap();
    let passed = judge(&features, &wide, &kinds_and(&["--fail-on-out-of-tolerance"]));
    assert_eq!(passed.status.code(), Some(0), "{}", errors(&passed));
}

/// The drawing of the block as a mesh: its faces, and the wall of its bore.
fn drawn_block(folder: &Path) -> PathBuf {
    let mut mesh = shapes::cuboid(Point::origin(), Point::new(60.0, 40.0, 20.0));
    let mut wall = Mesh::default();
    for i in 0..36 {
        let corner = |i: i32, z: f64| {
            let (sin, cos) = (f64::from(i) * 10.0_f64.to_radians()).sin_cos();
            Point::new(30.0 + 5.0 * cos, 20.0 + 5.0 * sin, z)
        };
        let first = wall.vertices.len() as u32;
        wall.vertices.extend([corner(i, 0.0), corner(i, 20.0), corner(i + 1, 20.0), corner(i + 1, 0.0)]);
        wall.facets.extend([[first, first + 1, first + 2], [first, first + 2, first + 3]]);
    }
    mesh.append(&wall);
    let path = folder.join("block.stl");
    write::mesh(&path, &mesh).unwrap();
    path
}

/// What the features should be, told by faces of the drawing instead of by numbers.
#[test]
fn faces_of_the_nominal_tell_true_places() {
    let Files { folder, features, .. } = files();
    let (plan, drawn) = (folder.path().join("bare.json"), drawn_block(folder.path()));
    let mut bare: Value = serde_json::from_str(PLAN).unwrap();
    bare.as_object_mut().unwrap().remove("nominals");
    std::fs::write(&plan, bare.to_string()).unwrap();
    let kinds = ["bottom=plane", "side=plane", "front=plane", "bore=cylinder"].map(|kind| ["--fit", kind]).concat();
    let kinds = kinds_and(&kinds);
    let missing = judge(&features, &plan, &kinds);
    assert!(missing.status.code() == Some(3) && errors(&missing).contains("it has no nominal"));
    let faces =
        ["bottom=30,5,0", "side=0,20,10", "front=30,0,10", "bore=35,20,10"].map(|face| ["--face", face]).concat();
    let told = [&kinds[..], &["--nominal", text(&drawn), "--json"], &faces].concat();
    let output = judge(&features, &plan, &told);
    assert_eq!(output.status.code(), Some(0), "{}", errors(&output));
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
    let off = answer["tolerances"][3]["judged"]["measured_mm"].as_f64().unwrap();
    assert!((off - 0.06).abs() < 1e-5, "{answer:#}");
    // The face of another kind, an unknown feature, and a face without a nominal are sentences.
    let wrong = [&kinds[..], &["--nominal", text(&drawn), "--face", "bore=30,5,0"]].concat();
    let wrong = judge(&features, &plan, &wrong);
    assert!(wrong.status.code() == Some(3) && errors(&wrong).contains("“bore”"), "{}", errors(&wrong));
    let strange = [&kinds[..], &["--nominal", text(&drawn), "--face", "lug=30,5,0"]].concat();
    assert!(errors(&judge(&features, &plan, &strange)).contains("no feature “lug”"));
    assert_eq!(judge(&features, &plan, &["--face", "bore=30,5,0"]).status.code(), Some(2));
}

/// Points turned against the frame of the nominals: the place is that of the part as it lies in its datums, or it is refused.
#[test]
fn points_turned_against_the_nominals_have_their_place_or_none() {
    let Files { folder, features, plan } = files();
    let text = std::fs::read_to_string(&features).unwrap();
    let (mut refused, mut judged) = (0, 0);
    let quarter = std::f64::consts::FRAC_PI_2;
    for turn in 0..16 {
        let (about_z, about_x) = (f64::from(turn % 4) * quarter + 0.02, f64::from(turn / 4) * quarter - 0.03);
        let rotation = UnitQuaternion::from_euler_angles(about_x, 0.0, about_z);
        let turned = text.lines().map(|line| match line.split(',').collect::<Vec<_>>().as_slice() {
            [name, x, y, z] if x.parse::<f64>().is_ok() => {
                let [x, y, z] = [x, y, z].map(|own| own.trim().parse::<f64>().unwrap());
                let point = rotation * Point::new(x, y, z);
                format!("{name},{},{},{}\n", point.x, point.y, point.z)
            }
            _ => format!("{line}\n"),
        });
        let path = folder.path().join("turned.csv");
        std::fs::write(&path, turned.collect::<String>()).unwrap();
        let output = judge(&path, &plan, &kinds_and(&["--json"]));
        let answer: Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
        match answer["tolerances"][3]["judged"]["measured_mm"].as_f64() {
            Some(off) => {
                judged += 1;
                assert!((off - 0.06).abs() < 1e-5, "turn {turn}: {off}");
            }
            None => {
                refused += 1;
                let said = format!("{answer}{}", errors(&output));
                assert!(said.contains("turned against the nominals"), "turn {turn}: {said}");
            }
        }
    }
    assert!(judged > 0 && refused > 0, "{judged} judged, {refused} refused");
}

#[test]
fn unusable_features_and_plans_are_sentences() {
    let Files { folder, features, plan } = files();
    let file = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        path
    };
    let says = |output: &std::process::Output, code: i32, words: &str| {
        assert!(errors(output).contains(words), "{}", errors(output));
        assert_eq!(output.status.code(), Some(code), "{}", errors(output));
    };
    says(&judge(&features, Path::new("no-such.json"), &KINDS), 3, "no-such.json");
    says(&judge(Path::new("no-such.csv"), &plan, &KINDS), 3, "no-such.csv");
    says(&judge(&features, &file("broken.json", "{ \"tolerances\": ["), &KINDS), 3, "The tolerances cannot be read");
    says(&judge(&features, &plan, &["--fit", "lid=plane"]), 2, "The kind of feature “wall” is not known");
    says(&judge(&features, &plan, &["--fit", "rib=plane"]), 2, "--fit names “rib”");
    assert_eq!(judge(&features, &plan, &["--fit", "wall=blob"]).status.code(), Some(2));
    assert_eq!(judge(&features, &plan, &["--fit", "wall"]).status.code(), Some(2));
    let bad = file("bad.csv", "bottom,1,2,3\nbottom,1,two,3\n");
    says(&judge(&bad, &plan, &[]), 3, "line 2");
    let few = file("few.csv", "bore,1,0,0\nbore,0,1,0\nbore,-1,0,0\n");
    says(&judge(&few, &plan, &[]), 3, "“bore”: A cylinder needs at least 5 points");
    let empty = file("empty.json", r#"{ "tolerances": [] }"#);
    says(&judge(&features, &empty, &KINDS), 2, "Add a tolerance first");
    // What cannot be judged does not keep the others from it.
    let missing = PLAN.replace(r#""feature": "lid", "characteristic""#, r#""feature": "rib", "characteristic""#);
    let output = judge(&features, &file("missing.json", &missing), &KINDS);
    says(&output, 3, "There is no feature “rib”");
    let table = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(table.contains("not judged") && table.contains("10.0200"), "{table}");
}
