//! The only error type shown to users: a complete message and its category.

use std::fmt;

use super::LengthUnit;

/// Category of an error; determines the exit code of the command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorKind {
    /// Invalid command line or parameter (exit code 2).
    Usage,
    /// Unreadable file or unusable contents (exit code 3).
    Input,
    /// Cancelled by the operator; nothing was changed (exit code 130).
    Cancelled,
    /// Defect in the program itself (exit code 5).
    Internal,
}

/// An error message for the operator: the file, the location in it, what was expected and what to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UserError {
    /// Category; determines the exit code.
    pub kind: ErrorKind,
    /// One or more complete sentences, shown unchanged.
    pub sentence: String,
    /// The length unit in which the scan would match the nominal, if a wrong unit caused the error.
    pub scan_unit: Option<LengthUnit>,
}

/// Result of a call whose error is shown to the user.
pub type Result<T> = std::result::Result<T, UserError>;

impl UserError {
    fn new(kind: ErrorKind, sentence: impl Into<String>) -> Self {
        Self { kind, sentence: sentence.into(), scan_unit: None }
    }

    /// An error about a file or its contents.
    pub fn input(sentence: impl Into<String>) -> Self {
        Self::new(ErrorKind::Input, sentence)
    }

    /// An error about an invalid parameter.
    pub fn usage(sentence: impl Into<String>) -> Self {
        Self::new(ErrorKind::Usage, sentence)
    }

    /// A defect in the program.
    pub fn internal(sentence: impl Into<String>) -> Self {
        Self::new(ErrorKind::Internal, sentence)
    }

    /// Cancellation by the operator.
    pub fn cancelled() -> Self {
        Self::new(ErrorKind::Cancelled, "Cancelled; nothing was changed.")
    }

    /// An I/O error on `path`, worded for the operator: "Cannot {verb} {path}: {reason}."
    pub fn file(verb: &str, path: &std::path::Path, error: &std::io::Error) -> Self {
        let path = path.display();
        let reason = match error.kind() {
            std::io::ErrorKind::NotFound => "it does not exist; check the path".to_owned(),
            std::io::ErrorKind::PermissionDenied => {
                "permission denied; request access to this file or choose another folder".to_owned()
            }
            std::io::ErrorKind::IsADirectory => "it is a folder; specify a file".to_owned(),
            _ => format!("{error}"),
        };
        Self::input(format!("Cannot {verb} {path}: {reason}."))
    }

    /// Prefixes the message with its subject; a cancellation is returned unchanged.
    pub fn about(self, what: &str) -> Self {
        if self.kind == ErrorKind::Cancelled {
            return self;
        }
        Self { sentence: format!("{what}: {}", self.sentence), ..self }
    }

    /// Prefixes the message with the file path unless it contains the path already; a cancellation is returned
    /// unchanged.
    pub fn in_file(self, path: &std::path::Path) -> Self {
        let path_text = path.display().to_string();
        if self.kind == ErrorKind::Cancelled || self.sentence.contains(&path_text) {
            return self;
        }
        Self { sentence: format!("{path_text}: {}", self.sentence), ..self }
    }

    /// Exit code of the command line.
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
