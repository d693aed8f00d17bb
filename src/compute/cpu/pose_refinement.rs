//! Many poses of a part brought onto a scene, on the CPU. Sums run in the lanes of the device's threads and are added in
//! its order, so both give the same poses to the bit.

use nalgebra::{Quaternion, UnitQuaternion};
use rayon::prelude::*;

use crate::pose_refinement::{DAMPING, LANES, MEMBER_GATE, MIN_POINTS, NARROWING, Refined, Request};
use base::{Progress, Result};
use geometry::nearest_facets::Near;
use geometry::point_pairs::OrientedPoint;
use geometry::{Point, Pose, Vector};

/// Upper triangle of the normal matrix by rows, gradient, weighted squares, weights, points.
const HESSIAN: usize = 21;
const TERMS: usize = 30;

pub(crate) fn run(request: &Request<'_>, progress: &Progress) -> Result<Vec<Option<Refined>>> {
    let counter = progress.counter(request.part_from_scene.len(), "Fitting poses");
    let fitted =
        request.part_from_scene.par_iter().map(|start| counter.step().then(|| refine(request, start))?).collect();
    progress.check()?;
    Ok(fitted)
}

fn refine(request: &Request<'_>, start: &Pose) -> Option<Refined> {
    let members = members(request, start);
    let mut pose = *start;
    let mut last = None;
    let mut gate_mm = request.gates_mm[0];
    for _ in 0..request.max_steps {
        let sums = totals(request, &members, &pose, gate_mm);
        if sums[29] < MIN_POINTS || sums[28] <= 0.0 {
            return None;
        }
        let mut step = solve(&sums);
        let turn = (step[0] * step[0] + step[1] * step[1] + step[2] * step[2]).sqrt();
        let shift = (step[3] * step[3] + step[4] * step[4] + step[5] * step[5]).sqrt();
        let length_mm = shift + turn * request.radius_mm;
        if length_mm > gate_mm {
            // Points within the gate tell nothing of what lies beyond.
            step = step.map(|own| own * (gate_mm / length_mm));
        }
        pose = moved(&pose, &request.centre.coords, &step);
        last = Some(Refined { part_from_scene: pose, rms_mm: (sums[27] / sums[28]).sqrt(), used: sums[29] as usize });
        if length_mm < request.step_limit_mm && gate_mm <= request.gates_mm[1] {
            break;
        }
        gate_mm = (gate_mm * NARROWING).max(request.gates_mm[1]);
    }
    last
}

/// The points of the scene around the part, evenly thinned.
fn members(request: &Request<'_>, pose: &Pose) -> Vec<OrientedPoint> {
    let gate_mm = MEMBER_GATE * request.gates_mm[0];
    let reach_mm2 = (request.radius_mm + gate_mm) * (request.radius_mm + gate_mm);
    let is_near = |own: &&OrientedPoint| {
        let point = pose * own.point;
        let from_centre = point - request.centre;
        from_centre.dot(&from_centre) <= reach_mm2 && near(request, &point, gate_mm).is_some()
    };
    let near: Vec<&OrientedPoint> = request.scene.iter().filter(is_near).collect();
    let step = near.len().div_ceil(request.max_points).max(1);
    near.into_iter().step_by(step).copied().collect()
}

fn near(request: &Request<'_>, point: &Point, gate_mm: f64) -> Option<Near> {
    if !request.is_rough {
        return request.lattice.nearest(point, gate_mm);
    }
    request.lattice.about_nearest(point).filter(|near| near.squared_mm2 <= gate_mm * gate_mm)
}

fn totals(request: &Request<'_>, members: &[OrientedPoint], pose: &Pose, gate_mm: f64) -> [f64; TERMS] {
    let mut lanes = [[0.0; TERMS]; LANES];
    for (index, own) in members.iter().enumerate() {
        add(request, own, pose, gate_mm, &mut lanes[index % LANES]);
    }
    // Warps of 32 first, each by halves; then the warps in order.
    for warp in lanes.chunks_exact_mut(32) {
        let mut offset = 16;
        while offset > 0 {
            for lane in 0..offset {
                for term in 0..TERMS {
                    warp[lane][term] += warp[lane + offset][term];
                }
            }
            offset /= 2;
        }
    }
    let mut sums = [0.0; TERMS];
    for warp in lanes.chunks_exact(32) {
        for term in 0..TERMS {
            sums[term] += warp[0][term];
        }
    }
    sums
}

fn add(request: &Request<'_>, own: &OrientedPoint, pose: &Pose, gate_mm: f64, sums: &mut [f64; TERMS]) {
    let point = pose * own.point;
    let Some(near) = near(request, &point, gate_mm) else { return };
    let relative = near.squared_mm2 / (gate_mm * gate_mm);
    let cosine = near.cosine(&(pose.rotation * own.normal), request.oriented);
    if relative >= 1.0 || cosine < request.min_cosine {
        return;
    }
    let distance = near.squared_mm2.sqrt();
    // On rims the distance grows away from them, not along the normal.
    let (direction, residual) = match near.is_inside || distance == 0.0 {
        true => (near.normal, near.normal.dot(&near.away)),
        false => (near.away / distance, distance),
    };
    let weight = (1.0 - relative) * (1.0 - relative);
    let moment = (point - request.centre).cross(&direction);
    let row = [moment.x, moment.y, moment.z, direction.x, direction.y, direction.z];
    let mut term = 0;
    for i in 0..6 {
        let weighted = weight * row[i];
        for j in i..6 {
            sums[term] += weighted * row[j];
            term += 1;
        }
        sums[HESSIAN + i] += weighted * residual;
    }
    sums[27] += weight * residual * residual;
    sums[28] += weight;
    sums[29] += 1.0;
}

/// The damped step, by Cholesky factors: rotation about the centre, rad, and translation, mm.
fn solve(sums: &[f64; TERMS]) -> [f64; 6] {
    let mut factor = [[0.0; 6]; 6];
    let mut term = 0;
    for i in 0..6 {
        for j in i..6 {
            factor[j][i] = sums[term];
            term += 1;
        }
    }
    for i in 0..6 {
        // What no point sees keeps a factor of its own.
        factor[i][i] = factor[i][i] * (1.0 + DAMPING) + 1e-12;
    }
    for j in 0..6 {
        for k in 0..j {
            for i in j..6 {
                factor[i][j] -= factor[i][k] * factor[j][k];
            }
        }
        let root = factor[j][j].max(1e-12).sqrt();
        for i in j..6 {
            factor[i][j] /= root;
        }
        factor[j][j] = root;
    }
    let mut step = [0.0; 6];
    for i in 0..6 {
        let mut sum = -sums[HESSIAN + i];
        for k in 0..i {
            sum -= factor[i][k] * step[k];
        }
        step[i] = sum / factor[i][i];
    }
    for i in (0..6).rev() {
        let mut sum = step[i];
        for k in i + 1..6 {
            sum -= factor[k][i] * step[k];
        }
        step[i] = sum / factor[i][i];
    }
    step
}

/// A pose after a step about `centre`.
fn moved(pose: &Pose, centre: &Vector, step: &[f64; 6]) -> Pose {
    let half = [0.5 * step[0], 0.5 * step[1], 0.5 * step[2]];
    let length = (1.0 + half[0] * half[0] + half[1] * half[1] + half[2] * half[2]).sqrt();
    let (w, x, y, z) = (1.0 / length, half[0] / length, half[1] / length, half[2] / length);
    let turn = UnitQuaternion::new_unchecked(Quaternion::new(w, x, y, z));
    let own = pose.rotation.coords;
    let product = [
        w * own.x + x * own.w + y * own.z - z * own.y,
        w * own.y - x * own.z + y * own.w + z * own.x,
        w * own.z + x * own.y - y * own.x + z * own.w,
        w * own.w - x * own.x - y * own.y - z * own.z,
    ];
    let [i, j, k, real] = product;
    let length = (i * i + j * j + k * k + real * real).sqrt();
    let rotation = Quaternion::new(real / length, i / length, j / length, k / length);
    let translation = turn * (pose.translation.vector - centre) + centre + Vector::new(step[3], step[4], step[5]);
    Pose::from_parts(translation.into(), UnitQuaternion::new_unchecked(rotation))
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::random::Random;
    use geometry::mesh::shapes;
    use geometry::{NearestFacets, Surface, sampling};

    fn one_step<'a>(
        lattice: &'a NearestFacets<'a>,
        centre: Point,
        scene: &'a [OrientedPoint],
        starts: &'a [Pose],
        gate_mm: f64,
    ) -> Request<'a> {
        Request {
            lattice,
            centre,
            radius_mm: 30.0,
            scene,
            oriented: true,
            is_rough: false,
            part_from_scene: starts,
            gates_mm: [gate_mm; 2],
            min_cosine: 0.5,
            max_points: 400,
            max_steps: 1,
            step_limit_mm: 0.0,
        }
    }

    /// On two planes that meet at a small angle, noise says more about where the ridge is than they do.
    #[test]
    fn no_step_is_longer_than_the_gate() {
        let surface = Surface::new(shapes::roof(20.0, 15.0, 1e-3));
        let lattice = NearestFacets::new(&surface, 2.0, 2.0);
        let (gate_mm, starts) = (0.5, [Pose::identity()]);
        let mut longest_mm: f64 = 0.0;
        for seed in 1..6 {
            let mut random = Random::new(seed, 0);
            let samples = sampling::by_area(surface.mesh(), 400, seed).into_iter();
            let noisy = samples.map(|own| (own.point + own.normal * (0.1 * random.normal()), own.normal));
            let scene: Vec<OrientedPoint> = noisy.map(|(point, normal)| OrientedPoint { point, normal }).collect();
            let request = one_step(&lattice, surface.bounds().centre(), &scene, &starts, gate_mm);
            let fitted = run(&request, &Progress::silent()).unwrap().remove(0).unwrap();
            longest_mm = longest_mm.max(fitted.part_from_scene.translation.vector.norm());
        }
        // As far as it may, where the unbounded step would be some mm.
        assert!((0.2..1.01 * gate_mm).contains(&longest_mm), "{longest_mm}");
    }

    #[test]
    fn the_gradient_is_that_of_half_the_squares() {
        let surface = Surface::new(shapes::cuboid(Point::new(0.0, 0.0, 0.0), Point::new(40.0, 30.0, 20.0)));
        let lattice = NearestFacets::new(&surface, 8.0, 8.0);
        let mut random = Random::new(3, 0);
        let scene: Vec<OrientedPoint> = sampling::by_area(surface.mesh(), 400, 1)
            .iter()
            .map(|own| OrientedPoint { point: own.point + own.normal * (0.2 * random.normal()), normal: own.normal })
            .collect();
        let starts = [Pose::new(Vector::new(0.4, -0.3, 0.2), Vector::new(0.01, -0.02, 0.015))];
        let request = one_step(&lattice, surface.bounds().centre(), &scene, &starts, 5.0);
        let members = members(&request, &starts[0]);
        // So wide a gate that all weigh the same.
        let sums = |step: &[f64; 6]| totals(&request, &members, &moved(&starts[0], &request.centre.coords, step), 1e9);
        let gradient = sums(&[0.0; 6]);
        assert!(gradient[29] > 350.0);
        for own in 0..6 {
            let half = 1e-5;
            let at = |sign: f64| {
                let mut step = [0.0; 6];
                step[own] = sign * half;
                0.5 * sums(&step)[27]
            };
            let slope = (at(1.0) - at(-1.0)) / (2.0 * half);
            let found = gradient[HESSIAN + own];
            assert!((slope - found).abs() < 1e-4 * found.abs().max(1.0), "{own}: {slope} {found}");
        }
    }
}
