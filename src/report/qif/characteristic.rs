//! Characteristics: what a tolerance, a measure or a comparison requires, and what was measured.

use super::node::{Node, decimal};
use inspect::deviation::Verdict;
use inspect::section::dimension::{DimensionKind, MeasuredDimension};
use inspect::tolerances::coverage::SeenFace;
use inspect::tolerances::measure::{Measure, Quantity};
use inspect::tolerances::{Characteristic as Asked, Judged, Tolerance, Zone};
use session::plan::ElementId;

/// Geometry of a toleranced feature, as far as the shape of its zone depends on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    Plane,
    Sphere,
    Circle,
    Cylinder,
    Other,
}

/// A characteristic, to be written as its definition, its nominal, its item and its measurement.
pub struct Characteristic {
    /// Kind as the schema names it, such as `Flatness`.
    pub kind: &'static str,
    /// Its name.
    pub name: String,
    /// What is added to the definition.
    pub definition: Vec<Node>,
    /// What is added to the nominal.
    pub nominal: Vec<Node>,
    /// Verdict; `None` if nothing is judged.
    pub verdict: Option<Verdict>,
    /// The measured feature.
    pub feature: Option<ElementId>,
    /// What is added to the measurement; empty without a result.
    pub measurement: Vec<Node>,
    /// What the points passed before and how much was seen, as attributes of the measurement.
    pub preparation: Option<Node>,
}

impl Characteristic {
    /// A characteristic that the standard has no kind for: a length with limits, either or none.
    pub fn length(name: String, what: &str, [lower, upper]: [Option<f64>; 2]) -> Self {
        let definition = vec![limits(lower, upper), Node::text("WhatToMeasure", what)];
        Self::new("UserDefinedLinear", name, definition)
    }

    /// A dimension in a section; its limits are those of its value.
    pub fn of_dimension(name: String, own: &MeasuredDimension) -> Self {
        let what = format!("{} in a section", own.dimension.kind.name());
        let bound = |end: f64| own.nominal.as_ref().ok().map(|nominal| nominal + end);
        let bounds = own.dimension.tolerance.map_or([None; 2], |own| [bound(own.low_mm), bound(own.high_mm)]);
        let is_angle = own.dimension.kind == DimensionKind::Angle;
        let measured = own.measured.as_ref().and_then(|own| own.as_ref().ok());
        Self {
            kind: if is_angle { "UserDefinedAngular" } else { "UserDefinedLinear" },
            verdict: own.verdict(),
            measurement: measured.map(|measured| value("Value", *measured, own.uncertainty)).into_iter().collect(),
            ..Self::length(name, &what, bounds)
        }
    }

    /// A characteristic that is judged without a single figure.
    pub fn judged(name: String, what: &str, verdict: Option<Verdict>, said: &str) -> Self {
        Self {
            verdict,
            measurement: vec![Node::text("Value", said)],
            ..Self::new("UserDefinedAttribute", name, vec![Node::text("WhatToMeasure", what)])
        }
    }

    /// A distance or an angle.
    pub fn of_measure(name: String, quantity: Quantity, limits_of: [Option<f64>; 2], made: Option<&Measure>) -> Self {
        let kind = match quantity {
            Quantity::Distance => "DistanceBetween",
            Quantity::Angle(_) => "AngleBetween",
        };
        let [lower, upper] = limits_of;
        Self {
            nominal: vec![Node::text("AnalysisMode", "THREEDIMENSIONAL")],
            verdict: made.and_then(inspect::recipe::Product::verdict),
            measurement: made.map(|own| value("Value", own.figure.value, own.figure.uncertainty)).into_iter().collect(),
            preparation: made.and_then(|own| attributes([("Incomplete", Some(own.incomplete.clone()))])),
            ..Self::new(kind, name, vec![limits(lower, upper)])
        }
    }

    /// A tolerance of a feature of this form; `frame` is the id of its datum reference frame.
    pub fn of_tolerance(
        name: String,
        asked: &Tolerance,
        form: Form,
        frame: Option<u32>,
        made: Option<&Judged>,
    ) -> Self {
        let width = || Node::number("ToleranceValue", asked.limit_mm);
        let frame = || frame.map(|id| Node::text("DatumReferenceFrameId", id));
        let condition = if asked.maximum_material.is_some() { "MAXIMUM" } else { "REGARDLESS" };
        let condition = || Node::text("MaterialCondition", condition);
        let zone = |shape: &str| Node::of("ZoneShape", vec![Node::of(shape, Vec::new())]);
        let is_flat = |zone: &Zone| form == Form::Plane || matches!(zone, Zone::Width { .. });
        let zone_of_orientation = |own: &Zone| zone(if is_flat(own) { "PlanarZone" } else { "DiametricalZone" });
        let oriented = |own: &Zone| {
            [vec![width()], frame().into_iter().collect(), vec![condition(), zone_of_orientation(own)]].concat()
        };
        let located = |nodes: Vec<Node>| [vec![width()], frame().into_iter().collect(), nodes].concat();
        let around_centre = zone(if form == Form::Sphere { "SphericalZone" } else { "DiametricalZone" });
        // Kind, definition, and whether the measurement states the bonus.
        let (kind, definition, has_bonus) = match &asked.characteristic {
            Asked::Size { lower_mm } => {
                let limits = limits(*lower_mm, Some(asked.limit_mm));
                match form {
                    Form::Circle | Form::Cylinder => ("Diameter", vec![limits], false),
                    Form::Sphere => ("SphericalDiameter", vec![limits], false),
                    Form::Plane | Form::Other => {
                        ("UserDefinedLinear", vec![limits, Node::text("WhatToMeasure", "Size")], false)
                    }
                }
            }
            Asked::Straightness { .. } => ("Straightness", vec![width(), condition(), zone("DiametricalZone")], true),
            Asked::Flatness {} => ("Flatness", vec![width(), condition()], true),
            Asked::Circularity { .. } => ("Circularity", vec![width()], false),
            Asked::Cylindricity {} => ("Cylindricity", vec![width()], false),
            Asked::Parallelism { zone } => ("Parallelism", oriented(zone), true),
            Asked::Perpendicularity { zone } => ("Perpendicularity", oriented(zone), true),
            Asked::Angularity { zone, .. } => ("Angularity", oriented(zone), true),
            Asked::Position { zone: own, .. } => {
                let shape = if is_flat(own) { zone("NonDiametricalZone") } else { around_centre };
                ("Position", located(vec![condition(), shape]), true)
            }
            Asked::Coaxiality {} if form == Form::Cylinder => {
                ("Coaxiality", located(vec![zone("DiametricalZone")]), false)
            }
            Asked::Coaxiality {} => ("Concentricity", located(vec![around_centre]), false),
            Asked::Symmetry {} => ("Symmetry", located(Vec::new()), false),
            Asked::Profile { outside_mm } => {
                let outer = outside_mm.map(|mm| Node::number("OuterDisposition", mm));
                let nodes = [width()].into_iter().chain(outer).chain(frame());
                ("SurfaceProfile", nodes.collect(), false)
            }
            Asked::CircularRunOut { .. } => ("CircularRunout", located(Vec::new()), false),
            Asked::TotalRunOut {} => ("TotalRunout", located(Vec::new()), false),
        };
        let definition: Vec<Node> = stated(asked).into_iter().chain(definition).collect();
        let preparation = made.and_then(|own| {
            let seen: Vec<String> = own.faces.iter().map(SeenFace::words).collect();
            attributes([
                ("Preparation", Some(own.preparation.clone())),
                ("RejectedPoints", Some(own.rejected.clone())),
                ("Coverage", Some(seen.join("; "))),
                ("Incomplete", Some(own.incomplete.clone())),
            ])
        });
        // The schema has no place for what the tolerance gains: the figures alone would contradict the verdict.
        if asked.maximum_material.is_some() && !has_bonus {
            let said = made.map_or_else(
                || "no up-to-date result".to_owned(),
                |own| inspect::recipe::Product::sentences(own).join(" "),
            );
            let what = format!("{kind} {} mm at maximum material", asked.limit_mm);
            let own = Self::judged(name, &what, made.and_then(inspect::recipe::Product::verdict), &said);
            let definition = stated(asked).into_iter().chain(own.definition).collect();
            return Self { definition, preparation, ..own };
        }
        let measured = |own: &Judged| {
            let bonus =
                (has_bonus && own.bonus_mm > 0.0).then(|| value("Bonus", own.bonus_mm, own.bonus_uncertainty_mm));
            [value("Value", own.measured_mm, own.uncertainty_mm)].into_iter().chain(bonus).collect()
        };
        Self {
            verdict: made.and_then(inspect::recipe::Product::verdict),
            measurement: made.map(measured).unwrap_or_default(),
            preparation,
            ..Self::new(kind, name, definition)
        }
    }

    fn new(kind: &'static str, name: String, definition: Vec<Node>) -> Self {
        Self {
            kind,
            name,
            definition,
            nominal: Vec::new(),
            verdict: None,
            feature: None,
            measurement: Vec::new(),
            preparation: None,
        }
    }

    /// Whether it was measured, and how it was judged.
    pub fn status(&self) -> &'static str {
        match self.verdict {
            Some(Verdict::Pass) => "PASS",
            Some(Verdict::Fail) => "FAIL",
            Some(Verdict::Incomplete) => "INDETERMINATE",
            None => "NOT_ANALYZED",
        }
    }
}

/// What a tolerance states beside its limits. The element of the schema for a tolerance class stands in place of the
/// limits, which would be lost, and that for a filter needs a kind of association.
fn stated(asked: &Tolerance) -> Option<Node> {
    let filter_mm = asked.filter_mm.map(|cutoff_mm| format!("Gaussian, {cutoff_mm} mm"));
    let filter = asked.filter_upr.map(|upr| format!("Gaussian, {upr} UPR")).or(filter_mm);
    let outliers = asked.outlier_sigmas.map(|sigmas| format!("{sigmas} standard deviations of the noise"));
    let coverage = asked.min_coverage.map(|share| share.to_string());
    let stated = [("ToleranceClass", asked.fit.clone()), ("Filter", filter), ("OutlierLimit", outliers)];
    let [class, filter, outliers] = stated;
    attributes([class, filter, outliers, ("MinimumCoverage", coverage)])
}

/// User-defined attributes, with which the elements of a characteristic begin; `None` without any.
fn attributes<const N: usize>(all: [(&str, Option<String>); N]) -> Option<Node> {
    let stated = all.into_iter().filter_map(|(name, text)| Some((name, text.filter(|text| !text.is_empty())?)));
    let nodes: Vec<Node> = stated.map(|(name, text)| Node::stated(name, &text)).collect();
    (!nodes.is_empty()).then(|| Node::list("Attributes", nodes))
}

/// Limits of a size, a distance or an angle.
fn limits(lower: Option<f64>, upper: Option<f64>) -> Node {
    if lower.is_none() && upper.is_none() {
        return Node::text("NonTolerance", "MEASURED");
    }
    let limits = [upper.map(|mm| Node::number("MaxValue", mm)), lower.map(|mm| Node::number("MinValue", mm))];
    let nodes = limits.into_iter().flatten().chain([Node::text("DefinedAsLimit", true)]);
    Node::of("Tolerance", nodes.collect())
}

/// A measured value with its combined standard uncertainty, half the expanded one (k = 2).
pub fn value(name: &str, measured: f64, expanded: Option<f64>) -> Node {
    let node = Node::number(name, measured);
    match expanded {
        Some(expanded) => node.with("combinedUncertainty", &decimal(0.5 * expanded)),
        None => node,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use inspect::tolerances::Plan;

    /// The definition of the only tolerance of a list, as text.
    fn definition(fields: &str) -> String {
        let plan = Plan::from_json(&format!(r#"{{"tolerances":[{{"feature":"bore",{fields}}}]}}"#)).unwrap();
        let own = Characteristic::of_tolerance("T".to_owned(), &plan.tolerances[0], Form::Cylinder, None, None);
        assert!(own.preparation.is_none(), "nothing was measured");
        Node::of("Definition", own.definition).document().unwrap()
    }

    #[test]
    fn classes_and_filters_stand_as_attributes_before_the_limits() {
        let size = definition(r#""characteristic":"size","fit":"25 H7""#);
        let [class, limits] = [r#"<AttributeStr name="ToleranceClass" value="25 H7"/>"#, "<MaxValue>25.021</MaxValue>"];
        assert!(size.contains(r#"<Attributes n="1">"#) && size.find(class) < size.find(limits), "{size}");
        assert!(size.contains(class) && size.contains("<MinValue>25</MinValue>"), "{size}");
        let form = definition(r#""characteristic":"circularity","limit_mm":0.1,"filter_upr":50,"outlier_sigmas":4"#);
        assert!(form.contains(r#"<Attributes n="2">"#), "{form}");
        assert!(form.contains(r#"name="Filter" value="Gaussian, 50 UPR""#), "{form}");
        assert!(form.find("</Attributes>") < form.find("<ToleranceValue>"), "{form}");
        let wave = definition(r#""characteristic":"cylindricity","limit_mm":0.1,"filter_mm":0.8"#);
        assert!(wave.contains(r#"name="Filter" value="Gaussian, 0.8 mm""#), "{wave}");
        let plain = definition(r#""characteristic":"cylindricity","limit_mm":0.1"#);
        assert!(!plain.contains("Attributes"), "{plain}");
    }
}
