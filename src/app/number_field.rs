//! Input field for a number, dragged or typed with a decimal point or comma. Invalid input turns it red and is ignored.

use std::cell::Cell;
use std::ops::RangeInclusive;
use std::rc::Rc;

use egui::emath::Numeric;
use egui::{DragValue, Event, Key, Response, Ui, Widget};

use texts::text;

/// Input field for a number, dragged or typed.
pub struct NumberField<'a> {
    field: DragValue<'a>,
    range: RangeInclusive<f64>,
}

impl<'a> NumberField<'a> {
    /// A field that edits `value`.
    pub fn new<Number: Numeric>(value: &'a mut Number) -> Self {
        // The field grows with the text, so that all digits are visible.
        Self { field: DragValue::new(value).clip_text(false), range: Number::MIN.to_f64()..=Number::MAX.to_f64() }
    }

    /// Change per point of drag.
    pub fn speed(self, speed: f64) -> Self {
        Self { field: self.field.speed(speed), ..self }
    }

    /// Minimum and maximum value.
    pub fn range<Number: Numeric>(self, range: RangeInclusive<Number>) -> Self {
        let bounds = range.start().to_f64()..=range.end().to_f64();
        Self { field: self.field.range(range), range: bounds }
    }

    /// Maximum number of decimals.
    pub fn max_decimals(self, count: usize) -> Self {
        Self { field: self.field.max_decimals(count), ..self }
    }

    /// Text before the number.
    pub fn prefix(self, text: impl Into<String>) -> Self {
        Self { field: self.field.prefix(text.into()), ..self }
    }

    /// Text after the number, such as its unit.
    pub fn suffix(self, text: impl Into<String>) -> Self {
        Self { field: self.field.suffix(text.into()), ..self }
    }

    /// Formats the number for display while it is not being edited.
    pub fn custom_formatter(self, formatter: impl 'a + Fn(f64, RangeInclusive<usize>) -> String) -> Self {
        Self { field: self.field.custom_formatter(formatter), ..self }
    }
}

impl Widget for NumberField<'_> {
    fn ui(self, ui: &mut Ui) -> Response {
        let id = ui.next_auto_id();
        let invalid_id = id.with("refused");
        let is_typing = ui.memory(|memory| memory.has_focus(id));
        let was_invalid = is_typing && ui.data(|data| data.get_temp(invalid_id).unwrap_or(false));
        // The key may already have been consumed by the window.
        let is_escape = |event: &Event| matches!(event, Event::Key { key: Key::Escape, pressed: true, .. });
        let is_cancelled = ui.input(|input| input.raw.events.iter().any(is_escape));
        // Typed text takes effect when editing ends, as it may be incomplete before.
        let is_valid = Rc::new(Cell::new(None));
        let (parsed, range) = (Rc::clone(&is_valid), self.range.clone());
        let parser = move |text: &str| {
            let number = parse(text).filter(|number| range.contains(number));
            parsed.set(Some(number.is_some()));
            number.filter(|_| !is_typing && !is_cancelled)
        };
        let style = ui.style().clone();
        if was_invalid {
            let visuals = ui.visuals_mut();
            let red = visuals.error_fg_color;
            visuals.override_text_color = Some(red);
            visuals.selection.stroke.color = red;
        }
        let response = self.field.custom_parser(parser).ui(ui);
        ui.set_style(style);
        if let Some(is_number) = is_valid.get() {
            ui.data_mut(|data| data.insert_temp(invalid_id, !is_number));
        } else if !is_typing {
            ui.data_mut(|data| data.remove::<bool>(invalid_id));
        }
        if was_invalid {
            let [min, max] = [self.range.start(), self.range.end()].map(f64::to_string);
            return response.on_hover_text(text!("window-number-from-to", min = min, max = max));
        }
        response
    }
}

/// Parses a number with decimal point or comma, thousands separators, exponent and a trailing unit; `None` if it is not
/// a finite number. A single separator is the decimal separator: 1,234 is a little more than one.
pub fn parse(text: &str) -> Option<f64> {
    const MAX_LENGTH: usize = 64;
    let text = text.trim().trim_end_matches(|c: char| c.is_alphabetic() || "°%µ²/ \u{a0}\u{202f}".contains(c));
    let digits: String = text
        .chars()
        .filter(|c| !c.is_whitespace() && !"'\u{2019}_\u{a0}\u{202f}".contains(*c))
        .map(|c| if c == '\u{2212}' { '-' } else { c })
        .collect();
    if digits.len() > MAX_LENGTH {
        return None;
    }
    let (commas, points) = (digits.matches(',').count(), digits.matches('.').count());
    // With both, the last is the decimal separator; so is a single one. Several of one kind separate thousands.
    let plain = match (digits.rfind(','), digits.rfind('.')) {
        (Some(comma), Some(point)) if comma > point => without_groups(&digits, '.')?.replace(',', "."),
        (Some(_), Some(_)) => without_groups(&digits, ',')?,
        (Some(_), None) if commas == 1 => digits.replace(',', "."),
        (None, Some(_)) if points == 1 => digits,
        (Some(_), None) => without_groups(&digits, ',')?,
        (None, Some(_)) => without_groups(&digits, '.')?,
        (None, None) => digits,
    };
    plain.parse().ok().filter(|number: &f64| number.is_finite())
}

/// The digits without thousands separators; `None` if a group does not have three digits.
fn without_groups(digits: &str, separator: char) -> Option<String> {
    let digits_of = |group: &str| group.chars().take_while(char::is_ascii_digit).count();
    let mut groups = digits.split(separator).skip(1);
    groups.all(|group| digits_of(group) == 3).then(|| digits.replace(separator, ""))
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn decimal_points_and_commas_are_parsed() {
        for (text, number) in [
            ("0,15", 0.15),
            ("0.15", 0.15),
            (" 1.234,56 ", 1234.56),
            ("1,234.56", 1234.56),
            ("1 234,5", 1234.5),
            ("1'234.5", 1234.5),
            ("1.234.567", 1_234_567.0),
            ("1,234", 1.234),
            ("1e-1", 0.1),
            ("\u{2212}0,3", -0.3),
            ("+2", 2.0),
            (",5", 0.5),
            ("0,15 mm", 0.15),
            ("0.2 mm²", 0.2),
            ("12°", 12.0),
            ("7 %", 7.0),
        ] {
            assert_eq!(parse(text), Some(number), "{text}");
        }
    }

    #[test]
    fn invalid_numbers_are_refused() {
        let long = "9".repeat(400);
        for text in [
            "",
            " ",
            "mm",
            "abc",
            "1,2,3.4,5",
            "1.2.3,4,5",
            "1,2,3",
            "12,34,567.8",
            "--1",
            "1e999",
            "NaN",
            "inf",
            "0x1F",
            long.as_str(),
        ] {
            assert_eq!(parse(text), None, "{text}");
        }
    }
}
