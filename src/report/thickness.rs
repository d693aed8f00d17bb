//! Thickness maps: their block of the report, and files of them.

use std::io::Write;
use std::path::Path;

use super::content::ReportBlock;
use base::{Result, UserError, position_text};
use geometry::triangle;
use inspect::thickness::ThicknessMap;
use io::{atomic, write};
use render::thickness_scale::ThicknessScale;
use session::Document;
use session::pipeline::State;
use session::plan::Recipe;
use session::presentation::ReportSection;

/// What the thickness maps say, and what they depend on; `None` if there are none.
pub(super) fn block(document: &Document) -> Option<ReportBlock> {
    let mut rows = Vec::new();
    for element in document.plan.elements() {
        let Recipe::Thickness(_) = &element.recipe else { continue };
        let is_fresh = document.state(element.id) == State::Fresh;
        let Some(map) = document.result::<ThicknessMap>(Some(element.id)).filter(|_| is_fresh) else {
            rows.push((element.name.clone(), "no up-to-date result".to_owned()));
            continue;
        };
        let mut names = std::iter::once(element.name.clone()).chain(std::iter::repeat(String::new()));
        let verdict = map.verdict().map(|own| format!("{}.", own.headline(&map.covered())));
        rows.extend(names.by_ref().zip(verdict.into_iter().chain(map.sentences())));
        if let Some(spot) = map.spots.first() {
            let at = spot.at;
            let position = format!("Least at {} mm.", position_text([at.x, at.y, at.z], 3));
            rows.push((String::new(), position));
        }
        if let Some(spot) = map.thickest.filter(|_| map.parameters.max_thickness_mm.is_some()) {
            let at = spot.at;
            let position = format!("Greatest at {} mm.", position_text([at.x, at.y, at.z], 3));
            rows.push((String::new(), position));
        }
    }
    (!rows.is_empty()).then(|| ReportBlock {
        section: ReportSection::Offsets,
        title: "Wall thickness and gaps".to_owned(),
        rows,
    })
}

/// Returns an error unless [`save`] can write a file of this name.
pub fn check_path(path: &Path) -> Result<()> {
    match extension(path).as_deref() {
        Some("csv" | "ply") => Ok(()),
        _ => Err(UserError::input(format!("A thickness map is saved as .csv or .ply; {} is neither.", path.display()))),
    }
}

/// Writes a map: with extension `.csv` as a table of facets, with `.ply` as a mesh in the colours of the scale.
pub fn save(path: &Path, map: &ThicknessMap) -> Result<()> {
    check_path(path)?;
    if extension(path).as_deref() == Some("ply") {
        let scale = ThicknessScale::of(map);
        let colours: Vec<[u8; 3]> = map.thickness_mm.iter().map(|mm| scale.colour(*mm)).collect();
        return atomic::write(path, |writer| write::ply_mesh(writer, &map.mesh, &colours));
    }
    atomic::write(path, |writer| {
        writeln!(writer, "facet,x_mm,y_mm,z_mm,thickness_mm")?;
        for (facet, thickness) in map.thickness_mm.iter().enumerate() {
            let at = triangle::centroid(&map.mesh.corners(facet));
            let thickness = thickness.map_or_else(String::new, |mm| mm.to_string());
            writeln!(writer, "{facet},{},{},{},{thickness}", at.x, at.y, at.z)?;
        }
        Ok(())
    })
}

fn extension(path: &Path) -> Option<String> {
    Some(path.extension()?.to_str()?.to_lowercase())
}
