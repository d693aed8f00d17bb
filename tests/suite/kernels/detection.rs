//! Whole searches for a part on a device: what the processor finds, the same each time, and no memory that stays behind.

use shadowgraph::base::Progress;
use shadowgraph::compute::Backend;
use shadowgraph::compute::cpu::Cpu;
use shadowgraph::geometry::{Cloud, Pose};
use shadowgraph::inspect::detection::{self, Known, Parameters, PartModel};
use shadowgraph::inspect::simulation::pile;

use super::super::detect::surface;
use super::{assert_nothing_stays_behind, device, is_on_gpu, sized};

/// Parts and candidates that a search names, in its order, to the bit.
fn search(backend: &dyn Backend, model: &PartModel<'_>, cloud: &Cloud) -> Vec<(Pose, f64)> {
    let (parameters, known) = (Parameters::default(), Known::default());
    let models = std::slice::from_ref(model);
    let found = detection::run(backend, models, cloud, &parameters, &known, &Progress::silent()).unwrap();
    assert!(found.detections.len() > 1);
    let all = [found.detections, found.rejected, found.possible].concat();
    all.into_iter().map(|own| (own.scene_from_part, own.score)).collect()
}

/// On a graphics card a thousand searches; through the shim only as many as time allows.
#[test]
fn searches_are_the_same_bits_and_leave_no_memory_behind() {
    let clamp = surface("clamp.stl");
    let mut parameters = pile::Parameters::for_parts(3, clamp.bounds().diagonal(), 12);
    parameters.sensor.pitch_mm = parameters.sensor.field_mm.map(|side_mm| side_mm / sized(150, 75) as f64);
    let cloud = pile::run(&[&clamp], &[0, 0, 0], &parameters, &Progress::silent()).unwrap().cloud;
    let (model, cuda) = (PartModel::new("clamp", &clamp).unwrap(), device());
    let reference = search(&Cpu, &model, &cloud);
    assert_eq!(search(&cuda, &model, &cloud), reference);
    let free = cuda.driver().free_bytes().unwrap();
    let started = std::time::Instant::now();
    let repeats = if is_on_gpu() { 1000 } else { 1 };
    for repeat in 0..repeats {
        assert!(search(&cuda, &model, &cloud) == reference, "repeat {repeat} differs");
    }
    println!("{repeats} searches of {} points in {:.1} s", cloud.points.len(), started.elapsed().as_secs_f64());
    assert_eq!(cuda.take_notices(), Vec::<String>::new());
    assert_nothing_stays_behind(&cuda, free);
}
