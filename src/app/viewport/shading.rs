//! Colours of the points: by selection, named selection, residual, deviation or what they lie on. After a stroke only changes are
//! uploaded.

use std::sync::Arc;

use super::super::subject::Subject;
use super::super::{ElementVisibility, LiveFit};
use super::scan_surface::LeftOut;
use super::{Viewport, address};
use compute::point_deviation::PointDeviation;
use geometry::Point;
use geometry::subset::{Combine, Subset};
use inspect::alignment::Alignment;
use inspect::detection::{Explanation, Found};
use inspect::deviation::DeviationMap;
use inspect::parts::Actual;
use render::selecting::Stroke;
use render::{Colouring, GROUP_COLOURS, Mark, PointsItem};
use session::Document;
use session::selection::{NamedSelection, Selectable};

/// Inputs of the point colours.
#[derive(Clone)]
pub(super) struct PointShading {
    /// Addresses of the scan and of the measurement whose colours are shown.
    sources: [usize; 2],
    /// Whether the measurement has a deviation for each point.
    has_deviations: bool,
    /// Address of the residuals; 0 if they are not shown.
    residuals: usize,
    /// Whether grey values are shown.
    grey: bool,
    selection: Subset,
    hidden: Subset,
    /// Points of other things than the part, which are not drawn.
    others: Subset,
    groups: Vec<Subset>,
    /// What each point lies on, if that is shown, and the part that is selected.
    explained: Option<(Arc<Found>, usize)>,
}

/// Marks of all points are uploaded if at least one in this many has changed.
const FULL_UPLOAD_DIVISOR: usize = 6;

/// Index of the group colour of a named selection.
pub(super) fn group_index(index: usize) -> u8 {
    (index % GROUP_COLOURS.len()) as u8
}

/// Index of the group colour of a part found: none is that of the selected one.
pub fn part_group(part: usize) -> u8 {
    const GROUPS: [u8; 7] = [1, 2, 4, 0, 5, 7, 6];
    GROUPS[part % GROUPS.len()]
}

/// Named selections, by index; those of another kind are empty.
pub(super) fn groups(document: &Document, of: Selectable) -> Vec<Subset> {
    let own = |named: &NamedSelection| if named.of == of { named.numbers.clone() } else { Subset::default() };
    document.selections.iter().map(own).collect()
}

/// A key that changes when any named selection does.
pub(super) fn groups_key(document: &Document) -> usize {
    let addresses = document.selections.iter().map(|named| named.numbers.address());
    addresses.fold(document.selections.len(), |key, address| key.rotate_left(7) ^ address)
}

/// The values by which points are coloured.
struct PointValues<'a> {
    residuals: Option<&'a [f32]>,
    deviations: Option<&'a [PointDeviation]>,
    /// Grey values, and the brightest one.
    intensity: Option<(&'a [f32], f32)>,
}

impl<'a> PointValues<'a> {
    fn new(subject: &'a Subject, deviations: Option<&'a [PointDeviation]>, actual: &'a Actual) -> Self {
        let intensity = Some(actual.cloud.intensity.as_slice()).filter(|_| subject.shows_grey);
        let brightest =
            |grey: &[f32]| grey.iter().copied().filter(|grey| grey.is_finite()).fold(f32::MIN_POSITIVE, f32::max);
        Self {
            residuals: subject.residuals.as_ref().map(|own| own.as_slice()),
            deviations,
            intensity: intensity.map(|grey| (grey, brightest(grey))),
        }
    }

    fn are_any(&self) -> bool {
        self.residuals.is_some() || self.deviations.is_some() || self.intensity.is_some()
    }

    /// Of the point at an index in the scan.
    fn of(&self, index: usize) -> Option<f64> {
        match (self.residuals, self.deviations, self.intensity) {
            (Some(residuals), ..) => residuals.get(index).filter(|own| own.is_finite()).map(|&own| own.into()),
            (None, Some(deviations), _) => deviations.get(index).and_then(PointDeviation::value),
            (None, None, Some((grey, brightest))) => grey.get(index).map(|grey| f64::from(grey / brightest)),
            (None, None, None) => None,
        }
    }
}

impl PointShading {
    /// Colouring of points without marks.
    pub(super) fn colouring(&self) -> Colouring {
        match (self.residuals != 0 || self.has_deviations, self.grey) {
            (true, _) => Colouring::Scale,
            (false, true) => Colouring::Grey,
            (false, false) => Colouring::Plain,
        }
    }

    /// Groups, selection and hidden points with their marks; for each point the last set that contains it takes
    /// precedence.
    fn sets(&self) -> impl Iterator<Item = (&Subset, Mark)> {
        // Group colours would hide residuals.
        let groups = self.groups.iter().enumerate().filter(|_| self.residuals == 0);
        let groups = groups.map(|(i, points)| (points, Mark::Group(group_index(i))));
        let hidden = [&self.hidden, &self.others].map(|own| (own, Mark::Hidden));
        groups.chain([(&self.selection, Mark::Selected)]).chain(hidden)
    }

    /// Whether both show the same values.
    fn has_values_of(&self, other: &Self) -> bool {
        self.sources == other.sources && self.residuals == other.residuals && self.grey == other.grey
    }

    /// Indices of points whose marks may differ from `other`, ascending; `None` if all marks have to be uploaded.
    fn changed_from(&self, other: &Self) -> Option<Subset> {
        if self.sources[0] != other.sources[0]
            || (self.residuals == 0) != (other.residuals == 0)
            || self.groups.len() != other.groups.len()
            || self.explained_key() != other.explained_key()
        {
            return None;
        }
        let pairs = self.sets().zip(other.sets()).filter(|((one, _), (two, _))| !one.is_same(two));
        let mut changed = Subset::default();
        for ((one, _), (two, _)) in pairs {
            let minus = |one: &Subset, two: &Subset| one.combined(two, Combine::Remove);
            let (removed, added) = rayon::join(|| minus(one, two), || minus(two, one));
            changed = changed.combined(&removed, Combine::Add).combined(&added, Combine::Add);
        }
        Some(changed)
    }

    fn explained_key(&self) -> (usize, usize) {
        let selected = self.explained.as_ref().map_or(0, |(_, selected)| *selected);
        (address(self.explained.as_ref().map(|(found, _)| found)), selected)
    }

    /// Mark of a point for what it lies on.
    fn explained(&self, index: usize) -> Mark {
        let Some((found, selected)) = &self.explained else { return Mark::None };
        match found.explanations.of(index) {
            Explanation::Nothing => Mark::None,
            Explanation::Background => Mark::Background,
            Explanation::Part(part) if part == *selected => Mark::Selected,
            Explanation::Part(part) => Mark::Group(part_group(part)),
        }
    }

    /// Mark of a point.
    fn mark(&self, index: u32) -> Mark {
        let own = self.sets().filter(|(points, _)| points.contains(index)).last();
        own.map_or_else(|| self.explained(index as usize), |(_, mark)| mark)
    }

    /// Marks of all points.
    fn marks(&self, count: usize) -> Vec<Mark> {
        let mut marks: Vec<Mark> = (0..count).map(|index| self.explained(index)).collect();
        for (points, mark) in self.sets() {
            for &index in points.iter() {
                if let Some(own) = marks.get_mut(index as usize) {
                    *own = mark;
                }
            }
        }
        marks
    }
}

impl Viewport {
    /// The selection, or its preview during a stroke.
    pub(super) fn shown_selection<'a>(&'a self, document: &'a Document) -> &'a Subset {
        let own = &document.points.selected;
        let preview = self.previewed_selection.as_ref().filter(|(before, _)| *before == own.address());
        preview.map_or(own, |(_, preview)| preview)
    }

    /// Applies a stroke immediately to the reduced set of points drawn while the view moves; a job then processes all
    /// points.
    pub(super) fn preview_stroke(&mut self, stroke: &Stroke, how: Combine, selection: &Subset) {
        let Some(actual) = &self.actual else { return };
        let all = &actual.source.cloud.points;
        let drawn: Vec<usize> = PointsItem::scattered(all.len()).take(self.scene.gpu().moving_points()).collect();
        let points: Vec<Point> = drawn.iter().map(|&index| all[index]).collect();
        let reduced_stroke = Stroke {
            view: stroke.view.for_subset(points.len() as f64 / all.len().max(1) as f64),
            hidden: Subset::default(),
            ..stroke.clone()
        };
        let found = reduced_stroke.of(&points).iter().map(|&index| drawn[index as usize] as u32).collect();
        self.previewed_selection = Some((selection.address(), selection.combined(&Subset::new(found), how)));
    }

    /// Updates the colours of the points if their inputs have changed.
    pub(super) fn shade(&mut self, subject: &Subject, live: &LiveFit, shown: ElementVisibility) {
        if live.frame.is_some() {
            self.point_shading = None;
            return;
        }
        let Some(actual) = &self.actual else { return };
        let measurement = self.measurement.as_ref().filter(|_| shown.deviations).map(|item| &item.source);
        let deviations = measurement.and_then(|own| match own.map() {
            DeviationMap::Points(points) => Some(points),
            DeviationMap::Facets { .. } => None,
        });
        let left_out = measurement
            .zip(subject.document.nominal())
            .filter(|_| !shown.others && subject.document.alignment().is_some_and(Alignment::is_among_others));
        match left_out {
            Some((own, _)) if self.other_things.0 == address(Some(own)) => {}
            Some((own, nominal)) => {
                self.other_things = (address(Some(own)), Subset::new(own.other_things(nominal).collect()));
            }
            // Another measurement may come to lie at the address of one that is gone.
            None if self.other_things.0 != 0 => self.other_things = (0, Subset::default()),
            None => {}
        }
        let wanted = PointShading {
            sources: [address(Some(&actual.source)), address(measurement)],
            has_deviations: deviations.is_some(),
            residuals: address(subject.residuals.as_ref()),
            grey: subject.shows_grey,
            selection: self.shown_selection(&subject.document).clone(),
            hidden: subject.document.points.hidden.clone(),
            others: self.other_things.1.clone(),
            groups: groups(&subject.document, Selectable::Points),
            explained: self.found.clone().filter(|_| shown.explanations).map(|found| (found, shown.detection)),
        };
        let (gpu, item, count) = (self.scene.gpu(), &actual.item, actual.source.cloud.points.len());
        let has_new_values = self.point_shading.as_ref().is_none_or(|current| !wanted.has_values_of(current));
        let changed = self.point_shading.as_ref().and_then(|current| wanted.changed_from(current));
        let is_changed = has_new_values || changed.as_ref().is_none_or(|changed| !changed.is_empty());
        let left_out = self.scan_surface.left_out_mut().filter(|own| is_changed || !own.is_shaded);
        if has_new_values || left_out.is_some() {
            let values = PointValues::new(subject, deviations.map(Vec::as_slice), &actual.source);
            if has_new_values && values.are_any() {
                item.set_values(gpu, |i| values.of(i));
            }
            if let Some(LeftOut { indices, item, is_shaded }) = left_out {
                // A point that is left out has the colour that it would have among all.
                if values.are_any() {
                    item.set_values(gpu, |i| values.of(*indices.get(i)? as usize));
                }
                item.set_marks(gpu, |i| indices.get(i).map_or(Mark::None, |index| wanted.mark(*index)));
                *is_shaded = true;
            }
        }
        match changed {
            Some(changed) if changed.is_empty() => {}
            Some(changed) if changed.len() < count / FULL_UPLOAD_DIVISOR => {
                let changed: Vec<u32> = changed.iter().copied().collect();
                item.change_marks(gpu, &self.mark_writer, &changed, |index| wanted.mark(index));
            }
            _ => {
                let marks = wanted.marks(count);
                item.set_marks(gpu, |i| marks.get(i).copied().unwrap_or_default());
            }
        }
        self.point_shading = Some(wanted);
    }
}
