//! Positions on the part that lists lead to.

use super::Viewport;
use geometry::{Point, Surface, Vector};
use inspect::parts::Nominal;

/// A spot on the part to be shown, nominal frame.
#[derive(Clone, Debug)]
pub struct Spot {
    /// Name in the list that it was chosen from.
    pub name: String,
    /// Position, mm.
    pub at: Point,
    /// Radius of the area of interest, mm.
    pub radius_mm: f64,
}

impl Viewport {
    /// Moves the camera to a spot on the part, looking along the surface normal or past what lies before it, and marks
    /// it.
    pub fn fly_to(&mut self, spot: Spot, nominal: Option<&Nominal>) {
        let at = spot.at;
        let outward = nominal.and_then(|nominal| open_direction(&nominal.surface, &at));
        let radius = (1.5 * spot.radius_mm).max(0.03 * self.bounds.diagonal());
        self.camera.fly_to(&at, radius, outward);
        self.auto_fit = false;
        self.spot = Some(spot);
    }

    /// The spot shown last, while its measurement is shown.
    pub fn spot(&self) -> Option<&Spot> {
        self.spot.as_ref()
    }
}

/// The direction from which a point of a surface is seen, as close to its normal as possible.
fn open_direction(surface: &Surface, at: &Point) -> Option<Vector> {
    let hit = surface.closest_point(at, f64::INFINITY)?;
    let normal = surface.pseudo_normal(hit.facet, hit.feature).try_normalize(0.0)?;
    let step =
        |number: i32| Vector::new(f64::from(number % 5 - 2), f64::from(number / 5 % 5 - 2), f64::from(number / 25 - 2));
    let mut directions: Vec<Vector> = (0..125).filter_map(|number| step(number).try_normalize(0.0)).collect();
    directions.sort_by(|a, b| b.dot(&normal).total_cmp(&a.dot(&normal)));
    let start = at + normal * (1e-5 * surface.bounds().diagonal());
    let is_open = |direction: &Vector| !surface.is_hit(&start, direction, [0.0, f64::INFINITY]);
    // More obliquely nothing would be recognised.
    let mut seen = std::iter::once(normal).chain(directions).take_while(|direction| direction.dot(&normal) > 0.1);
    Some(seen.find(is_open).unwrap_or(normal))
}
