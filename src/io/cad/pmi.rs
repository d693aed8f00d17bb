//! Product and manufacturing information of a STEP file (AP242): datums, geometric tolerances and dimensions, with the
//! CAD faces that they refer to.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// What a STEP file states beside the shape. CAD faces are numbered from 0, as in [`geometry::Mesh::cad_faces`].
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Pmi {
    /// Datum features, by letter.
    pub datums: Vec<DatumFeature>,
    /// Geometric tolerances, in the order of the file.
    pub tolerances: Vec<GeometricTolerance>,
    /// Dimensions, in the order of the file.
    pub dimensions: Vec<Dimension>,
    /// The kind of surface of each face that one of them refers to.
    pub surfaces: BTreeMap<u32, SurfaceKind>,
    /// Number of tolerances that name no shape, of which no more is known.
    pub lost_tolerances: usize,
    /// Number of entries that could not be read.
    pub unread: usize,
}

/// A datum feature.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DatumFeature {
    /// Datum letter.
    pub letter: String,
    /// Its CAD faces.
    pub faces: Vec<u32>,
    /// Kind of datum target (“point”, “line”, “rectangle”, “circle”, “area”); empty if it is a whole feature.
    pub target: String,
}

/// A geometric tolerance.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GeometricTolerance {
    /// Name in the file; may be empty.
    pub name: String,
    /// The characteristic, such as `position`, `flatness` or `profile_of_surface`; `none` if it has none of a standard.
    pub kind: String,
    /// Width or diameter of the zone, mm; `None` if it could not be read.
    pub value_mm: Option<f64>,
    /// Shape of the zone.
    pub zone: ZoneShape,
    /// Modifiers of the tolerance, in words.
    pub modifiers: Vec<String>,
    /// References to datums in order of precedence.
    pub datums: Vec<DatumReference>,
    /// The toleranced CAD faces.
    pub faces: Vec<u32>,
}

/// Shape of a tolerance zone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ZoneShape {
    /// Between two lines, planes or surfaces.
    Width,
    /// A circle or cylinder.
    Diameter,
    /// A sphere.
    SphericalDiameter,
}

/// A reference to a datum.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DatumReference {
    /// Datum letter.
    pub letter: String,
    /// Precedence: 1 is the primary datum. Several of one position are a common datum.
    pub position: i64,
    /// Modifiers of the reference, in words.
    pub modifiers: Vec<String>,
}

/// A dimension.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Dimension {
    /// Its kind, such as `diameter`, `linear distance` or `angle`.
    pub kind: String,
    /// Whether it lies between two features.
    pub is_location: bool,
    /// Nominal value, mm or degrees.
    pub nominal: Option<f64>,
    /// Lower limit, mm or degrees.
    pub lower: Option<f64>,
    /// Upper limit, mm or degrees.
    pub upper: Option<f64>,
    /// Tolerance class, such as `H7`; empty if it has none.
    pub fit: String,
    /// Whether the file states limits that could not be read.
    pub unread_bounds: bool,
    /// Modifiers and qualifiers, in words.
    pub modifiers: Vec<String>,
    /// CAD faces of the feature, or of the first one.
    pub first: Vec<u32>,
    /// CAD faces of the second feature.
    pub second: Vec<u32>,
}

impl Dimension {
    /// Whether it limits anything: theoretically exact dimensions and those for information do not.
    pub fn is_requirement(&self) -> bool {
        self.lower.is_some() || self.upper.is_some() || self.unread_bounds || !self.fit.is_empty()
    }
}

/// Kind of surface of a CAD face.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SurfaceKind {
    /// Plane.
    Plane,
    /// Cylinder.
    Cylinder,
    /// Cone.
    Cone,
    /// Sphere.
    Sphere,
    /// Torus.
    Torus,
    /// Any other, such as a free-form surface.
    Other,
}

/// A line of the CAD reader program.
#[derive(Deserialize)]
#[serde(tag = "item", rename_all = "snake_case")]
enum Item {
    Datum(DatumFeature),
    Tolerance(GeometricTolerance),
    Dimension(Dimension),
    Face { face: u32, surface: SurfaceKind },
    Lost { tolerances: usize },
    Unreadable,
}

impl Pmi {
    /// Whether the file states nothing.
    pub fn is_empty(&self) -> bool {
        let stated = self.datums.len() + self.tolerances.len() + self.dimensions.len();
        stated + self.lost_tolerances + self.unread == 0
    }

    /// Adds an object that the CAD reader program wrote.
    pub(super) fn add(&mut self, json: &str) {
        match serde_json::from_str(json) {
            Ok(Item::Datum(own)) => self.datums.push(own),
            Ok(Item::Tolerance(own)) => self.tolerances.push(own),
            Ok(Item::Dimension(own)) => self.dimensions.push(own),
            Ok(Item::Face { face, surface }) => drop(self.surfaces.insert(face, surface)),
            Ok(Item::Lost { tolerances }) => self.lost_tolerances += tolerances,
            Ok(Item::Unreadable) | Err(_) => self.unread += 1,
        }
    }

    /// What was found, in a sentence for the operator; `None` if there is nothing.
    pub fn sentence(&self) -> Option<String> {
        use base::words::counted;
        (!self.is_empty()).then(|| {
            format!(
                "The file states {}, {} and {}.",
                counted(self.datums.len(), "datum", "datums"),
                counted(self.tolerances.len() + self.lost_tolerances, "geometric tolerance", "geometric tolerances"),
                counted(self.dimensions.len(), "dimension", "dimensions"),
            )
        })
    }
}
