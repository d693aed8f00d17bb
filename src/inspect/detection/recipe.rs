//! The recipe of a detection: a nominal looked for in the scan of the part being measured.

use serde::{Deserialize, Serialize};

use super::{Found, Known, Parameters, PartModel, Sensor, run};
use crate::parts::{Actual, Nominal};
use crate::recipe::{Class, ElementId, Figure, Inputs, Make, Product, Tools};
use base::words::counted;
use base::{Progress, Result};

/// A nominal looked for in a scan.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DetectionRecipe {
    /// The nominal.
    pub nominal: ElementId,
    /// The scan.
    pub scan: ElementId,
    /// How it is looked for.
    pub parameters: Parameters,
    /// What is known of the scan, in its frame.
    #[serde(default)]
    pub known: Known,
}

impl Make for DetectionRecipe {
    type Made = Found;

    const NAME: &'static str = "Detection";
    const CLASS: Class = Class::Actual;

    fn inputs(&self) -> Vec<ElementId> {
        vec![self.nominal, self.scan]
    }

    fn make(&self, inputs: &dyn Inputs, tools: &Tools<'_>, _: Option<&Found>, progress: &Progress) -> Result<Found> {
        let nominal = inputs.get::<Nominal>(self.nominal, "a nominal")?;
        let actual = inputs.get::<Actual>(self.scan, "a scan")?;
        progress.report(0.0, "Analysing the part")?;
        let models = [PartModel::new(&inputs.name(self.nominal), &nominal.surface)?];
        run(tools.backend, &models, &actual.cloud, &self.parameters, &self.known.of(&actual), progress)
    }
}

impl Product for Found {
    fn figures(&self) -> Vec<Figure> {
        vec![
            Figure::new("Parts found", "", self.detections.len() as f64),
            Figure::new("Parts in doubt", "", self.in_doubt().len() as f64),
            Figure::new("Scene explained", "%", 100.0 * self.explained),
        ]
    }

    fn covers(&self) -> Option<String> {
        self.rejection()
    }

    fn sentences(&self) -> Vec<String> {
        let count = counted(self.detections.len(), "part was", "parts were");
        // Before the count, since the last is what a status line shows.
        let mut sentences: Vec<String> = self.about_differences().into_iter().collect();
        sentences.push(format!(
            "{count} found; they explain {:.0} % of the scene, floor and walls left out.",
            100.0 * self.explained
        ));
        sentences.extend(self.in_doubt());
        sentences.extend(self.rejection());
        sentences.extend(self.about_sensor().map(str::to_owned));
        let accepted = self.detections.iter().filter_map(|own| own.doubt.as_ref().filter(|_| own.is_accepted));
        sentences.extend(
            accepted.map(|doubt| format!("A part counts as found since it was accepted, although {}.", doubt.sentence)),
        );
        sentences
    }
}

impl Found {
    /// Of each part found that is in doubt, why.
    fn in_doubt(&self) -> Vec<String> {
        let found = self.detections.iter().enumerate().filter(|(_, own)| own.is_in_doubt());
        found.filter_map(|(at, own)| Some(format!("Part {} is in doubt: {}.", at + 1, own.doubt_in_words()?))).collect()
    }

    /// What follows where the scan does not say where the sensor stood.
    pub fn about_sensor(&self) -> Option<&'static str> {
        match self.sensor {
            Sensor::Given => None,
            Sensor::Found => {
                Some("The scan does not say where the sensor stood: its position was found by what hides what.")
            }
            Sensor::Unknown => Some(
                "Where the sensor stood is not known, so that what is hidden cannot be told from what is missing: fewer \
                 parts are found than in a scan with directions to the sensor.",
            ),
        }
    }

    /// Which differences from the parts found would not have been noticed; `None` if none was found.
    pub fn about_differences(&self) -> Option<String> {
        self.detection_limit.filter(|_| !self.detections.is_empty()).map(|limit| limit.sentence())
    }

    /// Why nothing was found; `None` if something was.
    pub fn rejection(&self) -> Option<String> {
        if !self.detections.is_empty() {
            return None;
        }
        Some(match self.rejected.first().and_then(|best| Some((best, best.doubt.as_ref()?))) {
            Some((best, doubt)) => {
                format!("This part was not found. The best pose has a score of {:.2}: {}.", best.score, doubt.sentence)
            }
            None => "This part was not found: nothing in the scene looks like it.".to_owned(),
        })
    }
}
