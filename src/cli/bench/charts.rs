//! Charts of bench rows as SVG files.

use std::path::Path;

use plotters::coord::ranged1d::{AsRangedCoord, ValueFormatter};
use plotters::prelude::*;

use base::{Result, UserError};
use io::atomic::write_bytes;

/// A line of a chart: its name and points.
pub type Series = (String, Vec<(f64, f64)>);

/// Title and axis labels.
pub struct Axes<'a> {
    pub title: &'a str,
    pub x: &'a str,
    pub y: &'a str,
    /// Whether x and y are logarithmic.
    pub log: [bool; 2],
}

const SIZE: (u32, u32) = (1080, 560);
/// Width of the legend right of the axes, pixels.
const LEGEND: i32 = 270;
/// Colours that differ in hue and lightness (Okabe and Ito 2008).
const COLOURS: [RGBColor; 8] = [
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(86, 180, 233),
    RGBColor(230, 159, 0),
    RGBColor(90, 90, 90),
    RGBColor(0, 0, 0),
];

/// Draws lines with markers to `folder/name.svg`; writes no file if there are no points.
pub fn lines(folder: &Path, name: &str, axes: &Axes<'_>, series: &[Series]) -> Result<()> {
    let all = || series.iter().flat_map(|(_, points)| points);
    let range = |value: fn(&(f64, f64)) -> f64, log: bool| {
        let usable = all().map(value).filter(|v| v.is_finite() && (!log || *v > 0.0));
        let (low, high) = usable.fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), v| (a.min(v), b.max(v)));
        if log { low / 1.3..high * 1.3 } else { 0.0_f64.min(low)..high * 1.05 + f64::MIN_POSITIVE }
    };
    if all().next().is_none() {
        return Ok(());
    }
    let (x, y) = (range(|p| p.0, axes.log[0]), range(|p| p.1, axes.log[1]));
    let mut text = String::new();
    {
        let area = SVGBackend::with_string(&mut text, SIZE).into_drawing_area();
        let drawn = match axes.log {
            [true, true] => draw(&area, axes, x.log_scale(), y.log_scale(), series),
            [true, false] => draw(&area, axes, x.log_scale(), y, series),
            [false, true] => draw(&area, axes, x, y.log_scale(), series),
            [false, false] => draw(&area, axes, x, y, series),
        };
        drawn.map_err(|error| UserError::internal(format!("The chart {name} could not be drawn: {error}.")))?;
    }
    write_bytes(&folder.join(format!("{name}.svg")), text.as_bytes())
}

fn draw<X, Y>(
    area: &DrawingArea<SVGBackend<'_>, plotters::coord::Shift>,
    axes: &Axes<'_>,
    x: X,
    y: Y,
    series: &[Series],
) -> std::result::Result<(), Box<dyn std::error::Error>>
where
    X: AsRangedCoord<Value = f64>,
    Y: AsRangedCoord<Value = f64>,
    X::CoordDescType: ValueFormatter<f64>,
    Y::CoordDescType: ValueFormatter<f64>,
{
    area.fill(&WHITE)?;
    let mut chart = ChartBuilder::on(area)
        .caption(axes.title, ("sans-serif", 20))
        .margin(12)
        .margin_right(LEGEND)
        .x_label_area_size(46)
        .y_label_area_size(70)
        .build_cartesian_2d(x, y)?;
    let figure = |value: &f64| if *value >= 0.01 { format!("{value}") } else { format!("{value:.0e}") };
    chart
        .configure_mesh()
        .x_desc(axes.x)
        .y_desc(axes.y)
        .x_label_formatter(&figure)
        .y_label_formatter(&figure)
        .light_line_style(RGBColor(240, 240, 240))
        .draw()?;
    for (i, (name, points)) in series.iter().enumerate() {
        let colour = COLOURS.get(i % COLOURS.len()).copied().unwrap_or(BLACK);
        chart
            .draw_series(LineSeries::new(points.iter().copied(), colour.stroke_width(2)).point_size(3))?
            .label(name)
            .legend(move |(x, y)| PathElement::new([(x, y), (x + 18, y)], colour.stroke_width(2)));
    }
    chart.configure_series_labels().position(SeriesLabelPosition::Coordinate(SIZE.0 as i32 - LEGEND - 90, 0)).draw()?;
    area.present()?;
    Ok(())
}

/// Draws one bar per value, with its name below, to `folder/name.svg`; writes no file without a positive value.
pub fn bars(folder: &Path, name: &str, axes: &Axes<'_>, values: &[(String, f64)]) -> Result<()> {
    let max = values.iter().map(|(_, value)| *value).fold(0.0, f64::max);
    if !(max > 0.0) {
        return Ok(());
    }
    let mut text = String::new();
    {
        let area = SVGBackend::with_string(&mut text, SIZE).into_drawing_area();
        draw_bars(&area, axes, values, max)
            .map_err(|error| UserError::internal(format!("The chart {name} could not be drawn: {error}.")))?;
    }
    write_bytes(&folder.join(format!("{name}.svg")), text.as_bytes())
}

fn draw_bars(
    area: &DrawingArea<SVGBackend<'_>, plotters::coord::Shift>,
    axes: &Axes<'_>,
    values: &[(String, f64)],
    max: f64,
) -> std::result::Result<(), Box<dyn std::error::Error>> {
    area.fill(&WHITE)?;
    let mut chart = ChartBuilder::on(area)
        .caption(axes.title, ("sans-serif", 20))
        .margin(12)
        .x_label_area_size(46)
        .y_label_area_size(70)
        .build_cartesian_2d((0..values.len() as i32 - 1).into_segmented(), 0.0..max * 1.05)?;
    let name = |segment: &SegmentValue<i32>| match segment {
        SegmentValue::CenterOf(i) | SegmentValue::Exact(i) => {
            values.get(*i as usize).map_or_else(String::new, |(name, _)| name.replace('_', " "))
        }
        SegmentValue::Last => String::new(),
    };
    chart
        .configure_mesh()
        .disable_x_mesh()
        .x_labels(values.len())
        .x_label_formatter(&name)
        .x_desc(axes.x)
        .y_desc(axes.y)
        .light_line_style(RGBColor(240, 240, 240))
        .draw()?;
    let [colour, ..] = COLOURS;
    chart.draw_series(values.iter().enumerate().map(|(i, (_, value))| {
        let i = i as i32;
        let mut bar =
            Rectangle::new([(SegmentValue::Exact(i), 0.0), (SegmentValue::Exact(i + 1), *value)], colour.filled());
        bar.set_margin(0, 0, 12, 12);
        bar
    }))?;
    area.present()?;
    Ok(())
}
