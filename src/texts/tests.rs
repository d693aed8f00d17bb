use unic_langid::langid;

use super::bundles::{NOTHING, bundle_of, read, write};
use super::{Language, language, name, naming_in, set_language, text, within, word};

#[test]
fn every_text_of_both_languages_can_be_read() {
    for language in Language::ALL {
        let (_, faults) = read(language);
        assert_eq!(faults, Vec::<String>::new());
    }
}

#[test]
fn values_stand_in_texts_and_numbers_choose_the_plural() {
    let file = "left = { $count ->\n    [one] one point of { $name }\n   *[other] { $count } points of { $name }\n }\n";
    let (bundle, faults) = bundle_of(langid!("en"), vec![("made", file.to_owned())]);
    assert!(faults.is_empty());
    let written = |count: i32| write(&bundle, "left", &[("count", count.into()), ("name", "a".into())]);
    assert_eq!([written(1), written(1200)], [Some("one point of a".into()), Some("1200 points of a".into())]);
    assert_eq!(write(&bundle, "left", NOTHING), None, "a value is missing");
}

#[test]
fn a_damaged_file_costs_its_damaged_entries_alone_and_they_are_named() {
    let file = "good = gut\nbad = { $\nalso = auch\nalso = doppelt\n";
    let (bundle, faults) = bundle_of(langid!("de"), vec![("made", file.to_owned())]);
    assert_eq!(write(&bundle, "good", NOTHING).as_deref(), Some("gut"));
    assert_eq!(write(&bundle, "also", NOTHING).as_deref(), Some("auch"));
    assert_eq!(write(&bundle, "bad", NOTHING), None);
    assert!(faults.len() == 2 && faults.iter().all(|fault| fault.starts_with("made.ftl: ")), "{faults:?}");
}

#[test]
fn a_thread_has_its_language_and_what_it_lacks_is_english() {
    assert_eq!(language(), Language::English);
    set_language(Language::German);
    assert_eq!(text("window-undo", &[]), "Rückgängig");
    assert_eq!([word("Flatness"), word("flatness"), word("FAIL")], ["Ebenheit", "Ebenheit", "n. i. O."]);
    assert_eq!(word("nothing that anyone translated"), "nothing that anyone translated");
    assert_eq!(text("no-such-text", &[]), "no-such-text");
    std::thread::scope(|scope| {
        scope.spawn(|| assert_eq!((language(), text("window-undo", &[])), (Language::English, "Undo".to_owned())));
    });
}

#[test]
fn names_are_given_in_the_language_of_the_operator() {
    assert_eq!(name("Plane"), "Plane");
    naming_in(Language::German, || assert_eq!((name("Plane"), word("Plane").as_ref()), ("Ebene".to_owned(), "Plane")));
    within(Language::German, || {
        assert_eq!(name("Plane"), "Ebene");
        naming_in(Language::English, || {
            assert_eq!((name("Plane"), word("Plane").as_ref()), ("Plane".to_owned(), "Ebene"))
        });
    });
    assert_eq!((name("Plane"), language()), ("Plane".to_owned(), Language::English));
}

#[test]
fn languages_of_locales() {
    let locales = ["de_DE.UTF-8", "de", "de-AT", "en_GB", "C", "dev"].map(Language::of_locale);
    assert_eq!(locales.map(|own| own == Language::German), [true, true, true, false, false, false]);
}
