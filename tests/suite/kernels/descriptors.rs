//! Nearest descriptors: the processor's bits.

use shadowgraph::base::Progress;
use shadowgraph::base::random::Random;
use shadowgraph::compute::cpu::Cpu;
use shadowgraph::compute::nearest_descriptors::Request;
use shadowgraph::compute::{Backend, Compute};
use shadowgraph::geometry::local_features::Descriptor;

use super::{device, sized};

#[test]
fn nearest_descriptors_agree_with_the_processor() {
    let mut random = Random::new(9, 0);
    // Values of few steps: many references are equally far, and some are the same.
    let mut draw = |count: usize| -> Vec<Descriptor> {
        (0..count).map(|_| std::array::from_fn(|_| random.index(4) as f32 * 7.7)).collect()
    };
    for (references, queries) in
        [(0, 3), (1, 3), (5, 1), (255, sized(33, 5)), (256, sized(32, 6)), (sized(700, 300), sized(70, 33))]
    {
        let (mut references, queries) = (draw(references), draw(queries));
        let half = references.len() / 2;
        references.copy_within(..half / 2, half);
        for count in [1, 30] {
            let request = Request { references: &references, queries: &queries, count };
            let cuda = device();
            let ours = cuda.compute(&request, &Progress::silent()).unwrap();
            assert_eq!(cuda.take_notices(), Vec::<String>::new());
            let reference = Cpu.compute(&request, &Progress::silent()).unwrap();
            assert_eq!(ours, reference);
            assert!(reference.iter().all(|own| own.len() == count.min(references.len())));
        }
    }
    let of_no_number = [[f32::NAN; 33]];
    assert!(Cpu.compute(&Request { references: &of_no_number, queries: &[], count: 1 }, &Progress::silent()).is_err());
}
