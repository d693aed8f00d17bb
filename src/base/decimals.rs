//! With how many decimals lengths are shown, in the window and on paper. Files for programs keep all figures.

use std::cell::Cell;
use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::words::signed;

/// The decimals that most deviations in mm are shown with. What is usually shown with more or fewer, such as mean values
/// or positions, keeps its distance from them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "u8", into = "u8")]
pub struct Decimals(u8);

/// As it is usually.
const USUAL: u8 = 3;

impl Decimals {
    /// All choices, in the order of menus.
    pub const ALL: [Self; 4] = [Self(2), Self(USUAL), Self(4), Self(5)];

    /// Their number.
    pub fn count(self) -> u8 {
        self.0
    }

    /// Whether they are the usual ones.
    pub fn is_usual(&self) -> bool {
        self.0 == USUAL
    }

    /// Does something with these decimals, and goes on with those before.
    pub fn within<T>(self, work: impl FnOnce() -> T) -> T {
        struct Before(Decimals);
        impl Drop for Before {
            fn drop(&mut self) {
                DECIMALS.set(self.0);
            }
        }
        let _before = Before(DECIMALS.replace(self));
        work()
    }
}

impl Default for Decimals {
    fn default() -> Self {
        Self(USUAL)
    }
}

impl TryFrom<u8> for Decimals {
    type Error = String;

    fn try_from(count: u8) -> Result<Self, String> {
        let own = Self::ALL.into_iter().find(|own| own.0 == count);
        own.ok_or_else(|| format!("2 to 5 decimals were expected, not {count}"))
    }
}

impl From<Decimals> for u8 {
    fn from(Decimals(count): Decimals) -> Self {
        count
    }
}

impl FromStr for Decimals {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let count: u8 = text.trim().parse().map_err(|_| format!("2 to 5 decimals were expected, not “{text}”"))?;
        Self::try_from(count)
    }
}

impl fmt::Display for Decimals {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}", self.0)
    }
}

thread_local! {
    static DECIMALS: Cell<Decimals> = const { Cell::new(Decimals(USUAL)) };
}

/// Sets the decimals that this thread shows lengths with.
pub fn set_decimals(decimals: Decimals) {
    DECIMALS.set(decimals);
}

/// The decimals of a length that usually has `usual`, as this thread shows it.
pub fn decimals(usual: usize) -> usize {
    (usual + usize::from(DECIMALS.get().0)).saturating_sub(usize::from(USUAL))
}

/// A length that usually has `usual` decimals, without its unit.
pub fn length_text(mm: f64, usual: usize) -> String {
    let digits = decimals(usual);
    format!("{mm:.digits$}")
}

/// A position, without its unit.
pub fn position_text(mm: [f64; 3], usual: usize) -> String {
    mm.map(|mm| length_text(mm, usual)).join(", ")
}

/// A length with its sign; what rounds to zero has none.
pub fn signed_length(mm: f64, usual: usize) -> String {
    signed(mm, decimals(usual))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_follow_the_chosen_decimals_and_usual_ones_come_back() {
        let shown = || {
            [length_text(1.234_567, 3), length_text(1.234_567, 4), length_text(12.345_678, 1), signed_length(-0.004, 3)]
        };
        let usual = ["1.235", "1.2346", "12.3", "-0.004"];
        assert_eq!(shown(), usual);
        assert_eq!(Decimals(2).within(shown), ["1.23", "1.235", "12", "0.00"]);
        assert_eq!(Decimals(5).within(shown), ["1.23457", "1.234567", "12.346", "-0.00400"]);
        assert_eq!(shown(), usual);
        set_decimals(Decimals(4));
        assert_eq!(std::thread::spawn(|| length_text(0.5, 3)).join().unwrap(), "0.500", "each thread has its own");
        assert_eq!(length_text(0.5, 3), "0.5000");
    }

    #[test]
    fn only_two_to_five_are_choices() {
        assert_eq!(Decimals::ALL.map(Decimals::count), [2, 3, 4, 5]);
        assert_eq!(" 4 ".parse::<Decimals>(), Ok(Decimals(4)));
        for text in ["1", "6", "-2", "300", "many", ""] {
            assert!(text.parse::<Decimals>().is_err(), "{text}");
        }
    }
}
