use super::*;
use crate::section::Placement;
use crate::section::contour::Foot;
use crate::section::measured::{Measured, MeasuredPoint};
use crate::tolerances::Conformity;
use crate::verdict::Verdict;
use base::random::Random;

const GAP_MM: f64 = 3.5;
const FLUSH_MM: f64 = 0.4;

/// A plate of 30 by 8 with this lower left corner and rounded edges, counter-clockwise.
fn plate([x, y]: PlanePoint, radius_mm: f64) -> Contour {
    let (w, h) = (30.0 - radius_mm, 8.0 - radius_mm);
    let chords: i32 = if radius_mm > 0.0 { 18 } else { 0 };
    let centres = [[w, radius_mm], [w, h], [radius_mm, h], [radius_mm, radius_mm]];
    let corners = centres.iter().enumerate().flat_map(|(number, centre)| {
        (0..=chords).map(move |i| {
            let angle = std::f64::consts::FRAC_PI_2 * (number as f64 - 1.0 + f64::from(i) / f64::from(chords.max(1)));
            [x + centre[0] + radius_mm * angle.cos(), y + centre[1] + radius_mm * angle.sin()]
        })
    });
    Contour::of_points(corners.collect(), true)
}

/// Two plates whose upper edges face each other: the reference ends at 0, its surface lies at height 0.
fn plates(radius_mm: f64) -> Vec<Contour> {
    vec![plate([-30.0, -8.0], radius_mm), plate([GAP_MM, FLUSH_MM - 8.0], radius_mm)]
}

/// Points of both contours, 20 to a millimetre, where `at` moves them to from a foot and its normal; `None` leaves one out.
fn points(contours: &[Contour], mut at: impl FnMut(u32, &Foot) -> Option<PlanePoint>) -> Vec<MeasuredPoint> {
    let mut points = Vec::new();
    for (number, contour) in (0..).zip(contours) {
        let count = (20.0 * contour.length_mm()) as usize;
        for i in 0..count {
            let foot = contour.at(number, contour.length_mm() * (i as f64 + 0.5) / count as f64);
            let Some(at) = at(number, &foot) else { continue };
            let way = [at[0] - foot.at[0], at[1] - foot.at[1]];
            let deviation_mm = way[0] * foot.normal[0] + way[1] * foot.normal[1];
            points.push(MeasuredPoint { at, deviation_mm, contour: number, along_mm: foot.along_mm });
        }
    }
    points
}

fn section(contours: Vec<Contour>, points: Vec<MeasuredPoint>) -> [PlaneSection; 1] {
    let plane = Placement::Axis { axis: 1, at_mm: 0.0 }.plane().unwrap();
    let measured = Measured { points, ..Measured::default() };
    [PlaneSection { number: 0, plane, name: String::new(), contours, measured, whiskers: Vec::new() }]
}

fn dimension(kind: DimensionKind) -> Dimension {
    Dimension { kind, plane: 0, picks: vec![[-6.0, 0.0], [9.5, FLUSH_MM]], tolerance: None, extent_mm: None }
}

/// Gap and flush, measured.
fn values(section: &[PlaneSection]) -> [Outcome<f64>; 2] {
    [DimensionKind::Gap, DimensionKind::Flush].map(|kind| dimension(kind).measure(section, true).measured.unwrap())
}

fn is_near(found: &Outcome<f64>, wanted: f64, within: f64) -> bool {
    found.as_ref().is_ok_and(|own| (own - wanted).abs() < within)
}

#[test]
fn gap_and_flush_of_the_nominal_are_exact() {
    for radius_mm in [0.0, 2.0] {
        let planes = section(plates(radius_mm), Vec::new());
        let gap = dimension(DimensionKind::Gap).measure(&planes, false);
        let flush = dimension(DimensionKind::Flush).measure(&planes, false);
        assert!(is_near(&gap.nominal, GAP_MM, 1e-9) && is_near(&flush.nominal, FLUSH_MM, 1e-9), "R {radius_mm}");
        assert!(gap.measured.is_none());
        let [from, to] = [gap.line[0], gap.line[1]];
        assert!((to[0] - from[0] - GAP_MM).abs() < 1e-9 && (to[1] - from[1]).abs() < 1e-9, "{:?}", gap.line);
        // The other way round the flush has the other sign.
        let mut turned = dimension(DimensionKind::Flush);
        turned.picks.reverse();
        assert!(is_near(&turned.measure(&planes, false).nominal, -FLUSH_MM, 1e-9));
        let mut turned = dimension(DimensionKind::Gap);
        turned.picks.reverse();
        assert!(is_near(&turned.measure(&planes, false).nominal, GAP_MM, 1e-9));
    }
    // Down to half the radius, edges reach as far as at 30°.
    let shallow = Dimension { extent_mm: Some(1.0), ..dimension(DimensionKind::Gap) };
    let wanted = GAP_MM + 2.0 * 2.0 * (1.0 - 30.0_f64.to_radians().cos());
    assert!(is_near(&shallow.measure(&section(plates(2.0), Vec::new()), false).nominal, wanted, 1e-9));
}

#[test]
fn a_side_that_was_moved_is_measured_where_it_is() {
    for radius_mm in [0.0, 2.0] {
        let contours = plates(radius_mm);
        let moved = points(&contours, |number, foot| {
            let [x, y] = if number == 1 { [0.15, -0.1] } else { [0.0; 2] };
            Some([foot.at[0] + x, foot.at[1] + y])
        });
        let [gap, flush] = values(&section(contours, moved));
        assert!(is_near(&gap, GAP_MM + 0.15, 1e-6) && is_near(&flush, FLUSH_MM - 0.1, 1e-6), "{gap:?} {flush:?}");
    }
    // A cut that leans by 2° reaches farthest at its lower end.
    let contours = plates(0.0);
    let leaning = points(&contours, |number, foot| {
        let [x, y] = foot.at;
        let is_cut = number == 1 && foot.normal[0] < -0.5;
        let depth_mm = FLUSH_MM - y;
        Some([if is_cut { x - (depth_mm - 1.5) * 2.0_f64.to_radians().tan() } else { x }, y])
    });
    let [gap, _] = values(&section(contours, leaning));
    assert!(is_near(&gap, GAP_MM - 1.5 * 2.0_f64.to_radians().tan(), 1e-3), "{gap:?}");
}

/// The reference plate, and one whose surface rises by an angle away from the gap and whose end leans so that it reaches
/// farther the deeper it is; with the positions that are picked.
fn leaning(rise_deg: f64, lean_deg: f64) -> (Vec<Contour>, Vec<PlanePoint>) {
    let (sin, cos) = rise_deg.to_radians().sin_cos();
    let corners = vec![
        [GAP_MM + 30.0, FLUSH_MM - 8.0],
        [GAP_MM + 30.0 * cos, FLUSH_MM + 30.0 * sin],
        [GAP_MM, FLUSH_MM],
        [GAP_MM - 8.0 * lean_deg.to_radians().tan(), FLUSH_MM - 8.0],
    ];
    let picks = vec![[-6.0, 0.0], [GAP_MM + 6.0 * cos, FLUSH_MM + 6.0 * sin]];
    (vec![plate([-30.0, -8.0], 0.0), Contour::of_points(corners, true)], picks)
}

/// Depths, and how high a side lies, are perpendicular to the reference, to which the other side may be skewed.
#[test]
fn a_skewed_side_that_lies_lower_is_as_much_less_flush_and_leaves_the_gap_as_it_is() {
    const LOWER_MM: f64 = 0.5;
    let (contours, picks) = leaning(25.0, 20.0);
    let moved = points(&contours, |number, foot| {
        let [x, y] = foot.at;
        Some([x, if number == 1 { y - LOWER_MM } else { y }])
    });
    let planes = section(contours, moved);
    let measured = |kind| Dimension { picks: picks.clone(), ..dimension(kind) }.measure(&planes, true);
    let (gap, flush) = (measured(DimensionKind::Gap), measured(DimensionKind::Flush));
    assert!(is_near(&flush.measured.unwrap(), FLUSH_MM - LOWER_MM, 1e-6) && is_near(&flush.nominal, FLUSH_MM, 1e-9));
    let (gap, nominal_mm) = (gap.measured.unwrap(), gap.nominal.unwrap());
    // At 3 mm below the surface the end reaches farther than at its edge.
    assert!(nominal_mm < GAP_MM - 0.9 && is_near(&gap, nominal_mm, 1e-6), "{gap:?}, nominal {nominal_mm}");
}

/// What is uncertain about a surface makes the depth of the end below it uncertain, and so how far a leaning end reaches.
#[test]
fn the_uncertainty_of_a_gap_has_that_of_its_surfaces_in_it() {
    const TRIALS: usize = 50;
    let (contours, picks) = leaning(0.0, 25.0);
    let asked = Dimension { picks, ..dimension(DimensionKind::Gap) };
    let mut noise = Random::new(5, 0);
    let (mut squares, mut stated) = (0.0, 0.0);
    for _ in 0..TRIALS {
        let noisy = points(&contours, |_, foot| {
            let sigma_mm = if foot.normal[1] > 0.9 { 0.01 } else { 0.0005 };
            let away_mm = sigma_mm * noise.normal();
            Some([0, 1].map(|axis| foot.at[axis] + away_mm * foot.normal[axis]))
        });
        let own = asked.measure(&section(contours.clone(), noisy), true);
        let error_mm = own.measured.unwrap().unwrap() - own.nominal.unwrap();
        squares += error_mm.powi(2);
        stated += (0.5 * own.uncertainty.unwrap()).powi(2);
    }
    let ratio = (squares / stated).sqrt();
    assert!((0.4..1.6).contains(&ratio), "errors are {ratio} of their standard uncertainty");
}

/// Limits that it keeps as measured prove nothing of a value whose uncertainty could not be determined.
#[test]
fn a_dimension_without_an_uncertainty_is_in_doubt() {
    for kind in [DimensionKind::Gap, DimensionKind::Flush] {
        let contours = plates(2.0);
        let as_nominal = points(&contours, |_, foot| Some(foot.at));
        let tolerance = Some(crate::deviation::Tolerance { low_mm: -0.1, high_mm: 0.1 });
        let known = Dimension { tolerance, ..dimension(kind) }.measure(&section(contours, as_nominal), true);
        assert_eq!(known.verdict(), Some(Verdict::Pass), "{}", known.words());
        let unknown = MeasuredDimension { uncertainty: None, ..known };
        assert_eq!(unknown.conformity(), Some(Conformity::Undecided));
        assert_eq!(unknown.verdict(), Some(Verdict::Incomplete));
        let words = unknown.words();
        assert!(words.contains(": undecided, since its uncertainty is unknown (-0.1 mm to +0.1 mm)"), "{words}");
    }
}

/// The farthest points themselves make the gap smaller by several times the noise; the fitted faces do not.
#[test]
fn noise_and_strays_do_not_make_a_gap_smaller() {
    const TRIALS: usize = 40;
    const SIGMA_MM: f64 = 0.01;
    for radius_mm in [0.0, 2.0] {
        let contours = plates(radius_mm);
        let mut noise = Random::new(11, 0);
        let (mut sums, mut squares, mut of_farthest) = ([0.0; 2], [0.0; 2], 0.0);
        for _ in 0..TRIALS {
            let mut count = 0;
            let noisy = points(&contours, |_, foot| {
                count += 1;
                // One of a hundred stands off.
                let stray_mm = if count % 100 == 0 { 0.3 } else { 0.0 };
                let away_mm = SIGMA_MM * noise.normal() + stray_mm;
                Some([0, 1].map(|axis| foot.at[axis] + away_mm * foot.normal[axis]))
            });
            let sound = noisy.iter().filter(|own| own.deviation_mm < 0.1);
            let x = |number: u32| sound.clone().filter(move |own| own.contour == number).map(|own| own.at[0]);
            of_farthest += x(1).fold(f64::INFINITY, f64::min) - x(0).fold(f64::NEG_INFINITY, f64::max) - GAP_MM;
            let found = values(&section(contours.clone(), noisy));
            for (index, (found, wanted)) in found.into_iter().zip([GAP_MM, FLUSH_MM]).enumerate() {
                let error_mm = found.unwrap() - wanted;
                sums[index] += error_mm;
                squares[index] += error_mm * error_mm;
            }
        }
        let count = TRIALS as f64;
        for (sum, squares) in sums.into_iter().zip(squares) {
            let (bias_mm, rms_mm) = (sum / count, (squares / count).sqrt());
            assert!(bias_mm.abs() < 2e-3 && rms_mm < 0.6 * SIGMA_MM, "R {radius_mm}: bias {bias_mm}, RMS {rms_mm}");
        }
        assert!(of_farthest / count < -2.0 * SIGMA_MM, "{}", of_farthest / count);
    }
}

#[test]
fn what_was_not_measured_of_a_gap_says_so() {
    let contours = plates(0.0);
    let why = |points: Vec<MeasuredPoint>| {
        let [gap, flush] = values(&section(plates(0.0), points));
        (gap.unwrap_err(), flush)
    };
    let is_top = |foot: &Foot| foot.normal[1] > 0.5;
    let (gap, flush) = why(points(&contours, |_, foot| is_top(foot).then_some(foot.at)));
    assert!(gap.contains("only 0 points were measured on one of its ends"), "{gap}");
    assert!(is_near(&flush, FLUSH_MM, 1e-6), "{flush:?}");
    // From above, no more was seen of the faces than 1.2 mm of 3 mm.
    let upper = |number: u32, foot: &Foot| {
        let top_mm = if number == 1 { FLUSH_MM } else { 0.0 };
        (is_top(foot) || foot.at[1] > top_mm - 1.2).then_some(foot.at)
    };
    let (gap, _) = why(points(&contours, upper));
    assert!(gap.contains("only 40 % of one of its ends"), "{gap}");
    let (gap, flush) = why(points(&contours, |_, foot| (!is_top(foot)).then_some(foot.at)));
    assert!(
        gap.contains("measured on one of its lines") && flush.unwrap_err().contains("on one of its lines"),
        "{gap}"
    );
    let nominal = |picks: [PlanePoint; 2]| {
        let own = Dimension { picks: picks.to_vec(), ..dimension(DimensionKind::Gap) };
        own.measure(&section(plates(0.0), Vec::new()), false).nominal.unwrap_err()
    };
    assert!(nominal([[-6.0, 0.0], [9.5, FLUSH_MM - 8.0]]).contains("face opposite ways"));
    assert!(nominal([[-6.0, 0.0], [GAP_MM, -3.0]]).contains("not parallel: 90.0°"));
}

#[test]
fn a_gap_is_asked_for_with_its_flush_and_stored_without_what_is_usual() {
    let asked = dimension(DimensionKind::Gap).with_companion();
    assert_eq!(asked.iter().map(|own| own.kind).collect::<Vec<_>>(), [DimensionKind::Gap, DimensionKind::Flush]);
    assert_eq!((asked[0].extent_mm(), asked[1].extent_mm()), (3.0, 10.0));
    assert_eq!(dimension(DimensionKind::Step).with_companion().len(), 1);
    let wrong = Dimension { extent_mm: Some(0.0), ..dimension(DimensionKind::Gap) };
    assert!(wrong.wrong().unwrap().contains("must be positive"));
    let stored = serde_json::to_string(&asked[0]).unwrap();
    assert!(stored.contains("\"gap\"") && !stored.contains("extent_mm"), "{stored}");
    assert_eq!(serde_json::from_str::<Dimension>(&stored).unwrap(), asked[0]);
}
