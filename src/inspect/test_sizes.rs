//! Sizes of the tests that draw.

/// Number of draws that a test tries: `few` in every run, `many` where `SHADOWGRAPH_THOROUGH` is set.
pub fn draws(few: u64, many: u64) -> u64 {
    if std::env::var_os("SHADOWGRAPH_THOROUGH").is_some() { many } else { few }
}
