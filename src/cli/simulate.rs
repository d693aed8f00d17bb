//! `shadowgraph simulate`: simulates a scan with known true deviations, or the data of a calibration.

use std::io::Write;

use serde_json::json;

use super::arguments::{Simulate, numbers};
use super::console::Console;
use crate::output::outln;
use base::{Result, UserError, random::Random};
use dispatch::Context;
use geometry::{Point, Pose, Surface, Vector, transform};
use inspect::calibration::artefacts::Imperfect;
use inspect::calibration::trials::{self, Setting};
use inspect::calibration::{ArtefactKind, angles_rad};

use inspect::simulation::cmm::Cmm;
use inspect::simulation::defects::Defect;
use inspect::simulation::hand::Hand;
use inspect::simulation::sensor::Sensor;
use inspect::simulation::systematic::SystematicErrorForm;
use inspect::simulation::{self, Parameters, Simulation, views};
use io::{LoadOptions, atomic, load_nominal, write};

/// Runs it; returns the exit code.
pub fn run(arguments: &Simulate, json: bool, context: &Context) -> Result<i32> {
    if let Some(artefact) = arguments.artefact {
        return calibration(arguments, artefact, json);
    }
    let Some(nominal) = &arguments.nominal else {
        return Err(UserError::usage("Name a part or an artefact."));
    };
    let console = Console::new();
    let progress = console.progress();
    let options = LoadOptions { unit: arguments.nominal_units, columns: None, cad: context.cad.clone() };
    let loaded = load_nominal(nominal, &options, &progress.part(0.0, 0.2))?;
    loaded.notes.iter().for_each(|note| console.say(note));
    let nominal = geometry::repair(loaded.mesh).surface;
    let parameters = parameters(arguments, &nominal)?;
    if arguments.sensor_scale.is_none() && parameters.sensor.field_mm != Sensor::default().field_mm {
        let [x, y] = parameters.sensor.field_mm;
        console.say(&format!(
            "The part is large: it is scanned by a sensor with a field of {x:.0} x {y:.0} mm; --sensor-scale 1 takes the \
             usual one."
        ));
    }
    let outcome = simulation::run(&nominal, &parameters, &progress.part(0.2, 1.0));
    console.done();
    let simulation = outcome?;
    base::folder::make(&arguments.out)?;
    let truth = truth_json(&parameters, &simulation);
    write_all(arguments, &simulation, &truth)?;
    if json {
        super::print_json(&truth)?;
    } else {
        outln!(
            "{} points from {} views in {}",
            simulation.cloud.points.len(),
            simulation.nominal_from_sensor.len(),
            arguments.out.display()
        );
    }
    Ok(0)
}

/// Simulates the measurements of an artefact by sensor and CMM, and writes them with the truth.
fn calibration(arguments: &Simulate, artefact: ArtefactKind, json: bool) -> Result<i32> {
    let error_mm = arguments.error_mm.unwrap_or(Sensor::default().bias_mm);
    let lengths = [
        arguments.flatness_mm,
        arguments.rounding_mm,
        arguments.bin_mm,
        arguments.form_mm,
        arguments.lobing_mm,
        error_mm,
    ];
    if !lengths.iter().all(|length| length.abs() < 5.0) || !(arguments.squareness_rad.abs() < 0.1) {
        return Err(UserError::usage(
            "Flatness, edge rounding, lateral grid, form error, lobing and systematic error must be below 5 mm, the \
             squareness error below 0.1 rad.",
        ));
    }
    let mut setting = Setting {
        artefact,
        cmm: Cmm {
            squareness_rad: arguments.squareness_rad,
            lobing_mm: arguments.lobing_mm.max(0.0),
            ..Cmm::default()
        },
        imperfect: Imperfect {
            flatness_mm: arguments.flatness_mm,
            rounding_mm: arguments.rounding_mm.max(0.0),
            askew_mm: arguments.askew_mm.max(0.0),
            form_mm: arguments.form_mm.max(0.0),
            form_seed: arguments.seed,
        },
        hand: arguments.hand.then(Hand::default),
        // Waves are drawn anew for each snapshot; of the other forms, the sensor has a single error.
        one_error: arguments.error_form != SystematicErrorForm::Waves,
        seed: arguments.seed,
        ..Setting::default()
    };
    setting.sensor.bin_mm = arguments.bin_mm.max(0.0);
    setting.sensor.error_form = arguments.error_form;
    setting.sensor.bias_mm = error_mm.max(0.0);
    if let Some(sigma) = arguments.range_sigma_mm {
        setting.sensor.range_sigma_mm = sigma;
    }
    setting.sensor.check()?;
    let scene = trials::scene(&setting, &trials::Made::of(&setting), arguments.handedness, 0)?;
    let out = &arguments.out;
    base::folder::make(out)?;
    let names = artefact.artefact().regions();
    let table = region_table(names.iter().map(|region| region.short).zip(scene.touches.iter().cloned()));
    // The artefact's nominal design, with points on its regions.
    let design = artefact.drawn();
    let points_of =
        |region: usize| design.touches(region, setting.touches).into_iter().map(|(point, _)| point).collect();
    let nominal = region_table(names.iter().enumerate().map(|(index, region)| (region.short, points_of(index))));
    write::mesh(&out.join("artefact.stl"), &design.mesh(&Imperfect::default()))?;
    atomic::write_bytes(&out.join("artefact-regions.csv"), nominal.as_bytes())?;
    let name_of = |index: usize| match index {
        0 => "snapshot.ply".to_owned(),
        more => format!("snapshot-{}.ply", more + 1),
    };
    let mut snapshots = "sensor,cmm,x_mm,y_mm,z_mm\n".to_owned();
    for (index, view) in scene.views.iter().enumerate() {
        let (name, position) = (name_of(index), view.position_mm);
        snapshots += &format!("{name},touches.csv,{},{},{}\n", position.x, position.y, position.z);
        write::cloud(&out.join(name), &view.cloud)?;
    }
    if let Some(view) = scene.views.first().filter(|_| arguments.hand) {
        let points = |region: &Vec<u32>| -> Vec<Point> {
            region.iter().filter_map(|&index| view.cloud.points.get(index as usize).copied()).collect()
        };
        let brushed = region_table(names.iter().zip(&view.regions).map(|(name, region)| (name.short, points(region))));
        atomic::write_bytes(&out.join("sensor-regions.csv"), brushed.as_bytes())?;
    }
    let truth = json!({
        "schema": "shadowgraph.simulated_calibration/1",
        "artefact": artefact,
        "seed": arguments.seed,
        "handedness": scene.handedness,
        "probe_radius_mm": setting.cmm.probe_radius_mm,
        "squareness_rad": setting.cmm.squareness_rad,
        "cmm_from_sensor": transform::rows_of(&scene.cmm_from_sensor),
        "cmm_from_artefact": transform::rows_of(&scene.cmm_from_artefact),
        "angles_deg": angles_rad(&scene.cmm_from_sensor).map(f64::to_degrees),
        "position_mm": scene.views.first().map(|view| <[f64; 3]>::from(view.position_mm)),
        "sensor": setting.sensor,
        "points": scene.views.iter().map(|view| view.cloud.points.len()).sum::<usize>(),
    });
    atomic::write_bytes(&out.join("touches.csv"), table.as_bytes())?;
    atomic::write_bytes(&out.join("snapshots.csv"), snapshots.as_bytes())?;
    atomic::write_bytes(&out.join("truth.json"), format!("{truth:#}\n").as_bytes())?;
    if json {
        super::print_json(&truth)?;
    } else {
        outln!(
            "{} snapshots, touches.csv, snapshots.csv, truth.json, artefact.stl and artefact-regions.csv in {}",
            scene.views.len(),
            out.display()
        );
    }
    Ok(0)
}

fn region_table<'a>(regions: impl Iterator<Item = (&'a str, Vec<Point>)>) -> String {
    let rows = regions.flat_map(|(name, points)| {
        points.into_iter().map(move |point| format!("{name},{},{},{}\n", point.x, point.y, point.z))
    });
    std::iter::once("region,x_mm,y_mm,z_mm\n".to_owned()).chain(rows).collect()
}

/// Diagonal from which parts are scanned by a larger sensor unless its scale is stated, mm.
const LARGE_PART_MM: f64 = 400.0;

fn parameters(arguments: &Simulate, nominal: &Surface) -> Result<Parameters> {
    let diagonal_mm = nominal.bounds().diagonal();
    let usual = if diagonal_mm > LARGE_PART_MM { 2.0 * diagonal_mm / LARGE_PART_MM } else { 1.0 };
    let sensor_scale = arguments.sensor_scale.unwrap_or(usual);
    if !(sensor_scale > 0.0 && sensor_scale.is_finite()) {
        return Err(UserError::usage("The scale of the sensor must be a positive number."));
    }
    let mut sensor = Sensor { glossy_patches: arguments.glossy_patches, ..Sensor::default() }.scaled(sensor_scale);
    if let Some(sigma) = arguments.range_sigma_mm {
        sensor.range_sigma_mm = sigma;
    }
    let mut poses = Vec::new();
    for text in &arguments.from {
        poses.extend(views::tiles(nominal.bounds(), &vector(text)?, &sensor));
    }
    let scan_from_nominal = match &arguments.scan_pose {
        Some(path) => super::inspect::read_pose(path)?,
        None if arguments.random_pose => random_pose(arguments.seed, nominal),
        None => Pose::identity(),
    };
    Ok(Parameters {
        sensor,
        defects: arguments.defect.iter().map(|text| defect(text)).collect::<Result<_>>()?,
        nominal_from_sensor: poses,
        views: arguments.views,
        scan_from_nominal,
        points: arguments.points,
        outliers: arguments.outliers,
        seed: arguments.seed,
    })
}

/// A random rotation, and a random translation of up to the part's diagonal along each axis.
fn random_pose(seed: u64, nominal: &Surface) -> Pose {
    let mut random = Random::new(seed, 0x9053);
    let size = nominal.bounds().diagonal();
    let translation = Vector::new(random.range(-size, size), random.range(-size, size), random.range(-size, size));
    Pose::from_parts(translation.into(), random.rotation())
}

fn vector(text: &str) -> Result<Vector> {
    match numbers(text).as_deref() {
        Ok(&[x, y, z]) if Vector::new(x, y, z).norm() > 0.0 => Ok(Vector::new(x, y, z)),
        _ => Err(UserError::usage(format!("“{text}” is not a direction; three numbers such as 0,0,1 are expected."))),
    }
}

fn defect(text: &str) -> Result<Defect> {
    let unreadable =
        || UserError::usage(format!("“{text}” is not a defect; see “shadowgraph simulate --help” for the syntax."));
    let (kind, values) = text.split_once(':').ok_or_else(unreadable)?;
    let values = numbers(values).map_err(|_| unreadable())?;
    match (kind, values.as_slice()) {
        ("bump" | "dent", &[x, y, z, radius_mm, height]) => {
            Ok(Defect::Bump { centre_mm: [x, y, z], radius_mm, height_um: 1000.0 * height })
        }
        ("bend", &[x, y, z, tx, ty, tz, dx, dy, dz, length_mm, displacement, within_mm]) => Ok(Defect::Bend {
            hinge_mm: [x, y, z],
            towards: [tx, ty, tz],
            direction: [dx, dy, dz],
            length_mm,
            displacement_um: 1000.0 * displacement,
            within_mm,
        }),
        ("hole", &[x, y, z, ax, ay, az, radius_mm, thickness_mm]) => {
            Ok(Defect::MissingHole { centre_mm: [x, y, z], axis: [ax, ay, az], radius_mm, thickness_mm })
        }
        ("scale", &[factor]) => Ok(Defect::Scale { factor }),
        _ => Err(unreadable()),
    }
}

fn truth_json(parameters: &Parameters, simulation: &Simulation) -> serde_json::Value {
    json!({
        "schema": "shadowgraph.simulation/1",
        "seed": parameters.seed,
        "nominal_from_scan": transform::rows_of(&simulation.nominal_from_scan),
        "nominal_from_sensor": simulation.nominal_from_sensor.iter().map(transform::rows_of).collect::<Vec<_>>(),
        "defects": parameters.defects,
        "sensor": parameters.sensor,
        "points": simulation.cloud.points.len(),
    })
}

fn write_all(arguments: &Simulate, simulation: &Simulation, truth: &serde_json::Value) -> Result<()> {
    let at = |name: &str| arguments.out.join(name);
    write::cloud(&at("scan.ply"), &simulation.cloud)?;
    atomic::write(&at("truth.csv"), |writer| {
        writeln!(writer, "true_deviation_mm")?;
        simulation
            .true_deviation_mm
            .iter()
            .try_for_each(|value| if value.is_nan() { writeln!(writer) } else { writeln!(writer, "{value}") })
    })?;
    atomic::write_bytes(&at("truth.json"), format!("{truth:#}\n").as_bytes())?;
    atomic::write_bytes(&at("pose.txt"), transform::pose_text(&simulation.nominal_from_scan).as_bytes())
}
