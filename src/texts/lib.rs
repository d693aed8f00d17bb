//! Floor 0: what operators read, in the language that they chose. The texts stand in `assets/texts`, a folder for each
//! language and a Fluent file for each room of the window; code names a text by its id.

mod bundles;
mod language;
mod words;

pub use fluent_bundle::FluentValue as Value;
pub use language::{Language, language, naming_in, set_language, within};
pub use words::{name, word};

/// The text of this id in the language of this thread: `text!("files-opened")`, or with what stands in it:
/// `text!("files-opened", count = 3, name = "part.ply")`. A number decides between singular and plural; a measured value
/// is given as written, with its decimals.
#[macro_export]
macro_rules! text {
    ($id:literal $(,)?) => { $crate::text($id, &[]) };
    ($id:literal, $($name:ident = $value:expr),+ $(,)?) => {
        $crate::text($id, &[$((stringify!($name), $crate::Value::from($value))),+])
    };
}

/// See [`text!`]. A text that the language lacks is English; one that there is not at all is its id.
pub fn text(id: &str, values: &[(&'static str, Value<'_>)]) -> String {
    bundles::format(language(), id, values).unwrap_or_else(|| {
        log::error!("There is no text {id}.");
        id.to_owned()
    })
}

#[cfg(test)]
mod tests;
