//! The artefact with angled slots as it is drawn: a plate with a long slot along Y and a short one along X, cut with a
//! double-edged cutter of 120 degrees, and a small slot in one corner that tells every way of laying it apart from the
//! others and from its mirror image.

use super::super::drawn::{self, Drawn, Imperfect, smooth_least};
use super::Region;
use geometry::{Mesh, Point, Vector};

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
        let on_region = |x: f64, y: f64| self.region_at(x, y, margin_mm) == Some(region);
        let lattice = drawn::lattice(self.least_mm, self.greatest_mm).filter(|&(x, y)| on_region(x, y));
        drawn::spread(&lattice.map(|(x, y)| Point::new(x, y, self.height_mm(x, y))).collect::<Vec<_>>(), count)
    }

    /// The artefact as a closed mesh. `step_mm` must divide every length of the drawing for edges to come out sharp.
    pub fn mesh(&self, step_mm: f64, imperfect: &Imperfect) -> Mesh {
        let height = |x: f64, y: f64| self.made_height(x, y, imperfect);
        drawn::plate([self.least_mm, self.greatest_mm], self.thickness_mm, step_mm, &height)
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
        -depth * self.slope() + imperfect.above(x, y, [self.least_mm, self.greatest_mm])
    }
}

impl Drawn for Drawing {
    fn mesh(&self, imperfect: &Imperfect) -> Mesh {
        // Flatness and rounding need a finer mesh than flat faces and sharp edges.
        let is_ideal = *imperfect == Imperfect::default();
        self.mesh(if is_ideal { 2.0 } else { 0.25 }, imperfect)
    }

    fn middle(&self) -> Point {
        self.middle()
    }

    fn region_at(&self, place: &Point, margin_mm: f64) -> Option<usize> {
        self.region_at(place.x, place.y, margin_mm).map(|region| region as usize)
    }

    fn touches(&self, region: usize, count: usize) -> Vec<(Point, Vector)> {
        let region = Region::ALL[region];
        self.places_on(region, count, 2.0).into_iter().map(|place| (place, self.normal(region))).collect()
    }

    fn off_drawing(&self, x: f64, y: f64, imperfect: &Imperfect) -> f64 {
        imperfect.above(x, y, [self.least_mm, self.greatest_mm])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use geometry::{Surface, topology::Topology};

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
        let imperfect = Imperfect { flatness_mm: 0.02, rounding_mm: 0.5, ..Imperfect::default() };
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
