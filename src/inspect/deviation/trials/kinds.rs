//! Kinds of defects, applied to a scan.

use super::scan::Scan;
use base::random::Random;
use geometry::{Point, Surface, Vector, transform};

/// Outline of a defect in the tangent plane.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Outline {
    /// A straight strip.
    #[default]
    Strip,
    /// A strip of three times the length that its area needs.
    LongStrip,
    /// A disc.
    Disc,
    /// A square.
    Square,
    /// A rectangle, twice as long as wide.
    Rectangle,
    /// A ring.
    Ring,
    /// Two strips in the form of an L.
    Angle,
    /// Two strips that cross.
    Cross,
    /// A strip along an arc.
    Arc,
    /// A strip with a step sideways.
    Zigzag,
}

impl Outline {
    const ALL: [Self; 10] = [
        Self::Strip,
        Self::LongStrip,
        Self::Disc,
        Self::Square,
        Self::Rectangle,
        Self::Ring,
        Self::Angle,
        Self::Cross,
        Self::Arc,
        Self::Zigzag,
    ];
}

/// What became of the surface within the outline.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Profile {
    /// Raised by the same everywhere: a land, a step.
    #[default]
    Raised,
    /// Sunk by the same everywhere: a dent, a groove.
    Sunk,
    /// Raised most in the middle: a ridge, a bump.
    Ridge,
    /// Sunk most in the middle: a notch.
    Notch,
    /// A hole whose bottom was measured, beyond the maximum distance.
    BrightHole,
    /// A hole without any points.
    DarkHole,
    /// A corner or rim that broke off; the fracture was measured.
    BrokenOff,
    /// The same, without points.
    Missing,
}

/// A kind of defect.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Kind {
    /// Its outline.
    pub outline: Outline,
    /// Its profile.
    pub profile: Profile,
}

/// The size of a defect: what of it lies beyond `height_mm` has at least this area and width.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wanted {
    pub area_mm2: f64,
    pub width_mm: f64,
    pub gap_mm: f64,
    pub height_mm: f64,
}

/// Depth of holes, mm: beyond the maximum distance.
const HOLE_DEPTH_MM: f64 = 3.0;
/// Attempts to find room for a defect.
const ATTEMPTS: usize = 80;
/// Minimum cosine between the normals within the room of a defect.
const MIN_COSINE: f64 = 0.9;

impl Kind {
    /// All kinds.
    pub fn all() -> impl Iterator<Item = Self> {
        let profiles = [Profile::Raised, Profile::Sunk, Profile::Ridge, Profile::Notch];
        let surfaces =
            Outline::ALL.into_iter().flat_map(move |outline| profiles.map(|profile| Self { outline, profile }));
        let compact = [Outline::Disc, Outline::Square, Outline::Rectangle];
        let holes = compact
            .into_iter()
            .flat_map(|outline| [Profile::BrightHole, Profile::DarkHole].map(|profile| Self { outline, profile }));
        let pieces = [Profile::BrokenOff, Profile::Missing].map(|profile| Self { outline: Outline::Disc, profile });
        surfaces.chain(holes).chain(pieces)
    }

    /// Number of kinds.
    pub fn count() -> usize {
        Self::all().count()
    }

    /// Its name.
    pub fn name(self) -> String {
        format!("{:?} {:?}", self.profile, self.outline).to_lowercase()
    }

    /// The measured points of a scan of a part with the defect; `None` if there is no room for it.
    pub(super) fn applied(
        self,
        scan: &Scan,
        noise_mm: &[f64],
        surface: &Surface,
        wanted: &Wanted,
        random: &mut Random,
    ) -> Option<Vec<Point>> {
        if matches!(self.profile, Profile::BrokenOff | Profile::Missing) {
            return self.broken(scan, noise_mm, surface, wanted);
        }
        let shape = Shape::new(self, wanted, random);
        let frame = Frame::with_room(scan, shape.reach_mm, random)?;
        let mut points = Vec::with_capacity(scan.samples.len());
        for (sample, noise_mm) in scan.samples.iter().zip(noise_mm) {
            let inside = frame.position(sample).and_then(|at| shape.depth_at(at));
            let moved_mm = match (inside, self.profile) {
                (None, _) => 0.0,
                (Some(_), Profile::DarkHole) => continue,
                (Some(_), Profile::BrightHole) => -HOLE_DEPTH_MM,
                (Some(_), Profile::Raised) => wanted.height_mm,
                (Some(_), Profile::Sunk) => -wanted.height_mm,
                (Some(inner), Profile::Notch) => -wanted.height_mm * (1.0 + inner),
                (Some(inner), _) => wanted.height_mm * (1.0 + inner),
            };
            points.push(sample.point + sample.normal * (noise_mm + moved_mm));
        }
        Some(points)
    }

    /// The part beyond a plane is missing, at the end of its longest side.
    fn broken(self, scan: &Scan, noise_mm: &[f64], surface: &Surface, wanted: &Wanted) -> Option<Vec<Point>> {
        let size = surface.bounds().max - surface.bounds().min;
        let deep_mm = (wanted.gap_mm).max(2.0 * wanted.height_mm).max(wanted.area_mm2.sqrt()).max(wanted.width_mm);
        let direction = Vector::new(size.x.signum(), size.y.signum(), size.z.signum()).normalize();
        let farthest = scan.samples.iter().map(|own| own.point.coords.dot(&direction)).fold(f64::MIN, f64::max);
        let from = farthest - 2.0 * deep_mm;
        let kept = |point: &Point| point.coords.dot(&direction) <= from;
        if scan.samples.iter().filter(|own| kept(&own.point)).count() < scan.samples.len() / 2 {
            return None;
        }
        let mut points = Vec::with_capacity(scan.samples.len());
        for (sample, noise_mm) in scan.samples.iter().zip(noise_mm) {
            if kept(&sample.point) {
                points.push(sample.point + sample.normal * *noise_mm);
            } else if self.profile == Profile::BrokenOff {
                let beyond = sample.point.coords.dot(&direction) - from;
                points.push(sample.point + direction * (noise_mm - beyond));
            }
        }
        Some(points)
    }
}

/// The outline with its sizes, mm.
struct Shape {
    outline: Outline,
    width_mm: f64,
    length_mm: f64,
    /// Radius of the mean line of a ring or an arc.
    radius_mm: f64,
    reach_mm: f64,
    turn_rad: f64,
}

impl Shape {
    fn new(kind: Kind, wanted: &Wanted, random: &mut Random) -> Self {
        let is_dark = kind.profile == Profile::DarkHole;
        let (area_mm2, width_mm) = if is_dark {
            // A gap is as wide as stated in every direction.
            (wanted.gap_mm.powi(2), wanted.gap_mm)
        } else {
            (wanted.area_mm2, wanted.width_mm)
        };
        let strip_mm = (area_mm2 / width_mm).max(width_mm);
        let (width_mm, length_mm, radius_mm, reach_mm) = match kind.outline {
            Outline::Strip => (width_mm, strip_mm, 0.0, 0.5 * strip_mm.hypot(width_mm)),
            Outline::LongStrip => (width_mm, 3.0 * strip_mm, 0.0, 1.5 * strip_mm.hypot(width_mm)),
            Outline::Disc => {
                let radius_mm = (area_mm2 / std::f64::consts::PI).sqrt().max(0.5 * width_mm);
                (2.0 * radius_mm, 2.0 * radius_mm, 0.0, radius_mm)
            }
            Outline::Square => {
                let side_mm = area_mm2.sqrt().max(width_mm);
                (side_mm, side_mm, 0.0, std::f64::consts::FRAC_1_SQRT_2 * side_mm)
            }
            Outline::Rectangle => {
                let side_mm = (0.5 * area_mm2).sqrt().max(width_mm);
                (side_mm, 2.0 * side_mm, 0.0, 1.12 * side_mm)
            }
            Outline::Ring => {
                let radius_mm = (strip_mm / std::f64::consts::TAU).max(0.5 * width_mm);
                (width_mm, 0.0, radius_mm, radius_mm + 0.5 * width_mm)
            }
            Outline::Arc => {
                let radius_mm = (strip_mm / std::f64::consts::PI).max(width_mm);
                (width_mm, 0.0, radius_mm, radius_mm + 0.5 * width_mm)
            }
            Outline::Angle | Outline::Cross | Outline::Zigzag => {
                let arm_mm = 0.5 * strip_mm + width_mm;
                (width_mm, arm_mm, 0.0, arm_mm + width_mm)
            }
        };
        let turn_rad = random.range(0.0, std::f64::consts::TAU);
        Self { outline: kind.outline, width_mm, length_mm, radius_mm, reach_mm, turn_rad }
    }

    /// How far inside the outline a position is, 0 to 1 in its middle; `None` outside.
    fn depth_at(&self, [x, y]: [f64; 2]) -> Option<f64> {
        let (sin, cos) = self.turn_rad.sin_cos();
        let (x, y) = (cos * x + sin * y, cos * y - sin * x);
        let half = 0.5 * self.width_mm;
        // Distance inside a rectangle from its nearest side.
        let inside = |x: f64, y: f64, length: f64, width: f64| (0.5 * length - x.abs()).min(0.5 * width - y.abs());
        let (length, width) = (self.length_mm, self.width_mm);
        let depth_mm = match self.outline {
            Outline::Strip | Outline::LongStrip | Outline::Square | Outline::Rectangle => inside(x, y, length, width),
            Outline::Disc => half - x.hypot(y),
            Outline::Ring => half - (x.hypot(y) - self.radius_mm).abs(),
            Outline::Arc if y < 0.0 => -1.0,
            Outline::Arc => half - (x.hypot(y) - self.radius_mm).abs(),
            Outline::Angle => {
                inside(x - 0.5 * length + half, y, length, width).max(inside(x, y - 0.5 * length + half, width, length))
            }
            Outline::Cross => inside(x, y, length, width).max(inside(x, y, width, length)),
            Outline::Zigzag => inside(x - 0.5 * length, y - 0.25 * width, length + width, width).max(inside(
                x + 0.5 * length,
                y + 0.25 * width,
                length + width,
                width,
            )),
        };
        (depth_mm >= 0.0).then(|| (depth_mm / half).min(1.0))
    }
}

/// A tangent plane.
struct Frame {
    origin: Point,
    axes: [Vector; 2],
    normal: Vector,
    reach_mm: f64,
}

impl Frame {
    /// A place where the surface is smooth and measured within this reach.
    fn with_room(scan: &Scan, reach_mm: f64, random: &mut Random) -> Option<Self> {
        // Up to its border, so that a rim remains.
        let room_mm = reach_mm + 4.0 * scan.spacing_mm;
        let expected = std::f64::consts::PI * (room_mm / scan.spacing_mm).powi(2);
        (0..ATTEMPTS).find_map(|_| {
            let index = (random.uniform() * scan.samples.len() as f64) as usize;
            let middle = scan.samples.get(index)?;
            let (mut count, mut is_smooth) = (0, true);
            scan.tree.within_radius(&middle.point, room_mm, |near| {
                let own = &scan.samples[near.number as usize];
                let is_same = own.normal.dot(&middle.normal) > MIN_COSINE;
                let is_opposite = own.normal.dot(&middle.normal) < -MIN_COSINE;
                count += usize::from(is_same);
                is_smooth &= is_same || is_opposite;
            });
            let has_room = is_smooth && f64::from(count as u32) > 0.85 * expected;
            let axes = transform::perpendicular_axes(&middle.normal);
            has_room.then_some(Self { origin: middle.point, axes, normal: middle.normal, reach_mm })
        })
    }

    /// Position of a sample in the plane, mm; `None` if it lies elsewhere.
    fn position(&self, sample: &geometry::sampling::SurfaceSample) -> Option<[f64; 2]> {
        let offset = sample.point - self.origin;
        let is_here = offset.norm() <= 1.5 * self.reach_mm && sample.normal.dot(&self.normal) > 0.5;
        is_here.then(|| self.axes.map(|axis| offset.dot(&axis)))
    }
}
