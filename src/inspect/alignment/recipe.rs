//! The recipe of an alignment of a scan to a nominal.

use serde::{Deserialize, Serialize};

use super::mistaken_unit::likely_unit;
use super::point_pairs::PointPair;
use super::search_registration::{self, Tracker};
use super::{Alignment, Alternative, AmongOthers, ExplainedFraction, automatic, best_fit, point_pairs, uniform_offset};
use crate::detection::start::{self, FoundPart, Start as Sought};
use crate::main_alignment::Main;
use crate::parts::{Actual, Nominal, PreparedScan};
use crate::recipe::{Class, ElementId, Figure, Inputs, Make, Product, Tools};
use base::{Progress, Result, UserError, capitalised};
use compute::Backend;
use compute::registration::{Robust, Target};
use geometry::{Pose, Surface};

/// Distance within which a point is near the nominal, as a share of its diagonal, and the share of a scan that must be near
/// for it to be of one part.
const NEAR_SHARE: f64 = 0.02;
const MIN_NEAR_FRACTION: f64 = 0.95;

/// The pose of the scan in an alignment, nominal_from_scan; for `None` that of its file.
pub(crate) fn pose_in(alignment: Option<ElementId>, inputs: &dyn Inputs) -> Result<Pose> {
    let Some(id) = alignment else { return Ok(Pose::identity()) };
    Ok(inputs.get::<Alignment>(id, "an alignment")?.nominal_from_scan)
}

/// An alignment of a scan to a nominal.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AlignmentRecipe {
    /// The nominal.
    pub nominal: ElementId,
    /// The scan.
    pub scan: ElementId,
    /// Start pose.
    pub start: Start,
    /// Refinement of the start pose.
    pub refinement: Refinement,
}

/// Start of an alignment.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Start {
    /// Global search over all poses.
    Automatic,
    /// A given pose, `nominal_from_scan`.
    Pose(Pose),
    /// The pose to which an operator moved the scan by hand, `nominal_from_scan`.
    ByHand(Pose),
    /// Picked point pairs, each point in its own frame.
    Pairs(Vec<PointPair>),
    /// One of several poses that fit about as well.
    OneOf {
        /// The pose to start from.
        chosen: Alternative,
        /// The others.
        others: Vec<Alternative>,
    },
    /// Where the part was found among others; points that lie on these do not draw the fit.
    Found(FoundPart),
    /// The result of another alignment.
    After(ElementId),
}

/// Refinement of a start pose.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Refinement {
    /// None: the start pose is the result.
    None,
    /// Best fit.
    BestFit {
        /// Parameters of the fit.
        parameters: best_fit::Parameters,
        /// Initial maximum distance of a point from the nominal, mm; `None` derives it from `parameters`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        gate_mm: Option<f64>,
    },
    /// Point-to-point registration with a chosen closest-point search.
    Search(search_registration::Parameters),
}

impl Make for AlignmentRecipe {
    type Made = Alignment;

    const NAME: &'static str = "Alignment";
    const CLASS: Class = Class::Actual;

    fn inputs(&self) -> Vec<ElementId> {
        let before = if let Start::After(id) = self.start { Some(id) } else { None };
        [self.nominal, self.scan].into_iter().chain(before).collect()
    }

    fn make(
        &self,
        inputs: &dyn Inputs,
        tools: &Tools<'_>,
        _: Option<&Alignment>,
        progress: &Progress,
    ) -> Result<Alignment> {
        let nominal = inputs.get::<Nominal>(self.nominal, "a nominal")?;
        let actual = inputs.get::<Actual>(self.scan, "a scan")?;
        let start = match &self.start {
            Start::Automatic => {
                let Refinement::BestFit { parameters, .. } = &self.refinement else {
                    return Err(UserError::usage(
                        "An automatic start is refined by a best fit; choose one, or give a pose.",
                    ));
                };
                return run_automatic(&nominal, &actual, parameters, tools.backend, progress, tools.watch);
            }
            Start::Pose(pose) => Alignment::given(*pose),
            Start::ByHand(pose) => Alignment { by_hand: true, ..Alignment::given(*pose) },
            Start::Pairs(pairs) => {
                let fit = point_pairs::fit(pairs)?;
                Alignment { rms_mm: fit.rms_mm, ..Alignment::given(fit.nominal_from_scan) }
            }
            Start::OneOf { chosen, others } => {
                Alignment { alternatives: others.clone(), ..Alignment::given(chosen.nominal_from_scan) }
            }
            Start::Found(part) => {
                if let Refinement::BestFit { parameters, gate_mm: Some(gate_mm) } = &self.refinement {
                    let mut watch = |pose: &Pose, rms_mm| (tools.watch)(pose, rms_mm);
                    let fit = (parameters, *gate_mm);
                    return start::of_found(tools.backend, &nominal, &actual, part, fit, progress, &mut watch);
                }
                Alignment::given(part.nominal_from_scan)
            }
            Start::After(id) => Alignment::clone(&*inputs.get::<Alignment>(*id, "an alignment")?),
        };
        match &self.refinement {
            Refinement::None => Ok(start),
            Refinement::BestFit { parameters, gate_mm } => {
                let (problem, pose) = (problem(&nominal.surface, &actual.prepared), &start.nominal_from_scan);
                let mut watch = |pose: &Pose, rms_mm| (tools.watch)(pose, rms_mm);
                let mut fitted = match gate_mm {
                    Some(gate_mm) => best_fit::run_from_gate(
                        tools.backend,
                        &problem,
                        pose,
                        parameters,
                        *gate_mm,
                        progress,
                        &mut watch,
                    )?,
                    None => best_fit::run(tools.backend, &problem, pose, parameters, progress, &mut watch)?,
                };
                if parameters.robust == Robust::Tukey && parameters.locked == [false; 6] {
                    fitted.uniform_offset = uniform_offset::possible(&nominal.surface, &actual.prepared, &fitted);
                }
                if let Start::OneOf { others, .. } = &self.start {
                    let rotation = fitted.nominal_from_scan.rotation;
                    let angle_rad = |own: &Alternative| own.nominal_from_scan.rotation.angle_to(&rotation);
                    let others = others.iter().map(|own| Alternative { angle_rad: angle_rad(own), ..own.clone() });
                    fitted.alternatives = others.collect();
                }
                Ok(fitted)
            }
            Refinement::Search(parameters) => {
                let (target, scan) =
                    (search_registration::Nominal::Surface(&nominal.surface), &actual.prepared.ordered);
                let preparation = &progress.part(0.0, 0.3);
                let mut tracker = Tracker::new(&target, scan.points.len(), parameters.clone(), preparation)?;
                let pose = Some(start.nominal_from_scan);
                Ok(tracker.register(tools.backend, scan, pose, &progress.part(0.3, 1.0))?.alignment())
            }
        }
    }
}

impl Product for Alignment {
    fn figures(&self) -> Vec<Figure> {
        let others = Figure::new("Other poses", "", self.alternatives.len() as f64);
        match &self.main {
            // Nothing was fitted.
            None if self.by_hand => vec![others],
            None => {
                let overlap = Figure::new("Overlap", "%", 100.0 * self.overlap);
                vec![Figure::new("RMS", "mm", self.rms_mm), overlap, others]
            }
            Some(Main::ReferencePoints { points, .. }) => {
                let largest_mm = points.iter().map(|own| own.deviation_mm.abs()).fold(0.0, f64::max);
                let rms = Figure::new("RMS at the reference points", "mm", self.rms_mm);
                vec![rms, Figure::new("Largest deviation at them", "mm", largest_mm), others]
            }
            Some(Main::DatumSystem { .. }) => vec![others],
            Some(Main::OnFaces { .. }) => vec![Figure::new("RMS", "mm", self.rms_mm), others],
            Some(Main::WithinTolerance { points_beyond, largest_excess_mm, .. }) => vec![
                Figure::new("Largest excess", "mm", *largest_excess_mm),
                Figure::new("Points beyond the limits", "", *points_beyond as f64),
                others,
            ],
        }
    }

    fn covers(&self) -> Option<String> {
        self.reservations()
    }

    fn sentences(&self) -> Vec<String> {
        std::iter::once(self.words()).chain(self.remarks()).collect()
    }
}

/// Aligns without a start pose: by a search over all poses for the one in which most of the scan lies on the nominal, or, if
/// the scan shows more than the part, by a search for the part in it. If the scan fits far better in another length unit,
/// returns an error that names that unit.
pub fn run_automatic(
    nominal: &Nominal,
    actual: &Actual,
    parameters: &best_fit::Parameters,
    backend: &dyn Backend,
    progress: &Progress,
    watch: &(dyn Fn(&Pose, f64) + Sync),
) -> Result<Alignment> {
    let (surface, cloud, prepared) = (&nominal.surface, &actual.cloud, &actual.prepared);
    // Without an answer where it cannot be made, such as of too few points.
    let seek = |progress: &Progress| {
        let sought = start::among_others(backend, nominal, actual, parameters, progress, &mut |pose, rms_mm| {
            watch(pose, rms_mm)
        });
        progress.check().map(|()| sought.ok())
    };
    let mut watch = |pose: &Pose, rms_mm| watch(pose, rms_mm);
    let mut sought = None;
    let shows_more = start::is_larger(&prepared.ordered, nominal);
    if shows_more {
        sought = seek(&progress.part(0.0, 0.4))?;
        if let Some(Sought::Found(found)) = sought {
            return Ok(*found);
        }
    }
    let part = if shows_more { progress.part(0.4, 1.0) } else { progress.clone() };
    let mut found = automatic::run(backend, surface, cloud, prepared, parameters, &part, &mut watch);
    let read_in = actual.sources.first().and_then(|source| source.unit).unwrap_or_default();
    if let Some(unit) = likely_unit(backend, surface, (cloud, read_in), found.as_ref().ok(), parameters, progress) {
        let sentence = format!(
            "The scan does not fit the nominal when read in {}, but does in {}: open it again with that unit.",
            read_in.symbol(),
            unit.symbol()
        );
        return Err(UserError { scan_unit: Some(unit), ..UserError::input(sentence) });
    }
    let explained = found.as_ref().ok().and_then(|own| own.explained.as_ref());
    let is_explained = explained.is_some_and(|own| own.fraction >= ExplainedFraction::MIN_FRACTION);
    if !is_explained && !shows_more {
        sought = seek(&progress.part(0.9, 1.0))?;
    }
    match (sought, &mut found) {
        (Some(Sought::Found(better)), Ok(whole)) if leaves_more_aside(&better, whole, surface, prepared) => {}
        (Some(Sought::Found(better)), _) => return Ok(*better),
        (Some(Sought::NotFound(reason)), Ok(found)) if !is_explained => {
            let reason = reason.unwrap_or_else(|| "no pose was proposed".to_owned());
            found.among_others = Some(AmongOthers::NotFound { reason });
        }
        (Some(Sought::NotFound(Some(reason))), Err(_)) => {
            progress.check()?;
            return Err(UserError::input(format!(
                "Nothing in the scan was found that looks like the nominal: {reason}. Check that both are of the same \
                 part and in the same unit, or pick three point pairs."
            )));
        }
        _ => {}
    }
    found
}

/// Whether nearly all of a scan lies near the nominal as a `whole`, and less of it where a `part` of it was found: a part that
/// is too large all around lies nowhere exactly, and laid onto some of its faces fits these alone.
fn leaves_more_aside(part: &Alignment, whole: &Alignment, surface: &Surface, scan: &PreparedScan) -> bool {
    let near_mm = NEAR_SHARE * surface.bounds().diagonal();
    let near =
        |own: &Alignment| automatic::explained_within(surface, &scan.ordered, &own.nominal_from_scan, near_mm).fraction;
    let near_whole = near(whole);
    near_whole >= MIN_NEAR_FRACTION && near_whole > near(part)
}

/// The best-fit problem of a scan and the surface of a nominal.
pub fn problem<'a>(surface: &'a Surface, scan: &'a PreparedScan) -> best_fit::Problem<'a> {
    best_fit::Problem {
        target: Target::Surface(surface),
        bounds: *surface.bounds(),
        points: &scan.ordered,
        normals: &scan.normals,
        oriented: scan.oriented,
    }
}

impl Alignment {
    /// The result in two sentences: fit quality and least determined direction; or that nothing was fitted.
    pub fn words(&self) -> String {
        if let Some(main) = &self.main {
            return main.words();
        }
        if self.by_hand {
            return "Moved by hand: nothing was fitted.".to_owned();
        }
        format!(
            "Aligned{}: RMS {:.4} mm over {:.1} % of the points, {} iterations{}. {}.",
            if self.uniform_offset.is_some_and(|own| own.is_taken) { " at a uniform offset" } else { "" },
            self.rms_mm,
            100.0 * self.overlap,
            self.iterations,
            if self.converged { "" } else { " (stopped at the limit)" },
            capitalised(&self.information.weakest)
        )
    }
}
