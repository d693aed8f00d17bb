//! How each point is coloured: by selection, group, residual or deviation. After a stroke only what changed is sent.

use super::super::subject::Subject;
use super::super::{Live, Shown};
use super::{Viewport, address};
use compute::point_deviation::PointDeviation;
use geometry::Point;
use geometry::subset::{Combine, Subset};
use inspect::deviation::DeviationMap;
use render::selecting::Stroke;
use render::{GROUP_COLOURS, PointsItem, Shade};
use session::Document;
use session::selection::{NamedSelection, Selectable};

/// What the points' shades were made from.
#[derive(Clone)]
pub(super) struct Shaded {
    /// Addresses of the scan and of the measurement whose colours are shown.
    parts: [usize; 2],
    residuals: usize,
    grey: bool,
    selection: Subset,
    hidden: Subset,
    groups: Vec<Subset>,
}

/// What marks selected points; smaller ones are numbers of groups from 1.
const SELECTED: u8 = u8::MAX;
/// What marks points that are not shown.
const HIDDEN: u8 = u8::MAX - 1;
/// Where more than this share of the points changes, all are sent anew.
const MANY: usize = 6;

/// The colour of the selection of that number among those with names.
pub(super) fn group_number(number: usize) -> u8 {
    (number % GROUP_COLOURS.len()) as u8
}

/// Selections with names, by their numbers among all; those of something else are empty.
pub(super) fn groups(document: &Document, of: Selectable) -> Vec<Subset> {
    let own = |named: &NamedSelection| if named.of == of { named.numbers.clone() } else { Subset::default() };
    document.selections.iter().map(own).collect()
}

/// Changes when any group does.
pub(super) fn groups_key(document: &Document) -> usize {
    let addresses = document.selections.iter().map(|named| named.numbers.address());
    addresses.fold(document.selections.len(), |key, address| key.rotate_left(7) ^ address)
}

impl Shaded {
    /// Whether anything but the item's own colour is shown, deviations apart.
    pub(super) fn marks_any(&self) -> bool {
        !self.selection.is_empty()
            || !self.hidden.is_empty()
            || self.residuals != 0
            || self.grey
            || self.groups.iter().any(|group| !group.is_empty())
    }

    /// Groups, the selection and what is hidden, with their marks.
    fn sets(&self) -> impl Iterator<Item = (&Subset, u8)> {
        let groups = self.groups.iter().enumerate().map(|(i, points)| (points, group_number(i) + 1));
        groups.chain([(&self.selection, SELECTED), (&self.hidden, HIDDEN)])
    }

    /// Points whose marks may differ from another's; `None` where more than marks differ.
    fn changed_from(&self, other: &Self) -> Option<Vec<u32>> {
        let same_look = self.residuals == other.residuals && self.grey == other.grey;
        if self.parts != other.parts || !same_look || self.groups.len() != other.groups.len() {
            return None;
        }
        let pairs = self.sets().zip(other.sets()).filter(|((one, _), (two, _))| !one.is_same(two));
        let mut changed = Vec::new();
        for ((one, _), (two, _)) in pairs {
            let less = |one: &Subset, two: &Subset| one.combined(two, Combine::Remove);
            let (gone, fresh) = rayon::join(|| less(one, two), || less(two, one));
            changed.extend(gone.iter().chain(fresh.iter()));
        }
        Some(changed)
    }

    /// The mark of one point.
    fn mark(&self, number: u32) -> u8 {
        self.sets().filter(|(points, _)| points.contains(number)).last().map_or(0, |(_, mark)| mark)
    }

    /// The marks of all points.
    fn marks(&self, count: usize) -> Vec<u8> {
        let mut marks = vec![0; count];
        for (points, mark) in self.sets() {
            for &number in points.iter() {
                if let Some(own) = marks.get_mut(number as usize) {
                    *own = mark;
                }
            }
        }
        marks
    }
}

impl Viewport {
    /// The selection, or what a stroke on its way makes of it.
    pub(super) fn shown_selection<'a>(&'a self, document: &'a Document) -> &'a Subset {
        let own = &document.points.selected;
        self.foreseen.as_ref().filter(|(before, _)| *before == own.address()).map_or(own, |(_, foreseen)| foreseen)
    }

    /// Shows at once what a stroke does to the few points that are drawn while the view moves; a job looks for the rest.
    pub(super) fn foresee(&mut self, stroke: &Stroke, how: Combine, selection: &Subset) {
        let Some(actual) = &self.actual else { return };
        let all = &actual.of.cloud.points;
        let drawn: Vec<usize> = PointsItem::scattered(all.len()).take(self.scene.gpu().moving_points()).collect();
        let points: Vec<Point> = drawn.iter().map(|&number| all[number]).collect();
        let few = Stroke {
            view: stroke.view.of_fewer(points.len() as f64 / all.len().max(1) as f64),
            hidden: Subset::default(),
            ..stroke.clone()
        };
        let found = few.of(&points).iter().map(|&number| drawn[number as usize] as u32).collect();
        self.foreseen = Some((selection.address(), selection.combined(&Subset::new(found), how)));
    }

    /// Colours the points where anything that decides their shades changed.
    pub(super) fn shade(&mut self, subject: &Subject, live: &Live, shown: Shown) {
        if live.frame.is_some() {
            self.shaded = None;
            return;
        }
        let Some(actual) = &self.actual else { return };
        let measurement = self.measurement.as_ref().filter(|_| shown.deviations).map(|shows| &shows.of);
        let wanted = Shaded {
            parts: [address(Some(&actual.of)), address(measurement)],
            residuals: address(subject.residuals.as_ref()),
            grey: subject.shows_grey,
            selection: self.shown_selection(&subject.document).clone(),
            hidden: subject.document.points.hidden.clone(),
            groups: groups(&subject.document, Selectable::Points),
        };
        let changed = self.shaded.as_ref().and_then(|shaded| wanted.changed_from(shaded));
        if changed.as_ref().is_some_and(Vec::is_empty) {
            self.shaded = Some(wanted);
            return;
        }
        let deviations = measurement.and_then(|own| match own.map() {
            DeviationMap::Points(points) => Some(points),
            DeviationMap::Facets { .. } => None,
        });
        let intensity = if subject.shows_grey { actual.of.cloud.intensity.as_slice() } else { &[] };
        let brightest = intensity.iter().copied().filter(|grey| grey.is_finite()).fold(f32::MIN_POSITIVE, f32::max);
        let shade = |i: usize, mark: u8| match deviations {
            _ if mark == SELECTED => Shade::Selected,
            _ if mark == HIDDEN => Shade::Hidden,
            _ if subject.residuals.is_some() => {
                let own = subject.residuals.as_ref().and_then(|all| all.get(i)).filter(|own| own.is_finite());
                own.map_or(Shade::NoData, |mm| Shade::Deviation(f64::from(*mm)))
            }
            _ if mark > 0 => Shade::Group(mark - 1),
            Some(deviations) => deviations.get(i).and_then(PointDeviation::value).into(),
            None => intensity.get(i).map_or(Shade::Plain, |grey| Shade::Grey(grey / brightest)),
        };
        let (gpu, count) = (self.scene.gpu(), actual.of.cloud.points.len());
        match changed.filter(|changed| changed.len() < count / MANY) {
            Some(changed) => {
                actual.item.change_shades(gpu, &self.scatter, &changed, |i| shade(i as usize, wanted.mark(i)));
            }
            None => {
                let marks = wanted.marks(count);
                actual.item.set_shades(gpu, |i| shade(i, marks.get(i).copied().unwrap_or(0)));
            }
        }
        self.shaded = Some(wanted);
    }
}
