//! A CUDA device. What it cannot do, or fails at, the processor does, with a sentence.

mod backend;
pub mod driver;
mod facet_answers;
mod facet_facet_matching;
mod flat;
mod icp;
pub mod kernels;
mod mesh;
mod neighbourhoods;
mod nvidia;
mod order_statistic;
mod page_locked;
mod parallel_planes;
mod point_deviation;
mod point_facet_matching;
mod points;
mod published_matching;
mod queries;
mod registration;
pub(super) mod smoothing;
mod sort;
pub(super) mod statistics;
mod surface;
pub(super) mod thinning;
mod tree;

use std::sync::{Arc, Mutex, PoisonError};

use super::Capability;
use super::registration::{Problem, Target};
use base::{ErrorKind, Progress, Result, UserError};
use driver::Driver;
pub use facet_facet_matching::FacetFacetJob;
use geometry::Surface;
pub use icp::IcpJob;
pub use neighbourhoods::NeighbourhoodsJob;
pub use page_locked::PageLocked;
pub use parallel_planes::ParallelPlanesJob;
pub use point_deviation::PointDeviationJob;
pub use point_facet_matching::PointFacetJob;
pub use published_matching::{PublishedJob, Step as PublishedStep};
pub use registration::DeviceRegistration;
use registration::DeviceTarget;
pub use surface::DeviceSurface;

/// Surfaces kept on the device: a nominal, and a scan as facets.
const RESIDENT: usize = 2;

/// The backend of one device.
pub struct Cuda {
    driver: Arc<dyn Driver>,
    /// Surfaces that are resident, by the number of what each was made from, the latest last.
    resident: Mutex<Vec<(u64, Arc<DeviceSurface>)>>,
    notices: Mutex<Vec<String>>,
}

impl Cuda {
    /// On the first GPU; a sentence says why there is none.
    pub fn open() -> Result<Self> {
        Self::open_number(0)
    }

    /// On the GPU of that number.
    pub fn open_number(number: usize) -> Result<Self> {
        Ok(Self::on(Arc::new(nvidia::Nvidia::open(number)?)))
    }

    /// The names of all GPUs by their numbers; a sentence says why there is none.
    pub fn names() -> Result<Vec<String>> {
        nvidia::Nvidia::names()
    }

    /// On any driver, for tests.
    pub fn on(driver: Arc<dyn Driver>) -> Self {
        Self { driver, resident: Mutex::default(), notices: Mutex::new(Vec::new()) }
    }

    /// Uploads what a request needs, for callers that launch it several times.
    pub fn prepare_point_deviation<'a>(
        &self,
        request: &super::point_deviation::Request<'a>,
    ) -> Result<PointDeviationJob<'a>> {
        PointDeviationJob::new(&self.driver, self.surface(request.surface)?, request)
    }

    /// As [`Self::prepare_point_deviation`].
    pub fn prepare_point_facet_matching(
        &self,
        request: &super::point_facet_matching::Request<'_>,
    ) -> Result<PointFacetJob> {
        PointFacetJob::new(&self.driver, request)
    }

    /// As [`Self::prepare_point_deviation`].
    pub fn prepare_facet_facet_matching(
        &self,
        request: &super::facet_facet_matching::Request<'_>,
    ) -> Result<FacetFacetJob> {
        FacetFacetJob::new(&self.driver, self.surface(request.scan)?, request)
    }

    /// As [`Self::prepare_point_deviation`].
    pub fn prepare_parallel_planes<'a>(
        &self,
        request: &super::parallel_planes::Request<'a>,
    ) -> Result<ParallelPlanesJob<'a>> {
        ParallelPlanesJob::new(&self.driver, request)
    }

    /// As [`Self::prepare_point_deviation`].
    pub fn prepare_registration(&self, problem: &Problem<'_>) -> Result<DeviceRegistration> {
        let target = match problem.target {
            Target::Surface(surface) => {
                DeviceTarget::surface(&self.driver, self.surface(surface)?, problem.points.points.len())?
            }
            Target::Cloud { points, normals, .. } => DeviceTarget::cloud(&self.driver, points, normals)?,
        };
        DeviceRegistration::new(&self.driver, target, problem)
    }

    /// As [`Self::prepare_point_deviation`].
    pub fn prepare_icp(
        &self,
        problem: &super::icp::Problem<'_>,
        parameters: &super::icp::Parameters,
        progress: &Progress,
    ) -> Result<IcpJob> {
        IcpJob::new(&self.driver, problem, parameters, progress)
    }

    /// Point-facet matching as it was first published, to be timed beside ours.
    pub fn prepare_published_points(&self, request: &super::point_facet_matching::Request<'_>) -> Result<PublishedJob> {
        PublishedJob::of_points(&self.driver, request)
    }

    /// Facet-facet matching as it was first published.
    pub fn prepare_published_facets(&self, request: &super::facet_facet_matching::Request<'_>) -> Result<PublishedJob> {
        PublishedJob::of_facets(&self.driver, request)
    }

    /// As [`Self::prepare_point_deviation`].
    pub fn prepare_neighbourhoods(&self, request: &super::neighbourhoods::Request<'_>) -> Result<NeighbourhoodsJob> {
        NeighbourhoodsJob::new(&self.driver, request)
    }

    /// A resident surface of its own, for those who time its making.
    pub fn prepare_surface(&self, surface: &Surface) -> Result<DeviceSurface> {
        DeviceSurface::new(&self.driver, surface)
    }

    /// `count` zeros in page-locked memory, for what is uploaded again and again.
    pub fn page_locked<T: bytemuck::Pod>(&self, count: usize) -> Result<PageLocked<T>> {
        PageLocked::zeros(&self.driver, count)
    }

    /// Forgets the resident surfaces.
    pub fn forget(&self) {
        self.resident.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    /// Where everything runs.
    pub fn driver(&self) -> &Arc<dyn Driver> {
        &self.driver
    }

    /// The resident twin of `surface`, uploaded where it is not there yet.
    fn surface(&self, surface: &Surface) -> Result<Arc<DeviceSurface>> {
        let mut resident = self.resident.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, twin)) = resident.iter().find(|(number, _)| *number == surface.number()) {
            return Ok(Arc::clone(twin));
        }
        // The oldest goes first: more may not fit.
        if resident.len() == RESIDENT {
            resident.remove(0);
        }
        driver::require(self.driver.as_ref(), DeviceSurface::bytes(surface), "The nominal")?;
        let twin = Arc::new(DeviceSurface::new(&self.driver, surface)?);
        resident.push((surface.number(), Arc::clone(&twin)));
        Ok(twin)
    }

    fn notice(&self, error: &UserError) {
        let notice = format!("{} This step was computed on the processor.", error.sentence);
        self.notices.lock().unwrap_or_else(PoisonError::into_inner).push(notice);
    }

    /// Answers between two looks at the progress; on the processor where the device fails.
    pub(super) fn attempt<C: Capability>(&self, request: &C, progress: &Progress) -> Result<C::Answer> {
        progress.report(0.0, C::STAGE)?;
        let answer = match request.on_cuda(self, progress) {
            Err(error) if error.kind != ErrorKind::Cancelled && !request.is_at_fault(&error) => {
                self.notice(&error);
                request.on_cpu(progress)
            }
            answer => answer,
        }?;
        progress.check()?;
        Ok(answer)
    }
}
