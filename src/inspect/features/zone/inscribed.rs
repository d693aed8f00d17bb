//! The largest circle or sphere that no point lies in, its centre within the hull of the points, exactly.
//!
//! About a place c, |p - c - x|² is |p - c|² - 2 (p - c)·x and |x|²: the least of the first over all points is concave,
//! so a small linear program bounds it from above in a cell, and the second errs by the square of the cell's size. The
//! hull comes in by supporting planes, where a centre was found beyond it. This is the largest empty circle (Toussaint,
//! "Computing largest empty circles with location constraints", 1983); what ISO calls the maximum inscribed one is
//! not more precise where it is not unique.

use super::ROUNDING;
use super::exchange::{Program, Row, VARIABLES};
use super::passes::extremes;
use super::search::{Cell, Landscape, search};
use base::{Progress, Result};
use geometry::{Point, Vector};

/// Numbers of points, and how much each holds.
type Shares = Vec<(usize, f64)>;

/// Greater than any distance squared between points of size about one.
const FAR: f64 = 100.0;
/// Radii closer than this are not told apart, in sizes of the points.
const APART: f64 = 1e-13;
/// A centre may lie beyond the hull by this, in sizes of the points.
const BEYOND: f64 = 1e-12;
/// Rows of the hull have numbers from here on.
const HULL: usize = 1 << 40;
/// Half sizes of the cells in which the best centre is followed to its contacts.
const FOLLOWED: [f64; 3] = [1e-2, 1e-4, 1e-6];

/// The largest empty ball.
pub struct Inscribed {
    pub centre: Point,
    pub radius: f64,
    /// Numbers of the points that hold it.
    pub contacts: Vec<usize>,
    /// Whether the search showed that there is no larger one.
    pub is_greatest: bool,
    /// Whether its contacts lie all around it. If not, it ends at the hull and would grow beyond.
    pub is_surrounded: bool,
}

/// In the first `dimensions` coordinates of `points`, of size about one about the origin; `start` is a likely centre.
/// `None` where the points have no room between them.
pub fn largest(points: &[Point], dimensions: usize, start: Point, progress: &Progress) -> Result<Option<Inscribed>> {
    let mut holes = Holes { points, dimensions, pool: Vec::new(), hull: Vec::new(), best: None, effort: 0 };
    if holes.beyond_hull(&start).is_none() {
        holes.try_at(start, Vec::new());
    }
    let mut root = Cell { centre: [0.0; 4], half: [0.0; 4] };
    for k in 0..dimensions {
        let [high, low] = extremes(points, |point| point[k]).map(|end| end.0);
        (root.centre[k], root.half[k]) = (0.5 * (high + low), (0.5 * (high - low)).max(ROUNDING));
    }
    let is_greatest = search(&mut holes, &[root], progress)?;
    for half_size in FOLLOWED {
        let Some(best) = &holes.best else { return Ok(None) };
        let c = best.centre;
        let mut cell = Cell { centre: [c.x, c.y, c.z, 0.0], half: [0.0; 4] };
        cell.half[..dimensions].fill(half_size);
        holes.examine(&cell);
        let held = holes.relaxed(&cell).map(|relaxed| relaxed.2);
        if let (Some(contacts), Some(best)) = (held, &mut holes.best) {
            best.contacts = contacts;
        }
    }
    let Some(Best { centre, radius, contacts }) = holes.best else { return Ok(None) };
    // In balance, the contacts pull the centre nowhere.
    let pull: Vector = contacts.iter().map(|&(number, share)| (points[number] - centre) * share).sum();
    let contacts = contacts.into_iter().map(|contact| contact.0).collect();
    Ok(Some(Inscribed { centre, radius, contacts, is_greatest, is_surrounded: pull.norm() < 1e-6 * radius }))
}

struct Best {
    centre: Point,
    radius: f64,
    /// Numbers of points and how much each holds; they sum to one.
    contacts: Vec<(usize, f64)>,
}

struct Holes<'a> {
    points: &'a [Point],
    dimensions: usize,
    /// Numbers of the points that were nearest to some centre.
    pool: Vec<usize>,
    /// Planes that the hull touches from below: normal and height.
    hull: Vec<(Vector, f64)>,
    best: Option<Best>,
    effort: usize,
}

impl Holes<'_> {
    fn radius(&self) -> f64 {
        self.best.as_ref().map_or(0.0, |best| best.radius)
    }

    /// Measures a centre on all points. Returns whether that was of any use.
    fn try_at(&mut self, centre: Point, contacts: Vec<(usize, f64)>) -> bool {
        self.effort += self.points.len();
        let (radius, nearest) = extremes(self.points, |point| (point - centre).norm())[1];
        let is_new = !self.pool.contains(&nearest);
        if is_new {
            self.pool.push(nearest);
        }
        if radius <= self.radius() {
            return is_new;
        }
        if let Some(plane) = self.beyond_hull(&centre) {
            self.hull.push(plane);
        } else {
            self.best = Some(Best { centre, radius, contacts });
        }
        true
    }

    /// A plane that the hull lies below and `place` above; `None` where the hull holds the place.
    fn beyond_hull(&mut self, place: &Point) -> Option<(Vector, f64)> {
        // The direction n of |n| at most 1 in each coordinate in which the place is farthest above all points.
        let above = self.dimensions;
        let mut program =
            Program { count: above + 1, cost: [0.0; VARIABLES], low: [-1.0; VARIABLES], high: [1.0; VARIABLES] };
        program.cost[above] = -1.0;
        (program.low[above], program.high[above]) = (-FAR, FAR);
        let normal = |at: &[f64; VARIABLES]| Vector::from_fn(|k, _| if k < above { at[k] } else { 0.0 });
        let mut looks = 0;
        let answer = program.solve(|at, _| {
            looks += self.points.len();
            let normal = normal(at);
            let (top, number) = extremes(self.points, |point| (point - place).dot(&normal))[0];
            let away = place - self.points[number];
            let mut by = [0.0; VARIABLES];
            by[..above].copy_from_slice(&away.as_slice()[..above]);
            by[above] = -1.0;
            (at[above] > ROUNDING && at[above] > -top + ROUNDING).then_some(Row { by, least: 0.0, number })
        });
        self.effort += looks;
        let answer = answer?;
        let normal = normal(&answer.at);
        let top = extremes(self.points, |point| point.coords.dot(&normal))[0].0;
        (place.coords.dot(&normal) - top > BEYOND).then_some((normal, top))
    }

    /// An upper bound of the radius in a cell from the points of the pool; the centre that the program names, and what
    /// holds it. `None` where no centre there lies in the hull.
    fn relaxed(&mut self, cell: &Cell) -> Option<(f64, Point, Shares)> {
        let centre = Point::new(cell.centre[0], cell.centre[1], cell.centre[2]);
        let square = self.dimensions;
        let mut program =
            Program { count: square + 1, cost: [0.0; VARIABLES], low: [-1.0; VARIABLES], high: [1.0; VARIABLES] };
        program.cost[square] = -1.0;
        (program.low[square], program.high[square]) = (-FAR, FAR);
        let scaled = |slope: &Vector, of_square: f64, least: f64, number: usize| {
            let mut by = [0.0; VARIABLES];
            (0..square).for_each(|k| by[k] = slope[k] * cell.half[k]);
            by[square] = of_square;
            Row { by, least, number }
        };
        let of_point = |&number: &usize| {
            let away = self.points[number] - centre;
            scaled(&(away * -2.0), -1.0, -away.norm_squared(), number)
        };
        let of_plane = |(number, (normal, height)): (usize, &(Vector, f64))| {
            scaled(&-normal, 0.0, normal.dot(&centre.coords) - height, HULL + number)
        };
        let rows: Vec<Row> = self.pool.iter().map(of_point).chain(self.hull.iter().enumerate().map(of_plane)).collect();
        let mut looks = 0;
        let answer = program.solve(|at, _| {
            looks += rows.len();
            let fails = |row: &Row| row.least - (0..=square).map(|k| row.by[k] * at[k]).sum::<f64>();
            let worst = rows.iter().map(|row| (fails(row), row)).max_by(|a, b| a.0.total_cmp(&b.0))?;
            (worst.0 > ROUNDING).then_some(*worst.1)
        });
        self.effort += looks;
        let answer = answer?;
        let errs: f64 = cell.half.iter().map(|half| half * half).sum();
        let mut found = centre;
        (0..square).for_each(|k| found[k] += answer.at[k] * cell.half[k]);
        let contacts = answer.held.iter().filter(|held| held.0 < HULL && held.1 > ROUNDING).copied().collect();
        Some(((answer.at[square] + errs).max(0.0).sqrt(), found, contacts))
    }
}

/// Of radii with the opposite sign.
impl Landscape for Holes<'_> {
    fn examine(&mut self, cell: &Cell) -> f64 {
        loop {
            let Some((bound, centre, contacts)) = self.relaxed(cell) else { return f64::INFINITY };
            let nearest = self.pool.iter().map(|&number| (self.points[number] - centre).norm());
            let promised = nearest.fold(f64::INFINITY, f64::min);
            let is_done = -bound >= self.enough() || -promised >= self.enough() || self.is_tired();
            if is_done || !self.try_at(centre, contacts) {
                return -bound;
            }
        }
    }

    fn effort(&self) -> usize {
        self.effort
    }

    fn enough(&self) -> f64 {
        -self.radius() - APART
    }
}
