//! What a touch probe reports, a line for each touch.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::super::probing_program::Face;
use super::table::{self, Table};
use base::{Result, UserError};
use geometry::Point;

/// Which places a prober reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reported {
    /// Of the ball's centre at contact: the radius is still to be taken off.
    BallCentre,
    /// Of the surface: the machine has taken the radius off, as a rule along the approach.
    Surface,
}

impl Reported {
    /// What the titles of its columns begin with.
    fn stem(self) -> &'static str {
        match self {
            Self::BallCentre => "ball",
            Self::Surface => "surface",
        }
    }
}

/// A touch that was made.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Touched {
    /// Name of the hole.
    pub hole: String,
    /// What was met.
    pub face: Face,
    /// Where, mm.
    pub place: Point,
}

/// What came back from a prober. A touch that met nothing is simply not among them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Touches {
    /// What the places are.
    pub reported: Reported,
    /// The touches.
    pub touched: Vec<Touched>,
}

impl Touches {
    /// The places met on one face of one hole, in their order.
    pub fn of(&self, hole: &str, face: Face) -> Vec<Point> {
        let own = self.touched.iter().filter(|touched| touched.hole == hole && touched.face == face);
        own.map(|touched| touched.place).collect()
    }
}

/// The touches as a table. Its titles say what the places are: `ball_x_mm` or `surface_x_mm`.
pub fn write_touches(touches: &Touches) -> Result<String> {
    let mut titles = vec!["hole".to_owned()];
    titles.extend(table::place_titles(touches.reported.stem()));
    titles.push("face".to_owned());
    let row = |touched: &Touched| {
        let mut row = vec![touched.hole.clone()];
        row.extend(table::cells(&touched.place.coords));
        row.push(touched.face.word().to_owned());
        row
    };
    table::text(&titles, touches.touched.iter().map(row))
}

/// Reads a table of touches. Fails with the number of the line and what was expected there.
pub fn parse_touches(text: &str) -> Result<Touches> {
    let table = Table::parse(text)?;
    let has = |reported: Reported| table::place_titles(reported.stem()).iter().any(|title| table.has(title));
    let reported = match (has(Reported::BallCentre), has(Reported::Surface)) {
        (true, true) => {
            return Err(UserError::input(
                "The table has places of the ball and of the surface; leave one kind, so that it is clear what counts.",
            ));
        }
        (false, true) => Reported::Surface,
        // Also where there is neither: the sentence on what lacks names the ball's columns.
        _ => Reported::BallCentre,
    };
    let (hole, face, place) = (table.column("hole")?, table.column("face")?, table.place_columns(reported.stem())?);
    let mut touched = Vec::new();
    for row in table.rows()? {
        let face = Face::of_word(row.word(face)?)
            .ok_or_else(|| row.wrong("the face must be “sheet” or “wall”; the line may be cut off"))?;
        touched.push(Touched { hole: row.word(hole)?.to_owned(), face, place: row.place(place)? });
    }
    Ok(Touches { reported, touched })
}

/// Reads a file of touches.
pub fn read_touches(path: &Path) -> Result<Touches> {
    parse_touches(&table::text_of(path)?).map_err(|error| error.in_file(path))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn both_kinds_are_read_back_and_are_told_apart() {
        let touched = |hole: &str, face, x: f64| Touched { hole: hole.into(), face, place: Point::new(x, 0.1, -0.5) };
        for reported in [Reported::BallCentre, Reported::Surface] {
            let touches = Touches {
                reported,
                touched: vec![touched("1", Face::Sheet, 1.0), touched("x,y", Face::Wall, 0.1 + 0.2)],
            };
            let text = write_touches(&touches).unwrap();
            assert_eq!(parse_touches(&text).unwrap(), touches);
        }
        let titles = "hole,face,ball_x_mm,ball_y_mm,ball_z_mm";
        let why = |text: &str| parse_touches(text).unwrap_err().sentence;
        assert!(why(&format!("{titles},surface_x_mm\n1,wall,1,2,3,4\n")).contains("leave one kind"));
        assert!(why("hole,face,x,y,z\n1,wall,1,2,3\n").contains("no column “ball_x_mm”"));
        assert!(why("hole,face,ball_x_in,ball_y_in,ball_z_in\n1,wall,1,2,3\n").contains("says “in”"));
        assert!(why(&format!("{titles}\n1,wall,1,2,3\n\n1,wall,1,2\n")).starts_with("Line 4 has 4"));
        assert!(why(&format!("{titles}\n1,2,wall,1,2,3\n")).contains("needs quotes"));
        assert!(why(&format!("{titles}\n,wall,1,2,3\n")).starts_with("Line 2: “hole” is empty"));
        assert!(why(titles).contains("titles but no lines of values"));
    }

    proptest! {
        #[test]
        fn any_text_is_touches_or_a_sentence(
            text in "(hole|face|ball_x_mm|ball_y_mm|ball_z_mm|wall|[,;\n\"0-9.]){0,60}",
        ) {
            if let Err(error) = parse_touches(&text) {
                prop_assert!(error.sentence.ends_with('.'));
            }
        }
    }
}
