//! The scan's colours while a best fit is on its way.

use std::time::Duration;

use base::Progress;
use compute::point_deviation::{PointDeviation, Request};
use compute::{Backend, Compute, DeviceKind};
use geometry::{OrderedPoints, Point, Pose};
use render::PointsItem;
use session::Document;

/// Points that the processor colours at a time.
const POINTS_ON_CPU: usize = 60_000;

/// Least time between two pictures: the processor shares its cores with the fit, a CUDA device keeps up with the screen.
pub fn interval(kind: DeviceKind) -> Duration {
    match kind {
        DeviceKind::Cpu => Duration::from_millis(40),
        DeviceKind::Cuda => Duration::from_millis(15),
    }
}

/// Deviations in that pose of the first points drawn, in the order in which they are, mm; NaN is no data.
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
        // The viewport is a spectator: where this fails, the points stay as they were.
        backend.compute(&request, &Progress::silent()).unwrap_or_default()
    };
    let value = |answer: &PointDeviation| answer.value().map_or(f32::NAN, |mm| mm as f32);
    if backend.device().kind == DeviceKind::Cuda {
        let answers = measure(&actual.prepared.ordered);
        drawn.filter_map(|number| answers.get(number).map(value)).collect()
    } else {
        let first: Vec<Point> = drawn.take(POINTS_ON_CPU).map(|number| all[number]).collect();
        measure(&OrderedPoints::new(&first)).iter().map(value).collect()
    }
}
