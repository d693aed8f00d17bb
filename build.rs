//! How the programs are linked, and the bridge to OpenCASCADE for the CAD reader program alone.

use std::path::{Path, PathBuf};

fn main() {
    println!("cargo:rerun-if-changed=src/bin/shadowgraph-cad");
    println!("cargo:rerun-if-env-changed=OCCT_INCLUDE_DIR");
    state_commit();
    // Crash reports read the lines of our source from debug sections, which take a quarter of the space so; names of
    // local symbols say nothing beside them. Functions of one code are one, under the name of any of them.
    for program in ["shadowgraph", "shadowgraph-cad"] {
        println!("cargo:rustc-link-arg-bin={program}=-Wl,--compress-debug-sections=zlib,--discard-all,--icf=all,-O2");
    }
    // Addresses to relocate as a bitmap, a fortieth of their list: from 2.36 on, the C library reads it, and an older one
    // says that it does not.
    if c_library().is_some_and(|version| version >= (2, 36)) {
        println!("cargo:rustc-link-arg-bin=shadowgraph=-Wl,-z,pack-relative-relocs");
    }
    if std::env::var_os("CARGO_FEATURE_CAD").is_none() {
        return;
    }
    let Some(include) = include_folder() else {
        eprintln!(
            "The CAD reader needs OpenCASCADE. Install the Debian or Ubuntu package libocct-data-exchange-dev, or \
             build without STEP and IGES: --no-default-features. (Headers elsewhere: set OCCT_INCLUDE_DIR.)"
        );
        std::process::exit(1);
    };
    let out = std::env::var("OUT_DIR").unwrap_or_default();
    if !is_bridge_current(Path::new(&out)) {
        cc::Build::new()
            .cpp(true)
            .std("c++17")
            .files(
                ["bridge.cpp", "parts.cpp", "pmi.cpp", "pmi_dimensions.cpp", "pmi_faces.cpp"]
                    .map(|file| format!("src/bin/shadowgraph-cad/{file}")),
            )
            .include(&include)
            .flag("-Wno-deprecated-declarations")
            .cargo_metadata(false)
            .compile("shadowgraph_cad_bridge");
    }
    let link = |argument: String| println!("cargo:rustc-link-arg-bin=shadowgraph-cad={argument}");
    link(format!("{out}/libshadowgraph_cad_bridge.a"));
    // From 7.8 on, the exchange libraries have other names.
    let exchange: &[&str] = if has_library(&include, "TKDESTEP") {
        &["TKDESTEP", "TKDEIGES"]
    } else {
        &["TKXDESTEP", "TKXDEIGES", "TKSTEP", "TKSTEPBase", "TKSTEPAttr", "TKSTEP209", "TKIGES"]
    };
    let rest = [
        "TKXCAF",
        "TKLCAF",
        "TKCDF",
        "TKXSBase",
        "TKMesh",
        "TKTopAlgo",
        "TKShHealing",
        "TKBRep",
        "TKGeomBase",
        "TKG3d",
        "TKMath",
        "TKernel",
    ];
    for library in exchange.iter().chain(&rest) {
        link(format!("-l{library}"));
    }
    if std::env::var_os("OCCT_INCLUDE_DIR").is_some() {
        let prefix = include.parent().and_then(Path::parent).unwrap_or(Path::new("/usr"));
        link(format!("-L{}", prefix.join("lib").display()));
    }
    link("-lstdc++".to_owned());
}

/// States the commit that is built, with a `+` if files differ from it; nothing without Git.
fn state_commit() {
    let git = |arguments: &[&str]| {
        let said =
            std::process::Command::new("git").args(arguments).output().ok().filter(|own| own.status.success())?;
        Some(String::from_utf8(said.stdout).ok()?.trim().to_owned())
    };
    let commit = git(&["rev-parse", "--short=12", "HEAD"]).unwrap_or_default();
    let differs = git(&["status", "--porcelain", "--untracked-files=no"]).is_some_and(|own| !own.is_empty());
    println!("cargo:rustc-env=SHADOWGRAPH_COMMIT={commit}{}", if differs { "+" } else { "" });
    // The log of the branch changes with every commit.
    for name in ["HEAD", "logs/HEAD"] {
        if let Some(path) = git(&["rev-parse", "--git-path", name]).filter(|own| Path::new(own).exists()) {
            println!("cargo:rerun-if-changed={path}");
        }
    }
}

/// Whether the bridge is newer than its sources: a new commit alone does not compile it again.
fn is_bridge_current(out: &Path) -> bool {
    let time = |path: &Path| std::fs::metadata(path).and_then(|own| own.modified()).ok();
    let Some(built) = time(&out.join("libshadowgraph_cad_bridge.a")) else { return false };
    let Ok(entries) = std::fs::read_dir("src/bin/shadowgraph-cad") else { return false };
    let mut sources = entries.flatten().map(|entry| time(&entry.path())).chain([time(Path::new("build.rs"))]);
    std::env::var_os("OCCT_INCLUDE_DIR").is_none() && sources.all(|own| own.is_some_and(|own| own < built))
}

fn include_folder() -> Option<PathBuf> {
    let named = std::env::var_os("OCCT_INCLUDE_DIR").map(PathBuf::from);
    let usual = ["/usr/include/opencascade", "/usr/local/include/opencascade"].map(PathBuf::from);
    named.into_iter().chain(usual).find(|folder| folder.join("STEPControl_Reader.hxx").exists())
}

fn has_library(include: &Path, name: &str) -> bool {
    let prefix = include.parent().and_then(Path::parent).unwrap_or(Path::new("/usr"));
    let folders = ["lib", "lib/x86_64-linux-gnu", "lib/aarch64-linux-gnu", "lib64"];
    folders.iter().any(|folder| prefix.join(folder).join(format!("lib{name}.so")).exists())
}

/// Version of the GNU C library here; `None` if there is none.
fn c_library() -> Option<(u32, u32)> {
    let said = std::process::Command::new("getconf").arg("GNU_LIBC_VERSION").output().ok()?;
    let said = String::from_utf8(said.stdout).ok()?;
    let (major, minor) = said.trim().strip_prefix("glibc ")?.split_once('.')?;
    Some((major.parse().ok()?, minor.parse().ok()?))
}
