//! Connection to a CMM over TCP or a serial port, on which the CMM reports its position and its touches as text.
//!
//! One statement per line, words separated by blanks or commas, coordinates in mm, lines ended by CR, LF or both,
//! comments from `#`:
//!
//! ```text
//! POS x y z             current position of the CMM
//! TOUCH REGION x y z    touch on a region of the artefact
//! BEGIN                 the touches that follow belong to a new measurement
//! ```
//!
//! The connection is read on a separate thread. If it is lost, this is reported once, and the thread tries to reconnect
//! every two seconds.

pub mod address;

use std::io::{ErrorKind, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::time::Duration;

pub use address::Address;

use base::{Result, UserError};
use geometry::Point;

/// A statement of the CMM.
#[derive(Clone, Debug, PartialEq)]
pub enum Statement {
    /// Current position, mm.
    Position(Point),
    /// A touch.
    Touch {
        /// Region of the artefact, as named by the CMM.
        region: String,
        /// Reported point, mm.
        place: Point,
    },
    /// Start of a new measurement.
    Begin,
}

/// An event of the connection.
#[derive(Clone, Debug, PartialEq)]
pub enum Event {
    /// The connection was opened.
    Opened,
    /// The connection could not be opened or was lost, with the reason; the thread keeps trying to reconnect.
    Lost(String),
    /// A statement was received.
    Statement(Statement),
    /// A line was skipped, with the reason.
    Skipped(String),
}

/// Longest line, bytes.
pub const MAX_LINE_BYTES: usize = 512;
/// Time between two attempts to connect.
const RETRY_INTERVAL: Duration = Duration::from_secs(2);
/// Capacity of the event queue; when it is full, reading pauses.
const EVENT_QUEUE_CAPACITY: usize = 1024;

/// Splits received bytes into lines and parses complete lines into events.
#[derive(Clone, Debug, Default)]
pub struct LineParser {
    line: Vec<u8>,
    is_too_long: bool,
    is_after_cr: bool,
    line_number: u64,
}

impl LineParser {
    /// Events of the lines that end within `bytes`.
    pub fn push(&mut self, bytes: &[u8]) -> Vec<Event> {
        let mut events = Vec::new();
        for &byte in bytes {
            let ends = byte == b'\r' || byte == b'\n';
            // CR LF is one line end.
            let is_second = byte == b'\n' && self.is_after_cr;
            self.is_after_cr = byte == b'\r';
            if ends && !is_second {
                events.extend(self.end_line());
            } else if !ends && self.line.len() < MAX_LINE_BYTES {
                self.line.push(byte);
            } else if !ends {
                self.is_too_long = true;
            }
        }
        events
    }

    /// Discards an incomplete last line when the connection is lost, and reports it.
    pub fn finish(&mut self) -> Option<Event> {
        let is_incomplete = !self.line.is_empty();
        self.line.clear();
        self.line_number += u64::from(is_incomplete);
        is_incomplete.then(|| Event::Skipped(format!("Line {} is incomplete and was skipped.", self.line_number)))
    }

    fn end_line(&mut self) -> Option<Event> {
        self.line_number += 1;
        let number = self.line_number;
        let bytes = std::mem::take(&mut self.line);
        if std::mem::take(&mut self.is_too_long) {
            let text = format!("Line {number} is longer than {MAX_LINE_BYTES} characters and was skipped.");
            return Some(Event::Skipped(text));
        }
        let text = String::from_utf8_lossy(&bytes);
        match parse(&text) {
            Ok(said) => said.map(Event::Statement),
            Err(expected) => {
                let shown: String = text.chars().filter(|c| !c.is_control()).take(40).collect();
                Some(Event::Skipped(format!("Line {number}, “{shown}”, was skipped: {expected}.")))
            }
        }
    }
}

/// Parses one line; `None` if it is blank or a comment. The error says what was expected.
pub fn parse(line: &str) -> std::result::Result<Option<Statement>, &'static str> {
    let line = line.split('#').next().unwrap_or_default();
    let mut words = line.split(|c: char| c.is_whitespace() || c == ',').filter(|word| !word.is_empty());
    let Some(verb) = words.next() else { return Ok(None) };
    let rest: Vec<&str> = words.collect();
    let point = |words: &[&str]| -> Option<Point> {
        let [x, y, z] = words else { return None };
        let number = |word: &str| word.parse::<f64>().ok().filter(|value| value.abs() < 1e6);
        Some(Point::new(number(x)?, number(y)?, number(z)?))
    };
    match (verb.to_ascii_uppercase().as_str(), rest.as_slice()) {
        ("POS", words) => {
            let position = point(words).ok_or("POS and x, y, z in mm were expected")?;
            Ok(Some(Statement::Position(position)))
        }
        ("TOUCH", [region, words @ ..]) => {
            let place = point(words).ok_or("TOUCH, a region and x, y, z in mm were expected")?;
            Ok(Some(Statement::Touch { region: (*region).to_owned(), place }))
        }
        ("TOUCH", []) => Err("TOUCH, a region and x, y, z in mm were expected"),
        ("BEGIN", _) => Ok(Some(Statement::Begin)),
        _ => Err("POS, TOUCH or BEGIN were expected"),
    }
}

/// Connection to a CMM, read on a separate thread until it is dropped.
pub struct CmmConnection {
    events: Receiver<Event>,
    stop: Arc<AtomicBool>,
}

impl CmmConnection {
    /// Starts connecting to `address`, in the format of [`Address::parse`]. `wake` is called on the reader thread after
    /// every event. Returns an error if `address` is invalid.
    pub fn open(address: &str, wake: impl Fn() + Send + 'static) -> Result<Self> {
        let address = Address::parse(address)?;
        let (sender, events) = sync_channel(EVENT_QUEUE_CAPACITY);
        let stop = Arc::new(AtomicBool::new(false));
        let reader = ReaderThread { sender, stop: Arc::clone(&stop), wake: Box::new(wake) };
        let started = std::thread::Builder::new().name("machine line".into()).spawn(move || reader.run(&address));
        started.map_err(|error| UserError::internal(format!("No thread could be started: {error}.")))?;
        Ok(Self { events, stop })
    }

    /// Events since the last call, oldest first.
    pub fn events(&self) -> impl Iterator<Item = Event> {
        self.events.try_iter().take(EVENT_QUEUE_CAPACITY)
    }
}

impl Drop for CmmConnection {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
    }
}

/// State of the reader thread.
struct ReaderThread {
    sender: SyncSender<Event>,
    stop: Arc<AtomicBool>,
    wake: Box<dyn Fn() + Send>,
}

impl ReaderThread {
    fn run(&self, address: &Address) {
        let mut reported = None;
        while !self.is_stopped() {
            let reason = match address.open() {
                Ok(reader) => {
                    reported = None;
                    self.send(Event::Opened);
                    self.read_until_lost(reader)
                }
                Err(error) => address::failure_reason(&error),
            };
            // Reported once, not at every attempt.
            if reported.as_ref() != Some(&reason) {
                let text = format!("The connection to the CMM at {address} is lost: {reason}. Reconnecting.");
                self.send(Event::Lost(text));
                reported = Some(reason);
            }
            self.pause(RETRY_INTERVAL);
        }
    }

    /// Reads until the connection is lost, and returns the reason.
    fn read_until_lost(&self, mut reader: impl Read) -> String {
        let (mut parser, mut buffer) = (LineParser::default(), [0; 4096]);
        let lost = loop {
            if self.is_stopped() {
                return String::new();
            }
            match reader.read(&mut buffer) {
                Ok(0) => break "the CMM closed the connection".to_owned(),
                Ok(count) => {
                    parser.push(buffer.get(..count).unwrap_or_default()).into_iter().for_each(|event| self.send(event));
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {
                    std::thread::sleep(Duration::from_millis(20));
                }
                Err(error) => break address::failure_reason(&error),
            }
        };
        parser.finish().into_iter().for_each(|event| self.send(event));
        lost
    }

    /// Waits while the event queue is full, so that no event is lost.
    fn send(&self, event: Event) {
        let mut pending = Some(event);
        while let Some(event) = pending.take() {
            match self.sender.try_send(event) {
                Ok(()) => (self.wake)(),
                Err(TrySendError::Full(event)) if !self.is_stopped() => {
                    pending = Some(event);
                    std::thread::sleep(Duration::from_millis(10));
                }
                Err(_) => self.stop.store(true, Ordering::Relaxed),
            }
        }
    }

    /// Sleeps for `time`, or until the connection is dropped.
    fn pause(&self, time: Duration) {
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
        Event::Statement(Statement::Touch { region: region.to_owned(), place: Point::new(x, y, z) })
    }

    #[test]
    fn lines_are_parsed_with_any_split_and_line_end() {
        let text = b"POS 1 2 3\r\nTOUCH LP 4,5,6\n\r\n# remark\rtouch su, 7.5, -8e1, +9 # so\nBEGIN\n";
        let expected = [
            Event::Statement(Statement::Position(Point::new(1.0, 2.0, 3.0))),
            touch("LP", 4.0, 5.0, 6.0),
            touch("su", 7.5, -80.0, 9.0),
            Event::Statement(Statement::Begin),
        ];
        for chunk_bytes in [1, 2, 7, text.len()] {
            let mut parser = LineParser::default();
            let events: Vec<Event> = text.chunks(chunk_bytes).flat_map(|bytes| parser.push(bytes)).collect();
            assert_eq!(events, expected, "chunks of {chunk_bytes}");
            assert_eq!(parser.finish(), None);
        }
    }

    #[test]
    fn malformed_lines_are_reported_by_number_and_skipped() {
        let mut parser = LineParser::default();
        let mut said = |text: &str| -> Vec<Event> { parser.push(text.as_bytes()) };
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
        assert!(matches!(parser.finish(), Some(Event::Skipped(text)) if text.contains("Line 10 is incomplete")));
    }
}
