//! The one error that a user may read: a full sentence and what kind of trouble it is.

use std::fmt;

use super::LengthUnit;

/// What went wrong, as the exit code of the command line distinguishes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorKind {
    /// The command line or a parameter makes no sense (exit code 2).
    Usage,
    /// A file or its contents cannot be used (exit code 3).
    Input,
    /// The operator cancelled; nothing changed.
    Cancelled,
    /// A fault of the program itself (exit code 5).
    Internal,
}

/// A sentence for the operator: the file, the place, what was expected and what to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UserError {
    /// Decides the exit code and the icon in the window.
    pub kind: ErrorKind,
    /// Complete sentence(s), shown as they are.
    pub sentence: String,
    /// The unit that the scan would fit in, where that is the trouble.
    pub scan_unit: Option<LengthUnit>,
}

/// The result of everything that can fail in front of a user.
pub type Result<T> = std::result::Result<T, UserError>;

impl UserError {
    fn new(kind: ErrorKind, sentence: impl Into<String>) -> Self {
        Self { kind, sentence: sentence.into(), scan_unit: None }
    }

    /// Something about a file or its contents.
    pub fn input(sentence: impl Into<String>) -> Self {
        Self::new(ErrorKind::Input, sentence)
    }

    /// A parameter that makes no sense.
    pub fn usage(sentence: impl Into<String>) -> Self {
        Self::new(ErrorKind::Usage, sentence)
    }

    /// A fault of the program.
    pub fn internal(sentence: impl Into<String>) -> Self {
        Self::new(ErrorKind::Internal, sentence)
    }

    /// The operator pressed cancel.
    pub fn cancelled() -> Self {
        Self::new(ErrorKind::Cancelled, "Cancelled; nothing was changed.")
    }

    /// A file that the operating system would not open, read or write, in the user's words.
    pub fn file(verb: &str, path: &std::path::Path, error: &std::io::Error) -> Self {
        let path = path.display();
        let reason = match error.kind() {
            std::io::ErrorKind::NotFound => "it does not exist; check the path".to_owned(),
            std::io::ErrorKind::PermissionDenied => {
                "permission is denied; ask for the right to this file or choose another folder".to_owned()
            }
            std::io::ErrorKind::IsADirectory => "it is a folder; name a file".to_owned(),
            _ => format!("{error}"),
        };
        Self::input(format!("Cannot {verb} {path}: {reason}."))
    }

    /// Prefixes the sentence with what it is about.
    pub fn about(self, what: &str) -> Self {
        if self.kind == ErrorKind::Cancelled {
            return self;
        }
        Self { sentence: format!("{what}: {}", self.sentence), ..self }
    }

    /// Prefixes the sentence with the file it is about, unless it names it already.
    pub fn in_file(self, path: &std::path::Path) -> Self {
        let shown = path.display().to_string();
        if self.kind == ErrorKind::Cancelled || self.sentence.contains(&shown) {
            return self;
        }
        Self { sentence: format!("{shown}: {}", self.sentence), ..self }
    }

    /// The exit code of the command line for this error.
    pub fn exit_code(&self) -> i32 {
        match self.kind {
            ErrorKind::Usage => 2,
            ErrorKind::Input => 3,
            ErrorKind::Cancelled => 130,
            ErrorKind::Internal => 5,
        }
    }
}

impl fmt::Display for UserError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.sentence)
    }
}

impl std::error::Error for UserError {}
