//! Colours of a scale of the operator's own, and the built-in scales as such ones, to be changed.

use super::colour_scale::{BANDS, ColourScale, NO_DATA, interpolate};
use inspect::deviation::own_scale::{BoundaryUnit, OwnScale, Stop};
use inspect::deviation::{Colours, Tolerance};

/// How far a scale reaches beyond its outermost band boundary, as a factor, so that the last band is seen.
const BEYOND_LAST_BAND: f64 = 1.1;

/// The colour of a finite deviation, mm. At a boundary it is the colour on the side of the middle of the tolerance, since
/// limits are inclusive.
pub(super) fn colour(own: &OwnScale, tolerance: &Tolerance, deviation_mm: f64) -> [u8; 3] {
    let middle_mm = 0.5 * (tolerance.low_mm + tolerance.high_mm);
    let at_mm = |stop: &Stop| own.unit.mm(stop.at, tolerance);
    let passed = own.stops.partition_point(|stop| {
        let at_mm = at_mm(stop);
        at_mm < deviation_mm || (at_mm == deviation_mm && at_mm < middle_mm)
    });
    let before = passed.checked_sub(1).and_then(|index| own.stops.get(index));
    match (before, own.stops.get(passed)) {
        (Some(before), Some(_)) if own.is_stepped => before.colour,
        (Some(before), Some(after)) => {
            let [from_mm, to_mm] = [before, after].map(at_mm);
            interpolate(&[before.colour, after.colour], (deviation_mm - from_mm) / (to_mm - from_mm))
        }
        (Some(only), None) | (None, Some(only)) => only.colour,
        (None, None) => NO_DATA,
    }
}

/// Absolute deviation up to which a scale must reach to show all its colours, mm.
pub(super) fn reach_mm(own: &OwnScale, tolerance: &Tolerance) -> f64 {
    let factor = if own.is_stepped { BEYOND_LAST_BAND } else { 1.0 };
    factor * own.boundaries_mm(tolerance).into_iter().map(f64::abs).fold(0.0, f64::max)
}

impl ColourScale {
    /// The same colours as a scale of the operator's own: in shares of the tolerance where they follow it, or else in mm.
    pub fn as_own(&self, name: &str) -> OwnScale {
        if let Some(own) = &self.own {
            return OwnScale { name: name.to_owned(), ..own.clone() };
        }
        let (inside, above, below) = self.built_in();
        let Tolerance { low_mm, high_mm } = self.tolerance;
        let is_stepped = self.colours == Colours::Bands;
        let stop = |(at, colour): (f64, [u8; 3])| Stop { at, colour };
        if self.colours == Colours::Continuous {
            let colours = below.into_iter().rev().chain([inside]).chain(above);
            let at_mm = |quarter: i32| 0.25 * f64::from(quarter) * self.end_mm;
            let stops = (-4..=4).map(at_mm).zip(colours).map(stop).collect();
            return OwnScale { name: name.to_owned(), unit: BoundaryUnit::Mm, is_stepped, stops };
        }
        // Bands begin at their lower boundary; colours that run into each other stand at both sides of the limits.
        let (steps, shift) = if is_stepped { (BANDS, 1.0) } else { (BANDS - 1.0, 0.0) };
        let [down_mm, up_mm] = [low_mm, high_mm].map(|limit_mm| (self.end_mm - limit_mm.abs()) / steps);
        let outwards = || (0..4).map(f64::from);
        let lower = outwards().zip(below).map(|(step, colour)| (low_mm - (step + shift) * down_mm, colour));
        let upper = outwards().zip(above).map(|(step, colour)| (high_mm + step * up_mm, colour));
        let mut stops: Vec<(f64, [u8; 3])> = lower.collect();
        stops.reverse();
        stops.push((low_mm, inside));
        if !is_stepped {
            stops.push((high_mm, inside));
        }
        stops.extend(upper);
        let stops = stops.into_iter().map(stop).collect();
        let own = OwnScale { name: name.to_owned(), unit: BoundaryUnit::Mm, is_stepped, stops };
        own.stated_in(BoundaryUnit::Tolerance, &self.tolerance)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOLERANCE: Tolerance = Tolerance { low_mm: -0.1, high_mm: 0.2 };
    const LOW: [u8; 3] = [0, 0, 200];
    const INSIDE: [u8; 3] = [0, 200, 0];
    const HIGH: [u8; 3] = [200, 0, 0];

    fn own(unit: BoundaryUnit, is_stepped: bool, stops: &[(f64, [u8; 3])]) -> ColourScale {
        let stops = stops.iter().map(|(at, colour)| Stop { at: *at, colour: *colour }).collect();
        let own = OwnScale { name: "own".to_owned(), unit, is_stepped, stops };
        ColourScale::new(TOLERANCE, 0.3).with_own(Some(own))
    }

    #[test]
    fn bands_hold_from_their_boundary_and_limits_are_in_tolerance() {
        let scale = own(BoundaryUnit::Tolerance, true, &[(-4.0, LOW), (-1.0, INSIDE), (1.0, HIGH)]);
        for (mm, wanted) in
            [(-9.0, LOW), (-0.1001, LOW), (-0.1, INSIDE), (0.0, INSIDE), (0.2, INSIDE), (0.2001, HIGH), (9.0, HIGH)]
        {
            assert_eq!(scale.colour(Some(mm)), wanted, "{mm}");
        }
        assert_eq!([scale.colour(None), scale.colour(Some(f64::NAN))], [NO_DATA; 2]);
        // In shares, the same scale follows other limits.
        let tolerance = Tolerance { low_mm: -0.5, high_mm: 0.5 };
        let wider = ColourScale::new(tolerance, 0.3).with_own(scale.own);
        assert_eq!([0.5, 0.51, -0.51].map(|mm| wider.colour(Some(mm))), [INSIDE, HIGH, LOW]);
    }

    #[test]
    fn colours_run_into_each_other_and_jump_where_two_stand_at_one_boundary() {
        let scale = own(BoundaryUnit::Mm, false, &[(-0.2, LOW), (0.0, INSIDE), (0.2, INSIDE), (0.2, HIGH), (0.4, LOW)]);
        assert_eq!(scale.colour(Some(-0.1)), [0, 100, 100]);
        assert_eq!([0.1, 0.2].map(|mm| scale.colour(Some(mm))), [INSIDE; 2]);
        assert_eq!(scale.colour(Some(0.2 + 1e-9)), HIGH);
        assert_eq!(scale.colour(Some(0.3)), [100, 0, 100]);
        assert_eq!([-5.0, 5.0].map(|mm| scale.colour(Some(mm))), [LOW; 2]);
    }

    #[test]
    fn a_scale_reaches_beyond_its_boundaries_and_shows_its_last_band() {
        let reach = |scale: ColourScale| scale.end_mm;
        assert_eq!(reach(own(BoundaryUnit::Mm, false, &[(-0.2, LOW), (0.1, HIGH)])), 0.3);
        assert_eq!(reach(own(BoundaryUnit::Mm, false, &[(-0.9, LOW), (0.1, HIGH)])), 0.9);
        let stepped = own(BoundaryUnit::Mm, true, &[(-9.0, LOW), (-0.1, INSIDE), (1.0, HIGH)]);
        assert_eq!(stepped.end_mm, 1.1);
        assert!(stepped.table(256).last().unwrap()[..3] == HIGH);
    }

    #[test]
    fn built_in_scales_look_the_same_as_own_ones() {
        for tolerance in [TOLERANCE, Tolerance { low_mm: -0.1, high_mm: 0.1 }, Tolerance { low_mm: 0.0, high_mm: 0.2 }]
        {
            for colours in Colours::ALL {
                let built_in = ColourScale::new(tolerance, 0.6).with(colours);
                let own = built_in.as_own("copy");
                own.check().unwrap();
                let copy = built_in.clone().with_own(Some(own));
                assert!((copy.end_mm - 0.6).abs() < 1e-9, "{colours:?}: {}", copy.end_mm);
                // Steps that meet no boundary.
                for step in -997..=997 {
                    let mm = Some(f64::from(step) * 0.000_601_3);
                    let (one, other) = (built_in.colour(mm), copy.colour(mm));
                    let apart = one.iter().zip(&other).map(|(a, b)| a.abs_diff(*b)).max().unwrap();
                    assert!(apart <= 1, "{colours:?} {tolerance:?} at {mm:?}: {one:?}, {other:?}");
                }
                assert_eq!(copy.as_own("again").stops, copy.own.as_ref().unwrap().stops);
            }
        }
    }
}
