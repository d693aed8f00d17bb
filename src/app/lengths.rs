//! Lengths as the window shows them: in the unit and with the decimals that were chosen. All that is computed, stored and
//! written to files is in mm.

use std::cell::Cell;
use std::fmt::Display;

use base::LengthUnit;

thread_local! {
    static UNIT: Cell<LengthUnit> = const { Cell::new(LengthUnit::Mm) };
}

/// Sets the unit that this thread shows lengths in.
pub fn set_unit(unit: LengthUnit) {
    UNIT.set(unit);
}

/// The unit of the lengths shown.
pub fn unit() -> LengthUnit {
    UNIT.get()
}

/// Its symbol, such as `mm`.
pub fn symbol() -> &'static str {
    unit().symbol()
}

/// Decimals of a length that usually has `usual` in mm.
pub fn decimals(usual: usize) -> usize {
    unit().decimals(base::decimals(usual))
}

/// A length without its unit, with usually `usual` decimals in mm.
pub fn length_text(mm: f64, usual: usize) -> String {
    unit().length_text(mm, usual)
}

/// A [`length_text`] with its sign; what rounds to zero has none.
pub fn signed_length(mm: f64, usual: usize) -> String {
    unit().signed_length(mm, usual)
}

/// A position without its unit.
pub fn position_text(mm: [f64; 3], usual: usize) -> String {
    mm.map(|mm| length_text(mm, usual)).join(", ")
}

/// A length as it was stated, with its unit.
pub fn stated_length(mm: f64) -> String {
    with_unit(unit().stated_text(mm))
}

/// Lengths as text, with their unit.
pub fn with_unit(lengths: impl Display) -> String {
    format!("{lengths} {}", symbol())
}

/// An area with its unit; `digits` decimals where that is mm².
pub fn area(mm2: f64, digits: usize) -> String {
    power(mm2, digits, 2)
}

/// An area with its unit, where mm are shown in cm² with `digits` decimals.
pub fn area_cm2(mm2: f64, digits: usize) -> String {
    match unit() {
        LengthUnit::Mm | LengthUnit::Cm => format!("{:.digits$} cm²", mm2 / 100.0),
        _ => area(mm2, digits.saturating_sub(2)),
    }
}

/// A volume with its unit, where mm are shown in cm³ with `digits` decimals.
pub fn volume_cm3(mm3: f64, digits: usize) -> String {
    match unit() {
        LengthUnit::Mm | LengthUnit::Cm => format!("{:.digits$} cm³", mm3 / 1000.0),
        _ => power(mm3, digits.saturating_sub(3), 3),
    }
}

/// A length to the second or third power, with its unit.
fn power(figure: f64, digits: usize, exponent: u8) -> String {
    let per_unit = unit().mm_per_unit().powi(i32::from(exponent));
    let digits = digits + per_unit.log10().round().max(0.0) as usize;
    format!("{:.digits$} {}{}", figure / per_unit, symbol(), if exponent == 2 { '²' } else { '³' })
}

/// The unit of figures that are in `unit`, as they are shown: that of lengths follows the window.
pub fn unit_of(unit: &str) -> &str {
    if unit == LengthUnit::Mm.symbol() { symbol() } else { unit }
}

/// A figure that is in `unit`, as it is shown, without its unit: that of lengths follows the window.
pub fn figure(value: f64, unit: &str) -> f64 {
    if unit == LengthUnit::Mm.symbol() { self::unit().from_mm(value) } else { value }
}

/// A figure that is in `unit` as it was stated, without its unit.
pub fn stated_figure(value: f64, unit: &str) -> String {
    if unit == LengthUnit::Mm.symbol() { self::unit().stated_text(value) } else { value.to_string() }
}

/// Decimals of a figure that is in `unit`; `usual` of lengths in mm, `others` of other figures.
pub fn decimals_of(unit: &str, usual: usize, others: usize) -> usize {
    if unit == LengthUnit::Mm.symbol() { decimals(usual) } else { others }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_areas_and_volumes_follow_the_unit_and_other_figures_do_not() {
        let shown = || {
            let lengths = [length_text(25.4, 3), signed_length(-0.254, 3), position_text([25.4, 0.0, 2.54], 2)];
            let with_units = [stated_length(0.05), area(645.16, 1), area_cm2(645.16, 2), volume_cm3(16387.064, 3)];
            (lengths, with_units)
        };
        let (lengths, with_units) = shown();
        assert_eq!(lengths, ["25.400", "-0.254", "25.40, 0.00, 2.54"]);
        assert_eq!(with_units, ["0.05 mm", "645.2 mm²", "6.45 cm²", "16.387 cm³"]);
        set_unit(LengthUnit::Inch);
        let (lengths, with_units) = shown();
        assert_eq!(lengths, ["1.0000", "-0.0100", "1.000, 0.000, 0.100"]);
        assert_eq!(with_units, ["0.001969 inch", "1.0000 inch²", "1.000 inch²", "1.0000 inch³"]);
        assert_eq!((unit_of("mm"), figure(25.4, "mm"), decimals_of("mm", 4, 2)), ("inch", 1.0, 5));
        assert_eq!((unit_of("°"), figure(25.4, "°"), decimals_of("°", 4, 2)), ("°", 25.4, 2));
        set_unit(LengthUnit::Cm);
        assert_eq!([area_cm2(645.16, 2), volume_cm3(16387.064, 3)], ["6.45 cm²", "16.387 cm³"]);
        assert_eq!([area(645.16, 1), with_unit("1, 2")], ["6.452 cm²", "1, 2 cm"]);
        set_unit(LengthUnit::Mm);
    }
}
