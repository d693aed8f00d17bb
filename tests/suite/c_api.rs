//! The shared library, called from a C program.

use std::path::Path;
use std::process::Command;

use super::support::skipped;

const PROGRAM: &str = r#"
#include "shadowgraph.h"
#include <math.h>
#include <stdio.h>

/* A square plate of two facets, and points above and below it. */
int main(void) {
    double vertices[] = {0, 0, 0, 10, 0, 0, 10, 10, 0, 0, 10, 0};
    uint32_t facets[] = {0, 1, 2, 0, 2, 3};
    double points[] = {7, 2, 0.25, 2, 7, -0.5, 5, 4, 0.1, 90, 90, 90};
    double pose[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
    double skewed[16] = {2, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
    double deviation[4], over[2];
    uint32_t facet[4], matches[2];
    shadowgraph *handle = shadowgraph_open(SHADOWGRAPH_AUTO);
    if (!shadowgraph_device(handle)[0]) return 1;
    if (shadowgraph_closest(handle, pose, 1.0, deviation, facet) == 0) return 2;
    if (!shadowgraph_error(handle)[0]) return 3;
    if (shadowgraph_set_nominal(handle, vertices, 4, facets, 2)) return 4;
    if (shadowgraph_set_points(handle, points, NULL, 4)) return 5;
    if (shadowgraph_closest(handle, pose, 1.0, deviation, facet)) return 6;
    if (fabs(deviation[0] - 0.25) > 1e-12 || fabs(deviation[1] + 0.5) > 1e-12 || !isnan(deviation[3])) return 7;
    if (facet[0] != 0 || facet[1] != 1) return 8;
    if (shadowgraph_point_facet(handle, pose, 9.0, 1.0, 4.0, over, matches)) return 9;
    if (matches[0] != 3 || fabs(over[0] - (0.25 - 0.5 + 0.1) / 3) > 1e-12) return 10;
    if (shadowgraph_closest(handle, skewed, 1.0, deviation, facet) == 0) return 11;
    facets[0] = 77;
    if (shadowgraph_set_nominal(handle, vertices, 4, facets, 2) == 0) return 12;
    if (shadowgraph_set_nominal(handle, NULL, 4, facets, 2) == 0) return 13;
    printf("%s\n", shadowgraph_error(handle));
    shadowgraph_close(handle);
    return 0;
}
"#;

#[test]
fn a_c_program_matches_points_and_is_told_its_mistakes() {
    // Beside the tests, as all examples; not there where this test alone was built.
    let folder = std::env::current_exe().unwrap().parent().unwrap().parent().unwrap().join("examples");
    let library = folder.join("libshadowgraph_c.so");
    if !library.exists() {
        return skipped(&format!("{} is not built: cargo build --release --example shadowgraph_c", library.display()));
    }
    let work = tempfile::tempdir().unwrap();
    let (source, program) = (work.path().join("main.c"), work.path().join("main"));
    std::fs::write(&source, PROGRAM).unwrap();
    let header = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/c_api");
    let made = Command::new("g++")
        .args(["-x", "c", "-std=c11", "-Wall", "-Wextra", "-Werror", "-I"])
        .arg(&header)
        .arg(&source)
        .args(["-x", "none"])
        .arg(&library)
        .args(["-lm", "-o"])
        .arg(&program)
        .output()
        .unwrap();
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    let ran = Command::new(&program).env("LD_LIBRARY_PATH", &folder).output().unwrap();
    assert!(ran.status.success(), "{:?}", ran.status);
    assert!(String::from_utf8_lossy(&ran.stdout).contains("null"), "{ran:?}");
}
