//! What a measuring machine says over a line of text, TCP or serial: where it stands, and where it touched.
//!
//! One statement a line, words separated by blanks or commas, mm, ended by CR, LF or both, `#` begins a remark:
//!
//! ```text
//! POS x y z             the machine stands there
//! TOUCH REGION x y z    it touched a region of the artefact there
//! BEGIN                 touches from here on are of a new measurement
//! ```
//!
//! The line is read on a thread of its own. A line that is lost is said, and tried again every two seconds.

pub mod address;

use std::io::{ErrorKind, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::time::Duration;

pub use address::Address;

use base::{Result, UserError};
use geometry::Point;

/// What a machine said.
#[derive(Clone, Debug, PartialEq)]
pub enum Said {
    /// Where it stands, mm.
    Position(Point),
    /// Where it touched, mm.
    Touch {
        /// The region, as the machine names it.
        region: String,
        /// The place.
        place: Point,
    },
    /// A new measurement begins.
    Begin,
}

/// What happens on a line.
#[derive(Clone, Debug, PartialEq)]
pub enum Event {
    /// It is open.
    Opened,
    /// Why it is not, or not any more; it is tried again.
    Lost(String),
    /// A statement.
    Said(Said),
    /// Why a line was skipped.
    Skipped(String),
}

/// Bytes of the longest line.
pub const LONGEST: usize = 512;
/// Between two tries to open a line.
const RETRY: Duration = Duration::from_secs(2);
/// Events that wait to be taken in; the machine waits beyond that.
const WAITING: usize = 1024;

/// Takes bytes as they come, and makes events of whole lines.
#[derive(Clone, Debug, Default)]
pub struct Splitter {
    line: Vec<u8>,
    is_too_long: bool,
    after_return: bool,
    number: u64,
}

impl Splitter {
    /// What the lines that end in `bytes` say.
    pub fn push(&mut self, bytes: &[u8]) -> Vec<Event> {
        let mut events = Vec::new();
        for &byte in bytes {
            let ends = byte == b'\r' || byte == b'\n';
            // CR and LF together are one end.
            let is_second = byte == b'\n' && self.after_return;
            self.after_return = byte == b'\r';
            if ends && !is_second {
                events.extend(self.end_line());
            } else if !ends && self.line.len() < LONGEST {
                self.line.push(byte);
            } else if !ends {
                self.is_too_long = true;
            }
        }
        events
    }

    /// What is left when the line breaks off: half a line says nothing.
    pub fn torn(&mut self) -> Option<Event> {
        let is_torn = !self.line.is_empty();
        self.line.clear();
        self.number += u64::from(is_torn);
        is_torn.then(|| Event::Skipped(format!("Line {} broke off in its middle and was skipped.", self.number)))
    }

    fn end_line(&mut self) -> Option<Event> {
        self.number += 1;
        let number = self.number;
        let bytes = std::mem::take(&mut self.line);
        if std::mem::take(&mut self.is_too_long) {
            let text = format!("Line {number} is longer than {LONGEST} characters and was skipped.");
            return Some(Event::Skipped(text));
        }
        let text = String::from_utf8_lossy(&bytes);
        match parse(&text) {
            Ok(said) => said.map(Event::Said),
            Err(expected) => {
                let shown: String = text.chars().filter(|c| !c.is_control()).take(40).collect();
                Some(Event::Skipped(format!("Line {number}, “{shown}”, was skipped: {expected}.")))
            }
        }
    }
}

/// What a line says; nothing where it is empty or a remark. The error is what was expected.
pub fn parse(line: &str) -> std::result::Result<Option<Said>, &'static str> {
    let line = line.split('#').next().unwrap_or_default();
    let mut words = line.split(|c: char| c.is_whitespace() || c == ',').filter(|word| !word.is_empty());
    let Some(verb) = words.next() else { return Ok(None) };
    let rest: Vec<&str> = words.collect();
    let place = |words: &[&str]| -> Option<Point> {
        let [x, y, z] = words else { return None };
        let number = |word: &str| word.parse::<f64>().ok().filter(|value| value.abs() < 1e6);
        Some(Point::new(number(x)?, number(y)?, number(z)?))
    };
    match (verb.to_ascii_uppercase().as_str(), rest.as_slice()) {
        ("POS", words) => {
            let place = place(words).ok_or("POS and x, y, z in mm were expected")?;
            Ok(Some(Said::Position(place)))
        }
        ("TOUCH", [region, words @ ..]) => {
            let place = place(words).ok_or("TOUCH, a region and x, y, z in mm were expected")?;
            Ok(Some(Said::Touch { region: (*region).to_owned(), place }))
        }
        ("TOUCH", []) => Err("TOUCH, a region and x, y, z in mm were expected"),
        ("BEGIN", _) => Ok(Some(Said::Begin)),
        _ => Err("POS, TOUCH or BEGIN were expected"),
    }
}

/// A line that is read on a thread of its own, until it is dropped.
pub struct MachineLine {
    events: Receiver<Event>,
    stop: Arc<AtomicBool>,
}

impl MachineLine {
    /// Opens the line at `address`, see [`Address::of`]; `wake` is called whenever there is something new.
    pub fn open(address: &str, wake: impl Fn() + Send + 'static) -> Result<Self> {
        let address = Address::of(address)?;
        let (sender, events) = sync_channel(WAITING);
        let stop = Arc::new(AtomicBool::new(false));
        let talk = Talk { sender, stop: Arc::clone(&stop), wake: Box::new(wake) };
        let started = std::thread::Builder::new().name("machine line".into()).spawn(move || talk.run(&address));
        started.map_err(|error| UserError::internal(format!("No thread could be started: {error}.")))?;
        Ok(Self { events, stop })
    }

    /// What has happened since it was last asked, oldest first.
    pub fn events(&self) -> impl Iterator<Item = Event> {
        self.events.try_iter().take(WAITING)
    }
}

impl Drop for MachineLine {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
    }
}

/// The thread's end of a line.
struct Talk {
    sender: SyncSender<Event>,
    stop: Arc<AtomicBool>,
    wake: Box<dyn Fn() + Send>,
}

impl Talk {
    fn run(&self, address: &Address) {
        let mut said = None;
        while !self.is_stopped() {
            let reason = match address.open() {
                Ok(reader) => {
                    said = None;
                    self.send(Event::Opened);
                    self.follow(reader)
                }
                Err(error) => address::reason(&error),
            };
            // Said once, not at every try.
            if said.as_ref() != Some(&reason) {
                let text = format!("The line to the machine, {address}, is lost: {reason}. It is tried again.");
                self.send(Event::Lost(text));
                said = Some(reason);
            }
            self.rest(RETRY);
        }
    }

    /// Reads until the line is lost, and says why.
    fn follow(&self, mut reader: impl Read) -> String {
        let (mut splitter, mut buffer) = (Splitter::default(), [0; 4096]);
        let lost = loop {
            if self.is_stopped() {
                return String::new();
            }
            match reader.read(&mut buffer) {
                Ok(0) => break "the machine closed it".to_owned(),
                Ok(count) => {
                    splitter
                        .push(buffer.get(..count).unwrap_or_default())
                        .into_iter()
                        .for_each(|event| self.send(event));
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {
                    std::thread::sleep(Duration::from_millis(20));
                }
                Err(error) => break address::reason(&error),
            }
        };
        splitter.torn().into_iter().for_each(|event| self.send(event));
        lost
    }

    /// Waits while nobody takes events in, so that none is lost.
    fn send(&self, event: Event) {
        let mut waiting = Some(event);
        while let Some(event) = waiting.take() {
            match self.sender.try_send(event) {
                Ok(()) => (self.wake)(),
                Err(TrySendError::Full(event)) if !self.is_stopped() => {
                    waiting = Some(event);
                    std::thread::sleep(Duration::from_millis(10));
                }
                Err(_) => self.stop.store(true, Ordering::Relaxed),
            }
        }
    }

    fn rest(&self, time: Duration) {
        let started = std::time::Instant::now();
        while !self.is_stopped() && started.elapsed() < time {
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn touch(region: &str, x: f64, y: f64, z: f64) -> Event {
        Event::Said(Said::Touch { region: region.to_owned(), place: Point::new(x, y, z) })
    }

    #[test]
    fn lines_are_read_however_they_are_cut_and_ended() {
        let text = b"POS 1 2 3\r\nTOUCH LP 4,5,6\n\r\n# remark\rtouch su, 7.5, -8e1, +9 # so\nBEGIN\n";
        let right = [
            Event::Said(Said::Position(Point::new(1.0, 2.0, 3.0))),
            touch("LP", 4.0, 5.0, 6.0),
            touch("su", 7.5, -80.0, 9.0),
            Event::Said(Said::Begin),
        ];
        for piece in [1, 2, 7, text.len()] {
            let mut splitter = Splitter::default();
            let events: Vec<Event> = text.chunks(piece).flat_map(|bytes| splitter.push(bytes)).collect();
            assert_eq!(events, right, "pieces of {piece}");
            assert_eq!(splitter.torn(), None);
        }
    }

    #[test]
    fn malformed_lines_are_told_by_number_and_skipped() {
        let mut splitter = Splitter::default();
        let mut said = |text: &str| -> Vec<Event> { splitter.push(text.as_bytes()) };
        let skipped = |events: &[Event], number: u64, word: &str| match events {
            [Event::Skipped(text)] => {
                assert!(text.contains(&format!("Line {number}")) && text.contains(word), "{text}");
            }
            other => panic!("{other:?}"),
        };
        assert_eq!(said("POS 0 0 0\r\n").len(), 1);
        skipped(&said("POS 1 2\r\n"), 2, "x, y, z");
        skipped(&said("TOUCH\n"), 3, "a region");
        skipped(&said("TOUCH LP 1 2 NaN\n"), 4, "mm");
        skipped(&said("TOUCH LP 1 2 3 4\n"), 5, "mm");
        skipped(&said("MOVE 1 2 3\n"), 6, "POS, TOUCH or BEGIN");
        skipped(&said(&format!("POS {}\n", "9".repeat(5000))), 7, "longer");
        skipped(&said("POS 1e300 0 0\n"), 8, "POS and");
        assert_eq!(said("TOUCH LP 1 2 3\n"), [touch("LP", 1.0, 2.0, 3.0)]);
        assert!(said("TOUCH LP 1").is_empty());
        assert!(matches!(splitter.torn(), Some(Event::Skipped(text)) if text.contains("Line 10 broke off")));
    }
}
