//! How much memory an offset will need, known before it is computed.

use serde::Serialize;

use super::{Method, Parameters, Part};
use base::limits::{available_bytes, format_bytes};
use base::{Result, UserError};
use compute::distance_offset::{ExpectedSize, Request};
use geometry::SolidSurface;
use geometry::voxels::{Lattice, contour};

/// Least resolution at which the memory is looked at before: below, it does not matter.
const MIN_LARGE: u32 = 1024;
/// Bytes per leaf that the computation needs beside its voxels, which it holds twice while it removes uniform leaves.
const BYTES_PER_LEAF: u64 = 96;

/// The expected size of an offset.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Estimate {
    /// Cells, leaves and voxels.
    pub size: ExpectedSize,
    /// Memory that the volume will take, bytes.
    pub volume_bytes: u64,
    /// Memory needed to compute it with its mesh, bytes.
    pub peak_bytes: u64,
}

impl Estimate {
    /// Of the offset of a surface.
    pub fn new<'a>(part: impl Into<Part<'a>>, parameters: &Parameters) -> Result<Self> {
        parameters.check()?;
        let part @ Part { surface, .. } = part.into();
        let (prepared, lattice) = (super::volume::prepared(part, parameters), parameters.lattice(surface.bounds()));
        Ok(Self::of(&prepared.solid(surface), parameters, lattice))
    }

    fn of(solid: &SolidSurface<'_>, parameters: &Parameters, lattice: Lattice) -> Self {
        let Parameters { distance_mm, layout, cell_format, .. } = *parameters;
        let request = Request { solid, distance_mm, lattice, layout, cell_format };
        let size = request.expected_size();
        // Published templates look into every leaf within their distance.
        let layers = match parameters.method {
            Method::Exact | Method::Ball => 1,
            Method::Shell | Method::Ring => {
                let step = (distance_mm / lattice.voxel_mm).abs() / f64::from(parameters.passes);
                1 + (1.3 * step / f64::from(layout.leaf)).ceil() as u64
            }
        };
        let words = 4 * layout.leaf_words() as u64;
        let voxels = layers * size.filled_leaves * (2 * words + BYTES_PER_LEAF) + 24 * size.cells;
        let volumes = u64::from(parameters.passes) * size.bytes(&request);
        let peak_bytes = volumes + voxels.max(contour::bytes_for(size.active_voxels));
        Self { size, volume_bytes: size.bytes(&request), peak_bytes }
    }

    /// The greatest resolution whose memory would be `available` bytes, given that at `resolution`: its voxels grow with
    /// the square.
    fn fitting(&self, resolution: u32, available: u64) -> u32 {
        let share = (available as f64 / self.peak_bytes.max(1) as f64).sqrt().min(1.0);
        let largest = 0.95 * f64::from(resolution) * share;
        // Two digits are as much as is known of it.
        let unit = 10_f64.powf((largest.max(1.0).log10() - 1.0).floor().max(0.0));
        ((largest / unit).floor() * unit) as u32
    }
}

/// Returns an error with the expected memory and a resolution that fits if that of a large offset does not suffice.
pub(super) fn check(solid: &SolidSurface<'_>, parameters: &Parameters, lattice: Lattice) -> Result<()> {
    match available_bytes() {
        Some(available) if parameters.resolution >= MIN_LARGE => {
            check_against(&Estimate::of(solid, parameters, lattice), parameters.resolution, available)
        }
        _ => Ok(()),
    }
}

fn check_against(estimate: &Estimate, resolution: u32, available: u64) -> Result<()> {
    if estimate.peak_bytes <= available {
        return Ok(());
    }
    Err(UserError::input(format!(
        "An offset of {resolution} voxels per axis needs about {} of memory here, its mesh included, and {} is free; choose \
         at most {} voxels per axis.",
        format_bytes(estimate.peak_bytes),
        format_bytes(available),
        estimate.fitting(resolution, available)
    )))
}

#[cfg(test)]
mod tests {
    use super::*;
    use geometry::Surface;
    use geometry::mesh::shapes;

    #[test]
    fn what_does_not_fit_is_refused_with_what_would() {
        let surface = Surface::new(shapes::sphere(10.0, 4));
        let estimate = |resolution, method, passes| {
            let parameters = Parameters { resolution, method, passes, ..Parameters::default() };
            Estimate::new(&surface, &parameters).unwrap()
        };
        let (coarse, fine) = (estimate(1024, Method::Exact, 1), estimate(4096, Method::Exact, 1));
        let growth = fine.peak_bytes as f64 / coarse.peak_bytes as f64;
        assert!((12.0..20.0).contains(&growth), "{growth}");
        assert!(estimate(1024, Method::Ring, 4).peak_bytes > coarse.peak_bytes);
        check_against(&fine, 4096, fine.peak_bytes).unwrap();
        let sentence = check_against(&fine, 4096, fine.peak_bytes / 4).unwrap_err().sentence;
        assert!(sentence.contains("choose at most 1900 voxels"), "{sentence}");
        assert_eq!(fine.fitting(4096, u64::MAX), 3800);
    }
}
