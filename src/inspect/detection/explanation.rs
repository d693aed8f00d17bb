//! What each point of a scan lies on.

use super::Detection;
use super::scene::Scene;

/// What a point of a scan lies on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Explanation {
    /// Nothing that was found.
    Nothing,
    /// The floor, a wall or another plane wider than the parts.
    Background,
    /// A part found, by its index.
    Part(usize),
}

/// What the points of a scan lie on, in its order.
#[derive(Clone, Debug, Default)]
pub struct Explanations {
    codes: Vec<u8>,
    shares: [f64; 3],
}

/// Codes: of the background, and of the first part; all parts from the last on share one.
const BACKGROUND: u8 = 1;
const FIRST_PART: u8 = 2;

impl Explanations {
    pub(super) fn new(scene: &Scene, detections: &[Detection]) -> Self {
        let mut codes: Vec<u8> = scene.is_background.iter().map(|own| if *own { BACKGROUND } else { 0 }).collect();
        for (part, own) in detections.iter().enumerate() {
            let code = u8::try_from(part).unwrap_or(u8::MAX).saturating_add(FIRST_PART);
            own.points.iter().for_each(|&point| codes[point as usize] = code);
        }
        let codes = scene.of_scan(codes);
        let counts = codes.iter().fold([0_usize; 3], |mut counts, code| {
            counts[usize::from(*code.min(&FIRST_PART))] += 1;
            counts
        });
        let [nothing, background, parts] = counts.map(|count| count as f64 / codes.len().max(1) as f64);
        Self { codes, shares: [background, parts, nothing] }
    }

    /// What a point lies on.
    pub fn of(&self, point: usize) -> Explanation {
        match self.codes.get(point).copied().unwrap_or_default() {
            0 => Explanation::Nothing,
            BACKGROUND => Explanation::Background,
            code => Explanation::Part(usize::from(code - FIRST_PART)),
        }
    }

    /// Shares of the points that lie on the background, on parts and on nothing that was found, 0 to 1.
    pub fn shares(&self) -> [f64; 3] {
        self.shares
    }
}
