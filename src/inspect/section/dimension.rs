//! Dimensions in the plane of a section: of the nominal, and of what was measured of the same lines and arcs.

use serde::{Deserialize, Serialize};

use super::fitted::{self, FittedOutline, fitted};
use super::outline::{self, Outline, Run};
use super::plane::PlanePoint;
use super::{PlaneSection, gap};
use crate::deviation::Tolerance;
use crate::features::fits::CorrelatedNoise;
use crate::recipe::Figure;
use crate::tolerances::{self, Conformity};
use crate::verdict::Verdict;
use base::LengthUnit;

/// Fewest measured points of a line or an arc.
const MIN_POINTS: usize = 10;
/// Share of a line or an arc that is left out at each of its ends, where edges are rounded, and at most so much, mm.
const END_SHARE: f64 = 0.1;
const MAX_END_MM: f64 = 1.0;
/// Lines that make a larger angle than this, degrees, have no distance.
const MAX_SKEW_DEG: f64 = 5.0;
/// A position means no line that is farther away than this, mm.
const MAX_AWAY_MM: f64 = 1.0;
/// Of the tenths of a line or an arc, at least so many must be measured: what lies beyond would be guessed.
const MIN_TENTHS: usize = 6;
/// How much longer a line must be than another to show its noise; at how many places of a contour such lines are looked for,
/// and how many of the longest are asked.
const MUCH_LONGER: f64 = 1.5;
const LOOKED_AT: u32 = 24;
const LONGEST_RUNS: usize = 2;
/// A shorter arc, rad, has no radius and no centre that could be measured.
const MIN_ARC_RAD: f64 = std::f64::consts::FRAC_PI_6;
/// Length of the surfaces next to a gap that are measured, and depth below them of their ends, mm, unless others are asked
/// for.
pub(super) const DEFAULT_LENGTH_MM: f64 = 10.0;
const DEFAULT_DEPTH_MM: f64 = 3.0;
/// Most dimensions of a section.
pub const MAX_DIMENSIONS: usize = 200;

/// What is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DimensionKind {
    /// Distance between two parallel lines, two centres, or a centre and a line.
    Distance,
    /// Height of the second line over the first, to the outside: how flush two surfaces are.
    Step,
    /// Angle between two lines.
    Angle,
    /// Radius of an arc.
    Radius,
    /// Width of the gap between the ends of two surfaces, along the first.
    Gap,
    /// Height of the second surface over the first, where they end at a gap, to the outside.
    Flush,
}

/// A value, or why there is none.
pub(super) type Outcome<T> = std::result::Result<T, String>;

impl DimensionKind {
    /// All, in the order of menus.
    pub const ALL: [Self; 6] = [Self::Distance, Self::Step, Self::Angle, Self::Radius, Self::Gap, Self::Flush];

    /// Display name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Distance => "Distance",
            Self::Step => "Step",
            Self::Angle => "Angle",
            Self::Radius => "Radius",
            Self::Gap => "Gap",
            Self::Flush => "Flush",
        }
    }

    /// Number of lines or arcs that it is measured on.
    pub fn picks(self) -> usize {
        if self == Self::Radius { 1 } else { 2 }
    }

    /// Unit of its value.
    pub fn unit(self) -> &'static str {
        if self == Self::Angle { "°" } else { "mm" }
    }
}

/// A dimension in one of the planes of a section.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Dimension {
    /// What is measured.
    pub kind: DimensionKind,
    /// Number of the plane, from 0.
    #[serde(default)]
    pub plane: usize,
    /// Positions in the plane, mm, each next to the line or arc of the nominal that it means.
    pub picks: Vec<PlanePoint>,
    /// Allowed deviation from the nominal, mm or degrees; `None` if it is not judged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tolerance: Option<Tolerance>,
    /// Of a gap: depth below its surfaces down to which their ends belong to it. Of a flush: length of the surfaces next to
    /// the gap that is measured. mm; `None` for 3 mm and 10 mm.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub extent_mm: Option<f64>,
}

/// A dimension with its results.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MeasuredDimension {
    /// What was asked for.
    pub dimension: Dimension,
    /// Value of the nominal, mm or degrees; or why there is none.
    pub nominal: std::result::Result<f64, String>,
    /// Measured value, mm or degrees; or why there is none. `None` without a scan.
    pub measured: Option<std::result::Result<f64, String>>,
    /// Expanded uncertainty (k = 2) of the measured value, mm or degrees: that of the fitted lines and arcs, from the
    /// scatter of their points. The alignment and systematic errors of the sensor are not in it. `None` without a
    /// measured value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub uncertainty: Option<f64>,
    /// The line that shows it, mm; its value is written at the middle one of three points, or between two.
    pub line: Vec<PlanePoint>,
}

impl Dimension {
    /// The depth of a gap or the length of a flush, as asked for or else as usual, mm.
    pub fn extent_mm(&self) -> f64 {
        let is_gap = self.kind == DimensionKind::Gap;
        self.extent_mm.unwrap_or(if is_gap { DEFAULT_DEPTH_MM } else { DEFAULT_LENGTH_MM })
    }

    /// What two clicks ask for: with a gap how flush its sides are, otherwise itself alone.
    pub fn with_companion(self) -> Vec<Self> {
        let flush = (self.kind == DimensionKind::Gap).then(|| Self {
            kind: DimensionKind::Flush,
            tolerance: None,
            extent_mm: None,
            ..self.clone()
        });
        std::iter::once(self).chain(flush).collect()
    }

    /// Returns what is wrong with it.
    pub fn wrong(&self) -> Option<&'static str> {
        let is_placed = self.picks.iter().flatten().all(|mm| mm.is_finite());
        if self.picks.len() != self.kind.picks() || !is_placed {
            return Some("A radius needs one position on a contour, any other dimension two.");
        }
        if !(self.extent_mm() > 0.0 && self.extent_mm().is_finite()) {
            return Some("The depth of a gap and the length of a flush must be positive.");
        }
        let limits = self.tolerance.map(|own| [own.low_mm, own.high_mm]);
        limits
            .is_some_and(|[low, high]| !(low.is_finite() && high.is_finite() && low <= high))
            .then_some("The lower limit of a dimension must not be above its upper one.")
    }

    /// With its results.
    pub(super) fn with(
        &self,
        nominal: Outcome<f64>,
        measured: Option<Outcome<Value>>,
        line: Vec<PlanePoint>,
    ) -> MeasuredDimension {
        MeasuredDimension {
            dimension: self.clone(),
            nominal,
            uncertainty: measured.as_ref().and_then(|own| own.as_ref().ok()?.uncertainty),
            measured: measured.map(|own| own.map(|own| own.value)),
            line,
        }
    }

    /// Measures it in its plane.
    pub fn measure(&self, planes: &[PlaneSection], is_compared: bool) -> MeasuredDimension {
        let own = |nominal, measured, line| self.with(nominal, measured, line);
        let missing = |sentence: &str| own(Err(sentence.to_owned()), None, Vec::new());
        let Some(section) = planes.iter().find(|own| own.number == self.plane) else {
            return missing("its plane does not meet the nominal");
        };
        let near = |pick: &PlanePoint| {
            Run::at(&section.contours, *pick).filter(|(_, away_mm)| *away_mm <= MAX_AWAY_MM).map(|(run, _)| run)
        };
        let runs: Option<Vec<Run>> = self.picks.iter().map(near).collect();
        let Some(runs) = runs.filter(|runs| runs.len() == self.kind.picks()) else {
            return missing("there is no contour where it was picked");
        };
        if runs.windows(2).any(|pair| pair[0].is_same(&pair[1])) {
            return missing("both positions are on one line");
        }
        if matches!(self.kind, DimensionKind::Gap | DimensionKind::Flush) {
            return gap::measure(self, section, &runs, is_compared);
        }
        let nominals: Vec<Outline> = runs.iter().map(|run| run.outline).collect();
        let nominal = self.value(&nominals, &nominals);
        let measured = is_compared.then(|| {
            let fits: Outcome<Vec<FittedOutline>> = runs.iter().map(|run| fit(section, run, [0.0, 1.0])).collect();
            measured(&fits?, |outlines| self.value(outlines, &nominals))
        });
        let line = if nominal.is_ok() { self.line(&runs) } else { Vec::new() };
        own(nominal, measured, line)
    }

    /// The value for these lines and arcs; `nominals` are those of the nominal, which tell where lines are met.
    fn value(&self, outlines: &[Outline], nominals: &[Outline]) -> Outcome<f64> {
        use Outline::{Arc, Line};
        match (self.kind, outlines, nominals) {
            (DimensionKind::Radius, [Arc { radius_mm, .. }], _) => Ok(*radius_mm),
            (DimensionKind::Radius, ..) => Err("there is no arc".to_owned()),
            (DimensionKind::Distance, [Arc { centre, .. }, Arc { centre: other, .. }], _) => {
                Ok((centre[0] - other[0]).hypot(centre[1] - other[1]))
            }
            (DimensionKind::Distance, [Arc { centre, .. }, line @ Line { .. }], _)
            | (DimensionKind::Distance, [line @ Line { .. }, Arc { centre, .. }], _) => {
                Ok(outline::away(line, centre).abs())
            }
            (DimensionKind::Angle, [Line { along: u, .. }, Line { along: v, .. }], [first, second]) => {
                Ok(angle([*u, *v], [first, second]))
            }
            (kind, [first @ Line { along: u, .. }, second @ Line { along: v, .. }], [_, Line { middle, .. }]) => {
                let skew_deg = cross(u, v).abs().atan2(dot(u, v).abs()).to_degrees();
                if skew_deg > MAX_SKEW_DEG {
                    return Err(format!("the lines are not parallel: {skew_deg:.1}°"));
                }
                // Where the second line of the nominal has its middle.
                let at = foot(second, middle);
                // The outside is on the right of a contour.
                let height = -outline::away(first, &at);
                Ok(if kind == DimensionKind::Step { height } else { height.abs() })
            }
            (DimensionKind::Angle | DimensionKind::Step, ..) => Err("both must be straight lines".to_owned()),
            _ => Err("nothing to measure".to_owned()),
        }
    }

    /// The line that shows it.
    fn line(&self, runs: &[Run]) -> Vec<PlanePoint> {
        use Outline::{Arc, Line};
        let outlines: Vec<&Outline> = runs.iter().map(|run| &run.outline).collect();
        match outlines.as_slice() {
            [Arc { centre, radius_mm }] => {
                let [x, y] = self.picks.first().map_or([1.0, 0.0], |pick| [pick[0] - centre[0], pick[1] - centre[1]]);
                let long = x.hypot(y).max(f64::MIN_POSITIVE);
                // Of a large arc only a piece of the radius.
                let from_mm = (radius_mm - 2.0 * runs[0].length_mm).max(0.0);
                [from_mm, *radius_mm].map(|mm| [centre[0] + mm * x / long, centre[1] + mm * y / long]).to_vec()
            }
            [first @ Line { middle: a, .. }, second @ Line { middle: b, .. }] if self.kind == DimensionKind::Angle => {
                // A corner far away would make the drawing small.
                let apart_mm = (a[0] - b[0]).hypot(a[1] - b[1]);
                let near = corner(first, second).filter(|own| (own[0] - a[0]).hypot(own[1] - a[1]) < 3.0 * apart_mm);
                [*a].into_iter().chain(near).chain([*b]).collect()
            }
            [line @ Line { .. }, Line { middle: to, .. } | Arc { centre: to, .. }]
            | [Arc { centre: to, .. }, line @ Line { .. }] => vec![foot(line, to), *to],
            [Arc { centre: a, .. }, Arc { centre: b, .. }] => vec![*a, *b],
            _ => Vec::new(),
        }
    }
}

/// A measured value with its expanded uncertainty (k = 2), mm or degrees.
pub(super) struct Value {
    pub value: f64,
    pub uncertainty: Option<f64>,
}

/// What is measured on fitted lines and arcs. Each is moved by its standard uncertainties, and the changes of the value are
/// added in quadrature (JCGM 100:2008, 5.1.4 and its note on finite steps).
pub(super) fn measured(fits: &[FittedOutline], value_of: impl Fn(&[Outline]) -> Outcome<f64>) -> Outcome<Value> {
    let outlines: Vec<Outline> = fits.iter().map(|own| own.outline).collect();
    let value = value_of(&outlines)?;
    let change = |index: usize, moved: &Outline| {
        let mut outlines = outlines.clone();
        outlines[index] = *moved;
        Some((value_of(&outlines).ok()? - value).abs())
    };
    // Of both sides the larger change: a distance may be at its smallest.
    let larger =
        |index: usize, pair: &[Outline; 2]| pair.iter().filter_map(|moved| change(index, moved)).reduce(f64::max);
    let changes = fits.iter().enumerate().flat_map(|(index, own)| own.moved.iter().map(move |pair| (index, pair)));
    let variance: Option<f64> = changes.map(|(index, pair)| Some(larger(index, pair)?.powi(2))).sum();
    Ok(Value { value, uncertainty: variance.map(|own| 2.0 * own.sqrt()) })
}

/// Length that is left out at each end of a line or an arc, mm.
pub(super) fn end_margin_mm(run: &Run) -> f64 {
    (END_SHARE * run.length_mm).min(MAX_END_MM)
}

/// The line or arc that was measured where the nominal has a piece of `run`, from one share of its length to another.
pub(super) fn fit(section: &PlaneSection, run: &Run, piece: [f64; 2]) -> Outcome<FittedOutline> {
    let points = points_on(section, run, piece)?;
    let noise = noise(section, run, run.length_mm * (piece[1] - piece[0]));
    fitted(&run.outline, &points, noise.as_ref()).ok_or_else(|| "no line or arc fits the points".to_owned())
}

/// The correlated noise that the longest line or arc of a contour shows, if that is clearly longer than another, which itself
/// shows little of what is correlated over its length.
fn noise(section: &PlaneSection, beside: &Run, length_mm: f64) -> Option<CorrelatedNoise> {
    let contour = section.contours.get(beside.contour as usize)?;
    let pick = |index: u32| {
        let along_mm = contour.length_mm() * (f64::from(index) + 0.5) / f64::from(LOOKED_AT);
        Some(Run::at(&section.contours, contour.at(beside.contour, along_mm).at)?.0)
    };
    let mut runs: Vec<Run> = Vec::new();
    for run in (0..LOOKED_AT).filter_map(pick).filter(|own| own.length_mm > MUCH_LONGER * length_mm) {
        if !runs.iter().any(|own| own.is_same(&run)) {
            runs.push(run);
        }
    }
    runs.sort_by(|a, b| b.length_mm.total_cmp(&a.length_mm));
    runs.iter().take(LONGEST_RUNS).find_map(|run| {
        let points = points_on(section, run, [0.0, 1.0]).ok()?;
        fitted::noise(&run.outline, &points)
    })
}

/// The points that were measured there.
pub(super) fn points_on(section: &PlaneSection, run: &Run, [from, to]: [f64; 2]) -> Outcome<Vec<PlanePoint>> {
    let contour = section.contours.get(run.contour as usize).ok_or("there is no contour")?;
    if let Outline::Arc { radius_mm, .. } = run.outline
        && run.length_mm < MIN_ARC_RAD * radius_mm
    {
        let degrees = (run.length_mm / radius_mm).to_degrees();
        return Err(format!("an arc of {degrees:.0}° is too short to be measured"));
    }
    let margin_mm = end_margin_mm(run);
    let (mut points, mut tenths) = (Vec::new(), [false; 10]);
    for point in section.measured.points.iter().filter(|point| point.contour == run.contour) {
        let share =
            run.share_at(contour, point.along_mm, margin_mm).filter(|share| (from..=to).contains(&share.min(1.0)));
        if let Some(share) = share {
            points.push(point.at);
            tenths[((10.0 * (share - from) / (to - from)) as usize).min(9)] = true;
        }
    }
    check_measured(points.len(), &tenths, "lines")?;
    Ok(points)
}

/// Returns an error if too few points were measured of one of several things, or on too few of its tenths. `what` they are:
/// lines or ends.
pub(super) fn check_measured(count: usize, tenths: &[bool; 10], what: &str) -> Outcome<()> {
    let measured = tenths.iter().filter(|own| **own).count();
    match count {
        1 => Err(format!("only 1 point was measured on one of its {what}")),
        count if count < MIN_POINTS => Err(format!("only {count} points were measured on one of its {what}")),
        _ if measured < MIN_TENTHS => Err(format!("only {} % of one of its {what} was measured", 10 * measured)),
        _ => Ok(()),
    }
}

pub(super) fn cross(u: &PlanePoint, v: &PlanePoint) -> f64 {
    u[0] * v[1] - u[1] * v[0]
}

pub(super) fn dot(u: &PlanePoint, v: &PlanePoint) -> f64 {
    u[0] * v[0] + u[1] * v[1]
}

/// Where two lines meet; `None` for parallel ones.
fn corner(first: &Outline, second: &Outline) -> Option<PlanePoint> {
    let (Outline::Line { middle: a, along: u }, Outline::Line { middle: b, along: v }) = (first, second) else {
        return None;
    };
    let sine = cross(u, v);
    let along_mm = cross(&[b[0] - a[0], b[1] - a[1]], v) / sine;
    (sine.abs() > 1e-12).then_some([a[0] + along_mm * u[0], a[1] + along_mm * u[1]])
}

/// Angle between two lines of these directions, degrees, from the middle of one over their corner to the middle of the
/// other. Where the corner is, and to which side the angle opens, is told by the nominal alone: measured lines that are
/// nearly parallel, or meet in the middle of one, may say otherwise by chance.
fn angle([u, v]: [PlanePoint; 2], nominals: [&Outline; 2]) -> f64 {
    let [Outline::Line { middle: a, along: nominal_u }, Outline::Line { middle: b, along: nominal_v }] = nominals
    else {
        return f64::NAN;
    };
    // Whether each line runs from the corner to its middle.
    let senses = corner(nominals[0], nominals[1]).map(|corner| {
        let towards = |along: &PlanePoint, middle: &PlanePoint| {
            dot(&[middle[0] - corner[0], middle[1] - corner[1]], along).signum()
        };
        [towards(nominal_u, a), towards(nominal_v, b)]
    });
    let [s, t] = senses.unwrap_or([1.0; 2]);
    let side = if s * t * cross(nominal_u, nominal_v) < 0.0 { -1.0 } else { 1.0 };
    let of = |u: &PlanePoint, v: &PlanePoint| (side * s * t * cross(u, v)).atan2(s * t * dot(u, v)).to_degrees();
    let (nominal, own) = (of(nominal_u, nominal_v), of(&u, &v));
    // A little beyond 180° is no angle of -180°.
    if own < nominal - 180.0 { own + 360.0 } else { own }
}

/// The position on a line that is nearest to a point; the point itself for a circle.
pub(super) fn foot(outline: &Outline, point: &PlanePoint) -> PlanePoint {
    let Outline::Line { along, .. } = outline else { return *point };
    let away_mm = outline::away(outline, point);
    [point[0] + away_mm * along[1], point[1] - away_mm * along[0]]
}

impl MeasuredDimension {
    /// Measured value less that of the nominal, mm or degrees; `None` if either is missing.
    pub fn deviation(&self) -> Option<f64> {
        Some(self.measured.as_ref()?.as_ref().ok()? - self.nominal.as_ref().ok()?)
    }

    /// On which side of its limits the deviation lies, and what its uncertainty proves; `None` without limits or without
    /// a deviation. The uncertainty of a dimension is always determined: where that fails, such as of a gap whose face ends
    /// where the surface is moved by its own, nothing is proven.
    fn decision(&self) -> Option<(tolerances::Verdict, Conformity)> {
        let tolerance = self.dimension.tolerance?;
        let low_mm = Some(tolerance.low_mm);
        let (side, proven) = tolerances::decide(self.deviation()?, low_mm, tolerance.high_mm, self.uncertainty);
        Some((side, proven.unwrap_or(Conformity::Undecided)))
    }

    /// What is proven of its limits; `None` without limits or without a deviation.
    pub fn conformity(&self) -> Option<Conformity> {
        Some(self.decision()?.1)
    }

    /// Whether it keeps its limits, as decided for tolerances; `None` if it has none.
    pub fn verdict(&self) -> Option<Verdict> {
        self.dimension.tolerance?;
        let decided = self.decision().map(|(side, conformity)| tolerances::decided(Some(conformity), side));
        Some(decided.unwrap_or(Verdict::Incomplete))
    }

    /// Its measured value with its limits; `None` without one.
    pub fn figure(&self, name: String) -> Option<Figure> {
        let value = *self.measured.as_ref()?.as_ref().ok()?;
        let limit =
            |of: fn(&Tolerance) -> f64| Some(self.nominal.as_ref().ok()? + of(self.dimension.tolerance.as_ref()?));
        let (lower, upper) = (limit(|own| own.low_mm), limit(|own| own.high_mm));
        Some(Figure {
            uncertainty: self.uncertainty,
            lower,
            upper,
            ..Figure::new(name, self.dimension.kind.unit(), value)
        })
    }

    /// Its value with its unit, measured or else of the nominal; `None` if there is neither.
    pub fn value(&self) -> Option<String> {
        self.value_in(LengthUnit::Mm)
    }

    /// A [`Self::value`], lengths in this unit.
    pub fn value_in(&self, unit: LengthUnit) -> Option<String> {
        let value = *self.measured.as_ref().unwrap_or(&self.nominal).as_ref().ok()?;
        let (length, digits, symbol) = (unit.from_mm(value), unit.decimals(3), unit.symbol());
        Some(match self.dimension.kind {
            DimensionKind::Angle => format!("{value:.3}°"),
            DimensionKind::Step | DimensionKind::Flush => format!("{length:+.digits$} {symbol}"),
            DimensionKind::Radius => format!("R {length:.digits$} {symbol}"),
            DimensionKind::Distance | DimensionKind::Gap => format!("{length:.digits$} {symbol}"),
        })
    }

    /// E.g. “12.0040 ± 0.0008 mm, nominal 12.0000 mm, +0.0040 mm: conforms (-0.1 mm to +0.1 mm)”.
    pub fn words(&self) -> String {
        let unit = match self.dimension.kind.unit() {
            "°" => "°".to_owned(),
            unit => format!(" {unit}"),
        };
        let nominal = match &self.nominal {
            Ok(value) => format!("nominal {value:.4}{unit}"),
            Err(why) => return format!("not measured: {why}"),
        };
        let measured = match &self.measured {
            None => return nominal,
            Some(Err(why)) => return format!("not measured, {why}; {nominal}"),
            Some(Ok(value)) => {
                let uncertainty = self.uncertainty.map(|own| format!(" ± {own:.4}")).unwrap_or_default();
                format!("{value:.4}{uncertainty}{unit}, {nominal}")
            }
        };
        let deviation = self.deviation().map(|own| format!(", {own:+.4}{unit}")).unwrap_or_default();
        let judged = self.dimension.tolerance.zip(self.decision()).map(|(own, (side, conformity))| {
            let words = tolerances::words(Some(conformity), side);
            let why = if self.uncertainty.is_none() { ", since its uncertainty is unknown" } else { "" };
            format!(": {words}{why} ({:+}{unit} to {:+}{unit})", own.low_mm, own.high_mm)
        });
        format!("{measured}{deviation}{}", judged.unwrap_or_default())
    }
}
