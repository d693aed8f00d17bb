//! On how much of the faces that it rests on a tolerance was judged: what was not seen is not in tolerance.
//!
//! A zone that contains what was measured says nothing about the rest of the surface, and a datum that was seen in part
//! may lie elsewhere. Below a minimum share of a face the tolerance is incomplete. A value that is out of its limits stays
//! out where its own face alone was seen in part: it can only grow with the rest. A datum that was seen in part leaves
//! any value open.

use serde::{Deserialize, Serialize};

use super::{Characteristic, CheckContext, Conformity, Judged, Tolerance};
use crate::features::element::Situation;
use crate::features::face_coverage::floored_percent;
use crate::features::{Element, FaceCoverage, FaceExtent, Kind};
use base::Result;

/// A face that a result rests on, and how much of it was seen.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SeenFace {
    /// Name of the feature.
    pub name: String,
    /// The datum, as stated, that the feature is or belongs to; `None` of the toleranced feature.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub datum: Option<String>,
    /// Coverage of the face.
    #[serde(flatten)]
    pub coverage: FaceCoverage,
    /// Share of the face that counts, 0 to 1: of what goes all around, that of a full revolution.
    pub counted_share: f64,
    /// Whether what lacks of a revolution counts as not seen.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_revolution: bool,
    /// Share that is required, 0 to 1; `None` where none is: a size is that of the fitted feature, and a centre has no face.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min_share: Option<f64>,
}

impl SeenFace {
    /// A face of which a share must be seen, by default that for what it is known from.
    pub fn required(name: &str, coverage: FaceCoverage, min_share: Option<f64>) -> Self {
        Self {
            name: name.to_owned(),
            datum: None,
            coverage,
            counted_share: coverage.share,
            is_revolution: false,
            min_share: Some(min_share.unwrap_or(coverage.extent.min_share())),
        }
    }

    /// Whether as much was seen as is required.
    pub fn is_sufficient(&self) -> bool {
        self.min_share.is_none_or(|min| self.counted_share >= min - 1e-9)
    }

    /// The face with its coverage and the minimum, as a part of a sentence.
    pub fn words(&self) -> String {
        let minimum = self.min_share.map_or_else(String::new, |own| format!(", minimum {:.0} %", 100.0 * own));
        format!("“{}” seen on {}{minimum}", self.name, self.coverage.words())
    }

    /// Why the face does not suffice; `None` if it does.
    pub fn shortage(&self) -> Option<String> {
        let min_share = self.min_share.filter(|_| !self.is_sufficient())?;
        let of = match (self.is_revolution, self.coverage.extent) {
            (true, FaceExtent::Points) => "a full revolution",
            (_, FaceExtent::NominalFacets) => "its nominal facets",
            (_, FaceExtent::Points) => "the extent of its points",
        };
        Some(format!(
            "“{}” was seen on {:.1} % of {of}, up to {:.2} mm from the nearest point: at least {:.0} % are needed.",
            self.name,
            floored_percent(self.counted_share),
            self.coverage.gap_mm,
            100.0 * min_share
        ))
    }
}

/// The sentences of all faces that do not suffice; empty if all do.
pub fn shortages(faces: &[SeenFace]) -> String {
    let mut all: Vec<String> = faces.iter().filter_map(SeenFace::shortage).collect();
    all.dedup();
    all.join(" ")
}

/// The faces that a tolerance rests on, as far as their coverage is known: its own first, then those of its datums.
pub(super) fn faces(tolerance: &Tolerance, context: &CheckContext<'_>) -> Result<Vec<SeenFace>> {
    let mut faces = Vec::new();
    let actual = context.feature(&tolerance.feature)?;
    if let Some(coverage) = actual.feature.coverage {
        let is_revolution = tolerance.goes_around(&actual.element);
        let counted_share = if is_revolution { coverage.share_of_revolution() } else { coverage.share };
        let own = SeenFace::required(actual.name, coverage, tolerance.min_coverage);
        let min_share = own.min_share.filter(|_| tolerance.needs_face(&actual.element));
        faces.push(SeenFace { counted_share, is_revolution, min_share, ..own });
    }
    for stated in &tolerance.datums {
        for (_, datum) in context.datum_features(stated)? {
            let Some(coverage) = datum.feature.coverage else { continue };
            let own = SeenFace::required(datum.name, coverage, tolerance.min_coverage);
            faces.push(SeenFace { datum: Some(stated.clone()), ..own });
        }
    }
    Ok(faces)
}

impl Tolerance {
    /// Whether its value is an extreme over the face of the feature or over its extent, so that what was not seen may
    /// change it: all but the size of the fitted feature and the location of a centre.
    fn needs_face(&self, element: &Element) -> bool {
        let is_centre = matches!(element.situation(), Situation::Point(_));
        match self.characteristic {
            Characteristic::Size { .. } => false,
            Characteristic::Circularity { .. } | Characteristic::CircularRunOut { .. } => true,
            Characteristic::Profile { .. } | Characteristic::TotalRunOut {} => true,
            _ => !is_centre || self.maximum_material.is_some(),
        }
    }

    /// Whether it is evaluated over full revolutions of a round feature.
    fn goes_around(&self, element: &Element) -> bool {
        use Characteristic::{CircularRunOut, Circularity, Cylindricity, TotalRunOut};
        let is_round =
            matches!(element, Element::Shape(shape) if matches!(shape.kind(), Kind::Circle | Kind::Cylinder));
        let is_of_form = matches!(
            self.characteristic,
            Circularity { .. } | Cylindricity {} | CircularRunOut { .. } | TotalRunOut {}
        );
        is_round && (is_of_form || self.maximum_material.is_some())
    }
}

impl Judged {
    /// Leaves the result open if a face that it rests on was not seen far enough.
    pub(super) fn rest_on(&mut self, faces: Vec<SeenFace>) {
        self.incomplete = shortages(&faces);
        let is_datum_open = faces.iter().any(|own| own.datum.is_some() && !own.is_sufficient());
        let is_proven_out = super::decided(self.conformity, self.verdict) == crate::verdict::Verdict::Fail;
        if !self.incomplete.is_empty() && (is_datum_open || !is_proven_out) {
            self.conformity = Some(Conformity::Undecided);
        }
        for face in &faces {
            self.how += &format!("; {}", face.words());
        }
        self.faces = faces;
    }

    /// Whether it is left open by faces that were not seen far enough.
    pub fn is_incomplete(&self) -> bool {
        !self.incomplete.is_empty() && self.conformity == Some(Conformity::Undecided)
    }
}
