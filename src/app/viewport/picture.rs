//! The picture of the scene: when it is drawn again, and what is in it.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::facet_shading::FacetShading;
use super::screen::Quality;
use super::shading::groups_key;
use super::volumes::ShownPasses;
use super::{ACTUAL, LEFT_OUT, NOMINAL, UNMEASURED, Viewport, address, legend};
use crate::remembered::Side;
use crate::subject::Subject;
use crate::{ClipPlane, ElementVisibility, LiveFit, theme};
use compute::Backend;
use geometry::{Aabb, Pose, Vector};
use inspect::detection::Found;
use render::colour_scale::Scale;
use render::scene::Slice;
use render::thickness_scale::ThicknessScale;
use render::{Colouring, Cut, Draw, Frame, LineStyle, Look, SurfaceItem};

use session::Document;
use session::plan::{ElementId, Recipe};

/// Of the points of the scan.
pub const ACTUAL_COLOUR: [f32; 3] = [0.28, 0.58, 0.86];
/// Of the regions of the nominal without measurement.
pub const UNMEASURED_COLOUR: [f32; 3] = [0.48, 0.36, 0.82];
const DILATED_COLOUR: [f32; 3] = [0.07, 0.60, 0.72];
const ERODED_COLOUR: [f32; 3] = [0.93, 0.58, 0.11];
const CONTACT_COLOUR: [f32; 3] = [0.36, 0.66, 0.32];
const FOUND_COLOUR: [f32; 3] = [0.36, 0.66, 0.32];
/// Of the selected part of those found.
pub const SELECTED_COLOUR: [f32; 3] = [0.95, 0.55, 0.15];

/// Diameter of points that are left out of the surface of the scan, screen points.
const LEFT_OUT_SIZE: f32 = 3.0;

/// Time after its last move for which the camera counts as moving.
const MOVING_DURATION: Duration = Duration::from_millis(160);

/// Width of the outlines of features, screen points; how much is left of them behind something.
const FEATURE_LINE_WIDTH: f32 = 1.8;
const HIDDEN_FEATURE_OPACITY: f32 = 0.75;
/// The edge that a selected section lies along.
const MARKED_EDGE_WIDTH: f32 = 3.2;
/// The edges of the nominal.
const EDGE_WIDTH: f32 = 1.2;
const EDGE_COLOUR: [f32; 3] = [0.07, 0.08, 0.10];
const EDGE_OPACITY: f32 = 0.8;
const HIDDEN_EDGE_OPACITY: f32 = 0.3;

/// The picture drawn last.
pub(super) struct LastPicture {
    key: PictureKey,
    quality: Quality,
    /// Next slice of the complete picture.
    next_slice: usize,
}

/// All inputs of a picture.
#[derive(Clone, PartialEq)]
struct PictureKey {
    size: [u32; 2],
    shown: [bool; 8],
    nominal_opacity: f32,
    dark: bool,
    live: u64,
    scale: Scale,
    /// Addresses of nominal, scan and measurement.
    sources: [usize; 3],
    /// Addresses of the inputs of the colours.
    shading: [usize; 6],
    lines: (u64, usize, bool),
    volumes: u64,
    volume_opacity: f32,
    field_distance_mm: f64,
    cut: Option<Cut>,
    /// Address of the parts found that are shown, the selected one, and whether points are coloured by what they lie on.
    detections: (usize, usize, bool),
    pose: Pose,
    camera: [[f32; 4]; 4],
}

impl Viewport {
    /// Draws the scene if something has changed.
    pub(super) fn render(
        &mut self,
        (context, backend): (&egui::Context, &Arc<dyn Backend>),
        subject: &Subject,
        live: &LiveFit,
        (shown, hidden): (ElementVisibility, &BTreeSet<ElementId>),
        (size, legend_side): ([u32; 2], Side),
    ) {
        let document = &subject.document;
        self.sync((context, backend), subject, live);
        let parts = document.shared_nominal().zip(document.shared_actual());
        let is_wanted = shown.draws_on_nominal(live.frame.is_some());
        let measurement = document.current_measurement();
        let gpu = self.gpu();
        self.nominal_deviations.update((&gpu, context), measurement, parts, backend, is_wanted);
        self.found = found(document).filter(|_| shown.detections);
        if let Some(actual) = self.actual.as_ref().filter(|_| shown.left_out && shown.as_surface) {
            self.scan_surface.upload_left_out(self.scene.gpu(), &actual.source);
        }
        self.shade(subject, live, shown);
        self.shade_facets(subject);
        self.feature_lines.update(self.scene.gpu(), document, hidden);
        self.section_lines.update(self.scene.gpu(), document.shared(shown.section).filter(|_| shown.section.is_some()));
        let passes = ShownPasses { contact: shown.contact_pass, offset: shown.offset_pass };
        let have_changed = match shown.volumes {
            true => self.volumes.update(self.scene.gpu(), document, hidden, (shown.offset, passes)),
            false => self.volumes.clear(),
        };
        // With an alignment there is a legend, or will be.
        let has_legend = document.alignment().is_some() || self.volumes.map().is_some();
        let covered = if has_legend { legend::WIDTH * context.pixels_per_point() } else { 0.0 } as u32;
        let covered = match legend_side {
            Side::Left => [covered, 0],
            Side::Right => [0, covered],
        };
        self.camera.set_covered(covered);
        if have_changed && self.auto_fit {
            self.fit_bounds(document);
        }
        if (size, covered) != self.fitted_size {
            self.fitted_size = (size, covered);
            self.camera.set_size(size[0], size[1]);
            if self.auto_fit {
                self.camera.fit();
            }
        }
        let cut = match shown.volumes {
            true => shown.clip.map(|clip| clip.cut(&self.bounds)),
            false => shown.cut,
        };
        let is_sliding =
            |last: &LastPicture| last.key.field_distance_mm != shown.field_distance_mm || last.key.cut != cut;
        if shown.volumes && self.last_picture.as_ref().is_some_and(is_sliding) {
            self.moved_at = Some(Instant::now());
        }
        let shown_pose = || live.frame.as_ref().map_or_else(|| document.nominal_from_scan(), |(pose, _)| *pose);
        let pose = shown.dragged_to.unwrap_or_else(shown_pose);
        if shown.dragged_to.is_some() && self.last_picture.as_ref().is_some_and(|last| last.key.pose != pose) {
            self.moved_at = Some(Instant::now());
        }
        let moving = self.moved_at.is_some_and(|at| at.elapsed() < MOVING_DURATION);
        if moving {
            context.request_repaint_after(MOVING_DURATION);
        }
        let key = PictureKey {
            size,
            shown: [
                shown.nominal,
                shown.actual,
                shown.deviations,
                shown.unmeasured,
                shown.others,
                self.scan_surface.item(shown.as_surface).is_some(),
                is_wanted && self.nominal_deviations.item(false).is_some(),
                self.scan_surface.left_out(shown.left_out && shown.as_surface).is_some(),
            ],
            nominal_opacity: shown.nominal_opacity,
            dark: context.theme() == egui::Theme::Dark,
            live: self.live_serial,
            scale: match self.volumes.map() {
                Some((map, _)) => Scale::Thickness(ThicknessScale::of(map)),
                None => report::colour_scale(document.settings.deviation.tolerance, document).into(),
            },
            sources: [
                address(self.nominal.as_ref().map(|item| &item.source)),
                address(self.actual.as_ref().map(|item| &item.source)),
                address(self.measurement.as_ref().map(|item| &item.source)),
            ],
            shading: [
                self.shown_selection(document).address(),
                document.points.hidden.address(),
                document.facets.selected.address(),
                document.facets.hidden.address(),
                groups_key(document),
                address(subject.residuals.as_ref()),
            ],
            lines: (
                self.feature_lines.revision(),
                self.section_lines.key(),
                shown.edges && self.nominal_edges.item().is_some(),
            ),
            volumes: self.volumes.revision(),
            volume_opacity: shown.volume_opacity,
            field_distance_mm: shown.field_distance_mm,
            cut,
            detections: (address(self.found.as_ref()), shown.detection, shown.explanations),
            pose,
            camera: self.camera.clip_from_local(),
        };
        let live_points = live.frame.as_ref().map(|(_, deviations)| deviations.len());
        self.refresh(context, key, shown, live_points, moving);
    }

    /// Draws the picture of `key` unless it is shown already. Large scenes are shown reduced at first, and completely
    /// after several frames that each draw a slice.
    fn refresh(
        &mut self,
        context: &egui::Context,
        key: PictureKey,
        shown: ElementVisibility,
        live_points: Option<usize>,
        moving: bool,
    ) {
        let is_live = live_points.is_some();
        let slices = self.slices(shown, is_live);
        match &mut self.last_picture {
            Some(last) if last.key == key => {
                // During a drag, the response to the mouse takes precedence over completing the picture.
                let is_dragging = context.input(|input| input.pointer.any_down());
                if last.quality == Quality::Full || moving || is_live || is_dragging {
                    return;
                }
                if self.is_selecting {
                    return context.request_repaint();
                }
                let slice = Slice { number: last.next_slice, of: slices };
                last.next_slice += 1;
                if slice.is_last() {
                    last.quality = Quality::Full;
                } else {
                    context.request_repaint();
                }
                self.draw(&key, shown, live_points, Quality::Full, slice);
                if slice.is_last() {
                    self.screen.show(&self.gpu(), Quality::Full);
                    self.clear_pick();
                }
            }
            _ => {
                let quality = if moving || is_live || slices > 1 { Quality::Reduced } else { Quality::Full };
                if quality == Quality::Reduced && !moving {
                    context.request_repaint();
                }
                self.draw(&key, shown, live_points, quality, Slice::ALL);
                self.screen.show(&self.gpu(), quality);
                self.clear_pick();
                self.last_picture = Some(LastPicture { key, quality, next_slice: 0 });
            }
        }
    }

    /// Whether deviations of points are drawn on the nominal.
    pub(super) fn shows_on_nominal(&self) -> bool {
        self.last_picture.as_ref().is_some_and(|last| last.key.shown[6])
    }

    /// Whether the last picture is complete.
    pub(super) fn is_complete(&self) -> bool {
        self.last_picture.as_ref().is_some_and(|last| last.quality == Quality::Full)
    }

    /// Resets the element under the pointer, which belongs to the previous picture.
    fn clear_pick(&mut self) {
        self.hovered = None;
        self.hovered_at = None;
        self.pick = None;
    }

    /// Number of frames over which a complete picture is drawn.
    fn slices(&self, shown: ElementVisibility, is_live: bool) -> usize {
        let per_frame = self.scene.gpu().elements_per_frame();
        if let Some(item) = self.nominal_deviations.item(false).filter(|_| shown.draws_on_nominal(is_live)) {
            return item.count.div_ceil(per_frame).max(1);
        }
        let facets = self.nominal.as_ref().map_or(0, |nominal| nominal.item.count);
        let points = self.actual.as_ref().map_or(0, |actual| actual.item.count);
        let surface = self.scan_surface.item(shown.as_surface).map_or(0, SurfaceItem::count);
        (facets + points.max(surface)).div_ceil(per_frame).max(1)
    }

    fn draw(
        &mut self,
        key: &PictureKey,
        shown: ElementVisibility,
        live_points: Option<usize>,
        quality: Quality,
        slice: Slice,
    ) {
        let gpu = self.gpu();
        let moving = quality == Quality::Reduced;
        let target = self.screen.target(&gpu, key.size, quality);
        let look =
            |pose: Pose, colour, colouring, id| Look { scene_from_item: pose, colour, opacity: 1.0, colouring, id };
        let mut draws = Vec::new();
        let facets =
            self.measurement.as_ref().and_then(|measurement| measurement.item.as_ref()).filter(|_| shown.deviations);
        let on_nominal = self.nominal_deviations.item(moving);
        let facets = facets.or(on_nominal.filter(|_| shown.draws_on_nominal(live_points.is_some())));
        let map = self.volumes.map().map(|(_, item)| item);
        if let Some(item) = map {
            let look = look(Pose::identity(), [0.7; 3], Colouring::Scale, NOMINAL);
            draws.push(Draw::Facets { item, look, moving });
        } else if let Some(found) =
            self.found.as_ref().filter(|found| found.detections.len() + found.possible.len() > 0)
        {
            // The part wherever it was found, and the candidate that is looked at, instead of the nominal.
            if let Some(nominal) = &self.nominal {
                let all = found.detections.iter().chain(&found.possible).enumerate();
                let (count, chosen) = (found.detections.len(), key.detections.1);
                // Parts would hide the points whose colours say what they lie on.
                for (index, own) in all.filter(|(index, _)| (*index < count && !key.detections.2) || *index == chosen) {
                    let colour = if index == chosen { SELECTED_COLOUR } else { FOUND_COLOUR };
                    let look = look(key.pose * own.scene_from_part, colour, Colouring::Plain, NOMINAL);
                    draws.push(Draw::Facets { item: &nominal.item, look, moving });
                }
            }
        } else if shown.nominal && !shown.detections {
            if let Some(item) = facets {
                let look = look(Pose::identity(), [0.7; 3], Colouring::Scale, NOMINAL);
                draws.push(Draw::Facets { item, look, moving });
            } else if let Some(nominal) = &self.nominal {
                let grey = if key.dark { [0.56, 0.60, 0.66] } else { [0.72, 0.74, 0.77] };
                let marks = self.facet_shading.as_ref().is_some_and(FacetShading::marks_any);
                // Marks belong to the facets of the full mesh, not to a simplified one.
                // An offset inside the part is seen through it.
                let opacity =
                    key.nominal_opacity * if self.volumes.are_inside(key.field_distance_mm) { 0.3 } else { 1.0 };
                let look = Look { opacity, ..look(Pose::identity(), grey, Colouring::Plain, NOMINAL) };
                draws.push(Draw::Facets { item: &nominal.item, look, moving: moving && !marks });
            }
        }
        let budget = if let Some(points) = live_points {
            points
        } else if moving {
            gpu.moving_points()
        } else {
            usize::MAX
        };
        let coloured = shown.deviations && (live_points.is_some() || (self.measurement.is_some() && facets.is_none()));
        let colouring = match &self.point_shading {
            _ if live_points.is_some() => {
                if shown.deviations {
                    Colouring::Scale
                } else {
                    Colouring::Plain
                }
            }
            Some(shading) => shading.colouring(),
            None => Colouring::Plain,
        };
        if let Some(actual) = self.actual.as_ref().filter(|_| shown.actual && facets.is_none() && map.is_none()) {
            let look = look(key.pose, ACTUAL_COLOUR, colouring, ACTUAL);
            // During a best fit and a stroke, only the points that are drawn while the view moves have values and marks.
            let is_complete = live_points.is_none() && self.previewed_selection.is_none();
            let surface = self.scan_surface.item(shown.as_surface && is_complete);
            if let Some(left_out) = self.scan_surface.left_out(shown.left_out && surface.is_some()) {
                let look = Look { id: LEFT_OUT, ..look };
                draws.push(Draw::Points { item: &left_out.item, look, budget });
            }
            draws.push(match surface {
                Some(item) => Draw::Surface { item, points: &actual.item, look, moving },
                None => Draw::Points { item: &actual.item, look, budget },
            });
        }
        if let Some(item) = self.unmeasured.as_ref().filter(|_| shown.unmeasured && live_points.is_none()) {
            let look = look(Pose::identity(), UNMEASURED_COLOUR, Colouring::Plain, UNMEASURED);
            draws.push(Draw::Points { item, look, budget });
        }
        for (volume, item) in self.volumes.volumes() {
            let colour = if volume.parameters.distance_mm < 0.0 { ERODED_COLOUR } else { DILATED_COLOUR };
            let opacity = key.volume_opacity;
            let look = Look { opacity, ..look(Pose::identity(), colour, Colouring::Plain, 0) };
            draws.push(Draw::Facets { item, look, moving });
        }
        for item in self.volumes.contacts() {
            let look =
                Look { opacity: key.volume_opacity, ..look(Pose::identity(), CONTACT_COLOUR, Colouring::Plain, 0) };
            draws.push(Draw::Facets { item, look, moving });
        }
        let distance_mm = key.field_distance_mm;
        // At zero it is the part itself.
        for item in self.volumes.fields().filter(|_| distance_mm != 0.0) {
            let colour = if distance_mm < 0.0 { ERODED_COLOUR } else { DILATED_COLOUR };
            let look = Look { opacity: key.volume_opacity, ..look(Pose::identity(), colour, Colouring::Plain, 0) };
            draws.push(Draw::Field { item, look, distance_mm });
        }
        let drawn_pixels = target.size[1] as f32 / key.size[1] as f32 * self.scale;
        if let Some(item) =
            self.nominal_edges.item().filter(|_| shown.edges && shown.nominal && !shown.detections && map.is_none())
        {
            // Over colours, dashes of what is behind would be taken for deviations.
            let hidden_opacity = if coloured || facets.is_some() { 0.0 } else { HIDDEN_EDGE_OPACITY };
            let look = Look { opacity: EDGE_OPACITY, ..look(Pose::identity(), EDGE_COLOUR, Colouring::Plain, 0) };
            draws.push(Draw::Lines {
                item,
                look,
                style: LineStyle { width: EDGE_WIDTH * drawn_pixels, hidden_opacity },
            });
        }
        let lines = |item, pose, colour: egui::Color32, width: f32| {
            let [r, g, b, _] = colour.to_array().map(|channel| f32::from(channel) / 255.0);
            let style = LineStyle { width: width * drawn_pixels, hidden_opacity: HIDDEN_FEATURE_OPACITY };
            Draw::Lines { item, look: look(pose, [r, g, b], Colouring::Plain, 0), style }
        };
        // Outlines do not follow a running best fit.
        if live_points.is_none() {
            let items = self.feature_lines.items();
            draws.extend(items.map(|item| lines(item, key.pose, theme::FEATURE, FEATURE_LINE_WIDTH)));
        }
        let in_nominal = Pose::identity();
        // Under the contours, which cross it.
        let edge = self.section_lines.edge();
        draws.extend(edge.map(|item| lines(item, in_nominal, theme::FEATURE, MARKED_EDGE_WIDTH)));
        let contours = self.section_lines.contours();
        draws.extend(contours.map(|item| lines(item, in_nominal, theme::ACCENT, FEATURE_LINE_WIDTH)));
        let pixels_per_mm = f64::from(target.size[1]) / self.camera.height_mm();
        // Of the points that are drawn as such, those that lie furthest apart.
        let of_points = draws.iter().filter_map(|draw| match draw {
            // These lie anywhere, and close no surface.
            Draw::Points { look, .. } if look.id == LEFT_OUT => Some(LEFT_OUT_SIZE * drawn_pixels),
            Draw::Points { item, budget, .. } => Some(item.closing_size(*budget, pixels_per_mm)),
            _ => None,
        });
        let closing = of_points.fold(1.0, f32::max);
        self.scene.draw(
            target,
            &Frame {
                camera: &self.camera,
                scale: key.scale.clone(),
                background: theme::backdrop(key.dark),
                point_size: closing.min(60.0),
                points_in_front_mm: if coloured { 1.5 * key.scale.ends_mm()[1] as f32 } else { 0.0 },
                lighting: 14.0,
                cut: key.cut,
                slice,
            },
            &draws,
        );
    }
}

/// The parts found in the scan; `None` if they were not looked for.
fn found(document: &Document) -> Option<Arc<Found>> {
    let element = document.plan.elements().iter().find(|own| matches!(own.recipe, Recipe::Detection(_)))?;
    document.shared::<Found>(Some(element.id))
}

impl ClipPlane {
    fn cut(&self, bounds: &Aabb) -> Cut {
        let mut at = bounds.min;
        at[self.axis] += f64::from(self.share) * bounds.size()[self.axis];
        let mut normal = Vector::zeros();
        normal[self.axis] = if self.is_flipped { 1.0 } else { -1.0 };
        Cut { at, normal }
    }
}
