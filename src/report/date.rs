//! The date and time of a report, where it was made.

use jiff::{Timestamp, tz::TimeZone};

/// A civil date and time with its zone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stamp {
    /// Year.
    pub year: i32,
    /// Month, 1 to 12.
    pub month: u8,
    /// Day, 1 to 31.
    pub day: u8,
    /// Hour.
    pub hour: u8,
    /// Minute.
    pub minute: u8,
    /// Second.
    pub second: u8,
    /// How far the zone's clocks are ahead of UTC, minutes.
    pub offset_minutes: i32,
}

impl Stamp {
    /// Now, see [`unix_now`].
    pub fn now() -> Self {
        Self::of_unix(unix_now())
    }

    /// Of seconds since 1970, in the zone of this machine.
    pub fn of_unix(seconds: i64) -> Self {
        Self::in_zone(seconds, TimeZone::system())
    }

    fn in_zone(seconds: i64, zone: TimeZone) -> Self {
        let nearest = seconds.clamp(Timestamp::MIN.as_second(), Timestamp::MAX.as_second());
        let then = Timestamp::from_second(nearest).unwrap_or_default().to_zoned(zone);
        Self {
            year: i32::from(then.year()),
            month: then.month().unsigned_abs(),
            day: then.day().unsigned_abs(),
            hour: then.hour().unsigned_abs(),
            minute: then.minute().unsigned_abs(),
            second: then.second().unsigned_abs(),
            offset_minutes: then.offset().seconds() / 60,
        }
    }
}

/// Seconds since 1970, or what the environment variable `SOURCE_DATE_EPOCH` says, for reports that must be the same
/// bytes again.
pub fn unix_now() -> i64 {
    let fixed = std::env::var("SOURCE_DATE_EPOCH").ok().and_then(|text| text.parse().ok());
    let clock = || {
        let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
        since.map_or(0, |duration| duration.as_secs() as i64)
    };
    fixed.unwrap_or_else(clock)
}

impl std::fmt::Display for Stamp {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { year, month, day, hour, minute, second, offset_minutes } = self;
        write!(f, "{year:04}-{month:02}-{day:02} {hour:02}:{minute:02}:{second:02} ")?;
        match offset_minutes {
            0 => write!(f, "UTC"),
            offset => {
                let (sign, size) = (if *offset < 0 { '-' } else { '+' }, offset.abs());
                write!(f, "UTC{sign}{:02}:{:02}", size / 60, size % 60)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_days_come_out_right() {
        let utc = |seconds| Stamp::in_zone(seconds, TimeZone::UTC).to_string();
        assert_eq!(utc(0), "1970-01-01 00:00:00 UTC");
        assert_eq!(utc(951_827_696), "2000-02-29 12:34:56 UTC");
        assert_eq!(utc(1_772_323_199), "2026-02-28 23:59:59 UTC");
        let there = |seconds, minutes: i32| {
            let zone = jiff::tz::Offset::from_seconds(60 * minutes).unwrap().to_time_zone();
            Stamp::in_zone(seconds, zone).to_string()
        };
        assert_eq!(there(1_772_323_199, 60), "2026-03-01 00:59:59 UTC+01:00");
        assert_eq!(there(0, -210), "1969-12-31 20:30:00 UTC-03:30");
        // Nonsense is a date too.
        assert!(!utc(i64::MAX).is_empty());
    }
}
