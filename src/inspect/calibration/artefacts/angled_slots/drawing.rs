//! Drawing of the artefact with angled slots: a plate with a long slot along Y and a short one along X, cut with a 120
//! degree double-angle cutter, and a small slot in one corner that makes every orientation distinguishable from the
//! others and from its mirror image.

use super::super::drawn::{self, Drawn, Imperfect, smooth_min};
use super::Region;
use geometry::{Mesh, Point, Vector};

/// A slot: two flanks that slope down towards its centre line, closed at both ends by ramps of the same slope.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Slot {
    /// Whether it runs along Y; otherwise along X.
    pub along_y: bool,
    /// Position of its centre line: X if it runs along Y, otherwise Y, mm.
    pub middle_mm: f64,
    /// Start and end along its direction, mm.
    pub from_to_mm: [f64; 2],
    /// Half width at the plate's surface, mm.
    pub half_width_mm: f64,
}

/// The whole artefact in its own frame: the origin is where the long and the short slot cross, Z points out of the
/// plate.
#[derive(Clone, Debug, PartialEq)]
pub struct Drawing {
    /// Corner of the plate with minimum X and Y, mm.
    pub least_mm: [f64; 2],
    /// Corner of the plate with maximum X and Y, mm.
    pub greatest_mm: [f64; 2],
    /// Thickness of the plate, mm.
    pub thickness_mm: f64,
    /// Slope of the flanks relative to the plate, degrees: 30 for a 120 degree cutter.
    pub flank_deg: f64,
    /// The long slot, the short slot, and the small slot that marks the orientation.
    pub slots: [Slot; 3],
}

impl Default for Drawing {
    /// 92 x 144 mm, slots 20 mm wide: fills the field of a sensor with a field of view of 75 x 131 mm.
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
    /// Distances of a position from the nearer edge and the nearer end, mm; negative outside.
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
    /// Nominal height of the surface, mm; 0 on the plate.
    pub fn height_mm(&self, x: f64, y: f64) -> f64 {
        let deepest = self.slots.iter().map(|slot| slot.depth(x, y)).fold(0.0, f64::max);
        -deepest * self.slope()
    }

    fn slope(&self) -> f64 {
        self.flank_deg.to_radians().tan()
    }

    /// Point that the sensor is aimed at: the centre of the plate.
    pub fn view_centre(&self) -> Point {
        let centre = |axis: usize| 0.5 * (self.least_mm[axis] + self.greatest_mm[axis]);
        Point::new(centre(0), centre(1), 0.0)
    }

    /// Face at a position that is at least `margin_mm` from every edge; `None` elsewhere and on faces that are not
    /// measured.
    pub fn region_at(&self, x: f64, y: f64, margin_mm: f64) -> Option<Region> {
        let depths = self.slots.map(|slot| slot.depth(x, y));
        if depths.iter().all(|depth| *depth < -margin_mm) {
            let on_plate = (self.least_mm[0] + margin_mm..self.greatest_mm[0] - margin_mm).contains(&x)
                && (self.least_mm[1] + margin_mm..self.greatest_mm[1] - margin_mm).contains(&y);
            return on_plate.then_some(if x < self.slots[0].middle_mm { Region::LP } else { Region::RP });
        }
        let flank = |own: usize, other: usize, across: f64, low: Region, high: Region| {
            let (edge, end) = self.slots[own].inside(x, y);
            let offset = across - self.slots[own].middle_mm;
            let clear = edge > margin_mm
                && offset.abs() > margin_mm
                && end > edge + margin_mm
                && edge > depths[other] + margin_mm;
            clear.then_some(if offset < 0.0 { low } else { high })
        };
        flank(0, 1, x, Region::LL, Region::LR).or_else(|| flank(1, 0, y, Region::SL, Region::SU))
    }

    /// Outward unit normal of a region.
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

    /// About `count` points on a region, evenly spread, at least `margin_mm` from its edges.
    pub fn points_on(&self, region: Region, count: usize, margin_mm: f64) -> Vec<Point> {
        let on_region = |x: f64, y: f64| self.region_at(x, y, margin_mm) == Some(region);
        let lattice = drawn::lattice(self.least_mm, self.greatest_mm).filter(|&(x, y)| on_region(x, y));
        drawn::spread(&lattice.map(|(x, y)| Point::new(x, y, self.height_mm(x, y))).collect::<Vec<_>>(), count)
    }

    /// The artefact as a closed mesh. Edges come out sharp only if `step_mm` divides every length of the drawing.
    pub fn mesh(&self, step_mm: f64, imperfect: &Imperfect) -> Mesh {
        let height = |x: f64, y: f64| self.manufactured_height_mm(x, y, imperfect);
        drawn::plate([self.least_mm, self.greatest_mm], self.thickness_mm, step_mm, &height)
    }

    fn manufactured_height_mm(&self, x: f64, y: f64, imperfect: &Imperfect) -> f64 {
        let width = imperfect.rounding_mm;
        let rounded_depth = |slot: &Slot| {
            let (edge, end) = slot.inside(x, y);
            // The bottom, where both flanks meet, is rounded too.
            let half = slot.half_width_mm;
            smooth_min(smooth_min(edge, half, width), end, width)
        };
        let depth = self.slots.iter().map(rounded_depth).fold(0.0, |a, b| -smooth_min(-a, -b, width));
        -depth * self.slope() + imperfect.height_error_mm(x, y, [self.least_mm, self.greatest_mm])
    }
}

impl Drawn for Drawing {
    fn mesh(&self, imperfect: &Imperfect) -> Mesh {
        // Flatness deviations and rounding need a finer mesh than flat faces and sharp edges.
        let is_ideal = *imperfect == Imperfect::default();
        self.mesh(if is_ideal { 2.0 } else { 0.25 }, imperfect)
    }

    fn view_centre(&self) -> Point {
        self.view_centre()
    }

    fn region_at(&self, point: &Point, margin_mm: f64) -> Option<usize> {
        self.region_at(point.x, point.y, margin_mm).map(|region| region as usize)
    }

    fn touches(&self, region: usize, count: usize) -> Vec<(Point, Vector)> {
        let region = Region::ALL[region];
        self.points_on(region, count, 2.0).into_iter().map(|point| (point, self.normal(region))).collect()
    }

    fn height_error_mm(&self, x: f64, y: f64, imperfect: &Imperfect) -> f64 {
        imperfect.height_error_mm(x, y, [self.least_mm, self.greatest_mm])
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
            let points = drawing.points_on(region, 200, 1.0);
            assert_eq!(points.len(), 200);
            for point in points {
                let hit = surface.closest_point(&point, 1.0).unwrap();
                assert!((hit.point - point).norm() < 1e-12, "{region:?} {point}");
                let normal = surface.mesh().normal(hit.facet as usize);
                assert!((normal - drawing.normal(region)).norm() < 1e-12, "{region:?} {point}");
            }
        }
    }

    #[test]
    fn rounding_and_flatness_stay_as_small_as_asked() {
        let drawing = Drawing::default();
        let imperfect = Imperfect { flatness_mm: 0.02, rounding_mm: 0.5, ..Imperfect::default() };
        let (mut max_error, mut max_on_faces) = (0.0_f64, 0.0_f64);
        for i in 0..200 {
            for j in 0..300 {
                let (x, y) = (-41.0 + 0.45 * f64::from(i), -87.0 + 0.47 * f64::from(j));
                let error = (drawing.manufactured_height_mm(x, y, &imperfect) - drawing.height_mm(x, y)).abs();
                max_error = max_error.max(error);
                if drawing.region_at(x, y, 1.0).is_some() {
                    max_on_faces = max_on_faces.max(error);
                }
            }
        }
        assert!(max_on_faces <= 0.02 && max_on_faces > 0.01, "{max_on_faces}");
        assert!(max_error > 0.05 && max_error < 0.15, "{max_error}");
    }
}
