//! Comparison of holes by nominal, scan, first probing cycle and converged probing.

use serde::{Deserialize, Serialize};

use super::probed_hole::ProbedHole;
use base::{Result, signed, text_table};
use io::probing_csv::csv_text;
use io::probing_program::HoleGeometry;

/// One hole.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// Name of the hole.
    pub name: String,
    /// Nominal geometry.
    pub nominal: HoleGeometry,
    /// Geometry from the scan.
    pub scan: HoleGeometry,
    /// Geometry from the first probing cycle.
    pub probe: Option<HoleGeometry>,
    /// Result of the last probing cycle, with its uncertainty.
    pub last: Option<ProbedHole>,
    /// Whether the last two probing cycles agree.
    pub converged: bool,
    /// Number of probing cycles in which it was probed.
    pub rounds: usize,
    /// Number of results since then without a probed point of it.
    #[serde(default)]
    pub passed_over: usize,
    /// Fingerprint of the probed points evaluated last: the same points again are not a new cycle.
    #[serde(default)]
    pub evaluated: Option<String>,
    /// Displacement of its centre in the last cycle, mm.
    pub change_mm: Option<f64>,
    /// Error message, if any.
    pub note: Option<String>,
}

/// Comparison of all holes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Comparison {
    /// In the order of the request.
    pub rows: Vec<Row>,
}

/// Maximum differences between two sources over all holes that both have, mm. Lateral means in the plane of the sheet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Differences {
    /// Number of holes compared.
    pub holes: usize,
    /// Maximum lateral difference along any axis of the CMM.
    pub most_along_axis_mm: f64,
    /// Maximum lateral distance.
    pub most_lateral_mm: f64,
    /// Minimum and maximum difference of the radii.
    pub radius_mm: [f64; 2],
}

impl Row {
    /// Geometry from the last probing cycle if it has converged.
    pub fn settled(&self) -> Option<HoleGeometry> {
        self.last.filter(|_| self.converged).map(|last| last.place)
    }
}

/// Difference of `one` from `other`: lateral x, y, z, lateral distance, and difference of the radii, mm.
fn difference(one: &HoleGeometry, other: &HoleGeometry) -> [f64; 5] {
    let lateral = other.lateral(&one.centre);
    [lateral.x, lateral.y, lateral.z, lateral.norm(), one.radius_mm - other.radius_mm]
}

impl Differences {
    fn of(pairs: impl Iterator<Item = (HoleGeometry, HoleGeometry)>) -> Self {
        let mut all = Self { radius_mm: [f64::INFINITY, f64::NEG_INFINITY], ..Self::default() };
        for (one, other) in pairs {
            let [x, y, z, lateral, radius] = difference(&one, &other);
            all.holes += 1;
            all.most_along_axis_mm = [x, y, z].iter().fold(all.most_along_axis_mm, |max, own| max.max(own.abs()));
            all.most_lateral_mm = all.most_lateral_mm.max(lateral);
            all.radius_mm = [all.radius_mm[0].min(radius), all.radius_mm[1].max(radius)];
        }
        if all.holes == 0 { Self::default() } else { all }
    }
}

impl Comparison {
    /// The part compared with nominal: converged minus nominal.
    pub fn part(&self) -> Differences {
        Differences::of(self.rows.iter().filter_map(|row| Some((row.settled()?, row.nominal))))
    }

    /// The scan compared with the probe: scan minus converged.
    pub fn scan(&self) -> Differences {
        Differences::of(self.rows.iter().filter_map(|row| Some((row.scan, row.settled()?))))
    }

    /// Change by repeated probing: converged minus first cycle.
    pub fn again(&self) -> Differences {
        Differences::of(self.rows.iter().filter_map(|row| Some((row.settled()?, row.probe?))))
    }

    /// Plain text: the geometries, their differences and a summary. Lengths in mm.
    pub fn text(&self) -> String {
        let cells_of = |place: Option<HoleGeometry>| match place {
            Some(own) => [own.centre.x, own.centre.y, own.radius_mm].map(|value| format!("{value:.3}")),
            None => ["-", "-", "-"].map(str::to_owned),
        };
        let geometries: Vec<Vec<String>> = self
            .rows
            .iter()
            .map(|row| {
                let four = [Some(row.nominal), Some(row.scan), row.probe, row.settled()];
                [row.name.clone()].into_iter().chain(four.into_iter().flat_map(cells_of)).collect()
            })
            .collect();
        let titles = ["nominal", "scan", "probe", "converged"].map(|own| ["X", "Y", "R"].map(|x| format!("{own} {x}")));
        let titles: Vec<&str> = ["hole"].into_iter().chain(titles.iter().flatten().map(String::as_str)).collect();
        let difference_cells = |one: Option<HoleGeometry>, other: Option<HoleGeometry>| match one.zip(other) {
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
                cells.extend(difference_cells(row.settled(), Some(row.nominal)));
                cells.extend(difference_cells(Some(row.scan), row.settled()));
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
        let difference_titles = ["part", "scan"].map(|own| ["dX", "dY", "lateral", "dR"].map(|x| format!("{own} {x}")));
        let difference_titles = difference_titles.iter().flatten().map(String::as_str);
        let difference_titles: Vec<&str> =
            ["hole"].into_iter().chain(difference_titles).chain(["U centre", "U radius", "change", "cycles"]).collect();
        let mut text = text_table::aligned(&titles, &geometries);
        text += "\nPart: converged minus nominal. Scan: scan minus converged. U: expanded uncertainty, k = 2. Lengths \
             in mm.\n";
        text += &text_table::aligned(&difference_titles, &differences);
        text.push('\n');
        for (what, all) in [("Part from nominal", self.part()), ("Scan from probe", self.scan())] {
            text += &format!(
                "{what}: up to {:.3} mm along an axis, {:.3} mm laterally; radii {:+.3} to {:+.3} mm ({} holes).\n",
                all.most_along_axis_mm, all.most_lateral_mm, all.radius_mm[0], all.radius_mm[1], all.holes
            );
        }
        self.rows.iter().filter_map(|row| row.note.as_ref()).for_each(|note| text += &format!("{note}\n"));
        text
    }

    /// CSV table with one line per hole; cells of unknown values are empty.
    pub fn csv(&self) -> Result<String> {
        let geometry_titles = ["x_mm", "y_mm", "z_mm", "radius_mm"];
        let sources = ["nominal", "scan", "probe", "converged"];
        let mut titles = vec!["hole".to_owned()];
        titles.extend(sources.iter().flat_map(|own| geometry_titles.map(|title| format!("{own}_{title}"))));
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
            let coordinates = |hole: HoleGeometry| vec![hole.centre.x, hole.centre.y, hole.centre.z, hole.radius_mm];
            let difference_cells = |one: Option<HoleGeometry>, other: Option<HoleGeometry>| {
                numbers(one.zip(other).map(|(one, other)| difference(&one, &other).to_vec()), 5)
            };
            let settled = row.settled();
            let mut cells = vec![row.name.clone()];
            for geometry in [Some(row.nominal), Some(row.scan), row.probe, settled] {
                cells.extend(numbers(geometry.map(coordinates), 4));
            }
            cells.extend(difference_cells(settled, Some(row.nominal)));
            cells.extend(difference_cells(Some(row.scan), settled));
            let last = row.last.filter(|_| row.converged);
            cells.extend(numbers(last.map(|own| vec![own.centre_uncertainty_mm, own.radius_uncertainty_mm]), 2));
            cells.extend(numbers(row.change_mm.map(|change| vec![change]), 1));
            cells.extend([row.rounds.to_string(), row.note.clone().unwrap_or_default()]);
            cells
        };
        csv_text(&titles, self.rows.iter().map(cells))
    }
}
