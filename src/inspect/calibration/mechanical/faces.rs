//! Directions of the artefact from probed points on a few faces: all of its regions, or the plate with one side face,
//! or the plate with both flanks of the long slot.

use super::super::artefacts::angled_slots::Region;
use super::super::artefacts::propagation::{FRAME_QUANTITIES, PointDirection, Propagation, frame_block, no_invariants};
use super::super::artefacts::{Measured, Part};
use super::super::{ArtefactFrame, ArtefactKind};
use crate::features::{Kind, fit};
use base::{Progress, Result, UserError};
use geometry::{Point, Pose, Vector};

/// Names of the plate, and of the side face at maximum X, in addition to the artefact's regions.
const PLATE: &str = "PLATE";
const SIDE: &str = "SIDE";
/// Minimum number of probed points of a face: three for a plane, and one for its form error.
const MIN_POINTS: usize = 4;
/// Maximum number of probed points: more indicate a faulty source.
const MAX_POINTS: usize = 100_000;
/// Minimum angle between faces that define a direction, degrees.
const MIN_ANGLE_DEG: f64 = 10.0;

/// Probed points of the artefact, CMM frame, mm: surface points or stylus tip centres, which makes no difference to
/// directions.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Touched {
    kind: ArtefactKind,
    regions: Vec<Vec<Point>>,
    plate: Vec<Point>,
    side: Vec<Point>,
}

impl Touched {
    /// No points yet.
    pub fn new(kind: ArtefactKind) -> Self {
        Self::of(kind, Vec::new())
    }

    /// Points of the artefact's regions, in its order.
    pub fn of(kind: ArtefactKind, mut regions: Vec<Vec<Point>>) -> Self {
        regions.resize(kind.artefact().regions().len(), Vec::new());
        Self { kind, regions, ..Self::default() }
    }

    /// The kind of artefact.
    pub fn kind(&self) -> ArtefactKind {
        self.kind
    }

    /// Adds a point of a region of the artefact, of its plate ("PLATE") or of its side face ("SIDE").
    ///
    /// Returns an error if there is no such region, or if there are too many points.
    pub fn add(&mut self, name: &str, point: Point) -> Result<()> {
        if self.counts().iter().map(|(_, count)| count).sum::<usize>() >= MAX_POINTS {
            return Err(UserError::input(format!("More than {MAX_POINTS} touches were received; start again.")));
        }
        let is_named = |own: &str| name.trim().eq_ignore_ascii_case(own);
        if is_named(PLATE) {
            self.plate.push(point);
        } else if is_named(SIDE) {
            self.side.push(point);
        } else {
            let region = self.kind.artefact().region_of_name(name)?;
            self.regions.resize(self.kind.artefact().regions().len(), Vec::new());
            self.regions[region].push(point);
        }
        Ok(())
    }

    /// Whether there are no points.
    pub fn is_empty(&self) -> bool {
        self.counts().is_empty()
    }

    /// Number of points of each probed face.
    pub fn counts(&self) -> Vec<(&'static str, usize)> {
        let named = self.kind.artefact().regions().iter().map(|region| region.short).zip(&self.regions);
        let all = named.chain([(PLATE, &self.plate), (SIDE, &self.side)]);
        all.map(|(name, points)| (name, points.len())).filter(|(_, count)| *count > 0).collect()
    }

    /// The artefact's frame from the probed points. If not all of its regions were probed, only the directions are
    /// meaningful, and the origin is in the middle of the plate's points.
    ///
    /// Returns an error if the points are not sufficient, or if the faces are not those that they are named after.
    pub fn frame(&self, progress: &Progress) -> Result<ArtefactFrame> {
        let artefact = self.kind.artefact();
        let is_whole = !self.regions.is_empty() && self.regions.iter().all(|region| !region.is_empty());
        if is_whole && artefact.determines()[3..] == [true; 3] {
            return artefact.frame(&self.regions, &Measured::default(), progress);
        }
        let points_of = |region: Region| match self.kind {
            ArtefactKind::AngledSlots => self.regions.get(region as usize).cloned().unwrap_or_default(),
            _ => Vec::new(),
        };
        let plate = [self.plate.clone(), points_of(Region::LP), points_of(Region::RP)].concat();
        let [left, right] = [points_of(Region::LL), points_of(Region::LR)];
        if !plate.is_empty() && !self.side.is_empty() {
            return frame_from_faces(&[("plate", plate), ("side face", self.side.clone())], &with_side, progress);
        }
        if !plate.is_empty() && !left.is_empty() && !right.is_empty() {
            let faces = [("plate", plate), ("long slot, left", left), ("long slot, right", right)];
            return frame_from_faces(&faces, &with_slot, progress);
        }
        Err(UserError::input(
            "Touch the plate at four points or more, and either its side face (SIDE) or both flanks of the long slot \
             (LL, LR) at as many.",
        ))
    }
}

/// Frame determined by `frame_of` from the planes through these faces, with its covariance from the fits.
fn frame_from_faces(
    faces: &[(&'static str, Vec<Point>)],
    frame_of: &dyn Fn(&[PointDirection]) -> Result<Pose>,
    progress: &Progress,
) -> Result<ArtefactFrame> {
    let plane = |(name, points): &(&'static str, Vec<Point>)| {
        if points.len() < MIN_POINTS {
            let count = points.len();
            return Err(UserError::input(format!(
                "The {name} was touched {count} times; {MIN_POINTS} touches are needed."
            )));
        }
        let options = Measured::default().options();
        fit(Kind::Plane, points, &[], &options, progress).map_err(|error| error.about(name))
    };
    let fits = faces.iter().map(plane).collect::<Result<Vec<_>>>()?;
    let planes: Vec<PointDirection> =
        fits.iter().map(|fit| (fit.shape.position(), fit.shape.direction().unwrap_or_else(Vector::z))).collect();
    let frame = frame_of(&planes)?;
    let propagation = Propagation { parts: &planes, frame: &frame, frame_of, invariants: &no_invariants };
    let mut covariance = nalgebra::DMatrix::<f64>::zeros(FRAME_QUANTITIES, FRAME_QUANTITIES);
    let mut parts = Vec::with_capacity(fits.len());
    for (i, (fit, (name, _))) in fits.into_iter().zip(faces).enumerate() {
        let own = propagation.covariance(i, &fit)?;
        covariance += &own;
        parts.push(Part::new(name, &[], fit, &own));
    }
    Ok(ArtefactFrame::noise_only(frame, frame_block(&covariance), parts))
}

/// Z out of the plate, X out of the side face, projected onto the plate.
fn with_side(planes: &[PointDirection]) -> Result<Pose> {
    let &[(plate, normal), (side, facing)] = planes else {
        return Err(UserError::internal("A plate and a side face are two planes."));
    };
    // A side face lies below the plate.
    let z = if (side - plate).dot(&normal) > 0.0 { -normal } else { normal };
    let across = facing - z * facing.dot(&z);
    if across.norm() < MIN_ANGLE_DEG.to_radians().sin() {
        return Err(UserError::input(
            "The side face was touched on a face parallel to the plate: touch the face at the artefact's maximum X.",
        ));
    }
    let x = across.normalize();
    Ok(pose(plate, if (side - plate).dot(&x) < 0.0 { -x } else { x }, z))
}

/// Z out of the plate, Y along the line in which the flanks of the long slot intersect, X from the left flank to the
/// right.
fn with_slot(planes: &[PointDirection]) -> Result<Pose> {
    let &[(plate, normal), (left, left_normal), (right, right_normal)] = planes else {
        return Err(UserError::internal("A plate and two flanks are three planes."));
    };
    let heights = [left, right].map(|point| (point - plate).dot(&normal));
    let z = if heights[0] > 0.0 { -normal } else { normal };
    let line = left_normal.cross(&right_normal);
    let min_sine = MIN_ANGLE_DEG.to_radians().sin();
    if heights[0] * heights[1] <= 0.0 || line.norm() < min_sine || line.dot(&z).abs() > min_sine * line.norm() {
        return Err(UserError::input(
            "The touches of LL and LR are not on the two flanks of the long slot: these slope down from the plate and \
             intersect in a line parallel to it.",
        ));
    }
    let y = (line - z * line.dot(&z)).normalize();
    let x = y.cross(&z);
    Ok(pose(plate, if (right - left).dot(&x) < 0.0 { -x } else { x }, z))
}

fn pose(origin: Point, x: Vector, z: Vector) -> Pose {
    let rotation = nalgebra::Rotation3::from_basis_unchecked(&[x, z.cross(&x), z]);
    Pose::from_parts(origin.coords.into(), rotation.into())
}
