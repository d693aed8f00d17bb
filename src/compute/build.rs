//! Packs the compiled kernels, which the program carries: their text takes an eighth of the space so.

use std::io::Write;
use std::path::{Path, PathBuf};

fn main() -> std::io::Result<()> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../kernels/ptx");
    println!("cargo:rerun-if-changed={}", folder.display());
    let files = std::fs::read_dir(folder)?.collect::<Result<Vec<_>, _>>()?;
    let mut files: Vec<PathBuf> = files.iter().map(std::fs::DirEntry::path).collect();
    files.retain(|file| file.extension().is_some_and(|extension| extension == "ptx"));
    files.sort();
    let out = PathBuf::from(std::env::var_os("OUT_DIR").unwrap_or_default()).join("kernels.deflate");
    let mut packed = flate2::write::DeflateEncoder::new(std::fs::File::create(out)?, flate2::Compression::best());
    for (number, file) in files.iter().enumerate() {
        if number > 0 {
            packed.write_all(b"\0")?;
        }
        packed.write_all(&std::fs::read(file)?)?;
    }
    packed.finish()?;
    Ok(())
}
