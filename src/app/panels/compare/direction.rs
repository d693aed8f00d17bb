//! Choice of the direction that the points of a surface comparison are measured along.

use super::super::named;
use crate::number_field::NumberField;
use crate::theme;
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
}

impl Along {
    const ALL: [Self; 5] = [Self::Normal, Self::X, Self::Y, Self::Z, Self::Vector];

    fn of(direction: Option<[f64; 3]>) -> Self {
        let is_of = |own: &Self| own.direction() == direction;
        [Self::Normal, Self::X, Self::Y, Self::Z].into_iter().find(is_of).unwrap_or(Self::Vector)
    }

    fn direction(self) -> Option<[f64; 3]> {
        match self {
            Self::Normal => None,
            Self::X => Some([1.0, 0.0, 0.0]),
            Self::Y => Some([0.0, 1.0, 0.0]),
            Self::Z => Some([0.0, 0.0, 1.0]),
            Self::Vector => Some([1.0, 1.0, 1.0]),
        }
    }

    fn name(self) -> String {
        match self {
            Self::Normal => text!("compare-along-normal"),
            Self::X => text!("compare-along-x"),
            Self::Y => text!("compare-along-y"),
            Self::Z => text!("compare-along-z"),
            Self::Vector => text!("compare-along-vector"),
        }
    }
}

/// Draws it.
pub(super) fn show(ui: &mut egui::Ui, direction: &mut Option<[f64; 3]>) {
    let before = Along::of(*direction);
    let mut along = before;
    theme::choice(ui, &text!("compare-along"), &mut along, &Along::ALL, Along::name);
    if along != before {
        *direction = along.direction();
    }
    let Some(vector) = direction.as_mut().filter(|_| along == Along::Vector) else { return };
    ui.horizontal(|ui| {
        let names = [text!("compare-along-vector-x"), text!("compare-along-vector-y"), text!("compare-along-vector-z")];
        for (component, name) in vector.iter_mut().zip(names) {
            let field = NumberField::new(component).speed(0.01).range(-1e3..=1e3).max_decimals(6);
            named(&ui.add(field), &name);
        }
    });
}
