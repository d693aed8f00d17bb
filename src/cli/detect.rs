//! `shadowgraph detect`: which parts lie in a scan, and where.

use std::path::{Path, PathBuf};

use clap::Args;
use serde::Deserialize;
use serde_json::{Value, json};

use super::console::Console;
use crate::output::outln;
use base::words::counted;
use base::{LengthUnit, Result, UserError};
use compute::DeviceChoice;
use dispatch::Context;
use geometry::{Cloud, Surface, transform};
use inspect::detection::{self, Detection, Explanation, Found, Known, PartModel, Placed};
use inspect::deviation;
use inspect::parts::Nominal;
use io::{LoadOptions, atomic, load_scan, write};

/// `detect`
#[derive(Args, Debug)]
#[command(
    after_help = "No start is needed. Parts that are hidden behind others are looked for again in what is left; parts \
    that are not in the scene are said, with the best pose that was rejected and why.\n\nExamples:\n  shadowgraph detect \
    bin.ply --part bracket.step\n  shadowgraph detect bin.pcd --part a.stl --part b.stl --out poses/ --json\n  shadowgraph \
    detect next.ply --part a.stl --last answer.json\n  shadowgraph \
    inspect --nominal bracket.step --scan bin.ply --pose poses/bracket-1.txt --align best-fit --out report/"
)]
pub struct Detect {
    /// The scan of the scene.
    pub scene: PathBuf,
    /// CAD, mesh or measured points of a part to look for; may be given several times.
    #[arg(long = "part", required = true)]
    pub parts: Vec<PathBuf>,
    /// Unit of the parts' coordinates.
    #[arg(long)]
    pub units: Option<LengthUnit>,
    /// Unit of the scene's coordinates.
    #[arg(long)]
    pub scene_units: Option<LengthUnit>,
    /// Most parts of one kind.
    #[arg(long)]
    pub max_of_each: Option<usize>,
    /// Least score of a part that counts as found, from 0 to 1.
    #[arg(long, default_value_t = detection::Parameters::default().min_score)]
    pub min_score: f64,
    /// The answer (--json) for an earlier scan of this scene: parts are looked for where they were first.
    #[arg(long)]
    pub last: Option<PathBuf>,
    /// Most searches of what is left; 0 with --last to look only where parts were.
    #[arg(long, default_value_t = detection::Parameters::default().max_rounds)]
    pub max_rounds: usize,
    /// Write the pose of each part found into this folder, as NAME-1.txt and so on, for `inspect --pose`.
    #[arg(long)]
    pub out: Option<PathBuf>,
    /// Write the points of each part found, and of what is near it, into this folder as NAME-1.ply and so on: scans for
    /// `inspect --plan`.
    #[arg(long)]
    pub scans: Option<PathBuf>,
    /// Write the points that lie on no part found, floor and walls left out, to this file.
    #[arg(long)]
    pub rest: Option<PathBuf>,
    /// Compute device.
    #[arg(long, value_enum, default_value_t)]
    pub backend: DeviceChoice,
}

/// Runs it; returns the exit code.
pub fn run(arguments: &Detect, json: bool, context: &Context) -> Result<i32> {
    if !(0.0..=1.0).contains(&arguments.min_score) {
        return Err(UserError::usage("The least score must be from 0 to 1."));
    }
    let names: Vec<String> = arguments.parts.iter().map(|path| stem(path)).collect();
    let last = arguments.last.as_deref().map_or(Ok(Vec::new()), |path| read_last(path, &names))?;
    let console = Console::new();
    let progress = console.progress();
    let nominals: Vec<Nominal> = arguments
        .parts
        .iter()
        .map(|path| Nominal::read(path, arguments.units, context.cad.clone(), &progress.part(0.0, 0.1)))
        .collect::<Result<_>>()?;
    let options = LoadOptions { unit: arguments.scene_units, columns: None, cad: context.cad.clone() };
    let scan = load_scan(&arguments.scene, &options, &progress.part(0.1, 0.2))?;
    progress.report(0.2, "Analysing the parts")?;
    let models: Vec<PartModel<'_>> = nominals
        .iter()
        .zip(&names)
        .map(|(nominal, name)| PartModel::new(name, &nominal.surface))
        .collect::<Result<_>>()?;
    let parameters = detection::Parameters {
        min_score: arguments.min_score,
        max_of_each: arguments.max_of_each,
        max_rounds: arguments.max_rounds,
        ..detection::Parameters::default()
    };
    let found = detection::run(
        context.backend.as_ref(),
        &models,
        &scan.cloud,
        &parameters,
        &Known::last(last),
        &progress.part(0.25, 1.0),
    )?;
    let files = write_poses(arguments, &names, &found)?;
    if let Some(folder) = &arguments.scans {
        let surfaces: Vec<&Surface> = nominals.iter().map(|own| &own.surface).collect();
        let reach_mm = 2.0 * deviation::Parameters::default().effective_max_distance_mm();
        let (backend, silent) = (context.backend.as_ref(), base::Progress::silent());
        let scans = detection::part_scans(backend, &surfaces, &found.detections, &scan.cloud, reach_mm, &silent)?;
        base::folder::make(folder)?;
        for (name, scan) in numbered_names(&names, &found).iter().zip(&scans) {
            write::cloud(&folder.join(format!("{name}.ply")), scan)?;
        }
    }
    if let Some(file) = &arguments.rest {
        write_rest(file, &found, &scan.cloud)?;
    }
    console.done();
    context.backend.take_notices().iter().for_each(|notice| console.say(notice));
    if json {
        super::print_json(&in_json(arguments, &names, &found, &files, context))?;
        return Ok(0);
    }
    nominals.iter().flat_map(Nominal::sentences).chain(scan.notes).for_each(|sentence| outln!("{sentence}"));
    let count = counted(found.detections.len(), "part", "parts");
    outln!("{count} found in {:.2} s; {:.0} % of the scene explained.", found.total_ms / 1e3, 100.0 * found.explained);
    let in_doubt = found.detections.iter().filter(|own| own.is_in_doubt()).count();
    if in_doubt > 0 {
        outln!("{} in doubt.", counted(in_doubt, "of them is", "of them are"));
    }
    if let Some(about) = found.about_sensor() {
        outln!("{about}");
    }
    if let Some(about) = found.about_differences() {
        outln!("{about}");
    }
    for own in &found.detections {
        outln!("{}", sentence(own, &names));
    }
    for own in &found.rejected {
        let why = own.doubt.as_ref().map_or("", |doubt| &doubt.sentence);
        outln!("Not found: {}. The best pose has a score of {:.2}: {why}.", name(own.part, &names), own.score);
    }
    Ok(0)
}

/// Writes the points that nothing found explains. Returns an error if there are none.
fn write_rest(file: &Path, found: &Found, scan: &Cloud) -> Result<()> {
    let is_rest = |point: &u32| found.explanations.of(*point as usize) == Explanation::Nothing;
    let rest: Vec<u32> = (0..scan.points.len() as u32).filter(is_rest).collect();
    if rest.is_empty() {
        return Err(UserError::input(
            "All points lie on the parts found, the floor or walls: there is no rest to write.",
        ));
    }
    write::cloud(file, &scan.select(&rest))
}

/// Where the parts of these names were in an earlier scan.
fn read_last(path: &Path, names: &[String]) -> Result<Vec<Placed>> {
    #[derive(Deserialize)]
    struct Answer {
        detections: Vec<Earlier>,
    }
    #[derive(Deserialize)]
    struct Earlier {
        part: String,
        scene_from_part: [[f64; 4]; 4],
    }
    let text = std::fs::read_to_string(path).map_err(|e| UserError::file("read", path, &e))?;
    let answer: Answer = serde_json::from_str(&text)
        .map_err(|e| UserError::input(format!("This is no answer of “detect --json”: {e}.")).in_file(path))?;
    let known =
        answer.detections.iter().filter_map(|own| Some((names.iter().position(|name| *name == own.part)?, own)));
    known
        .map(|(part, own)| {
            let pose = transform::from_rows(&own.scene_from_part).map_err(|e| e.in_file(path))?;
            Ok(Placed { part, scene_from_part: pose })
        })
        .collect()
}

fn stem(path: &Path) -> String {
    path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

fn name(part: usize, names: &[String]) -> &str {
    names.get(part).map_or("?", String::as_str)
}

fn sentence(own: &Detection, names: &[String]) -> String {
    let at = own.scene_from_part.translation.vector;
    let doubt = own.ambiguity(names).map(|doubt| format!("; {doubt}")).unwrap_or_default();
    format!(
        "{}: score {:.2}, {:.0} % of its visible side seen, {} points within {:.3} mm RMS, origin at {:.3}, {:.3}, {:.3} \
         mm{doubt}",
        name(own.part, names),
        own.score,
        100.0 * own.terms.visible_fraction(),
        own.points.len(),
        own.fit.rms_mm,
        at.x,
        at.y,
        at.z
    )
}

/// The names of the parts found, those of a kind numbered from 1.
fn numbered_names(names: &[String], found: &Found) -> Vec<String> {
    let mut counts = vec![0; names.len()];
    let mut numbered = |own: &Detection| {
        let count = counts.get_mut(own.part).map_or(0, |count| {
            *count += 1;
            *count
        });
        format!("{}-{count}", name(own.part, names))
    };
    found.detections.iter().map(&mut numbered).collect()
}

/// Writes `nominal_from_scan` of each part found; the paths, in the same order.
fn write_poses(arguments: &Detect, names: &[String], found: &Found) -> Result<Vec<PathBuf>> {
    let Some(folder) = &arguments.out else { return Ok(Vec::new()) };
    base::folder::make(folder)?;
    let mut files = Vec::new();
    for (own, name) in found.detections.iter().zip(numbered_names(names, found)) {
        let path = folder.join(format!("{name}.txt"));
        atomic::write_bytes(&path, transform::pose_text(&own.scene_from_part.inverse()).as_bytes())?;
        files.push(path);
    }
    Ok(files)
}

fn in_json(arguments: &Detect, names: &[String], found: &Found, files: &[PathBuf], context: &Context) -> Value {
    let other = |own: &Placed| json!({ "part": name(own.part, names), "scene_from_part": transform::rows_of(&own.scene_from_part) });
    let of = |own: &Detection| {
        json!({
            "part": name(own.part, names),
            "score": own.score,
            "terms": own.terms,
            "visible_fraction": own.terms.visible_fraction(),
            "agreement": own.terms.agreement(),
            "coverage": own.coverage,
            "votes": own.votes,
            "round": own.round,
            "scene_from_part": transform::rows_of(&own.scene_from_part),
            "nominal_from_scan": transform::rows_of(&own.scene_from_part.inverse()),
            "rms_mm": own.fit.rms_mm,
            "points": own.points.len(),
            "undetermined": own.fit.information.open,
            "weakest": own.fit.information.weakest,
            "others": own.others.iter().map(other).collect::<Vec<_>>(),
            "misfits": own.misfits,
            "could_be": own.could_be,
            "doubt": own.doubt_in_words(),
        })
    };
    let [background, parts, nothing] = found.explanations.shares();
    json!({
        "schema": "shadowgraph.detection/1",
        "software": report::software(),
        "backend": context.backend.device(),
        "scene": arguments.scene.to_string_lossy(),
        "parts": names,
        "detections": found.detections.iter().map(of).collect::<Vec<_>>(),
        "rejected": found.rejected.iter().map(of).collect::<Vec<_>>(),
        "possible": found.possible.iter().map(of).collect::<Vec<_>>(),
        "explained_fraction": found.explained,
        "share_of_points": { "background": background, "parts": parts, "nothing_found": nothing },
        "sensor": found.sensor,
        "noticeable_difference": found.detection_limit,
        "rounds": found.rounds,
        "files": files.iter().map(|path| path.to_string_lossy()).collect::<Vec<_>>(),
        "timings_ms": { "total": found.total_ms },
    })
}
