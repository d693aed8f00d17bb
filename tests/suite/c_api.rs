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

const PLANES: &str = r#"
#include "shadowgraph.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Two planes 5 mm apart, tilted by 0.1 along x, the second with a bump that weighs nothing; and a wall alone. */
int main(void) {
    double points[3 * 48], weights[48];
    size_t points_of_plane[] = {16, 16, 16}, planes_of_set[] = {2, 1}, wrong[] = {1, 1};
    double normals[6], uncertainties[2], centroids[9], rms[3];
    for (int i = 0; i < 48; i++) {
        double u = i % 4, v = i / 4 % 4, *p = points + 3 * i;
        weights[i] = 1 + i % 3;
        p[0] = i < 32 ? u : 7;
        p[1] = v;
        p[2] = i < 32 ? 0.1 * u + (i < 16 ? 0 : 5) : u;
    }
    points[3 * 20 + 2] += 4;
    weights[20] = 0;
    shadowgraph *handle = shadowgraph_open(SHADOWGRAPH_AUTO);
    if (shadowgraph_parallel_planes(handle, points, weights, 48, points_of_plane, 3, planes_of_set, 2, 0, normals,
                                    uncertainties, centroids, rms)) {
        printf("%s\n", shadowgraph_error(handle));
        return 1;
    }
    double length = sqrt(1.01);
    if (fabs(normals[0] + 0.1 / length) > 1e-9 || fabs(normals[1]) > 1e-9 || fabs(normals[2] - 1 / length) > 1e-9) return 2;
    if (fabs(normals[3] - 1) > 1e-9 || fabs(centroids[6] - 7) > 1e-9) return 3;
    if (rms[0] > 1e-9 || rms[1] > 1e-9 || !(uncertainties[0] < 1e-6)) return 4;
    double apart = 0;
    for (int k = 0; k < 3; k++) apart += normals[k] * (centroids[3 + k] - centroids[k]);
    if (fabs(apart - 5 / length) > 1e-9) return 5;
    /* The bump counts without weights, and is dropped. */
    if (shadowgraph_parallel_planes(handle, points, NULL, 48, points_of_plane, 3, planes_of_set, 2, 0, NULL, NULL, NULL,
                                    rms)) return 6;
    if (rms[1] < 0.5) return 7;
    if (shadowgraph_parallel_planes(handle, points, NULL, 48, points_of_plane, 3, wrong, 2, 0, normals, NULL, NULL, NULL) == 0)
        return 8;
    if (!strstr(shadowgraph_error(handle), "add up")) return 9;
    weights[5] = -1;
    if (shadowgraph_parallel_planes(handle, points, weights, 48, points_of_plane, 3, planes_of_set, 2, 0, normals, NULL,
                                    NULL, NULL) == 0) return 10;
    printf("%s\n", shadowgraph_error(handle));
    shadowgraph_close(handle);
    return 0;
}
"#;

#[test]
fn a_c_program_matches_points_and_is_told_its_mistakes() {
    if let Some(said) = run(PROGRAM) {
        assert!(said.contains("null"), "{said}");
    }
}

#[test]
fn a_c_program_fits_weighted_parallel_planes() {
    if let Some(said) = run(PLANES) {
        assert!(said.contains("weights of at least 0"), "{said}");
    }
}

/// What the program prints; `None`, said aloud, where the library is not built.
fn run(program: &str) -> Option<String> {
    // Beside the tests, as all examples; not there where this test alone was built.
    let folder = std::env::current_exe().unwrap().parent().unwrap().parent().unwrap().join("examples");
    let library = folder.join("libshadowgraph_c.so");
    if !library.exists() {
        skipped(&format!("{} is not built: cargo build --release --example shadowgraph_c", library.display()));
        return None;
    }
    let work = tempfile::tempdir().unwrap();
    let (source, compiled) = (work.path().join("main.c"), work.path().join("main"));
    std::fs::write(&source, program).unwrap();
    let header = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/c_api");
    let made = Command::new("g++")
        .args(["-x", "c", "-std=c11", "-Wall", "-Wextra", "-Werror", "-I"])
        .arg(&header)
        .arg(&source)
        .args(["-x", "none"])
        .arg(&library)
        .args(["-lm", "-o"])
        .arg(&compiled)
        .output()
        .unwrap();
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    let ran = Command::new(&compiled).env("LD_LIBRARY_PATH", &folder).output().unwrap();
    let said = String::from_utf8_lossy(&ran.stdout).into_owned();
    assert!(ran.status.success(), "{:?}: {said}", ran.status);
    Some(said)
}
