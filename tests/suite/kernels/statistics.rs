//! Figures of many values.

use shadowgraph::base::{Progress, random::Random};
use shadowgraph::compute::cpu::Cpu;
use shadowgraph::compute::statistics::{Request, Summary};
use shadowgraph::compute::{Backend, Compute};

use super::{device, is_on_gpu};

fn agree(values: &[f64]) -> Summary {
    let cuda = device();
    let request = Request { values, allowed: [-0.1, 0.1], range: [-0.3, 0.3], bins: 60 };
    let ours = cuda.compute(&request, &Progress::silent()).unwrap();
    assert_eq!(cuda.take_notices(), Vec::<String>::new());
    let reference = Cpu.compute(&request, &Progress::silent()).unwrap();
    // Sums run in another order.
    let near = |a: f64, b: f64| (a - b).abs() <= 1e-13 * b.abs().max(1.0);
    assert!(near(ours.mean, reference.mean) && near(ours.variance, reference.variance));
    assert!(near(ours.mean_square, reference.mean_square));
    let rest = |summary: &Summary| Summary { mean: 0.0, variance: 0.0, mean_square: 0.0, ..summary.clone() };
    assert_eq!(rest(&ours), rest(&reference));
    ours
}

#[test]
fn statistics_agree_with_the_processor() {
    let mut random = Random::new(6, 0);
    let mut values: Vec<f64> =
        (0..if is_on_gpu() { 400_000 } else { 9000 }).map(|_| 0.02 + 0.1 * random.normal()).collect();
    values.iter_mut().step_by(17).for_each(|value| *value = f64::NAN);
    values.extend([0.1, -0.1, 0.3, -0.3, 0.0, -0.0, 1e100, -1e-300]);
    values.extend_from_within(..500);
    let all = agree(&values);
    assert!(all.count > 8000 && all.above > 0 && all.max == 1e100);
    for few in [0, 1, 2, 20] {
        agree(&values[1..][..few]);
    }
    assert_eq!(agree(&[f64::NAN; 7]).count, 0);
    assert_eq!(agree(&[0.0625; 300]).variance, 0.0);
}
