//! Choice of the direction that the points of a surface comparison are measured along, or of the plane within which.

use super::super::named;
use crate::number_field::NumberField;
use crate::theme;
use inspect::deviation::Parameters;
use texts::text;

/// What points are measured along.
#[derive(Clone, Copy, PartialEq)]
enum Along {
    /// The line to their closest points.
    Normal,
    X,
    Y,
    Z,
    /// A vector of the operator's.
    Vector,
    /// The planes parallel to two axes.
    PlaneXy,
    PlaneYz,
    PlaneZx,
    /// The planes perpendicular to a vector of the operator's.
    PlaneOfVector,
}

impl Along {
    const ALL: [Self; 9] = [
        Self::Normal,
        Self::X,
        Self::Y,
        Self::Z,
        Self::Vector,
        Self::PlaneXy,
        Self::PlaneYz,
        Self::PlaneZx,
        Self::PlaneOfVector,
    ];

    fn of(parameters: &Parameters) -> Self {
        let (direction, in_plane) = (parameters.direction, parameters.in_plane);
        let is_of = |own: &Self| !own.has_own_vector() && own.direction() == direction && own.is_in_plane() == in_plane;
        let own_vector = if in_plane { Self::PlaneOfVector } else { Self::Vector };
        match direction {
            None => Self::Normal,
            Some(_) => Self::ALL.into_iter().find(is_of).unwrap_or(own_vector),
        }
    }

    fn has_own_vector(self) -> bool {
        matches!(self, Self::Vector | Self::PlaneOfVector)
    }

    fn is_in_plane(self) -> bool {
        matches!(self, Self::PlaneXy | Self::PlaneYz | Self::PlaneZx | Self::PlaneOfVector)
    }

    fn direction(self) -> Option<[f64; 3]> {
        match self {
            Self::Normal => None,
            Self::X | Self::PlaneYz => Some([1.0, 0.0, 0.0]),
            Self::Y | Self::PlaneZx => Some([0.0, 1.0, 0.0]),
            Self::Z | Self::PlaneXy => Some([0.0, 0.0, 1.0]),
            Self::Vector | Self::PlaneOfVector => Some([1.0, 1.0, 1.0]),
        }
    }

    fn name(self) -> String {
        match self {
            Self::Normal => text!("compare-along-normal"),
            Self::X => text!("compare-along-x"),
            Self::Y => text!("compare-along-y"),
            Self::Z => text!("compare-along-z"),
            Self::Vector => text!("compare-along-vector"),
            Self::PlaneXy => text!("compare-along-plane-xy"),
            Self::PlaneYz => text!("compare-along-plane-yz"),
            Self::PlaneZx => text!("compare-along-plane-zx"),
            Self::PlaneOfVector => text!("compare-along-plane-vector"),
        }
    }
}

/// Draws it.
pub(super) fn show(ui: &mut egui::Ui, parameters: &mut Parameters) {
    let before = Along::of(parameters);
    let mut along = before;
    theme::choice(ui, &text!("compare-along"), &mut along, &Along::ALL, Along::name);
    if along != before {
        let keeps_vector = before.has_own_vector() && along.has_own_vector();
        if !keeps_vector {
            parameters.direction = along.direction();
        }
        parameters.in_plane = along.is_in_plane();
    }
    let Some(vector) = parameters.direction.as_mut().filter(|_| along.has_own_vector()) else { return };
    ui.horizontal(|ui| {
        let names = [text!("compare-along-vector-x"), text!("compare-along-vector-y"), text!("compare-along-vector-z")];
        for (component, name) in vector.iter_mut().zip(names) {
            let field = NumberField::new(component).speed(0.01).range(-1e3..=1e3).max_decimals(6);
            named(&ui.add(field), &name);
        }
    });
}
