//! Recognition of artefacts in whole snapshots, shared by all kinds: a uniform sample of points with normals, the two
//! principal directions of faces or marks, the orientation that fits best, and the assignment of points to regions.

use super::{Artefact, Measured};
use base::{Progress, Result, UserError};
use compute::{Compute, cpu::Cpu, neighbourhoods};
use geometry::{Point, Pose, SearchablePoints, Subset, Vector, thinning};

/// Neighbours that a normal is estimated from.
const NORMAL_NEIGHBOURS: usize = 24;
/// Minimum number of points of a sample.
const MIN_SAMPLE_POINTS: usize = 500;
/// Minimum share of the points that lie on the drawing, or on the CAD model of a user's own artefact, for the artefact
/// to count as recognised.
pub const MIN_MATCHING_SHARE: f64 = 0.6;
/// Margin in the matching share by which the mirror image must fit better for the handedness to be reported as wrong.
pub const MIRROR_MARGIN: f64 = 0.02;
/// Margin in the matching share by which the best orientation must exceed every other.
const ORIENTATION_MARGIN: f64 = 0.02;

/// Error that states why an artefact was not recognised.
pub fn not_recognised(artefact: &str, why: &str) -> UserError {
    UserError::input(format!(
        "The artefact ({}) was not recognised: {why}. Brush its regions by hand, or take a snapshot that shows it \
         whole.",
        artefact.to_lowercase()
    ))
}

/// Uniformly spaced points of a snapshot with their normals.
pub struct Sample {
    /// Points, mm; the sensor is at the origin.
    pub points: Vec<Point>,
    /// Unit normals on the side of the sensor.
    pub normals: Vec<Vector>,
}

impl Sample {
    /// Samples a snapshot: one point per cell of `cell_mm`. Returns an error that names `artefact` if too few points
    /// remain.
    pub fn of(artefact: &str, points: &[Point], cell_mm: f64, progress: &Progress) -> Result<Self> {
        let sampled: Vec<Point> =
            thinning::one_per_dense_cell(points, cell_mm).iter().map(|&index| points[index as usize]).collect();
        if sampled.len() < MIN_SAMPLE_POINTS {
            return Err(not_recognised(artefact, "there are too few points"));
        }
        let searchable = SearchablePoints::new(&sampled);
        let request = neighbourhoods::Request { points: &searchable, neighbours: NORMAL_NEIGHBOURS };
        let estimates = Cpu.compute(&request, progress)?;
        // The sensor, at the origin, sees only surfaces that face it.
        let facing_sensor =
            |(point, normal): (&Point, Vector)| if normal.dot(&point.coords) > 0.0 { -normal } else { normal };
        let normals = sampled.iter().zip(estimates.iter().map(|own| own.normal)).map(facing_sensor).collect();
        Ok(Self { points: sampled, normals })
    }
}

/// The two mutually perpendicular directions, both perpendicular to `up`, that most of `directions` are parallel or
/// antiparallel to.
pub fn perpendicular_directions(directions: impl Iterator<Item = Vector> + Clone, up: &Vector) -> Option<[Vector; 2]> {
    // Multiplied by four, the angles of all four directions coincide.
    let e1 = directions.clone().next()?;
    let e2 = up.cross(&e1);
    let mut quarter = 0.0;
    for iteration in 0..4 {
        let near = |angle: &f64| iteration == 0 || (4.0 * (angle - quarter)).cos() > 0.0;
        let angles = directions.clone().map(|direction| direction.dot(&e2).atan2(direction.dot(&e1))).filter(near);
        let (sin, cos) = angles.fold((0.0, 0.0), |(s, c), angle| (s + (4.0 * angle).sin(), c + (4.0 * angle).cos()));
        quarter = sin.atan2(cos) / 4.0;
    }
    let a = e1 * quarter.cos() + e2 * quarter.sin();
    Some([a, up.cross(&a)])
}

/// Pose whose X axis lies along ±a or ±b at `origin`, b being a rotated by 90° about `up`, with the highest `score`.
/// `score` takes X and Y and returns the share of the orientation-dependent evidence that matches, 0 to 1. All eight
/// orientations are scored, mirror images included.
///
/// Returns an error if no orientation fits, if a mirror image fits better, or if another orientation fits about as
/// well.
pub fn best_orientation(
    artefact: &str,
    origin: &Point,
    [a, b]: [Vector; 2],
    up: &Vector,
    score: &dyn Fn(&Vector, &Vector) -> f64,
) -> Result<Pose> {
    let scored = |mirror: f64| [a, b, -a, -b].map(|x| score(&x, &(up.cross(&x) * mirror)));
    let (shares, mirrored) = (scored(1.0), scored(-1.0));
    let best = |shares: &[f64; 4]| (0..4).max_by(|&i, &j| shares[i].total_cmp(&shares[j])).unwrap_or(0);
    let chosen = best(&shares);
    let (direct, reflected) = (shares[chosen], mirrored[best(&mirrored)]);
    if reflected > direct + MIRROR_MARGIN && reflected >= MIN_MATCHING_SHARE {
        return Err(UserError::input(format!(
            "The snapshot shows the mirror image of the artefact ({:.1} % of the points that determine the orientation \
             fit it, {:.1} % the artefact itself): the sensor's frame has the other handedness than stated.",
            100.0 * reflected,
            100.0 * direct
        )));
    }
    if direct < MIN_MATCHING_SHARE {
        let why =
            format!("only {:.0} % of the points that determine its orientation match the drawing", 100.0 * direct);
        return Err(not_recognised(artefact, &why));
    }
    let rotated = (1..4)
        .map(|quarter_turns| (shares[(chosen + quarter_turns) % 4], format!("rotated by {}°", 90 * quarter_turns)));
    let others = rotated.chain([(reflected, "as its mirror image".to_owned())]);
    let second = others.max_by(|one, other| one.0.total_cmp(&other.0));
    if let Some((share, how)) = second.filter(|(share, _)| direct - share < ORIENTATION_MARGIN) {
        return Err(UserError::input(format!(
            "Two orientations of the artefact fit the snapshot about equally well ({:.1} %, and {:.1} % {how}): what \
             distinguishes them is not in view. Take a snapshot that shows the whole artefact, or brush its regions by \
             hand.",
            100.0 * direct,
            100.0 * share
        )));
    }
    Ok(pose(origin, &[a, b, -a, -b][chosen], up))
}

/// Point indices of each of `count` regions; `region_at` assigns a point in the artefact's frame to a region.
pub fn assign_regions(
    points: &[Point],
    device_from_artefact: &Pose,
    count: usize,
    region_at: &dyn Fn(&Point) -> Option<usize>,
) -> Vec<Subset> {
    let mut regions = vec![Vec::new(); count];
    let artefact_from_device = device_from_artefact.inverse();
    for (index, point) in (0..).zip(points) {
        if let Some(region) = region_at(&(artefact_from_device * point)) {
            regions[region].push(index);
        }
    }
    regions.into_iter().map(Subset::new).collect()
}

/// Assigns regions from a rough pose, fits the artefact's frame to them, and assigns the regions again in that frame.
pub fn assign_regions_refined(
    artefact: &dyn Artefact,
    points: &[Point],
    rough_pose: &Pose,
    region_at: &dyn Fn(&Point) -> Option<usize>,
    progress: &Progress,
) -> Result<Vec<Subset>> {
    let count = artefact.regions().len();
    let points_of = |region: &Subset| region.iter().map(|&index| points[index as usize]).collect();
    let regions: Vec<Vec<Point>> = assign_regions(points, rough_pose, count, region_at).iter().map(points_of).collect();
    let frame = artefact.frame(&regions, &Measured { clip_sigmas: Some(3.0), ..Measured::default() }, progress)?;
    Ok(assign_regions(points, &frame.device_from_artefact, count, region_at))
}

/// Pose with the given origin, X axis and Z axis (`up`).
pub fn pose(origin: &Point, x: &Vector, up: &Vector) -> Pose {
    let rotation = nalgebra::Rotation3::from_basis_unchecked(&[*x, up.cross(x), *up]);
    Pose::from_parts(origin.coords.into(), nalgebra::UnitQuaternion::from_rotation_matrix(&rotation))
}

/// Centre of the shortest interval that contains a third of `values`: a mode estimate, robust against outliers. Sorts
/// `values`; `None` if there are none.
pub fn densest_value(values: &mut [f64]) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    let third = values.len() / 3;
    let width = |i: &usize| values[i + third] - values[*i];
    let first = (0..values.len() - third).min_by(|i, j| width(i).total_cmp(&width(j)))?;
    Some(values[first + third / 2])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The best orientation is accepted only with a margin over the second best.
    #[test]
    fn an_interpretation_needs_a_margin() {
        let (x, y, z) = (Vector::x(), Vector::y(), Vector::z());
        // Scores by the direction of X, and by whether Y is mirrored.
        let orient = |shares: [f64; 4], mirrored: f64| {
            let score = move |along: &Vector, across: &Vector| {
                let quarter_turns = [x, y, -x, -y].iter().position(|own| (own - along).norm() < 1e-9).unwrap();
                if z.cross(along).dot(across) < 0.0 { mirrored } else { shares[quarter_turns] }
            };
            best_orientation("Plate", &Point::origin(), [x, y], &z, &score)
        };
        let found = orient([0.6, 0.97, 0.7, 0.6], 0.9).unwrap();
        assert!((found * Vector::x() - y).norm() < 1e-9);
        let sentence = |shares, mirrored| orient(shares, mirrored).unwrap_err().sentence;
        assert!(sentence([0.95, 0.6, 0.94, 0.6], 0.6).contains("rotated by 180°"));
        assert!(sentence([0.95, 0.6, 0.6, 0.94], 0.6).contains("rotated by 270°"));
        assert!(sentence([0.95, 0.6, 0.6, 0.6], 0.94).contains("94.0 % as its mirror image"));
        assert!(sentence([0.7, 0.6, 0.6, 0.6], 0.94).contains("the other handedness"));
        assert!(sentence([0.5, 0.4, 0.4, 0.4], 0.4).contains("not recognised"));
    }
}
