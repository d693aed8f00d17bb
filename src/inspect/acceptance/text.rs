//! Plain text report of an acceptance test.

use super::flatness::PlaneResult;
use super::judgement::{Acceptance, Figure, Verdict};
use super::spacing::{BarResult, SpacingRadius};
use super::sphere::SphereResult;
use base::text_table;

impl Acceptance {
    /// Plain text: every position, followed by the characteristics with their limits. Lengths in mm.
    pub fn text(&self) -> String {
        let signed = |value: f64| base::signed(value, 4);
        let unsigned = |value: f64| format!("{value:.4}");
        let mut parts = Vec::new();
        if !self.results.spheres.is_empty() {
            let row = |own: &SphereResult| {
                let counts = [own.points, own.masked, own.rejected].map(|count| count.to_string());
                let figures = [unsigned(own.diameter_mm), signed(own.size_error_mm), unsigned(own.form_error_mm)];
                let more = [unsigned(own.form_sigma_mm), unsigned(own.dispersion_mm)];
                [own.name.clone()].into_iter().chain(figures).chain(more).chain(counts).collect()
            };
            let rows: Vec<Vec<String>> = self.results.spheres.iter().map(row).collect();
            let titles = ["sphere", "diameter", "size", "form", "sigma", "D95%", "points", "masked", "rejected"];
            parts.push(text_table::aligned(&titles, &rows));
        }
        if !self.results.bars.is_empty() {
            let row = |own: &BarResult| {
                let points = own.points.map(|count| count.to_string());
                [own.name.clone(), unsigned(own.length_mm), signed(own.error_mm)].into_iter().chain(points).collect()
            };
            let rows: Vec<Vec<String>> = self.results.bars.iter().map(row).collect();
            parts.push(text_table::aligned(&["ball bar", "length", "error", "points 1", "points 2"], &rows));
        }
        if !self.results.planes.is_empty() {
            let row = |own: &PlaneResult| {
                let figures = [own.form_error_mm, own.sigma_mm, own.dispersion_mm].map(unsigned);
                let counts = [own.points, own.rejected].map(|count| count.to_string());
                [own.name.clone()].into_iter().chain(figures).chain(counts).collect()
            };
            let rows: Vec<Vec<String>> = self.results.planes.iter().map(row).collect();
            parts.push(text_table::aligned(&["flat", "form", "sigma", "D95%", "points", "rejected"], &rows));
        }
        let row = |own: &Figure| {
            vec![
                own.characteristic.name().to_owned(),
                own.characteristic.symbol().to_owned(),
                own.errors_mm.len().to_string(),
                signed(own.worst_mm),
                own.limit.map_or("-".to_owned(), |limit| unsigned(limit.mpe_mm)),
                own.limit.map_or("-".to_owned(), |limit| unsigned(limit.test_sigma_mm)),
                own.verdict.map_or("-", Verdict::word).to_owned(),
            ]
        };
        let rows: Vec<Vec<String>> = self.figures.iter().map(row).collect();
        let titles = ["characteristic", "symbol", "positions", "worst", "MPE", "u(test)", "verdict"];
        parts.push(text_table::aligned(&titles, &rows));
        let radius = match self.results.settings.spacing_radius {
            SpacingRadius::Free => "free",
            SpacingRadius::Calibrated => "fixed at the calibrated value",
        };
        let mut text = parts.join("\n");
        text += &format!(
            "\nLengths in mm. Rejected: {:.2} % of the points. Incidence up to {:.0}°. Radius of the ball bar's \
             spheres: {radius}.\n",
            100.0 * self.results.settings.rejected_share,
            self.results.settings.max_incidence_rad.to_degrees()
        );
        self.notes.iter().for_each(|note| text += &format!("{note}\n"));
        if let Some(verdict) = self.verdict {
            text += match verdict {
                Verdict::Conforms => "The sensor conforms.\n",
                Verdict::Undecided => "The test does not decide whether the sensor conforms.\n",
                Verdict::DoesNotConform => "The sensor does not conform.\n",
            };
        }
        text
    }
}
