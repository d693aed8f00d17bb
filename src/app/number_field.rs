//! A field for a number: dragged, or typed in either decimal custom. What cannot be read turns it red and changes nothing.

use std::cell::Cell;
use std::ops::RangeInclusive;
use std::rc::Rc;

use egui::emath::Numeric;
use egui::{DragValue, Event, Key, Response, Ui, Widget};

/// A number that can be dragged or typed.
pub struct NumberField<'a> {
    field: DragValue<'a>,
    range: RangeInclusive<f64>,
}

impl<'a> NumberField<'a> {
    /// For `value`.
    pub fn new<Number: Numeric>(value: &'a mut Number) -> Self {
        // A narrow field grows with what is typed, so that no digit is hidden.
        Self { field: DragValue::new(value).clip_text(false), range: Number::MIN.to_f64()..=Number::MAX.to_f64() }
    }

    /// Change for each point of a drag.
    pub fn speed(self, speed: f64) -> Self {
        Self { field: self.field.speed(speed), ..self }
    }

    /// Least and greatest value.
    pub fn range<Number: Numeric>(self, range: RangeInclusive<Number>) -> Self {
        let bounds = range.start().to_f64()..=range.end().to_f64();
        Self { field: self.field.range(range), range: bounds }
    }

    /// Digits after the decimal point at most.
    pub fn max_decimals(self, count: usize) -> Self {
        Self { field: self.field.max_decimals(count), ..self }
    }

    /// What stands before the number.
    pub fn prefix(self, text: impl Into<String>) -> Self {
        Self { field: self.field.prefix(text.into()), ..self }
    }

    /// What stands behind it.
    pub fn suffix(self, text: impl Into<String>) -> Self {
        Self { field: self.field.suffix(text.into()), ..self }
    }

    /// How the number is shown where it is not being typed.
    pub fn custom_formatter(self, formatter: impl 'a + Fn(f64, RangeInclusive<usize>) -> String) -> Self {
        Self { field: self.field.custom_formatter(formatter), ..self }
    }
}

impl Widget for NumberField<'_> {
    fn ui(self, ui: &mut Ui) -> Response {
        let id = ui.next_auto_id();
        let refused = id.with("refused");
        let is_typing = ui.memory(|memory| memory.has_focus(id));
        let was_refused = is_typing && ui.data(|data| data.get_temp(refused).unwrap_or(false));
        // The window may have taken the key for itself already.
        let is_escape = |event: &Event| matches!(event, Event::Key { key: Key::Escape, pressed: true, .. });
        let is_given_up = ui.input(|input| input.raw.events.iter().any(is_escape));
        // Typing takes effect at its end: half a number is none.
        let read = Rc::new(Cell::new(None));
        let (seen, range) = (Rc::clone(&read), self.range.clone());
        let parser = move |text: &str| {
            let number = parse(text).filter(|number| range.contains(number));
            seen.set(Some(number.is_some()));
            number.filter(|_| !is_typing && !is_given_up)
        };
        let style = ui.style().clone();
        if was_refused {
            let visuals = ui.visuals_mut();
            let red = visuals.error_fg_color;
            visuals.override_text_color = Some(red);
            visuals.selection.stroke.color = red;
        }
        let response = self.field.custom_parser(parser).ui(ui);
        ui.set_style(style);
        if let Some(is_number) = read.get() {
            ui.data_mut(|data| data.insert_temp(refused, !is_number));
        } else if !is_typing {
            ui.data_mut(|data| data.remove::<bool>(refused));
        }
        if was_refused {
            let [least, greatest] = [self.range.start(), self.range.end()];
            return response
                .on_hover_text(format!("A number from {least} to {greatest} is expected; the value stays as it was."));
        }
        response
    }
}

/// Reads a number with a decimal point or comma, groups of thousands, an exponent, and a unit behind it. A lone separator is a
/// decimal one: 1,234 is a little more than one.
pub fn parse(text: &str) -> Option<f64> {
    const MOST: usize = 64;
    let text = text.trim().trim_end_matches(|c: char| c.is_alphabetic() || "°%µ²/ \u{a0}\u{202f}".contains(c));
    let digits: String = text
        .chars()
        .filter(|c| !c.is_whitespace() && !"'\u{2019}_\u{a0}\u{202f}".contains(*c))
        .map(|c| if c == '\u{2212}' { '-' } else { c })
        .collect();
    if digits.len() > MOST {
        return None;
    }
    let (commas, points) = (digits.matches(',').count(), digits.matches('.').count());
    // Of both, the last one is the decimal one; one alone is, too; several of one kind part thousands.
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

/// The digits without what parts them into groups of three.
fn without_groups(digits: &str, separator: char) -> Option<String> {
    let whole = |group: &str| group.chars().take_while(char::is_ascii_digit).count();
    let mut groups = digits.split(separator).skip(1);
    groups.all(|group| whole(group) == 3).then(|| digits.replace(separator, ""))
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn numbers_are_read_in_both_customs() {
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
    fn what_is_no_number_is_none() {
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
