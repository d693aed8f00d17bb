//! Open, align, compare: all on the device.

use std::sync::Arc;

use shadowgraph::base::Progress;
use shadowgraph::compute::Backend;
use shadowgraph::compute::cuda::{Cuda, driver::Driver};
use shadowgraph::dispatch::{Align, Command, Context, Dispatcher, Inspect, Parts};
use shadowgraph::geometry::{Cloud, mesh::shapes, sampling};
use shadowgraph::inspect::alignment::Method;
use shadowgraph::io::write;
use shadowgraph::session::Settings;

use super::shim::Shim;
use crate::support::cad_reader;

#[test]
fn the_whole_job_runs_on_the_device() {
    let folder = tempfile::tempdir().unwrap();
    let mesh = shapes::torus(30.0, 8.0, 40, 20);
    let mut lopsided = mesh.clone();
    lopsided.vertices.iter_mut().for_each(|vertex| vertex.coords.x *= 1.3 + 0.01 * vertex.coords.y);
    let points = sampling::by_area(&lopsided, 1500, 1).iter().map(|sample| sample.point).collect();
    let (part, scan) = (folder.path().join("part.stl"), folder.path().join("scan.ply"));
    write::mesh(&part, &lopsided).unwrap();
    write::cloud(&scan, &Cloud::from_points(points)).unwrap();
    let driver = Arc::new(Shim::default());
    let backend: Arc<dyn Backend> = Arc::new(Cuda::on(Arc::clone(&driver) as Arc<dyn Driver>));
    let mut dispatcher = Dispatcher::new(Context { backend, cad: cad_reader(), hides_flags: false });
    let mut run = |command: Command| dispatcher.run_now(command, &Progress::silent()).unwrap();
    run(Parts::OpenNominal { path: part, unit: None }.into());
    run(Parts::OpenScans { paths: vec![scan], unit: None, columns: None }.into());
    // Its iterations alone, without a look at minima beside the one found.
    let mut settings = Settings::default();
    settings.best_fit.leaves_minima = false;
    run(Inspect::SetSettings(Box::new(settings)).into());
    run(Align::Run(Method::BestFit).into());
    run(Inspect::Compare.into());
    let launches = driver.launches.lock().unwrap().clone();
    let of = |kernel: &str| launches.get(kernel).copied().unwrap_or_default();
    let iterations = dispatcher.document.alignment().unwrap().iterations;
    assert_eq!(of("pair_with_surface"), iterations, "{launches:?}");
    assert_eq!(of("signed_closest"), 1, "{launches:?}");
    assert_eq!(of("closest_candidates"), iterations + 1, "{launches:?}");
    assert_eq!(of("settle_ties"), iterations + 1, "{launches:?}");
    // The tree is built once.
    assert_eq!(of("facet_boxes"), 1, "{launches:?}");
    assert!(dispatcher.document.current_check().is_some());
}
