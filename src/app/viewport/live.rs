//! Deviation colours of the scan during a best fit.

use std::time::Duration;

use base::Progress;
use compute::point_deviation::{PointDeviation, Request};
use compute::{Backend, Compute, DeviceKind};
use geometry::{OrderedPoints, Point, Pose};
use render::PointsItem;
use session::Document;

/// Maximum number of points coloured per pose on the CPU.
const MAX_POINTS_ON_CPU: usize = 60_000;

/// Minimum time between two updates: the CPU shares its cores with the fit, a CUDA device keeps up with the screen.
pub fn interval(kind: DeviceKind) -> Duration {
    match kind {
        DeviceKind::Cpu => Duration::from_millis(40),
        DeviceKind::Cuda => Duration::from_millis(15),
    }
}

/// Deviations in `pose` (nominal from scan) of the points in drawing order, mm; NaN if there is no data. On the CPU, of
/// the first `MAX_POINTS_ON_CPU` points only; empty without nominal or scan.
pub fn deviations(backend: &dyn Backend, document: &Document, pose: &Pose) -> Vec<f32> {
    let (Some(nominal), Some(actual)) = (document.nominal(), document.actual()) else {
        return Vec::new();
    };
    let all = &actual.cloud.points;
    let drawn = PointsItem::scattered(all.len());
    let measure = |points: &OrderedPoints| {
        let request = Request {
            surface: &nominal.surface,
            points,
            normals: &[],
            oriented: false,
            nominal_from_scan: pose,
            max_distance_mm: document.settings.deviation.max_distance_mm.max(4.0 * document.settings.scale_mm),
            max_angle_rad: std::f64::consts::PI,
        };
        // For display only: if it fails, the colours are not updated.
        backend.compute(&request, &Progress::silent()).unwrap_or_default()
    };
    let value = |answer: &PointDeviation| answer.value().map_or(f32::NAN, |mm| mm as f32);
    if backend.device().kind == DeviceKind::Cuda {
        let answers = measure(&actual.prepared.ordered);
        drawn.filter_map(|index| answers.get(index).map(value)).collect()
    } else {
        let first: Vec<Point> = drawn.take(MAX_POINTS_ON_CPU).map(|index| all[index]).collect();
        measure(&OrderedPoints::new(&first)).iter().map(value).collect()
    }
}
