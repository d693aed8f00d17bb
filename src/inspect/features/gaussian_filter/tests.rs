//! Filters against their closed forms, on grids, on scattered points, and at ends.

use super::*;
use base::random::Random;

/// Smooths distances from a plane perpendicular to z.
fn of_plane(points: &[Point], distances_mm: &[f64], nesting_index_mm: f64) -> Smoothed {
    smoothed(points, &vec![Vector::z(); points.len()], distances_mm, nesting_index_mm)
}

fn height(values: &[f64]) -> f64 {
    let (min, max) =
        values.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(min, max), own| (own.min(min), own.max(max)));
    max - min
}

/// Amplitude that is left of a wave on a grid of 0.1 mm.
fn transmitted(wavelength_mm: f64, nesting_index_mm: f64) -> f64 {
    let grid: Vec<Point> =
        (0..40_000).map(|i| Point::new(f64::from(i % 400) * 0.1, f64::from(i / 400) * 0.1, 0.0)).collect();
    let wave = |point: &Point| (std::f64::consts::TAU * point.x / wavelength_mm).cos();
    let waves: Vec<f64> = grid.iter().map(wave).collect();
    let smooth = of_plane(&grid, &waves, nesting_index_mm).distances_mm;
    // Away from the edges: projected on the wave.
    let inside = |point: &Point| (8.0..32.0).contains(&point.x) && (3.0..7.0).contains(&point.y);
    let (mut one, mut other) = (0.0, 0.0);
    for ((point, before), after) in grid.iter().zip(&waves).zip(&smooth).filter(|((point, _), _)| inside(point)) {
        one += after * wave(point);
        other += before * wave(point);
    }
    one / other
}

#[test]
fn half_of_a_wave_of_the_nesting_index_is_left() {
    // ISO 16610-61: the amplitude transmitted at wavelength λ is exp(-π (α λc / λ)²).
    for (wavelength, expected) in [(2.0, 0.5), (4.0, 0.840_896_415), (1.0, 0.0625), (8.0, 0.957_603_28)] {
        let left = transmitted(wavelength, 2.0);
        assert!((left - expected).abs() < 0.01, "{wavelength} mm: {left} instead of {expected}");
    }
    // The points are thinned where they are dense.
    assert!((transmitted(4.0, 4.0) - 0.5).abs() < 0.02);
}

/// Amplitude that is left of a sine of `waves` undulations on a circle of so many points, filtered by UPR.
fn transmitted_on_a_circle(count: u32, waves: f64, cutoff_upr: f64) -> f64 {
    let positions: Vec<f64> = (0..count).map(|i| f64::from(i) * 100.0 / f64::from(count) - 50.0).collect();
    let wave = |at: &f64| (std::f64::consts::TAU * waves * at / 100.0).sin();
    let before: Vec<f64> = positions.iter().map(wave).collect();
    let after = smoothed_profile(&positions, &before, 100.0 / cutoff_upr, Some(100.0)).distances_mm;
    let product = |one: &[f64], other: &[f64]| one.iter().zip(other).map(|(a, b)| a * b).sum::<f64>();
    product(&after, &before) / product(&before, &before)
}

#[test]
fn half_of_the_undulations_at_the_cutoff_are_left() {
    // ISO 16610-21: the amplitude transmitted of n undulations per revolution is exp(-π (α n / fc)²).
    for cutoff in [15.0, 50.0, 150.0, 500.0] {
        for ratio in [0.1, 0.2, 1.0, 2.0, 3.0] {
            let waves = f64::round(cutoff * ratio);
            let expected = 0.5_f64.powf((waves / cutoff).powi(2));
            let left = transmitted_on_a_circle(4000, waves, cutoff);
            assert!((left - expected).abs() < 1e-3, "{waves} of {cutoff} UPR: {left} instead of {expected}");
        }
    }
    // The points are thinned where they are dense.
    assert!((transmitted_on_a_circle(20_000, 3.0, 3.0) - 0.5).abs() < 1e-3);
}

#[test]
fn the_seam_of_a_closed_profile_is_no_end_and_a_constant_stays_to_the_ends_of_an_open_one() {
    let positions: Vec<f64> = (0..360).map(f64::from).collect();
    let wave = |at: &f64| (at.to_radians() * 6.0).cos();
    let before: Vec<f64> = positions.iter().map(wave).collect();
    let after = smoothed_profile(&positions, &before, 60.0, Some(360.0)).distances_mm;
    assert!(before.iter().zip(&after).all(|(before, after)| (0.5 * before - after).abs() < 1e-5));
    let open = smoothed_profile(&positions, &[0.7; 360], 60.0, None).distances_mm;
    assert!(open.iter().all(|own| (own - 0.7).abs() < 1e-12));
    assert!(smoothed_profile(&[], &[], 1.0, None).distances_mm.is_empty());
}

#[test]
fn a_constant_stays_to_the_edge() {
    let grid: Vec<Point> = (0..900).map(|i| Point::new(f64::from(i % 30), f64::from(i / 30), 0.0)).collect();
    assert!(of_plane(&grid, &[0.7; 900], 2.5).distances_mm.iter().all(|own| (own - 0.7).abs() < 1e-12));
    let alone = of_plane(&grid[..1], &[0.3], 0.1);
    assert_eq!((alone.distances_mm, alone.noise_share), (vec![0.3], 1.0));
}

#[test]
fn what_is_tilted_stays_to_its_ends_and_edges() {
    // Unevenly spaced, and thinned where it is dense.
    let positions: Vec<f64> = (0..9000).map(|i| 25.0 * (f64::from(i) / 8999.0).powi(2)).collect();
    let line: Vec<f64> = positions.iter().map(|at| 0.3 - 0.02 * at).collect();
    let smooth = smoothed_profile(&positions, &line, 8.0, None).distances_mm;
    assert!(line.iter().zip(&smooth).all(|(before, after)| (before - after).abs() < 1e-9));
    let mut random = Random::new(8, 3);
    let grid: Vec<Point> =
        (0..5000).map(|_| Point::new(30.0 * random.uniform(), 20.0 * random.uniform(), 0.0)).collect();
    let plane: Vec<f64> = grid.iter().map(|at| 0.02 * at.x - 0.05 * at.y + 0.4).collect();
    let smooth = of_plane(&grid, &plane, 6.0).distances_mm;
    assert!(plane.iter().zip(&smooth).all(|(before, after)| (before - after).abs() < 1e-9));
}

#[test]
fn a_bow_keeps_its_height() {
    // Weighted lines, integrated on their own: 0.974 802 along the profile; summed at every 1 mm 0.979 214, where means leave
    // 0.810 961 and 0.849 958.
    let bow = |at: f64| 1.0 - 4.0 * (at / 25.0 - 0.5).powi(2);
    let positions: Vec<f64> = (0..=500).map(|i| f64::from(i) * 0.05).collect();
    let before: Vec<f64> = positions.iter().map(|at| bow(*at)).collect();
    let after = smoothed_profile(&positions, &before, 8.0, None).distances_mm;
    assert!((height(&after) - 0.974_802).abs() < 1e-4, "{}", height(&after));
    assert!((after[0] - 0.010_815).abs() < 1e-4 && (after[500] - after[0]).abs() < 1e-9, "{}", after[0]);
    // The same of a sheet that is bent in one direction.
    let grid: Vec<Point> = (0..26 * 26).map(|i| Point::new(f64::from(i % 26), f64::from(i / 26), 0.0)).collect();
    let before: Vec<f64> = grid.iter().map(|at| bow(at.x)).collect();
    let after = of_plane(&grid, &before, 8.0).distances_mm;
    assert!((height(&after) - 0.979_214).abs() < 2e-3, "{}", height(&after));
}

#[test]
fn an_arc_has_ends_where_a_full_circle_has_none() {
    // A third of a revolution, tilted: as far as the ends of an open profile.
    let positions: Vec<f64> = (0..400).map(|i| f64::from(i) * 0.1).collect();
    let line: Vec<f64> = positions.iter().map(|at| 0.01 * at).collect();
    let smooth = smoothed_profile(&positions, &line, 5.0, Some(120.0)).distances_mm;
    assert!(line.iter().zip(&smooth).all(|(before, after)| (before - after).abs() < 1e-9));
}

#[test]
fn positions_that_determine_no_slope_leave_the_mean() {
    // Two heights at each end, farther apart than the filter reaches.
    let smooth = smoothed_profile(&[0.0, 0.0, 50.0, 50.0], &[0.1, 0.3, 0.5, 0.9], 8.0, None);
    let wanted = [0.2, 0.2, 0.7, 0.7];
    assert!(smooth.distances_mm.iter().zip(wanted).all(|(own, wanted)| (own - wanted).abs() < 1e-12), "{smooth:?}");
    assert!((smooth.noise_share - 0.5_f64.sqrt()).abs() < 1e-12, "{smooth:?}");
    // A single row of points determines the slope along itself.
    let row: Vec<Point> = (0..100).map(|i| Point::new(0.3 * f64::from(i), 0.1 * f64::from(i), 5.0)).collect();
    let line: Vec<f64> = row.iter().map(|at| 0.02 * at.x).collect();
    let smooth = of_plane(&row, &line, 4.0).distances_mm;
    assert!(line.iter().zip(&smooth).all(|(before, after)| (before - after).abs() < 1e-9));
    // Without a normal the mean is taken.
    let smooth = smoothed(&row, &[Vector::zeros(); 100], &line, 4.0).distances_mm;
    assert!(smooth[0] > 0.001 && (smooth[50] - line[50]).abs() < 1e-9, "{}", smooth[0]);
}

#[test]
fn noise_is_left_as_stated() {
    let mut random = Random::new(8, 2);
    let grid: Vec<Point> =
        (0..10_000).map(|i| Point::new(f64::from(i % 100) * 0.2, f64::from(i / 100) * 0.2, 0.0)).collect();
    let noise: Vec<f64> = grid.iter().map(|_| random.normal()).collect();
    let smooth = of_plane(&grid, &noise, 2.0);
    let inner: Vec<f64> = (grid.iter().zip(&smooth.distances_mm))
        .filter(|(point, _)| (2.0..18.0).contains(&point.x) && (2.0..18.0).contains(&point.y))
        .map(|(_, own)| *own)
        .collect();
    let left = (inner.iter().map(|own| own * own).sum::<f64>() / inner.len() as f64).sqrt();
    // A plane through half of the surroundings, at an edge, leaves twice as much.
    assert!((1.8..2.3).contains(&(smooth.noise_share / left)), "{} of {left}", smooth.noise_share);
}

/// Positions along 100 mm, of which 8, 20 or 80 lie on each of 50 waves: evenly, at random, in clusters, and in pairs.
fn scattered(random: &mut Random, how: &str, per_wave: usize) -> Vec<f64> {
    let count = 50 * per_wave;
    let even = |i: usize| i as f64 * 100.0 / count as f64;
    (0..count)
        .map(|i| match how {
            "even" => even(i),
            "jittered" => even(i) + 90.0 / count as f64 * random.uniform(),
            "pairs" => even(i - i % 2) + 10.0 / count as f64 * random.uniform(),
            "clusters" => (random.index(100) as f64 + 0.5 + 0.3 * random.normal()).rem_euclid(100.0),
            _ => 100.0 * random.uniform(),
        })
        .collect()
}

/// Share of a wave at the cutoff that is left, and half of the height of what is left.
fn left_of_a_wave(positions: &[f64], period: Option<f64>) -> (f64, f64) {
    let before: Vec<f64> = positions.iter().map(|at| (std::f64::consts::TAU * at / 2.0 + 0.4).sin()).collect();
    let after = smoothed_profile(positions, &before, 2.0, period).distances_mm;
    let inside = || (0..positions.len()).filter(|&i| period.is_some() || (3.0..97.0).contains(&positions[i]));
    let product = |other: &[f64]| inside().map(|i| before[i] * other[i]).sum::<f64>();
    let kept: Vec<f64> = inside().map(|i| after[i]).collect();
    (product(&after) / product(&before), 0.5 * height(&kept))
}

#[test]
fn half_of_a_wave_at_the_cutoff_is_left_of_scattered_points_of_any_density() {
    let mut random = Random::new(58, 1);
    for how in ["even", "jittered", "pairs", "clusters", "random"] {
        for per_wave in [8, 20, 80] {
            for period in [Some(100.0), None] {
                let positions = scattered(&mut random, how, per_wave);
                let (share, half_height) = left_of_a_wave(&positions, period);
                println!(
                    "{how}, {per_wave} per wave, closed {}: {share:.4}, height {half_height:.4}",
                    period.is_some()
                );
                assert!((share - 0.5).abs() < 0.02, "{how}, {per_wave} per wave: {share}");
                // Where the points leave no gaps of half a wave, the height is as right as the mean.
                if per_wave >= 20 && how != "clusters" {
                    assert!((half_height - 0.5).abs() < 0.02, "{how}, {per_wave} per wave: height {half_height}");
                }
            }
        }
    }
}

#[test]
fn a_dense_stretch_does_not_count_for_more() {
    // One half of the wave has ten times as many points.
    let mut random = Random::new(58, 2);
    let dense =
        |random: &mut Random| if random.uniform() < 0.9 { 0.5 * random.uniform() } else { random.range(0.5, 1.0) };
    let positions: Vec<f64> = (0..6000).map(|_| 2.0 * (random.index(50) as f64 + dense(&mut random))).collect();
    let (share, half_height) = left_of_a_wave(&positions, Some(100.0));
    assert!((share - 0.5).abs() < 0.02 && (half_height - 0.5).abs() < 0.02, "{share} {half_height}");
}

#[test]
fn half_of_a_wave_is_left_of_scattered_points_of_a_surface() {
    let mut random = Random::new(58, 3);
    for how in ["random", "jittered", "bands"] {
        for per_wave in [8, 20] {
            let side = 6 * per_wave;
            let points: Vec<Point> = (0..side * side)
                .map(|i| {
                    let (x, y) = match how {
                        "jittered" => ((i % side) as f64 + random.uniform(), (i / side) as f64 + random.uniform()),
                        // Twice as dense in every other half wave.
                        "bands" => {
                            let half = if random.uniform() < 2.0 / 3.0 { 0.0 } else { 0.5 };
                            let along = random.index(6) as f64 + half + 0.5 * random.uniform();
                            (along * per_wave as f64, random.uniform() * side as f64)
                        }
                        _ => (random.uniform() * side as f64, random.uniform() * side as f64),
                    };
                    Point::new(x / per_wave as f64, y / per_wave as f64, 0.0)
                })
                .collect();
            let wave: Vec<f64> = points.iter().map(|at| (std::f64::consts::TAU * at.x + 0.3).sin()).collect();
            let smooth = of_plane(&points, &wave, 1.0);
            let inside = || {
                (0..points.len()).filter(|&i| (1.0..5.0).contains(&points[i].x) && (1.0..5.0).contains(&points[i].y))
            };
            let product = |other: &[f64]| inside().map(|i| wave[i] * other[i]).sum::<f64>();
            let share = product(&smooth.distances_mm) / product(&wave);
            println!("{how}, {per_wave} per wave: {share:.4}");
            assert!(
                (share - 0.5).abs() < if per_wave > 8 { 0.01 } else { 0.04 },
                "{how}, {per_wave} per wave: {share}"
            );
            assert!(inside().all(|i| !smooth.is_at_edge[i] || per_wave == 8));
            let is_outside = |i: &usize| points[*i].x < 0.1;
            let at_edge = (0..points.len()).filter(is_outside).filter(|&i| smooth.is_at_edge[i]).count();
            assert!(at_edge * 10 > 9 * (0..points.len()).filter(is_outside).count());
        }
    }
}

#[test]
fn the_order_of_the_points_does_not_change_what_is_left() {
    let mut random = Random::new(58, 4);
    let mut positions = scattered(&mut random, "random", 20);
    let smooth = |positions: &[f64]| {
        let before: Vec<f64> = positions.iter().map(|at| (3.0 * at).sin()).collect();
        let mut after: Vec<(f64, f64)> = positions
            .iter()
            .copied()
            .zip(smoothed_profile(positions, &before, 2.0, Some(100.0)).distances_mm)
            .collect();
        after.sort_by(|one, other| one.0.total_cmp(&other.0));
        after
    };
    let first = smooth(&positions);
    random.shuffle(&mut positions);
    assert_eq!(smooth(&positions), first);
}
