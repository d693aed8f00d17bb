//! Measured features: planes, cylinders, spheres and circles.

use super::Ids;
use super::characteristic::{Form, value};
use super::node::{Node, decimal};
use geometry::{Point, Vector};
use inspect::features::measured::MeasuredFeature;
use inspect::features::{Element, Shape};
use inspect::tolerances::Feature;
use session::Document;
use session::pipeline::State;
use session::plan::ElementId;

/// A measured feature in the nominal frame.
pub struct Measured {
    /// Its element of the plan.
    pub of: ElementId,
    /// Its id in the document.
    pub id: u32,
    name: String,
    shape: Shape,
}

/// The feature of an element in the nominal frame; `None` without an up-to-date result.
fn shape_of(document: &Document, id: ElementId) -> Option<Shape> {
    let is_fresh = document.state(id) == State::Fresh;
    let own = document.result::<MeasuredFeature>(Some(id)).filter(|_| is_fresh)?;
    let pose = document.nominal_from_scan();
    match Feature::of_measured(own, &pose).element.moved(&pose) {
        Element::Shape(shape) => Some(shape),
        Element::Point(_) => None,
    }
}

/// Form of a toleranced feature.
pub fn form(document: &Document, feature: Option<ElementId>) -> Form {
    match feature.and_then(|id| shape_of(document, id)) {
        Some(Shape::Plane { .. }) => Form::Plane,
        Some(Shape::Sphere { .. }) => Form::Sphere,
        Some(Shape::Circle { .. }) => Form::Circle,
        Some(Shape::Cylinder { .. }) => Form::Cylinder,
        _ => Form::Other,
    }
}

impl Measured {
    /// The features of the kinds that are written, in the order of the plan.
    pub fn all(document: &Document, ids: &mut Ids) -> Vec<Self> {
        let features = document.plan.elements().iter().filter(|own| own.recipe.is_feature());
        let one = |(of, name, shape): (ElementId, String, Shape)| Self { of, id: ids.next(), name, shape };
        let shapes = features.filter_map(|own| Some((own.id, own.name.clone(), shape_of(document, own.id)?)));
        shapes.filter(|(.., shape)| kind(shape).is_some()).map(one).collect()
    }

    /// Its element of the document.
    pub fn node(&self) -> Node {
        let vector = |name: &str, own: &Vector| Node::text(name, [own.x, own.y, own.z].map(decimal).join(" "));
        let point = |name: &str, own: &Point| vector(name, &own.coords);
        let diameter = |radius: f64| value("Diameter", 2.0 * radius, None);
        let nodes = match &self.shape {
            Shape::Plane { point: at, normal } => vec![point("Location", at), vector("Normal", normal)],
            Shape::Circle { centre, normal, radius } => {
                vec![point("Location", centre), vector("Normal", normal), diameter(*radius)]
            }
            Shape::Sphere { centre, radius } => vec![point("Location", centre), diameter(*radius)],
            Shape::Cylinder { point: at, axis, radius } => {
                let axis = Node::of("Axis", vec![point("AxisPoint", at), vector("Direction", axis)]);
                vec![axis, diameter(*radius)]
            }
            _ => Vec::new(),
        };
        let nodes = [vec![Node::text("FeatureName", &self.name)], nodes].concat();
        Node::of(kind(&self.shape).unwrap_or_default(), nodes).with("id", &self.id.to_string())
    }
}

fn kind(shape: &Shape) -> Option<&'static str> {
    match shape {
        Shape::Plane { .. } => Some("PlaneFeatureMeasurement"),
        Shape::Circle { .. } => Some("CircleFeatureMeasurement"),
        Shape::Sphere { .. } => Some("SphereFeatureMeasurement"),
        Shape::Cylinder { .. } => Some("CylinderFeatureMeasurement"),
        _ => None,
    }
}
