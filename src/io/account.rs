//! What a file declares, holds, and what of it was read: one account for every reader.

use base::counted;
use serde::{Deserialize, Serialize};

/// Things of one kind in a file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Count {
    /// What is counted: one and several of it, such as “point” and “points”.
    pub name: [String; 2],
    /// Number that the file declares; `None` if it declares none.
    pub declared: Option<u64>,
    /// Number found.
    pub found: u64,
    /// Numbers that were left out, each with the reason.
    pub left_out: Vec<(u64, String)>,
}

impl Count {
    /// In words, such as “points: 91 found, 120 declared, 90 read”.
    pub fn words(&self) -> String {
        let [_, many] = &self.name;
        let declared = self.declared.map_or_else(String::new, |declared| format!(", {declared} declared"));
        format!("{many}: {} found{declared}, {} read", self.found, self.read())
    }

    /// Number read.
    pub fn read(&self) -> u64 {
        self.left_out.iter().fold(self.found, |left, (count, _)| left.saturating_sub(*count))
    }
}

/// The account of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Account {
    /// What it holds, by kind.
    pub counts: Vec<Count>,
    /// Bytes after the data that were not read.
    pub bytes_left_over: u64,
    /// Lines after the data that were not read.
    pub lines_left_over: u64,
    /// What the counts alone do not tell, as sentences.
    pub remarks: Vec<String>,
}

impl Account {
    /// Notes how many things of a kind were declared and found.
    pub fn count(&mut self, [one, many]: [&str; 2], declared: Option<u64>, found: u64) {
        self.counts.push(Count { name: [one.to_owned(), many.to_owned()], declared, found, left_out: Vec::new() });
    }

    /// Notes things of a kind that were found and left out.
    pub fn left_out(&mut self, [one, many]: [&str; 2], count: u64, why: &str) {
        if count == 0 {
            return;
        }
        let position = self.counts.iter().position(|own| own.name[0] == one).unwrap_or_else(|| {
            self.count([one, many], None, count);
            self.counts.len() - 1
        });
        if let Some(own) = self.counts.get_mut(position) {
            own.left_out.push((count, why.to_owned()));
        }
    }

    /// Notes whether a text that does not say how much it holds ends in the middle of a line.
    pub fn last_line(&mut self, is_terminated: bool) {
        if !is_terminated {
            self.remarks.push("Its last line has no end, as in a file that was cut short.".to_owned());
        }
    }

    /// Notes faces whose outlines cross themselves.
    pub fn crossed_faces(&mut self, count: u64) {
        if count > 0 {
            let faces =
                counted(count as usize, "face crosses itself, so that its", "faces cross themselves, so that their");
            self.remarks.push(format!("{faces} triangles are a guess."));
        }
    }

    /// What differs from what was declared, and what was left out, as sentences; empty if all was read.
    pub fn sentences(&self) -> Vec<String> {
        let mut sentences = Vec::new();
        for Count { name: [one, many], declared, found, left_out } in &self.counts {
            if let Some(declared) = declared.filter(|declared| declared != found) {
                let declared = counted(declared as usize, one, many);
                sentences.push(format!("The file declares {declared} and holds {found}."));
            }
            for (count, why) in left_out {
                let what = counted(*count as usize, &format!("{one} was"), &format!("{many} were"));
                sentences.push(format!("{what} left out: {why}."));
            }
        }
        let left_over = [
            (self.bytes_left_over, "byte after the data was not read", "bytes after the data were not read"),
            (self.lines_left_over, "line after the data was not read", "lines after the data were not read"),
        ];
        let left_over = left_over.into_iter().filter(|(count, ..)| *count > 0);
        sentences.extend(left_over.map(|(count, one, many)| format!("{}.", counted(count as usize, one, many))));
        sentences.extend(self.remarks.iter().cloned());
        sentences
    }
}

/// Why faces are left out.
pub const FEW_CORNERS: &str = "they have fewer than three corners";

/// One and several points, or vertices.
pub const POINTS: [&str; 2] = ["point", "points"];
/// One and several faces of any number of corners.
pub const FACES: [&str; 2] = ["face", "faces"];
/// One and several triangles.
pub const FACETS: [&str; 2] = ["triangle", "triangles"];
/// One and several objects of a scene or a build.
pub const OBJECTS: [&str; 2] = ["object", "objects"];
