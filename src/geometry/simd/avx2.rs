//! Lanes in AVX2 registers. Used only through [`super::dispatch`], which checks the processor features first.

use std::arch::x86_64::*;

use super::{Column, Lanes};

/// Eight lanes in one AVX2 register.
#[derive(Clone, Copy)]
pub struct Avx2;

// SAFETY (all blocks below): this type cannot be named outside `simd`, and `dispatch` uses it only if the processor has
// AVX2 and FMA. Loads and stores are unaligned and access whole columns.
impl Lanes for Avx2 {
    type F = __m256;
    #[inline(always)]
    fn splat(value: f32) -> __m256 {
        unsafe { _mm256_set1_ps(value) }
    }
    #[inline(always)]
    fn load(column: &Column) -> __m256 {
        unsafe { _mm256_loadu_ps(column.as_ptr()) }
    }
    #[inline(always)]
    fn store(value: __m256) -> Column {
        let mut out = [0.0; 8];
        unsafe { _mm256_storeu_ps(out.as_mut_ptr(), value) };
        out
    }
    #[inline(always)]
    fn add(a: __m256, b: __m256) -> __m256 {
        unsafe { _mm256_add_ps(a, b) }
    }
    #[inline(always)]
    fn sub(a: __m256, b: __m256) -> __m256 {
        unsafe { _mm256_sub_ps(a, b) }
    }
    #[inline(always)]
    fn mul(a: __m256, b: __m256) -> __m256 {
        unsafe { _mm256_mul_ps(a, b) }
    }
    #[inline(always)]
    fn mul_add(a: __m256, b: __m256, c: __m256) -> __m256 {
        unsafe { _mm256_fmadd_ps(a, b, c) }
    }
    #[inline(always)]
    fn div(a: __m256, b: __m256) -> __m256 {
        unsafe { _mm256_div_ps(a, b) }
    }
    #[inline(always)]
    fn min(a: __m256, b: __m256) -> __m256 {
        unsafe { _mm256_min_ps(a, b) }
    }
    #[inline(always)]
    fn max(a: __m256, b: __m256) -> __m256 {
        unsafe { _mm256_max_ps(a, b) }
    }
    #[inline(always)]
    fn le(a: __m256, b: __m256) -> u32 {
        unsafe { _mm256_movemask_ps(_mm256_cmp_ps::<_CMP_LE_OQ>(a, b)) as u32 }
    }
    #[inline(always)]
    fn select_non_negative(conditions: [__m256; 3], then: __m256, otherwise: __m256) -> __m256 {
        unsafe {
            let zero = _mm256_setzero_ps();
            let [a, b, c] = conditions.map(|value| _mm256_cmp_ps::<_CMP_GE_OQ>(value, zero));
            _mm256_blendv_ps(otherwise, then, _mm256_and_ps(_mm256_and_ps(a, b), c))
        }
    }
}
