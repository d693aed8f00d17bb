//! Datums that are one and the same: a datum says nothing that another of the same points has not said.

use super::feature::ActualFeature;
use super::{CheckContext, Tolerance};
use crate::features::Element;
use base::{Result, UserError};

/// Returns an error if two datums, or two of a common one, are the same feature or of the same points, or if the
/// toleranced feature has the points of a datum.
pub(super) fn check(tolerance: &Tolerance, context: &CheckContext<'_>) -> Result<()> {
    let mut datums: Vec<(&str, &str, ActualFeature<'_>)> = Vec::new();
    for stated in &tolerance.datums {
        let members = context.datum_features(stated)?;
        datums.extend(members.into_iter().map(|(letter, datum)| (stated.as_str(), letter, datum)));
    }
    let feature = context.feature(&tolerance.feature)?;
    for (index, (stated, letter, datum)) in datums.iter().enumerate() {
        // That one feature stands twice in a common datum is for [`super::common`] to say.
        let is_member = |of: &str, other: &ActualFeature<'_>| of == *stated && other.name == datum.name;
        let twin = datums[..index].iter().find(|(of, _, other)| is_same(other, datum) && !is_member(of, other));
        if let Some((_, other, _)) = twin {
            return Err(UserError::usage(format!(
                "Datums {other} and {letter} are the same feature, or of the same points: choose another for one of them."
            )));
        }
        // A feature may be a part of a common datum that it is toleranced to.
        if datum.name != feature.name && is_same(&feature, datum) {
            return Err(UserError::usage(format!(
                "“{}” and datum {letter} are of the same points: choose another datum.",
                feature.name
            )));
        }
    }
    Ok(())
}

/// Whether both are one feature, or elements of one kind from the same points.
fn is_same(one: &ActualFeature<'_>, other: &ActualFeature<'_>) -> bool {
    let is_of_kind = match (one.element, other.element) {
        (Element::Shape(one), Element::Shape(other)) => one.kind() == other.kind(),
        _ => false,
    };
    let (points, others) = (&one.feature.points, &other.feature.points);
    one.name == other.name || (is_of_kind && !points.is_empty() && points == others)
}
