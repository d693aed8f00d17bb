//! `deviations.csv` and `colormap.ply`.

use std::io::Write;
use std::path::Path;

use super::Input;
use crate::base::Result;
use crate::geometry::{Cloud, triangle};
use crate::inspect::deviation::DeviationMap;
use crate::io::{atomic, write};
use crate::render::colour_scale::ColourScale;

/// Writes one row per scan point (closest) or per facet (facet methods); numbers in their shortest exact form.
pub fn write_csv(path: &Path, input: &Input<'_>) -> Result<()> {
    let number = |value: Option<f64>| value.map_or_else(String::new, |value| value.to_string());
    atomic::write(path, |writer| match &input.check.map {
        DeviationMap::Points(deviations) => {
            writeln!(writer, "x_mm,y_mm,z_mm,deviation_mm")?;
            for (point, deviation) in input.actual.cloud.points.iter().zip(deviations) {
                let place = input.check.nominal_from_scan * point;
                writeln!(writer, "{},{},{},{}", place.x, place.y, place.z, number(deviation.value()))?;
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
    let colours: Vec<[u8; 3]> = input.check.map.values().map(|value| scale.colour(value)).collect();
    atomic::write(path, |writer| match &input.check.map {
        DeviationMap::Points(_) => {
            let points = input.actual.cloud.points.iter().map(|point| input.check.nominal_from_scan * point).collect();
            write::ply_cloud(writer, &Cloud::from_points(points), &colours)
        }
        DeviationMap::Facets { nominal, .. } => write::ply_mesh(writer, nominal, &colours),
    })
}
