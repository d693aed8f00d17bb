//! Point-facet and facet-facet matching.

use serde_json::{Value, json};

use super::super::super::arguments::Bench;
use super::super::{part, time};
use super::{no_notices, scaled, time_on_cpu, time_resident};
use base::random::Random;
use base::{Progress, Result};
use compute::cpu::Cpu;
use compute::cuda::Cuda;
use compute::point_facet_matching::FacetDeviation;
use compute::{Compute, facet_facet_matching, point_facet_matching};
use geometry::{Mesh, Point, Pose, SearchablePoints, Surface, Vector};

/// Scale of the part at which about 25 points match a facet within 1 mm.
const PART_SCALE: f64 = 0.845;
/// Published sizes of nominals for point-facet matching, facets.
pub const POINT_SIZES: [usize; 3] = [103_966, 345_592, 1_188_408];
/// Published sizes of nominals for facet-facet matching, facets.
pub const FACET_SIZES: [usize; 3] = [89_850, 322_010, 1_147_568];

pub fn run(arguments: &Bench, cuda: &Cuda, rows: &mut Vec<Value>) -> Result<()> {
    point_facets(arguments, cuda, rows)?;
    facet_facets(arguments, cuda, rows)
}

/// The nominal for point-facet matching, of about `facets` facets.
pub fn nominal_of_points(arguments: &Bench, facets: usize) -> Mesh {
    part::sized_cone(scaled(arguments, facets), PART_SCALE)
}

/// The scan for point-facet matching.
pub fn scan_of_points(arguments: &Bench) -> Vec<Point> {
    part::scan(&nominal_of_points(arguments, 1_188_408), scaled(arguments, 424_307), 1)
}

/// The scan for facet-facet matching, with vertices displaced by 0.02 mm in random directions.
pub fn scan_of_facets(arguments: &Bench) -> Surface {
    let mut random = Random::new(7, 7);
    let mut rough = part::cone(scaled(arguments, 702_429));
    rough.vertices.iter_mut().for_each(|vertex| {
        *vertex += random.rotation() * Vector::z() * 0.02;
    });
    Surface::new(rough)
}

fn point_facets(arguments: &Bench, cuda: &Cuda, rows: &mut Vec<Value>) -> Result<()> {
    let silent = Progress::silent();
    let pose = Pose::identity();
    let scan = scan_of_points(arguments);
    for facets in POINT_SIZES {
        let nominal = nominal_of_points(arguments, facets);
        let points = SearchablePoints::new(&scan);
        let request = point_facet_matching::Request {
            nominal: &nominal,
            points: &points,
            directions: &[],
            nominal_from_scan: &pose,
            radius_mm: Some(1.0),
            max_distance_mm: 1.0,
            max_angle_rad: std::f64::consts::PI,
        };
        let size = format!("{} at {}", scan.len(), nominal.facets.len());
        let reference =
            time_on_cpu(&format!("PFM, index made ({size})"), arguments, rows, || Cpu.compute(&request, &silent))?;
        let (answers, row) = time(&format!("PFM, host to host, index too ({size})"), arguments.runs, || {
            cuda.compute(&request, &silent)
        })?;
        rows.push(row);
        no_notices(cuda)?;
        let (job, row) = time(&format!("PFM, upload and index ({size})"), arguments.runs, || {
            let job = cuda.prepare_point_facet_matching(&request)?;
            job.wait()?;
            Ok(job)
        })?;
        rows.push(row);
        rows.push(time_resident(&format!("PFM, resident ({size})"), arguments, cuda, || job.launch(&pose))?);
        let (_, row) = time(&format!("PFM, read back ({size})"), arguments.runs, || job.read())?;
        rows.push(row);
        rows.push(parity(&format!("PFM, parity ({size})"), &reference, &answers, &job.read()?));
    }
    Ok(())
}

fn facet_facets(arguments: &Bench, cuda: &Cuda, rows: &mut Vec<Value>) -> Result<()> {
    let silent = Progress::silent();
    let pose = Pose::identity();
    let scan = scan_of_facets(arguments);
    for facets in FACET_SIZES {
        let nominal = part::cone(scaled(arguments, facets));
        let request = facet_facet_matching::Request {
            nominal: &nominal,
            scan: &scan,
            nominal_from_scan: &pose,
            max_distance_mm: 1.0,
            max_angle_rad: std::f64::consts::FRAC_PI_2,
        };
        let size = format!("{} at {}", scan.mesh().facets.len(), nominal.facets.len());
        let reference = time_on_cpu(&format!("FFM ({size})"), arguments, rows, || Cpu.compute(&request, &silent))?;
        let (answers, row) =
            time(&format!("FFM, host to host, scan's tree resident ({size})"), arguments.runs, || {
                cuda.compute(&request, &silent)
            })?;
        rows.push(row);
        no_notices(cuda)?;
        let job = cuda.prepare_facet_facet_matching(&request)?;
        rows.push(time_resident(&format!("FFM, resident ({size})"), arguments, cuda, || job.launch(&pose))?);
        rows.push(parity(&format!("FFM, parity ({size})"), &reference, &answers, &job.read()?));
    }
    Ok(())
}

fn parity(case: &str, reference: &[FacetDeviation], answers: &[FacetDeviation], again: &[FacetDeviation]) -> Value {
    let difference_mm = |(a, b): (&FacetDeviation, &FacetDeviation)| {
        (a.value().unwrap_or_default() - b.value().unwrap_or_default()).abs()
    };
    json!({
        "case": case,
        "largest_difference_mm": reference.iter().zip(answers).map(difference_mm).fold(0.0, f64::max),
        "other_matches": reference.iter().zip(answers).filter(|(a, b)| a.matches != b.matches).count(),
        "with_data": reference.iter().filter(|answer| answer.matches > 0).count(),
        "mean_matches": reference.iter().map(|a| f64::from(a.matches)).sum::<f64>() / reference.len().max(1) as f64,
        "repeat_differs": answers != again,
    })
}
