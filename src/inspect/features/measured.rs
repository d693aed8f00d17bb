//! Measured features: fitted to points of a scan, or constructed from other features.

use std::sync::Arc;

use super::constructions::{Constructed, Construction};
use super::element::Situation;
use super::measures::{UncertainElement, distance};
use super::rejection::Rejection;
use super::sheet_metal::slot::SlotFit;
use super::{Element, FaceCoverage, Fit, Shape};
use crate::recipe::{Figure, Product};
use crate::verdict::Verdict;
use base::UserError;
use geometry::{Point, Pose, Subset};

/// A measured feature, scan frame.
#[derive(Clone, Debug)]
pub struct MeasuredFeature {
    /// The fitted or constructed element; for a slot its mid-plane.
    pub element: Element,
    /// How it was obtained.
    pub by: MeasuredBy,
    /// Indices of the scan points it was fitted to; empty for constructed features.
    pub numbers: Subset,
    /// For a plane fitted together with parallel ones: the point indices of each of those.
    pub parallel_sets: Vec<Subset>,
    /// The points it was fitted to, mm; for the mid-plane of two fitted planes the points used by both.
    pub points: Vec<Point>,
    /// What became of the points that the fit rejected.
    pub rejection: Rejection,
    /// How much of its face was seen; of constructed features that of the worst of their parts. `None` if it is not known.
    pub coverage: Option<FaceCoverage>,
    /// The nominal element, nominal frame.
    pub nominal: Option<Element>,
}

/// How a measured feature was obtained.
#[derive(Clone, Debug)]
pub enum MeasuredBy {
    /// Fitted to points.
    Fit(Arc<Fit>),
    /// Fitted as a slot.
    Slot(Arc<SlotFit>),
    /// Constructed from other features.
    Construction {
        /// The result of the construction.
        made: Box<Constructed>,
        /// For the mid-plane of two fitted planes: their distance, mm.
        size_mm: Option<f64>,
    },
}

impl MeasuredFeature {
    /// A feature constructed from `parts`. The mid-plane of two fitted planes takes over the points of both, and their
    /// distance is its size.
    pub fn constructed(
        construction: Construction,
        made: Constructed,
        parts: &[&Self],
        nominal: Option<Element>,
    ) -> Self {
        let mut feature = Self {
            element: made.element,
            by: MeasuredBy::Construction { made: Box::new(made), size_mm: None },
            numbers: Subset::default(),
            parallel_sets: Vec::new(),
            points: Vec::new(),
            rejection: Rejection::default(),
            coverage: FaceCoverage::worst(parts.iter().filter_map(|part| part.coverage)),
            nominal,
        };
        if let (Construction::Middle, Situation::Plane(_), [one, other]) =
            (construction, feature.element.situation(), parts)
            && let (MeasuredBy::Fit(_), MeasuredBy::Fit(_)) = (&one.by, &other.by)
        {
            let (used_of_one, used_of_other) = (one.used(), other.used());
            let apart = distance(&one.known(&used_of_one), &other.known(&used_of_other)).ok();
            if let MeasuredBy::Construction { size_mm, .. } = &mut feature.by {
                *size_mm = apart.map(|apart| apart.distance_mm);
            }
            // Without outliers: a single one could determine an envelope. What lies together counts.
            feature.points = one.without_outliers().into_iter().chain(other.without_outliers()).collect();
        }
        feature
    }

    /// The fit; `None` for slots and constructed features.
    pub fn fit(&self) -> Option<&Arc<Fit>> {
        if let MeasuredBy::Fit(fit) = &self.by { Some(fit) } else { None }
    }

    /// The slot fit; `None` for other features.
    pub fn slot(&self) -> Option<&Arc<SlotFit>> {
        if let MeasuredBy::Slot(fit) = &self.by { Some(fit) } else { None }
    }

    /// The construction result; `None` for fitted features.
    pub fn made(&self) -> Option<&Constructed> {
        if let MeasuredBy::Construction { made, .. } = &self.by { Some(made) } else { None }
    }

    /// The points without the outliers dropped by the fit, mm.
    pub fn used(&self) -> Vec<Point> {
        let dropped = match &self.by {
            MeasuredBy::Fit(fit) => &fit.dropped[..],
            MeasuredBy::Slot(fit) => &fit.dropped[..],
            MeasuredBy::Construction { .. } => &[],
        };
        let used = (0_u32..).zip(&self.points).filter(|(index, _)| dropped.binary_search(index).is_err());
        used.map(|(_, point)| *point).collect()
    }

    /// The points without isolated outliers, mm: those that form, profiles and datums are taken from. Other points that
    /// the fit rejected are among them.
    pub fn without_outliers(&self) -> Vec<Point> {
        self.rejection.kept(&self.points)
    }

    /// Form error, mm, of all points but isolated outliers, whatever the fit rejected; `None` for constructed features.
    pub fn form_error_mm(&self) -> Option<f64> {
        let of_fit_mm = match &self.by {
            MeasuredBy::Fit(fit) => fit.form_error_mm,
            MeasuredBy::Slot(fit) => fit.form_error_mm,
            MeasuredBy::Construction { .. } => return None,
        };
        Some(self.rejection.form_error_mm.map_or(of_fit_mm, |own| own.max(of_fit_mm)))
    }

    /// What became of rejected points, and how much of its face was seen, in sentences with positions in the frame of
    /// `to_from_scan`.
    pub fn notes(&self, to_from_scan: &Pose) -> Vec<String> {
        let rejected = self.rejection.words(to_from_scan);
        let rejected = (!rejected.is_empty()).then(|| format!("{}.", base::capitalised(&rejected.join("; "))));
        let seen = self.coverage.as_ref().map(|own| format!("Seen on {}.", own.words()));
        rejected.into_iter().chain(seen).collect()
    }

    /// The element with its covariance, as input of a measurement; `points` give its extent.
    pub fn known<'a>(&'a self, points: &'a [Point]) -> UncertainElement<'a> {
        match &self.by {
            MeasuredBy::Fit(fit) => UncertainElement { element: self.element, ..UncertainElement::of_fit(fit, points) },
            MeasuredBy::Slot(fit) => UncertainElement {
                motion: Some(&fit.uncertainty.motion),
                is_unstated: !fit.uncertainty.is_stated(),
                points,
                ..UncertainElement::exact(self.element)
            },
            MeasuredBy::Construction { .. } => UncertainElement { points, ..UncertainElement::exact(self.element) },
        }
    }

    /// Its centre, or the axis that its centre lies on, scan frame: of circles, spheres, cylinders, cones, tori, slots and
    /// constructed points; `None` of lines and planes.
    pub fn centre(&self) -> Option<Situation> {
        if let Some(fit) = self.slot() {
            return Some(Situation::Point(fit.slot.centre));
        }
        match (self.element.situation(), self.element) {
            (Situation::Plane(_), _) | (Situation::Line(_), Element::Shape(Shape::Line { .. })) => None,
            (own, _) => Some(own),
        }
    }

    /// Whether the fit converged; `None` for constructed features.
    pub fn converged(&self) -> Option<bool> {
        match &self.by {
            MeasuredBy::Fit(fit) => Some(fit.converged),
            MeasuredBy::Slot(fit) => Some(fit.converged),
            MeasuredBy::Construction { .. } => None,
        }
    }

    /// Why the fit is not to be trusted ([`Fit::doubts`]); empty for slots and constructed features.
    pub fn doubts(&self) -> &[String] {
        self.fit().map_or(&[], |fit| &fit.doubts)
    }

    /// The plane of a planar feature; returns an error that names the feature if it is not a plane.
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
                let uncertainty =
                    |index: usize| fit.uncertainty.numbers.get(index).copied().filter(|own| own.is_finite());
                match fit.shape {
                    Shape::Circle { radius, .. } | Shape::Sphere { radius, .. } | Shape::Cylinder { radius, .. } => {
                        size("Diameter", 2.0 * radius, uncertainty(0).map(|radius_mm| 2.0 * radius_mm));
                    }
                    Shape::Torus { major, minor, .. } => {
                        size("Major radius", major, uncertainty(0));
                        size("Minor radius", minor, uncertainty(1));
                    }
                    Shape::Line { .. } | Shape::Plane { .. } | Shape::Cone { .. } => {}
                }
                size("RMS", fit.rms_mm, None);
                size("Form error", self.form_error_mm().unwrap_or(fit.form_error_mm), None);
            }
            MeasuredBy::Slot(fit) => {
                let uncertainty =
                    |index: usize| fit.uncertainty.numbers.get(index).copied().filter(|own| own.is_finite());
                size("Length", fit.slot.length_mm, uncertainty(0));
                size("Width", fit.slot.width_mm, uncertainty(1));
                size("RMS", fit.rms_mm, None);
                size("Form error", self.form_error_mm().unwrap_or(fit.form_error_mm), None);
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

    /// A fit that did not converge, or is not to be trusted, leaves the verdict open.
    fn verdict(&self) -> Option<Verdict> {
        (self.converged() == Some(false) || !self.doubts().is_empty()).then_some(Verdict::Incomplete)
    }

    fn sentences(&self) -> Vec<String> {
        let fitted = match &self.by {
            MeasuredBy::Fit(fit) => {
                let mut text =
                    format!("{} points used, {} dropped, RMS {:.4} mm.", fit.used, fit.dropped.len(), fit.rms_mm);
                if let Some(arc_deg) = fit.arc_deg {
                    text += &format!(" Seen over {arc_deg:.0}°.");
                }
                fit.doubts.iter().for_each(|doubt| text += &format!(" {doubt}"));
                text
            }
            MeasuredBy::Slot(fit) => {
                let (length_mm, width_mm) = (fit.slot.length_mm, fit.slot.width_mm);
                format!("Length {length_mm:.4} mm, width {width_mm:.4} mm, RMS {:.4} mm.", fit.rms_mm)
            }
            MeasuredBy::Construction { made, .. } => made.remark.clone(),
        };
        std::iter::once(fitted).chain(self.notes(&Pose::identity())).collect()
    }

    fn blocks(&self) -> Vec<(usize, u64)> {
        let indices = self.numbers.len() + self.parallel_sets.iter().map(|parallel| parallel.len()).sum::<usize>();
        // Per point: 24 bytes of coordinates and 8 of residual; per index 4 bytes.
        vec![(self.points.as_ptr().addr(), (4 * indices + 32 * self.points.len()) as u64)]
    }
}
