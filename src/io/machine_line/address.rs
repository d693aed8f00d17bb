//! Where the line of a machine is: a network port, or a serial device with its speed and frame.

use std::fmt;
use std::io::{ErrorKind, Read};
use std::net::{TcpStream, ToSocketAddrs};
use std::path::{Path, PathBuf};
use std::time::Duration;

use serial2::{CharSize, Parity, SerialPort, Settings, StopBits};

use base::{Result, UserError};

/// How long a host may take to answer.
const ANSWERS_WITHIN: Duration = Duration::from_secs(2);
/// How long a read waits, so that the thread sees when it is to stop.
const WAIT: Duration = Duration::from_millis(100);

/// Where a line is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Address {
    /// A host and its port.
    Tcp(String),
    /// A serial device.
    Serial {
        /// Its path, or on Windows its name.
        device: PathBuf,
        /// How it talks.
        frame: Frame,
    },
}

/// How a serial line talks; without flow control.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Frame {
    /// Bits a second.
    pub speed: u32,
    /// Bits of a character.
    pub bits: CharSize,
    /// What the bit after them tells.
    pub parity: Parity,
    /// Bits that end it.
    pub stop: StopBits,
}

/// What most controllers of machines are delivered with.
impl Default for Frame {
    fn default() -> Self {
        Self { speed: 9600, bits: CharSize::Bits8, parity: Parity::None, stop: StopBits::One }
    }
}

impl Frame {
    /// From `9600` or `9600,7E1`.
    fn of(text: &str) -> Option<Self> {
        let (speed, letters) = text.split_once(',').unwrap_or((text, "8N1"));
        let speed = speed.trim().parse().ok().filter(|speed| (50..=4_000_000).contains(speed))?;
        let letters: Vec<char> = letters.trim().to_ascii_uppercase().chars().collect();
        let [bits, parity, stop] = letters[..] else { return None };
        let bits = match bits {
            '7' => CharSize::Bits7,
            '8' => CharSize::Bits8,
            _ => return None,
        };
        let parity = match parity {
            'N' => Parity::None,
            'E' => Parity::Even,
            'O' => Parity::Odd,
            _ => return None,
        };
        let stop = match stop {
            '1' => StopBits::One,
            '2' => StopBits::Two,
            _ => return None,
        };
        Some(Self { speed, bits, parity, stop })
    }

    fn set(self, mut settings: Settings) -> std::io::Result<Settings> {
        settings.set_raw();
        settings.set_baud_rate(self.speed)?;
        settings.set_char_size(self.bits);
        settings.set_parity(self.parity);
        settings.set_stop_bits(self.stop);
        Ok(settings)
    }
}

impl Address {
    /// From what was typed: `tcp://host:port`, or a serial device, after an @ its speed, and after a comma its frame:
    /// `/dev/ttyUSB0`, `/dev/ttyUSB0@19200`, `COM3@9600,7E1`.
    pub fn of(text: &str) -> Result<Self> {
        let text = text.trim();
        if let Some(host) = text.strip_prefix("tcp://") {
            let is_host = |(name, port): (&str, &str)| !name.is_empty() && is_port(port);
            if host.rsplit_once(':').is_some_and(is_host) {
                return Ok(Self::Tcp(host.to_owned()));
            }
        } else {
            let (device, frame) = match text.rsplit_once('@') {
                // Names of devices by their path hold such signs themselves.
                Some((device, frame)) if !frame.contains('/') => (device, Frame::of(frame)),
                _ => (text, Some(Frame::default())),
            };
            if let Some(frame) = frame.filter(|_| is_device(device)) {
                return Ok(Self::Serial { device: PathBuf::from(device), frame });
            }
        }
        Err(UserError::usage(format!(
            "“{text}” is no line to a machine: tcp://host:port is expected, or a serial device such as /dev/ttyUSB0, \
             with its speed and frame where they are not 9600,8N1: /dev/ttyUSB0@19200,7E1."
        )))
    }

    /// Opens it so that a read waits for a while, not for ever.
    pub(super) fn open(&self) -> std::io::Result<Box<dyn Read>> {
        match self {
            Self::Tcp(host) => {
                let mut last = std::io::Error::other("no such host");
                for address in host.to_socket_addrs()? {
                    match TcpStream::connect_timeout(&address, ANSWERS_WITHIN) {
                        Ok(stream) => {
                            stream.set_read_timeout(Some(WAIT))?;
                            return Ok(Box::new(stream));
                        }
                        Err(error) => last = error,
                    }
                }
                Err(last)
            }
            Self::Serial { device, frame } => {
                let refused = |error: std::io::Error| match error.kind() {
                    ErrorKind::Other => std::io::Error::other("the device does not take this speed or frame"),
                    _ => error,
                };
                let mut port = SerialPort::open(device, |settings| frame.set(settings)).map_err(refused)?;
                port.set_read_timeout(WAIT)?;
                Ok(Box::new(port))
            }
        }
    }
}

impl fmt::Display for Address {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tcp(host) => write!(out, "tcp://{host}"),
            Self::Serial { device, .. } => write!(out, "{}", device.display()),
        }
    }
}

fn is_port(text: &str) -> bool {
    text.parse::<u16>().is_ok_and(|port| port > 0)
}

fn is_device(text: &str) -> bool {
    let is_com = text.strip_prefix("COM").is_some_and(|number| number.parse::<u8>().is_ok());
    is_com || Path::new(text).is_absolute()
}

/// Why a line is not there, for people.
pub(super) fn reason(error: &std::io::Error) -> String {
    /// What Linux says of files that are no terminals.
    const NOT_A_TERMINAL: i32 = 25;
    match error.kind() {
        ErrorKind::ConnectionRefused => "nobody listens there".to_owned(),
        ErrorKind::NotFound => "there is no such device".to_owned(),
        ErrorKind::PermissionDenied => "permission is denied".to_owned(),
        ErrorKind::TimedOut => "nobody answers there".to_owned(),
        ErrorKind::ConnectionReset | ErrorKind::ConnectionAborted => "the machine broke it off".to_owned(),
        _ if error.raw_os_error() == Some(NOT_A_TERMINAL) => "it is no serial device".to_owned(),
        _ => error.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_hosts_with_ports_or_serial_devices_with_frames() {
        assert_eq!(Address::of(" tcp://localhost:4012 ").unwrap(), Address::Tcp("localhost:4012".into()));
        let serial = |device: &str, frame| Address::Serial { device: device.into(), frame };
        assert_eq!(Address::of("/dev/ttyUSB0").unwrap(), serial("/dev/ttyUSB0", Frame::default()));
        let fast = Frame { speed: 115_200, ..Frame::default() };
        assert_eq!(Address::of("/dev/ttyS1@115200").unwrap(), serial("/dev/ttyS1", fast));
        let by_path = "/dev/serial/by-path/usb@1/port0";
        assert_eq!(Address::of(by_path).unwrap(), serial(by_path, Frame::default()));
        let old = Frame { speed: 2400, bits: CharSize::Bits7, parity: Parity::Even, stop: StopBits::Two };
        assert_eq!(Address::of("COM3@2400, 7e2").unwrap(), serial("COM3", old));
        for wrong in [
            "",
            "tcp://localhost",
            "tcp://:1",
            "tcp://a:0",
            "tcp://a:99999",
            "ttyUSB0",
            "http://a:1",
            "COM",
            "/dev/ttyUSB0@",
            "/dev/ttyUSB0@fast",
            "/dev/ttyUSB0@1",
            "/dev/ttyUSB0@9600,8X1",
            "/dev/ttyUSB0@9600,8N",
        ] {
            assert!(Address::of(wrong).is_err(), "{wrong}");
        }
    }
}
