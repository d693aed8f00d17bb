//! Tables of touches reported by a touch probe, one line per touch.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::super::probing_program::Face;
use super::table::{self, Table};
use base::{Result, UserError};
use geometry::Point;

/// Which point a touch probe reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReportedPoint {
    /// Centre of the stylus tip at contact, without tip radius compensation.
    BallCentre,
    /// Point on the surface: the CMM has compensated the tip radius, usually along the approach.
    Surface,
}

impl ReportedPoint {
    /// Prefix of the column titles.
    fn stem(self) -> &'static str {
        match self {
            Self::BallCentre => "ball",
            Self::Surface => "surface",
        }
    }
}

/// A reported touch.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ProbeHit {
    /// Name of the hole.
    pub hole: String,
    /// Face that was touched.
    pub face: Face,
    /// ReportedPoint point in the CMM frame, mm.
    pub place: Point,
}

/// Touches reported by a touch probe; touches that met no surface are not included.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ProbeHits {
    /// Which points are reported.
    pub reported: ReportedPoint,
    /// Touches in probing order.
    pub touched: Vec<ProbeHit>,
}

impl ProbeHits {
    /// Points reported on `face` of the hole named `hole`, in probing order.
    pub fn of(&self, hole: &str, face: Face) -> Vec<Point> {
        let matching = self.touched.iter().filter(|touched| touched.hole == hole && touched.face == face);
        matching.map(|touched| touched.place).collect()
    }
}

/// Formats the touches as CSV text. The column titles say which points are reported: `ball_x_mm` or `surface_x_mm`.
pub fn write_touches(touches: &ProbeHits) -> Result<String> {
    let mut titles = vec!["hole".to_owned()];
    titles.extend(table::point_titles(touches.reported.stem()));
    titles.push("face".to_owned());
    let row = |touched: &ProbeHit| {
        let mut row = vec![touched.hole.clone()];
        row.extend(table::cells(&touched.place.coords));
        row.push(touched.face.word().to_owned());
        row
    };
    table::text(&titles, touches.touched.iter().map(row))
}

/// Parses a table of touches. Returns an error with the line number if a value is missing or invalid.
pub fn parse_touches(text: &str) -> Result<ProbeHits> {
    let table = Table::parse(text)?;
    let has = |reported: ReportedPoint| table::point_titles(reported.stem()).iter().any(|title| table.has(title));
    let reported = match (has(ReportedPoint::BallCentre), has(ReportedPoint::Surface)) {
        (true, true) => {
            return Err(UserError::input("The table has both ball-centre and surface columns; keep only one kind."));
        }
        (false, true) => ReportedPoint::Surface,
        // Also if there is neither: the error then names the missing ball columns.
        _ => ReportedPoint::BallCentre,
    };
    let (hole, face, place) = (table.column("hole")?, table.column("face")?, table.point_columns(reported.stem())?);
    let mut touched = Vec::new();
    for row in table.rows()? {
        let face = Face::from_word(row.word(face)?)
            .ok_or_else(|| row.error("the face must be “sheet” or “wall”; the line may be cut off"))?;
        touched.push(ProbeHit { hole: row.word(hole)?.to_owned(), face, place: row.point(place)? });
    }
    Ok(ProbeHits { reported, touched })
}

/// Reads a file of touches, see [`parse_touches`].
pub fn read_touches(path: &Path) -> Result<ProbeHits> {
    parse_touches(&table::read_text(path)?).map_err(|error| error.in_file(path))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn both_kinds_are_read_back_and_distinguished() {
        let touched = |hole: &str, face, x: f64| ProbeHit { hole: hole.into(), face, place: Point::new(x, 0.1, -0.5) };
        for reported in [ReportedPoint::BallCentre, ReportedPoint::Surface] {
            let touches = ProbeHits {
                reported,
                touched: vec![touched("1", Face::Sheet, 1.0), touched("x,y", Face::Wall, 0.1 + 0.2)],
            };
            let text = write_touches(&touches).unwrap();
            assert_eq!(parse_touches(&text).unwrap(), touches);
        }
        let titles = "hole,face,ball_x_mm,ball_y_mm,ball_z_mm";
        let why = |text: &str| parse_touches(text).unwrap_err().sentence;
        assert!(why(&format!("{titles},surface_x_mm\n1,wall,1,2,3,4\n")).contains("keep only one kind"));
        assert!(why("hole,face,x,y,z\n1,wall,1,2,3\n").contains("no column “ball_x_mm”"));
        assert!(why("hole,face,ball_x_in,ball_y_in,ball_z_in\n1,wall,1,2,3\n").contains("says “in”"));
        assert!(why(&format!("{titles}\n1,wall,1,2,3\n\n1,wall,1,2\n")).starts_with("Line 4 has 4"));
        assert!(why(&format!("{titles}\n1,2,wall,1,2,3\n")).contains("needs quotes"));
        assert!(why(&format!("{titles}\n,wall,1,2,3\n")).starts_with("Line 2: “hole” is empty"));
        assert!(why(titles).contains("header but no rows of values"));
    }

    proptest! {
        #[test]
        fn any_text_is_parsed_or_refused(
            text in "(hole|face|ball_x_mm|ball_y_mm|ball_z_mm|wall|[,;\n\"0-9.]){0,60}",
        ) {
            if let Err(error) = parse_touches(&text) {
                prop_assert!(error.sentence.ends_with('.'));
            }
        }
    }
}
