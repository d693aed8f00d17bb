//! The artefact with angled slots as it is drawn: a plate with a long slot along Y and a short one along X, cut with a
//! double-edged cutter of 120 degrees, and a small slot in one corner that tells every way of laying it apart from the
//! others and from its mirror image.

use super::Region;
use crate::geometry::{Mesh, Point, Vector};

/// A slot: two flanks that fall towards its middle, closed by ramps of the same slope.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Slot {
    /// Whether it runs along Y; else along X.
    pub along_y: bool,
    /// Its middle across, mm.
    pub middle_mm: f64,
    /// Where it begins and ends along, mm.
    pub from_to_mm: [f64; 2],
    /// Half of its width at the plate, mm.
    pub half_width_mm: f64,
}

/// The whole artefact, in its own frame: the origin is where the long and the short slot cross, Z is out of the plate.
#[derive(Clone, Debug, PartialEq)]
pub struct Drawing {
    /// Corner of the plate with the least X and Y, mm.
    pub least_mm: [f64; 2],
    /// And the one with the greatest.
    pub greatest_mm: [f64; 2],
    /// Thickness of the plate, mm.
    pub thickness_mm: f64,
    /// Angle of the flanks below the plate, degrees: 30 for a cutter of 120.
    pub flank_deg: f64,
    /// The long slot, the short one, and the mark.
    pub slots: [Slot; 3],
}

/// How far a made artefact is from its drawing.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Imperfect {
    /// The plate bends by this much from its middle to its corners, mm.
    pub flatness_mm: f64,
    /// Edges and the bottoms of slots are rounded over about this width, mm.
    pub rounding_mm: f64,
}

impl Default for Drawing {
    /// 92 x 144 mm, slots 20 mm wide: it fills the field of a sensor that sees 75 x 131 mm.
    fn default() -> Self {
        let slot =
            |along_y, middle_mm, from_to_mm, half_width_mm| Slot { along_y, middle_mm, from_to_mm, half_width_mm };
        Self {
            least_mm: [-42.0, -88.0],
            greatest_mm: [50.0, 56.0],
            thickness_mm: 16.0,
            flank_deg: 30.0,
            slots: [
                slot(true, 0.0, [-76.0, 44.0], 10.0),
                slot(false, 0.0, [-32.0, 40.0], 10.0),
                slot(true, 26.0, [18.0, 40.0], 4.0),
            ],
        }
    }
}

impl Slot {
    /// How far inside its outline a place is, mm: from either edge, and from either end. Negative outside.
    fn inside(&self, x: f64, y: f64) -> (f64, f64) {
        let (across, along) = if self.along_y { (x, y) } else { (y, x) };
        let [from, to] = self.from_to_mm;
        (self.half_width_mm - (across - self.middle_mm).abs(), (along - from).min(to - along))
    }

    fn depth(&self, x: f64, y: f64) -> f64 {
        let (edge, end) = self.inside(x, y);
        edge.min(end)
    }
}

impl Drawing {
    /// Height of the drawn surface, mm; 0 on the plate.
    pub fn height_mm(&self, x: f64, y: f64) -> f64 {
        let deepest = self.slots.iter().map(|slot| slot.depth(x, y)).fold(0.0, f64::max);
        -deepest * self.slope()
    }

    fn slope(&self) -> f64 {
        self.flank_deg.to_radians().tan()
    }

    /// Middle of what a sensor should look at.
    pub fn middle(&self) -> Point {
        let middle = |axis: usize| 0.5 * (self.least_mm[axis] + self.greatest_mm[axis]);
        Point::new(middle(0), middle(1), 0.0)
    }

    /// The face that a place lies on, at least `margin_mm` from every edge; `None` elsewhere, and on faces that are
    /// not measured.
    pub fn region_at(&self, x: f64, y: f64, margin_mm: f64) -> Option<Region> {
        let depths = self.slots.map(|slot| slot.depth(x, y));
        if depths.iter().all(|depth| *depth < -margin_mm) {
            let on_plate = (self.least_mm[0] + margin_mm..self.greatest_mm[0] - margin_mm).contains(&x)
                && (self.least_mm[1] + margin_mm..self.greatest_mm[1] - margin_mm).contains(&y);
            return on_plate.then_some(if x < self.slots[0].middle_mm { Region::LP } else { Region::RP });
        }
        let flank = |own: usize, other: usize, across: f64, low: Region, high: Region| {
            let (edge, end) = self.slots[own].inside(x, y);
            let beside = across - self.slots[own].middle_mm;
            let clear = edge > margin_mm
                && beside.abs() > margin_mm
                && end > edge + margin_mm
                && edge > depths[other] + margin_mm;
            clear.then_some(if beside < 0.0 { low } else { high })
        };
        flank(0, 1, x, Region::LL, Region::LR).or_else(|| flank(1, 0, y, Region::SL, Region::SU))
    }

    /// Out of the material, on a region.
    pub fn normal(&self, region: Region) -> Vector {
        let (sin, cos) = self.flank_deg.to_radians().sin_cos();
        match region {
            Region::LP | Region::RP => Vector::z(),
            Region::LL => Vector::new(sin, 0.0, cos),
            Region::LR => Vector::new(-sin, 0.0, cos),
            Region::SU => Vector::new(0.0, -sin, cos),
            Region::SL => Vector::new(0.0, sin, cos),
        }
    }

    /// About `count` places on a region, spread evenly, at least `margin_mm` from its edges.
    pub fn places_on(&self, region: Region, count: usize, margin_mm: f64) -> Vec<Point> {
        // A fine lattice, of which every so-many-th place is taken.
        let step = 0.5;
        let steps = |axis: usize| ((self.greatest_mm[axis] - self.least_mm[axis]) / step) as usize;
        let lattice: Vec<Point> = (0..=steps(1))
            .flat_map(|j| (0..=steps(0)).map(move |i| (i as f64, j as f64)))
            .map(|(i, j)| (self.least_mm[0] + step * i, self.least_mm[1] + step * j))
            .filter(|&(x, y)| self.region_at(x, y, margin_mm) == Some(region))
            .map(|(x, y)| Point::new(x, y, self.height_mm(x, y)))
            .collect();
        // The golden ratio's multiples spread places over the lattice without rows.
        let golden = 0.5 * (5.0_f64.sqrt() - 1.0);
        let place = |k: usize| (((k as f64 + 0.5) * golden).fract() * lattice.len() as f64) as usize;
        (0..count).filter_map(|k| lattice.get(place(k)).copied()).collect()
    }

    /// The artefact as a closed mesh. `step_mm` must divide every length of the drawing for edges to come out sharp.
    pub fn mesh(&self, step_mm: f64, imperfect: &Imperfect) -> Mesh {
        let steps = |axis: usize| ((self.greatest_mm[axis] - self.least_mm[axis]) / step_mm).round() as u32;
        let (nx, ny) = (steps(0), steps(1));
        let place = |i: f64, j: f64| (self.least_mm[0] + step_mm * i, self.least_mm[1] + step_mm * j);
        let mut mesh = Mesh::default();
        for j in 0..=ny {
            for i in 0..=nx {
                let (x, y) = place(f64::from(i), f64::from(j));
                mesh.vertices.push(Point::new(x, y, self.made_height(x, y, imperfect)));
            }
        }
        let at = |i: u32, j: u32| j * (nx + 1) + i;
        for j in 0..ny {
            for i in 0..nx {
                let [a, b, c, d] = [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)];
                // Split along the diagonal that the surface bends along, if it bends.
                let z = |corner: u32| mesh.vertices[corner as usize].z;
                let (x, y) = place(f64::from(i) + 0.5, f64::from(j) + 0.5);
                let middle = self.made_height(x, y, imperfect);
                let (first, second) = ((0.5 * (z(a) + z(c)) - middle).abs(), (0.5 * (z(b) + z(d)) - middle).abs());
                if first <= second {
                    mesh.facets.extend([[a, b, c], [a, c, d]]);
                } else {
                    mesh.facets.extend([[a, b, d], [b, c, d]]);
                }
            }
        }
        self.close(&mut mesh, nx, ny);
        mesh
    }

    /// Walls down to the bottom, and the bottom.
    fn close(&self, mesh: &mut Mesh, nx: u32, ny: u32) {
        let at = |i: u32, j: u32| j * (nx + 1) + i;
        // Round the plate, seen from above against the clock.
        let mut border: Vec<u32> = (0..nx).map(|i| at(i, 0)).collect();
        border.extend((0..ny).map(|j| at(nx, j)));
        border.extend((1..=nx).rev().map(|i| at(i, ny)));
        border.extend((1..=ny).rev().map(|j| at(0, j)));
        let first = mesh.vertices.len() as u32;
        for &corner in &border {
            let top = mesh.vertices[corner as usize];
            mesh.vertices.push(Point::new(top.x, top.y, -self.thickness_mm));
        }
        let hub = mesh.vertices.len() as u32;
        let middle = self.middle();
        mesh.vertices.push(Point::new(middle.x, middle.y, -self.thickness_mm));
        let count = border.len() as u32;
        for k in 0..count {
            let next = (k + 1) % count;
            let (top, top_next) = (border[k as usize], border[next as usize]);
            let (low, low_next) = (first + k, first + next);
            mesh.facets.extend([[top, low, low_next], [top, low_next, top_next], [hub, low_next, low]]);
        }
    }

    fn made_height(&self, x: f64, y: f64, imperfect: &Imperfect) -> f64 {
        let width = imperfect.rounding_mm;
        let sharp = |slot: &Slot| {
            let (edge, end) = slot.inside(x, y);
            // The ridge where both flanks meet is rounded too.
            let half = slot.half_width_mm;
            smooth_least(smooth_least(edge, half, width), end, width)
        };
        let depth = self.slots.iter().map(sharp).fold(0.0, |a, b| -smooth_least(-a, -b, width));
        let middle = self.middle();
        let reach = (self.greatest_mm[0] - middle.x).hypot(self.greatest_mm[1] - middle.y);
        let away = (x - middle.x).hypot(y - middle.y) / reach;
        -depth * self.slope() - imperfect.flatness_mm * away * away
    }
}

/// The lesser of two, both blended over about `width`.
fn smooth_least(a: f64, b: f64, width: f64) -> f64 {
    let near = (width - (a - b).abs()).max(0.0);
    a.min(b) - if width > 0.0 { 0.25 * near * near / width } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::{Surface, topology::Topology};

    #[test]
    fn the_mesh_is_closed_sharp_and_lies_on_the_drawing() {
        let drawing = Drawing::default();
        let mesh = drawing.mesh(2.0, &Imperfect::default());
        assert!(Topology::new(&mesh).is_closed());
        assert!(mesh.volume_mm3() > 0.0);
        let surface = Surface::new(mesh);
        for region in Region::ALL {
            let places = drawing.places_on(region, 200, 1.0);
            assert_eq!(places.len(), 200);
            for place in places {
                let hit = surface.closest_point(&place, 1.0).unwrap();
                assert!((hit.point - place).norm() < 1e-12, "{region:?} {place}");
                let normal = surface.mesh().normal(hit.facet as usize);
                assert!((normal - drawing.normal(region)).norm() < 1e-12, "{region:?} {place}");
            }
        }
    }

    #[test]
    fn rounding_and_flatness_stay_as_small_as_asked() {
        let drawing = Drawing::default();
        let imperfect = Imperfect { flatness_mm: 0.02, rounding_mm: 0.5 };
        let (mut most, mut on_faces) = (0.0_f64, 0.0_f64);
        for i in 0..200 {
            for j in 0..300 {
                let (x, y) = (-41.0 + 0.45 * f64::from(i), -87.0 + 0.47 * f64::from(j));
                let off = (drawing.made_height(x, y, &imperfect) - drawing.height_mm(x, y)).abs();
                most = most.max(off);
                if drawing.region_at(x, y, 1.0).is_some() {
                    on_faces = on_faces.max(off);
                }
            }
        }
        assert!(on_faces <= 0.02 && on_faces > 0.01, "{on_faces}");
        assert!(most > 0.05 && most < 0.15, "{most}");
    }
}
