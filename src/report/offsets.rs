//! Report block of the offset and contact volumes.

use super::content::ReportBlock;
use base::words::counted;
use inspect::offset::{ContactVolumes, OffsetVolume};
use session::Document;
use session::pipeline::State;
use session::plan::Recipe;
use session::presentation::ReportSection;

/// Volume, area and exactness of the offset volumes, and what they depend on; `None` if there are none.
pub(super) fn block(document: &Document) -> Option<ReportBlock> {
    let mut rows = Vec::new();
    for element in document.plan.elements() {
        let is_fresh = document.state(element.id) == State::Fresh;
        if matches!(element.recipe, Recipe::Contact(_)) {
            let made = document.result::<ContactVolumes>(Some(element.id)).filter(|_| is_fresh);
            let sentences = made.map_or_else(|| vec!["no up-to-date result".to_owned()], ContactVolumes::sentences);
            let names = std::iter::once(element.name.clone()).chain(std::iter::repeat(String::new()));
            rows.extend(names.zip(sentences));
        }
        let Recipe::Offset(recipe) = &element.recipe else { continue };
        let Some(volume) = document.result::<OffsetVolume>(Some(element.id)).filter(|_| is_fresh) else {
            rows.push((element.name.clone(), "no up-to-date result".to_owned()));
            continue;
        };
        rows.push((
            element.name.clone(),
            format!(
                "{:+} mm from {}: {:.4} cm³, {:.4} cm²",
                recipe.parameters.distance_mm,
                document.plan.name(recipe.nominal),
                volume.volume_mm3 / 1000.0,
                volume.area_mm2 / 100.0
            ),
        ));
        rows.push((
            String::new(),
            format!(
                "voxels of {:.4} mm; mesh within {:.4} mm of the distance",
                volume.tree.lattice().voxel_mm,
                volume.error.max_mm
            ),
        ));
        if let Some(error) = &volume.voxel_error {
            let passes = counted(recipe.parameters.passes as usize, "pass", "passes");
            let method = recipe.parameters.method.name();
            let text = format!("{method}, {passes}; the skin deviates by {:.3} voxels on average", error.mean_absolute);
            rows.push((String::new(), text));
        }
        rows.extend(volume.notes.iter().map(|note| (String::new(), note.clone())));
    }
    (!rows.is_empty()).then(|| ReportBlock {
        section: ReportSection::Offsets,
        title: "Offset volumes".to_owned(),
        rows,
    })
}
