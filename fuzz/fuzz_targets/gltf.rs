#![no_main]

// The text form as well as the binary one: the reader tells them apart by their first bytes.
libfuzzer_sys::fuzz_target!(|bytes: &[u8]| shadowgraph_fuzz::read_as("gltf", bytes));
