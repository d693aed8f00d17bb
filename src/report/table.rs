//! Tables of deviations (`deviations.csv`) and the colour map (`colormap.ply`).

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

/// Number of rows formatted in memory at a time.
const BATCH_ROWS: usize = 1 << 19;

/// Writes one row per scan point (closest point) or per facet (facet methods): position in the nominal frame and
/// deviation, mm, empty without data; numbers in their shortest exact form.
pub fn write_csv(path: &Path, input: &Input<'_>) -> Result<()> {
    let number = |value: Option<f64>| value.map_or_else(String::new, |value| value.to_string());
    atomic::write(path, |writer| match input.check.measurement.map() {
        DeviationMap::Points(deviations) => {
            writeln!(writer, "x_mm,y_mm,z_mm,deviation_mm")?;
            let points = &input.actual.cloud.points;
            let rows = |(points, deviations): (&[Point], &[PointDeviation])| {
                let mut text = String::with_capacity(points.len() * 80);
                for (point, deviation) in points.iter().zip(deviations) {
                    let position = input.check.measurement.nominal_from_scan * point;
                    // Writing to a string cannot fail.
                    let _ =
                        writeln!(text, "{},{},{},{}", position.x, position.y, position.z, number(deviation.value()));
                }
                text
            };
            // Each batch is formatted in parallel and written in order.
            for (points, deviations) in points.chunks(BATCH_ROWS).zip(deviations.chunks(BATCH_ROWS)) {
                let chunks = points.par_chunks(BATCH_ROWS / 64).zip(deviations.par_chunks(BATCH_ROWS / 64));
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

/// Writes the scan (facet methods: the refined nominal) coloured by its deviations, nominal frame, mm.
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
