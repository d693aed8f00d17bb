//! `report.pdf`, typeset by typst from `report.typ`.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::LazyLock;

use typst::diag::{FileError, FileResult, SourceDiagnostic, Warned};
use typst::foundations::{Bytes, Datetime, Duration, Smart};
use typst::syntax::{FileId, RootedPath, Source, VirtualPath, VirtualRoot};
use typst::text::{Font, FontBook};
use typst::utils::LazyHash;
use typst::{Library, LibraryExt, World};
use typst_layout::PagedDocument;
use typst_pdf::{PdfOptions, PdfStandards, Timestamp};

use super::content::Content;
use super::date::Stamp;
use super::pictures::Pictures;
use crate::base::{Result, UserError};

const TEMPLATE: &str = include_str!("report.typ");
const FONTS: [&[u8]; 2] =
    [include_bytes!("../../assets/fonts/Inter-Regular.otf"), include_bytes!("../../assets/fonts/Inter-SemiBold.otf")];

static LIBRARY: LazyLock<LazyHash<Library>> = LazyLock::new(|| LazyHash::new(Library::default()));
static FONT_BOOK: LazyLock<(LazyHash<FontBook>, Vec<Font>)> = LazyLock::new(|| {
    let fonts: Vec<Font> = FONTS.iter().flat_map(|data| Font::iter(Bytes::new(*data))).collect();
    (LazyHash::new(FontBook::from_fonts(&fonts)), fonts)
});

/// The report as PDF.
pub fn of(content: &Content, pictures: &Pictures, stamp: Stamp) -> Result<Vec<u8>> {
    let json = serde_json::to_vec(content).map_err(|e| failed(&e.to_string()))?;
    let pictures = pictures.views.iter().map(|view| (view.file.clone(), view.png.clone())).collect();
    typeset(TEMPLATE, json, pictures, stamp)
}

/// What `template` makes of `content.json` and of pictures by their names.
pub(super) fn typeset(
    template: &str,
    json: Vec<u8>,
    pictures: HashMap<String, Vec<u8>>,
    stamp: Stamp,
) -> Result<Vec<u8>> {
    let outcome = laid_out(template, json, pictures, stamp);
    // The layout's caches are global and hold every picture: empty them whether it worked or not.
    typst::comemo::evict(0);
    outcome.map_err(|reason| failed(&reason))
}

fn failed(reason: &str) -> UserError {
    UserError::internal(format!("The PDF could not be typeset: {reason}."))
}

fn laid_out(
    template: &str,
    json: Vec<u8>,
    pictures: HashMap<String, Vec<u8>>,
    stamp: Stamp,
) -> std::result::Result<Vec<u8>, String> {
    let mut world = Desk { main: Source::new(file_id("main.typ")?, template.to_owned()), files: HashMap::new() };
    world.files.insert(file_id("content.json")?, Bytes::new(json));
    for (file, png) in pictures {
        world.files.insert(file_id(&file)?, Bytes::new(png));
    }
    let Warned { output, .. } = typst::compile::<PagedDocument>(&world);
    let document = output.map_err(|errors| describe(&errors))?;
    let date = Datetime::from_ymd_hms(stamp.year, stamp.month, stamp.day, stamp.hour, stamp.minute, stamp.second);
    let options = PdfOptions {
        ident: Smart::Auto,
        creator: Smart::Custom(Some(super::software())),
        timestamp: date.map(Timestamp::new_utc),
        page_ranges: None,
        standards: PdfStandards::default(),
        tagged: true,
        pretty: false,
    };
    typst_pdf::pdf(&document, &options).map_err(|errors| describe(&errors))
}

fn describe(errors: &[SourceDiagnostic]) -> String {
    errors.iter().map(|error| error.message.to_string()).collect::<Vec<_>>().join("; ")
}

fn file_id(name: &str) -> std::result::Result<FileId, String> {
    let path = VirtualPath::new(name).map_err(|e| format!("{name}: {e:?}"))?;
    Ok(RootedPath::new(VirtualRoot::Project, path).intern())
}

/// The files that the template may open: nothing but what it is given.
struct Desk {
    main: Source,
    files: HashMap<FileId, Bytes>,
}

impl World for Desk {
    fn library(&self) -> &LazyHash<Library> {
        &LIBRARY
    }
    fn book(&self) -> &LazyHash<FontBook> {
        &FONT_BOOK.0
    }
    fn main(&self) -> FileId {
        self.main.id()
    }
    fn source(&self, id: FileId) -> FileResult<Source> {
        if id == self.main.id() { Ok(self.main.clone()) } else { Err(missing(id)) }
    }
    fn file(&self, id: FileId) -> FileResult<Bytes> {
        self.files.get(&id).cloned().ok_or_else(|| missing(id))
    }
    fn font(&self, index: usize) -> Option<Font> {
        FONT_BOOK.1.get(index).cloned()
    }
    fn today(&self, _offset: Option<Duration>) -> Option<Datetime> {
        None
    }
}

fn missing(id: FileId) -> FileError {
    FileError::NotFound(PathBuf::from(id.vpath().get_without_slash()))
}
