//! `deviations.csv` and `colormap.ply`.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;

use rayon::prelude::*;

use super::Input;
use base::Result;
use compute::point_deviation::PointDeviation;
use geometry::{Cloud, Point, triangle};
use inspect::deviation::DeviationMap;
use io::{atomic, write};
use render::colour_scale::ColourScale;

/// Rows that are in memory as text at once.
const ROWS: usize = 1 << 19;

/// Writes one row per scan point (closest) or per facet (facet methods); numbers in their shortest exact form.
pub fn write_csv(path: &Path, input: &Input<'_>) -> Result<()> {
    let number = |value: Option<f64>| value.map_or_else(String::new, |value| value.to_string());
    atomic::write(path, |writer| match input.check.measurement.map() {
        DeviationMap::Points(deviations) => {
            writeln!(writer, "x_mm,y_mm,z_mm,deviation_mm")?;
            let points = &input.actual.cloud.points;
            let rows = |(points, deviations): (&[Point], &[PointDeviation])| {
                let mut text = String::with_capacity(points.len() * 80);
                for (point, deviation) in points.iter().zip(deviations) {
                    let place = input.check.measurement.nominal_from_scan * point;
                    // Writing to a string cannot fail.
                    let _ = writeln!(text, "{},{},{},{}", place.x, place.y, place.z, number(deviation.value()));
                }
                text
            };
            // Formatted by all threads, some hundred thousand rows at a time.
            for (points, deviations) in points.chunks(ROWS).zip(deviations.chunks(ROWS)) {
                let chunks = points.par_chunks(ROWS / 64).zip(deviations.par_chunks(ROWS / 64));
                for text in chunks.map(rows).collect::<Vec<_>>() {
                    writer.write_all(text.as_bytes())?;
                }
            }
            Ok(())
        }
        DeviationMap::Facets { nominal, values, .. } => {
            writeln!(writer, "facet,x_mm,y_mm,z_mm,deviation_mm,matches")?;
            for (facet, value) in values.iter().enumerate() {
                let centre = triangle::centroid(&nominal.corners(facet));
                let deviation = number(value.value());
                writeln!(writer, "{facet},{},{},{},{deviation},{}", centre.x, centre.y, centre.z, value.matches)?;
            }
            Ok(())
        }
    })
}

/// Writes the scan (or the refined nominal) in the colours of its deviations, nominal frame.
pub fn write_colormap(path: &Path, input: &Input<'_>, scale: &ColourScale) -> Result<()> {
    let colours: Vec<[u8; 3]> = input.check.measurement.map().values().map(|value| scale.colour(value)).collect();
    atomic::write(path, |writer| match input.check.measurement.map() {
        DeviationMap::Points(_) => {
            let points = input
                .actual
                .cloud
                .points
                .iter()
                .map(|point| input.check.measurement.nominal_from_scan * point)
                .collect();
            write::ply_cloud(writer, &Cloud::from_points(points), &colours)
        }
        DeviationMap::Facets { nominal, .. } => write::ply_mesh(writer, nominal, &colours),
    })
}
