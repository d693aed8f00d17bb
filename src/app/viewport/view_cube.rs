//! The cube in the upper right corner: it turns with the part, and a click on a face, an edge or a corner looks from there.

use egui::{Align2, Color32, FontId, Pos2, Rect, Sense, Shape, Stroke, Vec2};

use super::super::{Action, theme};
use super::Viewport;
use render::camera::StandardView;
use texts::text;

/// Half the edge of the cube, and the space that it takes to its right and above, screen points.
const HALF_EDGE: f32 = 25.0;
const MARGIN: f32 = 52.0;
/// Beyond this share of half a face a click means its edge or corner.
const EDGE_FROM: f32 = 0.6;
/// Cosine of the angle to the line of sight from which on a face has its name.
const MIN_FACING: f32 = 0.45;

/// A face: its view, its outward normal, and the directions to the right and up of its name.
struct Face {
    view: StandardView,
    normal: [f32; 3],
    right: [f32; 3],
    up: [f32; 3],
}

const Z: [f32; 3] = [0.0, 0.0, 1.0];
const FACES: [Face; 6] = [
    Face { view: StandardView::Front, normal: [0.0, -1.0, 0.0], right: [1.0, 0.0, 0.0], up: Z },
    Face { view: StandardView::Back, normal: [0.0, 1.0, 0.0], right: [-1.0, 0.0, 0.0], up: Z },
    Face { view: StandardView::Left, normal: [-1.0, 0.0, 0.0], right: [0.0, -1.0, 0.0], up: Z },
    Face { view: StandardView::Right, normal: [1.0, 0.0, 0.0], right: [0.0, 1.0, 0.0], up: Z },
    Face { view: StandardView::Top, normal: Z, right: [1.0, 0.0, 0.0], up: [0.0, 1.0, 0.0] },
    Face { view: StandardView::Bottom, normal: [0.0, 0.0, -1.0], right: [-1.0, 0.0, 0.0], up: [0.0, 1.0, 0.0] },
];

/// Draws the cube in the upper right corner of `rect`; the view that was chosen.
pub(super) fn show(ui: &egui::Ui, viewport: &mut Viewport, rect: Rect) -> Option<Action> {
    let centre = rect.right_top() + Vec2::new(-MARGIN, MARGIN);
    let area = Rect::from_center_size(centre, Vec2::splat(3.4 * HALF_EDGE));
    let response = ui.interact(area, ui.scope_id().with("view cube"), Sense::click_and_drag());
    if response.dragged() {
        viewport.orbit(response.drag_delta());
    }
    let (right, up) = viewport.camera.right_and_up();
    let projection = Projection { centre, right, up, to_eye: viewport.camera.to_eye() };
    let pointer = response.hover_pos();
    let mut chosen = None;
    for face in FACES.iter().filter(|face| projection.facing(&face.normal) > 0.02) {
        let part = pointer.and_then(|pointer| projection.part_of(face, pointer));
        projection.draw(ui, face, part);
        let name = face.view.name();
        let mut middle = false;
        if projection.facing(&face.normal) > MIN_FACING {
            // Named for screen readers; where the face is clicked most.
            let at = Rect::from_center_size(projection.at(&face.normal), Vec2::splat(0.5 * HALF_EDGE));
            let node = ui.interact(at, ui.scope_id().with(("view cube", name)), Sense::click());
            node.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Button, true, texts::word(name)));
            middle = node.clicked();
        }
        if middle || response.clicked() && part == Some([0, 0]) {
            chosen = Some(Action::Look(face.view));
        } else if response.clicked()
            && let Some(part) = part
        {
            chosen = Some(Action::LookFrom(face.direction(part)));
        }
    }
    response.on_hover_text(text!("files-view-cube"));
    chosen
}

impl Face {
    /// Direction from the centre to the middle of the face, of an edge or of a corner: -1, 0 or 1 to the right and up.
    fn direction(&self, [a, b]: [i8; 2]) -> [f32; 3] {
        self.point(f32::from(a), f32::from(b))
    }

    /// A point of the face, -1 to 1 to the right and up.
    fn point(&self, a: f32, b: f32) -> [f32; 3] {
        std::array::from_fn(|axis| self.normal[axis] + a * self.right[axis] + b * self.up[axis])
    }
}

/// Size of the names of faces, points.
const NAME_SIZE: f32 = 10.0;

/// From the cube, whose half edge is 1, to the screen.
struct Projection {
    centre: Pos2,
    right: [f32; 3],
    up: [f32; 3],
    to_eye: [f32; 3],
}

impl Projection {
    fn vector(&self, of: &[f32; 3]) -> Vec2 {
        HALF_EDGE * Vec2::new(dot(of, &self.right), -dot(of, &self.up))
    }

    fn at(&self, point: &[f32; 3]) -> Pos2 {
        self.centre + self.vector(point)
    }

    /// Cosine of the angle between a face and the direction to the eye.
    fn facing(&self, normal: &[f32; 3]) -> f32 {
        dot(normal, &self.to_eye)
    }

    /// The part of the face at a position of the screen: -1, 0 or 1 to the right and up; `None` beside the face.
    fn part_of(&self, face: &Face, at: Pos2) -> Option<[i8; 2]> {
        let (offset, x, y) = (at - self.at(&face.normal), self.vector(&face.right), self.vector(&face.up));
        let area = x.x * y.y - x.y * y.x;
        let [a, b] = [(offset.x * y.y - offset.y * y.x) / area, (x.x * offset.y - x.y * offset.x) / area];
        let third = |share: f32| if share.abs() < EDGE_FROM { 0 } else { share.signum() as i8 };
        (a.abs() <= 1.0 && b.abs() <= 1.0).then(|| [third(a), third(b)])
    }

    /// Draws a face, with the part under the pointer in the accent colour.
    fn draw(&self, ui: &egui::Ui, face: &Face, part: Option<[i8; 2]>) {
        let (painter, facing) = (ui.painter(), self.facing(&face.normal));
        let base = if ui.visuals().dark_mode { [84, 92, 104] } else { [244, 246, 249] };
        let [r, g, b] = base.map(|level: u8| (f32::from(level) * (0.62 + 0.38 * facing)) as u8);
        let fill = Color32::from_rgb(r, g, b);
        let quad = |[a0, a1]: [f32; 2], [b0, b1]: [f32; 2]| {
            [(a0, b0), (a1, b0), (a1, b1), (a0, b1)].map(|(a, b)| self.at(&face.point(a, b))).to_vec()
        };
        let edge = Stroke::new(1.0, ui.visuals().text_color().gamma_multiply(0.35));
        painter.add(Shape::convex_polygon(quad([-1.0, 1.0], [-1.0, 1.0]), fill, edge));
        if let Some(part) = part {
            let range = |side: i8| match side {
                0 => [-EDGE_FROM, EDGE_FROM],
                1 => [EDGE_FROM, 1.0],
                _ => [-1.0, -EDGE_FROM],
            };
            painter.add(Shape::convex_polygon(quad(range(part[0]), range(part[1])), theme::ACCENT, Stroke::NONE));
        }
        if facing > MIN_FACING {
            let colour = if part == Some([0, 0]) { Color32::WHITE } else { ui.visuals().text_color() };
            let name = texts::word(face.view.name());
            let written = |size: f32| {
                let font = FontId::new(size, theme::strong_family());
                painter.layout_no_wrap(name.clone().into_owned(), font, colour)
            };
            let (galley, width) =
                (written(NAME_SIZE), 1.9 * self.vector(&face.right).x.abs().max(self.vector(&face.up).x.abs()));
            // A long name is as small as the face asks.
            let galley = if galley.size().x <= width { galley } else { written(NAME_SIZE * width / galley.size().x) };
            let corner = Align2::CENTER_CENTER.anchor_size(self.at(&face.normal), galley.size()).min;
            painter.galley(corner, galley, colour);
        }
    }
}

fn dot(a: &[f32; 3], b: &[f32; 3]) -> f32 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_faces_lie_where_they_are_drawn() {
        let (sin, cos) = 0.6_f32.sin_cos();
        // Seen from the right of the front and from above.
        let (right, up) = ([cos, sin, 0.0], [-0.5 * sin, 0.5 * cos, 0.75_f32.sqrt()]);
        let to_eye = [0.75_f32.sqrt() * sin, -0.75_f32.sqrt() * cos, 0.5];
        let projection = Projection { centre: Pos2::new(100.0, 100.0), right, up, to_eye };
        let visible: Vec<_> = FACES.iter().filter(|face| projection.facing(&face.normal) > 0.0).collect();
        assert_eq!(visible.iter().map(|face| face.view.name()).collect::<Vec<_>>(), ["Front", "Right", "Top"]);
        for face in visible {
            for (a, b) in [(0, 0), (1, 0), (-1, 1), (0, -1)] {
                let at = projection.at(&face.point(0.8 * f32::from(a), 0.8 * f32::from(b)));
                assert_eq!(projection.part_of(face, at), Some([a, b]));
            }
            assert_eq!(projection.part_of(face, projection.at(&face.point(1.1, 0.0))), None);
        }
        assert_eq!(FACES[0].direction([1, 1]), [1.0, -1.0, 1.0]);
    }

    #[test]
    fn names_read_from_left_to_right_as_seen_from_outside() {
        for face in &FACES {
            let (r, u, n) = (face.right, face.up, face.normal);
            let cross = [r[1] * u[2] - r[2] * u[1], r[2] * u[0] - r[0] * u[2], r[0] * u[1] - r[1] * u[0]];
            assert_eq!(cross, n, "{}", face.view.name());
        }
    }
}
