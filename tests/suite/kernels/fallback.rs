//! What the device cannot do.

use std::sync::Arc;

use shadowgraph::compute::Backend;
use shadowgraph::compute::cpu::Cpu;
use shadowgraph::compute::cuda::Cuda;
use shadowgraph::geometry::{Point, Pose, Surface, mesh::shapes};

use super::point_deviation::deviations;
use super::shim::Shim;

#[test]
fn a_full_device_leaves_the_step_to_the_processor_with_a_sentence() {
    let surface = Surface::new(shapes::sphere(5.0, 3));
    let cuda = Cuda::on(Arc::new(Shim { most_bytes: Some(4096), ..Shim::default() }));
    let points = [Point::new(6.0, 0.0, 0.0)];
    let answer = deviations(&cuda, &surface, &points, &[], &Pose::identity());
    assert_eq!(answer, deviations(&Cpu, &surface, &points, &[], &Pose::identity()));
    let notices = cuda.take_notices();
    assert!(
        notices.len() == 1
            && notices[0].contains("needs 1 MiB")
            && notices[0].ends_with("This step was computed on the processor."),
        "{notices:?}"
    );
}
