//! Tests of the whole program, one binary so that it is linked once.

mod align;
mod bad_input;
mod command_line;
mod readers;
mod signed_distance;
mod support;
mod window;
mod xvfb;
