//! The texts of each language, read once.

use std::io::Read as _;
use std::sync::OnceLock;

use flate2::read::DeflateDecoder;
use fluent_bundle::concurrent::FluentBundle;
use fluent_bundle::{FluentArgs, FluentResource};
use unic_langid::{LanguageIdentifier, langid};

use super::{Language, Value};

type Bundle = FluentBundle<FluentResource>;

// `ENGLISH` and `GERMAN`: names and deflated contents of the files, made by `build.rs`.
include!(concat!(env!("OUT_DIR"), "/packed.rs"));

/// No values.
pub const NOTHING: &[(&str, Value<'_>)] = &[];

/// The text of an id; in English if the language lacks it.
pub fn format(language: Language, id: &str, values: &[(impl AsRef<str>, Value<'_>)]) -> Option<String> {
    own(language, id, values).or_else(|| own(Language::English, id, values))
}

/// The text of an id in this language alone.
pub fn own(language: Language, id: &str, values: &[(impl AsRef<str>, Value<'_>)]) -> Option<String> {
    write(bundle(language), id, values)
}

fn bundle(language: Language) -> &'static Bundle {
    static BUNDLES: [OnceLock<Bundle>; Language::ALL.len()] = [OnceLock::new(), OnceLock::new()];
    BUNDLES[language as usize].get_or_init(|| {
        let (bundle, faults) = read(language);
        faults.iter().for_each(|fault| log::error!("{fault}"));
        bundle
    })
}

/// Reads the texts of a language.
pub fn read(language: Language) -> (Bundle, Vec<String>) {
    let (identifier, packed) = match language {
        Language::English => (langid!("en"), ENGLISH),
        Language::German => (langid!("de"), GERMAN),
    };
    let mut faults = Vec::new();
    let mut unpacked = |&(name, packed): &(&'static str, &[u8])| {
        let mut contents = String::new();
        let read = DeflateDecoder::new(packed).read_to_string(&mut contents);
        faults.extend(read.err().map(|error| format!("{name}.ftl: {error}")));
        (name, contents)
    };
    let files: Vec<(&str, String)> = packed.iter().map(&mut unpacked).collect();
    let (bundle, more) = bundle_of(identifier, files);
    faults.extend(more);
    (bundle, faults)
}

/// The bundle of files, name and contents, and what in them could not be read; the rest is kept.
pub fn bundle_of(language: LanguageIdentifier, files: Vec<(&str, String)>) -> (Bundle, Vec<String>) {
    let mut bundle = Bundle::new_concurrent(vec![language]);
    // The marks around values are for texts of both directions, and would be in the way of comparing and copying.
    bundle.set_use_isolating(false);
    let mut faults = Vec::new();
    for (name, contents) in files {
        let resource = match FluentResource::try_new(contents) {
            Ok(resource) => resource,
            Err((rest, errors)) => {
                faults.extend(errors.iter().map(|error| format!("{name}.ftl: {error}")));
                rest
            }
        };
        if let Err(errors) = bundle.add_resource(resource) {
            faults.extend(errors.iter().map(|error| format!("{name}.ftl: {error}")));
        }
    }
    (bundle, faults)
}

/// Writes a text of a bundle; `None` if it has no such text, or if a value that the text needs is not given.
pub fn write(bundle: &Bundle, id: &str, values: &[(impl AsRef<str>, Value<'_>)]) -> Option<String> {
    let pattern = bundle.get_message(id)?.value()?;
    let mut given = FluentArgs::with_capacity(values.len());
    values.iter().for_each(|(name, value)| given.set(name.as_ref().to_owned(), value.clone()));
    let mut errors = Vec::new();
    let written = bundle.format_pattern(pattern, Some(&given), &mut errors).into_owned();
    if let Some(error) = errors.first() {
        log::error!("{id}: {error}");
        return None;
    }
    Some(written)
}
