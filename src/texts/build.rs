//! Packs the texts of each language, a tenth of the program unpacked: `packed.rs` names each file and holds it deflated.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::write::DeflateEncoder;

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

fn main() -> Outcome<()> {
    let texts = Path::new(&std::env::var("CARGO_MANIFEST_DIR")?).join("../../assets/texts").canonicalize()?;
    println!("cargo:rerun-if-changed={}", texts.display());
    let out = PathBuf::from(std::env::var("OUT_DIR")?);
    let mut source = String::new();
    for (name, language) in [("ENGLISH", "en"), ("GERMAN", "de")] {
        writeln!(source, "const {name}: &[(&str, &[u8])] = &[")?;
        let files = std::fs::read_dir(texts.join(language))?.map(|entry| Ok(entry?.path()));
        let mut files = files.collect::<Outcome<Vec<PathBuf>>>()?;
        files.sort();
        for file in files.iter().filter(|file| file.extension().is_some_and(|own| own == "ftl")) {
            let stem = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            let packed = out.join(format!("{language}-{stem}.deflate"));
            let mut encoder = DeflateEncoder::new(std::fs::File::create(&packed)?, Compression::best());
            encoder.write_all(&std::fs::read(file)?)?;
            encoder.finish()?;
            writeln!(source, "    (\"{stem}\", include_bytes!({packed:?})),")?;
        }
        writeln!(source, "];")?;
    }
    std::fs::write(out.join("packed.rs"), source)?;
    Ok(())
}
