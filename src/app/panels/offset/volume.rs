//! Offset volumes: the part grown or shrunk by one distance.

use super::{PanelContext, pass_player, rows};
use crate::choosing::Purpose;
use crate::lengths::{area_cm2, length_text, stated_length, volume_cm3, with_unit};
use crate::number_field::NumberField;
use crate::{Action, theme};
use base::limits::format_bytes;
use dispatch::Offset;
use geometry::voxels::{Lattice, Layout};
use inspect::offset::{MAX_PASSES, MAX_RESOLUTION, Method, OffsetVolume, Parameters};
use inspect::parts::Nominal;
use session::pipeline::State;
use session::plan::{ElementId, Recipe};
use texts::text;

/// Part of the workspace's panel.
#[derive(Default)]
pub(super) struct VolumePart {
    /// Parameters being edited.
    parameters: Parameters,
    /// The volume that they were taken from, and its parameters then; `None` for a new one.
    edited: Option<(ElementId, Parameters)>,
    /// Whether a new volume is made of the scan instead of the nominal.
    of_scan: bool,
    /// Splat radius of a scan without facets, mm; 0 derives it from the point spacing.
    splat_radius_mm: f64,
}

/// Resolutions offered by name; others can be typed.
fn resolutions() -> [(u32, String); 4] {
    [
        (128, text!("offset-preview")),
        (256, text!("offset-coarse")),
        (512, text!("offset-medium")),
        (1024, text!("offset-fine")),
    ]
}

impl VolumePart {
    /// Begins a new volume at this distance.
    pub(super) fn begin(&mut self, distance_mm: f64) {
        self.parameters.distance_mm = distance_mm;
        self.edited = None;
    }

    /// Draws it.
    pub(super) fn show(&mut self, ui: &mut egui::Ui, context: &mut PanelContext<'_>) {
        self.follow_selection(context);
        if self.edited.is_none() {
            self.source(ui, context);
        }
        self.distance_and_resolution(ui, context);
        self.buttons(ui, context);
        self.layout_options(ui);
        match self.edited.as_ref().map(|(id, _)| *id) {
            Some(id) => result(ui, context, id),
            None if context.document().plan.elements().iter().any(|own| is_volume(&own.recipe)) => {
                theme::weak(ui, text!("offset-select"));
            }
            None => {}
        }
    }

    /// Takes the parameters of the volume that is selected in the tree.
    fn follow_selection(&mut self, context: &PanelContext<'_>) {
        let selected = context.display.shown.offset.and_then(|id| match &context.document().plan.get(id)?.recipe {
            Recipe::Offset(own) => Some((id, own.parameters.clone())),
            _ => None,
        });
        if self.edited != selected {
            if let Some((_, parameters)) = &selected {
                self.parameters = parameters.clone();
            }
            self.edited = selected;
        }
    }

    /// What a new volume is made of.
    fn source(&mut self, ui: &mut egui::Ui, context: &PanelContext<'_>) {
        let document = context.document();
        let Some(scan) = document.actual() else {
            self.of_scan = false;
            return;
        };
        self.of_scan |= document.nominal().is_none();
        ui.horizontal(|ui| {
            ui.label(text!("offset-of"));
            ui.add_enabled_ui(document.nominal().is_some(), |ui| {
                let hint = text!("offset-of-nominal-hint");
                theme::pick(ui, &mut self.of_scan, false, text!("offset-of-nominal")).on_hover_text(hint);
            });
            let hint = text!("offset-of-scan-hint");
            theme::pick(ui, &mut self.of_scan, true, text!("offset-of-scan")).on_hover_text(hint);
        });
        if self.of_scan && scan.facets.is_none() {
            ui.horizontal(|ui| {
                let hint = text!("offset-splat-hint");
                let label = ui.label(text!("offset-splat")).on_hover_text(hint);
                let field = NumberField::new(&mut self.splat_radius_mm).speed(0.01).range(0.0..=1e3).max_decimals(3);
                ui.add(field.unit("mm")).labelled_by(label.id);
            });
        }
    }

    fn distance_and_resolution(&mut self, ui: &mut egui::Ui, context: &PanelContext<'_>) {
        let parameters = &mut self.parameters;
        egui::Grid::new("offset").num_columns(2).spacing([12.0, 5.0]).show(ui, |ui| {
            let label = ui.label(text!("offset-distance")).on_hover_text(text!("offset-distance-hint"));
            let field = NumberField::new(&mut parameters.distance_mm).speed(0.02).range(-1e4..=1e4).max_decimals(4);
            ui.add(field.unit("mm")).labelled_by(label.id);
            ui.end_row();
            let label = ui.label(text!("offset-resolution")).on_hover_text(text!("offset-resolution-hint"));
            let field = NumberField::new(&mut parameters.resolution).speed(1.0).range(16..=MAX_RESOLUTION);
            ui.add(field.suffix(text!("offset-voxels-suffix"))).labelled_by(label.id);
            ui.end_row();
        });
        ui.horizontal(|ui| {
            for (resolution, name) in resolutions() {
                let hint = text!("offset-voxels-per-axis", count = resolution);
                theme::pick(ui, &mut parameters.resolution, resolution, name).on_hover_text(hint);
            }
        });
        let document = context.document();
        let edited = self.edited.as_ref().and_then(|(id, _)| document.plan.get(*id)).map(|own| &own.recipe);
        let of = match edited {
            Some(Recipe::Offset(own)) => Some(own.nominal),
            _ => document.active.nominal,
        };
        let bounds = match self.of_scan && edited.is_none() {
            true => document.actual().map(|own| own.cloud.bounds()),
            false => document.result::<Nominal>(of).map(|own| *own.surface.bounds()),
        };
        if let Some(bounds) = bounds {
            let lattice = Lattice::around(&bounds, parameters.distance_mm.max(0.0), parameters.resolution);
            theme::weak(ui, text!("offset-one-voxel", length = with_unit(length_text(lattice.voxel_mm, 4))));
        }
    }

    fn buttons(&mut self, ui: &mut egui::Ui, context: &mut PanelContext<'_>) {
        let document = context.document();
        let is_of_scan = self.of_scan && document.actual().is_some();
        let ready = !context.is_busy && (self.edited.is_some() || is_of_scan || document.nominal().is_some());
        match &self.edited {
            Some((id, made_with)) => {
                let id = *id;
                let is_due = *made_with != self.parameters || context.document().state(id) != State::Fresh;
                if theme::wide_main_button(ui, ready && is_due, text!("offset-apply")).clicked() {
                    context.send(Offset::Change(id, self.parameters.clone()));
                }
                if ui.button(text!("offset-volume-new")).clicked() {
                    context.display.shown.offset = None;
                }
            }
            None => {
                if theme::wide_main_button(ui, ready, text!("offset-volume-add")).clicked() {
                    let radius_mm = Some(self.splat_radius_mm).filter(|mm| *mm > 0.0);
                    context.send(match is_of_scan {
                        true => Offset::AddOfScan(self.parameters.clone(), radius_mm),
                        false => Offset::Add(self.parameters.clone()),
                    });
                }
                if is_of_scan {
                    return;
                }
                let tolerance = context.document().settings.deviation.tolerance;
                let signed = |mm: f64| format!("{}{}", if mm < 0.0 { "" } else { "+" }, stated_length(mm));
                let hint =
                    text!("offset-shells-hint", high = signed(tolerance.high_mm), low = signed(tolerance.low_mm));
                let button = egui::Button::new(text!("offset-shells"));
                if ui.add_enabled(ready, button).on_hover_text(hint).clicked() {
                    context.send(Offset::AddToleranceShells(self.parameters.clone()));
                }
            }
        }
    }

    fn layout_options(&mut self, ui: &mut egui::Ui) {
        egui::CollapsingHeader::new(text!("offset-method-tree")).show(ui, |ui| {
            let Parameters { method, passes, .. } = &mut self.parameters;
            theme::choice(ui, &text!("offset-method"), method, &Method::ALL, |own| texts::word(own.name()));
            match method {
                Method::Exact => *passes = 1,
                _ => {
                    ui.horizontal(|ui| {
                        let hint = text!("offset-passes-hint");
                        let label = ui.label(text!("offset-passes")).on_hover_text(hint);
                        let field = NumberField::new(passes).speed(0.1).range(1..=MAX_PASSES);
                        ui.add(field).labelled_by(label.id);
                    });
                    theme::weak(ui, text!("offset-templates"));
                }
            }
            let Layout { root, branching, leaf } = &mut self.parameters.layout;
            theme::choice(ui, &text!("offset-root"), root, &[4, 8, 16, 32, 64, 128], root_name);
            theme::choice(ui, &text!("offset-branching"), branching, &[2, 4, 8], branching_name);
            theme::choice(ui, &text!("offset-leaf"), leaf, &[8, 16], leaf_name);
            theme::weak(ui, text!("offset-tree-about"));
        });
    }
}

fn is_volume(recipe: &Recipe) -> bool {
    matches!(recipe, Recipe::Offset(_))
}

fn root_name(root: u32) -> &'static str {
    ["4³", "8³", "16³", "32³", "64³", "128³"].get(root.trailing_zeros().saturating_sub(2) as usize).unwrap_or(&"?")
}

fn branching_name(branching: u32) -> &'static str {
    ["2³", "4³", "8³"].get(branching.trailing_zeros().saturating_sub(1) as usize).unwrap_or(&"?")
}

fn leaf_name(leaf: u32) -> String {
    text!("offset-leaf-size", size = if leaf == 8 { "8³" } else { "16³" })
}

fn result(ui: &mut egui::Ui, context: &mut PanelContext<'_>, id: ElementId) {
    let document = context.document();
    let heading = theme::heading(ui, document.plan.name(id));
    let Some(volume) = super::result::<OffsetVolume>(ui, document, id) else { return };
    let times = text!(
        "offset-times",
        voxels = format!("{:.2}", volume.voxels_ms / 1e3),
        mesh = format!("{:.2}", volume.mesh_ms / 1e3)
    );
    heading.on_hover_text(times);
    super::doubts(ui, &volume.notes);
    let needed = volume.completeness.needed_resolution.filter(|needed| *needed <= MAX_RESOLUTION);
    if let Some(needed) = needed {
        let button = egui::Button::new(text!("offset-use-resolution", count = needed));
        if ui.add_enabled(!context.is_busy, button).on_hover_text(text!("offset-use-resolution-hint")).clicked() {
            let parameters = Parameters { resolution: needed, ..volume.parameters.clone() };
            context.send(Offset::Change(id, parameters));
        }
    }
    if !volume.earlier.is_empty() {
        let shown = &mut context.display.shown.offset_pass;
        pass_player(ui, shown, volume.earlier.len());
        theme::weak(ui, text!("offset-shown-after", length = with_unit(length_text(volume.after_pass(*shown).0, 4))));
    }
    let (lattice, statistics) = (volume.tree.lattice(), &volume.statistics);
    let mut figures = vec![
        (text!("offset-volume-figure"), volume_cm3(volume.volume_mm3, 3)),
        (text!("offset-area"), area_cm2(volume.area_mm2, 2)),
        (text!("offset-mesh-deviates"), text!("offset-rms", length = with_unit(length_text(volume.error.rms_mm, 4)))),
        (text!("offset-at-most"), with_unit(length_text(volume.error.max_mm, 4))),
    ];
    if volume.completeness.max_mm.is_finite() {
        let at_most = with_unit(length_text(volume.completeness.max_mm, 4));
        figures.push((text!("offset-surface-from-mesh"), at_most));
    }
    if let Some(error) = &volume.voxel_error {
        let worst = error.max.abs().max(error.min.abs());
        figures.push((
            text!("offset-skin-deviates"),
            text!("offset-voxels-average", voxels = format!("{:.3}", error.mean_absolute)),
        ));
        figures.push((text!("offset-at-most"), text!("offset-voxels-worst", voxels = format!("{worst:.2}"))));
    }
    figures.extend([
        (text!("offset-facets"), theme::count(volume.mesh.facets.len())),
        (text!("offset-voxel"), with_unit(length_text(lattice.voxel_mm, 4))),
        (text!("offset-skin-voxels"), theme::count(statistics.active_voxels as usize)),
        (
            text!("offset-leaves"),
            format!("{}, {}", theme::count(volume.tree.leaves()), theme::count(volume.tree.cells().len())),
        ),
        (text!("offset-memory"), format_bytes(statistics.bytes)),
    ]);
    rows(ui, "offset figures", &figures);
    let is_ready = !volume.mesh.facets.is_empty() && !context.is_busy;
    ui.horizontal_wrapped(|ui| {
        for (name, hint, purpose) in [
            (text!("offset-save-mesh"), text!("offset-save-mesh-hint"), Purpose::OffsetMesh(id)),
            (text!("offset-save-voxels"), text!("offset-save-voxels-hint"), Purpose::OffsetVoxels(id)),
            (text!("offset-save-layers"), text!("offset-save-layers-hint"), Purpose::OffsetSlices(id)),
        ] {
            if ui.add_enabled(is_ready, egui::Button::new(name)).on_hover_text(hint).clicked() {
                context.ask(Action::Browse(purpose));
            }
        }
    });
}
