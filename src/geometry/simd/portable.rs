//! Lanes in plain Rust, for processors without AVX2.

use super::{Column, LANES, Lanes};

/// Eight lanes in an array.
#[derive(Clone, Copy)]
pub struct Portable;

#[inline(always)]
fn map(a: Column, b: Column, f: impl Fn(f32, f32) -> f32) -> Column {
    let mut out = [0.0; LANES];
    for i in 0..LANES {
        out[i] = f(a[i], b[i]);
    }
    out
}

impl Lanes for Portable {
    type F = Column;
    #[inline(always)]
    fn splat(value: f32) -> Column {
        [value; LANES]
    }
    #[inline(always)]
    fn load(column: &Column) -> Column {
        *column
    }
    #[inline(always)]
    fn store(value: Column) -> Column {
        value
    }
    #[inline(always)]
    fn add(a: Column, b: Column) -> Column {
        map(a, b, |x, y| x + y)
    }
    #[inline(always)]
    fn sub(a: Column, b: Column) -> Column {
        map(a, b, |x, y| x - y)
    }
    #[inline(always)]
    fn mul(a: Column, b: Column) -> Column {
        map(a, b, |x, y| x * y)
    }
    #[inline(always)]
    fn mul_add(a: Column, b: Column, c: Column) -> Column {
        map(map(a, b, |x, y| x * y), c, |x, y| x + y)
    }
    #[inline(always)]
    fn div(a: Column, b: Column) -> Column {
        map(a, b, |x, y| x / y)
    }
    #[inline(always)]
    fn min(a: Column, b: Column) -> Column {
        map(a, b, |x, y| if x < y { x } else { y })
    }
    #[inline(always)]
    fn max(a: Column, b: Column) -> Column {
        map(a, b, |x, y| if x > y { x } else { y })
    }
    #[inline(always)]
    fn le(a: Column, b: Column) -> u32 {
        (0..LANES).fold(0, |bits, i| bits | u32::from(a[i] <= b[i]) << i)
    }
    #[inline(always)]
    fn select_non_negative(conditions: [Column; 3], then: Column, otherwise: Column) -> Column {
        let mut out = otherwise;
        for i in 0..LANES {
            if conditions.iter().all(|condition| condition[i] >= 0.0) {
                out[i] = then[i];
            }
        }
        out
    }
}
