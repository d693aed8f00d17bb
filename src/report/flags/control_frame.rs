//! Tolerance indicators as on drawings (ISO 1101, feature control frames of ASME Y14.5): symbol, zone and datums in
//! boxes, and behind them the measured value.

use super::drawing::{FlagMark, Measure, Rect, Shade};
use base::LengthUnit;
use inspect::tolerances::{Characteristic, Tolerance};

/// Height of a box, and space beside its text, points.
const HEIGHT: f32 = 20.0;
const PADDING: f32 = 5.0;
/// Space about the symbol in its box, and width of its lines, points.
const SYMBOL_MARGIN: f32 = 3.5;
const SYMBOL_LINE: f32 = 1.3;

/// The content of a frame.
#[derive(Clone, Debug)]
pub(super) struct ControlFrame {
    /// The characteristic, for its symbol.
    characteristic: Characteristic,
    /// Texts of the other boxes: the zone, then the datums.
    boxes: Vec<String>,
    /// The measured value.
    value: String,
}

impl ControlFrame {
    /// The frame of a tolerance in `unit`; `round` stands before the size of its zone, `value` is what was measured. As on
    /// drawings, millimetres go without saying.
    pub fn of(tolerance: &Tolerance, round: &str, value: String, unit: LengthUnit) -> Self {
        let bonus = if tolerance.maximum_material.is_some() { " Ⓜ" } else { "" };
        let zone = format!("{round}{}{bonus}", unit.stated_text(tolerance.limit_mm));
        let value = if unit == LengthUnit::Mm { value } else { format!("{value} {}", unit.symbol()) };
        let boxes = std::iter::once(zone).chain(tolerance.datums.iter().cloned()).collect();
        Self { characteristic: tolerance.characteristic.clone(), boxes, value }
    }

    /// Size of boxes and value, points.
    pub fn size(&self, measure: Measure<'_>) -> [f32; 2] {
        let boxes: f32 = self.boxes.iter().map(|text| measure(text)[0] + 2.0 * PADDING).sum();
        [HEIGHT + boxes + PADDING + measure(&self.value)[0], HEIGHT]
    }

    /// The frame, from its upper left corner.
    pub fn marks(&self, [left, top]: [f32; 2], measure: Measure<'_>) -> Vec<FlagMark> {
        let boxed = |rect: Rect| FlagMark::Plate(rect, 0.0, None, Some((1.0, Shade::Frame)));
        let written = |text: &str, left: f32| {
            let [width, height] = measure(text);
            FlagMark::Text([left, top + 0.5 * (HEIGHT - height)], width, text.to_owned())
        };
        let mut marks = vec![boxed([left, top, HEIGHT, HEIGHT])];
        let side = HEIGHT - 2.0 * SYMBOL_MARGIN;
        symbol(&mut marks, [left + SYMBOL_MARGIN, top + SYMBOL_MARGIN], side, &self.characteristic);
        let mut left = left + HEIGHT;
        for text in &self.boxes {
            let width = measure(text)[0] + 2.0 * PADDING;
            // Neighbours share a line.
            marks.push(boxed([left - 1.0, top, width, HEIGHT]));
            marks.push(written(text, left - 1.0 + PADDING));
            left += width - 1.0;
        }
        marks.push(written(&self.value, left + PADDING));
        marks
    }
}

/// Draws the symbol of a characteristic into a square, given by its upper left corner and its side.
fn symbol(marks: &mut Vec<FlagMark>, [left, top]: [f32; 2], side: f32, characteristic: &Characteristic) {
    let at = |x: f32, y: f32| [left + x * side, top + y * side];
    let path = |points: &[(f32, f32)]| {
        FlagMark::Path(points.iter().map(|(x, y)| at(*x, *y)).collect(), SYMBOL_LINE, Shade::Ink)
    };
    let circle = |radius: f32| FlagMark::Ring(at(0.5, 0.5), radius * side, SYMBOL_LINE, Shade::Ink);
    let arc = || {
        let points: Vec<(f32, f32)> = (0..=16)
            .map(|i| (std::f32::consts::PI * i as f32 / 16.0).sin_cos())
            .map(|(sin, cos)| (0.5 - 0.45 * cos, 0.75 - 0.5 * sin))
            .collect();
        path(&points)
    };
    let arrow =
        |x: f32| [path(&[(x, 0.85), (x + 0.4, 0.15)]), path(&[(x + 0.12, 0.3), (x + 0.4, 0.15), (x + 0.43, 0.48)])];
    match characteristic {
        Characteristic::Size { .. } => marks.extend([circle(0.32), path(&[(0.15, 0.95), (0.85, 0.05)])]),
        Characteristic::Straightness { .. } => marks.push(path(&[(0.05, 0.5), (0.95, 0.5)])),
        Characteristic::Flatness {} => {
            marks.push(path(&[(0.0, 0.8), (0.3, 0.2), (1.0, 0.2), (0.7, 0.8), (0.0, 0.8)]));
        }
        Characteristic::Circularity { .. } => marks.push(circle(0.42)),
        Characteristic::Cylindricity {} => {
            marks.extend([circle(0.27), path(&[(0.02, 0.95), (0.36, 0.05)]), path(&[(0.64, 0.95), (0.98, 0.05)])])
        }
        Characteristic::Profile { .. } => marks.extend([arc(), path(&[(0.05, 0.75), (0.95, 0.75)])]),
        Characteristic::Parallelism { .. } => {
            marks.extend([path(&[(0.15, 0.9), (0.5, 0.1)]), path(&[(0.5, 0.9), (0.85, 0.1)])]);
        }
        Characteristic::Perpendicularity { .. } => {
            marks.extend([path(&[(0.5, 0.1), (0.5, 0.85)]), path(&[(0.05, 0.85), (0.95, 0.85)])]);
        }
        Characteristic::Angularity { .. } => marks.push(path(&[(0.95, 0.85), (0.05, 0.85), (0.85, 0.15)])),
        Characteristic::Position { .. } => {
            marks.extend([circle(0.3), path(&[(0.0, 0.5), (1.0, 0.5)]), path(&[(0.5, 0.0), (0.5, 1.0)])]);
        }
        Characteristic::Coaxiality {} => marks.extend([circle(0.22), circle(0.44)]),
        Characteristic::Symmetry {} => marks.extend([
            path(&[(0.25, 0.25), (0.75, 0.25)]),
            path(&[(0.0, 0.5), (1.0, 0.5)]),
            path(&[(0.25, 0.75), (0.75, 0.75)]),
        ]),
        Characteristic::CircularRunOut { .. } => marks.extend(arrow(0.3)),
        Characteristic::TotalRunOut {} => {
            marks.extend(arrow(0.05).into_iter().chain(arrow(0.5)));
            marks.push(path(&[(0.05, 0.85), (0.5, 0.85)]));
        }
    }
}
