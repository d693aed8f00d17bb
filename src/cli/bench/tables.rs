//! `bench tables`: the published tables of point-facet matching, facet-facet matching and weighted total least squares
//! of parallel planes, measured again at their sizes on the CPU, with one thread and with all, and on a GPU if there is
//! one, next to the published figures.
//!
//! The published figures are of one processor core (for points also of an i7) and of a K40; ratios are comparable,
//! times are not.

use std::path::Path;

use serde_json::{Value, json};

use super::super::arguments::Bench;
use super::charts::{Axes, Series, lines};
use super::gpu::{matching, no_notices, planes};
use super::{part, pools, time};
use base::{Progress, Result, UserError};
use compute::cpu::Cpu;
use compute::cuda::Cuda;
use compute::{Backend, Compute, facet_facet_matching, parallel_planes, point_facet_matching};
use geometry::{Point, Pose, SearchablePoints};

/// Published times for one size.
struct Published {
    /// Facets of the nominal; for planes the points per plane.
    size: usize,
    /// Number of planes; 0 in the other tables.
    planes: usize,
    cpu_ms: f64,
    /// With the texture cache; for planes including copies.
    gpu_ms: f64,
    /// Times of other processors and earlier versions, by name, ms.
    others_ms: &'static [(&'static str, f64)],
}

/// Tables 3.3 and 003.1: 424 307 points.
const POINTS: [Published; 3] = [
    Published {
        size: 103_966,
        planes: 0,
        cpu_ms: 22_629.0,
        gpu_ms: 964.0,
        others_ms: &[("i7", 36_241.0), ("K40, naive", 2_827.0), ("GTX 480", 1_948.0)],
    },
    Published {
        size: 345_592,
        planes: 0,
        cpu_ms: 75_101.0,
        gpu_ms: 883.0,
        others_ms: &[("i7", 111_678.0), ("K40, naive", 3_347.0), ("GTX 480", 3_022.0)],
    },
    Published {
        size: 1_188_408,
        planes: 0,
        cpu_ms: 259_126.0,
        gpu_ms: 2_098.0,
        others_ms: &[("i7", 358_030.0), ("K40, naive", 5_676.0), ("GTX 480", 7_852.0)],
    },
];

/// Table 3.4: 702 429 facets of the scan.
const FACETS: [Published; 3] = [
    Published { size: 89_850, planes: 0, cpu_ms: 13_596.0, gpu_ms: 1_154.0, others_ms: &[("K40, naive", 1_876.0)] },
    Published { size: 322_010, planes: 0, cpu_ms: 49_929.0, gpu_ms: 1_993.0, others_ms: &[("K40, naive", 3_151.0)] },
    Published { size: 1_147_568, planes: 0, cpu_ms: 174_558.0, gpu_ms: 6_343.0, others_ms: &[("K40, naive", 7_381.0)] },
];

const fn of_planes(size: usize, planes: usize, cpu_ms: f64, gpu_ms: f64) -> Published {
    Published { size, planes, cpu_ms, gpu_ms, others_ms: &[] }
}

/// Weighted total least squares of parallel planes; CPU times with Eigen on one thread.
const PLANES: [Published; 9] = [
    of_planes(10_000, 2, 0.9, 0.2),
    of_planes(10_000, 5, 2.7, 0.3),
    of_planes(10_000, 10, 5.3, 0.5),
    of_planes(100_000, 2, 7.3, 0.9),
    of_planes(100_000, 5, 15.6, 1.7),
    of_planes(100_000, 10, 31.3, 3.2),
    of_planes(1_000_000, 2, 86.8, 7.7),
    of_planes(1_000_000, 5, 204.9, 15.8),
    of_planes(1_000_000, 10, 413.8, 29.7),
];

/// One table.
type Table = fn(&Tables<'_>, &mut Vec<Value>) -> Result<()>;

const TABLES: [(&str, Table); 3] = [("points", points), ("facets", facets), ("planes", parallel)];

/// What all tables share.
struct Tables<'a> {
    arguments: &'a Bench,
    cuda: Option<Cuda>,
}

/// Runs it.
pub fn run(arguments: &Bench) -> Result<Value> {
    let bench = Tables { arguments, cuda: Cuda::open().ok() };
    let only = arguments.only.as_deref();
    let mut rows = Vec::new();
    let wanted: Vec<Table> =
        TABLES.iter().filter(|(name, _)| only.is_none_or(|only| only == *name)).map(|(_, table)| *table).collect();
    if wanted.is_empty() {
        return Err(UserError::usage("The tables of this suite are points, facets, planes."));
    }
    wanted.into_iter().try_for_each(|table| table(&bench, &mut rows))?;
    if let Some(folder) = &arguments.charts {
        charts(folder, &rows)?;
    }
    let device = bench.cuda.as_ref().map_or_else(|| Cpu.device(), Backend::device);
    Ok(json!({ "schema": "shadowgraph.bench/1", "suite": "tables", "device": device, "rows": rows }))
}

fn points(bench: &Tables<'_>, rows: &mut Vec<Value>) -> Result<()> {
    let (scan, pose) = (matching::scan_of_points(bench.arguments), Pose::identity());
    for published in &POINTS {
        let nominal = matching::nominal_of_points(bench.arguments, published.size);
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
        // As elsewhere, the index of the points is built once per scan.
        points.tree();
        let case = format!("point-facet matching, {} points on {} facets", scan.len(), nominal.facets.len());
        bench.row("points", &case, published, nominal.facets.len(), rows, |backend| {
            backend.compute(&request, &Progress::silent()).map(drop)
        })?;
    }
    Ok(())
}

fn facets(bench: &Tables<'_>, rows: &mut Vec<Value>) -> Result<()> {
    let (scan, pose) = (matching::scan_of_facets(bench.arguments), Pose::identity());
    for published in &FACETS {
        let nominal = part::cone(bench.scaled(published.size));
        let request = facet_facet_matching::Request {
            nominal: &nominal,
            scan: &scan,
            nominal_from_scan: &pose,
            max_distance_mm: 1.0,
            max_angle_rad: std::f64::consts::FRAC_PI_2,
        };
        let case =
            format!("facet-facet matching, {} facets on {} facets", scan.mesh().facets.len(), nominal.facets.len());
        bench.row("facets", &case, published, nominal.facets.len(), rows, |backend| {
            backend.compute(&request, &Progress::silent()).map(drop)
        })?;
    }
    Ok(())
}

fn parallel(bench: &Tables<'_>, rows: &mut Vec<Value>) -> Result<()> {
    for published in &PLANES {
        let (count, each) = (published.planes, bench.scaled(published.size));
        let (points, planes) = (planes::published(count, each), vec![each; count]);
        let request =
            parallel_planes::Request { points: &points, origin: Point::origin(), planes: &planes, sets: &[count] };
        let case = format!("parallel planes, {count} of {each} points");
        bench.row("planes", &case, published, each, rows, |backend| {
            backend.compute(&request, &Progress::silent()).map(drop)
        })?;
    }
    Ok(())
}

impl Tables<'_> {
    fn scaled(&self, count: usize) -> usize {
        ((count as f64 * self.arguments.scale) as usize).max(1000)
    }

    /// Times `work` on the CPU with one thread and with all, and on a GPU; adds a row of medians with the published
    /// figures.
    fn row(
        &self,
        table: &str,
        case: &str,
        published: &Published,
        size: usize,
        rows: &mut Vec<Value>,
        work: impl Fn(&dyn Backend) -> Result<()> + Sync,
    ) -> Result<()> {
        let mut medians = Vec::new();
        for (threads, pool) in pools()? {
            let name = format!("{case}, CPU, {threads}");
            let ((), row) = time(&name, self.arguments.runs, || pool.install(|| work(&Cpu)))?;
            medians.push((threads, row.get("median_ms").and_then(Value::as_f64).unwrap_or(f64::NAN)));
        }
        if let Some(cuda) = &self.cuda {
            let ((), row) = time(&format!("{case}, GPU"), self.arguments.runs, || work(cuda))?;
            no_notices(cuda)?;
            medians.push(("GPU".to_owned(), row.get("median_ms").and_then(Value::as_f64).unwrap_or(f64::NAN)));
        }
        let serial_ms = medians.first().map_or(f64::NAN, |(_, ms)| *ms);
        let ms: serde_json::Map<String, Value> = medians.iter().map(|(name, ms)| (name.clone(), json!(ms))).collect();
        let speed_ups: serde_json::Map<String, Value> =
            medians.iter().skip(1).map(|(name, ms)| (name.clone(), json!(serial_ms / ms))).collect();
        let others: serde_json::Map<String, Value> =
            published.others_ms.iter().map(|(name, ms)| ((*name).to_owned(), json!(ms))).collect();
        rows.push(json!({
            "case": case, "kind": table, "size": size, "planes": published.planes,
            "ms": ms,
            "times_as_fast_as_one_thread": speed_ups,
            "published_ms": { "one core": published.cpu_ms, "K40": published.gpu_ms, "others": others },
            "published_times_as_fast": published.cpu_ms / published.gpu_ms,
        }));
        Ok(())
    }
}

/// Charts of times and speed-ups of each table against size, measured and published.
fn charts(folder: &Path, rows: &[Value]) -> Result<()> {
    base::folder::make(folder)?;
    let log = [true, true];
    for (table, title, x) in [
        ("points", "Point-facet matching", "facets of the nominal"),
        ("facets", "Facet-facet matching", "facets of the nominal"),
        ("planes", "Parallel planes", "points of all planes"),
    ] {
        let own: Vec<&Value> = rows.iter().filter(|row| row.get("kind").is_some_and(|kind| kind == table)).collect();
        let times = [measured(&own, "ms"), published(&own)].concat();
        lines(folder, &format!("table-{table}"), &Axes { title, x, y: "ms", log }, &times)?;
        let title = format!("{title}: speed-up over one thread");
        let mut ratios = measured(&own, "times_as_fast_as_one_thread");
        let ratio = |row: &&Value| Some((size(row), row.get("published_times_as_fast")?.as_f64()?));
        ratios.push(("published: K40 over one core".to_owned(), own.iter().filter_map(ratio).collect()));
        lines(folder, &format!("table-{table}-speed-up"), &Axes { title: &title, x, y: "times", log }, &ratios)?;
    }
    Ok(())
}

/// Position of a row along the x axis: its problem size.
fn size(row: &Value) -> f64 {
    let number = |key: &str| row.get(key).and_then(Value::as_f64).unwrap_or(0.0);
    number("size") * number("planes").max(1.0)
}

/// One line per device.
fn measured(rows: &[&Value], key: &str) -> Vec<Series> {
    let mut all: Vec<Series> = Vec::new();
    for row in rows {
        for (name, value) in row.get(key).and_then(Value::as_object).into_iter().flatten() {
            let point = (size(row), value.as_f64().unwrap_or(f64::NAN));
            match all.iter_mut().find(|(own, _)| own == name) {
                Some((_, points)) => points.push(point),
                None => all.push((name.clone(), vec![point])),
            }
        }
    }
    all.iter_mut().for_each(|(_, points)| points.sort_by(|a, b| a.0.total_cmp(&b.0)));
    all
}

/// One line per published device.
fn published(rows: &[&Value]) -> Vec<Series> {
    ["one core", "K40"]
        .into_iter()
        .map(|name| {
            let ms = |row: &&Value| Some((size(row), row.get("published_ms")?.get(name)?.as_f64()?));
            let mut points: Vec<(f64, f64)> = rows.iter().filter_map(ms).collect();
            points.sort_by(|a, b| a.0.total_cmp(&b.0));
            (format!("published, {name}"), points)
        })
        .collect()
}
