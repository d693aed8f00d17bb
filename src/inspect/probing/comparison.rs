//! Holes by drawing, scan, probe and converged probe, side by side.

use serde::{Deserialize, Serialize};

use super::touched::TouchedHole;
use base::{Result, signed, text_table};
use io::probing_csv::csv_text;
use io::probing_program::Place;

/// One hole.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// Its name.
    pub name: String,
    /// By its drawing.
    pub nominal: Place,
    /// By the scan.
    pub scan: Place,
    /// By the touches that started from the scan.
    pub probe: Option<Place>,
    /// By the last touches, with how sure they are.
    pub last: Option<TouchedHole>,
    /// Whether the last touches found it where the ones before had it.
    pub converged: bool,
    /// Rounds in which it was touched.
    pub rounds: usize,
    /// Results since then that held no touch of it.
    #[serde(default)]
    pub passed_over: usize,
    /// Fingerprint of the touches that were last evaluated: the same ones again are no new round.
    #[serde(default)]
    pub evaluated: Option<String>,
    /// How far its middle moved in the last round, mm.
    pub change_mm: Option<f64>,
    /// A sentence on what went wrong.
    pub note: Option<String>,
}

/// All holes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Comparison {
    /// In the order they were asked for.
    pub rows: Vec<Row>,
}

/// How two sources differ over all holes that both have, mm. Lateral is along the sheet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Differences {
    /// Holes compared.
    pub holes: usize,
    /// Largest lateral difference along any axis of the CMM.
    pub most_along_axis_mm: f64,
    /// Largest lateral distance.
    pub most_lateral_mm: f64,
    /// Least and greatest difference of the radii.
    pub radius_mm: [f64; 2],
}

impl Row {
    /// Its place by touches that found it where the ones before had it.
    pub fn settled(&self) -> Option<Place> {
        self.last.filter(|_| self.converged).map(|last| last.place)
    }
}

/// `one` as seen from `other`: lateral x, y, z, their length, and the difference of the radii, mm.
fn difference(one: &Place, other: &Place) -> [f64; 5] {
    let lateral = other.lateral(&one.centre);
    [lateral.x, lateral.y, lateral.z, lateral.norm(), one.radius_mm - other.radius_mm]
}

impl Differences {
    fn of(pairs: impl Iterator<Item = (Place, Place)>) -> Self {
        let mut all = Self { radius_mm: [f64::INFINITY, f64::NEG_INFINITY], ..Self::default() };
        for (one, other) in pairs {
            let [x, y, z, lateral, radius] = difference(&one, &other);
            all.holes += 1;
            all.most_along_axis_mm = [x, y, z].iter().fold(all.most_along_axis_mm, |most, own| most.max(own.abs()));
            all.most_lateral_mm = all.most_lateral_mm.max(lateral);
            all.radius_mm = [all.radius_mm[0].min(radius), all.radius_mm[1].max(radius)];
        }
        if all.holes == 0 { Self::default() } else { all }
    }
}

impl Comparison {
    /// The part against its drawing: converged less nominal.
    pub fn part(&self) -> Differences {
        Differences::of(self.rows.iter().filter_map(|row| Some((row.settled()?, row.nominal))))
    }

    /// The scan against the probe: scan less converged.
    pub fn scan(&self) -> Differences {
        Differences::of(self.rows.iter().filter_map(|row| Some((row.scan, row.settled()?))))
    }

    /// What probing again changed: converged less first touches.
    pub fn again(&self) -> Differences {
        Differences::of(self.rows.iter().filter_map(|row| Some((row.settled()?, row.probe?))))
    }

    /// Plain text: the places, the differences that matter, and what they amount to. Lengths in mm.
    pub fn text(&self) -> String {
        let place = |place: Option<Place>| match place {
            Some(own) => [own.centre.x, own.centre.y, own.radius_mm].map(|value| format!("{value:.3}")),
            None => ["-", "-", "-"].map(str::to_owned),
        };
        let places: Vec<Vec<String>> = self
            .rows
            .iter()
            .map(|row| {
                let four = [Some(row.nominal), Some(row.scan), row.probe, row.settled()];
                [row.name.clone()].into_iter().chain(four.into_iter().flat_map(place)).collect()
            })
            .collect();
        let titles = ["nominal", "scan", "probe", "converged"].map(|own| ["X", "Y", "R"].map(|x| format!("{own} {x}")));
        let titles: Vec<&str> = ["hole"].into_iter().chain(titles.iter().flatten().map(String::as_str)).collect();
        let apart = |one: Option<Place>, other: Option<Place>| match one.zip(other) {
            Some((one, other)) => {
                let [x, y, _, lateral, radius] = difference(&one, &other);
                [x, y, lateral, radius].map(|value| signed(value, 3))
            }
            None => ["-"; 4].map(str::to_owned),
        };
        let differences: Vec<Vec<String>> = self
            .rows
            .iter()
            .map(|row| {
                let mut cells = vec![row.name.clone()];
                cells.extend(apart(row.settled(), Some(row.nominal)));
                cells.extend(apart(Some(row.scan), row.settled()));
                let last = row.last.filter(|_| row.converged);
                cells.extend([
                    last.map_or("-".to_owned(), |last| format!("{:.4}", last.centre_uncertainty_mm)),
                    last.map_or("-".to_owned(), |last| format!("{:.4}", last.radius_uncertainty_mm)),
                    row.change_mm.map_or("-".to_owned(), |change| format!("{change:.4}")),
                    row.rounds.to_string(),
                ]);
                cells
            })
            .collect();
        let about = ["part", "scan"].map(|own| ["dX", "dY", "lateral", "dR"].map(|x| format!("{own} {x}")));
        let about = about.iter().flatten().map(String::as_str);
        let about: Vec<&str> =
            ["hole"].into_iter().chain(about).chain(["U middle", "U radius", "change", "rounds"]).collect();
        let mut text = text_table::aligned(&titles, &places);
        text += "\nPart: converged less nominal. Scan: scan less converged. U: expanded uncertainty, k = 2. In mm.\n";
        text += &text_table::aligned(&about, &differences);
        text.push('\n');
        for (what, all) in [("Part off its drawing", self.part()), ("Scan off the probe", self.scan())] {
            text += &format!(
                "{what}: up to {:.3} mm along an axis, {:.3} mm laterally; radii {:+.3} to {:+.3} mm ({} holes).\n",
                all.most_along_axis_mm, all.most_lateral_mm, all.radius_mm[0], all.radius_mm[1], all.holes
            );
        }
        self.rows.iter().filter_map(|row| row.note.as_ref()).for_each(|note| text += &format!("{note}\n"));
        text
    }

    /// The table for other programs: a line for each hole, empty cells where a place is not known.
    pub fn csv(&self) -> Result<String> {
        let place_titles = ["x_mm", "y_mm", "z_mm", "radius_mm"];
        let sources = ["nominal", "scan", "probe", "converged"];
        let mut titles = vec!["hole".to_owned()];
        titles.extend(sources.iter().flat_map(|own| place_titles.map(|title| format!("{own}_{title}"))));
        for pair in ["converged_less_nominal", "scan_less_converged"] {
            titles
                .extend(["dx_mm", "dy_mm", "dz_mm", "lateral_mm", "radius_mm"].map(|title| format!("{pair}_{title}")));
        }
        titles.extend(
            ["centre_uncertainty_mm", "radius_uncertainty_mm", "change_mm", "rounds", "note"].map(str::to_owned),
        );
        let numbers = |values: Option<Vec<f64>>, count: usize| match values {
            Some(values) => values.iter().map(f64::to_string).collect(),
            None => vec![String::new(); count],
        };
        let cells = |row: &Row| {
            let of = |place: Place| vec![place.centre.x, place.centre.y, place.centre.z, place.radius_mm];
            let apart = |one: Option<Place>, other: Option<Place>| {
                numbers(one.zip(other).map(|(one, other)| difference(&one, &other).to_vec()), 5)
            };
            let settled = row.settled();
            let mut cells = vec![row.name.clone()];
            for place in [Some(row.nominal), Some(row.scan), row.probe, settled] {
                cells.extend(numbers(place.map(of), 4));
            }
            cells.extend(apart(settled, Some(row.nominal)));
            cells.extend(apart(Some(row.scan), settled));
            let last = row.last.filter(|_| row.converged);
            cells.extend(numbers(last.map(|own| vec![own.centre_uncertainty_mm, own.radius_uncertainty_mm]), 2));
            cells.extend(numbers(row.change_mm.map(|change| vec![change]), 1));
            cells.extend([row.rounds.to_string(), row.note.clone().unwrap_or_default()]);
            cells
        };
        csv_text(&titles, self.rows.iter().map(cells))
    }
}
