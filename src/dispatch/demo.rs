//! The demo part that ships with the program.

use std::path::{Path, PathBuf};

use base::Result;
use io::cad::CadReader;

/// The demo part as STL, mm.
pub const BRACKET_STL: &[u8] = include_bytes!("../../assets/bracket.stl");

const FILES: [(&str, &[u8]); 3] = [
    ("bracket.step", include_bytes!("../../assets/bracket.step")),
    ("bracket.stl", BRACKET_STL),
    ("bracket-scan.ply", include_bytes!("../../assets/bracket-scan.ply")),
];

/// The unpacked files of the demo.
pub struct DemoFiles {
    /// The part as CAD; its mesh where there is no CAD reader.
    pub nominal: PathBuf,
    /// The part as a mesh.
    pub mesh: PathBuf,
    /// A scan of a part with four defects.
    pub scan: PathBuf,
}

/// Writes the files of the demo into a folder, so that a project can refer to them. Returns an error if it cannot.
pub fn unpack(folder: &Path, cad: &CadReader) -> Result<DemoFiles> {
    base::folder::make(folder)?;
    for (name, bytes) in FILES {
        io::atomic::write_bytes(&folder.join(name), bytes)?;
    }
    let [step, mesh, scan] = FILES.map(|(name, _)| folder.join(name));
    let has_reader = cad.program.as_ref().is_some_and(|program| program.exists());
    Ok(DemoFiles { nominal: if has_reader { step } else { mesh.clone() }, mesh, scan })
}
