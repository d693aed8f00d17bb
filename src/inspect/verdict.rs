//! Verdicts on parts and checks.

use serde::{Deserialize, Serialize};

/// Verdict on a part or on one of its checks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// Everything required was measured and is in tolerance.
    Pass,
    /// Something is out of tolerance.
    Fail,
    /// Nothing was found out of tolerance, but the data do not suffice for a PASS.
    Incomplete,
}

impl Verdict {
    /// Name in the window and on reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Pass => "PASS",
            Self::Fail => "FAIL",
            Self::Incomplete => "INCOMPLETE",
        }
    }

    /// The verdict followed by what it applies to (`covers`, may be empty), in one line.
    pub fn headline(self, covers: &str) -> String {
        if covers.is_empty() { self.name().to_owned() } else { format!("{} {covers}", self.name()) }
    }

    /// Combines two verdicts: the worse of the two, with FAIL worse than INCOMPLETE worse than PASS.
    pub fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::Fail, _) | (_, Self::Fail) => Self::Fail,
            (Self::Incomplete, _) | (_, Self::Incomplete) => Self::Incomplete,
            (Self::Pass, Self::Pass) => Self::Pass,
        }
    }
}
