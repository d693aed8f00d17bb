//! Drawings of artefacts for the simulator: their surface, the regions that an operator would brush, and the points
//! that a probe would touch.

use serde::{Deserialize, Serialize};

use base::random::Random;
use geometry::{Mesh, Point, Vector};

/// Drawing of an artefact in its own frame, mm.
pub trait Drawn: Sync {
    /// Surface of the manufactured artefact as a mesh.
    fn mesh(&self, imperfect: &Imperfect) -> Mesh;

    /// Point that the sensor is aimed at.
    fn view_centre(&self) -> Point;

    /// Region that an operator would assign a surface point to, `margin_mm` clear of edges; `None` elsewhere.
    fn region_at(&self, point: &Point, margin_mm: f64) -> Option<usize>;

    /// About `count` points of a region where it is probed, each with the outward normal.
    fn touches(&self, region: usize, count: usize) -> Vec<(Point, Vector)>;

    /// Height of the manufactured surface above the nominal one at a position, mm.
    fn height_error_mm(&self, x: f64, y: f64, imperfect: &Imperfect) -> f64 {
        let _ = (x, y, imperfect);
        0.0
    }

    /// Point of the manufactured artefact that a probe aimed at the nominal `point` touches; the surface normal there
    /// is `outward`.
    fn manufactured(&self, point: &Point, outward: &Vector, imperfect: &Imperfect) -> Point {
        let _ = outward;
        point + Vector::z() * self.height_error_mm(point.x, point.y, imperfect)
    }

    /// Brightness of a surface point, 0 to 1.
    fn brightness(&self, point: &Point, imperfect: &Imperfect) -> f64 {
        let _ = (point, imperfect);
        1.0
    }

    /// CMM positions of one calibration relative to the first, mm, CMM axes.
    fn positions_mm(&self) -> &'static [[f64; 3]] {
        &[[0.0; 3]]
    }
}

/// Deviations of a manufactured artefact from its drawing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Imperfect {
    /// Bending of the plate from its centre to its corners, mm.
    pub flatness_mm: f64,
    /// Width over which edges and the bottoms of slots are rounded, mm.
    pub rounding_mm: f64,
    /// Difference between the visible edge of a mark and the wall that is probed, growing from 0 to this from one end
    /// of the mark to the other, mm: unevenly worn rims, or a cover glued on askew.
    pub askew_mm: f64,
    /// Maximum form error of its faces, smooth waves some centimetres long, mm.
    #[serde(default)]
    pub form_mm: f64,
    /// Seed of these waves.
    #[serde(default)]
    pub form_seed: u64,
}

/// Number of waves of a form error, and the range of their wavelengths, mm.
const FORM_WAVES: usize = 3;
const FORM_WAVELENGTHS_MM: [f64; 2] = [35.0, 120.0];

impl Imperfect {
    /// Form error at a point, mm, positive upward or outward.
    pub fn form_error_mm(&self, point: &Point) -> f64 {
        if self.form_mm == 0.0 {
            return 0.0;
        }
        let mut random = Random::new(self.form_seed, 0xF0E3);
        let mut wave = || {
            let along = random.rotation() * Vector::x();
            let wavenumber = std::f64::consts::TAU / random.range(FORM_WAVELENGTHS_MM[0], FORM_WAVELENGTHS_MM[1]);
            (wavenumber * along.dot(&point.coords) + random.range(0.0, std::f64::consts::TAU)).sin()
        };
        self.form_mm / FORM_WAVES as f64 * (0..FORM_WAVES).map(|_| wave()).sum::<f64>()
    }

    /// Height of a plate's surface above its drawing at a position, bending and form error together, mm.
    pub fn height_error_mm(&self, x: f64, y: f64, corners: [[f64; 2]; 2]) -> f64 {
        self.form_error_mm(&Point::new(x, y, 0.0)) - self.bending_mm(x, y, corners)
    }

    /// Sag of a plate at a position, mm; 0 at the centre. `corners`: minimum and maximum corner of the plate.
    pub fn bending_mm(&self, x: f64, y: f64, [min, max]: [[f64; 2]; 2]) -> f64 {
        let half = [0, 1].map(|k| 0.5 * (max[k] - min[k]));
        let relative_radius = (x - min[0] - half[0]).hypot(y - min[1] - half[1]) / half[0].hypot(half[1]);
        self.flatness_mm * relative_radius * relative_radius
    }
}

/// Minimum of two values, blended smoothly over about `width`.
pub fn smooth_min(a: f64, b: f64, width: f64) -> f64 {
    let near = (width - (a - b).abs()).max(0.0);
    a.min(b) - if width > 0.0 { 0.25 * near * near / width } else { 0.0 }
}

/// Positions of a lattice with a step of 0.5 mm between two corners.
pub fn lattice(min: [f64; 2], max: [f64; 2]) -> impl Iterator<Item = (f64, f64)> {
    let step = 0.5;
    let steps = move |axis: usize| ((max[axis] - min[axis]) / step) as usize;
    (0..=steps(1))
        .flat_map(move |j| (0..=steps(0)).map(move |i| (i as f64, j as f64)))
        .map(move |(i, j)| (min[0] + step * i, min[1] + step * j))
}

/// Selects `count` items, evenly spread (multiples of the golden ratio, which do not align with the rows of a lattice);
/// none if there are no items.
pub fn spread<T: Copy>(items: &[T], count: usize) -> Vec<T> {
    let golden = 0.5 * (5.0_f64.sqrt() - 1.0);
    let index = |k: usize| (((k as f64 + 0.5) * golden).fract() * items.len() as f64) as usize;
    (0..count).filter_map(|k| items.get(index(k)).copied()).collect()
}

/// A plate between two corners (minimum, maximum) whose upper side has the given height, as a closed mesh.
///
/// Edges come out sharp where `step_mm` divides their coordinates.
pub fn plate([min, max]: [[f64; 2]; 2], thickness_mm: f64, step_mm: f64, height: &dyn Fn(f64, f64) -> f64) -> Mesh {
    let steps = |axis: usize| ((max[axis] - min[axis]) / step_mm).round() as u32;
    let (nx, ny) = (steps(0), steps(1));
    let position = |i: f64, j: f64| (min[0] + step_mm * i, min[1] + step_mm * j);
    let mut mesh = Mesh::default();
    for j in 0..=ny {
        for i in 0..=nx {
            let (x, y) = position(f64::from(i), f64::from(j));
            mesh.vertices.push(Point::new(x, y, height(x, y)));
        }
    }
    let at = |i: u32, j: u32| j * (nx + 1) + i;
    for j in 0..ny {
        for i in 0..nx {
            let [a, b, c, d] = [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)];
            // Split each cell along the diagonal that is closer to the surface at its centre.
            let z = |corner: u32| mesh.vertices[corner as usize].z;
            let (x, y) = position(f64::from(i) + 0.5, f64::from(j) + 0.5);
            let centre_height = height(x, y);
            let (first, second) =
                ((0.5 * (z(a) + z(c)) - centre_height).abs(), (0.5 * (z(b) + z(d)) - centre_height).abs());
            if first <= second {
                mesh.facets.extend([[a, b, c], [a, c, d]]);
            } else {
                mesh.facets.extend([[a, b, d], [b, c, d]]);
            }
        }
    }
    close(&mut mesh, thickness_mm, nx, ny);
    mesh
}

/// Adds the side walls and the bottom, at Z = -`thickness_mm`.
fn close(mesh: &mut Mesh, thickness_mm: f64, nx: u32, ny: u32) {
    let at = |i: u32, j: u32| j * (nx + 1) + i;
    // Around the plate, counter-clockwise as seen from above.
    let mut border: Vec<u32> = (0..nx).map(|i| at(i, 0)).collect();
    border.extend((0..ny).map(|j| at(nx, j)));
    border.extend((1..=nx).rev().map(|i| at(i, ny)));
    border.extend((1..=ny).rev().map(|j| at(0, j)));
    let first = mesh.vertices.len() as u32;
    let mut sum = Vector::zeros();
    for &corner in &border {
        let top = mesh.vertices[corner as usize];
        let low = Point::new(top.x, top.y, -thickness_mm);
        sum += low.coords;
        mesh.vertices.push(low);
    }
    let (hub, count) = (mesh.vertices.len() as u32, border.len() as u32);
    mesh.vertices.push(Point::from(sum / f64::from(count)));
    for k in 0..count {
        let next = (k + 1) % count;
        let (top, top_next) = (border[k as usize], border[next as usize]);
        let (low, low_next) = (first + k, first + next);
        mesh.facets.extend([[top, low, low_next], [top, low_next, top_next], [hub, low_next, low]]);
    }
}
