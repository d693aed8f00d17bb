//! How a candidate lies to the floor and the walls: what reaches through them cannot be there, and what rests on them is more
//! likely there than what would hover.

use super::background::Support;
use super::model::PartModel;
use super::placement::Placement;
use super::scene::Scene;

/// Share of the points on a candidate, and fewest of them, that lie behind a floor or wall where it is none: nothing is measured
/// behind one, so that a plane that was guessed refutes nothing that is seen there.
const MAX_BEHIND: f64 = 0.03;
const MIN_BEHIND_POINTS: usize = 30;

/// How near a part counts as resting, and from where on as hovering, as shares of its diameter.
const RESTING: f64 = 4e-3;
const HOVERING: f64 = 0.02;

/// How a part lies to the floor and the walls.
pub struct OnSupport {
    /// Greatest share of it behind one of them.
    pub through: f64,
    /// Whether it touches one.
    pub rests: bool,
    /// Whether it is clear of all that are seen beneath or beside it. Others may carry it.
    pub hovers: bool,
}

impl OnSupport {
    /// Of a part's shape in a scene, with the indices of the scene's points on it; points up to a tolerance, mm, behind a support
    /// are none in it.
    pub fn of(model: &PartModel<'_>, scene: &Scene, placement: &Placement, points: &[u32], tolerance_mm: f64) -> Self {
        let mut on_support = Self { through: 0.0, rests: false, hovers: true };
        let is_behind = |support: &Support, index: u32| {
            support.height_mm(&scene.points[index as usize].point).is_some_and(|height_mm| height_mm < -tolerance_mm)
        };
        for support in &scene.supports {
            let behind = points.iter().filter(|&&index| is_behind(support, index)).count();
            if behind >= MIN_BEHIND_POINTS && behind as f64 > MAX_BEHIND * points.len() as f64 {
                continue;
            }
            let probes = model.probes.points.iter();
            let heights_mm = probes.filter_map(|probe| support.height_mm(&placement.in_scene(&probe.point)));
            let (mut lowest_mm, mut count) = (f64::INFINITY, 0);
            for height_mm in heights_mm {
                lowest_mm = lowest_mm.min(height_mm);
                count += usize::from(height_mm < -tolerance_mm);
            }
            on_support.through = on_support.through.max(count as f64 / model.probes.points.len() as f64);
            on_support.rests |= lowest_mm.abs() < (RESTING * model.diameter_mm).max(3.0 * scene.noise_mm);
            on_support.hovers &= lowest_mm > HOVERING * model.diameter_mm;
        }
        on_support
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simulation::pile;
    use base::Progress;
    use compute::cpu::Cpu;
    use geometry::mesh::shapes;
    use geometry::{Point, Pose, Surface, Vector};

    #[test]
    fn what_rests_hovers_or_reaches_through_the_floor_is_told() {
        let block = Surface::new(shapes::cuboid(Point::new(0.0, 0.0, 0.0), Point::new(60.0, 40.0, 20.0)));
        let parameters = pile::Parameters::for_parts(1, 75.0, 3);
        let from = Vector::new(0.2, 0.1, 1.0).normalize();
        let placed = [(0, Pose::identity())];
        let pile = pile::scan(&[&block], &placed, &from, &parameters, &Progress::silent()).unwrap();
        let scene = Scene::new(&Cpu, &pile.cloud, 75.0, &Progress::silent()).unwrap();
        let model = PartModel::new("block", &block).unwrap();
        let at =
            |z_mm: f64| OnSupport::of(&model, &scene, &Placement::rigid(&Pose::translation(0.0, 0.0, z_mm)), &[], 0.5);
        let [resting, hovering, sunk] = [0.0, 5.0, -5.0].map(at);
        assert!(resting.rests && !resting.hovers && resting.through == 0.0);
        assert!(!hovering.rests && hovering.hovers && hovering.through == 0.0);
        assert!(!sunk.rests && !sunk.hovers && sunk.through > 0.1);
    }
}
