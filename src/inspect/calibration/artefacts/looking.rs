//! What looking for an artefact in a whole snapshot has in common: an even sample of its points with the way the surface
//! looks there, the two ways across which its faces or marks lie, and which of the ways of laying it fits.

use super::{Artefact, Measured};
use base::{Progress, Result, UserError};
use compute::{Compute, cpu::Cpu, neighbourhoods};
use geometry::{Point, Pose, SearchablePoints, Subset, Vector, thinning};

/// Points that normals are found from.
const NEIGHBOURS: usize = 24;
/// Points that a sample needs.
const LEAST: usize = 500;
/// Share of the points that must lie on the drawing, or on the CAD of one's own artefact.
pub const RECOGNISED: f64 = 0.6;
/// By what share of the points the mirror image must fit better to be taken for the truth.
pub const CLEARLY: f64 = 0.02;
/// By what share an interpretation must fit better than any other to be taken.
const MARGIN: f64 = 0.02;

/// A sentence that says why an artefact was not recognised.
pub fn not_recognised(artefact: &str, why: &str) -> UserError {
    UserError::input(format!(
        "The artefact ({}) was not recognised: {why}. Brush its regions by hand, or take a snapshot that shows it whole.",
        artefact.to_lowercase()
    ))
}

/// Some of the points, evenly spread, with the way the surface looks there.
pub struct Sample {
    /// Places, mm; the sensor is at the origin.
    pub points: Vec<Point>,
    /// Unit vectors towards the sensor's side.
    pub normals: Vec<Vector>,
}

impl Sample {
    /// Of a snapshot of `artefact`, a point in each cell of `cell_mm`.
    pub fn of(artefact: &str, points: &[Point], cell_mm: f64, progress: &Progress) -> Result<Self> {
        let kept: Vec<Point> =
            thinning::one_per_dense_cell(points, cell_mm).iter().map(|&number| points[number as usize]).collect();
        if kept.len() < LEAST {
            return Err(not_recognised(artefact, "there are too few points"));
        }
        let searchable = SearchablePoints::new(&kept);
        let request = neighbourhoods::Request { points: &searchable, neighbours: NEIGHBOURS };
        let found = Cpu.compute(&request, progress)?;
        // The sensor, at the origin, sees only what looks at it.
        let towards =
            |(point, normal): (&Point, Vector)| if normal.dot(&point.coords) > 0.0 { -normal } else { normal };
        let normals = kept.iter().zip(found.iter().map(|own| own.normal)).map(towards).collect();
        Ok(Self { points: kept, normals })
    }
}

/// The two ways, square to `up` and to each other, that most of `ways` point along or against.
pub fn square_ways(ways: impl Iterator<Item = Vector> + Clone, up: &Vector) -> Option<[Vector; 2]> {
    // Four times their angle is the same for all.
    let e1 = ways.clone().next()?;
    let e2 = up.cross(&e1);
    let mut quarter = 0.0;
    for round in 0..4 {
        let near = |angle: &f64| round == 0 || (4.0 * (angle - quarter)).cos() > 0.0;
        let angles = ways.clone().map(|way| way.dot(&e2).atan2(way.dot(&e1))).filter(near);
        let (sin, cos) = angles.fold((0.0, 0.0), |(s, c), angle| (s + (4.0 * angle).sin(), c + (4.0 * angle).cos()));
        quarter = sin.atan2(cos) / 4.0;
    }
    let a = e1 * quarter.cos() + e2 * quarter.sin();
    Some([a, up.cross(&a)])
}

/// Of the ways of laying X along ±a or ±b about `origin`, b being a quarter turn from a, the one that `score` (X, Y; the
/// share of what shows the way, 0 to 1) likes best. All eight are scored, the mirror images too.
///
/// Fails with a sentence where none fits, where a mirror image fits better, or where another fits about as well.
pub fn best_way(
    artefact: &str,
    origin: &Point,
    [a, b]: [Vector; 2],
    up: &Vector,
    score: &dyn Fn(&Vector, &Vector) -> f64,
) -> Result<Pose> {
    let scored = |mirror: f64| [a, b, -a, -b].map(|x| score(&x, &(up.cross(&x) * mirror)));
    let (shares, mirrored) = (scored(1.0), scored(-1.0));
    let best = |shares: &[f64; 4]| (0..4).max_by(|&i, &j| shares[i].total_cmp(&shares[j])).unwrap_or(0);
    let way = best(&shares);
    let (right, reflected) = (shares[way], mirrored[best(&mirrored)]);
    if reflected > right + CLEARLY && reflected >= RECOGNISED {
        return Err(UserError::input(format!(
            "The artefact appears as its mirror image ({:.1} % of what shows how it lies fits that, {:.1} % the artefact \
             itself): the sensor's frame is of the other handedness than was said.",
            100.0 * reflected,
            100.0 * right
        )));
    }
    if right < RECOGNISED {
        let why = format!("only {:.0} % of what shows how it lies is where the drawing has it", 100.0 * right);
        return Err(not_recognised(artefact, &why));
    }
    let turned = (1..4).map(|turns| (shares[(way + turns) % 4], format!("turned by {} degrees", 90 * turns)));
    let others = turned.chain([(reflected, "as its mirror image".to_owned())]);
    let second = others.max_by(|one, other| one.0.total_cmp(&other.0));
    if let Some((share, how)) = second.filter(|(share, _)| right - share < MARGIN) {
        return Err(UserError::input(format!(
            "Two interpretations of the snapshot fit, and neither clearly better ({:.1} %, and {:.1} % {how}): what tells \
             them apart is not in view. Take a snapshot that shows the whole artefact, or brush its regions by hand.",
            100.0 * right,
            100.0 * share
        )));
    }
    Ok(pose(origin, &[a, b, -a, -b][way], up))
}

/// The points of each of `count` regions; `region_at` says which one a place in the artefact's frame belongs to.
pub fn named(
    points: &[Point],
    device_from_artefact: &Pose,
    count: usize,
    region_at: &dyn Fn(&Point) -> Option<usize>,
) -> Vec<Subset> {
    let mut regions = vec![Vec::new(); count];
    let artefact_from_device = device_from_artefact.inverse();
    for (number, point) in (0..).zip(points) {
        if let Some(region) = region_at(&(artefact_from_device * point)) {
            regions[region].push(number);
        }
    }
    regions.into_iter().map(Subset::new).collect()
}

/// The same from a rough frame, and once more from the frame that these regions give.
pub fn named_twice(
    artefact: &dyn Artefact,
    points: &[Point],
    rough: &Pose,
    region_at: &dyn Fn(&Point) -> Option<usize>,
    progress: &Progress,
) -> Result<Vec<Subset>> {
    let count = artefact.regions().len();
    let places = |region: &Subset| region.iter().map(|&number| points[number as usize]).collect();
    let rough: Vec<Vec<Point>> = named(points, rough, count, region_at).iter().map(places).collect();
    let frame = artefact.frame(&rough, &Measured { clip_sigmas: Some(3.0), ..Measured::default() }, progress)?;
    Ok(named(points, &frame.device_from_artefact, count, region_at))
}

/// The frame at `origin` with that X and Z.
pub fn pose(origin: &Point, x: &Vector, up: &Vector) -> Pose {
    let turn = nalgebra::Rotation3::from_basis_unchecked(&[*x, up.cross(x), *up]);
    Pose::from_parts(origin.coords.into(), nalgebra::UnitQuaternion::from_rotation_matrix(&turn))
}

/// The middle of the narrowest stretch that holds a third of `values`: others tell other places.
pub fn densest(values: &mut [f64]) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    let third = values.len() / 3;
    let width = |i: &usize| values[i + third] - values[*i];
    let first = (0..values.len() - third).min_by(|i, j| width(i).total_cmp(&width(j)))?;
    Some(values[first + third / 2])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The way that scores best is taken only with a margin over the second.
    #[test]
    fn an_interpretation_needs_a_margin() {
        let (x, y, z) = (Vector::x(), Vector::y(), Vector::z());
        // By the way that X points, and whether Y is mirrored.
        let laid = |shares: [f64; 4], mirrored: f64| {
            let score = move |along: &Vector, across: &Vector| {
                let turns = [x, y, -x, -y].iter().position(|own| (own - along).norm() < 1e-9).unwrap();
                if z.cross(along).dot(across) < 0.0 { mirrored } else { shares[turns] }
            };
            best_way("Plate", &Point::origin(), [x, y], &z, &score)
        };
        let found = laid([0.6, 0.97, 0.7, 0.6], 0.9).unwrap();
        assert!((found * Vector::x() - y).norm() < 1e-9);
        let said = |shares, mirrored| laid(shares, mirrored).unwrap_err().sentence;
        assert!(said([0.95, 0.6, 0.94, 0.6], 0.6).contains("turned by 180 degrees"));
        assert!(said([0.95, 0.6, 0.6, 0.94], 0.6).contains("turned by 270 degrees"));
        assert!(said([0.95, 0.6, 0.6, 0.6], 0.94).contains("94.0 % as its mirror image"));
        assert!(said([0.7, 0.6, 0.6, 0.6], 0.94).contains("of the other handedness"));
        assert!(said([0.5, 0.4, 0.4, 0.4], 0.4).contains("not recognised"));
    }
}
