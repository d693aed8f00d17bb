//! The date and time of a report, UTC.

/// A civil date and time, UTC.
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
}

impl Stamp {
    /// Now, see [`unix_now`].
    pub fn now() -> Self {
        Self::of_unix(unix_now())
    }

    /// Of seconds since 1970 (days to civil date after H. Hinnant's published algorithm).
    pub fn of_unix(seconds: i64) -> Self {
        let (days, rest) = (seconds.div_euclid(86_400), seconds.rem_euclid(86_400));
        let shifted = days + 719_468;
        let era = shifted.div_euclid(146_097);
        let day_of_era = shifted.rem_euclid(146_097);
        let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
        let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        let part = (5 * day_of_year + 2) / 153;
        let month = if part < 10 { part + 3 } else { part - 9 };
        Self {
            year: (year_of_era + era * 400 + i64::from(month <= 2)) as i32,
            month: month as u8,
            day: (day_of_year - (153 * part + 2) / 5 + 1) as u8,
            hour: (rest / 3600) as u8,
            minute: (rest / 60 % 60) as u8,
            second: (rest % 60) as u8,
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
        let Self { year, month, day, hour, minute, second } = self;
        write!(f, "{year:04}-{month:02}-{day:02} {hour:02}:{minute:02}:{second:02} UTC")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_days_come_out_right() {
        assert_eq!(Stamp::of_unix(0).to_string(), "1970-01-01 00:00:00 UTC");
        assert_eq!(Stamp::of_unix(951_827_696).to_string(), "2000-02-29 12:34:56 UTC");
        assert_eq!(Stamp::of_unix(1_772_323_199).to_string(), "2026-02-28 23:59:59 UTC");
    }
}
