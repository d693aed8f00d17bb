//! The artefact's directions from touches of a few faces: all of its regions, or the plate with one side face, or the
//! plate with both flanks of the long slot.

use super::super::artefacts::angled_slots::Region;
use super::super::artefacts::propagation::{OF_FRAME, Placed, Propagation, no_invariants, of_frame};
use super::super::artefacts::{Measured, Part};
use super::super::{ArtefactFrame, ArtefactKind};
use crate::features::{Kind, fit};
use base::{Progress, Result, UserError};
use geometry::{Point, Pose, Vector};

/// What touches of the plate, and of the side face at its greatest X, are called beside the artefact's regions.
const PLATE: &str = "PLATE";
const SIDE: &str = "SIDE";
/// Least touches of a face: a plane, and one more that tells how even it is.
const LEAST: usize = 4;
/// More touches than this are no touches.
const MOST: usize = 100_000;
/// Faces nearer to parallel than this do not tell a direction.
const LEAST_ANGLE_DEG: f64 = 10.0;

/// Touches of the artefact, CMM frame, mm: places on its faces or centres of the probe's ball, which makes no
/// difference to directions.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Touched {
    kind: ArtefactKind,
    regions: Vec<Vec<Point>>,
    plate: Vec<Point>,
    side: Vec<Point>,
}

impl Touched {
    /// None yet.
    pub fn new(kind: ArtefactKind) -> Self {
        Self::of(kind, Vec::new())
    }

    /// Of the artefact's regions, in its order.
    pub fn of(kind: ArtefactKind, mut regions: Vec<Vec<Point>>) -> Self {
        regions.resize(kind.artefact().regions().len(), Vec::new());
        Self { kind, regions, ..Self::default() }
    }

    /// The artefact.
    pub fn kind(&self) -> ArtefactKind {
        self.kind
    }

    /// One more, of a region of the artefact, of its plate ("PLATE") or of its side face ("SIDE").
    ///
    /// Fails with a sentence where there is no such region.
    pub fn add(&mut self, name: &str, place: Point) -> Result<()> {
        if self.counts().iter().map(|(_, count)| count).sum::<usize>() >= MOST {
            return Err(UserError::input(format!("More than {MOST} touches came; begin anew.")));
        }
        let is = |own: &str| name.trim().eq_ignore_ascii_case(own);
        if is(PLATE) {
            self.plate.push(place);
        } else if is(SIDE) {
            self.side.push(place);
        } else {
            let region = self.kind.artefact().region_of_name(name)?;
            self.regions.resize(self.kind.artefact().regions().len(), Vec::new());
            self.regions[region].push(place);
        }
        Ok(())
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.counts().is_empty()
    }

    /// How many there are of each face that was touched.
    pub fn counts(&self) -> Vec<(&'static str, usize)> {
        let named = self.kind.artefact().regions().iter().map(|region| region.short).zip(&self.regions);
        let all = named.chain([(PLATE, &self.plate), (SIDE, &self.side)]);
        all.map(|(name, points)| (name, points.len())).filter(|(_, count)| *count > 0).collect()
    }

    /// The artefact's frame from what was touched. Where not all of its regions were, only the directions are its own,
    /// and the origin is in the middle of the plate's touches.
    ///
    /// Fails with a sentence where that is too little, or where the faces are not those that they are named after.
    pub fn frame(&self, progress: &Progress) -> Result<ArtefactFrame> {
        let artefact = self.kind.artefact();
        let is_whole = !self.regions.is_empty() && self.regions.iter().all(|region| !region.is_empty());
        if is_whole && artefact.determines()[3..] == [true; 3] {
            return artefact.frame(&self.regions, &Measured::default(), progress);
        }
        let of = |region: Region| match self.kind {
            ArtefactKind::AngledSlots => self.regions.get(region as usize).cloned().unwrap_or_default(),
            _ => Vec::new(),
        };
        let plate = [self.plate.clone(), of(Region::LP), of(Region::RP)].concat();
        let [left, right] = [of(Region::LL), of(Region::LR)];
        if !plate.is_empty() && !self.side.is_empty() {
            return frame_of(&[("plate", plate), ("side face", self.side.clone())], &with_side, progress);
        }
        if !plate.is_empty() && !left.is_empty() && !right.is_empty() {
            let faces = [("plate", plate), ("long slot, left", left), ("long slot, right", right)];
            return frame_of(&faces, &with_slot, progress);
        }
        Err(UserError::input(
            "Touch the plate in four places or more, and either its side face (SIDE) or both flanks of the long slot (LL, \
             LR) in as many.",
        ))
    }
}

/// The frame that `of` makes of the planes through these faces, with what their fits say of its covariance.
fn frame_of(
    faces: &[(&'static str, Vec<Point>)],
    of: &dyn Fn(&[Placed]) -> Result<Pose>,
    progress: &Progress,
) -> Result<ArtefactFrame> {
    let plane = |(name, points): &(&'static str, Vec<Point>)| {
        if points.len() < LEAST {
            let count = points.len();
            return Err(UserError::input(format!("The {name} was touched {count} times; {LEAST} touches are needed.")));
        }
        let options = Measured::default().options();
        fit(Kind::Plane, points, &[], &options, progress).map_err(|error| error.about(name))
    };
    let fits = faces.iter().map(plane).collect::<Result<Vec<_>>>()?;
    let planes: Vec<Placed> =
        fits.iter().map(|fit| (fit.shape.place(), fit.shape.direction().unwrap_or_else(Vector::z))).collect();
    let frame = of(&planes)?;
    let propagation = Propagation { parts: &planes, frame: &frame, of, invariants: &no_invariants };
    let mut covariance = nalgebra::DMatrix::<f64>::zeros(OF_FRAME, OF_FRAME);
    let mut parts = Vec::with_capacity(fits.len());
    for (i, (fit, (name, _))) in fits.into_iter().zip(faces).enumerate() {
        let own = propagation.covariance(i, &fit)?;
        covariance += &own;
        parts.push(Part::new(name, &[], fit, &own));
    }
    Ok(ArtefactFrame::of_noise(frame, of_frame(&covariance), parts))
}

/// Z out of the plate, X out of the side face as far as the plate lets it.
fn with_side(planes: &[Placed]) -> Result<Pose> {
    let &[(plate, normal), (side, facing)] = planes else {
        return Err(UserError::internal("A plate and a side face are two planes."));
    };
    // A side face ends at the plate.
    let z = if (side - plate).dot(&normal) > 0.0 { -normal } else { normal };
    let across = facing - z * facing.dot(&z);
    if across.norm() < LEAST_ANGLE_DEG.to_radians().sin() {
        return Err(UserError::input(
            "The side face was touched on a face along the plate: touch the face at the artefact's greatest X.",
        ));
    }
    let x = across.normalize();
    Ok(along(plate, if (side - plate).dot(&x) < 0.0 { -x } else { x }, z))
}

/// Z out of the plate, Y along the line in which the flanks of the long slot meet, X from the left one to the right.
fn with_slot(planes: &[Placed]) -> Result<Pose> {
    let &[(plate, normal), (left, on_left), (right, on_right)] = planes else {
        return Err(UserError::internal("A plate and two flanks are three planes."));
    };
    let heights = [left, right].map(|place| (place - plate).dot(&normal));
    let z = if heights[0] > 0.0 { -normal } else { normal };
    let line = on_left.cross(&on_right);
    let least = LEAST_ANGLE_DEG.to_radians().sin();
    if heights[0] * heights[1] <= 0.0 || line.norm() < least || line.dot(&z).abs() > least * line.norm() {
        return Err(UserError::input(
            "The touches of LL and LR are not on the two flanks of the long slot: both fall away from the plate and meet \
             in a line along it.",
        ));
    }
    let y = (line - z * line.dot(&z)).normalize();
    let x = y.cross(&z);
    Ok(along(plate, if (right - left).dot(&x) < 0.0 { -x } else { x }, z))
}

fn along(origin: Point, x: Vector, z: Vector) -> Pose {
    let turn = nalgebra::Rotation3::from_basis_unchecked(&[x, z.cross(&x), z]);
    Pose::from_parts(origin.coords.into(), turn.into())
}
