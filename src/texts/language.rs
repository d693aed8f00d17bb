//! The languages, and the one of each thread.

use std::cell::Cell;

use serde::{Deserialize, Serialize};

/// A language of the window.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum Language {
    /// British spelling, as in the standards.
    #[default]
    #[value(name = "en")]
    English,
    /// German, with the terms of DIN EN ISO.
    #[value(name = "de")]
    German,
}

impl Language {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::English, Self::German];

    /// Its name in itself.
    pub fn name(self) -> &'static str {
        match self {
            Self::English => "English",
            Self::German => "Deutsch",
        }
    }

    /// Its code (ISO 639).
    pub fn code(self) -> &'static str {
        match self {
            Self::English => "en",
            Self::German => "de",
        }
    }

    /// The language of a locale as desktops name it, such as `de_AT.UTF-8`; English for others.
    pub fn of_locale(locale: &str) -> Self {
        match locale.split(['_', '-', '.', '@']).next() {
            Some("de") => Self::German,
            _ => Self::English,
        }
    }

    /// The language that the environment asks for in messages (POSIX: `LC_ALL`, `LC_MESSAGES`, `LANG`).
    pub fn of_desktop() -> Self {
        let set = ["LC_ALL", "LC_MESSAGES", "LANG"].into_iter().filter_map(|name| std::env::var(name).ok());
        set.into_iter().find(|locale| !locale.is_empty()).map_or(Self::English, |locale| Self::of_locale(&locale))
    }
}

thread_local! {
    static LANGUAGE: Cell<Language> = const { Cell::new(Language::English) };
    static NAMING: Cell<Option<Language>> = const { Cell::new(None) };
}

/// The language that this thread writes in; English until it is set.
pub fn language() -> Language {
    LANGUAGE.get()
}

/// Does something in a language, and goes on in the one before.
pub fn within<T>(language: Language, work: impl FnOnce() -> T) -> T {
    let _before = Before(&LANGUAGE, LANGUAGE.replace(language));
    work()
}

/// Does something in which new things are named in a language, whatever this thread writes in: a job writes for programs,
/// and names for its operator.
pub fn naming_in<T>(language: Language, work: impl FnOnce() -> T) -> T {
    let _before = Before(&NAMING, NAMING.replace(Some(language)));
    work()
}

/// The language that new things are named in; that of the thread where nobody said otherwise.
pub(crate) fn naming_language() -> Language {
    NAMING.get().unwrap_or_else(language)
}

/// Sets a value of the thread back, even if the work panics.
struct Before<T: Copy + 'static>(&'static std::thread::LocalKey<Cell<T>>, T);

impl<T: Copy + 'static> Drop for Before<T> {
    fn drop(&mut self) {
        self.0.set(self.1);
    }
}

/// Sets the language that this thread writes in.
pub fn set_language(language: Language) {
    LANGUAGE.set(language);
}
