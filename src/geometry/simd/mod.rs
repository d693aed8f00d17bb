//! Eight f32 lanes, with the instruction set chosen at run time.
//!
//! Searches implement [`Task`] once, generic over [`Lanes`]; [`dispatch`] runs them compiled for AVX2 where the
//! processor has it and as plain Rust elsewhere. Lanes only ever *filter* candidates with a margin; decisions are
//! taken in f64, so both instruction sets give the same answers.
#![allow(unsafe_code, reason = "intrinsics; the processor is asked first")]

#[cfg(target_arch = "x86_64")]
mod avx2;
mod portable;

/// Lanes of one vector.
pub const LANES: usize = 8;

/// Eight f32 values, one per lane.
pub type Column = [f32; LANES];

/// The operations that the searches need. All are `#[inline(always)]` so that they end inside [`dispatch`].
pub trait Lanes: Copy {
    /// Eight f32.
    type F: Copy;
    /// The same value in each lane.
    fn splat(value: f32) -> Self::F;
    /// Lane by lane from memory.
    fn load(column: &Column) -> Self::F;
    /// Lane by lane to memory.
    fn store(value: Self::F) -> Column;
    /// a + b
    fn add(a: Self::F, b: Self::F) -> Self::F;
    /// a - b
    fn sub(a: Self::F, b: Self::F) -> Self::F;
    /// a * b
    fn mul(a: Self::F, b: Self::F) -> Self::F;
    /// a * b + c
    fn mul_add(a: Self::F, b: Self::F, c: Self::F) -> Self::F;
    /// a / b
    fn div(a: Self::F, b: Self::F) -> Self::F;
    /// The smaller one; `b` where either is NaN.
    fn min(a: Self::F, b: Self::F) -> Self::F;
    /// The larger one; `b` where either is NaN.
    fn max(a: Self::F, b: Self::F) -> Self::F;
    /// Bit i is set where a <= b in lane i; never for NaN.
    fn le(a: Self::F, b: Self::F) -> u32;
    /// `then` where a >= 0 in all of the three conditions, `otherwise` elsewhere.
    fn select_non_negative(conditions: [Self::F; 3], then: Self::F, otherwise: Self::F) -> Self::F;
}

/// A computation that is generic over its instruction set.
pub trait Task {
    /// What it returns.
    type Output;
    /// Runs it; implementations are `#[inline(always)]`.
    fn run<L: Lanes>(self) -> Self::Output;
}

/// Runs `task` with the widest instruction set that this processor has.
#[inline]
pub fn dispatch<T: Task>(task: T) -> T::Output {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") && std::arch::is_x86_feature_detected!("fma") {
        // SAFETY: both features were just found on this processor.
        return unsafe { run_avx2(task) };
    }
    task.run::<portable::Portable>()
}

/// Runs `task` without vector instructions; tests hold [`dispatch`] against it.
pub fn dispatch_portable<T: Task>(task: T) -> T::Output {
    task.run::<portable::Portable>()
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
unsafe fn run_avx2<T: Task>(task: T) -> T::Output {
    task.run::<avx2::Avx2>()
}
