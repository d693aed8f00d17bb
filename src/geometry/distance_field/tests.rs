use super::*;
use crate::{Aabb, Vector};

/// All samples of one depth everywhere, of the distance to a sphere.
fn ball(depth: u32) -> (DistanceField, f64) {
    let radius_mm = 7.0;
    let bounds = Aabb { min: Point::new(-7.0, -7.0, -7.0), max: Point::new(7.0, 7.0, 7.0) };
    let mut grid = FieldGrid::around(&bounds, 5.0, 64);
    grid.depth = depth;
    grid.roots = [2 << (2 - depth); 3];
    grid.origin = Point::origin() - 0.5 * Vector::from(grid.size().map(f64::from)) * grid.spacing_mm;
    let mut field = DistanceField::new(grid, vec![Node::new(CellState::Empty, 0); grid.root_count()], Vec::new());
    fn divide(field: &mut DistanceField, min: [u32; 3], level: u32, distance: &dyn Fn(Point) -> f64) -> Node {
        if level == 0 {
            let at = |number: usize| {
                let index = [number % 9, number / 9 % 9, number / 81];
                field.grid.position(std::array::from_fn(|axis| f64::from(min[axis]) + index[axis] as f64))
            };
            let samples = std::array::from_fn(|number| distance(at(number)));
            pack(&samples, field.grid.unit_mm(), &mut field.words);
            return Node::new(CellState::Boundary, field.bricks() - 1);
        }
        let first = field.nodes.len();
        field.nodes.resize(first + 8, Node::new(CellState::Empty, 0));
        for child in 0..8 {
            let own = std::array::from_fn(|axis| min[axis] + ((child >> axis & 1) << (level - 1)) * BRICK);
            field.nodes[first + child as usize] = divide(field, own, level - 1, distance);
        }
        Node::new(CellState::Branch, first)
    }
    for root in 0..grid.root_count() {
        field.nodes[root] = divide(&mut field, grid.root_min(root), depth, &|at| at.coords.norm() - radius_mm);
    }
    (field, radius_mm)
}

#[test]
fn distances_are_interpolated_alike_at_every_depth() {
    for depth in 0..3 {
        let (field, radius_mm) = ball(depth);
        let spacing_mm = field.grid().spacing_mm;
        for number in 0..4000_u32 {
            let share = |step: u32| f64::from(number.wrapping_mul(step) % 1013) / 1013.0;
            let at = Point::new(share(7), share(131), share(599)) * 22.0 - Vector::repeat(11.0);
            let truth = at.coords.norm() - radius_mm;
            if truth.abs() > field.grid().reach_mm {
                continue;
            }
            let Reading::Distance(mm) = field.read(&at) else { panic!("{at}") };
            // Linear interpolation of a distance d from a point is off by at most 3 h² / 8 d.
            let bound = 3.0 * spacing_mm.powi(2) / (8.0 * at.coords.norm().max(spacing_mm)) + field.grid().unit_mm();
            assert!((mm - truth).abs() < bound + 1e-5, "{at} {mm} {truth} {bound}");
        }
    }
}

#[test]
fn rays_hit_spheres_where_they_should() {
    let (field, radius_mm) = ball(2);
    let grid = *field.grid();
    let centre = ((Point::origin() - grid.origin) / grid.spacing_mm).map(|c| c as f32);
    let mut hits = 0;
    for number in 0..2000_u32 {
        let angle = f64::from(number) * 2.399_963;
        let height = f64::from(number) / 1000.0 - 1.0;
        let flat = (1.0 - height * height).sqrt();
        let out = nalgebra::Vector3::new(flat * angle.cos(), flat * angle.sin(), height).cast::<f32>();
        let sideways = out.cross(&nalgebra::Vector3::new(0.3, 0.5, 0.81)).normalize();
        let off = (number % 97) as f32 / 97.0 * 12.0 / grid.spacing_mm as f32;
        let origin = centre + out * 200.0 + sideways * off;
        for distance_mm in [-2.0, 0.0, 3.5] {
            let radius = ((radius_mm + distance_mm) / grid.spacing_mm) as f32;
            let ray = Ray { origin: origin.into(), direction: (-out).into(), cut: None };
            let hit = field.march(&ray, (distance_mm / grid.spacing_mm) as f32);
            if (off - radius).abs() < 0.6 {
                continue;
            }
            let expected = (off < radius).then(|| 200.0 - (radius * radius - off * off).sqrt());
            assert_eq!(hit.is_some(), expected.is_some(), "{number} {distance_mm} {off} {radius}");
            if let (Some(hit), Some(t)) = (hit, expected) {
                hits += 1;
                assert!((hit.t - t).abs() < 0.12 && !hit.is_section, "{hit:?} {t} {off} {radius}");
            }
        }
    }
    assert!(hits > 2000, "{hits}");
    // Cut through the middle: a section, or what is behind it.
    let ray = Ray {
        origin: (centre + nalgebra::Vector3::new(0.0, 0.0, 90.0)).into(),
        direction: [0.0, 0.0, -1.0],
        cut: None,
    };
    let plane = [0.0, 0.0, -1.0, centre.z];
    let hit = field.march(&Ray { cut: Some(plane), ..ray }, 0.0).unwrap();
    assert!(hit.is_section && (hit.t - 90.0).abs() < 1e-3, "{hit:?}");
    let kept_above = field.march(&Ray { cut: Some(plane.map(|value| -value)), ..ray }, 0.0).unwrap();
    assert!(!kept_above.is_section && (kept_above.t - 90.0 + (radius_mm / grid.spacing_mm) as f32).abs() < 0.1);
}
