//! `shadowgraph holes`: measures holes and slots of sheet metal in a scan.

use std::path::PathBuf;

use clap::Args;
use serde_json::{Value, json};

use super::console::Console;
use crate::output::out;
use base::{ErrorKind, LengthUnit, Progress, Result, UserError, signed, text_table};
use dispatch::Context;
use geometry::{KdTree, Point, Vector};
use inspect::features::sheet_metal::holes::{self, NominalHole};
use inspect::features::sheet_metal::slot::{NominalSlot, Slot, find as find_slot};
use io::probing_csv::{csv_text, read_holes, read_slots};
use io::{LoadOptions, atomic, load_scan};

/// `holes`
#[derive(Args, Debug)]
#[command(
    after_help = "Coordinates are in the frame of the scan, mm. holes.csv has the columns name, x_mm, y_mm, z_mm, \
    axis_i, axis_j, axis_k (out of the sheet), radius_mm; slots.csv has along_i, along_j, along_k, length_mm (overall) \
    and width_mm instead of the radius.\n\nExample:\n  shadowgraph holes scan.ply --holes holes.csv --slots slots.csv \
    --out found.csv"
)]
pub struct Holes {
    /// The scan.
    pub scan: PathBuf,
    /// Unit of the scan's coordinates.
    #[arg(long)]
    pub units: Option<LengthUnit>,
    /// The nominal holes: CSV.
    #[arg(long, required_unless_present = "slots")]
    pub holes: Option<PathBuf>,
    /// The nominal slots: CSV.
    #[arg(long)]
    pub slots: Option<PathBuf>,
    /// Maximum distance from the nominal position at which they are searched, mm.
    #[arg(long, default_value_t = 1.5, allow_hyphen_values = true)]
    pub search_mm: f64,
    /// Write the results to this CSV file.
    #[arg(long)]
    pub out: Option<PathBuf>,
}

/// A hole or slot, nominal and measured: centre, and radius, or length and width.
struct Opening {
    name: String,
    centre: Point,
    axis: Vector,
    sizes_mm: Vec<(&'static str, f64)>,
    found: Result<(Point, Vec<f64>)>,
}

/// Runs it; returns the exit code: 3 if some were not found.
pub fn run(arguments: &Holes, json: bool, context: &Context) -> Result<i32> {
    if !(arguments.search_mm > 0.0 && arguments.search_mm.is_finite()) {
        return Err(UserError::usage("The search distance must be above 0 mm."));
    }
    let console = Console::new();
    let openings = found(arguments, context, &console.progress())?;
    console.done();
    if let Some(out) = &arguments.out {
        atomic::write_bytes(out, csv(&openings)?.as_bytes())?;
    }
    if json {
        super::print_json(&json!({
            "schema": "shadowgraph.holes/1",
            "software": report::software(),
            "openings": openings.iter().map(in_json).collect::<Vec<_>>(),
        }))?;
    } else {
        out!("{}", table(&openings));
    }
    let missing: Vec<&UserError> = openings.iter().filter_map(|own| own.found.as_ref().err()).collect();
    missing.iter().for_each(|error| eprintln!("{}", error.sentence));
    Ok(if missing.is_empty() { 0 } else { 3 })
}

fn found(arguments: &Holes, context: &Context, progress: &Progress) -> Result<Vec<Opening>> {
    let holes = arguments.holes.as_ref().map_or_else(|| Ok(Vec::new()), |path| read_holes(path))?;
    let slots = arguments.slots.as_ref().map_or_else(|| Ok(Vec::new()), |path| read_slots(path))?;
    let options = LoadOptions { unit: arguments.units, columns: None, cad: context.cad.clone() };
    let scan = load_scan(&arguments.scan, &options, &progress.part(0.0, 0.5))?;
    let points = &scan.cloud.points;
    progress.report(0.5, "Preparing the scan for search")?;
    let tree = KdTree::new(points);
    let count = holes.len() + slots.len();
    let part = |index: usize| {
        let fraction = 0.6 + 0.4 * index as f32 / count as f32;
        progress.report(fraction, "Searching for the holes").map(|()| progress.part(fraction, fraction))
    };
    let mut openings = Vec::with_capacity(count);
    for hole in holes {
        let part = part(openings.len())?;
        let (centre, axis, radius_mm) = (hole.place.centre, hole.place.axis, hole.place.radius_mm);
        let nominal = NominalHole { name: hole.name, centre, axis, radius_mm };
        let found = unless_cancelled(holes::find(points, &tree, &nominal, arguments.search_mm, &part))?;
        let found = found.map(|own| (own.centre, vec![own.radius_mm]));
        openings.push(Opening { name: nominal.name, centre, axis, sizes_mm: vec![("radius", radius_mm)], found });
    }
    for listed in slots {
        let part = part(openings.len())?;
        let (centre, axis) = (listed.centre, listed.axis);
        let (length_mm, width_mm) = (listed.length_mm, listed.width_mm);
        let slot = Slot { centre, normal: axis, direction: listed.along, length_mm, width_mm };
        let nominal = NominalSlot { name: listed.name, slot };
        let found = unless_cancelled(find_slot(points, &tree, &nominal, arguments.search_mm, &part))?;
        let found = found.map(|own| (own.slot.centre, vec![own.slot.length_mm, own.slot.width_mm]));
        let sizes_mm = vec![("length", length_mm), ("width", width_mm)];
        openings.push(Opening { name: nominal.name, centre, axis, sizes_mm, found });
    }
    Ok(openings)
}

/// Passes on cancellation alone: an opening that is not found does not stop the others.
fn unless_cancelled<T>(found: Result<T>) -> Result<Result<T>> {
    match found {
        Err(error) if error.kind == ErrorKind::Cancelled => Err(error),
        found => Ok(found),
    }
}

impl Opening {
    /// Deviation of the measured centre from the nominal one, in the plane of the sheet, mm.
    fn offset_mm(&self, centre: &Point) -> Vector {
        let offset = centre - self.centre;
        offset - self.axis * offset.dot(&self.axis)
    }
}

fn in_json(opening: &Opening) -> Value {
    let named = |sizes: &mut dyn Iterator<Item = f64>| -> Value {
        let names = opening.sizes_mm.iter().map(|(name, _)| format!("{name}_mm"));
        names.zip(sizes).map(|(name, mm)| (name, json!(mm))).collect::<serde_json::Map<_, _>>().into()
    };
    let nominal = named(&mut opening.sizes_mm.iter().map(|(_, mm)| *mm));
    match &opening.found {
        Ok((centre, sizes)) => json!({
            "name": opening.name, "nominal_mm": opening.centre, "nominal": nominal, "found_mm": centre,
            "found": named(&mut sizes.iter().copied()), "off_mm": opening.offset_mm(centre),
        }),
        Err(error) => json!({
            "name": opening.name, "nominal_mm": opening.centre, "nominal": nominal, "not_found": error.sentence,
        }),
    }
}

fn table(openings: &[Opening]) -> String {
    let rows: Vec<Vec<String>> = openings
        .iter()
        .map(|own| {
            let mut cells = vec![own.name.clone()];
            match &own.found {
                Ok((centre, sizes)) => {
                    cells.extend(centre.iter().map(|value| format!("{value:.3}")));
                    cells.extend(own.offset_mm(centre).iter().map(|value| signed(*value, 3)));
                    let sizes = own.sizes_mm.iter().zip(sizes);
                    let sizes =
                        sizes.map(|((name, nominal), mm)| format!("{name} {mm:.3} ({})", signed(mm - nominal, 3)));
                    cells.push(sizes.collect::<Vec<_>>().join(", "));
                }
                Err(_) => cells.extend(["-"; 7].map(str::to_owned)),
            }
            cells
        })
        .collect();
    text_table::aligned(&["name", "X", "Y", "Z", "dX", "dY", "dZ", "size (deviation)"], &rows)
}

fn csv(openings: &[Opening]) -> Result<String> {
    let titles =
        ["name", "x_mm", "y_mm", "z_mm", "off_x_mm", "off_y_mm", "off_z_mm", "radius_mm", "length_mm", "width_mm"];
    let titles: Vec<String> = titles.iter().chain(&["state"]).map(|title| (*title).to_owned()).collect();
    let row = |own: &Opening| {
        let mut cells = vec![own.name.clone()];
        let size = |name: &str, sizes: &[f64]| {
            let at = own.sizes_mm.iter().position(|(own, _)| *own == name);
            at.and_then(|at| sizes.get(at)).map_or_else(String::new, f64::to_string)
        };
        match &own.found {
            Ok((centre, sizes)) => {
                cells.extend(centre.iter().chain(own.offset_mm(centre).iter()).map(f64::to_string));
                cells.extend(["radius", "length", "width"].map(|name| size(name, sizes)));
                cells.push("found".to_owned());
            }
            Err(_) => {
                cells.extend(std::iter::repeat_n(String::new(), 9));
                cells.push("not found".to_owned());
            }
        }
        cells
    };
    csv_text(&titles, openings.iter().map(row))
}
