//! Address of a machine connection: a TCP host and port, or a serial device with baud rate and frame format.

use std::fmt;
use std::io::{ErrorKind, Read};
use std::net::{TcpStream, ToSocketAddrs};
use std::path::{Path, PathBuf};
use std::time::Duration;

use serial2::{CharSize, Parity, SerialPort, Settings, StopBits};

use base::{Result, UserError};

/// Timeout for connecting to a host.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(2);
/// Timeout of a read, so that the reader thread notices when it is to stop.
const READ_TIMEOUT: Duration = Duration::from_millis(100);

/// Address of a machine connection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Address {
    /// TCP `host:port`.
    Tcp(String),
    /// Serial device.
    Serial {
        /// Device path, or on Windows its name.
        device: PathBuf,
        /// Baud rate and frame format.
        frame: Frame,
    },
}

/// Baud rate and frame format of a serial connection, without flow control.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Frame {
    /// Baud rate, bits per second.
    pub baud_rate: u32,
    /// Data bits per character.
    pub data_bits: CharSize,
    /// Parity bit.
    pub parity: Parity,
    /// Stop bits per character.
    pub stop_bits: StopBits,
}

/// 9600 baud, 8N1: the factory setting of most CMM controllers.
impl Default for Frame {
    fn default() -> Self {
        Self { baud_rate: 9600, data_bits: CharSize::Bits8, parity: Parity::None, stop_bits: StopBits::One }
    }
}

impl Frame {
    /// Parses `9600` or `9600,7E1`: 50 to 4,000,000 baud, 7 or 8 data bits, parity N, E or O, 1 or 2 stop bits.
    fn parse(text: &str) -> Option<Self> {
        let (baud_rate, format) = text.split_once(',').unwrap_or((text, "8N1"));
        let baud_rate = baud_rate.trim().parse().ok().filter(|rate| (50..=4_000_000).contains(rate))?;
        let format: Vec<char> = format.trim().to_ascii_uppercase().chars().collect();
        let [data_bits, parity, stop_bits] = format[..] else { return None };
        let data_bits = match data_bits {
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
        let stop_bits = match stop_bits {
            '1' => StopBits::One,
            '2' => StopBits::Two,
            _ => return None,
        };
        Some(Self { baud_rate, data_bits, parity, stop_bits })
    }

    fn apply_to(self, mut settings: Settings) -> std::io::Result<Settings> {
        settings.set_raw();
        settings.set_baud_rate(self.baud_rate)?;
        settings.set_char_size(self.data_bits);
        settings.set_parity(self.parity);
        settings.set_stop_bits(self.stop_bits);
        Ok(settings)
    }
}

impl Address {
    /// Parses `tcp://host:port`, or a serial device with an optional baud rate after `@` and an optional frame format
    /// after a comma: `/dev/ttyUSB0`, `/dev/ttyUSB0@19200`, `COM3@9600,7E1`. Returns an error if `text` is neither.
    pub fn parse(text: &str) -> Result<Self> {
        let text = text.trim();
        if let Some(host) = text.strip_prefix("tcp://") {
            let is_host = |(name, port): (&str, &str)| !name.is_empty() && is_port(port);
            if host.rsplit_once(':').is_some_and(is_host) {
                return Ok(Self::Tcp(host.to_owned()));
            }
        } else {
            let (device, frame) = match text.rsplit_once('@') {
                // Device names under /dev/serial/by-path may contain `@` themselves.
                Some((device, frame)) if !frame.contains('/') => (device, Frame::parse(frame)),
                _ => (text, Some(Frame::default())),
            };
            if let Some(frame) = frame.filter(|_| is_device(device)) {
                return Ok(Self::Serial { device: PathBuf::from(device), frame });
            }
        }
        Err(UserError::usage(format!(
            "“{text}” is not a CMM connection: tcp://host:port is expected, or a serial device such as /dev/ttyUSB0, \
             with baud rate and frame format if they differ from 9600,8N1: /dev/ttyUSB0@19200,7E1."
        )))
    }

    /// Opens the connection, with a read timeout.
    pub(super) fn open(&self) -> std::io::Result<Box<dyn Read>> {
        match self {
            Self::Tcp(host) => {
                let mut last = std::io::Error::other("no such host");
                for address in host.to_socket_addrs()? {
                    match TcpStream::connect_timeout(&address, CONNECT_TIMEOUT) {
                        Ok(stream) => {
                            stream.set_read_timeout(Some(READ_TIMEOUT))?;
                            return Ok(Box::new(stream));
                        }
                        Err(error) => last = error,
                    }
                }
                Err(last)
            }
            Self::Serial { device, frame } => {
                let refused = |error: std::io::Error| match error.kind() {
                    ErrorKind::Other => {
                        std::io::Error::other("the device does not support this baud rate or frame format")
                    }
                    _ => error,
                };
                let mut port = SerialPort::open(device, |settings| frame.apply_to(settings)).map_err(refused)?;
                port.set_read_timeout(READ_TIMEOUT)?;
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

/// Reason why a connection failed, for messages.
pub(super) fn failure_reason(error: &std::io::Error) -> String {
    /// `ENOTTY` on Linux.
    const NOT_A_TERMINAL: i32 = 25;
    match error.kind() {
        ErrorKind::ConnectionRefused => "connection refused".to_owned(),
        ErrorKind::NotFound => "there is no such device".to_owned(),
        ErrorKind::PermissionDenied => "permission is denied".to_owned(),
        ErrorKind::TimedOut => "no response".to_owned(),
        ErrorKind::ConnectionReset | ErrorKind::ConnectionAborted => "the CMM reset the connection".to_owned(),
        _ if error.raw_os_error() == Some(NOT_A_TERMINAL) => "it is not a serial device".to_owned(),
        _ => error.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_hosts_with_ports_or_serial_devices_with_frames() {
        assert_eq!(Address::parse(" tcp://localhost:4012 ").unwrap(), Address::Tcp("localhost:4012".into()));
        let serial = |device: &str, frame| Address::Serial { device: device.into(), frame };
        assert_eq!(Address::parse("/dev/ttyUSB0").unwrap(), serial("/dev/ttyUSB0", Frame::default()));
        let fast = Frame { baud_rate: 115_200, ..Frame::default() };
        assert_eq!(Address::parse("/dev/ttyS1@115200").unwrap(), serial("/dev/ttyS1", fast));
        let by_path = "/dev/serial/by-path/usb@1/port0";
        assert_eq!(Address::parse(by_path).unwrap(), serial(by_path, Frame::default()));
        let old = Frame { baud_rate: 2400, data_bits: CharSize::Bits7, parity: Parity::Even, stop_bits: StopBits::Two };
        assert_eq!(Address::parse("COM3@2400, 7e2").unwrap(), serial("COM3", old));
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
            assert!(Address::parse(wrong).is_err(), "{wrong}");
        }
    }
}
