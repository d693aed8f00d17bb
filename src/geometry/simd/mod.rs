//! Eight f32 lanes, with the instruction set chosen at run time.
//!
//! Searches implement [`Task`] once, generic over [`Lanes`]; [`dispatch`] runs them compiled for AVX2 where the
//! processor has it and as plain Rust elsewhere. Lanes are only used to *pre-filter* candidates with a margin;
//! decisions are made in f64, so both instruction sets give the same results.
#![allow(unsafe_code, reason = "intrinsics; the processor features are checked first")]

#[cfg(target_arch = "x86_64")]
mod avx2;
mod portable;

/// Number of lanes of a vector.
pub const LANES: usize = 8;

/// Eight f32 values, one per lane.
pub type Column = [f32; LANES];

/// Vector operations used by the searches. All are `#[inline(always)]`, so that they are compiled for the instruction
/// set selected by [`dispatch`].
pub trait Lanes: Copy {
    /// Vector of eight f32.
    type F: Copy;
    /// `value` in every lane.
    fn splat(value: f32) -> Self::F;
    /// Loads the lanes from memory.
    fn load(column: &Column) -> Self::F;
    /// Stores the lanes to memory.
    fn store(value: Self::F) -> Column;
    /// a + b
    fn add(a: Self::F, b: Self::F) -> Self::F;
    /// a - b
    fn sub(a: Self::F, b: Self::F) -> Self::F;
    /// a * b
    fn mul(a: Self::F, b: Self::F) -> Self::F;
    /// a * b + c; fused with AVX2, otherwise rounded twice
    fn mul_add(a: Self::F, b: Self::F, c: Self::F) -> Self::F;
    /// a / b
    fn div(a: Self::F, b: Self::F) -> Self::F;
    /// Minimum; `b` where either is NaN.
    fn min(a: Self::F, b: Self::F) -> Self::F;
    /// Maximum; `b` where either is NaN.
    fn max(a: Self::F, b: Self::F) -> Self::F;
    /// Mask with bit i set if a <= b in lane i; never set for NaN.
    fn le(a: Self::F, b: Self::F) -> u32;
    /// `then` in lanes where all three conditions are >= 0, `otherwise` elsewhere.
    fn select_non_negative(conditions: [Self::F; 3], then: Self::F, otherwise: Self::F) -> Self::F;
}

/// A computation generic over the instruction set.
pub trait Task {
    /// Result of the computation.
    type Output;
    /// Runs the computation; implementations are `#[inline(always)]`.
    fn run<L: Lanes>(self) -> Self::Output;
}

/// Runs `task` with AVX2 and FMA if the processor has both, otherwise as plain Rust.
#[inline]
pub fn dispatch<T: Task>(task: T) -> T::Output {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") && std::arch::is_x86_feature_detected!("fma") {
        // SAFETY: both features have just been detected.
        return unsafe { run_avx2(task) };
    }
    task.run::<portable::Portable>()
}

/// Runs `task` without vector intrinsics; reference for tests of [`dispatch`].
pub fn dispatch_portable<T: Task>(task: T) -> T::Output {
    task.run::<portable::Portable>()
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
unsafe fn run_avx2<T: Task>(task: T) -> T::Output {
    task.run::<avx2::Avx2>()
}
