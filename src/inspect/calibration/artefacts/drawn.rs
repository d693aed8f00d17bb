//! Artefacts as they are drawn, for the simulator: their surface, what a hand would brush and a probe would touch.

use serde::{Deserialize, Serialize};

use base::random::Random;
use geometry::{Mesh, Point, Vector};

/// The drawing of an artefact, in its own frame, mm.
pub trait Drawn: Sync {
    /// Its surface.
    fn mesh(&self, imperfect: &Imperfect) -> Mesh;

    /// Middle of what a sensor should look at.
    fn middle(&self) -> Point;

    /// The region that a hand would brush a place of the surface into, `margin_mm` clear of edges; `None` elsewhere.
    fn region_at(&self, place: &Point, margin_mm: f64) -> Option<usize>;

    /// About `count` places of a region where a probe touches, and which way the surface looks there.
    fn touches(&self, region: usize, count: usize) -> Vec<(Point, Vector)>;

    /// How far the made surface lies above the drawn one at a place of it, mm.
    fn off_drawing(&self, x: f64, y: f64, imperfect: &Imperfect) -> f64 {
        let _ = (x, y, imperfect);
        0.0
    }

    /// The place of the made artefact where a probe touches that goes for `place`, where the surface looks `outward`.
    fn made(&self, place: &Point, outward: &Vector, imperfect: &Imperfect) -> Point {
        let _ = outward;
        place + Vector::z() * self.off_drawing(place.x, place.y, imperfect)
    }

    /// How bright a place of the surface is, 0 to 1.
    fn ink(&self, place: &Point, imperfect: &Imperfect) -> f64 {
        let _ = (place, imperfect);
        1.0
    }

    /// Where the machine carries the sensor for one calibration, from the first position, CMM axes.
    fn positions_mm(&self) -> &'static [[f64; 3]] {
        &[[0.0; 3]]
    }
}

/// How far a made artefact is from its drawing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Imperfect {
    /// The plate bends by this much from its middle to its corners, mm.
    pub flatness_mm: f64,
    /// Edges and the bottoms of slots are rounded over about this width, mm.
    pub rounding_mm: f64,
    /// The edge of a mark as it is seen leaves the wall that a probe touches by so much more from one end to the other,
    /// mm: rims worn unevenly, a cover glued on askew.
    pub askew_mm: f64,
    /// Largest form error of its faces, smooth waves some centimetres long, mm.
    #[serde(default)]
    pub form_mm: f64,
    /// Decides those waves.
    #[serde(default)]
    pub form_seed: u64,
}

/// Waves of a form error, and their shortest and longest, mm.
const FORM_WAVES: usize = 3;
const FORM_LENGTHS_MM: [f64; 2] = [35.0, 120.0];

impl Imperfect {
    /// The form error at a place, mm: up or outward.
    pub fn form(&self, place: &Point) -> f64 {
        if self.form_mm == 0.0 {
            return 0.0;
        }
        let mut random = Random::new(self.form_seed, 0xF0E3);
        let mut wave = || {
            let along = random.rotation() * Vector::x();
            let number = std::f64::consts::TAU / random.range(FORM_LENGTHS_MM[0], FORM_LENGTHS_MM[1]);
            (number * along.dot(&place.coords) + random.range(0.0, std::f64::consts::TAU)).sin()
        };
        self.form_mm / FORM_WAVES as f64 * (0..FORM_WAVES).map(|_| wave()).sum::<f64>()
    }

    /// How far a plate's surface lies above its drawing at a place, bend and form together, mm.
    pub fn above(&self, x: f64, y: f64, corners: [[f64; 2]; 2]) -> f64 {
        self.form(&Point::new(x, y, 0.0)) - self.bend(x, y, corners)
    }

    /// How far a place of a plate lies too low, mm. `corners`: the least and the greatest.
    pub fn bend(&self, x: f64, y: f64, [least, greatest]: [[f64; 2]; 2]) -> f64 {
        let half = [0, 1].map(|k| 0.5 * (greatest[k] - least[k]));
        let away = (x - least[0] - half[0]).hypot(y - least[1] - half[1]) / half[0].hypot(half[1]);
        self.flatness_mm * away * away
    }
}

/// The lesser of two, both blended over about `width`.
pub fn smooth_least(a: f64, b: f64, width: f64) -> f64 {
    let near = (width - (a - b).abs()).max(0.0);
    a.min(b) - if width > 0.0 { 0.25 * near * near / width } else { 0.0 }
}

/// Places of a fine lattice between two corners.
pub fn lattice(least: [f64; 2], greatest: [f64; 2]) -> impl Iterator<Item = (f64, f64)> {
    let step = 0.5;
    let steps = move |axis: usize| ((greatest[axis] - least[axis]) / step) as usize;
    (0..=steps(1))
        .flat_map(move |j| (0..=steps(0)).map(move |i| (i as f64, j as f64)))
        .map(move |(i, j)| (least[0] + step * i, least[1] + step * j))
}

/// About `count` of them, spread evenly: the golden ratio's multiples take no rows of a lattice.
pub fn spread<T: Copy>(places: &[T], count: usize) -> Vec<T> {
    let golden = 0.5 * (5.0_f64.sqrt() - 1.0);
    let place = |k: usize| (((k as f64 + 0.5) * golden).fract() * places.len() as f64) as usize;
    (0..count).filter_map(|k| places.get(place(k)).copied()).collect()
}

/// A plate between two corners (least, greatest) whose upper side has the given height, as a closed mesh.
///
/// Edges come out sharp where `step_mm` divides their places.
pub fn plate(
    [least, greatest]: [[f64; 2]; 2],
    thickness_mm: f64,
    step_mm: f64,
    height: &dyn Fn(f64, f64) -> f64,
) -> Mesh {
    let steps = |axis: usize| ((greatest[axis] - least[axis]) / step_mm).round() as u32;
    let (nx, ny) = (steps(0), steps(1));
    let place = |i: f64, j: f64| (least[0] + step_mm * i, least[1] + step_mm * j);
    let mut mesh = Mesh::default();
    for j in 0..=ny {
        for i in 0..=nx {
            let (x, y) = place(f64::from(i), f64::from(j));
            mesh.vertices.push(Point::new(x, y, height(x, y)));
        }
    }
    let at = |i: u32, j: u32| j * (nx + 1) + i;
    for j in 0..ny {
        for i in 0..nx {
            let [a, b, c, d] = [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)];
            // Split along the diagonal that the surface bends along, if it bends.
            let z = |corner: u32| mesh.vertices[corner as usize].z;
            let (x, y) = place(f64::from(i) + 0.5, f64::from(j) + 0.5);
            let middle = height(x, y);
            let (first, second) = ((0.5 * (z(a) + z(c)) - middle).abs(), (0.5 * (z(b) + z(d)) - middle).abs());
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

/// Walls down to the bottom, and the bottom.
fn close(mesh: &mut Mesh, thickness_mm: f64, nx: u32, ny: u32) {
    let at = |i: u32, j: u32| j * (nx + 1) + i;
    // Round the plate, seen from above against the clock.
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
