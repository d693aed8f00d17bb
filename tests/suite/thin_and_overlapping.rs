//! Small parts with thin walls, gaps and shells that overlap or touch, by the command line: the right value, or a sentence.

use shadowgraph::geometry::{Mesh, Point, Vector, mesh::shapes};
use shadowgraph::io::write;

use super::support::{case, errors, shadowgraph, text};

/// What the program says to these arguments, exit code 0.
#[track_caller]
fn said(arguments: &[&str]) -> String {
    let told = shadowgraph(arguments);
    assert_eq!(told.status.code(), Some(0), "{}", errors(&told));
    String::from_utf8(told.stdout).unwrap()
}

#[track_caller]
fn answer(arguments: &[&str]) -> serde_json::Value {
    serde_json::from_str(&said(&[arguments, &["--json"]].concat())).unwrap()
}

/// A fin of 0.08 mm on a block: 36,079.6 mm³, or told that it is lost and what it needs.
#[test]
fn a_fin_thinner_than_a_voxel_is_not_lost_without_a_word() {
    let path = case("offset/fin.stl");
    let made = answer(&["offset", text(&path), "--distance-mm", "0", "--resolution", "256"]);
    let (volume, lost) = (made["mesh"]["volume_mm3"].as_f64().unwrap(), &made["mesh"]["completeness"]["losses"][0]);
    let is_right = (volume / 36_079.6 - 1.0).abs() < 1e-4;
    assert!(
        is_right || (lost["detail"] == "wall" && (lost["thickness_mm"].as_f64().unwrap() - 0.08).abs() < 1e-6),
        "{made:#}"
    );
    let words = said(&["offset", text(&path), "--distance-mm", "0", "--resolution", "256"]);
    assert!(
        is_right
            || (words.contains("Walls from 0.0800 mm thickness on are lost") && words.contains("voxels per axis.")),
        "{words}"
    );
    // With as many voxels as it asks for, it is there.
    let resolved =
        answer(&["offset", text(&path), "--distance-mm", "0", "--resolution", "64", "--resolve-walls", "--estimate"]);
    let needed = resolved["parameters"]["resolution"].as_u64().unwrap();
    assert!((1500..2000).contains(&needed), "{resolved:#}");
}

/// A plate of 0.1 mm: 49.84 mm³ are left of it, or told.
#[test]
fn of_a_plate_something_is_left_and_it_is_said() {
    let words = said(&["offset", text(&case("offset/plate_thin.stl")), "--distance-mm=-0.04", "--resolution", "2048"]);
    assert!(!words.contains("Nothing is left"), "{words}");
    assert!(words.contains("Walls from 0.0200 mm thickness on are lost") && words.contains("about 49."), "{words}");
    let gone = said(&["offset", text(&case("offset/plate_thin.stl")), "--distance-mm=-0.06", "--resolution", "256"]);
    assert!(gone.contains("Nothing is left") && gone.contains("lies 0.0500 mm inside"), "{gone}");
}

#[test]
fn overlapping_cubes_are_eroded_as_one_part() {
    let made = answer(&["offset", text(&case("offset/overlap.stl")), "--distance-mm=-1", "--resolution", "128"]);
    let volume = made["mesh"]["volume_mm3"].as_f64().unwrap();
    assert!((934.0..944.0).contains(&volume), "{volume}");
}

#[test]
fn a_wedge_is_as_thick_as_it_is_and_a_plate_everywhere() {
    let wedge = case("offset/wedge-2-to-6.stl");
    let of_wedge =
        ["thickness", text(&wedge), "--max-mm", "14", "--min-mm", "0.5", "--by", "normal", "--spacing-mm", "1"];
    let found = answer(&of_wedge);
    let [min, max] = ["min_mm", "max_mm"].map(|own| found["statistics"][own].as_f64().unwrap());
    assert!((2.0..2.1).contains(&min) && (5.9..6.02).contains(&max), "{min} to {max}");
    assert_eq!(found["verdict"], "pass");
    let plate = case("offset/th_plate.ply");
    let found = answer(&["thickness", text(&plate), "--max-mm", "8", "--max-thickness-mm", "4"]);
    let [min, max] = ["min_mm", "max_mm"].map(|own| found["statistics"][own].as_f64().unwrap());
    assert!((min - 1.0).abs() < 1e-6 && (max - 1.0).abs() < 1e-6, "{min} to {max}");
    assert_eq!(found["verdict"], "pass");
}

/// The second sheet is 0.385 mm higher and turned by 0.23°: 3.8047 mm are between both.
#[test]
fn a_gap_between_sheets_of_other_heights_is_that_of_their_ends() {
    let [nominal, scan, pose] = ["gap-nominal.stl", "gap-wrong.ply.gz", "id.txt"].map(|own| case("verdicts").join(own));
    let found = answer(&[
        "section",
        "--nominal",
        text(&nominal),
        "--scan",
        text(&scan),
        "--align",
        "none",
        "--pose",
        text(&pose),
        "--axis",
        "y",
        "--at-mm",
        "20",
        "--half-width-mm",
        "0.6",
        "--tolerance-mm",
        "2",
        "--dimension",
        "gap=45,3;60,3",
    ]);
    let gap = &found["dimensions"][0];
    let [value, uncertainty] =
        ["measured", "uncertainty"].map(|own| gap[own]["Ok"].as_f64().or(gap[own].as_f64()).unwrap());
    assert!((value - 3.8047).abs() <= uncertainty && uncertainty < 0.02, "{value} ± {uncertainty}");
}

/// Half of a contour was measured, evenly good: incomplete, and how much and where it is not stands beside.
#[test]
fn a_section_of_which_too_little_was_seen_is_incomplete() {
    let folder = tempfile::tempdir().unwrap();
    let [nominal, scan] = ["block.stl", "scan.xyz"].map(|own| folder.path().join(own));
    write::mesh(&nominal, &shapes::cuboid(Point::origin(), Point::new(40.0, 30.0, 20.0))).unwrap();
    // Seen from above and from two sides.
    let mut lines = String::new();
    for i in 0..200 {
        for j in 0..20 {
            let (s, y) = (0.1 + 0.2 * f64::from(i), 14.05 + 0.1 * f64::from(j));
            lines += &format!("{s} {y} 20\n");
            if s < 20.0 {
                lines += &format!("0 {y} {s}\n40 {y} {s}\n");
            }
        }
    }
    std::fs::write(&scan, lines).unwrap();
    let options = [
        "section",
        "--nominal",
        text(&nominal),
        "--scan",
        text(&scan),
        "--align",
        "none",
        "--axis",
        "y",
        "--at-mm",
        "15",
    ];
    let words = said(&options);
    assert!(words.starts_with("INCOMPLETE on 66 % of the contour."), "{words}");
    assert!(words.contains("Only 66 % of the contour was measured; 80 % are required."), "{words}");
    assert!(
        words.contains("The longest piece of it that was not measured is 40.") && words.contains("near (20."),
        "{words}"
    );
    assert_eq!(shadowgraph(&[&options[..], &["--fail-on-out-of-tolerance"]].concat()).status.code(), Some(6));
    assert!(said(&[&options[..], &["--min-coverage", "60"]].concat()).starts_with("PASS on 66 % of the contour."));
}

#[test]
fn shells_that_touch_or_overlap_are_told_and_signs_are_right_or_open() {
    let touching = said(&["info", text(&case("verdicts/shell-two-boxes-touching-face-to-face.stl"))]);
    assert!(touching.contains("Bodies touch each other face to face, on about 1200.00 mm²"), "{touching}");
    let folder = tempfile::tempdir().unwrap();
    let nominal = case("verdicts/shell-overlapping-one-inverted.stl");
    assert!(said(&["info", text(&nominal)]).contains("2 closed shells overlap"));
    // Points 5 to 30 mm from the overlap, x from 30 to 40 mm.
    let scan = folder.path().join("points.xyz");
    let (mut lines, mut truth) = (String::new(), Vec::new());
    let mut random = shadowgraph::base::random::Random::new(1, 0);
    while truth.len() < 2000 {
        let at = [random.range(-5.0, 75.0), random.range(-10.0, 40.0), random.range(-10.0, 30.0)];
        let beside = [(at[0] - 35.0_f64).abs() - 5.0, (at[1] - 15.0_f64).abs() - 10.0, (at[2] - 10.0_f64).abs() - 5.0];
        let away = Vector::from(beside.map(|own| own.max(0.0))).norm();
        if (5.0..30.0).contains(&away) {
            let is_in = |min: [f64; 3], max: [f64; 3]| (0..3).all(|axis| at[axis] > min[axis] && at[axis] < max[axis]);
            truth.push(is_in([0.0; 3], [40.0, 30.0, 20.0]) || is_in([30.0, 5.0, 5.0], [70.0, 25.0, 15.0]));
            lines += &format!("{} {} {}\n", at[0], at[1], at[2]);
        }
    }
    std::fs::write(&scan, lines).unwrap();
    let out = folder.path().join("out");
    let told = shadowgraph(&[
        "inspect",
        "--nominal",
        text(&nominal),
        "--scan",
        text(&scan),
        "--align",
        "none",
        "--max-distance-mm",
        "40",
        "--out",
        text(&out),
    ]);
    assert_eq!(told.status.code(), Some(0), "{}", errors(&told));
    let rows = std::fs::read_to_string(out.join("deviations.csv")).unwrap();
    let signs: Vec<Option<bool>> = rows
        .lines()
        .skip(1)
        .map(|row| row.rsplit(',').next().unwrap().parse::<f64>().ok().map(|mm| mm < 0.0))
        .collect();
    let wrong = signs.iter().zip(&truth).filter(|(own, truth)| own.is_some_and(|own| own != **truth)).count();
    let known = signs.iter().flatten().count();
    assert!(wrong == 0 && known > 1200, "{wrong} of {known} are wrong");
}

/// A part 900 m from the origin: STL rounds it to 0.03 mm, which is said; PLY does not.
#[test]
fn what_stl_rounds_far_from_the_origin_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let part = folder.path().join("far.ply");
    let mut far: Mesh = shapes::sphere(5.0, 3);
    far.vertices.iter_mut().for_each(|own| *own += Vector::new(9e5, 0.0, 0.0));
    write::mesh(&part, &far).unwrap();
    for (name, is_rounded) in [("far.stl", true), ("again.ply", false)] {
        let out = folder.path().join(name);
        let words = said(&["offset", text(&part), "--distance-mm", "1", "--resolution", "64", "--out", text(&out)]);
        assert_eq!(words.contains("STL rounds these coordinates by up to 0.05"), is_rounded, "{words}");
    }
}
