#![no_main]

// The child's own code is OpenCASCADE: what counts is that this side always ends with a mesh or a sentence.
libfuzzer_sys::fuzz_target!(|bytes: &[u8]| shadowgraph_fuzz::read_as("step", bytes));
