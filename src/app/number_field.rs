//! Input field for a number, dragged or typed with a decimal point or comma. Invalid input turns it red and is ignored.
//! Lengths and areas are held in mm and mm², and shown and taken in the unit of the window; typed with a unit of their own,
//! they are taken in that.

use std::cell::Cell;
use std::ops::RangeInclusive;
use std::rc::Rc;

use egui::emath::Numeric;
use egui::{DragValue, Event, Key, Response, Ui, Widget};

use crate::lengths;
use base::LengthUnit;
use texts::text;

/// Reads a number, or writes it first.
type GetSet<'a> = Box<dyn FnMut(Option<f64>) -> f64 + 'a>;
/// Formats a number with a range of decimals.
type Formatter<'a> = Box<dyn Fn(f64, RangeInclusive<usize>) -> String + 'a>;

/// What a number measures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Quantity {
    /// Shown as it is.
    Other,
    /// A length, mm.
    Length,
    /// An area, mm².
    Area,
}

impl Quantity {
    /// What the number is divided by to be shown in a unit.
    fn per_unit(self, unit: LengthUnit) -> f64 {
        match self {
            Self::Other => 1.0,
            Self::Length => unit.mm_per_unit(),
            Self::Area => unit.mm_per_unit().powi(2),
        }
    }
}

/// Input field for a number, dragged or typed.
pub struct NumberField<'a> {
    value: GetSet<'a>,
    /// Values that its type can hold.
    limits: RangeInclusive<f64>,
    /// Values that are allowed, where not all are.
    range: Option<RangeInclusive<f64>>,
    speed: f64,
    max_decimals: Option<usize>,
    prefix: String,
    suffix: String,
    formatter: Option<Formatter<'a>>,
    quantity: Quantity,
}

impl<'a> NumberField<'a> {
    /// A field that edits `value`.
    pub fn new<Number: Numeric>(value: &'a mut Number) -> Self {
        let limits = Number::MIN.to_f64()..=Number::MAX.to_f64();
        let own = Self {
            value: Box::new(move |new| {
                if let Some(new) = new {
                    *value = Number::from_f64(new);
                }
                value.to_f64()
            }),
            range: None,
            limits: limits.clone(),
            speed: 1.0,
            max_decimals: None,
            prefix: String::new(),
            suffix: String::new(),
            formatter: None,
            quantity: Quantity::Other,
        };
        if Number::INTEGRAL { Self { range: Some(limits), speed: 0.25, max_decimals: Some(0), ..own } } else { own }
    }

    /// Change per point of drag.
    pub fn speed(self, speed: f64) -> Self {
        Self { speed, ..self }
    }

    /// Minimum and maximum value.
    pub fn range<Number: Numeric>(self, range: RangeInclusive<Number>) -> Self {
        Self { range: Some(range.start().to_f64()..=range.end().to_f64()), ..self }
    }

    /// Maximum number of decimals; of lengths and areas, in mm and mm².
    pub fn max_decimals(self, count: usize) -> Self {
        Self { max_decimals: Some(count), ..self }
    }

    /// Text before the number.
    pub fn prefix(self, text: impl Into<String>) -> Self {
        Self { prefix: text.into(), ..self }
    }

    /// Text after the number, such as a unit in which it is always shown.
    pub fn suffix(self, text: impl Into<String>) -> Self {
        Self { suffix: text.into(), ..self }
    }

    /// Unit of the number, after it: that of mm and mm² follows the window, others are always shown.
    pub fn unit(self, unit: &str) -> Self {
        match unit.trim() {
            "mm" => Self { suffix: format!(" {}", lengths::symbol()), ..self.length() },
            "mm²" => Self { suffix: format!(" {}²", lengths::symbol()), quantity: Quantity::Area, ..self },
            _ => self.suffix(unit),
        }
    }

    /// The number is a length in mm, whose unit is written elsewhere than after it.
    pub fn length(self) -> Self {
        Self { quantity: Quantity::Length, ..self }
    }

    /// The number is a length in mm, without its unit as on drawings; another unit of the window is written after it.
    pub fn drawn_length(self) -> Self {
        if lengths::unit() == LengthUnit::Mm { self.length() } else { self.unit("mm") }
    }

    /// Formats the number for display while it is not being edited.
    pub fn custom_formatter(self, formatter: impl 'a + Fn(f64, RangeInclusive<usize>) -> String) -> Self {
        Self { formatter: Some(Box::new(formatter)), ..self }
    }
}

impl Widget for NumberField<'_> {
    fn ui(self, ui: &mut Ui) -> Response {
        let id = ui.next_auto_id();
        let invalid_id = id.with("refused");
        let is_typing = ui.memory(|memory| memory.has_focus(id));
        let checked = if is_typing { ui.data(|data| data.get_temp::<bool>(invalid_id)) } else { None };
        let was_invalid = checked == Some(true);
        // What has not been typed into is left as it is, with more decimals than are shown.
        let is_edited = ui.data(|data| data.get_temp::<bool>(invalid_id).is_some());
        // The key may already have been consumed by the window.
        let is_escape = |event: &Event| matches!(event, Event::Key { key: Key::Escape, pressed: true, .. });
        let is_cancelled = ui.input(|input| input.raw.events.iter().any(is_escape));
        let (unit, quantity) = (lengths::unit(), self.quantity);
        let per_unit = quantity.per_unit(unit);
        let range = self.range.map(|own| Bounds { own, per_unit });
        // A typed value: as it is shown, and as it is held, converted once.
        let typed = Rc::new(Cell::new(None::<[f64; 2]>));
        let mut value = self.value;
        let (last_typed, bounds) = (Rc::clone(&typed), range.clone());
        let field = DragValue::from_get_set(move |new| {
            let held = new.map(|new| match last_typed.get() {
                Some([shown, held]) if shown == new => held,
                _ => bounds.as_ref().map_or(new * per_unit, |bounds| bounds.held(new)),
            });
            value(held) / per_unit
        });
        // Typed text takes effect when editing ends, as it may be incomplete before.
        let is_valid = Rc::new(Cell::new(None));
        let parsed = Rc::clone(&is_valid);
        let valid = range.as_ref().map_or(self.limits, |range| range.own.clone());
        let parser = move |text: &str| {
            let number = held_number(text, quantity, unit).filter(|number| valid.contains(number));
            parsed.set(Some(number.is_some()));
            let held = number.filter(|_| !is_typing && !is_cancelled && is_edited)?;
            typed.set(Some([held / per_unit, held]));
            Some(held / per_unit)
        };
        // The field grows with the text, so that all digits are visible.
        let mut field = field.clip_text(false).speed(self.speed / per_unit);
        if !self.prefix.is_empty() {
            field = field.prefix(self.prefix);
        }
        if !self.suffix.is_empty() {
            field = field.suffix(self.suffix);
        }
        if let Some(range) = &range {
            field = field.range(range.shown());
        }
        if let Some(count) = self.max_decimals {
            field = field.max_decimals(count + per_unit.log10().round() as usize);
        }
        if let Some(formatter) = self.formatter {
            field = field.custom_formatter(formatter);
        }
        let style = ui.style().clone();
        if was_invalid {
            let visuals = ui.visuals_mut();
            let red = visuals.error_fg_color;
            visuals.override_text_color = Some(red);
            visuals.selection.stroke.color = red;
        }
        let response = field.custom_parser(parser).ui(ui);
        ui.set_style(style);
        if !is_typing {
            ui.data_mut(|data| data.remove::<bool>(invalid_id));
        } else if let Some(is_number) = is_valid.get() {
            ui.data_mut(|data| data.insert_temp(invalid_id, !is_number));
        }
        if let Some(range) = range.filter(|_| was_invalid) {
            let [min, max] = range.written();
            return response.on_hover_text(text!("window-number-from-to", min = min, max = max));
        }
        response
    }
}

/// Minimum and maximum of a number, and what it is divided by to be shown.
#[derive(Clone)]
struct Bounds {
    own: RangeInclusive<f64>,
    per_unit: f64,
}

impl Bounds {
    fn shown(&self) -> RangeInclusive<f64> {
        self.own.start() / self.per_unit..=self.own.end() / self.per_unit
    }

    /// The number of one that is shown; the bounds themselves exactly.
    fn held(&self, shown: f64) -> f64 {
        let range = self.shown();
        match shown {
            end if end >= *range.end() => *self.own.end(),
            start if start <= *range.start() => *self.own.start(),
            between => between * self.per_unit,
        }
    }

    /// Both bounds as texts.
    fn written(&self) -> [String; 2] {
        let [min, max] = [*self.shown().start(), *self.shown().end()];
        if self.per_unit > 1.0 {
            // Most that are converted have no end of decimals.
            return [min, max].map(|bound| egui::emath::format_with_decimals_in_range(bound, 0..=6));
        }
        [min, max].map(|bound| bound.to_string())
    }
}

/// The number that a text stands for: a length in mm and an area in mm², of the unit that it ends with or else of `shown`.
/// `None` if it is no number, or of another unit.
fn held_number(text: &str, quantity: Quantity, shown: LengthUnit) -> Option<f64> {
    if quantity == Quantity::Other {
        return parse(text);
    }
    let text = text.trim();
    let text = if quantity == Quantity::Area { without_square(text) } else { text };
    let digits = text.trim_end_matches(|c: char| c.is_alphabetic() || "\"″\u{201d}".contains(c));
    let per_unit = match text[digits.len()..].to_lowercase().as_str() {
        "" => shown.mm_per_unit(),
        "mm" => 1.0,
        "cm" => LengthUnit::Cm.mm_per_unit(),
        "m" => LengthUnit::M.mm_per_unit(),
        // The micro sign, and the Greek letter.
        "\u{b5}m" | "\u{3bc}m" | "um" => 1e-3,
        "in" | "inch" | "inches" | "zoll" | "\"" | "″" | "\u{201d}" => LengthUnit::Inch.mm_per_unit(),
        _ => return None,
    };
    // One that ends otherwise than with a digit is not of this unit, such as “1 /mm”.
    let digits = digits.trim_end();
    let number = digits.ends_with(|c: char| c.is_ascii_digit() || ".,".contains(c)).then(|| parse(digits))??;
    let held = if quantity == Quantity::Area { number * per_unit.powi(2) } else { number * per_unit };
    held.is_finite().then_some(held)
}

/// A text without the “²” of a unit at its end.
fn without_square(text: &str) -> &str {
    let ends = ["²", "^2"].into_iter().find_map(|end| text.strip_suffix(end));
    // “mm2”, but not the 2 of a number.
    let plain = text.strip_suffix('2').filter(|rest| rest.ends_with(char::is_alphabetic));
    ends.or(plain).unwrap_or(text)
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
    use super::*;

    /// The number of each text, in mm or mm², in a window of this unit.
    fn held<const N: usize>(quantity: Quantity, shown: LengthUnit, texts: [&str; N]) -> [Option<f64>; N] {
        texts.map(|text| held_number(text, quantity, shown))
    }

    #[test]
    fn typed_lengths_are_in_the_shown_unit_or_in_that_which_they_are_typed_with() {
        let (mm, inch) = (LengthUnit::Mm, LengthUnit::Inch);
        let texts = ["0.5", "0,5", "1 mm", "0.5 in", "0.5\"", "2 Zoll", "1.2cm", "3 µm", "1e-3 m", " 1.000,5 mm "];
        let same = [1.0, 12.7, 12.7, 50.8, 12.0, 0.003, 1.0, 1000.5].map(Some);
        let [plain, comma, rest @ ..] = held(Quantity::Length, mm, texts);
        assert_eq!((plain, comma, rest), (Some(0.5), Some(0.5), same));
        let [plain, comma, rest @ ..] = held(Quantity::Length, inch, texts);
        assert_eq!((plain, comma, rest), (Some(12.7), Some(12.7), same));
        for text in ["5 ft", "1 mm²", "7 %", "12°", "1 /mm", "mm", "in", "1e", "", "2 mm 3"] {
            assert_eq!(held_number(text, Quantity::Length, inch), None, "{text}");
        }
    }

    #[test]
    fn typed_areas_are_in_squares_of_the_unit_and_other_numbers_as_they_are() {
        let (mm, inch) = (LengthUnit::Mm, LengthUnit::Inch);
        let texts = ["2", "2 mm²", "2 mm2", "2mm^2", "1 in²", "2 cm2"];
        let [plain, rest @ ..] = held(Quantity::Area, mm, texts);
        let same = [2.0, 2.0, 2.0, 25.4 * 25.4, 200.0].map(Some);
        assert_eq!((plain, rest), (Some(2.0), same));
        let [plain, rest @ ..] = held(Quantity::Area, inch, texts);
        assert_eq!((plain, rest), (Some(2.0 * (25.4 * 25.4)), same));
        assert_eq!(held(Quantity::Other, inch, ["12°", "7 %", "3 σ"]), [12.0, 7.0, 3.0].map(Some));
    }

    #[test]
    fn bounds_are_shown_in_the_unit_and_held_exactly() {
        for unit in LengthUnit::ALL {
            for (min, max) in [(-1e3, 1e3), (1e-3, 1e4), (0.0, 0.7), (0.01, 1e6)] {
                let bounds = Bounds { own: min..=max, per_unit: Quantity::Length.per_unit(unit) };
                let shown = bounds.shown();
                assert_eq!([bounds.held(*shown.start()), bounds.held(*shown.end())], [min, max], "{unit:?}");
                assert_eq!([bounds.held(f64::MIN), bounds.held(f64::MAX)], [min, max], "{unit:?}");
            }
        }
        let written = |unit| Bounds { own: 0.0..=1000.0, per_unit: Quantity::Length.per_unit(unit) }.written();
        assert_eq!(written(LengthUnit::Mm), ["0", "1000"]);
        assert_eq!(written(LengthUnit::M), ["0", "1"]);
    }

    /// Draws a field that is given the focus, then types into it and leaves it by Enter.
    fn edit(value_mm: &mut f64, unit: LengthUnit, typed: Option<&str>) {
        lengths::set_unit(unit);
        let context = egui::Context::default();
        let enter = Event::Key {
            key: Key::Enter,
            physical_key: None,
            pressed: true,
            repeat: false,
            modifiers: egui::Modifiers::NONE,
        };
        let typed: Vec<Event> = typed.map(|text| Event::Text(text.to_owned())).into_iter().collect();
        // All of the text is selected when it is given the focus.
        let frames = [vec![], vec![], typed, vec![enter], vec![], vec![]];
        for (frame, events) in frames.into_iter().enumerate() {
            let input = egui::RawInput { events, ..egui::RawInput::default() };
            let _ = context.run_ui(input, |ui| {
                if frame == 0 {
                    let id = ui.next_auto_id();
                    ui.memory_mut(|memory| memory.request_focus(id));
                }
                ui.add(NumberField::new(value_mm).speed(0.01).range(0.0..=1000.0).max_decimals(4).unit("mm"));
            });
        }
        lengths::set_unit(LengthUnit::Mm);
    }

    #[test]
    fn a_value_that_is_not_typed_over_never_changes_in_any_unit() {
        for value_mm in [12.345_678_901_2, 0.1, 1.0 / 3.0, 1000.0, 0.0, 2.54] {
            let mut edited_mm = value_mm;
            for _ in 0..3 {
                LengthUnit::ALL.into_iter().for_each(|unit| edit(&mut edited_mm, unit, None));
            }
            assert_eq!(edited_mm.to_bits(), f64::to_bits(value_mm), "{value_mm}");
        }
    }

    #[test]
    fn a_typed_value_is_converted_once() {
        let edited = |unit: LengthUnit, typed: &str| {
            let mut value_mm = 7.0;
            edit(&mut value_mm, unit, Some(typed));
            value_mm
        };
        let (mm, inch) = (LengthUnit::Mm, LengthUnit::Inch);
        assert_eq!([edited(mm, "0.1"), edited(mm, "0,3 in"), edited(mm, "2 cm")], [0.1, 0.3 * 25.4, 20.0]);
        assert_eq!([edited(inch, "0.3"), edited(inch, "1 mm"), edited(inch, "0.7mm")], [0.3 * 25.4, 1.0, 0.7]);
        // Out of range, and of another unit.
        assert_eq!([edited(inch, "40"), edited(inch, "3 ft"), edited(mm, "40 in")], [7.0, 7.0, 7.0]);
        assert_eq!([edited(inch, "39"), edited(mm, "1000"), edited(inch, "1000 mm")], [39.0 * 25.4, 1000.0, 1000.0]);
    }

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
