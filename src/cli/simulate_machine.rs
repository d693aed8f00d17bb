//! `shadowgraph simulate-machine`: a simulated CMM with a misaligned sensor and a misaligned artefact, to try out the
//! mechanical alignment. It serves probed points over TCP, writes snapshots to a folder, and its adjustment screws are
//! turned by commands on standard input.

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

/// The commands on standard input.
const USAGE: &str = "“turn artefact|sensor roll|pitch|yaw DEGREES”, “snap”, “truth” or “quit” is expected.";

/// Runs it until “quit” or the end of the standard input; returns the exit code.
pub fn run(arguments: &SimulateMachine) -> Result<i32> {
    let listener = TcpListener::bind(&arguments.listen)
        .map_err(|e| UserError::input(format!("Cannot listen at {}: {e}; choose another port.", arguments.listen)))?;
    let folder = &arguments.folder;
    base::folder::make(folder)?;
    let mut machine = SimulatedMachine::new(arguments)?;
    let clients = Arc::new(Mutex::new(Clients::default()));
    machine.measure(&clients)?;
    match listener.local_addr() {
        Ok(address) => outln!("listening on tcp://{address}"),
        Err(_) => outln!("listening on tcp://{}", arguments.listen),
    }
    let accepting = Arc::clone(&clients);
    let accept = move || {
        for stream in listener.incoming().flatten() {
            accepting.lock().unwrap_or_else(PoisonError::into_inner).add(stream);
        }
    };
    let started = std::thread::Builder::new().name("listener".into()).spawn(accept);
    started.map_err(|error| UserError::internal(format!("A thread could not be started: {error}.")))?;
    for line in std::io::stdin().lines().map_while(std::result::Result::ok) {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words.as_slice() {
            [] => {}
            ["quit"] => break,
            ["snap"] => machine.measure(&clients)?,
            ["truth"] => machine.print_truth(),
            ["turn", what, turn, degrees] => match machine.turn(what, turn, degrees) {
                Some(()) => machine.measure(&clients)?,
                None => outln!("{USAGE}"),
            },
            _ => outln!("{USAGE}"),
        }
    }
    Ok(0)
}

/// Connected clients, and the text of the last measurement, which new clients receive first.
#[derive(Default)]
struct Clients {
    text: String,
    streams: Vec<TcpStream>,
}

impl Clients {
    fn add(&mut self, mut stream: TcpStream) {
        let limited = stream.set_write_timeout(Some(Duration::from_secs(1)));
        if limited.and_then(|()| stream.write_all(self.text.as_bytes())).is_ok() {
            self.streams.push(stream);
        }
    }

    fn send(&mut self, text: String) {
        // Clients that have disconnected are dropped.
        self.streams.retain_mut(|stream| stream.write_all(text.as_bytes()).is_ok());
        self.text = text;
    }
}

struct SimulatedMachine {
    setting: Setting,
    made: Made,
    handedness: Handedness,
    folder: PathBuf,
    /// Rotation of `cmm_from_sensor`.
    mounting: UnitQuaternion<f64>,
    cmm_from_artefact: Pose,
    /// Number of measurements so far.
    measurements: u64,
}

impl SimulatedMachine {
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
            mounting: scene.cmm_from_sensor.rotation,
            cmm_from_artefact: scene.cmm_from_artefact,
            measurements: 0,
        })
    }

    /// Rotates a module about an axis of the CMM; `None` if an argument is invalid.
    fn turn(&mut self, what: &str, turn: &str, degrees: &str) -> Option<()> {
        let axis = TURNS.iter().position(|own| own.eq_ignore_ascii_case(turn))?;
        let degrees = degrees.parse::<f64>().ok().filter(|degrees| degrees.abs() <= 30.0)?;
        let by = UnitQuaternion::from_scaled_axis(Vector::ith(axis, degrees.to_radians()));
        match what {
            "sensor" => self.mounting = by * self.mounting,
            "artefact" => self.cmm_from_artefact.rotation = by * self.cmm_from_artefact.rotation,
            _ => return None,
        }
        Some(())
    }

    /// Probes the artefact and takes a snapshot of it.
    fn measure(&mut self, clients: &Mutex<Clients>) -> Result<()> {
        self.measurements += 1;
        let mut random = Random::new(self.setting.seed, self.measurements);
        let (mounting, placement) = (&self.mounting, &self.cmm_from_artefact);
        let scene = trials::look(
            &self.setting,
            &self.made,
            self.handedness,
            mounting,
            placement,
            &mut random,
            self.measurements,
        )?;
        let mut text = String::new();
        if let Some(view) = scene.views.first() {
            let name = format!("snapshot-{:04}.ply", self.measurements);
            write::cloud(&self.folder.join(&name), &view.cloud)?;
            outln!("wrote {name}");
            text += &format!("POS {} {} {}\n", view.position_mm.x, view.position_mm.y, view.position_mm.z);
        }
        text += "BEGIN\n";
        for (region, points) in self.setting.artefact.artefact().regions().iter().zip(&scene.touches) {
            for point in points {
                text += &format!("TOUCH {} {} {} {}\n", region.short, point.x, point.y, point.z);
            }
        }
        clients.lock().unwrap_or_else(PoisonError::into_inner).send(text);
        Ok(())
    }

    fn print_truth(&self) {
        for (name, rotation) in [("artefact", &self.cmm_from_artefact.rotation), ("sensor", &self.mounting)] {
            let [roll, pitch, yaw] = Misalignment::of(rotation, &Matrix3::zeros()).angles_rad.map(f64::to_degrees);
            outln!("{name}: roll {roll:+.4}, pitch {pitch:+.4}, yaw {yaw:+.4} degrees are still to be turned");
        }
    }
}
