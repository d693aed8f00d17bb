//! The record of a measured part: a file of its own, and rows of the tables.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::Part;
use crate::Stage;
use crate::pipeline::Failure;
use crate::plan::{Class, Plan};
use base::{Result, UserError};
use compute::Device;
use inspect::deviation::Verdict;
use inspect::recipe::Figure;
use io::SourceFile;
use io::atomic;

/// The results of a part.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PartRecord {
    /// Always [`PartRecord::SCHEMA`].
    pub schema: String,
    /// Version of the software that measured it.
    pub software: String,
    /// The compute device.
    pub device: String,
    /// BLAKE3 hash, hexadecimal, of the plan, the files that it reads, and the software; empty for a part measured in the window.
    pub plan: String,
    /// BLAKE3 hash, hexadecimal, of how its report presents the results.
    #[serde(default)]
    pub presentation: String,
    /// Name or serial number.
    pub part: String,
    /// Its scan files.
    pub sources: Vec<SourceFile>,
    /// The combined verdict of all elements that have one.
    pub verdict: Option<Verdict>,
    /// The verdict with what it covers and what puts it in doubt.
    pub headline: String,
    /// Why the part could not be measured; `None` if it was.
    pub error: Option<String>,
    /// Duration of the measurement, s.
    pub seconds: f64,
    /// The results of all elements, in the plan's order.
    pub elements: Vec<ElementRecord>,
}

/// The result of an element.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ElementRecord {
    /// Its id in the plan.
    pub id: u32,
    /// Its name.
    pub name: String,
    /// What kind of element it is.
    pub kind: String,
    /// Whether it is a check.
    pub is_check: bool,
    /// Its verdict, if it decides anything.
    pub verdict: Option<Verdict>,
    /// The result in sentences, or why there is none.
    pub sentence: String,
    /// Whether it has a result.
    pub is_made: bool,
    /// Its values.
    pub figures: Vec<FigureRecord>,
}

/// A figure of an element.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FigureRecord {
    /// Its name.
    pub name: String,
    /// Its unit.
    pub unit: String,
    /// The value; `None` if it is not finite.
    pub value: Option<f64>,
    /// Its expanded uncertainty U (k = 2), if known.
    pub uncertainty: Option<f64>,
    /// Lower limit, if there is one.
    pub lower: Option<f64>,
    /// Upper limit, if there is one.
    pub upper: Option<f64>,
}

impl From<&Figure> for FigureRecord {
    fn from(figure: &Figure) -> Self {
        let finite = |value: f64| value.is_finite().then_some(value);
        Self {
            name: figure.name.clone().into_owned(),
            unit: figure.unit.to_owned(),
            value: finite(figure.value),
            uncertainty: figure.uncertainty.and_then(finite),
            lower: figure.lower.and_then(finite),
            upper: figure.upper.and_then(finite),
        }
    }
}

impl PartRecord {
    /// Value of `schema` in a part record.
    pub const SCHEMA: &'static str = "shadowgraph.part/1";
    /// Name of the record file in the part's folder.
    pub const FILE: &'static str = "part.json";

    pub(crate) fn of(plan: &Plan, stage: &Stage, fingerprint: &str, device: &Device, seconds: f64) -> Self {
        let record = |element: &std::sync::Arc<crate::plan::Element>| {
            let outcome = stage.results.outcome(element.id).map(|own| &own.result);
            let made = outcome.and_then(|result| result.as_ref().ok());
            let sentence = match outcome {
                Some(Ok(made)) => made.sentences.join(" "),
                Some(Err(Failure::Failed(error))) => error.sentence.clone(),
                Some(Err(Failure::Waits(on))) => {
                    let names: Vec<String> = on.iter().map(|input| plan.name(*input)).collect();
                    format!("Waiting for {}.", crate::plan::quoted(&names))
                }
                None => String::new(),
            };
            let is_check = element.recipe.class() == Class::Check;
            ElementRecord {
                id: element.id.0,
                name: element.name.clone(),
                kind: element.recipe.kind().to_owned(),
                is_check,
                verdict: made.map_or(is_check.then_some(Verdict::Incomplete), |made| made.verdict),
                sentence,
                is_made: made.is_some(),
                figures: made.map(|made| made.figures.iter().map(Into::into).collect()).unwrap_or_default(),
            }
        };
        // A part is unusable if its scan could not be read; other failed elements leave it measured in part.
        let readers = plan.elements().iter().filter(|own| own.recipe.reads_sources());
        let failed =
            |own: &std::sync::Arc<crate::plan::Element>| match stage.results.outcome(own.id).map(|own| &own.result) {
                Some(Err(Failure::Failed(error))) => Some(error.sentence.clone()),
                _ => None,
            };
        Self {
            schema: Self::SCHEMA.to_owned(),
            software: base::software::version(),
            device: device.device.clone(),
            plan: fingerprint.to_owned(),
            presentation: plan.presentation.hash(),
            part: stage.label().to_owned(),
            sources: stage.sources.clone(),
            verdict: stage.results.verdict(plan),
            headline: stage.results.headline(plan).unwrap_or_default(),
            error: readers.filter_map(failed).next(),
            seconds,
            elements: plan.elements().iter().map(record).collect(),
        }
    }

    /// The record of a part whose files could not be opened.
    pub(super) fn unusable(part: &Part, fingerprint: &str, error: &UserError) -> Self {
        Self {
            schema: Self::SCHEMA.to_owned(),
            software: base::software::version(),
            device: String::new(),
            plan: fingerprint.to_owned(),
            presentation: String::new(),
            part: part.name.clone(),
            sources: Vec::new(),
            verdict: Some(Verdict::Incomplete),
            headline: Verdict::Incomplete.name().to_owned(),
            error: Some(error.sentence.clone()),
            seconds: 0.0,
            elements: Vec::new(),
        }
    }

    /// Removes the record in `folder`, if there is one.
    pub fn remove(folder: &Path) -> Result<()> {
        base::folder::remove_file(&folder.join(Self::FILE))
    }

    /// Writes the record to `folder`, which is created if missing.
    pub fn save(&self, folder: &Path) -> Result<()> {
        base::folder::make(folder)?;
        let text = serde_json::to_string_pretty(self)
            .map_err(|e| UserError::internal(format!("A part's record cannot be written: {e}.")))?;
        atomic::write_bytes(&folder.join(Self::FILE), format!("{text}\n").as_bytes())
    }

    /// Reads the record in `folder` if it is complete, belongs to the plan with this fingerprint and to the same scan
    /// files, and the part was measured without error; else `None`.
    pub fn of_finished(fingerprint: &str, part: &Part, folder: &Path) -> Option<Self> {
        let text = std::fs::read_to_string(folder.join(Self::FILE)).ok()?;
        let record: Self = serde_json::from_str(&text).ok()?;
        let is_of_plan = record.schema == Self::SCHEMA && record.plan == fingerprint;
        if !is_of_plan || record.error.is_some() || record.part != part.name {
            return None;
        }
        let now = part.files.iter().map(|path| base::hash::file_hash(path).ok());
        now.eq(record.sources.iter().map(|own| Some(own.hash.clone()))).then_some(record)
    }
}
