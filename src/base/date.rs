//! Date and time stamp of reports, in the local time zone.

use jiff::{Timestamp, tz::TimeZone};

/// Civil date and time with UTC offset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stamp {
    /// Year.
    pub year: i32,
    /// Month, 1 to 12.
    pub month: u8,
    /// Day, 1 to 31.
    pub day: u8,
    /// Hour, 0 to 23.
    pub hour: u8,
    /// Minute, 0 to 59.
    pub minute: u8,
    /// Second, 0 to 59.
    pub second: u8,
    /// UTC offset, minutes, positive east of Greenwich.
    pub offset_minutes: i32,
}

impl Stamp {
    /// Stamp of the current time, see [`unix_now`].
    pub fn now() -> Self {
        Self::of_unix(unix_now())
    }

    /// Stamp of a Unix time, s, in the time zone of the computer; clamped to the representable range.
    pub fn of_unix(seconds: i64) -> Self {
        Self::in_zone(seconds, TimeZone::system())
    }

    fn in_zone(seconds: i64, zone: TimeZone) -> Self {
        let clamped = seconds.clamp(Timestamp::MIN.as_second(), Timestamp::MAX.as_second());
        let local = Timestamp::from_second(clamped).unwrap_or_default().to_zoned(zone);
        Self {
            year: i32::from(local.year()),
            month: local.month().unsigned_abs(),
            day: local.day().unsigned_abs(),
            hour: local.hour().unsigned_abs(),
            minute: local.minute().unsigned_abs(),
            second: local.second().unsigned_abs(),
            offset_minutes: local.offset().seconds() / 60,
        }
    }
}

/// Unix time, s, or the value of the environment variable `SOURCE_DATE_EPOCH`, for byte-identical reports.
pub fn unix_now() -> i64 {
    let overridden = std::env::var("SOURCE_DATE_EPOCH").ok().and_then(|text| text.parse().ok());
    let clock = || {
        let elapsed = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
        elapsed.map_or(0, |duration| duration.as_secs() as i64)
    };
    overridden.unwrap_or_else(clock)
}

impl std::fmt::Display for Stamp {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { year, month, day, hour, minute, second, offset_minutes } = self;
        write!(f, "{year:04}-{month:02}-{day:02} {hour:02}:{minute:02}:{second:02} ")?;
        match offset_minutes {
            0 => write!(f, "UTC"),
            offset => {
                let (sign, minutes) = (if *offset < 0 { '-' } else { '+' }, offset.abs());
                write!(f, "UTC{sign}{:02}:{:02}", minutes / 60, minutes % 60)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_dates_are_formatted_with_their_utc_offset() {
        let utc = |seconds| Stamp::in_zone(seconds, TimeZone::UTC).to_string();
        assert_eq!(utc(0), "1970-01-01 00:00:00 UTC");
        assert_eq!(utc(951_827_696), "2000-02-29 12:34:56 UTC");
        assert_eq!(utc(1_772_323_199), "2026-02-28 23:59:59 UTC");
        let local = |seconds, minutes: i32| {
            let zone = jiff::tz::Offset::from_seconds(60 * minutes).unwrap().to_time_zone();
            Stamp::in_zone(seconds, zone).to_string()
        };
        assert_eq!(local(1_772_323_199, 60), "2026-03-01 00:59:59 UTC+01:00");
        assert_eq!(local(0, -210), "1969-12-31 20:30:00 UTC-03:30");
        // Out-of-range times are clamped.
        assert!(!utc(i64::MAX).is_empty());
    }
}
