//! What judging comes to.

use serde::{Deserialize, Serialize};

/// The verdict on a part, or on one thing that was asked of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// All that was asked for was measured and is in tolerance.
    Pass,
    /// Something is out of tolerance.
    Fail,
    /// Nothing is known to be out of tolerance, but too little is known.
    Incomplete,
}

impl Verdict {
    /// As it is printed.
    pub fn name(self) -> &'static str {
        match self {
            Self::Pass => "PASS",
            Self::Fail => "FAIL",
            Self::Incomplete => "INCOMPLETE",
        }
    }

    /// With what it covers, in one line.
    pub fn headline(self, covers: &str) -> String {
        if covers.is_empty() { self.name().to_owned() } else { format!("{} {covers}", self.name()) }
    }

    /// What two verdicts together come to: one failure fails, and what is not known is not passed.
    pub fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::Fail, _) | (_, Self::Fail) => Self::Fail,
            (Self::Incomplete, _) | (_, Self::Incomplete) => Self::Incomplete,
            (Self::Pass, Self::Pass) => Self::Pass,
        }
    }
}
