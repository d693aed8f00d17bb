//! The list of recipes: the only place that names every kind of element.

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

use inspect::alignment::AlignmentRecipe;
use inspect::calibration::recipe::CalibrationRecipe;
use inspect::detection::DetectionRecipe;
use inspect::deviation::{ComparisonRecipe, Verdict};
use inspect::features::Element as Geometry;
use inspect::features::recipe::{ConstructionRecipe, FeatureRecipe, SlotRecipe, TakenFrom};
use inspect::main_alignment::MainAlignmentRecipe;
use inspect::offset::{ContactRecipe, FieldRecipe, OffsetRecipe, ScanSurfaceRecipe};
use inspect::parts::{NominalRecipe, ScanRecipe};
use inspect::recipe::{Class, ElementId, Figure, Inputs, Make, Output, Product, Tools};
use inspect::section::SectionRecipe;
use inspect::surface_points::SurfacePointsRecipe;
use inspect::thickness::ThicknessRecipe;
use inspect::tolerances::measure::MeasureRecipe;
use inspect::tolerances::recipe::{DatumRecipe, ToleranceRecipe};

use base::{Progress, Result, UserError};

/// A recipe of unknown type or that cannot be read: saved unchanged, shown, and not run.
#[derive(Clone, Debug, PartialEq)]
pub struct Unknown {
    /// The recipe as stored in the file.
    pub value: Value,
    /// Why it is not run, for display.
    pub why: String,
}

macro_rules! recipes {
    ($($key:literal $kind:ident($recipe:ty),)*) => {
        /// How an element is computed: the recipe of its capability.
        #[derive(Clone, Debug, PartialEq)]
        pub enum Recipe {
            $(#[doc = concat!("Stored with type “", $key, "”.")] $kind(Box<$recipe>),)*
            /// A recipe that is not run.
            Unknown(Unknown),
        }

        $(impl From<$recipe> for Recipe {
            fn from(recipe: $recipe) -> Self {
                Self::$kind(Box::new(recipe))
            }
        })*

        impl Recipe {
            /// The ids of the elements it takes as inputs.
            pub fn inputs(&self) -> Vec<ElementId> {
                match self {
                    $(Self::$kind(recipe) => recipe.inputs(),)*
                    Self::Unknown(_) => Vec::new(),
                }
            }

            /// Whether it reads the files of the measured part directly.
            pub fn reads_sources(&self) -> bool {
                match self {
                    $(Self::$kind(recipe) => recipe.reads_sources(),)*
                    Self::Unknown(_) => false,
                }
            }

            /// The name of this kind of element, for display.
            pub fn kind(&self) -> &'static str {
                match self {
                    $(Self::$kind(_) => <$recipe as Make>::NAME,)*
                    Self::Unknown(_) => "Unknown",
                }
            }

            /// Nominal, actual or check.
            pub fn class(&self) -> Class {
                match self {
                    $(Self::$kind(_) => <$recipe as Make>::CLASS,)*
                    Self::Unknown(_) => Class::Check,
                }
            }

            /// Computes it; `before` is the previous output, which it may reuse in part.
            pub(crate) fn make(
                &self,
                inputs: &dyn Inputs,
                tools: &Tools<'_>,
                before: Option<&Output>,
                progress: &Progress,
            ) -> Result<ElementResult> {
                match self {
                    $(Self::$kind(recipe) => {
                        let before = before.and_then(|output| output.downcast_ref());
                        let made = recipe.make(inputs, tools, before, progress)?;
                        Ok(ElementResult::of::<$recipe>(std::sync::Arc::new(made)))
                    })*
                    Self::Unknown(unknown) => Err(UserError::input(unknown.why.clone())),
                }
            }

            fn from_value(kind: &str, mut value: Value) -> Self {
                let whole = value.clone();
                if let Some(object) = value.as_object_mut() {
                    object.remove("type");
                }
                let why = match kind {
                    $($key => match serde_json::from_value::<$recipe>(value) {
                        Ok(recipe) => return recipe.into(),
                        Err(error) => format!("This {} cannot be read: {error}.", <$recipe as Make>::NAME.to_lowercase()),
                    },)*
                    other => format!(
                        "This version of Shadowgraph does not know elements of type “{other}”; update the program."
                    ),
                };
                Self::Unknown(Unknown { value: whole, why })
            }

            fn to_value(&self) -> serde_json::Result<Value> {
                let (kind, mut value) = match self {
                    $(Self::$kind(recipe) => ($key, serde_json::to_value(recipe)?),)*
                    Self::Unknown(unknown) => return Ok(unknown.value.clone()),
                };
                if let Some(object) = value.as_object_mut() {
                    object.insert("type".to_owned(), kind.into());
                }
                Ok(value)
            }
        }
    };
}

recipes! {
    "nominal" Nominal(NominalRecipe),
    "scan" Scan(ScanRecipe),
    "alignment" Alignment(AlignmentRecipe),
    "main_alignment" MainAlignment(MainAlignmentRecipe),
    "comparison" Comparison(ComparisonRecipe),
    "detection" Detection(DetectionRecipe),
    "calibration" Calibration(CalibrationRecipe),
    "feature" Feature(FeatureRecipe),
    "slot" Slot(SlotRecipe),
    "construction" Construction(ConstructionRecipe),
    "datum" Datum(DatumRecipe),
    "tolerance" Tolerance(ToleranceRecipe),
    "measure" Measure(MeasureRecipe),
    "offset" Offset(OffsetRecipe),
    "distance_field" Field(FieldRecipe),
    "contact_volumes" Contact(ContactRecipe),
    "thickness" Thickness(ThicknessRecipe),
    "scan_surface" ScanSurface(ScanSurfaceRecipe),
    "section" Section(SectionRecipe),
    "surface_points" SurfacePoints(SurfacePointsRecipe),
}

impl Recipe {
    /// Whether its result is an alignment of the scan.
    pub fn is_alignment(&self) -> bool {
        matches!(self, Self::Alignment(_) | Self::MainAlignment(_))
    }

    /// Whether its result is a feature of the part.
    pub fn is_feature(&self) -> bool {
        matches!(self, Self::Feature(_) | Self::Slot(_) | Self::Construction(_))
    }

    /// Whether it belongs to the offsets: volumes, contact volumes, distance fields and thickness maps.
    pub fn is_offset(&self) -> bool {
        matches!(self, Self::Offset(_) | Self::Contact(_) | Self::Field(_) | Self::Thickness(_))
    }

    /// Whether it selects points of one scan, which cannot be applied to another.
    pub fn is_of_one_scan(&self) -> bool {
        match self {
            Self::Feature(own) => !own.selection.is_repeatable(),
            Self::Slot(own) => !own.selection.is_repeatable(),
            _ => false,
        }
    }

    /// Whether its result depends on the time, so that it is made again whenever it is wanted.
    pub fn is_volatile(&self) -> bool {
        matches!(self, Self::Calibration(_))
    }

    /// The file of the plan that it reads.
    pub(crate) fn file_mut(&mut self) -> Option<&mut std::path::PathBuf> {
        match self {
            Self::Nominal(own) => Some(&mut own.source.path),
            Self::Calibration(own) => Some(&mut own.file),
            _ => None,
        }
    }

    /// The alignment that it is measured in.
    pub(crate) fn alignment_mut(&mut self) -> Option<&mut Option<ElementId>> {
        match self {
            Self::Comparison(own) => Some(&mut own.alignment),
            Self::Section(own) => Some(&mut own.alignment),
            Self::SurfacePoints(own) => Some(&mut own.alignment),
            Self::Tolerance(own) => Some(&mut own.alignment),
            Self::ScanSurface(own) => Some(&mut own.alignment),
            _ => None,
        }
    }

    /// Nominal geometry of the feature, nominal frame.
    pub fn nominal(&self) -> Option<Geometry> {
        match self {
            Self::Feature(own) => own.nominal,
            Self::Slot(own) => own.nominal,
            Self::Construction(own) => own.nominal,
            _ => None,
        }
    }

    /// Sets the nominal geometry of a feature, nominal frame, and what it was taken from; other recipes ignore it.
    pub fn set_nominal(&mut self, nominal: Option<Geometry>, from: Option<TakenFrom>) {
        let (own_nominal, own_from) = match self {
            Self::Feature(own) => (&mut own.nominal, &mut own.nominal_from),
            Self::Slot(own) => (&mut own.nominal, &mut own.nominal_from),
            Self::Construction(own) => (&mut own.nominal, &mut own.nominal_from),
            _ => return,
        };
        (*own_nominal, *own_from) = (nominal, from);
    }
}

/// The result of an element.
#[derive(Clone)]
pub struct ElementResult {
    /// The value, of a type of its capability.
    pub output: Output,
    /// The figures that records and reports list.
    pub figures: Vec<Figure>,
    /// Its verdict, if it decides anything.
    pub verdict: Option<Verdict>,
    /// What a verdict based on it covers, or what puts it in doubt.
    pub covers: Option<String>,
    /// The result in sentences, for display.
    pub sentences: Vec<String>,
    /// Large memory blocks it holds: an address that identifies each, and its bytes.
    pub blocks: Vec<(usize, u64)>,
}

impl ElementResult {
    pub(crate) fn of<R: Make>(made: std::sync::Arc<R::Made>) -> Self {
        let (mut figures, verdict) = (made.figures(), Product::verdict(&*made));
        Figure::worst_first(&mut figures);
        let (covers, sentences, blocks) = (made.covers(), Product::sentences(&*made), made.blocks());
        Self { output: made, figures, verdict, covers, sentences, blocks }
    }
}

impl Serialize for Recipe {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        self.to_value().map_err(serde::ser::Error::custom)?.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Recipe {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        let value = Value::deserialize(deserializer)?;
        let kind = value.get("type").and_then(Value::as_str).map(str::to_owned);
        let kind = kind.ok_or_else(|| D::Error::missing_field("type"))?;
        Ok(Self::from_value(&kind, value))
    }
}
