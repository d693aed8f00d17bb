//! Tests of the whole program, one binary so that it is linked once.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test may fail loudly")]

mod align;
mod bad_input;
mod bench;
mod brush;
mod brush_facets;
mod c_api;
mod calibration;
mod calibration_at_work;
mod command_line;
mod endings;
mod exchange_formats;
mod fits;
mod kernels;
mod leaving;
mod many_parts;
mod mechanical;
mod merged_snapshots;
mod mutations;
mod nesting;
mod old_projects;
mod own_artefact;
mod planes;
mod probing;
mod published_fits;
mod random_commands;
mod readers;
mod register;
mod scenes;
mod shown;
mod signed_distance;
mod support;
mod tolerances;
mod verdicts;
mod window;
mod xvfb;
