#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| shadowgraph_fuzz::read_plan(bytes));
