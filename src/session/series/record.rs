//! What is kept of a part: as a file of its own, and as rows of the tables.

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

/// What a part came to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PartRecord {
    /// Always [`PartRecord::SCHEMA`].
    pub schema: String,
    /// Version of the software that measured it.
    pub software: String,
    /// The device that computed.
    pub device: String,
    /// BLAKE3 of the plan, hexadecimal.
    pub plan: String,
    /// Name or serial number.
    pub part: String,
    /// Its files.
    pub sources: Vec<SourceFile>,
    /// The verdict over all that decides anything.
    pub verdict: Option<Verdict>,
    /// The same with what it covers and what puts it in doubt.
    pub headline: String,
    /// Why it could not be measured, where it could not.
    pub error: Option<String>,
    /// Time it took, s.
    pub seconds: f64,
    /// What every element came to, in the plan's order.
    pub elements: Vec<ElementRecord>,
}

/// What an element came to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ElementRecord {
    /// Its number in the plan.
    pub id: u32,
    /// Its name.
    pub name: String,
    /// What kind of element it is.
    pub kind: String,
    /// Whether it is a check.
    pub is_check: bool,
    /// What it decides, where it decides anything.
    pub verdict: Option<Verdict>,
    /// What it came to, or why it came to nothing.
    pub sentence: String,
    /// Whether it came to anything.
    pub is_made: bool,
    /// Its values.
    pub figures: Vec<FigureRecord>,
}

/// A value of an element.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FigureRecord {
    /// What it is.
    pub name: String,
    /// Its unit.
    pub unit: String,
    /// The value; `None` where it is no number.
    pub value: Option<f64>,
    /// Its expanded uncertainty (k = 2), where it is known.
    pub uncertainty: Option<f64>,
    /// The least value allowed.
    pub lower: Option<f64>,
    /// The greatest value allowed.
    pub upper: Option<f64>,
}

impl From<&Figure> for FigureRecord {
    fn from(figure: &Figure) -> Self {
        let finite = |value: f64| value.is_finite().then_some(value);
        Self {
            name: figure.name.to_owned(),
            unit: figure.unit.to_owned(),
            value: finite(figure.value),
            uncertainty: figure.uncertainty.and_then(finite),
            lower: figure.lower.and_then(finite),
            upper: figure.upper.and_then(finite),
        }
    }
}

impl PartRecord {
    /// What marks such a file.
    pub const SCHEMA: &'static str = "shadowgraph.part/1";
    /// Its name in the part's folder.
    pub const FILE: &'static str = "part.json";

    /// Of a plan, whatever the part.
    pub fn fingerprint(plan: &Plan) -> Result<String> {
        let bytes =
            serde_json::to_vec(plan).map_err(|e| UserError::internal(format!("The plan cannot be written: {e}.")))?;
        Ok(blake3::hash(&bytes).to_hex().to_string())
    }

    pub(crate) fn of(plan: &Plan, stage: &Stage, fingerprint: &str, device: &Device, seconds: f64) -> Self {
        let record = |element: &std::sync::Arc<crate::plan::Element>| {
            let outcome = stage.results.outcome(element.id).map(|own| &own.result);
            let made = outcome.and_then(|result| result.as_ref().ok());
            let sentence = match outcome {
                Some(Ok(made)) => made.sentences.join(" "),
                Some(Err(Failure::Failed(error))) => error.sentence.clone(),
                Some(Err(Failure::Waits(on))) => {
                    let names: Vec<String> = on.iter().map(|input| plan.name(*input)).collect();
                    format!("Waits for {}.", crate::plan::quoted(&names))
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
        // A part that was not read at all is unusable; one on which some element failed is measured as far as it goes.
        let unread = plan.elements().iter().filter(|own| own.recipe.reads_sources());
        let failed =
            |own: &std::sync::Arc<crate::plan::Element>| match stage.results.outcome(own.id).map(|own| &own.result) {
                Some(Err(Failure::Failed(error))) => Some(error.sentence.clone()),
                _ => None,
            };
        Self {
            schema: Self::SCHEMA.to_owned(),
            software: env!("CARGO_PKG_VERSION").to_owned(),
            device: device.device.clone(),
            plan: fingerprint.to_owned(),
            part: stage.name.clone(),
            sources: stage.sources.clone(),
            verdict: stage.results.verdict(plan),
            headline: stage.results.headline(plan).unwrap_or_default(),
            error: unread.filter_map(failed).next(),
            seconds,
            elements: plan.elements().iter().map(record).collect(),
        }
    }

    /// Of a part whose files could not even be opened.
    pub(super) fn unusable(part: &Part, fingerprint: &str, error: &UserError) -> Self {
        Self {
            schema: Self::SCHEMA.to_owned(),
            software: env!("CARGO_PKG_VERSION").to_owned(),
            device: String::new(),
            plan: fingerprint.to_owned(),
            part: part.name.clone(),
            sources: Vec::new(),
            verdict: Some(Verdict::Incomplete),
            headline: Verdict::Incomplete.name().to_owned(),
            error: Some(error.sentence.clone()),
            seconds: 0.0,
            elements: Vec::new(),
        }
    }

    /// Writes it into the part's folder.
    pub fn save(&self, folder: &Path) -> Result<()> {
        std::fs::create_dir_all(folder).map_err(|e| UserError::file("make the folder", folder, &e))?;
        let text = serde_json::to_string_pretty(self)
            .map_err(|e| UserError::internal(format!("A part's record cannot be written: {e}.")))?;
        atomic::write_bytes(&folder.join(Self::FILE), format!("{text}\n").as_bytes())
    }

    /// The record in the part's folder, where it is whole, of the plan of that fingerprint and of the same files, and the
    /// part was measured.
    pub fn of_finished(fingerprint: &str, part: &Part, folder: &Path) -> Option<Self> {
        let text = std::fs::read_to_string(folder.join(Self::FILE)).ok()?;
        let record: Self = serde_json::from_str(&text).ok()?;
        let is_of_plan = record.schema == Self::SCHEMA && record.plan == fingerprint;
        if !is_of_plan || record.error.is_some() || record.part != part.name {
            return None;
        }
        let stage = Stage::of(part.name.clone(), &part.files).ok()?;
        let hashes = |sources: &[SourceFile]| sources.iter().map(|own| own.hash.clone()).collect::<Vec<_>>();
        (hashes(&stage.sources) == hashes(&record.sources)).then_some(record)
    }
}
