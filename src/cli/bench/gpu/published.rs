//! The published steps of point-facet and facet-facet matching, compared with ours.

use serde_json::{Value, json};

use super::super::super::arguments::Bench;
use super::super::time;
use super::{matching, scaled};
use base::Result;
use compute::cuda::{Cuda, PublishedJob, PublishedStep};
use compute::point_facet_matching::FacetDeviation;
use compute::{facet_facet_matching, point_facet_matching};
use geometry::{Pose, SearchablePoints};

/// Maximum number of pairs for exhaustive matching; more would take minutes.
const MAX_PAIRS: f64 = 1e12;

pub fn run(arguments: &Bench, cuda: &Cuda, rows: &mut Vec<Value>) -> Result<()> {
    let pose = Pose::identity();
    let scan = matching::scan_of_points(arguments);
    for facets in matching::POINT_SIZES {
        let nominal = matching::nominal_of_points(arguments, facets);
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
        let ours = cuda.prepare_point_facet_matching(&request)?;
        ours.launch(&pose)?;
        let size = (scan.len(), nominal.facets.len());
        steps(arguments, cuda, rows, "PFM", size, &cuda.prepare_published_points(&request)?, &ours.read()?)?;
    }
    let scan = matching::scan_of_facets(arguments);
    for facets in matching::FACET_SIZES {
        let nominal = super::super::part::cone(scaled(arguments, facets));
        let request = facet_facet_matching::Request {
            nominal: &nominal,
            scan: &scan,
            nominal_from_scan: &pose,
            max_distance_mm: 1.0,
            max_angle_rad: std::f64::consts::FRAC_PI_2,
        };
        let ours = cuda.prepare_facet_facet_matching(&request)?;
        ours.launch(&pose)?;
        let size = (scan.mesh().facets.len(), nominal.facets.len());
        steps(arguments, cuda, rows, "FFM", size, &cuda.prepare_published_facets(&request)?, &ours.read()?)?;
    }
    Ok(())
}

fn steps(
    arguments: &Bench,
    cuda: &Cuda,
    rows: &mut Vec<Value>,
    method: &str,
    (scan, nominal): (usize, usize),
    job: &PublishedJob,
    ours: &[FacetDeviation],
) -> Result<()> {
    for step in PublishedStep::ALL {
        let pairs = scan as f64 * nominal as f64;
        if step == PublishedStep::Complete && pairs > if method == "FFM" { 0.2 * MAX_PAIRS } else { MAX_PAIRS } {
            continue;
        }
        let case = format!("{method} as published, {}, resident ({scan} at {nominal})", step.name());
        let ((), mut row) = time(&case, arguments.runs, || {
            job.launch(step, &Pose::identity())?;
            cuda.driver().synchronize()
        })?;
        let published = job.read()?;
        let pairs = || ours.iter().zip(&published);
        let max_difference_mm = pairs().filter_map(|(a, b)| Some((a.value()? - b.value()?).abs())).fold(0.0, f64::max);
        if let Some(row) = row.as_object_mut() {
            row.insert("other_matches".into(), json!(pairs().filter(|(a, b)| a.matches != b.matches).count()));
            row.insert("largest_difference_mm".into(), json!(max_difference_mm));
        }
        rows.push(row);
    }
    Ok(())
}
