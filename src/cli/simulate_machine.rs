//! `shadowgraph simulate-machine`: a machine with a mis-mounted sensor over a mis-laid artefact, to try the mechanical
//! alignment on. It serves touches over TCP, writes snapshots into a folder, and its screws are turned by typing.

use std::io::Write;
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use nalgebra::{Matrix3, UnitQuaternion};

use super::arguments::SimulateMachine;
use crate::output::outln;
use base::{Result, UserError, random::Random};
use geometry::{Pose, Vector};
use inspect::calibration::Handedness;
use inspect::calibration::mechanical::{Misalignment, TURNS};
use inspect::calibration::trials::{self, Made, Setting};
use inspect::simulation::sensor::Sensor;
use io::write;

/// What can be typed.
const USAGE: &str = "“turn artefact|sensor roll|pitch|yaw DEGREES”, “snap”, “truth” or “quit” is expected.";

/// Runs it until “quit” or the end of the standard input; returns the exit code.
pub fn run(arguments: &SimulateMachine) -> Result<i32> {
    let listener = TcpListener::bind(&arguments.listen)
        .map_err(|e| UserError::input(format!("Cannot listen at {}: {e}; name another port.", arguments.listen)))?;
    let folder = &arguments.folder;
    std::fs::create_dir_all(folder).map_err(|e| UserError::file("make the folder", folder, &e))?;
    let mut machine = Machine::new(arguments)?;
    let clients = Arc::new(Mutex::new(Clients::default()));
    machine.measure(&clients)?;
    match listener.local_addr() {
        Ok(address) => outln!("listening on tcp://{address}"),
        Err(_) => outln!("listening on tcp://{}", arguments.listen),
    }
    let accepting = Arc::clone(&clients);
    let accept = move || {
        for stream in listener.incoming().flatten() {
            accepting.lock().unwrap_or_else(PoisonError::into_inner).welcome(stream);
        }
    };
    let started = std::thread::Builder::new().name("listener".into()).spawn(accept);
    started.map_err(|error| UserError::internal(format!("No thread could be started: {error}.")))?;
    for line in std::io::stdin().lines().map_while(std::result::Result::ok) {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words.as_slice() {
            [] => {}
            ["quit"] => break,
            ["snap"] => machine.measure(&clients)?,
            ["truth"] => machine.tell_truth(),
            ["turn", what, turn, degrees] => match machine.turn(what, turn, degrees) {
                Some(()) => machine.measure(&clients)?,
                None => outln!("{USAGE}"),
            },
            _ => outln!("{USAGE}"),
        }
    }
    Ok(0)
}

/// Who listens, and what the machine has to say since it measured last.
#[derive(Default)]
struct Clients {
    text: String,
    streams: Vec<TcpStream>,
}

impl Clients {
    fn welcome(&mut self, mut stream: TcpStream) {
        let limited = stream.set_write_timeout(Some(Duration::from_secs(1)));
        if limited.and_then(|()| stream.write_all(self.text.as_bytes())).is_ok() {
            self.streams.push(stream);
        }
    }

    fn say(&mut self, text: String) {
        // Who has gone is forgotten.
        self.streams.retain_mut(|stream| stream.write_all(text.as_bytes()).is_ok());
        self.text = text;
    }
}

struct Machine {
    setting: Setting,
    made: Made,
    handedness: Handedness,
    folder: PathBuf,
    /// Rotation of `cmm_from_sensor`.
    mounted: UnitQuaternion<f64>,
    cmm_from_artefact: Pose,
    /// Measurements so far.
    number: u64,
}

impl Machine {
    fn new(arguments: &SimulateMachine) -> Result<Self> {
        let sensor = Sensor { pitch_mm: [arguments.pitch_mm; 2], ..Sensor::default() };
        sensor.check()?;
        let setting = Setting { sensor, seed: arguments.seed, ..Setting::default() };
        let made = Made::of(&setting);
        let scene = trials::scene(&setting, &made, arguments.handedness, 0)?;
        Ok(Self {
            setting,
            made,
            handedness: arguments.handedness,
            folder: arguments.folder.clone(),
            mounted: scene.cmm_from_sensor.rotation,
            cmm_from_artefact: scene.cmm_from_artefact,
            number: 0,
        })
    }

    /// Turns a module about an axis of the machine; `None` where the words are none.
    fn turn(&mut self, what: &str, turn: &str, degrees: &str) -> Option<()> {
        let axis = TURNS.iter().position(|own| own.eq_ignore_ascii_case(turn))?;
        let degrees = degrees.parse::<f64>().ok().filter(|degrees| degrees.abs() <= 30.0)?;
        let by = UnitQuaternion::from_scaled_axis(Vector::ith(axis, degrees.to_radians()));
        match what {
            "sensor" => self.mounted = by * self.mounted,
            "artefact" => self.cmm_from_artefact.rotation = by * self.cmm_from_artefact.rotation,
            _ => return None,
        }
        Some(())
    }

    /// Touches the artefact, and takes a snapshot of it.
    fn measure(&mut self, clients: &Mutex<Clients>) -> Result<()> {
        self.number += 1;
        let mut random = Random::new(self.setting.seed, self.number);
        let (mounted, lies) = (&self.mounted, &self.cmm_from_artefact);
        let scene = trials::look(&self.setting, &self.made, self.handedness, mounted, lies, &mut random, self.number)?;
        let mut text = String::new();
        if let Some(view) = scene.views.first() {
            let name = format!("snapshot-{:04}.ply", self.number);
            write::cloud(&self.folder.join(&name), &view.cloud)?;
            outln!("wrote {name}");
            text += &format!("POS {} {} {}\n", view.position_mm.x, view.position_mm.y, view.position_mm.z);
        }
        text += "BEGIN\n";
        for (region, places) in self.setting.artefact.artefact().regions().iter().zip(&scene.touches) {
            for place in places {
                text += &format!("TOUCH {} {} {} {}\n", region.short, place.x, place.y, place.z);
            }
        }
        clients.lock().unwrap_or_else(PoisonError::into_inner).say(text);
        Ok(())
    }

    fn tell_truth(&self) {
        for (name, rotation) in [("artefact", &self.cmm_from_artefact.rotation), ("sensor", &self.mounted)] {
            let [roll, pitch, yaw] = Misalignment::of(rotation, &Matrix3::zeros()).angles_rad.map(f64::to_degrees);
            outln!("{name}: roll {roll:+.4}, pitch {pitch:+.4}, yaw {yaw:+.4} degrees are still to be turned");
        }
    }
}
