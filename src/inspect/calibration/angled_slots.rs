//! The artefact with angled slots: a flat plate, a long slot along its Y and a short slot along its X, both cut with a
//! double-edged cutter, so that each has two flanks. Brushed or touched are six regions: the plate left and right, both
//! flanks of the long slot, both of the short one.
//!
//! The plate gives Z, and the height of the origin. The flanks of a slot meet in a line, which is dropped onto the
//! plate; the long slot's gives Y, and where both lines cross is the origin.

use serde::{Deserialize, Serialize};

use crate::base::{Progress, Result, UserError};
use crate::geometry::{Point, Pose, Vector};
use crate::inspect::features::{Fit, Kind, Options, fit};

/// A region of the artefact.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Region {
    /// The plate, left.
    LP,
    /// The plate, right.
    RP,
    /// The long slot's left flank.
    LL,
    /// The long slot's right flank.
    LR,
    /// The short slot's upper flank.
    SU,
    /// The short slot's lower flank.
    SL,
}

impl Region {
    /// All of them.
    pub const ALL: [Self; 6] = [Self::LP, Self::RP, Self::LL, Self::LR, Self::SU, Self::SL];

    /// For people.
    pub fn name(self) -> &'static str {
        match self {
            Self::LP => "left plane (LP)",
            Self::RP => "right plane (RP)",
            Self::LL => "long slot, left (LL)",
            Self::LR => "long slot, right (LR)",
            Self::SU => "short slot, upper (SU)",
            Self::SL => "short slot, lower (SL)",
        }
    }

    /// By its short name, in any case.
    pub fn of_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|region| format!("{region:?}").eq_ignore_ascii_case(name.trim()))
    }
}

/// The points of each region, in the order of [`Region::ALL`], right-handed, mm.
pub type Regions = [Vec<Point>; 6];

/// How the regions were measured.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Measured {
    /// Radius of the ball whose centres the points are, mm; 0 for points on the surface itself.
    pub probe_radius_mm: f64,
    /// Robust standard deviations from which on a point belongs to another face.
    pub clip_sigmas: Option<f64>,
}

/// The artefact's frame as one device sees it.
#[derive(Clone, Debug, Serialize)]
pub struct ArtefactFrame {
    /// The frame.
    pub device_from_artefact: Pose,
    /// The fits of the plate, LL, LR, SU and SL.
    pub fits: [Fit; 5],
    /// Standard uncertainties of the origin along and about X, Y and Z of the artefact: mm, then rad.
    pub sigma: [f64; 6],
    /// How much each fit adds to the variance of each of those, mm² and rad².
    pub shares: [[f64; 6]; 5],
}

/// Planes as the frame takes them: the plate, LL, LR, SU, SL.
type Planes = [(Point, Vector); 5];

/// Flanks nearer to parallel than this, or nearer to the plate, are no flanks of one slot.
const LEAST_ANGLE_DEG: f64 = 10.0;

/// Finds the frame from the regions.
///
/// Fails with a sentence where a region holds too few points, where regions do not look like the faces they are named
/// after, or where they are exchanged.
pub fn frame(regions: &Regions, measured: &Measured, progress: &Progress) -> Result<ArtefactFrame> {
    if !(measured.probe_radius_mm >= 0.0 && measured.probe_radius_mm.is_finite()) {
        return Err(UserError::usage("The probe's radius must be 0 mm or more."));
    }
    for (region, points) in Region::ALL.iter().zip(regions) {
        if points.len() < 3 {
            let name = region.name();
            return Err(UserError::input(format!("The {name} holds {} points; it needs three or more.", points.len())));
        }
    }
    let [left, right, flanks @ ..] = regions;
    let plate = [left.clone(), right.clone()].concat();
    let options = Options { clip_sigmas: measured.clip_sigmas, ..Options::default() };
    let plane = |points: &[Point], name: &str| {
        fit(Kind::Plane, points, &[], &options, progress)
            .map_err(|error| UserError { sentence: format!("{name}: {}", error.sentence), ..error })
    };
    let fits: [Fit; 5] = [
        plane(&plate, "The plate")?,
        plane(&flanks[0], Region::LL.name())?,
        plane(&flanks[1], Region::LR.name())?,
        plane(&flanks[2], Region::SU.name())?,
        plane(&flanks[3], Region::SL.name())?,
    ];
    let planes = outward(&fits, measured.probe_radius_mm)?;
    let device_from_artefact = of_planes(&planes)?;
    check_places(&device_from_artefact, regions)?;
    let shares = shares(&planes, &fits, &device_from_artefact)?;
    let sigma = std::array::from_fn(|k| shares.iter().map(|of_fit| of_fit[k]).sum::<f64>().sqrt());
    Ok(ArtefactFrame { device_from_artefact, fits, sigma, shares })
}

/// The fitted planes, normals out of the material, moved onto the surface by the probe's radius.
fn outward(fits: &[Fit; 5], probe_radius_mm: f64) -> Result<Planes> {
    let plane = |fit: &Fit| (fit.shape.place(), fit.shape.direction().unwrap_or_else(Vector::z));
    let (plate, normal) = plane(&fits[0]);
    let flanks = [1, 2, 3, 4].map(|i| plane(&fits[i]));
    // The slots are cut into the plate: their flanks lie below it.
    let height = flanks.iter().map(|(point, _)| (point - plate).dot(&normal)).sum::<f64>();
    let up = if height > 0.0 { -normal } else { normal };
    let below = |(point, _): &(Point, Vector)| (point - plate).dot(&up) < 0.0;
    if !flanks.iter().all(below) {
        return Err(UserError::input(
            "The slots' flanks lie on both sides of the plate: a region is brushed on the wrong face, or the regions \
             are exchanged.",
        ));
    }
    let mut planes = [(plate, up); 5];
    for (plane, (point, normal)) in planes[1..].iter_mut().zip(flanks) {
        // A V opens upward, so each flank looks up.
        *plane = (point, if normal.dot(&up) < 0.0 { -normal } else { normal });
    }
    Ok(planes.map(|(point, normal)| (point - normal * probe_radius_mm, normal)))
}

/// The frame of five planes whose normals look out of the material.
fn of_planes(planes: &Planes) -> Result<Pose> {
    let [(plate, z), ll, lr, su, sl] = *planes;
    let long = slot_line(&ll, &lr, &z, "long")?;
    let short = slot_line(&su, &sl, &z, "short")?;
    let on_plate = |point: Point| point - z * (point - plate).dot(&z);
    let ((a, u), (b, v)) = ((on_plate(long.0), long.1), (on_plate(short.0), short.1));
    let across = u.cross(&v).dot(&z);
    if across.abs() < LEAST_ANGLE_DEG.to_radians().sin() {
        return Err(UserError::input(
            "The long and the short slot come out parallel: one of their regions is brushed on the wrong slot.",
        ));
    }
    let origin = a + u * ((b - a).cross(&v).dot(&z) / across);
    // From the lower flank towards the upper one.
    let y = if (su.0 - sl.0).dot(&u) < 0.0 { -u } else { u };
    let turn = nalgebra::Rotation3::from_basis_unchecked(&[y.cross(&z), y, z]);
    Ok(Pose::from_parts(origin.coords.into(), turn.into()))
}

/// A point and the direction of the line in which two flanks meet, the direction dropped onto the plate.
fn slot_line(one: &(Point, Vector), other: &(Point, Vector), z: &Vector, slot: &str) -> Result<(Point, Vector)> {
    let line = one.1.cross(&other.1);
    let least = LEAST_ANGLE_DEG.to_radians().sin();
    let along = line - z * line.dot(z);
    // Two flanks of one slot meet along the plate; flanks of two slots meet in a line that dives.
    if line.norm() < least || line.dot(z).abs() > least * line.norm() {
        return Err(UserError::input(format!(
            "The two regions of the {slot} slot are not the two flanks of one slot: their planes do not meet in a line \
             along the plate."
        )));
    }
    // On both planes, and nearest to the middle between the regions.
    let middle = nalgebra::center(&one.0, &other.0);
    let rows = nalgebra::Matrix3::from_rows(&[one.1.transpose(), other.1.transpose(), line.transpose()]);
    let right = Vector::new(one.1.dot(&one.0.coords), other.1.dot(&other.0.coords), line.dot(&middle.coords));
    let point = rows.lu().solve(&right).ok_or_else(|| UserError::internal("Two flanks do not meet."))?;
    Ok((Point::from(point), along.normalize()))
}

/// Every region must lie where its name says.
fn check_places(device_from_artefact: &Pose, regions: &Regions) -> Result<()> {
    let middle = |region: usize| {
        let points = &regions[region];
        let sum: Vector = points.iter().map(|point| point.coords).sum();
        device_from_artefact.inverse_transform_point(&Point::from(sum / points.len() as f64))
    };
    let [lp, rp, ll, lr, su, sl] = [0, 1, 2, 3, 4, 5].map(middle);
    let exchanged = |what: &str| {
        Err(UserError::input(format!(
            "{what} are exchanged, or the frame is mirrored: check the names of the regions, and whether the sensor \
             reports a left-handed frame."
        )))
    };
    if ll.x > lr.x {
        return exchanged("The left and the right flank of the long slot");
    }
    if lp.x > rp.x {
        return exchanged("The left and the right part of the plate");
    }
    if sl.y > su.y {
        return exchanged("The lower and the upper flank of the short slot");
    }
    Ok(())
}

/// Variances of shifts and turns in the artefact's frame, from each fit's own: by moving and tilting each plane by its
/// standard uncertainties.
fn shares(planes: &Planes, fits: &[Fit; 5], frame: &Pose) -> Result<[[f64; 6]; 5]> {
    let mut shares = [[0.0; 6]; 5];
    for (i, fit) in fits.iter().enumerate() {
        // Expanded with k = 2; about the points' centroid, where shift and tilts do not mix.
        let (shift, tilt) = (0.5 * fit.uncertainty.position_mm, 0.5 * fit.uncertainty.direction_rad);
        let (point, normal) = planes[i];
        let x = normal.cross(&Vector::ith(normal.iamin(), 1.0)).normalize();
        let leant = |axis: Vector| (point, (normal + axis * tilt).normalize());
        for moved in [(point + normal * shift, normal), leant(x), leant(normal.cross(&x))] {
            let mut planes = *planes;
            planes[i] = moved;
            let change = frame.inverse() * of_planes(&planes)?;
            let (by, turn) = (change.translation.vector, change.rotation.scaled_axis());
            for k in 0..3 {
                shares[i][k] += by[k] * by[k];
                shares[i][3 + k] += turn[k] * turn[k];
            }
        }
    }
    Ok(shares)
}

/// Whether a plane's own fit is good enough to go on with, as a traffic light: green up to twice the expected noise,
/// amber up to four times, red beyond.
pub fn light(fit: &Fit, expected_sigma_mm: f64) -> Light {
    match fit.sigma_mm / expected_sigma_mm {
        ratio if ratio <= 2.0 => Light::Green,
        ratio if ratio <= 4.0 => Light::Amber,
        _ => Light::Red,
    }
}

/// See [`light`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Light {
    /// As expected.
    Green,
    /// To be looked at.
    Amber,
    /// To be done again.
    Red,
}

/// Points on the faces of the ideal artefact, in its own frame: for tests and the simulator. `draw` gives uniform draws
/// in [0, 1).
pub fn ideal(each: usize, mut draw: impl FnMut() -> f64) -> Regions {
    // Half of the cutter's 120 degrees from the vertical.
    let (sin, cos) = 30.0_f64.to_radians().sin_cos();
    let mut some =
        |place: &dyn Fn(f64, f64) -> Point| -> Vec<Point> { (0..each).map(|_| place(draw() - 0.5, draw())).collect() };
    // Down a flank from the plate's edge, `side` telling which: 3 mm of it.
    let down = |t: f64| 0.3 + 2.7 * t;
    let edge = 4.0;
    let flank = |t: f64| (edge - cos * down(t), -sin * down(t));
    [
        some(&|u, t| Point::new(-8.0 - 18.0 * t, 70.0 * u, 0.0)),
        some(&|u, t| Point::new(8.0 + 18.0 * t, 70.0 * u, 0.0)),
        some(&|u, t| Point::new(-flank(t).0, 60.0 * u, flank(t).1)),
        some(&|u, t| Point::new(flank(t).0, 60.0 * u, flank(t).1)),
        some(&|u, t| Point::new(24.0 * u + 18.0, flank(t).0, flank(t).1)),
        some(&|u, t| Point::new(24.0 * u + 18.0, -flank(t).0, flank(t).1)),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::random::Random;
    use crate::inspect::calibration::{Handedness, Mounting};

    fn moved(regions: &Regions, pose: &Pose, sigma_mm: f64, random: &mut Random) -> Regions {
        std::array::from_fn(|i| {
            let noise = |random: &mut Random| Vector::from_fn(|_, _| sigma_mm * random.normal());
            regions[i].iter().map(|point| pose * point + noise(random)).collect()
        })
    }

    fn seen(each: usize, random: &mut Random) -> Regions {
        ideal(each, || random.uniform())
    }

    #[test]
    fn the_frame_of_ideal_faces_is_the_artefacts_own_in_any_pose() {
        let mut random = Random::new(1, 7);
        for _ in 0..30 {
            let shift =
                Vector::new(random.range(-500.0, 500.0), random.range(-500.0, 500.0), random.range(-90.0, 90.0));
            let pose = Pose::from_parts(shift.into(), random.rotation());
            let regions = moved(&seen(40, &mut random), &pose, 0.0, &mut random);
            let found = frame(&regions, &Measured::default(), &Progress::silent()).unwrap();
            let change = pose.inverse() * found.device_from_artefact;
            assert!(change.translation.vector.norm() < 1e-9 && change.rotation.angle() < 1e-11, "{change}");
            // Touched with a ball, every centre lies its radius outside.
            let ball = 1.5;
            let normals = [
                Vector::z(),
                Vector::z(),
                flank_normal(1.0, 0.0),
                flank_normal(-1.0, 0.0),
                flank_normal(0.0, -1.0),
                flank_normal(0.0, 1.0),
            ];
            let touched: Regions =
                std::array::from_fn(|i| regions[i].iter().map(|p| p + pose.rotation * normals[i] * ball).collect());
            let measured = Measured { probe_radius_mm: ball, clip_sigmas: None };
            let found = frame(&touched, &measured, &Progress::silent()).unwrap();
            let change = pose.inverse() * found.device_from_artefact;
            assert!(change.translation.vector.norm() < 1e-9 && change.rotation.angle() < 1e-11, "{change}");
        }
    }

    /// Out of a flank whose slot lies towards x, y.
    fn flank_normal(x: f64, y: f64) -> Vector {
        let (sin, cos) = 30.0_f64.to_radians().sin_cos();
        Vector::new(x * sin, y * sin, cos)
    }

    #[test]
    fn exchanged_and_mistaken_regions_are_named() {
        let mut random = Random::new(2, 7);
        let good = seen(60, &mut random);
        let try_with = |change: &dyn Fn(&mut Regions)| {
            let mut regions = good.clone();
            change(&mut regions);
            frame(&regions, &Measured::default(), &Progress::silent()).unwrap_err().sentence
        };
        assert!(try_with(&|r| r.swap(2, 3)).contains("left and the right flank"));
        assert!(try_with(&|r| r.swap(4, 5)).contains("exchanged"));
        assert!(try_with(&|r| r.swap(0, 1)).contains("part of the plate"));
        assert!(try_with(&|r| r.swap(2, 4)).contains("not the two flanks"));
        assert!(try_with(&|r| r[3] = r[2].clone()).contains("not the two flanks"));
        assert!(try_with(&|r| r[4].truncate(2)).contains("SU) holds 2 points"));
        assert!(try_with(&|r| r[5][0].x = f64::NAN).contains("finite"));
        let mirrored = |r: &mut Regions| r.iter_mut().flatten().for_each(|point| point.x = -point.x);
        assert!(try_with(&mirrored).contains("mirrored"));
    }

    /// Random mountings up to 3 degrees and 20 mm, the noise of the sensor and of the CMM's touches: all angles within
    /// 0.01 degrees and the measuring volume's centre within 0.02 mm in 95 of 100, and stated intervals that cover.
    #[test]
    fn mountings_are_found_and_their_uncertainties_cover() {
        let mut random = Random::new(3, 7);
        let runs = 200;
        let (mut good, mut covered) = (0, [0_usize; 6]);
        for run in 0..runs {
            let tilt = Vector::from_fn(|_, _| random.range(-3.0, 3.0).to_radians());
            let shift = Vector::from_fn(|_, _| random.range(-20.0, 20.0));
            // The sensor looks down on the artefact from 250 mm.
            let down = nalgebra::UnitQuaternion::from_axis_angle(&Vector::x_axis(), std::f64::consts::PI);
            let cmm_from_sensor = Pose::from_parts(
                (shift + Vector::new(400.0, 300.0, 350.0)).into(),
                nalgebra::UnitQuaternion::from_scaled_axis(tilt) * down,
            );
            let cmm_from_artefact = Pose::new(Vector::new(400.0, 300.0, 100.0), Vector::new(0.01, -0.02, 0.3));
            let sensor_from_artefact = cmm_from_sensor.inverse() * cmm_from_artefact;
            let handedness = if run % 2 == 0 { Handedness::Right } else { Handedness::Left };
            let scanned = moved(&seen(1500, &mut random), &sensor_from_artefact, 0.035, &mut random);
            let reported: Regions =
                scanned.map(|region| region.iter().map(|point| handedness.to_right(point)).collect());
            let righted: Regions =
                reported.map(|region| region.iter().map(|point| handedness.to_right(point)).collect());
            let touched = moved(&seen(25, &mut random), &cmm_from_artefact, 0.002, &mut random);
            let sensor = frame(&righted, &Measured::default(), &Progress::silent()).unwrap();
            let cmm = frame(&touched, &Measured::default(), &Progress::silent()).unwrap();
            let mounting =
                Mounting::new(&cmm.device_from_artefact, &sensor.device_from_artefact, handedness, Vector::zeros());
            let centre = sensor_from_artefact * Point::origin();
            let apart = mounting.cmm_from_sensor * centre - cmm_from_sensor * centre;
            let turn = (mounting.cmm_from_sensor.rotation * cmm_from_sensor.rotation.inverse()).scaled_axis();
            good += usize::from(turn.iter().all(|t| t.abs().to_degrees() < 0.01) && apart.norm() < 0.02);
            // In the artefact's frame, where both devices state their uncertainties.
            let change = cmm_from_artefact.inverse()
                * cmm.device_from_artefact
                * sensor.device_from_artefact.inverse()
                * sensor_from_artefact;
            let (by, turn) = (change.translation.vector, change.rotation.scaled_axis());
            for k in 0..6 {
                let sigma = sensor.sigma[k].hypot(cmm.sigma[k]);
                let error = if k < 3 { by[k] } else { turn[k - 3] };
                covered[k] += usize::from(error.abs() <= 1.96 * sigma);
            }
        }
        println!("{good} of {runs} good; covered {covered:?}");
        assert!(good * 100 >= 95 * runs, "{good} of {runs}");
        // A plane's two tilts are taken as equally unsure, the larger of both: intervals are on the safe side.
        assert!(covered.iter().all(|&own| own * 100 >= 90 * runs), "{covered:?}");
    }
}
