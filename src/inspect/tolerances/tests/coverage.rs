//! What was not seen is not in tolerance: every characteristic with its own face and its datums seen in part.

use super::*;
use crate::features::{FaceCoverage, FaceExtent};
use crate::tolerances::decided;
use crate::verdict::Verdict as Overall;

fn seen(share: f64, extent: FaceExtent, arc_rad: Option<f64>) -> Option<FaceCoverage> {
    Some(FaceCoverage { share, gap_mm: 12.0, spacing_mm: 0.3, arc_rad, extent })
}

fn with_coverage(features: &Features, of_feature: bool, share: f64) -> Features {
    let mut features = features.clone();
    for (name, own) in &mut features {
        let share = if (name == "f") == of_feature { share } else { 1.0 };
        own.coverage = seen(share, FaceExtent::NominalFacets, None);
    }
    features
}

fn verdict(judged: &Judged) -> Overall {
    decided(judged.conformity, judged.verdict)
}

#[test]
fn a_face_or_a_datum_seen_in_part_leaves_every_characteristic_open() {
    for Case { json, features, .. } in cases::all() {
        let tolerance = Tolerance { limit_mm: 1e3, ..tolerance(json) };
        let title = tolerance.characteristic.name();
        let judge =
            |features: &Features, tolerance: &Tolerance| judge(tolerance, features, &DatumLetters::new()).unwrap();
        let whole = judge(&with_coverage(&features, true, 0.81), &tolerance);
        assert!(whole.incomplete.is_empty() && !whole.faces.is_empty(), "{title}: {whole:?}");
        let unknown = judge(&features, &tolerance);
        assert!(unknown.faces.is_empty() && unknown.incomplete.is_empty());
        assert_eq!(verdict(&whole), verdict(&unknown), "{title}");
        if verdict(&unknown) == Overall::Pass {
            let part = judge(&with_coverage(&features, true, 0.2), &tolerance);
            let is_of_face = part.faces[0].min_share.is_some();
            assert_eq!(verdict(&part) == Overall::Incomplete, is_of_face, "{title}: {part:?}");
            assert_eq!(part.words() == "incomplete", is_of_face);
            assert!(part.how.contains("“f” seen on 20.0 % of the nominal facets, up to 12.00 mm"), "{}", part.how);
            if is_of_face {
                let sentence = "“f” was seen on 20.0 % of its nominal facets, up to 12.00 mm from the nearest point: at \
                                least 80 % are needed.";
                assert_eq!(part.incomplete, sentence);
            }
            // A stated minimum.
            let lower = Tolerance { min_coverage: Some(0.2), ..tolerance.clone() };
            assert_eq!(verdict(&judge(&with_coverage(&features, true, 0.2), &lower)), Overall::Pass, "{title}");
        }
        if !tolerance.datums.is_empty() {
            let datum = judge(&with_coverage(&features, false, 0.79), &tolerance);
            assert_eq!(verdict(&datum), Overall::Incomplete, "{title}: {datum:?}");
            // Neither in nor out is proven by a datum seen in part; out by a face seen in part is.
            let tight = Tolerance { limit_mm: 1e-9, ..tolerance.clone() };
            if verdict(&judge(&features, &tight)) == Overall::Fail {
                assert_eq!(
                    verdict(&judge(&with_coverage(&features, false, 0.5), &tight)),
                    Overall::Incomplete,
                    "{title}"
                );
                assert_eq!(verdict(&judge(&with_coverage(&features, true, 0.5), &tight)), Overall::Fail, "{title}");
            }
        }
    }
}

#[test]
fn form_of_a_bore_counts_the_arc_where_its_nominal_is_not_known() {
    let bore = || tube(axis([0.0; 3], Vector::z(), 6.0), 20.0, none);
    let judged = |json: &str, arc_deg: f64, extent| {
        let coverage = seen(1.0, extent, Some(f64::to_radians(arc_deg)));
        let features = named([("f", Feature { coverage, ..bore() })]);
        judge(&tolerance(json), &features, &DatumLetters::new()).unwrap()
    };
    for json in [r#""characteristic":"circularity""#, r#""characteristic":"cylindricity""#] {
        let arc = judged(json, 70.0, FaceExtent::Points);
        assert!(arc.is_incomplete() && arc.incomplete.contains("19.4 % of a full revolution"), "{arc:?}");
        assert!(arc.how.contains("over an arc of 70°"), "{}", arc.how);
        assert!(judged(json, 360.0, FaceExtent::Points).incomplete.is_empty());
        assert!(judged(json, 200.0, FaceExtent::Points).incomplete.is_empty());
        // A fillet is no bore: its nominal tells.
        assert!(judged(json, 70.0, FaceExtent::NominalFacets).incomplete.is_empty());
    }
    let refused = Tolerance { min_coverage: Some(1.5), ..tolerance(r#""characteristic":"flatness""#) };
    let sentence = judge(&refused, &Features::new(), &DatumLetters::new()).unwrap_err().sentence;
    assert!(sentence.contains("from 0 to 1"), "{sentence}");
}
