//! Closest point, point-facet and facet-facet matching at the published sizes.

use serde_json::{Value, json};

use super::super::arguments::Bench;
use super::{part, pools, time};
use base::{Progress, Result};
use compute::cpu::Cpu;
use compute::{Backend, Compute, facet_facet_matching, point_deviation, point_facet_matching};
use geometry::{OrderedPoints, Point, Pose, SearchablePoints, Surface};

const POINTS: usize = 424_307;
const FACETS: [usize; 3] = [103_966, 345_592, 1_188_408];

pub fn run(arguments: &Bench) -> Result<Value> {
    let scaled = |count: usize| ((count as f64 * arguments.scale) as usize).max(1000);
    let mut rows = Vec::new();
    let finest = part::cone(scaled(FACETS[2]));
    let points = part::scan(&finest, scaled(POINTS), 1);
    for facets in FACETS.map(scaled) {
        let mesh = part::cone(facets);
        if let Some(folder) = &arguments.data {
            part::write(folder, &format!("cone-{facets}.stl"), &mesh, "scan.ply", &points)?;
        }
        for (name, pool) in pools()? {
            pool.install(|| case(arguments, &name, &mesh, &points, &mut rows))?;
        }
    }
    let sheet = part::cone(scaled(82_000));
    let million = part::scan(&finest, scaled(1_000_000), 2);
    for (name, pool) in pools()? {
        pool.install(|| closest(arguments, &name, &Surface::new(sheet.clone()), &million, &mut rows))?;
    }
    Ok(json!({ "schema": "shadowgraph.bench/1", "suite": "deviation", "device": Cpu.device(), "rows": rows }))
}

fn case(
    arguments: &Bench,
    threads: &str,
    mesh: &geometry::Mesh,
    points: &[Point],
    rows: &mut Vec<Value>,
) -> Result<()> {
    let label = |what: &str| format!("{what} ({} on {}, {threads})", points.len(), mesh.facets.len());
    let (surface, row) = time(&label("build the surface"), arguments.runs, || Ok(Surface::new(mesh.clone())))?;
    rows.push(row);
    closest(arguments, threads, &surface, points, rows)?;
    let (tree, row) = time(&label("build the points' tree"), arguments.runs, || {
        let points = SearchablePoints::new(points);
        points.tree();
        Ok(points)
    })?;
    rows.push(row);
    let pose = Pose::identity();
    let (_, row) = time(&label("point-facet matching, radius 1 mm"), arguments.runs, || {
        Cpu.compute(
            &point_facet_matching::Request {
                nominal: mesh,
                points: &tree,
                directions: &[],
                nominal_from_scan: &pose,
                radius_mm: Some(1.0),
                max_distance_mm: 1.0,
                max_angle_rad: std::f64::consts::PI,
            },
            &Progress::silent(),
        )
    })?;
    rows.push(row);
    let (_, row) = time(&label("facet-facet matching onto itself"), arguments.runs, || {
        Cpu.compute(
            &facet_facet_matching::Request {
                nominal: mesh,
                scan: &surface,
                nominal_from_scan: &pose,
                max_distance_mm: 1.0,
                max_angle_rad: std::f64::consts::FRAC_PI_2,
            },
            &Progress::silent(),
        )
    })?;
    rows.push(row);
    Ok(())
}

fn closest(arguments: &Bench, threads: &str, surface: &Surface, points: &[Point], rows: &mut Vec<Value>) -> Result<()> {
    let label = |what: &str| format!("{what} ({} on {}, {threads})", points.len(), surface.mesh().facets.len());
    let (ordered, row) = time(&label("order the points"), arguments.runs, || Ok(OrderedPoints::new(points)))?;
    rows.push(row);
    let pose = Pose::identity();
    let (_, row) = time(&label("signed closest point"), arguments.runs, || {
        Cpu.compute(
            &point_deviation::Request {
                surface,
                points: &ordered,
                normals: &[],
                oriented: false,
                nominal_from_scan: &pose,
                max_distance_mm: f64::INFINITY,
                max_angle_rad: std::f64::consts::PI,
            },
            &Progress::silent(),
        )
    })?;
    rows.push(row);
    Ok(())
}
