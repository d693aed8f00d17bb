//! Uncertainty of the surface of a scan at a point, by the noise that the scan shows about it.
//!
//! Noise that is correlated over more than the vicinity of a point moves all points there alike, so that their scatter
//! says nothing of it. So the same is measured at other places of the face, on a grid about the point, and the noise of
//! these values about a plane is estimated with its correlation, as for fits (`features::fits`): what cannot be told from
//! noise at that scale, such as a wavy form, counts as noise. A face too small for that shows the correlation of its
//! points instead, and what they have in common counts in full (JCGM 100:2008, F.1.2).

use std::collections::BTreeMap;

use super::{Direction, Held, LocalFit, MAX_DEVIATION_RADII, ReferencePoint};
use crate::features::fits::{PlaceNoise, of_places};
use crate::robust_scale::{SIGMA_OF_MEDIAN, median};
use geometry::{DisjointSets, KdTree, Point, Pose, Surface, Vector, draw, transform};

/// Places on each side of the point along both axes, and where there are many points.
const PLACES: i32 = 4;
const FEW_PLACES: i32 = 3;
/// Number of points above which each has fewer places.
pub(super) const MANY_POINTS: usize = 300;
/// Distances of neighbouring places that are tried, in radii: far apart they show long correlation, and are independent
/// of each other where it is short.
const PITCHES_RADII: [f64; 3] = [4.0, 3.0, 2.0];
/// Share of all places that a pitch must find on the face for no smaller one to be tried.
const MIN_FOUND: f64 = 0.6;
/// Minimum number of places, and of points in place of them.
const MIN_PLACES: usize = 20;
/// Maximum number of scan points that are measured at a place, and that take the part of places.
const MAX_POINTS: usize = 400;
const MAX_SINGLE_POINTS: usize = 80;
/// Robust standard deviations at which a value is cut off: beyond them there is a defect rather than noise.
const MAX_SIGMAS: f64 = 3.5;
/// Robust standard deviations of the differences of neighbouring places, above which there is a step between two.
const MAX_JUMP_SIGMAS: f64 = 6.0;
/// Scatter below which there is no noise, mm.
const NO_SCATTER_MM: f64 = 1e-9;
/// Minimum cosine between the normals of the point and of another place of its face.
const MIN_COSINE: f64 = 0.5;
/// Share of the scan points about the point that another place must have: at a border, fewer give a less certain value.
const MIN_DENSITY: f64 = 0.7;
/// Maximum distance of a place from its position in the tangent plane, as a share of their distances.
const MAX_OFF_PLANE: f64 = 0.25;

/// A scan on its nominal.
pub(super) struct Field<'a> {
    pub nominal: &'a Surface,
    pub scan: &'a [Point],
    /// Tree of the scan's points.
    pub tree: &'a KdTree,
    pub pose: &'a Pose,
    /// Radius of the vicinity of a point, mm.
    pub radius_mm: f64,
}

/// A value at a position in the tangent plane of the point.
struct Place {
    /// Where it stands on the grid.
    node: [i32; 2],
    position: Vector,
    value_mm: f64,
}

impl Field<'_> {
    /// The scan points that may belong to the vicinity of a point of the nominal, scan frame; of more than `most` those
    /// drawn.
    pub fn near(&self, foot: &Point, most: usize) -> Vec<Point> {
        let mut indices = Vec::new();
        let reach_mm = MAX_DEVIATION_RADII * self.radius_mm + self.radius_mm;
        self.tree.within_radius(&(self.pose.inverse() * foot), reach_mm, |near| indices.push(near.number));
        if indices.len() > most {
            indices.sort_unstable_by_key(|&index| draw::key(&self.scan[index as usize]));
            indices.truncate(most);
        }
        indices.sort_unstable();
        indices.into_iter().map(|index| self.scan[index as usize]).collect()
    }

    /// Expanded uncertainty (k = 2) of the deviation at `held`, mm.
    pub fn uncertainty_mm(&self, held: &Held<'_>, fit: &LocalFit, is_many: bool) -> Option<f64> {
        let variance = self.by_places(held, fit.samples.len(), is_many).or_else(|| by_points(fit))?;
        Some(2.0 * variance.sqrt() / held.along.dot(&held.normal).abs())
    }

    /// Variance of the value at a place, mm², from other places of the face; `None` if there are too few.
    fn by_places(&self, held: &Held<'_>, points: usize, is_many: bool) -> Option<f64> {
        let side = if is_many { FEW_PLACES } else { PLACES };
        let all = (2 * side + 1).pow(2) as f64;
        let mut best = Vec::new();
        for pitch in PITCHES_RADII {
            let found = self.places(held, points, side, pitch * self.radius_mm);
            if found.len() > best.len() {
                best = found;
            }
            if best.len() as f64 >= MIN_FOUND * all {
                break;
            }
        }
        (best.len() >= MIN_PLACES).then(|| noise(&best).map(|own| own.independent + own.common))?
    }

    /// The same as at the point, measured at other places of its face.
    fn places(&self, held: &Held<'_>, points: usize, side: i32, pitch_mm: f64) -> Vec<Place> {
        let needed = MIN_DENSITY * points.min(MAX_POINTS) as f64;
        let [u, v] = transform::perpendicular_axes(&held.normal);
        let stand_in = ReferencePoint::held_along(String::new(), held.foot, Direction::Normal);
        let grid = (-side..=side).flat_map(|i| (-side..=side).map(move |j| [i, j]));
        let place = |node: [i32; 2]| {
            let [i, j] = node.map(f64::from);
            let hit =
                self.nominal.closest_point(&(held.foot + (u * i + v * j) * pitch_mm), MAX_OFF_PLANE * pitch_mm)?;
            let normal = self.nominal.mesh().normal(hit.facet as usize);
            let own = Held { own: &stand_in, direction: Direction::Normal, foot: hit.point, normal, along: normal };
            let near = self.near(&hit.point, MAX_POINTS);
            let is_of_face = normal.dot(&held.normal) > MIN_COSINE;
            let fit = own.fit(self.nominal, &near, self.pose, self.radius_mm).ok()?;
            if !is_of_face || (fit.samples.len() as f64) < needed {
                return None;
            }
            Some(Place { node, position: hit.point - held.foot, value_mm: fit.deviation_mm })
        };
        on_this_side_of_steps(grid.filter_map(place).collect())
    }
}

/// The places that lead from the one nearest to the point from neighbour to neighbour without a jump: a step of the face is
/// form, and no noise.
fn on_this_side_of_steps(places: Vec<Place>) -> Vec<Place> {
    let index_of: BTreeMap<[i32; 2], usize> = places.iter().enumerate().map(|(index, own)| (own.node, index)).collect();
    let links: Vec<[usize; 2]> = places
        .iter()
        .enumerate()
        .flat_map(|(index, own)| [[1, 0], [0, 1]].map(|[i, j]| (index, [own.node[0] + i, own.node[1] + j])))
        .filter_map(|(index, next)| Some([index, *index_of.get(&next)?]))
        .collect();
    let jump_mm = |[one, other]: &[usize; 2]| (places[*one].value_mm - places[*other].value_mm).abs();
    let Some(typical_mm) = median(&mut links.iter().map(jump_mm).collect::<Vec<_>>()) else { return places };
    let limit_mm = (MAX_JUMP_SIGMAS * SIGMA_OF_MEDIAN * typical_mm).max(NO_SCATTER_MM);
    let mut sets = DisjointSets::new(places.len());
    links.iter().filter(|link| jump_mm(link) <= limit_mm).for_each(|&[one, other]| sets.join(one as u32, other as u32));
    let from_point = |own: &Place| own.node[0].pow(2) + own.node[1].pow(2);
    let Some(start) = (0..places.len()).min_by_key(|&index| from_point(&places[index])) else { return places };
    let root = sets.root(start as u32);
    let is_joined: Vec<bool> = (0..places.len() as u32).map(|index| sets.root(index) == root).collect();
    places.into_iter().zip(is_joined).filter_map(|(own, is_joined)| is_joined.then_some(own)).collect()
}

/// Variance of the value of a fit, mm², from its points; `None` if there are too few.
fn by_points(fit: &LocalFit) -> Option<f64> {
    let count = fit.samples.len();
    let step = count.div_ceil(MAX_SINGLE_POINTS).max(1);
    let place = |[x, y, value]: &[f64; 3]| Place { node: [0; 2], position: Vector::new(*x, *y, 0.0), value_mm: *value };
    let places: Vec<Place> = fit.samples.iter().step_by(step).map(place).collect();
    if count < MIN_PLACES {
        return None;
    }
    let own = noise(&places)?;
    Some(own.independent / count as f64 + own.common)
}

/// The noise of values about a plane, those far from it cut off; 0 if there is none.
fn noise(places: &[Place]) -> Option<PlaceNoise> {
    let scale = places.iter().map(|own| own.position.norm()).fold(f64::MIN_POSITIVE, f64::max);
    // Two directions along the face suffice: it is nearly flat here.
    let [u, v] = axes(places);
    let trend: Vec<[f64; 3]> =
        places.iter().map(|own| [1.0, own.position.dot(&u) / scale, own.position.dot(&v) / scale]).collect();
    let mut values: Vec<f64> = places.iter().map(|own| own.value_mm).collect();
    let residuals = about_trend(&trend, &values)?;
    let mut sizes: Vec<f64> = residuals.iter().map(|own| own.abs()).collect();
    if sizes.iter().all(|own| *own < NO_SCATTER_MM) {
        return Some(PlaceNoise::default());
    }
    let limit_mm = (MAX_SIGMAS * SIGMA_OF_MEDIAN * median(&mut sizes)?).max(NO_SCATTER_MM);
    for (value, residual) in values.iter_mut().zip(&residuals) {
        *value += residual.clamp(-limit_mm, limit_mm) - residual;
    }
    let positions: Vec<Vector> = places.iter().map(|own| own.position).collect();
    of_places(&positions, &values, &trend)
}

/// The two directions of largest extent of places.
fn axes(places: &[Place]) -> [Vector; 2] {
    let count = places.len().max(1) as f64;
    let mean = places.iter().map(|own| own.position).sum::<Vector>() / count;
    let spread = places.iter().fold(nalgebra::Matrix3::zeros(), |sum, own| {
        let offset = own.position - mean;
        sum + offset * offset.transpose()
    });
    let eigen = nalgebra::SymmetricEigen::new(spread);
    let thin = eigen.eigenvalues.imin();
    let [first, second] = match thin {
        0 => [1, 2],
        1 => [0, 2],
        _ => [0, 1],
    };
    [first, second].map(|axis| eigen.eigenvectors.column(axis).into_owned())
}

/// Residuals about the trend by medians of medians would need more points; two rounds of cut-off least squares do here.
fn about_trend(trend: &[[f64; 3]], values: &[f64]) -> Option<Vec<f64>> {
    let mut used: Vec<f64> = values.to_vec();
    let mut residuals = Vec::new();
    for _ in 0..3 {
        let (mut matrix, mut right) = (nalgebra::Matrix3::<f64>::zeros(), nalgebra::Vector3::zeros());
        for (row, value) in trend.iter().zip(&used) {
            let row = nalgebra::Vector3::from(*row);
            matrix += row * row.transpose();
            right += row * *value;
        }
        let solution = matrix.cholesky()?.solve(&right);
        residuals =
            trend.iter().zip(values).map(|(row, value)| value - nalgebra::Vector3::from(*row).dot(&solution)).collect();
        let mut sizes: Vec<f64> = residuals.iter().map(|own| own.abs()).collect();
        let limit_mm = MAX_SIGMAS * SIGMA_OF_MEDIAN * median(&mut sizes)?;
        used = values.iter().zip(&residuals).map(|(value, own)| value - own + own.clamp(-limit_mm, limit_mm)).collect();
    }
    Some(residuals)
}
