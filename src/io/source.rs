//! Opened input files of known length. Folders and empty files are refused, gzip files decompressed; reading reports
//! progress.

use std::fs::File;
use std::io::{BufReader, Cursor, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use base::{Progress, Result, UserError, regular_file};

/// An input file, decompressed into memory if it is a gzip file.
pub struct Source {
    path: PathBuf,
    input: Input,
    length: u64,
    position: u64,
    reported: u64,
    progress: Progress,
}

impl Source {
    /// Opens `path`. Returns an error if it is a folder, not a regular file, empty or unreadable, or if it does not
    /// decompress into half of the free memory.
    pub fn open(path: &Path, progress: &Progress) -> Result<Self> {
        let (file, length) = regular_file::open(path)?;
        Self::of_input(path, Input::File(file), length, progress)
    }

    /// The contents of the file at `path`, which were read before. Returns an error as [`Self::open`].
    pub fn of_bytes(path: &Path, bytes: Vec<u8>, progress: &Progress) -> Result<Self> {
        let length = bytes.len() as u64;
        Self::of_input(path, Input::Memory(Cursor::new(bytes)), length, progress)
    }

    fn of_input(path: &Path, mut input: Input, mut length: u64, progress: &Progress) -> Result<Self> {
        if length == 0 {
            return Err(UserError::input(format!("{} is empty; export it again.", path.display())));
        }
        if let Some(bytes) = decompress_gzip(&mut input, path, progress)? {
            length = bytes.len() as u64;
            input = Input::Memory(Cursor::new(bytes));
        }
        Ok(Self { path: path.to_owned(), input, length, position: 0, reported: 0, progress: progress.clone() })
    }

    /// Path of the file, for error messages.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Length in bytes, after decompression.
    pub fn length(&self) -> u64 {
        self.length
    }

    /// The first bytes of the file, at most `count`. Rewinds to the start.
    pub fn head(&mut self, count: usize) -> Result<Vec<u8>> {
        let mut head = Vec::new();
        let path = self.path.clone();
        let failed = |e: std::io::Error| UserError::file("read", &path, &e);
        self.input.by_ref().take(count as u64).read_to_end(&mut head).map_err(failed)?;
        self.input.seek(SeekFrom::Start(0)).map_err(failed)?;
        Ok(head)
    }

    /// The file as UTF-8 if it is UTF-16, by its byte order mark; else unchanged. An error if it does not fit in memory.
    pub fn into_utf8(mut self) -> Result<Self> {
        let word = match self.head(2)?.as_slice() {
            [0xFF, 0xFE] => u16::from_le_bytes,
            [0xFE, 0xFF] => u16::from_be_bytes,
            _ => return Ok(self),
        };
        let (path, progress) = (self.path.clone(), self.progress.clone());
        let bytes = self.read_all()?;
        let words = bytes.as_chunks::<2>().0.iter().skip(1).map(|own| word(*own));
        let text: String = char::decode_utf16(words).map(|own| own.unwrap_or(char::REPLACEMENT_CHARACTER)).collect();
        let length = text.len() as u64;
        let input = Input::Memory(Cursor::new(text.into_bytes()));
        Ok(Self { path, input, length, position: 0, reported: 0, progress })
    }

    /// Wraps the file in a buffered reader with a buffer of 1 MiB.
    pub fn buffered(self) -> BufReader<Self> {
        BufReader::with_capacity(1 << 20, self)
    }

    /// Reads the whole file, for formats that cannot be streamed. Returns an error if it does not fit in memory.
    pub fn read_all(mut self) -> Result<Vec<u8>> {
        base::limits::require_bytes(self.length, &format!("Reading {}", self.path.display()))?;
        let mut bytes = Vec::with_capacity(self.length as usize);
        let path = self.path.clone();
        self.read_to_end(&mut bytes).map_err(|e| read_error(&path, &e))?;
        Ok(bytes)
    }
}

impl Read for Source {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let count = self.input.read(buffer)?;
        self.position += count as u64;
        if self.position - self.reported > 4 << 20 {
            self.reported = self.position;
            let fraction = self.position as f32 / self.length.max(1) as f32;
            if self.progress.report(fraction, "Reading the file").is_err() {
                return Err(std::io::Error::other("cancelled"));
            }
        }
        Ok(count)
    }
}

impl Seek for Source {
    fn seek(&mut self, to: SeekFrom) -> std::io::Result<u64> {
        self.position = self.input.seek(to)?;
        Ok(self.position)
    }
}

enum Input {
    File(File),
    /// Contents in memory: those of a gzip file decompressed.
    Memory(Cursor<Vec<u8>>),
}

impl Read for Input {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        match self {
            Self::File(file) => file.read(buffer),
            Self::Memory(bytes) => bytes.read(buffer),
        }
    }
}

impl Seek for Input {
    fn seek(&mut self, to: SeekFrom) -> std::io::Result<u64> {
        match self {
            Self::File(file) => file.seek(to),
            Self::Memory(bytes) => bytes.seek(to),
        }
    }
}

/// Decompressed contents of a gzip file; `None` for any other file, which is rewound.
fn decompress_gzip(file: &mut Input, path: &Path, progress: &Progress) -> Result<Option<Vec<u8>>> {
    let mut magic = Vec::new();
    let failed = |e: std::io::Error| UserError::file("read", path, &e);
    file.by_ref().take(2).read_to_end(&mut magic).map_err(failed)?;
    file.seek(SeekFrom::Start(0)).map_err(failed)?;
    if magic != [0x1F, 0x8B] {
        return Ok(None);
    }
    progress.report(0.0, "Decompressing the file")?;
    // A small file can decompress to any size: at most half of the free memory is used.
    let max_bytes = base::limits::available_bytes().unwrap_or(u64::MAX) / 2;
    let mut bytes = Vec::new();
    let read = flate2::read::MultiGzDecoder::new(file).take(max_bytes.saturating_add(1)).read_to_end(&mut bytes);
    let damaged = |e: std::io::Error| {
        UserError::input(format!(
            "{} cannot be decompressed ({e}); it was cut short or damaged: copy it again.",
            path.display()
        ))
    };
    read.map_err(damaged)?;
    if bytes.len() as u64 > max_bytes {
        let free = base::limits::format_bytes(2 * max_bytes);
        return Err(UserError::input(format!(
            "{} decompresses to more than half of the {free} of free memory; thin it on a machine with more memory.",
            path.display()
        )));
    }
    if bytes.is_empty() {
        return Err(UserError::input(format!("{} is empty when decompressed; export it again.", path.display())));
    }
    Ok(Some(bytes))
}

/// Converts an I/O error while reading `path` to a user error; a cancelled read becomes a cancellation.
pub fn read_error(path: &Path, error: &std::io::Error) -> UserError {
    if error.kind() == std::io::ErrorKind::Other && error.to_string() == "cancelled" {
        return UserError::cancelled();
    }
    if error.kind() == std::io::ErrorKind::UnexpectedEof {
        return UserError::input(format!(
            "{} ends in the middle of its data; it was cut short, so copy or export it again.",
            path.display()
        ));
    }
    UserError::file("read", path, error)
}
