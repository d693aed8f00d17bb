//! Measured features: fitted to points of a scan, or made from others.

use std::sync::Arc;

use super::constructions::{Constructed, Construction};
use super::element::Situation;
use super::measures::{Known, distance};
use super::slot::SlotFit;
use super::{Element, Fit, Shape};
use crate::recipe::{Figure, Product};
use crate::verdict::Verdict;
use base::UserError;
use geometry::{Point, Subset};

/// A measured feature, in the frame of the scan.
#[derive(Clone, Debug)]
pub struct MeasuredFeature {
    /// What it is; of a slot its mid-plane.
    pub element: Element,
    /// How it came to be.
    pub by: MeasuredBy,
    /// The scan's points that it was fitted to, by their numbers; none of constructed ones.
    pub numbers: Subset,
    /// Of a plane that was fitted together with parallel ones: the points of those.
    pub beside: Vec<Subset>,
    /// The points that it was fitted to, mm; of a plane midway between two the points of both.
    pub points: Vec<Point>,
    /// What it should be, in the frame of the nominal.
    pub nominal: Option<Element>,
}

/// How a measured feature came to be.
#[derive(Clone, Debug)]
pub enum MeasuredBy {
    /// Fitted.
    Fit(Arc<Fit>),
    /// Fitted as a slot.
    Slot(Arc<SlotFit>),
    /// Made from others.
    Construction {
        /// What came of it.
        made: Box<Constructed>,
        /// Of a plane midway between two: their distance, mm.
        size_mm: Option<f64>,
    },
}

impl MeasuredFeature {
    /// Made from `parts`. A plane midway between two reaches as far as the points of both, and their distance is its
    /// size.
    pub fn constructed(
        construction: Construction,
        made: Constructed,
        parts: &[&Self],
        nominal: Option<Element>,
    ) -> Self {
        let mut own = Self {
            element: made.element,
            by: MeasuredBy::Construction { made: Box::new(made), size_mm: None },
            numbers: Subset::default(),
            beside: Vec::new(),
            points: Vec::new(),
            nominal,
        };
        if let (Construction::Middle, Situation::Plane(_), [one, other]) =
            (construction, own.element.situation(), parts)
            && let (MeasuredBy::Fit(_), MeasuredBy::Fit(_)) = (&one.by, &other.by)
        {
            // Without outliers, of which one alone could hold an envelope.
            let (near, far) = (one.used(), other.used());
            let apart = distance(&one.known(&near), &other.known(&far)).ok();
            if let MeasuredBy::Construction { size_mm, .. } = &mut own.by {
                *size_mm = apart.map(|apart| apart.distance_mm);
            }
            own.points = near.into_iter().chain(far).collect();
        }
        own
    }

    /// The fit, where it was fitted.
    pub fn fit(&self) -> Option<&Arc<Fit>> {
        if let MeasuredBy::Fit(fit) = &self.by { Some(fit) } else { None }
    }

    /// The slot, where it is one.
    pub fn slot(&self) -> Option<&Arc<SlotFit>> {
        if let MeasuredBy::Slot(fit) = &self.by { Some(fit) } else { None }
    }

    /// What was made from others, where it was.
    pub fn made(&self) -> Option<&Constructed> {
        if let MeasuredBy::Construction { made, .. } = &self.by { Some(made) } else { None }
    }

    /// The points without those that the fit dropped.
    pub fn used(&self) -> Vec<Point> {
        let dropped = match &self.by {
            MeasuredBy::Fit(fit) => &fit.dropped[..],
            MeasuredBy::Slot(fit) => &fit.dropped[..],
            MeasuredBy::Construction { .. } => &[],
        };
        let kept = (0_u32..).zip(&self.points).filter(|(number, _)| dropped.binary_search(number).is_err());
        kept.map(|(_, point)| *point).collect()
    }

    /// As a measure takes it; `points` tell how far it reaches.
    pub fn known<'a>(&'a self, points: &'a [Point]) -> Known<'a> {
        match &self.by {
            MeasuredBy::Fit(fit) => Known { element: self.element, ..Known::of_fit(fit, points) },
            MeasuredBy::Slot(fit) => Known { element: self.element, motion: Some(&fit.uncertainty.motion), points },
            MeasuredBy::Construction { .. } => Known { points, ..Known::exact(self.element) },
        }
    }

    /// Whether the fit came to its end; `None` of constructed ones.
    pub fn converged(&self) -> Option<bool> {
        match &self.by {
            MeasuredBy::Fit(fit) => Some(fit.converged),
            MeasuredBy::Slot(fit) => Some(fit.converged),
            MeasuredBy::Construction { .. } => None,
        }
    }

    /// The plane that it is; a sentence where it is none.
    pub fn plane(&self, name: &str) -> base::Result<Shape> {
        match self.element {
            Element::Shape(plane @ Shape::Plane { .. }) => Ok(plane),
            other => Err(UserError::usage(format!("“{name}” is a {}; choose a plane.", other.name()))),
        }
    }
}

impl Product for MeasuredFeature {
    fn figures(&self) -> Vec<Figure> {
        let mut figures = Vec::new();
        let mut size = |name, value: f64, uncertainty: Option<f64>| {
            figures.push(Figure { uncertainty, ..Figure::new(name, "mm", value) });
        };
        match &self.by {
            MeasuredBy::Fit(fit) => {
                let uncertainty = |number: usize| fit.uncertainty.numbers.get(number).copied();
                match fit.shape {
                    Shape::Circle { radius, .. } | Shape::Sphere { radius, .. } | Shape::Cylinder { radius, .. } => {
                        size("Diameter", 2.0 * radius, uncertainty(0).map(|own| 2.0 * own));
                    }
                    Shape::Torus { major, minor, .. } => {
                        size("Major radius", major, uncertainty(0));
                        size("Minor radius", minor, uncertainty(1));
                    }
                    Shape::Line { .. } | Shape::Plane { .. } | Shape::Cone { .. } => {}
                }
                size("RMS", fit.rms_mm, None);
                size("Form error", fit.form_error_mm, None);
            }
            MeasuredBy::Slot(fit) => {
                let uncertainty = |number: usize| fit.uncertainty.numbers.get(number).copied();
                size("Length", fit.slot.length_mm, uncertainty(0));
                size("Width", fit.slot.width_mm, uncertainty(1));
                size("RMS", fit.rms_mm, None);
                size("Form error", fit.form_error_mm, None);
            }
            MeasuredBy::Construction { made, size_mm } => {
                if let Some(size_mm) = size_mm {
                    size("Size", *size_mm, None);
                }
                if let Some(misses_by_mm) = made.misses_by_mm {
                    size("Misses by", misses_by_mm, None);
                }
            }
        }
        figures
    }

    /// What rests on a fit that did not come to its end is open.
    fn verdict(&self) -> Option<Verdict> {
        (self.converged() == Some(false)).then_some(Verdict::Incomplete)
    }

    fn sentences(&self) -> Vec<String> {
        vec![match &self.by {
            MeasuredBy::Fit(fit) => {
                format!("{} points used, {} dropped, RMS {:.4} mm.", fit.used, fit.dropped.len(), fit.rms_mm)
            }
            MeasuredBy::Slot(fit) => {
                let (length_mm, width_mm) = (fit.slot.length_mm, fit.slot.width_mm);
                format!("{length_mm:.4} mm long, {width_mm:.4} mm wide, RMS {:.4} mm.", fit.rms_mm)
            }
            MeasuredBy::Construction { made, .. } => made.remark.clone(),
        }]
    }

    fn blocks(&self) -> Vec<(usize, u64)> {
        let numbers = self.numbers.len() + self.beside.iter().map(|own| own.len()).sum::<usize>();
        // A place and a residual a point.
        vec![(self.points.as_ptr().addr(), (4 * numbers + 32 * self.points.len()) as u64)]
    }
}
