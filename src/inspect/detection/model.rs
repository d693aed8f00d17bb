//! A known part, prepared to be found in scenes.

use std::sync::OnceLock;

use super::features::Features;
use super::symmetry::{self, MirrorImage};
use base::{Result, UserError, once};
use geometry::point_pairs::{OrientedPoint, PairTable, oriented_points, sampled_points};
use geometry::{NearestFacets, Point, Pose, Probes, Surface, rims};

/// Approximate number of points whose pairs are tabulated.
const PAIR_POINTS: usize = 700;
/// Most points on rims.
const MAX_RIMS: usize = 1_000;
/// Approximate number of points that poses are judged by.
const PROBES: usize = 900;
/// Approximate number of points by which details are told apart.
const DENSE: usize = 16_000;
/// The samples are the same in every search.
const SEED: u64 = 7;
/// How far from the part its lattice is exact, and how far it reaches, as shares of the diameter.
const LATTICE_EXACT: f64 = 0.05;
const LATTICE_REACH: f64 = 0.1;

/// A known part.
pub struct PartModel<'a> {
    /// Name, for messages.
    pub name: String,
    /// Its surface, part frame.
    pub surface: &'a Surface,
    /// Points of its surface whose pairs vote.
    pub pairs: Pairs,
    /// Points on the rims of its faces whose pairs vote.
    pub rim_pairs: Pairs,
    /// Points that poses are judged by: those of its surface that can be seen from outside.
    pub probes: Probes,
    /// Its facets, by position: for fits of many poses.
    pub lattice: NearestFacets<'a>,
    /// Motions that map it nearly onto itself, part frame.
    pub turns: Vec<Pose>,
    /// How its mirror image may be taken for it.
    pub mirror_image: MirrorImage,
    /// Greatest extent, mm.
    pub diameter_mm: f64,
    /// Spacing of the points whose pairs vote, mm.
    pub spacing_mm: f64,
    /// Points close enough to each other to lie on details, inner faces among them.
    pub dense: Vec<OrientedPoint>,
    /// See [`PartModel::features`].
    features: OnceLock<Features>,
}

/// Points of a part and all their pairs.
pub struct Pairs {
    /// The points.
    pub points: Vec<OrientedPoint>,
    /// Their pairs.
    pub table: PairTable,
}

impl Pairs {
    fn new(points: Vec<OrientedPoint>, spacing_mm: f64) -> Self {
        Self { table: PairTable::new(&points, spacing_mm), points }
    }
}

impl<'a> PartModel<'a> {
    /// Prepares a part. Returns an error if it has no facets.
    pub fn new(name: &str, surface: &'a Surface) -> Result<Self> {
        let mesh = surface.mesh();
        let diameter_mm = surface.bounds().diagonal();
        if mesh.facets.is_empty() || diameter_mm.is_nan() || diameter_mm <= 0.0 {
            return Err(UserError::input(format!("“{name}” has no facets, so it cannot be looked for.")));
        }
        // Parts of many folds have more area than their size shows; what is finer than a thirtieth is left out.
        let spacing_mm = (mesh.area_mm2() / PAIR_POINTS as f64).sqrt().max(diameter_mm / 30.0);
        let points = oriented_points(mesh, PAIR_POINTS, spacing_mm);
        let pairs = Pairs::new(Probes::new(surface, &points).points, spacing_mm);
        let probes = Probes::new(surface, &sampled_points(mesh, PROBES, SEED));
        if pairs.points.len() < 3 || probes.points.is_empty() {
            return Err(UserError::input(format!(
                "“{name}” shows no surface from outside, so it cannot be looked for."
            )));
        }
        let mut model = Self {
            name: name.to_owned(),
            surface,
            pairs,
            rim_pairs: Pairs::new(rims::of_surface(surface, spacing_mm, MAX_RIMS), spacing_mm),
            probes,
            lattice: NearestFacets::new(surface, LATTICE_EXACT * diameter_mm, LATTICE_REACH * diameter_mm),
            turns: Vec::new(),
            mirror_image: MirrorImage::none(),
            diameter_mm,
            spacing_mm,
            dense: sampled_points(mesh, DENSE, SEED),
            features: OnceLock::new(),
        };
        model.turns = symmetry::turns(&model)?;
        model.mirror_image = symmetry::mirror_image(&model)?;
        Ok(model)
    }

    /// Its local features.
    pub fn features(&self) -> &Features {
        once::get_or_make::<Features>(&self.features, || Features::new(self.surface, self.spacing_mm))
    }

    /// Centre of its bounds, part frame, mm.
    pub fn centre(&self) -> Point {
        self.surface.bounds().centre()
    }

    /// Mean distance of its probes, in pose `a`, from its surface in pose `b`, mm: small also for two poses of a symmetric
    /// part that look alike (ADD-S; Hinterstoisser et al. 2012, Xiang et al. 2018). Both map the part into the scene.
    pub fn distance_mm(&self, a: &Pose, b: &Pose) -> f64 {
        let b_from_a = b.inverse() * a;
        let step = (self.probes.points.len() / 60).max(1);
        let (mut sum, mut count) = (0.0, 0);
        for probe in self.probes.points.iter().step_by(step) {
            let hit = self.surface.closest_point(&(b_from_a * probe.point), 4.0 * self.diameter_mm);
            sum += hit.map_or(4.0 * self.diameter_mm, |hit| hit.distance_mm);
            count += 1;
        }
        sum / f64::from(count.max(1))
    }

    /// Whether no probe in pose `a` is farther than `limit_mm` from the surface in pose `b`: the two look alike, in every
    /// detail.
    pub fn is_within(&self, a: &Pose, b: &Pose, limit_mm: f64) -> bool {
        let b_from_a = b.inverse() * a;
        self.probes.points.iter().all(|probe| self.is_near(&(b_from_a * probe.point), limit_mm))
    }

    /// Whether a position, part frame, is within `limit_mm` of the surface.
    pub fn is_near(&self, position: &Point, limit_mm: f64) -> bool {
        match limit_mm <= LATTICE_EXACT * self.diameter_mm {
            true => self.lattice.is_within(position, limit_mm),
            false => self.surface.closest_point(position, limit_mm).is_some(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use geometry::Vector;
    use geometry::mesh::shapes;

    #[test]
    fn what_no_direction_sees_is_left_out() {
        let mut mesh = shapes::cuboid(Point::new(-10.0, -10.0, -10.0), Point::new(10.0, 10.0, 10.0));
        mesh.append(&shapes::cuboid(Point::new(-4.0, -4.0, -4.0), Point::new(4.0, 4.0, 4.0)));
        let surface = Surface::new(mesh);
        let model = PartModel::new("box in a box", &surface).unwrap();
        let is_outer = |own: &OrientedPoint| own.point.coords.amax() > 9.99;
        assert!(model.probes.points.iter().all(is_outer) && model.pairs.points.iter().all(is_outer));
        assert!(model.probes.points.len() > 500 && model.pairs.points.len() > 300, "{}", model.pairs.points.len());
    }

    #[test]
    fn poses_of_a_symmetric_part_that_look_alike_are_near() {
        let surface = Surface::new(shapes::cuboid(Point::new(-10.0, -10.0, -2.0), Point::new(10.0, 10.0, 2.0)));
        let model = PartModel::new("plate", &surface).unwrap();
        let quarter = Pose::rotation(Vector::z() * std::f64::consts::FRAC_PI_2);
        let eighth = Pose::rotation(Vector::z() * std::f64::consts::FRAC_PI_4);
        let apart = |pose: &Pose| model.distance_mm(&Pose::identity(), pose);
        assert!(apart(&quarter) < 1e-9 && apart(&eighth) > 0.5, "{} {}", apart(&quarter), apart(&eighth));
        assert!(PartModel::new("nothing", &Surface::new(geometry::Mesh::default())).is_err());
    }
}
