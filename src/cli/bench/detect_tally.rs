//! What a detection found in piles beside what is there: precision, recall by how much of a part is seen, and best fits.
#![expect(clippy::indexing_slicing, reason = "each index comes from the table that it is used on")]

use serde_json::{Value, json};

use super::detect_fit::{Fit, fit};
use base::{Progress, Result};
use compute::cpu::Cpu;
use geometry::{Point, Pose, Surface};
use inspect::detection::{self, Detection, Known, Parameters, PartModel, Placed};
use inspect::parts::PreparedScan;
use inspect::simulation::pile::{Pile, PlacedPart};

/// A pose is right if the surfaces are closer on average than this share of the diameter (ADD-S).
const MAX_ERROR: f64 = 0.1;
/// Visible fractions at which recall is told apart.
const BINS: [f64; 5] = [0.1, 0.35, 0.6, 0.8, 1.01];
/// Of those visible bins, the one in which parts are counted that lie behind others that were found at once; and points by
/// which that is told.
const BEHIND_BIN: usize = 1;
const BEHIND_POINTS: usize = 200;

/// Whether a pose of a part is that of one in the pile.
pub fn is_right(models: &[PartModel<'_>], placed: &PlacedPart, part: usize, scene_from_part: &Pose) -> bool {
    let model = &models[part];
    placed.part == part && model.distance_mm(&placed.scene_from_part, scene_from_part) < MAX_ERROR * model.diameter_mm
}

/// Index of the part that lies under most points of a detection; `None` if none does.
fn owner(models: &[PartModel<'_>], pile: &Pile, own: &Detection) -> Option<usize> {
    let step = (own.points.len() / 50).max(1);
    let mut votes = vec![0; models.len()];
    for &index in own.points.iter().step_by(step) {
        let Some(point) = pile.cloud.points.get(index as usize) else { continue };
        let distance_mm = |placed: &PlacedPart| {
            let at = placed.scene_from_part.inverse() * point;
            models[placed.part]
                .surface
                .closest_point(&at, own.tolerance_mm)
                .map_or(f64::INFINITY, |hit| hit.distance_mm)
        };
        let nearest = pile.parts.iter().min_by(|a, b| distance_mm(a).total_cmp(&distance_mm(b)));
        if let Some(placed) = nearest.filter(|placed| distance_mm(placed).is_finite()) {
            votes[placed.part] += 1;
        }
    }
    (0..models.len()).max_by_key(|&part| votes[part]).filter(|&part| votes[part] > 0)
}

/// Whether most of what others hide of a part of a pile lies behind some of them.
fn is_behind(models: &[PartModel<'_>], pile: &Pile, index: usize, some: impl Fn(usize) -> bool) -> bool {
    let Some(sensor) = pile.cloud.viewpoint else { return false };
    let blocks = |by: usize, point: &Point| {
        let model = &models[pile.parts[by].part];
        let part_from_scene = pile.parts[by].scene_from_part.inverse();
        let [sensor, point] = [&sensor, point].map(|own| part_from_scene * own);
        model.surface.is_blocked(&sensor, &point, 1e-4 * model.diameter_mm)
    };
    let own = &pile.parts[index];
    let probes = &models[own.part].probes.points;
    let (mut hidden, mut behind) = (0, 0);
    for probe in probes.iter().step_by((probes.len() / BEHIND_POINTS).max(1)) {
        let (point, normal) = (own.scene_from_part * probe.point, own.scene_from_part.rotation * probe.normal);
        if normal.dot(&(sensor - point)) > 0.0 && !blocks(index, &point) {
            let mut others = (0..pile.parts.len()).filter(|&other| other != index && blocks(other, &point)).peekable();
            hidden += usize::from(others.peek().is_some());
            behind += usize::from(others.any(&some));
        }
    }
    2 * behind > hidden
}

/// Counts over piles.
pub struct Tally {
    pub right: usize,
    pub wrong: usize,
    /// Wrong ones that name the truth as another way to explain the same points.
    wrong_named: usize,
    /// What was found wrong, and why parts were missed.
    pub notes: Vec<String>,
    /// Found, all, and found in the first round, by visible fraction.
    bins: [[usize; 3]; BINS.len()],
    /// The same, of those in [`BEHIND_BIN`] most of whose hidden surface lies behind parts found in the first round.
    behind: [usize; 3],
    /// The same, of those at least 60 % visible of which others of their kind, as much of them visible, lie in the pile.
    copies: [usize; 3],
    /// Right ones that are in doubt although they are parts that were looked for.
    in_doubt: usize,
    /// Right and wrong ones of the first round: what a search in one stage finds.
    of_first_round: [usize; 2],
    /// Right, wrong and missed of those at least 60 % visible, by part.
    of_part: Vec<[usize; 3]>,
    /// From 60 % and from 30 to 60 % visible: right ones whose fit is that from the truth, that nobody could tell from it,
    /// that are open otherwise, and others.
    fits: [[usize; 4]; 2],
}

impl Tally {
    pub fn new(parts: usize) -> Self {
        Self {
            right: 0,
            wrong: 0,
            wrong_named: 0,
            notes: Vec::new(),
            bins: Default::default(),
            behind: [0; 3],
            copies: [0; 3],
            in_doubt: 0,
            of_first_round: [0; 2],
            of_part: vec![[0; 3]; parts],
            fits: Default::default(),
        }
    }

    /// Counts what was found; the parts that were not although much of them is seen.
    pub fn add(&mut self, models: &[PartModel<'_>], pile: &Pile, found: &[Detection]) -> Result<Vec<Placed>> {
        let truth = &pile.parts;
        let mut found_in = vec![None; truth.len()];
        let surfaces: Vec<&Surface> = models.iter().map(|own| own.surface).collect();
        let scans = detection::part_scans(&Cpu, &surfaces, found, &pile.cloud, 0.0, &Progress::silent())?;
        for (own, scan) in found.iter().zip(&scans) {
            let scan = PreparedScan::new(scan);
            let model = &models[own.part];
            let is_at = |placed: &PlacedPart| is_right(models, placed, own.part, &own.scene_from_part);
            let at = (0..truth.len()).find(|&index| found_in[index].is_none() && is_at(&truth[index]));
            self.of_first_round[usize::from(at.is_none())] += usize::from(own.round <= 1);
            match at {
                Some(index) => {
                    found_in[index] = Some(own.round);
                    self.right += 1;
                    if let Some(doubt) = own.doubt_in_words() {
                        self.in_doubt += 1;
                        let visible = 100.0 * truth[index].visible_fraction;
                        self.notes.push(format!("doubt of {}, {visible:.0} % visible: {doubt}", model.name));
                    }
                    self.of_part[own.part][0] += 1;
                    let visible = truth[index].visible_fraction;
                    if visible >= 0.3 {
                        let counts = &mut self.fits[usize::from(visible < 0.6)];
                        let (kind, how) = match fit(model, &scan, own, &truth[index]) {
                            Fit::Same => (0, None),
                            Fit::Open { how, is_told } => (1 + usize::from(is_told), Some(format!("open, {how}"))),
                            Fit::Other(how) => (3, Some(how)),
                        };
                        counts[kind] += 1;
                        let visible = 100.0 * visible;
                        let note = how.map(|how| format!("fit of {}, {visible:.0} % visible: {how}", model.name));
                        self.notes.extend(note);
                    }
                }
                None => {
                    self.wrong += 1;
                    self.of_part[own.part][1] += 1;
                    let there = owner(models, pile, own).map_or("nothing", |part| &models[part].name);
                    let is_named = own.others.iter().any(|other| {
                        truth.iter().any(|placed| is_right(models, placed, other.part, &other.scene_from_part))
                    });
                    self.wrong_named += usize::from(is_named);
                    self.notes.push(format!(
                        "found {} where {there} lies{}: score {:.2}, agreement {:.2}, coverage {:.2}, round {}, {:?}",
                        model.name,
                        if is_named { ", which is named" } else { "" },
                        own.score,
                        own.terms.agreement(),
                        own.coverage,
                        own.round,
                        own.terms
                    ));
                }
            }
        }
        let mut missed = Vec::new();
        let at_once = |index: usize| found_in[index].is_some_and(|round| round <= 1);
        for (index, placed) in truth.iter().enumerate() {
            let Some(bin) = BINS.iter().position(|limit| placed.visible_fraction < *limit) else { continue };
            let found_in = found_in[index];
            let counts = [usize::from(found_in.is_some()), 1, usize::from(at_once(index))];
            let add = |sum: &mut [usize; 3]| *sum = std::array::from_fn(|slot| sum[slot] + counts[slot]);
            add(&mut self.bins[bin]);
            if bin == BEHIND_BIN && is_behind(models, pile, index, at_once) {
                add(&mut self.behind);
            }
            let is_largely_seen = |own: &PlacedPart| own.visible_fraction >= 0.6;
            let is_copy = |other: &&PlacedPart| other.part == placed.part && is_largely_seen(other);
            if is_largely_seen(placed) && truth.iter().filter(is_copy).count() > 1 {
                add(&mut self.copies);
            }
            if is_largely_seen(placed) && found_in.is_none() {
                self.of_part[placed.part][2] += 1;
                missed.push(Placed { part: placed.part, scene_from_part: placed.scene_from_part });
            }
        }
        Ok(missed)
    }

    /// Whether missed parts were not proposed or refused: each is judged where it lies.
    pub fn explain(&mut self, models: &[PartModel<'_>], pile: &Pile, missed: &[Placed]) -> Result<()> {
        for own in missed {
            let only = Parameters { max_rounds: 0, ..Parameters::default() };
            let judged =
                detection::run(&Cpu, models, &pile.cloud, &only, &Known::last(vec![*own]), &Progress::silent())?;
            let (found, refused) = (judged.detections.first(), judged.rejected.first());
            let why = match (found, refused.and_then(|own| own.doubt.as_ref())) {
                (Some(own), _) => format!("not proposed, or not chosen (score there {:.2})", own.score),
                (None, Some(doubt)) => doubt.sentence.clone(),
                (None, None) => "nothing there to fit to".to_owned(),
            };
            self.notes.push(format!("missed {}: {why}", models[own.part].name));
        }
        Ok(())
    }

    pub fn rows(&self, models: &[PartModel<'_>]) -> Vec<Value> {
        let share = |part: usize, whole: usize| part as f64 / whole.max(1) as f64;
        let sum = |from: usize| {
            self.bins[from..].iter().fold([0; 3], |sum, own| std::array::from_fn(|index| sum[index] + own[index]))
        };
        let (seen, all) = (sum(3), sum(0));
        let score = |right: usize, wrong: usize| share(2 * right, right + wrong + all[1]);
        let [right, wrong] = self.of_first_round;
        let mut rows = vec![json!({
            "case": "all piles",
            "precision": share(self.right, self.right + self.wrong),
            "recall_from_60_percent": share(seen[0], seen[1]),
            "right": self.right,
            "wrong": self.wrong,
            "wrong_but_truth_named": self.wrong_named,
            "right_in_doubt": self.in_doubt,
            "f1": score(self.right, self.wrong),
            "notes": self.notes,
        })];
        rows.push(json!({
            "case": "the first round alone",
            "precision": share(right, right + wrong),
            "recall_from_60_percent": share(seen[2], seen[1]),
            "right": right,
            "wrong": wrong,
            "f1": score(right, wrong),
        }));
        let recall = |case: String, [found, all, first]: [usize; 3]| {
            json!({
                "case": case,
                "recall": share(found, all),
                "found": found,
                "parts": all,
                "recall_of_first_round": share(first, all),
            })
        };
        let from = |bin: usize| if bin == 0 { 0.0 } else { 100.0 * BINS[bin - 1] };
        let range = |bin: usize| format!("{:.0} to {:.0} % visible", from(bin), 100.0 * BINS[bin].min(1.0));
        rows.extend((0..BINS.len()).map(|bin| recall(range(bin), self.bins[bin])));
        rows.push(recall(format!("{}, behind found ones", range(BEHIND_BIN)), self.behind));
        rows.push(recall("copies from 60 % visible".to_owned(), self.copies));
        for (case, [same, untold, open, other]) in
            ["from 60 % visible", "30 to 60 % visible"].into_iter().zip(self.fits)
        {
            rows.push(json!({
                "case": format!("best fit as from the truth, {case}"),
                "share": share(same, same + untold + open + other),
                "share_where_points_tell": share(same, same + open + other),
                "share_where_nothing_is_said": share(same, same + other),
                "same": same,
                "untold_by_points": untold,
                "open_and_said": untold + open,
                "other": other,
            }));
        }
        for (model, [right, wrong, missed]) in models.iter().zip(&self.of_part) {
            rows.push(json!({ "case": model.name, "right": right, "wrong": wrong, "missed_from_60_percent": missed }));
        }
        self.notes.iter().for_each(|note| eprintln!("{note}"));
        rows
    }
}
